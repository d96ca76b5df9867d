public import AudioTypes
import RenderCore

/// A unit with one input and one output of the same stream format, of any sample type and any
/// number of channels, as Apple's effects (`aufx`) are.
///
/// To add one, write a file with its description, which begins with `EffectProperties.common`, and
/// a kernel, which has a `GlideBank` for its parameters and `EffectPieces` around its work.
/// Everything is live: a change of a parameter glides, a ramp is followed, and neither depends on
/// slices.
public protocol EffectUnit: AudioUnit {
  /// The delay from the input to the output, in frames; 0 for most. The same for all settings,
  /// bypass included.
  static func latency(in configuration: UnitConfiguration) -> Int

  /// The tail after the input has ended, with the present settings, in seconds: until the sound has
  /// fallen by 120 dB.
  static func tailTime(of settings: EffectSettings) -> Double

  /// Further violations of the configuration, whose two formats are equal.
  static func effectViolations(in configuration: UnitConfiguration) -> [Violation]

  /// The value that follows from the configuration for a property of the unit's own.
  static func effectValue(
    of place: PropertyPlace, settings: EffectSettings
  ) -> PropertyValue?
}

/// The settings of an effect, on the control thread.
public struct EffectSettings: Sendable {
  /// The rate of the output, in hertz.
  public let sampleRate: Double
  /// Channels of the output.
  public let channelCount: Int
  /// The present parameters and live properties.
  public let controls: ControlLayout
  /// The configuration that the unit has been, or would be, initialized with.
  public let configuration: UnitConfiguration

  init(_ configuration: UnitConfiguration, controls: ControlLayout) {
    sampleRate = configuration.outputs[0].format.sampleRate
    channelCount = configuration.outputs[0].format.channelCount
    self.controls = controls
    self.configuration = configuration
  }

  /// The value of a parameter of the global scope.
  public subscript(parameter: UInt32) -> Double {
    controls.slot(parameter, .global, 0).map { Double(controls.block[$0]) } ?? 0
  }

  /// The word of a live property of the global scope.
  public func word(_ id: PropertyID) -> UInt32 {
    controls.slot(PropertyPlace(id, .global, 0)).map { controls.block[word: $0] } ?? 0
  }

  /// Whether the effect is bypassed.
  public var isBypassed: Bool { word(.bypassEffect) != 0 }
}

extension EffectUnit {
  public static func latency(in configuration: UnitConfiguration) -> Int { 0 }

  public static func effectViolations(in configuration: UnitConfiguration) -> [Violation] { [] }

  public static func effectValue(
    of place: PropertyPlace, settings: EffectSettings
  ) -> PropertyValue? { nil }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let found = EffectFormats.violations(in: configuration, of: description.name)
    return found.isEmpty ? effectViolations(in: configuration) : found
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    let configuration = configuration()
    let settings = EffectSettings(configuration, controls: controls)
    switch place.id {
    case .latency:
      guard settings.sampleRate > 0 else { return .float64(0) }
      return .float64(Double(latency(in: configuration)) / settings.sampleRate)
    case .tailTime:
      guard settings.sampleRate > 0, !settings.isBypassed else { return .float64(0) }
      return .float64(tailTime(of: settings))
    default: return effectValue(of: place, settings: settings)
    }
  }
}

/// Checks that both sides of an effect have the same format.
enum EffectFormats {
  static func violations(
    in configuration: UnitConfiguration, of name: String
  ) -> [Violation] {
    let input = configuration.inputs[0]
    let output = configuration.outputs[0]
    guard input.isUsed, input.format != output.format else { return [] }
    return [
      Violation(
        UnitRules.effectFormats, status: .formatNotSupported,
        "\(withArticle(name)) puts out the format that it takes in: its input has "
          + "\(input.format.summary), its output \(output.format.summary)",
        at: .init(node: nil, .streamFormat(.output, 0)),
        notes: [.init("the input's format", at: .init(node: nil, .streamFormat(.input, 0)))],
        help: ["give both sides the same stream format"])
    ]
  }
}

/// Properties that effects share.
public enum EffectProperties {
  /// SupportedNumChannels, TailTime, BypassEffect and InPlaceProcessing. Latency is among the generic properties.
  public static let common: [PropertyInfo] = [
    .channelCounts([(-1, -1)], "any with the same."),
    PropertyInfo(
      .tailTime, key: "tailTime", constant: "kAudioUnitProperty_TailTime", kind: .anyNumber,
      unit: .seconds, scopes: [.global], access: .readOnly,
      summary: "How long it sounds on after its input as it is set now, in seconds.",
      proposed: "that a sound has ended 120 dB below where it began"),
    bypassEffect, inPlaceProcessing,
  ]

  /// Whether the effect is bypassed.
  public static let bypassEffect = PropertyInfo(
    .bypassEffect, key: "bypassEffect", constant: "kAudioUnitProperty_BypassEffect",
    kind: .boolean, scopes: [.global], access: .readWrite, defaultValue: .uint32(0),
    isPatchProperty: true, isLive: true,
    summary:
      "Whether every sample passes as it is. A change fades; off again, the unit is reset.")

  /// Whether input and output share memory.
  public static let inPlaceProcessing = PropertyInfo(
    .inPlaceProcessing, key: "inPlaceProcessing",
    constant: "kAudioUnitProperty_InPlaceProcessing", kind: .boolean, scopes: [.global],
    access: .readWrite, defaultValue: .uint32(1), isPatchProperty: true, isState: false,
    summary:
      "Whether the output is rendered into the memory of the input. The sound is the same.",
    proposed: "that it is on at first")

  /// FactoryPresets and PresentPreset, for a unit whose presets are values of its parameters
  /// (`parameters(ofPreset:)`).
  public static func presets(_ presets: [Preset], proposed: String) -> [PropertyInfo] {
    [
      PropertyInfo(
        .factoryPresets, key: "factoryPresets", constant: "kAudioUnitProperty_FactoryPresets",
        kind: .structure(.presets), scopes: [.global], access: .readOnly,
        defaultValue: .presets(presets),
        summary: "The \(presets.count) presets, by number and name.", proposed: proposed),
      PropertyInfo(
        .presentPreset, key: "presentPreset", constant: "kAudioUnitProperty_PresentPreset",
        kind: .preset(presets), scopes: [.global], access: .readWrite,
        defaultValue: .preset(Preset(number: -1, name: "Untitled")), isPatchProperty: true,
        isState: true,
        summary:
          "The preset that gave the parameters their values, by name or number; parameters that "
          + "are written too come after it. A number below 0 with a name only names the sound.",
        proposed: "that none is present at birth"),
    ]
  }

  /// What descriptions say about formats.
  public static let formatNotes = [
    "input: any number of channels of any sample type, any rate",
    "output: the same format as the input; both are to be set",
  ]
}
