public import AudioTypes
import RenderCore

/// Mixes any channels of its inputs to any channels of its outputs.
///
/// Channels are counted through all elements of a scope. The gain from one to another is the volume
/// of the input channel, times the level of their crosspoint, times the volume of the output
/// channel, times the master volume. All are parameter 0: the level of a crosspoint in the global
/// scope, element `input << 16 | output`; the master volume in the global scope, element
/// 0xFFFFFFFF; the volume of a channel in the input or the output scope, with the channel as the
/// element. In a patch all of them are the rows of `matrixLevels`, each of which a ramp of the
/// timeline may move.
///
/// The meters are parameters of the input and of the output scope, with the channel as the element,
/// and of the global scope, with a crosspoint or the master as the element. Metering is turned on
/// bus by bus, or for all of them (`MatrixMixer+Meters`).
public enum MatrixMixer: AudioUnit {
  /// The numbers of the parameters; units, ranges and meanings are in `description`.
  public enum Parameter {
    public static let volume: UInt32 = 0
    public static let enable: UInt32 = 1
    public static let preAveragePower: UInt32 = 1000
    public static let prePeakHoldLevel: UInt32 = 2000
    public static let postAveragePower: UInt32 = 3000
    public static let postPeakHoldLevel: UInt32 = 4000
    public static let preAveragePowerLinear: UInt32 = 5000
    public static let prePeakHoldLevelLinear: UInt32 = 6000
    public static let postAveragePowerLinear: UInt32 = 7000
    public static let postPeakHoldLevelLinear: UInt32 = 8000
    /// The eight meters, in the order of their words.
    static let meters: [UInt32] = [
      preAveragePower, prePeakHoldLevel, postAveragePower, postPeakHoldLevel,
      preAveragePowerLinear, prePeakHoldLevelLinear, postAveragePowerLinear,
      postPeakHoldLevelLinear,
    ]
  }

  /// The element of the global scope that has the master volume.
  public static let masterElement = 0xFFFF_FFFF
  /// The most channels that all elements of a scope may have together.
  static let mostChannels = 64

  public static let description = UnitDescription(
    component: ComponentDescription(type: .mixerType, subtype: "mxmx", manufacturer: .apple),
    name: "MatrixMixer",
    constant: "kAudioUnitSubType_MatrixMixer",
    aliases: ["AUMatrixMixer"],
    summary: "Mixes any channels of its inputs to any channels of its outputs.",
    inputs: .init(count: 2, settable: 1...mostChannels),
    outputs: .init(count: 1, settable: 1...mostChannels),
    properties: [
      PropertyInfo(
        .meteringMode, key: "meteringMode", constant: "kAudioUnitProperty_MeteringMode",
        kind: .boolean, scopes: [.global, .input, .output], access: .readWrite,
        defaultValue: .uint32(0), isPatchProperty: true, isLive: true,
        summary:
          "Whether the power parameters of the bus's channels are measured; of the whole unit, those of all "
          + "channels, and so those of the crosspoints and the master.",
        proposed: "that the whole unit has it"),
      PropertyInfo(
        .matrixLevels, key: "matrixLevels", constant: "kAudioUnitProperty_MatrixLevels",
        kind: .rows(most: mostChannels), scopes: [.global], access: .readWrite,
        isPatchProperty: true, isLive: true, liveWords: MatrixControls.wordCount,
        summary:
          "A row for each input channel: its levels to each output channel and, where wanted, its own "
          + "volume; then a last row of the output channels' volumes and the master volume.",
        proposed:
          "that the volumes may be left out, all of them, and are 1 then; that crosspoints begin at 0 and "
          + "volumes at 1; that a change takes 10 ms"),
      PropertyInfo(
        .matrixDimensions, key: "matrixDimensions",
        constant: "kAudioUnitProperty_MatrixDimensions", kind: .structure(.ids), scopes: [.global],
        access: .readOnly,
        summary: "How many channels there are: of all inputs together, of all outputs."),
      PropertyInfo(
        .meterClipping, key: "meterClipping", constant: "kAudioUnitProperty_MeterClipping",
        kind: .structure(.clipping), scopes: [.global], access: .readOnly, isLive: true,
        liveWords: MatrixControls.meterWordCount, initialWords: MatrixControls.initialMeters,
        summary:
          "The largest magnitude that has left the mixer since this was last read, and whether "
          + "infinities or what is not a number have.",
        proposed: "that it is always measured, of all outputs together"),
    ],
    parameters: meters(.global) + [enable(.input)] + meters(.input) + [enable(.output)]
      + meters(.output),
    formatNotes: [
      "inputs: any number of channels of any sample type, 64 together; one rate",
      "outputs: any number of channels, 64 together, at the rate of the inputs (44100 Hz, float32 stereo, "
        + "until it is set)",
      "channels are counted through all inputs, and through all outputs; how many inputs and outputs "
        + "there are at first is ours",
    ])

