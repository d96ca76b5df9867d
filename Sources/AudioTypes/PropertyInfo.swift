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

/// Core Audio's `AUPreset`.
public struct Preset: Hashable, Sendable {
  /// From 0 up for a factory preset, negative for a user's own.
  public var number: Int32
  /// The name for users.
  public var name: String

  public init(number: Int32, name: String) {
    self.number = number
    self.name = name
  }
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

/// The description of a property of a unit: its values, its scopes, and when it may be set.
public struct PropertyInfo: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var id: PropertyID
    var key: String
    var constant: String
    var kind: Kind
    var unit: ParameterUnit
    var scopes: Set<Scope>
    var elements: [Scope: Int]
    var access: Access
    var defaultValue: PropertyValue?
    var scopeDefaults: [Scope: PropertyValue]
    var isPatchProperty: Bool
    var isLive: Bool
    var summary: String
    var liveWords: Int
    var initialWords: [UInt32]
    var replacedBy: UInt32?
    var isState: Bool
    var proposed: String
  }

  private var storage: SharedFields<Fields>

  /// The type and the range of a property's values.
  public enum Kind: Hashable, Sendable {
    /// 0 or 1; `true` and `false` in a patch.
    case boolean
    case uint32(ClosedRange<UInt32>)
    case float64
    case streamFormat
    case string
    case preset
    case presets
    case floats
    /// Rows of equal length with finite numbers: up to `most` rows and columns of levels, and in
    /// addition one row and one column of volumes.
    case matrix(most: Int)
    /// Numbers in double precision.
    case doubles
    case ids
    /// A list of whole numbers in the range, of any length.
    case integers(ClosedRange<Int32>)
    /// One of some named `UInt32`s.
    case choice([Choice])
    case channelCounts
    case parameterInfo
    case status
    case strings
    /// The value answers a question: see `UnitInstance.property(_:_:_:asking:)`.
    case parameterText
    case classInfo
    case clipping
    case startTime
    /// A pointer in Core Audio, or a structure of pointers with `size` bytes.
    case object(noun: String, size: Int)
  }

  /// A value of a property that has only a few.
  public struct Choice: Hashable, Sendable {
    /// The value of the property.
    public var value: UInt32
    /// Its name in a patch: `mastering`.
    public var name: String
    /// Its name in Core Audio's headers; empty for none.
    public var constant: String

    public init(_ value: UInt32, _ name: String, constant: String = "") {
      self.value = value
      self.name = name
      self.constant = constant
    }

    /// The value as a four-char code; `nil` where it is none, or not printable.
    public var code: String? { value > 0xFFFF ? FourCharCode(rawValue: value).text : nil }

    /// Whether a text in a patch names this value: by its name, its constant or its four-char code.
    public func isCalled(_ text: String) -> Bool {
      text == name || !constant.isEmpty && text == constant || text == code
    }
  }

  /// When a client may read and write a property.
  public enum Access: Hashable, Sendable {
    case readOnly, readWrite
    /// Writable at any time, not readable.
    case writeOnly
    /// Readable at any time, writable until the unit is initialized (afterwards -10849, for formats
    /// -10865).
    case readWriteUntilInitialized
  }

  /// Its number in Core Audio's headers.
  public var id: PropertyID {
    get { storage.fields.id }
    set { storage.fields.id = newValue }
  }
  /// Its name in a patch: `maximumFramesPerSlice`.
  public var key: String {
    get { storage.fields.key }
    set { storage.fields.key = newValue }
  }
  /// Its name in Core Audio's headers: `kAudioUnitProperty_MaximumFramesPerSlice`.
  public var constant: String {
    get { storage.fields.constant }
    set { storage.fields.constant = newValue }
  }
  /// The type and the range of its values.
  public var kind: Kind {
    get { storage.fields.kind }
    set { storage.fields.kind = newValue }
  }
  /// The unit of a number; `.generic` for none.
  public var unit: ParameterUnit {
    get { storage.fields.unit }
    set { storage.fields.unit = newValue }
  }
  /// The scopes that have it.
  public var scopes: Set<Scope> {
    get { storage.fields.scopes }
    set { storage.fields.scopes = newValue }
  }
  /// For each scope listed, the only element that has it. In other scopes every element has it.
  public var elements: [Scope: Int] {
    get { storage.fields.elements }
    set { storage.fields.elements = newValue }
  }
  /// When clients may read and write it.
  public var access: Access {
    get { storage.fields.access }
    set { storage.fields.access = newValue }
  }
  /// The value in a new unit; `nil` where it depends on other things.
  public var defaultValue: PropertyValue? {
    get { storage.fields.defaultValue }
    set { storage.fields.defaultValue = newValue }
  }
  /// The value in a new unit where it differs between scopes.
  public var scopeDefaults: [Scope: PropertyValue] {
    get { storage.fields.scopeDefaults }
    set { storage.fields.scopeDefaults = newValue }
  }
  /// Whether a patch may set it under `properties`. Formats, counts and connections have other
  /// places in a patch.
  public var isPatchProperty: Bool {
    get { storage.fields.isPatchProperty }
    set { storage.fields.isPatchProperty = newValue }
  }
  /// Whether the kernel reads it, so that it may change while the unit renders.
  public var isLive: Bool {
    get { storage.fields.isLive }
    set { storage.fields.isLive = newValue }
  }
  /// A sentence for users.
  public var summary: String {
    get { storage.fields.summary }
    set { storage.fields.summary = newValue }
  }
  /// The number of control block words of a live property: 1, or for a list the length of the
  /// longest one plus 1. The first word of a list is 0 until the list has been set.
  public var liveWords: Int {
    get { storage.fields.liveWords }
    set { storage.fields.liveWords = newValue }
  }
  /// The initial values of its words; empty where they are 0 or its default.
  public var initialWords: [UInt32] {
    get { storage.fields.initialWords }
    set { storage.fields.initialWords = newValue }
  }
  /// A parameter of the same element that, once set, replaces this property; `nil` for none.
  public var replacedBy: UInt32? {
    get { storage.fields.replacedBy }
    set { storage.fields.replacedBy = newValue }
  }
  /// Whether ClassInfo saves and restores it.
  public var isState: Bool {
    get { storage.fields.isState }
    set { storage.fields.isState = newValue }
  }
  /// What patchrun decided about it where Core Audio documents nothing; empty for none.
  public var proposed: String {
    get { storage.fields.proposed }
    set { storage.fields.proposed = newValue }
  }

  /// - Parameter isState: `nil` for the default: true where a patch may set the property and
  ///   clients may write it at any time.
  public init(
    _ id: PropertyID, key: String, constant: String, kind: Kind, unit: ParameterUnit = .generic,
    scopes: Set<Scope>, elements: [Scope: Int] = [:], access: Access,
    defaultValue: PropertyValue? = nil,
    scopeDefaults: [Scope: PropertyValue] = [:],
    isPatchProperty: Bool = false, isLive: Bool = false, liveWords: Int = 1,
    initialWords: [UInt32] = [], replacedBy: UInt32? = nil, isState: Bool? = nil, summary: String,
    proposed: String = ""
  ) {
    storage = SharedFields(
      Fields(
        id: id,
        key: key,
        constant: constant,
        kind: kind,
        unit: unit,
        scopes: scopes,
        elements: elements,
        access: access,
        defaultValue: defaultValue,
        scopeDefaults: scopeDefaults,
        isPatchProperty: isPatchProperty,
        isLive: isLive,
        summary: summary,
        liveWords: liveWords,
        initialWords: initialWords,
        replacedBy: replacedBy,
        isState: isState ?? (isPatchProperty && access == .readWrite),
        proposed: proposed))
  }

  /// Whether clients may read it.
  public var isReadable: Bool { access != .writeOnly }
  /// Whether clients may write it at some time.
  public var isWritable: Bool { access != .readOnly }
  /// Whether clients may write it while the unit is initialized.
  public var isWritableWhileInitialized: Bool { access == .readWrite || access == .writeOnly }

  /// The size of a value in Core Audio in bytes, on a 64-bit machine; `nil` for a list, whose
  /// length decides. A text or a Core Foundation object is a reference.
  public var size: Int? {
    switch kind {
    case .boolean, .uint32, .choice, .status: 4
    case .float64: 8
    case .streamFormat: 40
    case .string, .presets, .strings, .classInfo: 8
    case .preset: 16
    case .parameterInfo: 104
    case .clipping: 8
    case .startTime: 72
    case .parameterText:
      id == .parameterStringFromValue ? 24 : id == .parameterValueFromString ? 24 : 16
    case .object(_, let size): size
    case .floats, .matrix, .doubles, .ids, .integers, .channelCounts: nil
    }
  }
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
