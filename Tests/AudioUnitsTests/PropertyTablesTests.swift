import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Compares Core Audio's headers, and the property and parameter lists of its published base
/// classes, with the descriptions of the units: no row may be missing or additional.
struct PropertyTablesTests {
  /// A row of the tables in the headers.
  private struct Row: Sendable {
    var id: UInt32
    /// After `kAudioUnitProperty_`, or the header's name: see `constant`.
    var name: String
    /// `g`, `i`, `o` for global, input, output.
    var scopes: String
    /// `r`, `w`, `rw`.
    var access: String
    /// Whether it may be set while the unit is initialized; `nil` for read-only properties.
    var initialized: Bool?
    /// The status of the refusal while the unit is initialized.
    var refusal: Status = -10849
    /// The size of a value in bytes on a 64-bit machine; `nil` for a list.
    var size: Int?
    /// The initial value; `nil` if units differ.
    var value: PropertyValue?

    init(
      _ id: UInt32, _ name: String, _ scopes: String, _ access: String, _ initialized: Bool?,
      _ size: Int?, _ value: PropertyValue? = nil, refusal: Status = -10849
    ) {
      self.id = id
      self.name = name
      self.scopes = scopes
      self.access = access
      self.initialized = initialized
      self.size = size
      self.value = value
      self.refusal = refusal
    }

    var constant: String {
      switch id {
      case 2000..<2100: "kAudioOutputUnitProperty_" + name
      case 2100..<2200: "kAUVoiceIOProperty_" + name
      case 0x6000_0000...: "kAudioConverter" + name
      default: "kAudioUnitProperty_" + name
      }
    }
  }

  /// The rows of every unit.
  private static let generic: [Row] = [
    Row(0, "ClassInfo", "g", "rw", true, 8),
    Row(1, "MakeConnection", "gi", "w", true, 16),
    Row(2, "SampleRate", "io", "rw", false, 8, .float64(44_100), refusal: -10865),
    Row(3, "ParameterList", "gio", "r", nil, nil),
    Row(4, "ParameterInfo", "gio", "r", nil, 104),
    Row(8, "StreamFormat", "gio", "rw", false, 40, refusal: -10865),
    Row(11, "ElementCount", "gio", "rw", false, 4),
    Row(12, "Latency", "g", "r", nil, 8, .float64(0)),
    Row(14, "MaximumFramesPerSlice", "g", "rw", false, 4),
    Row(16, "ParameterValueStrings", "gio", "r", nil, 8),
    Row(22, "LastRenderError", "g", "r", nil, 4, .status(.ok)),
    Row(23, "SetRenderCallback", "gi", "w", true, 16),
    Row(25, "ContextName", "g", "rw", true, 8),
    Row(27, "HostCallbacks", "g", "rw", true, 40),
    Row(30, "ElementName", "gio", "rw", true, 8),
    Row(33, "ParameterStringFromValue", "gio", "r", nil, 24),
    Row(34, "ParameterIDName", "gio", "r", nil, 16),
    Row(35, "ParameterClumpName", "gio", "r", nil, 16),
    Row(36, "PresentPreset", "g", "rw", true, 16),
    Row(37, "OfflineRender", "g", "rw", true, 4, .uint32(0)),
    Row(38, "ParameterValueFromString", "gio", "r", nil, 24),
    Row(40, "PresentationLatency", "io", "w", true, 8),
    Row(50, "ClassInfoFromDocument", "g", "w", true, 8),
    Row(51, "ShouldAllocateBuffer", "io", "rw", false, 4, .uint32(1)),
    // A property of an AudioConverter, which every bus of this library has.
    Row(0x6469_7468, "PropertyDithering", "io", "rw", false, 4, .uint32(0)),
  ]

  private static let mixer: [Row] = [
    Row(13, "SupportedNumChannels", "g", "r", nil, nil),
    Row(3006, "MatrixLevels", "i", "rw", true, nil),
    Row(3007, "MeteringMode", "io", "rw", true, 4, .uint32(0)),
    Row(3009, "MatrixDimensions", "g", "r", nil, nil),
    Row(3011, "MeterClipping", "g", "r", nil, 8),
  ]

  private static let equalizer: [Row] = [
    Row(13, "SupportedNumChannels", "g", "r", nil, nil),
    Row(20, "TailTime", "g", "r", nil, 8, .float64(0)),
    Row(21, "BypassEffect", "g", "rw", true, 4, .uint32(0)),
    Row(24, "FactoryPresets", "g", "r", nil, 8),
    Row(29, "InPlaceProcessing", "g", "rw", true, 4, .uint32(1)),
  ]