  private static func enable(_ scope: Scope) -> ParameterInfo {
    ParameterInfo(
      id: Parameter.enable, key: "enable", constant: "kMatrixMixerParam_Enable", scope: scope,
      unit: .boolean, range: 0...1, defaultValue: 1,
      summary: scope == .input
        ? "Off, the input adds nothing; what feeds it is pulled all the same."
        : "Off, the output is silent.",
      valueNames: ["off", "on"], proposed: "that an input which is off is still pulled")
  }

  public static func channelElements(
    _ scope: Scope, _ bus: Int, in configuration: UnitConfiguration
  ) -> Range<Int>? {
    let elements = scope == .input ? configuration.inputs : configuration.outputs
    guard scope != .global, elements.indices.contains(bus) else { return nil }
    let first = elements.prefix(bus).reduce(0) { $0 + $1.format.channelCount }
    let end = first + elements[bus].format.channelCount
    return end <= mostChannels ? first..<end : nil
  }

  /// The levels that differ from their initial values, and in any case the master volume.
  public static func parametersToSave(
    in controls: ControlLayout
  ) -> [ParameterPlace] {
    guard let first = controls.slot(PropertyPlace(.matrixLevels, .global, 0)) else { return [] }
    var found: [ParameterPlace] = []
    for row in 0...mostChannels {
      for column in 0...mostChannels {
        let isVolume = row == mostChannels || column == mostChannels
        let value = controls.block[first + MatrixControls.offset(row, column)]
        let place = self.place(row, column)
        if place.element == masterElement || value != (isVolume ? 1 : 0) { found.append(place) }
      }
    }
    return found
  }

  public static func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace? {
    let property = PropertyPlace(.matrixLevels, .global, 0)
    guard let value = configuration.properties[property], case .matrix(let rows) = value,
      rows.indices.contains(row), rows[row].indices.contains(column),
      refusal(of: value, for: property, in: configuration) == nil
    else { return nil }
    let (inputs, outputs) = dimensions(configuration)
    return place(row == inputs ? mostChannels : row, column == outputs ? mostChannels : column)
  }

  /// The parameter of a level; the last row and the last column are the volumes.
  private static func place(_ row: Int, _ column: Int) -> ParameterPlace {
    switch (row, column) {
    case (mostChannels, mostChannels): .init(Parameter.volume, .global, masterElement)
    case (mostChannels, _): .init(Parameter.volume, .output, column)
    case (_, mostChannels): .init(Parameter.volume, .input, row)
    default: .init(Parameter.volume, .global, row << 16 | column)
    }
  }

  public static func controlSlot(
    of parameter: UInt32, _ scope: Scope, _ element: Int, in controls: ControlLayout
  ) -> Int? {
    if scope != .global, (0..<mostChannels).contains(element),
      let meter = Parameter.meters.firstIndex(of: parameter),
      let first = controls.slot(PropertyPlace(.meterClipping, .global, 0))
    {
      return first + MatrixControls.meters(scope == .output, element) + meter
    }
    guard parameter == Parameter.volume,
      let first = controls.slot(PropertyPlace(.matrixLevels, .global, 0))
    else { return nil }
    let most = mostChannels
    switch scope {
    case .input where (0..<most).contains(element):
      return first + MatrixControls.offset(element, most)
    case .output where (0..<most).contains(element):
      return first + MatrixControls.offset(most, element)
    case .global where element == masterElement: return first + MatrixControls.offset(most, most)
    case .global where element >= 0 && element >> 16 < most && element & 0xFFFF < most:
      return first + MatrixControls.offset(element >> 16, element & 0xFFFF)
    default: return nil
    }
  }

