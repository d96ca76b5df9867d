/// The value of a property of any type.
public enum PropertyValue: Hashable, Sendable {
  case uint32(UInt32)
  case float64(Double)
  case streamFormat(StreamFormat)
  case string(String)
  case preset(Preset)
  case presets([Preset])
  case floats([Float])
  /// Rows of equal length.
  case matrix([[Float]])
  case doubles([Double])
  case ids([UInt32])
  case integers([Int32])
  case channelCounts([ChannelCounts])
  case parameterInfo(ParameterInfo)
  case status(Status)
  case strings([String])
  case parameterText(ParameterText)
  case classInfo(ClassInfo)
  case clipping(MeterClipping)
  case startTime(StartTime)
  case object(PropertyObject)
}

/// Core Audio's `AUChannelInfo`: a supported combination of input and output channels.
///
/// -1 and -1 stands for any number, equal on both sides; -1 and -2 for any two numbers.
public struct ChannelCounts: Hashable, Sendable {
  /// The channels of an input, or -1 or -2.
  public var input: Int16
  /// The channels of an output, or -1 or -2.
  public var output: Int16

  public init(input: Int16, output: Int16) {
    self.input = input
    self.output = output
  }
}

/// The number of a property in Core Audio's headers.
public struct PropertyID: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Units choose the numbers: a fast hash is safe.
  public func _rawHashValue(seed: Int) -> Int { multiplicativeHash(UInt64(rawValue), seed) }

  public static let classInfo = PropertyID(rawValue: 0)
  public static let makeConnection = PropertyID(rawValue: 1)
  public static let sampleRate = PropertyID(rawValue: 2)
  public static let parameterList = PropertyID(rawValue: 3)
  public static let parameterInfo = PropertyID(rawValue: 4)
  public static let cpuLoad = PropertyID(rawValue: 6)
  public static let streamFormat = PropertyID(rawValue: 8)
  public static let elementCount = PropertyID(rawValue: 11)
  public static let latency = PropertyID(rawValue: 12)
  public static let supportedChannelCounts = PropertyID(rawValue: 13)
  public static let maximumFramesPerSlice = PropertyID(rawValue: 14)
  public static let tailTime = PropertyID(rawValue: 20)
  public static let bypassEffect = PropertyID(rawValue: 21)
  public static let lastRenderError = PropertyID(rawValue: 22)
  public static let setRenderCallback = PropertyID(rawValue: 23)
  public static let factoryPresets = PropertyID(rawValue: 24)
  public static let renderQuality = PropertyID(rawValue: 26)
  public static let inPlaceProcessing = PropertyID(rawValue: 29)
  public static let elementName = PropertyID(rawValue: 30)
  public static let presentPreset = PropertyID(rawValue: 36)
  public static let offlineRender = PropertyID(rawValue: 37)
  public static let isRunning = PropertyID(rawValue: 2001)
  public static let channelMap = PropertyID(rawValue: 2002)
  public static let enableIO = PropertyID(rawValue: 2003)
  public static let hasIO = PropertyID(rawValue: 2006)
  public static let startTimestampsAtZero = PropertyID(rawValue: 2007)
  public static let bypassVoiceProcessing = PropertyID(rawValue: 2100)
  public static let voiceProcessingEnableAGC = PropertyID(rawValue: 2101)
  public static let duckNonVoiceAudio = PropertyID(rawValue: 2102)
  public static let voiceProcessingQuality = PropertyID(rawValue: 2103)
  public static let muteOutput = PropertyID(rawValue: 2104)
  public static let mutedSpeechActivityEventListener = PropertyID(rawValue: 2106)
  public static let frequencyResponse = PropertyID(rawValue: 52)
  public static let numberOfBands = PropertyID(rawValue: 2200)
  public static let maximumNumberOfBands = PropertyID(rawValue: 2201)
  public static let biquadCoefficients = PropertyID(rawValue: 2203)
  /// patchrun's own property: `ovsp`.
  public static let oversampling = PropertyID(rawValue: 0x6F76_7370)
  /// patchrun's own property: `dsgn`.
  public static let filterDesign = PropertyID(rawValue: 0x6473_676E)
  public static let meteringMode = PropertyID(rawValue: 3007)
  public static let sampleRateConverterComplexity = PropertyID(rawValue: 3014)
  /// `kAudioConverterPropertyDithering`, a property of Core Audio's AudioConverter: `dith`.
  public static let dither = PropertyID(rawValue: 0x6469_7468)
  /// `kAudioConverterPrimeMethod`, a property of Core Audio's AudioConverter: `prmm`.
  public static let primeMethod = PropertyID(rawValue: 0x7072_6D6D)
  /// `kAudioConverterPrimeInfo`, a property of Core Audio's AudioConverter: `prim`.
  public static let primeInfo = PropertyID(rawValue: 0x7072_696D)
}