  private static let genericOutput: [Row] = [
    Row(6, "CPULoad", "g", "r", nil, 8, .float64(0)),
    Row(13, "SupportedNumChannels", "g", "r", nil, nil),
    Row(2001, "IsRunning", "g", "r", nil, 4, .uint32(0)),
    Row(2002, "ChannelMap", "io", "rw", false, nil),
    Row(2004, "StartTime", "g", "w", true, 72),
    Row(2007, "StartTimestampsAtZero", "g", "rw", true, 4, .uint32(1)),
  ]

  private static let remoteIO: [Row] =
    genericOutput + [
      Row(2003, "EnableIO", "io", "rw", false, 4),
      Row(2005, "SetInputCallback", "g", "rw", true, 16),
      Row(2006, "HasIO", "io", "r", nil, 4),
    ]

  private static let voice: [Row] =
    remoteIO + [
      Row(2100, "BypassVoiceProcessing", "g", "rw", true, 4, .uint32(0)),
      Row(2101, "VoiceProcessingEnableAGC", "g", "rw", true, 4, .uint32(1)),
      Row(2102, "DuckNonVoiceAudio", "g", "rw", false, 4, .uint32(1)),
      Row(2103, "VoiceProcessingQuality", "g", "rw", true, 4, .uint32(127)),
      Row(2104, "MuteOutput", "g", "rw", true, 4, .uint32(0)),
      Row(2106, "MutedSpeechActivityEventListener", "g", "w", true, 8),
    ]

  /// The last two are properties of an AudioConverter.
  private static let converter: [Row] = [
    Row(20, "TailTime", "g", "r", nil, 8),
    Row(26, "RenderQuality", "g", "rw", true, 4, .uint32(64)),
    Row(2002, "ChannelMap", "io", "rw", false, nil),
    Row(2007, "StartTimestampsAtZero", "g", "rw", false, 4, .uint32(1)),
    Row(3014, "SampleRateConverterComplexity", "g", "rw", false, 4, .uint32(1_852_797_549)),
    Row(0x7072_696D, "PrimeInfo", "g", "r", nil, nil),
    Row(0x7072_6D6D, "PrimeMethod", "g", "rw", false, 4, .uint32(1)),
  ]

  private static let spatial: [Row] = [
    Row(13, "SupportedNumChannels", "g", "r", nil, nil),
    Row(1005, "UsesInternalReverb", "g", "rw", true, 4),
    Row(3000, "SpatializationAlgorithm", "i", "rw", true, 4, .uint32(0)),
    Row(3001, "SpeakerConfiguration", "g", "r", nil, 4),
    Row(3002, "DopplerShift", "i", "w", true, 4),
    Row(3003, "3DMixerRenderingFlags", "i", "rw", true, 4),
    Row(3004, "3DMixerDistanceAtten", "i", "r", nil, nil),
    Row(3010, "3DMixerDistanceParams", "i", "rw", true, nil, .floats([1, 100_000, 100])),
    Row(3012, "ReverbPreset", "g", "rw", true, 4),
    Row(3013, "3DMixerAttenuationCurve", "i", "rw", true, 4, .uint32(2)),
  ]

  /// Rows of the headers that no unit of this library has, and why. Reading one returns
  /// `kAudioUnitErr_InvalidProperty`, as in Core Audio.
  private static let absent: [(ids: [UInt32], why: String)] = [
    ([5, 15, 2000], "there on the desktop only"),
    ([7, 9, 17, 28], "retired"),
    ([10, 52, 53, 54, 2010, 2011, 2012, 2013, 2014, 2108], "later than 2010"),
    ([19, 32], "a unit without layout tags has no channel layouts"),
    ([45], "no parameter depends on another"),
    ([49], "a question to codecs, which take packets"),
  ]

  private static let tables: [(unit: any AudioUnit.Type, rows: [Row])] = [
    (MultichannelMixer.self, generic + mixer), (IPodEQ.self, generic + equalizer),
    (GenericOutput.self, generic + genericOutput), (RemoteIO.self, generic + remoteIO),
    (VoiceProcessingIO.self, generic + voice), (Mixer3D.self, generic + spatial),
    (FormatConverter.self, generic + converter),
  ]

  /// A unit initialized with its initial formats; a converter is given a rate first.
  private static func initialized(_ unit: any AudioUnit.Type) throws -> UnitInstance {
    let instance = UnitInstance(unit)
    if unit == FormatConverter.self {
      try instance.setProperty(.sampleRate, .output, 0, to: .float64(44_100))
    }
    _ = instance.initialize(instance.configuration())
    return instance
  }