  /// The words of a matrix, with or without its volumes.
  public static func liveWords(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> [UInt32]? {
    guard place.id == .matrixLevels, case .matrix(let rows) = value else { return nil }
    let (inputs, outputs) = dimensions(configuration)
    let hasVolumes = rows.count == inputs + 1
    var words = [UInt32](repeating: 0, count: MatrixControls.wordCount - 1)
    for index in 0...mostChannels {
      words[MatrixControls.offset(index, mostChannels) - 1] = Float(1).bitPattern
      words[MatrixControls.offset(mostChannels, index) - 1] = Float(1).bitPattern
    }
    for (row, levels) in rows.enumerated() {
      for (column, level) in levels.enumerated() {
        let input = hasVolumes && row == inputs ? mostChannels : row
        let output = hasVolumes && column == outputs ? mostChannels : column
        guard input <= mostChannels, output <= mostChannels else { continue }
        words[MatrixControls.offset(input, output) - 1] = level.bitPattern
      }
    }
    return words
  }

  private static func dimensions(_ configuration: UnitConfiguration) -> (inputs: Int, outputs: Int)
  {
    (
      configuration.inputs.reduce(0) { $0 + $1.format.channelCount },
      configuration.outputs.reduce(0) { $0 + $1.format.channelCount }
    )
  }

  public static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String? {
    guard place.id == .matrixLevels, case .matrix(let rows) = value else { return nil }
    let (inputs, outputs) = dimensions(configuration)
    let shape = (rows.count, rows.first?.count ?? 0)
    guard shape != (inputs, outputs), shape != (inputs + 1, outputs + 1) else { return nil }
    return "the matrix has \(shape.0) rows of \(shape.1), and \(channels(inputs)) come in and "
      + "\(outputs) leave: that is \(inputs) rows of \(outputs) or, with volumes, \(inputs + 1) of "
      + "\(outputs + 1)"
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    var found: [Violation] = []
    let rate = configuration.outputs[0].format.sampleRate
    let sides: [(Scope, [UnitConfiguration.Element])] = [
      (.input, configuration.inputs.filter(\.isUsed).isEmpty ? [] : configuration.inputs),
      (.output, configuration.outputs),
    ]
    for (scope, elements) in sides {
      for (index, element) in elements.enumerated()
      where (scope == .output || element.isUsed) && element.format.sampleRate != rate {
        found.append(
          Violation(
            UnitRules.mixerRates, status: .formatNotSupported,
            "a MatrixMixer converts no rates: \(scope) \(index) runs at "
              + "\(rateText(element.format.sampleRate)) Hz, output 0 at \(rateText(rate)) Hz",
            at: .init(node: nil, .streamFormat(scope, index)),
            notes: [.init("output 0", at: .init(node: nil, .streamFormat(.output, 0)))],
            help: ["use one rate throughout, or put a FormatConverter between"]))
      }
      let count = elements.reduce(0) { $0 + $1.format.channelCount }
      if count > mostChannels {
        found.append(
          Violation(
            UnitRules.formatSupported, status: .formatNotSupported,
            "the \(scope)s of a MatrixMixer have up to \(mostChannels) channels together, not \(count)",
            at: .init(node: nil, .streamFormat(scope, elements.count - 1)),
            help: ["take two of them"]))
      }
    }
    let place = PropertyPlace(.matrixLevels, .global, 0)
    if let value = configuration.properties[place],
      let message = refusal(of: value, for: place, in: configuration)
    {
      found.append(
        Violation(
          UnitRules.propertyFits, status: .invalidPropertyValue, message,
          at: .init(node: nil, .property(.matrixLevels, .global, 0))))
    }
    if found.isEmpty, configuration.outputs[0].origin == .initial {
      found.append(
        Violation(
          UnitRules.mixerOutputRate, status: .ok,
          "the mixer's output is given no rate, so it runs at 44100 Hz",
          at: .init(node: nil, .streamFormat(.output, 0)),
          help: ["say so, or give the patch a \"streamFormat\""],
          remedies: [Remedy("say so", [.setSampleRate(.output, 0, 44_100)])]))
    }
    return found
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? {
    switch place.id {
    case .matrixDimensions:
      let (inputs, outputs) = dimensions(configuration())
      return .ids([UInt32(inputs), UInt32(outputs)])
    case .meterClipping:
      return controls.slot(place).map {
        .clipping(ClippingWatch.take(from: controls.block, at: $0))
      }
    case .matrixLevels:
      let (inputs, outputs) = dimensions(configuration())
      guard let first = controls.slot(place), max(inputs, outputs) <= mostChannels else {
        return nil
      }
      let rows = Array(0..<inputs) + [mostChannels]
      let columns = Array(0..<outputs) + [mostChannels]
      return .matrix(
        rows.map { row in
          columns.map { controls.block[first + MatrixControls.offset(row, $0)] }
        })
    default: return nil
    }
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    16 * (MatrixControls.wordCount * 4 + MatrixControls.meterWordCount)
  }

  /// Unknown: the levels of a matrix are not evaluated.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel { .unknown }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    let place = PropertyPlace(.matrixLevels, .global, 0)
    let first = controls.slot(place) ?? 0
    if let value = configuration.properties[place],
      let words = liveWords(of: value, for: place, in: configuration)
    {
      for (index, word) in words.enumerated() { controls.block[word: first + 1 + index] = word }
    }
    return UnitKernels(
      main: .holding(
        MatrixKernel(
          sampleRate: configuration.outputs[0].format.sampleRate,
          inputs: configuration.inputs.map(\.format.channelCount),
          outputs: configuration.outputs.map(\.format.channelCount),
          controls: MatrixControls(controls, enable: Parameter.enable)),
        with: controls.block))
  }
}
