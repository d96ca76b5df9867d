public import AudioTypes
import RenderCore

/// The iPod's equalizer: one of 23 presets, mono or stereo.
public enum IPodEQ: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "ipeq", manufacturer: .apple),
    name: "iPodEQ",
    constant: "kAudioUnitSubType_AUiPodEQ",
    aliases: ["iPodEqualizer", "AUiPodEQ"],
    summary: "Equalizes with one of the iPod's 23 presets.",
    inputs: .init(count: 1),
    outputs: .init(count: 1),
    properties: [
      PropertyInfo(
        .factoryPresets, key: "factoryPresets", constant: "kAudioUnitProperty_FactoryPresets",
        kind: .presets, scopes: [.global], access: .readOnly,
        defaultValue: .presets(presets),
        summary: "The 23 presets, by number and name.",
        proposed: "the gains of the curves: they are those of the Music app"),
      PropertyInfo(
        .presentPreset, key: "presentPreset", constant: "kAudioUnitProperty_PresentPreset",
        kind: .preset, scopes: [.global], access: .readWrite,
        defaultValue: .preset(presets[0]), isPatchProperty: true, isLive: true,
        summary: "The preset in use, by name or number; it may change while the unit renders.",
        proposed: "that an unknown number or name is kAudioUnitErr_InvalidPropertyValue"),
    ],
    formatNotes: [
      "input: 1 or 2 channels of any sample type",
      "output: the same format as the input; both are to be set",
      "rates: 44100 and 48000 Hz in the original; any rate here, with a warning",
    ])

  /// The 23 presets, by number and name.
  public static var presets: [Preset] { EqualizerPresets.factoryPresets }

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    guard !(1...2).contains(format.channelCount) else { return nil }
    return FormatRefusal(
      "an iPodEQ is mono or stereo, not \(channels(format.channelCount))")
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let input = configuration.inputs[0]
    let output = configuration.outputs[0]
    var found: [Violation] = []
    if input.isUsed && input.format != output.format {
      found.append(
        Violation(
          UnitRules.effectFormats, status: .formatNotSupported,
          "an iPodEQ puts out the format that it takes in: its input has "
            + "\(input.format.summary), its output \(output.format.summary)",
          at: .init(node: nil, .streamFormat(.output, 0)),
          notes: [.init("the input's format", at: .init(node: nil, .streamFormat(.input, 0)))],
          help: ["give both sides the same stream format"]))
    }
    let rate = output.format.sampleRate
    if found.isEmpty && rate != 44_100 && rate != 48_000 {
      found.append(
        Violation(
          UnitRules.equalizerRate, .warning, status: .ok,
          "the original iPodEQ runs at 44100 and 48000 Hz only, and here at \(rateText(rate)) Hz",
          at: .init(node: nil, .streamFormat(.output, 0)),
          help: ["this one follows its curves at any rate; on an iPhone the unit would refuse"]))
    }
    return found
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    let format = configuration.outputs[0].format
    return UnitKernels(
      main: .holding(
        EqualizerKernel(
          sampleRate: format.sampleRate, channelCount: format.channelCount,
          controls: controls.block.access,
          presetSlot: controls.slot(PropertyPlace(.presentPreset, .global, 0)) ?? 0),
        with: controls.block))
  }
}
