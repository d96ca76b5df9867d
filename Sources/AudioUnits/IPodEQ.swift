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
    properties: [
      .channelCounts([(1, 1), (2, 2)], "1 with 1, 2 with 2."),
      PropertyInfo(
        .tailTime, key: "tailTime", constant: "kAudioUnitProperty_TailTime", kind: .anyNumber,
        unit: .seconds,
        scopes: [.global], access: .readOnly,
        summary: "How long the present preset sounds on after its input, in seconds.",
        proposed: "that it is there, and that a sound has ended 120 dB below where it began"),
      EffectProperties.bypassEffect, EffectProperties.inPlaceProcessing,
      PropertyInfo(
        .factoryPresets, key: "factoryPresets", constant: "kAudioUnitProperty_FactoryPresets",
        kind: .structure(.presets), scopes: [.global], access: .readOnly,
        defaultValue: .presets(presets),
        summary: "The 23 presets, by number and name.",
        proposed: "the gains of the curves: they are those of the Music app"),
      PropertyInfo(
        .presentPreset, key: "presentPreset", constant: "kAudioUnitProperty_PresentPreset",
        kind: .preset(presets), scopes: [.global], access: .readWrite,
        defaultValue: .preset(presets[0]), isPatchProperty: true, isLive: true,
        summary: "The preset in use, by name or number; it may change while the unit renders. A "
          + "number below 0 with a name gives the present sound a name of one's own.",
        proposed: "that an unknown number or name is kAudioUnitErr_InvalidPropertyValue"),
    ],
    formatNotes: [
      "input: 1 or 2 channels of any sample type",
      "output: the same format as the input; both are to be set",
      "rates: 44100 and 48000 Hz in the original; any rate here, with a warning",
    ])

  /// The 23 presets, by number and name.
  public static var presets: [Preset] { EqualizerPresets.factoryPresets }

  /// The preset with a name, such as `Bass Booster`; `nil` where there is none.
  public static func preset(named name: String) -> Preset? { presets.first { $0.name == name } }

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
    var found = EffectFormats.violations(in: configuration, of: description.name)
    let rate = output.format.sampleRate
    if found.isEmpty && rate != 44_100 && rate != 48_000 {
      found.append(
        Violation(
          UnitRules.equalizerRate, status: .ok,
          "the original iPodEQ runs at 44100 and 48000 Hz only, and here at \(rateText(rate)) Hz",
          at: .init(node: nil, .streamFormat(.output, 0)),
          help: ["this one follows its curves at any rate; on an iPhone the unit would refuse"]))
    }
    let preset =
      configuration.properties[PropertyPlace(.presentPreset, .global, 0)] ?? .preset(presets[0])
    if input.isUsed && preset == .preset(presets[0])
      && !found.contains(where: { $0.severity == .error })
    {
      found.append(
        Violation(
          UnitRules.equalizerPreset, status: .ok,
          "the iPodEQ is left at the preset 'Disabled', which changes nothing",
          at: .init(node: nil, .property(.presentPreset, .global, 0)),
          help: [
            "give it a preset by name, as \"presentPreset\": \"Bass Booster\"; `patchrun units iPodEQ` "
              + "lists them",
            "the number 0 is 'Disabled', not 'Flat'",
          ],
          remedies: [
            Remedy(
              "give it the preset 'Bass Booster'",
              [.setProperty("presentPreset", .global, 0, "\"Bass Booster\"")])
          ]))
    }
    return found
  }

  public static func gains(
    at frequencies: [Double], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> [Double]? {
    let rate = configuration.outputs[0].format.sampleRate
    func word(_ id: PropertyID) -> UInt32 {
      controls.slot(PropertyPlace(id, .global, 0)).map { controls.block[word: $0] } ?? 0
    }
    guard rate > 0, word(.bypassEffect) == 0,
      let preset = EqualizerPresets.preset(number: Int32(bitPattern: word(.presentPreset))),
      !preset.isTransparent
    else { return frequencies.map { _ in 0 } }
    let design = GraphicEqualizerDesign(gains: preset.gains, sampleRate: rate)
    return frequencies.map(design.response)
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    guard place.id == .tailTime else { return nil }
    let rate = configuration().outputs[0].format.sampleRate
    let slot = controls.slot(PropertyPlace(.presentPreset, .global, 0))
    guard rate > 0, let number = slot.map({ Int32(bitPattern: controls.block[word: $0]) }),
      let preset = EqualizerPresets.preset(number: number), !preset.isTransparent
    else { return .float64(0) }
    return .float64(GraphicEqualizerDesign(gains: preset.gains, sampleRate: rate).tailTime)
  }

  public static func help(toLowerTo share: Double, in configuration: UnitConfiguration) -> String {
    "feed it by a mixer whose volume is \(share) or less, or choose a milder preset"
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
          presetSlot: controls.slot(PropertyPlace(.presentPreset, .global, 0)) ?? 0,
          bypassSlot: controls.slot(PropertyPlace(.bypassEffect, .global, 0))),
        with: controls.block))
  }
}