  @Test(arguments: 0..<7)
  func `a unit has the rows of its table and no others`(index: Int) throws {
    let (unit, rows) = Self.tables[index]
    let properties = GenericProperties.properties(of: unit.description)
    #expect(properties.map(\.id.rawValue) == rows.map(\.id).sorted())
    for row in rows {
      let info = try #require(properties.first { $0.id.rawValue == row.id })
      let place = "\(unit.description.name) \(row.name)"
      #expect(info.constant == row.constant, "\(place)")
      let scopes = row.scopes.map { $0 == "g" ? Scope.global : $0 == "i" ? .input : .output }
      #expect(info.scopes == Set(scopes), "\(place)")
      #expect(info.isReadable == row.access.contains("r"), "\(place)")
      #expect(info.isWritable == row.access.contains("w"), "\(place)")
      #expect(info.isWritableWhileInitialized == (row.initialized ?? false), "\(place)")
      #expect(info.size == row.size, "\(place)")
    }
  }

  @Test func `every unit has the generic rows, with their numbers, names and kinds of value`() {
    for unit in UnitCatalog.standard.units {
      let properties = GenericProperties.properties(of: unit.description)
      for row in Self.generic {
        let info = properties.first { $0.id.rawValue == row.id }
        #expect(info?.constant == row.constant, "\(unit.description.name) \(row.name)")
        #expect(info?.size == row.size, "\(unit.description.name) \(row.name)")
        #expect(
          info?.isReadable == row.access.contains("r"), "\(unit.description.name) \(row.name)")
      }
      // The units of the guide. Filters that were added later have a FrequencyResponse, for
      // example.
      guard !(unit is any EffectUnit.Type) else { continue }
      let ids = properties.map(\.id.rawValue)
      #expect(Set(Self.absent.flatMap(\.ids)).isDisjoint(with: ids))
    }
  }

  @Test(arguments: 0..<7)
  func `a fresh unit has the values of its table`(index: Int) throws {
    let (unit, rows) = Self.tables[index]
    let instance = UnitInstance(unit)
    for row in rows {
      guard let value = row.value, let scope = Self.firstScope(row) else { continue }
      let id = PropertyID(rawValue: row.id)
      #expect(try instance.property(id, scope, 0) == value, "\(row.name)")
      let found = try instance.propertyInfo(id, scope, 0)
      #expect(row.size == nil || found.size == row.size, "\(row.name)")
    }
  }

  private static func firstScope(_ row: Row) -> Scope? {
    row.scopes.first.map { $0 == "g" ? .global : $0 == "i" ? .input : .output }
  }

  @Test(arguments: 0..<7)
  func `what may be set while a unit is initialized can be, and what may not is refused`(
    index: Int
  ) throws {
    let (unit, rows) = Self.tables[index]
    for row in rows where row.access.contains("w") {
      let id = PropertyID(rawValue: row.id)
      guard let info = UnitInstance(unit).info(id), let value = Self.another(info, unit) else {
        continue
      }
      // A fixed element count and the device's own format are refused in any state.
      if id == .elementCount && unit.description.inputs.settable == nil { continue }
      let isFormat = id == .streamFormat || id == .sampleRate
      let scope =
        info.elements.isEmpty && !isFormat ? try #require(Self.firstScope(row)) : .output
      let element =
        info.elements[scope]
        ?? (isFormat && unit.description.property(.enableIO) != nil ? RemoteIO.inputElement : 0)
      let place = id == .elementCount ? Scope.input : scope
      let instance = UnitInstance(unit)
      try instance.setProperty(id, place, element, to: value)
      let initialized = try Self.initialized(unit)
      #expect(
        try initialized.isWritable(id, place, element) == row.initialized,
        "\(unit.description.name) \(row.name)")
      if row.initialized == true {
        try initialized.setProperty(id, place, element, to: value)
      } else {
        expectRefused(row.refusal) {
          try initialized.setProperty(id, place, element, to: value)
        }
      }
    }
  }

  /// A value other than the initial one; `nil` if it cannot be set without a graph.
  private static func another(
    _ info: PropertyInfo, _ unit: any AudioUnit.Type
  ) -> PropertyValue? {
    switch info.kind {
    case .boolean: .uint32(info.defaultValue == .uint32(1) ? 0 : 1)
    case .integer: .uint32(2)
    case .number: .float64(48_000)
    case .structure(.streamFormat):
      .streamFormat(StreamFormat(.int16, channels: 2, sampleRate: 48_000))
    case .text: .string("Guitar")
    case .preset: .preset(Preset(number: -7, name: "Mine"))
    case .list: .floats(info.id == .matrixLevels ? [0.5, 0, 0, 0.5] : [2, 1000, 60])
    case .choice(let choices):
      choices.compactMap(\.value).last { .uint32($0) != info.defaultValue }.map { .uint32($0) }
    case .integers: .integers([1, 0])
    case .structure(.classInfo): try? UnitInstance(unit).property(.classInfo)
    case .structure(.startTime): .startTime(StartTime(timeStamp: TimeStamp(sampleTime: 10)))
    case .structure(.object):
      info.id == .hostCallbacks
        ? .hostCallbacks(HostCallbacks())
        : info.id == .setInputCallback ? .inputCallback(InputCallbackReference { _, _ in }) : nil
    default: nil
    }
  }

  @Test(arguments: 0..<7)
  func `what a unit lacks it says that it lacks, and what is read is not set`(index: Int) {
    let (unit, rows) = Self.tables[index]
    let instance = UnitInstance(unit)
    for id in Self.absent.flatMap(\.ids) {
      expectRefused(.invalidProperty) { _ = try instance.property(PropertyID(rawValue: id)) }
      expectRefused(.invalidProperty) {
        try instance.setProperty(PropertyID(rawValue: id), to: .uint32(0))
      }
    }
    for row in rows where row.access == "w" {
      guard let scope = Self.firstScope(row) else { continue }
      expectRefused(.invalidProperty) {
        _ = try instance.property(PropertyID(rawValue: row.id), scope, 0)
      }
    }
    for row in rows where row.access == "r" {
      let id = PropertyID(rawValue: row.id)
      guard let info = instance.info(id),
        let scope = info.scopes.min(by: { $0.rawValue < $1.rawValue })
      else { continue }
      #expect(!((try? instance.isWritable(id, scope, info.elements[scope] ?? 0)) ?? false))
    }
  }

  // MARK: Parameters

  private struct Parameter {
    var id: UInt32
    var constant: String
    var scope: Scope
    var unit: ParameterUnit
    var range: ClosedRange<Float>
    var value: Float
    var isReadOnly: Bool
  }

  /// Identifiers, scopes, units, ranges and defaults of the mixer's strips. Core Audio documents no
  /// range for meters: -120 to 40 dB is ours.
  private static let parameters: [Parameter] = {
    let name = "kMultiChannelMixerParam_"
    func meters(_ scope: Scope) -> [Parameter] {
      [
        (1000, "PreAveragePower"), (2000, "PrePeakHoldLevel"), (3000, "PostAveragePower"),
        (4000, "PostPeakHoldLevel"),
      ].flatMap { id, meter in
        [0, 1].map { channel in
          Parameter(
            id: id + UInt32(channel), constant: name + meter + (channel == 0 ? "" : " + 1"),
            scope: scope, unit: .decibels, range: -120...40, value: -120, isReadOnly: true)
        }
      }
    }
    return [
      Parameter(
        id: 0, constant: name + "Volume", scope: .input, unit: .linearGain, range: 0...1, value: 1,
        isReadOnly: false),
      Parameter(
        id: 1, constant: name + "Enable", scope: .input, unit: .boolean, range: 0...1, value: 1,
        isReadOnly: false),
      Parameter(
        id: 2, constant: name + "Pan", scope: .input, unit: .pan, range: -1...1, value: 0,
        isReadOnly: false),
      Parameter(
        id: 0, constant: name + "Volume", scope: .output, unit: .linearGain, range: 0...1, value: 1,
        isReadOnly: false),
    ] + meters(.input) + meters(.output)
  }()

  @Test func `the mixer has the parameters of its table and no others of the header`() throws {
    let described = MultichannelMixer.description.parameters.filter(\.isOfHeaders)
    #expect(described.count == Self.parameters.count)
    for row in Self.parameters {
      let info = try #require(described.first { $0.id == row.id && $0.scope == row.scope })
      #expect(info.constant == row.constant)
      #expect(info.unit == row.unit)
      #expect(info.range == row.range)
      #expect(info.defaultValue == row.value)
      #expect(info.isReadOnly == row.isReadOnly)
      // Readable, with a name, and either writable or a meter.
      #expect(info.flags & 1 << 30 != 0)
      #expect((info.flags & 1 << 31 != 0) == !row.isReadOnly)
      #expect((info.flags & 1 << 15 != 0) == row.isReadOnly)
      #expect((info.flags & 1 << 25 != 0) == info.canRamp)
      #expect(!info.name.isEmpty)
    }
    for unit in [IPodEQ.self, GenericOutput.self, RemoteIO.self] as [any AudioUnit.Type] {
      #expect(unit.description.parameters.isEmpty)
    }
  }

  @Test func `units of parameters have the header's numbers`() {
    let names = [
      "generic", "indexed", "boolean", "percent", "seconds", "sampleFrames", "phase", "rate",
      "hertz", "cents", "relativeSemiTones", "midiNoteNumber", "midiController", "decibels",
      "linearGain", "degrees", "equalPowerCrossfade", "mixerFaderCurve1", "pan", "meters",
      "absoluteCents", "octaves", "beatsPerMinute", "beats", "milliseconds", "ratio", "custom",
    ]
    #expect(ParameterUnit.allCases.map(\.name) == names)
    #expect(ParameterUnit.allCases.map(\.rawValue) == (0..<27).map { $0 })
  }
}