/// The description of a property of a unit: a setting, its scopes, and how clients reach it.
public struct PropertyInfo: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var setting: SettingInfo
    var scopes: Set<Scope>
    var elements: [Scope: Int]
    var access: Access
    var defaultValue: PropertyValue?
    var scopeDefaults: [Scope: PropertyValue]
    var isPatchProperty: Bool
    var isLive: Bool
    var liveWords: Int
    var initialWords: [UInt32]
    var replacedBy: UInt32?
    var isState: Bool
  }

  private var storage: SharedFields<Fields>

  /// When a client may read and write a property.
  public enum Access: Hashable, Sendable {
    case readOnly, readWrite
    /// Writable at any time, not readable.
    case writeOnly
    /// Readable at any time, writable until the unit is initialized (afterwards -10849, for formats
    /// -10865).
    case readWriteUntilInitialized
  }

  /// What a user can set.
  public var setting: SettingInfo {
    get { storage.fields.setting }
    set { storage.fields.setting = newValue }
  }
  /// The scopes that have it.
  public var scopes: Set<Scope> { storage.fields.scopes }
  /// For each scope listed, the only element that has it. In other scopes every element has it.
  public var elements: [Scope: Int] { storage.fields.elements }
  /// When clients may read and write it.
  public var access: Access { storage.fields.access }
  /// The value in a new unit; `nil` where it depends on other things.
  public var defaultValue: PropertyValue? { storage.fields.defaultValue }
  /// The value in a new unit where it differs between scopes.
  public var scopeDefaults: [Scope: PropertyValue] { storage.fields.scopeDefaults }
  /// Whether a patch may set it under `properties`. Formats, counts and connections have other
  /// places in a patch.
  public var isPatchProperty: Bool { storage.fields.isPatchProperty }
  /// Whether the kernel reads it, so that it may change while the unit renders.
  public var isLive: Bool { storage.fields.isLive }
  /// The number of control block words of a live property: 1, or for a list the length of the
  /// longest one plus 1. The first word of a list is 0 until the list has been set.
  public var liveWords: Int { storage.fields.liveWords }
  /// The initial values of its words; empty where they are 0 or its default.
  public var initialWords: [UInt32] { storage.fields.initialWords }
  /// A parameter of the same element that, once set, replaces this property; `nil` for none.
  public var replacedBy: UInt32? { storage.fields.replacedBy }
  /// Whether ClassInfo saves and restores it.
  public var isState: Bool { storage.fields.isState }

  /// - Parameters:
  ///   - liveWords: `nil` for the default: 1, and for a list one more than it has numbers at most.
  ///   - isState: `nil` for the default: true where a patch may set the property and clients may
  ///     write it at any time.
  public init(
    _ id: PropertyID, key: String, constant: String, kind: SettingInfo.Kind,
    unit: ParameterUnit = .generic, scopes: Set<Scope>, elements: [Scope: Int] = [:],
    access: Access, defaultValue: PropertyValue? = nil,
    scopeDefaults: [Scope: PropertyValue] = [:],
    isPatchProperty: Bool = false, isLive: Bool = false, liveWords: Int? = nil,
    initialWords: [UInt32] = [], replacedBy: UInt32? = nil, isState: Bool? = nil, summary: String,
    proposed: String = ""
  ) {
    var listWords: Int?
    if case .list(let most?) = kind { listWords = most + 1 }
    let change: SettingInfo.Change =
      switch access {
      case .readOnly: .readOnly
      case .readWrite, .writeOnly: .live
      case .readWriteUntilInitialized: .untilInitialized
      }
    storage = SharedFields(
      Fields(
        setting: SettingInfo(
          key, kind, unit: unit, defaultValue: defaultValue.flatMap(kind.written), change: change,
          id: id.rawValue, constant: constant, summary: summary, proposed: proposed),
        scopes: scopes,
        elements: elements,
        access: access,
        defaultValue: defaultValue,
        scopeDefaults: scopeDefaults,
        isPatchProperty: isPatchProperty,
        isLive: isLive,
        liveWords: liveWords ?? listWords ?? 1,
        initialWords: initialWords,
        replacedBy: replacedBy,
        isState: isState ?? (isPatchProperty && access == .readWrite)))
  }

  /// Its number in Core Audio's headers.
  public var id: PropertyID { PropertyID(rawValue: storage.fields.setting.id) }
  /// Its name in a patch: `maximumFramesPerSlice`.
  public var key: String { storage.fields.setting.key }
  /// Its name in Core Audio's headers: `kAudioUnitProperty_MaximumFramesPerSlice`.
  public var constant: String { storage.fields.setting.constant }
  /// The type and the range of its values.
  public var kind: SettingInfo.Kind { storage.fields.setting.kind }
  /// The unit of a number; `.generic` for none.
  public var unit: ParameterUnit { storage.fields.setting.unit }
  /// A sentence for users.
  public var summary: String { storage.fields.setting.summary }

  /// The setting as the elements of a scope have it: with their default value.
  public func setting(in scope: Scope) -> SettingInfo {
    var setting = setting
    if let value = scopeDefaults[scope] { setting.defaultValue = kind.written(value) }
    return setting
  }

  /// The same property with a value in a new unit.
  public func with(defaultValue: PropertyValue) -> PropertyInfo {
    var copy = self
    copy.storage.fields.defaultValue = defaultValue
    copy.setting.defaultValue = kind.written(defaultValue)
    return copy
  }

  /// Whether clients may read it.
  public var isReadable: Bool { access != .writeOnly }
  /// Whether clients may write it at some time.
  public var isWritable: Bool { access != .readOnly }
  /// Whether clients may write it while the unit is initialized.
  public var isWritableWhileInitialized: Bool { access == .readWrite || access == .writeOnly }

  /// The type of a value in Core Audio: its name, and its size in bytes on a 64-bit machine, `nil`
  /// for a list, whose length decides. A text or a Core Foundation object is a reference.
  public var type: (name: String, size: Int?) {
    switch kind {
    case .boolean: ("boolean", 4)
    case .integer: ("uint32", 4)
    case .choice: ("choice", 4)
    case .number: ("float64", 8)
    case .text, .path, .symbol, .expression: ("string", 8)
    case .list, .numbers: ("floats", nil)
    case .integers: ("integers", nil)
    case .rows(let most): ("matrix(most: \(most))", nil)
    case .preset: ("preset", 16)
    case .structure(.object(_, let size)): ("object", size)
    case .structure(.streamFormat): ("streamFormat", 40)
    case .structure(.parameterInfo): ("parameterInfo", 104)
    case .structure(.status): ("status", 4)
    case .structure(.startTime): ("startTime", 72)
    case .structure(.parameterText):
      (
        "parameterText",
        [.parameterStringFromValue, .parameterValueFromString].contains(id) ? 24 : 16
      )
    case .structure(let type) where [.doubles, .ids, .channelCounts].contains(type):
      ("\(type)", nil)
    case .structure(let type): ("\(type)", 8)
    }
  }

  /// The size of a value in Core Audio in bytes; `nil` for a list.
  public var size: Int? { type.size }
}

extension PropertyValue {
  /// The size of a list in Core Audio, in bytes; `nil` for any other value.
  public var listSize: Int? {
    switch self {
    case .floats(let list): 4 * list.count
    case .matrix(let rows): 4 * rows.reduce(0) { $0 + $1.count }
    case .doubles(let list): 8 * list.count
    case .ids(let list): 4 * list.count
    case .integers(let list): 4 * list.count
    case .channelCounts(let list): 4 * list.count
    default: nil
    }
  }
}
