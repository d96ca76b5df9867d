public import AudioTypes
internal import Glibc
public import RenderCore

/// A kind of unit: its description, what it refuses, and how its kernels are made.
///
/// Everything here runs on the control thread and may allocate. The kernels run on the render
/// thread.
public protocol AudioUnit: Sendable {
  static var description: UnitDescription { get }

  /// The format of a new element, until another one is set.
  static func initialFormat(_ scope: Scope) -> StreamFormat

  /// The format of an output that follows the inputs; `nil` where a client sets it. A unit with
  /// such outputs needs a feed at every input.
  static func outputFormat(_ element: Int, following inputs: [UnitConfiguration.Element])
    -> StreamFormat?

  /// Why an element never takes a format, independent of other settings
  /// (`kAudioUnitErr_FormatNotSupported`); `nil` where it may. The format is linear PCM and
  /// consistent.
  static func refusal(of format: StreamFormat, scope: Scope, element: Int) -> FormatRefusal?

  /// The violations of a configuration whose formats are settled, in the order of the checks:
  /// errors, with which initialization fails, and warnings.
  static func violations(in configuration: UnitConfiguration) -> [Violation]

  /// The inputs that the unit's kernel pulls itself, with the number of frames that it pulls; empty
  /// where all buses of the unit render in step. Every format is settled.
  static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand]

  /// The value of a property that has not been set, where it follows from the configuration or, for
  /// a measured property, is in `controls`; `nil` for none.
  ///
  /// - Parameter configuration: Makes the configuration with settled formats, if it is needed.
  static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue?

  /// Why a value does not fit the configuration of an initialized unit; `nil` where it does. The
  /// value has the property's kind and is in its range.
  static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String?

  /// The word of a parameter that is not among the other parameters of its element, such as a level
  /// in a matrix; `nil` for any other parameter.
  static func controlSlot(
    of parameter: UInt32, _ scope: Scope, _ element: Int, in controls: ControlLayout
  ) -> Int?

  /// The value of a parameter that is computed from others when it is read; `nil` for a parameter
  /// with a word of its own.
  ///
  /// - Parameter configuration: Makes the configuration with settled formats, if it is needed.
  static func derivedParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, in configuration: () -> UnitConfiguration,
    controls: ControlLayout
  ) -> Float?

  /// The parameter of a level in a matrix property (`SettingInfo.Kind.rows`), with settled
  /// formats; `nil` where the unit has no such level.
  static func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace?

  /// The parameters with a word from `controlSlot` that belong in a saved state. The others have
  /// their initial values.
  static func parametersToSave(in controls: ControlLayout) -> [ParameterPlace]

  /// The elements of the meters of a bus, where each channel has its own meter: channels are
  /// counted through all buses of the scope. `nil` where the bus is the element.
  static func channelElements(
    _ scope: Scope, _ bus: Int, in configuration: UnitConfiguration
  ) -> Range<Int>?

  /// The words of a live property behind its first one, for a value that depends on stream formats;
  /// `nil` for any other property. `makeKernels` writes them, and so does setting the property
  /// after that.
  static func liveWords(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> [UInt32]?

  /// Whether an unconnected input may take another format while the unit is initialized.
  static var takesFormatsLive: Bool { get }

  /// The unit's gain in decibels at each of some frequencies, in hertz, with the present settings;
  /// `nil` for a unit that is no filter.
  static func gains(
    at frequencies: [Double], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> [Double]?

  /// The highest level of the unit's output. Every format is settled.
  ///
  /// - Parameter inputs: The highest levels of the fed inputs, by element.
  static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel

  /// Advice on how to lower the unit's output, where it is too loud for what follows.
  ///
  /// - Parameter share: The factor that lowers the present level to the highest one that fits.
  static func help(toLowerTo share: Double, in configuration: UnitConfiguration) -> String

  /// The findings with the severity `note`. Every format is settled.
  ///
  /// - Parameter name: The unit's name, in quotes.
  static func notes(on name: String, in configuration: UnitConfiguration) -> [Violation]

  /// Why the unit may put out only silence with this configuration, as sentences without a period;
  /// empty where no reason is found.
  ///
  /// - Parameter name: The unit's name, in quotes.
  static func silenceReasons(of name: String, in configuration: UnitConfiguration) -> [String]

  /// The values that a factory preset gives to parameters of the global scope, by their numbers;
  /// empty where a preset is not a set of parameter values.
  static func parameters(ofPreset number: Int32) -> [UInt32: Float]

  /// Approximately the bytes of the render side, without the fixed part that is counted for every
  /// unit and bus. Every format is settled. Called before anything is allocated.
  static func memory(in configuration: UnitConfiguration) -> Int

  /// Makes the render side. Called only for a configuration without errors.
  static func makeKernels(_ configuration: UnitConfiguration, controls: ControlLayout)
    -> UnitKernels
}

extension AudioUnit {
  public static func memory(in configuration: UnitConfiguration) -> Int { 0 }

  public static func parameters(ofPreset number: Int32) -> [UInt32: Float] { [:] }

  /// The level of input 0 behind the unit's filter, where it has one.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel {
    let level = inputs[0] ?? PeakLevel()
    guard let gains = gains(at: peakFrequencies, in: configuration, controls: controls) else {
      return level
    }
    return level.filtered(by: gains)
  }

  public static func help(
    toLowerTo share: Double, in configuration: UnitConfiguration
  ) -> String { "make it \(share) times as loud, by its \"amplitude\" or \"gain\"" }

  public static func notes(on name: String, in configuration: UnitConfiguration) -> [Violation] {
    []
  }

  public static func silenceReasons(
    of name: String, in configuration: UnitConfiguration
  ) -> [String] { [] }

  public static func outputFormat(
    _ element: Int, following inputs: [UnitConfiguration.Element]
  ) -> StreamFormat? { nil }

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? { nil }

  public static func initialFormat(_ scope: Scope) -> StreamFormat {
    .platformCanonical(channels: 2, sampleRate: 44_100)
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? { nil }

  public static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String? { nil }

  public static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand] { [:] }

  public static var takesFormatsLive: Bool { false }

  public static func controlSlot(
    of parameter: UInt32, _ scope: Scope, _ element: Int, in controls: ControlLayout
  ) -> Int? { nil }

  public static func derivedParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, in configuration: () -> UnitConfiguration,
    controls: ControlLayout
  ) -> Float? { nil }

  public static func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace? { nil }

  public static func parametersToSave(
    in controls: ControlLayout
  ) -> [ParameterPlace] { [] }

  public static func channelElements(
    _ scope: Scope, _ bus: Int, in configuration: UnitConfiguration
  ) -> Range<Int>? { nil }

  public static func liveWords(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> [UInt32]? { nil }

  public static func gains(
    at frequencies: [Double], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> [Double]? { nil }
}

/// The frequencies at which the largest gain of a filter is searched, in Hz: twelve per octave.
private let peakFrequencies = (0...120).map { 20 * pow(1000, Double($0) / 120) }

/// Why a format is refused.
public struct FormatRefusal: Hashable, Sendable {
  /// A clause that starts in lower case.
  public var message: String
  /// What to do about it; empty where there is no advice.
  public var help: [String]
  /// Changes that make the format acceptable.
  public var remedies: [Remedy]

  public init(_ message: String, help: [String] = [], remedies: [Remedy] = []) {
    self.message = message
    self.help = help
    self.remedies = remedies
  }
}

/// The render side of a unit.
public struct UnitKernels: Sendable {
  /// Renders the output elements from the input elements; `nil` for an output unit, whose input
  /// goes to the device.
  public var main: KernelBox?
  /// Whether `main` reads and writes the words of its buses' formats, and does its own rounding;
  /// else it reads and writes floats.
  public var mainUsesBusWords: Bool
  /// Fills output element 1 of an I/O unit (the microphone side); `nil` for none.
  public var input: KernelBox? { rare?.input }
  /// Whether `input` writes the words of its bus's format; else it writes floats.
  public var inputWritesBusWords: Bool { rare?.inputWritesBusWords ?? false }
  /// Reads the input of an output unit, as floats in its own input 0. Runs last in a slice; `nil`
  /// for none.
  public var output: KernelBox? { rare?.output }
  /// The channel of `input` for each channel of output element 1, or -1 for silence; `nil` for the
  /// channels of `input` in order.
  public var inputMap: [Int]? { rare?.inputMap }
  /// The longest slice that the kernels take, in frames of the main plan; `nil` for any.
  public var maximumSlice: Int? { rare?.maximumSlice }

  /// What few units have, in an object of its own: a graph copies the kernels of each unit.
  private final class Rare: Sendable {
    let input: KernelBox?
    let inputWritesBusWords: Bool
    let output: KernelBox?
    let inputMap: [Int]?
    let maximumSlice: Int?

    init(
      input: KernelBox?, inputWritesBusWords: Bool, output: KernelBox?, inputMap: [Int]?,
      maximumSlice: Int?
    ) {
      self.input = input
      self.inputWritesBusWords = inputWritesBusWords
      self.output = output
      self.inputMap = inputMap
      self.maximumSlice = maximumSlice
    }
  }

  private var rare: Rare?

  public init(
    main: KernelBox? = nil, mainUsesBusWords: Bool = false, input: KernelBox? = nil,
    inputWritesBusWords: Bool = false, output: KernelBox? = nil, inputMap: [Int]? = nil,
    maximumSlice: Int? = nil
  ) {
    self.main = main
    self.mainUsesBusWords = mainUsesBusWords
    if input != nil || output != nil || inputMap != nil || maximumSlice != nil {
      rare = Rare(
        input: input, inputWritesBusWords: inputWritesBusWords, output: output, inputMap: inputMap,
        maximumSlice: maximumSlice)
    }
  }
}

/// The settled settings of a unit, from which it is checked and its kernels are made.
public struct UnitConfiguration: Sendable {
  /// One bus.
  public struct Element: Hashable, Sendable {
    /// The stream format of the bus.
    public var format: StreamFormat
    /// Where the format comes from.
    public var origin: FormatOrigin
    /// What feeds an input, or whether something reads an output.
    public var use: Use

    /// How a bus is used.
    public enum Use: Hashable, Sendable { case none, connection, callback }

    /// Whether something feeds an input, or reads an output.
    public var isUsed: Bool { use != .none }

    public init(format: StreamFormat, origin: FormatOrigin, use: Use) {
      self.format = format
      self.origin = origin
      self.use = use
    }
  }

  /// All input elements, in order.
  public var inputs: [Element] {
    get { contents.span[0].inputs }
    _modify { yield &contents[0].inputs }
  }

  /// All output elements, in order.
  public var outputs: [Element] {
    get { contents.span[0].outputs }
    _modify { yield &contents[0].outputs }
  }

  /// Frames of the largest slice.
  public var maximumFramesPerSlice: Int {
    get { contents.span[0].maximumFramesPerSlice }
    _modify { yield &contents[0].maximumFramesPerSlice }
  }

  /// Every property that has been set or has a default.
  public var properties: [PropertyPlace: PropertyValue] {
    get { contents.span[0].properties }
    _modify { yield &contents[0].properties }
  }

  /// The sides of the device, for an output unit.
  public var device: DeviceSides? {
    get { contents.span[0].device?.sides }
    set { contents[0].device = newValue.map { Device($0) } }
  }

  /// The seed for the dither of its buses, which differs between units.
  public var ditherSeed: UInt64 {
    get { contents.span[0].ditherSeed }
    _modify { yield &contents[0].ditherSeed }
  }

  /// The unit's controls; `nil` where they are not known.
  public var controls: ControlLayout? {
    get { contents.span[0].controls }
    _modify { yield &contents[0].controls }
  }

  private struct Contents {
    var inputs: [Element]
    var outputs: [Element]
    var maximumFramesPerSlice: Int
    var properties: [PropertyPlace: PropertyValue]
    var device: Device?
    var ditherSeed: UInt64 = 0
    var controls: ControlLayout?
  }

  /// A separate object, because few units have it.
  private final class Device: Sendable {
    let sides: DeviceSides

    init(_ sides: DeviceSides) { self.sides = sides }
  }

  /// One element. An array shares its memory until a copy is changed, and a graph keeps the
  /// configuration of each of its nodes in several places. Read through `span`, which lends the element:
  /// the array's subscript copies it, and retains all objects that it refers to.
  private var contents: [Contents]

  public init(
    inputs: [Element], outputs: [Element], maximumFramesPerSlice: Int,
    properties: [PropertyPlace: PropertyValue] = [:], device: DeviceSides? = nil,
    controls: ControlLayout? = nil
  ) {
    contents = [
      Contents(
        inputs: inputs, outputs: outputs, maximumFramesPerSlice: maximumFramesPerSlice,
        properties: properties, device: device.map { Device($0) }, controls: controls)
    ]
  }

  /// The configuration of another unit that differs in the origin of one input's format, in its seed and
  /// in its controls.
  package func again(
    input: Int, from origin: FormatOrigin, ditherSeed: UInt64, controls: ControlLayout
  ) -> UnitConfiguration {
    var other = UnitConfiguration(
      inputs: inputs, outputs: outputs, maximumFramesPerSlice: maximumFramesPerSlice,
      properties: properties, controls: controls)
    other.inputs[input].origin = origin
    other.ditherSeed = ditherSeed
    return other
  }

  /// The present value of a parameter; `nil` where there is no such parameter.
  public func parameter(_ parameter: UInt32, _ scope: Scope, _ element: Int) -> Float? {
    guard let controls, let slot = controls.slot(parameter, scope, element) else { return nil }
    return controls.block[slot]
  }

  /// The dither of an element, which applies where its format is one of integers.
  public func dither(_ scope: Scope, _ element: Int) -> BusDither {
    guard case .uint32(let algorithm)? = properties[PropertyPlace(.dither, scope, element)],
      let dither = Dither(algorithm: algorithm), dither != .none
    else { return .none }
    let side: UInt64 = scope == .input ? 0 : 1
    return BusDither(dither, seed: ditherSeed << 32 | side << 31 | UInt64(max(0, element)))
  }

  /// Whether a switch is on; `false` where it has not been set.
  public func isOn(_ property: PropertyID, _ scope: Scope, _ element: Int) -> Bool {
    properties[PropertyPlace(property, scope, element)] == .uint32(1)
  }
}

/// A property on one element.
public struct PropertyPlace: Hashable, Sendable {
  /// The property's number.
  public var id: PropertyID
  /// The scope that has the property.
  public var scope: Scope
  /// The element of the scope, from 0.
  public var element: Int

  public init(_ id: PropertyID, _ scope: Scope, _ element: Int) {
    self.id = id
    self.scope = scope
    self.element = element
  }

  /// A unit has few properties and elements: a fast hash is safe.
  public func _rawHashValue(seed: Int) -> Int {
    let place = UInt64(truncatingIfNeeded: element) << 34 ^ UInt64(scope.rawValue) << 32
    return multiplicativeHash(place ^ UInt64(id.rawValue), seed)
  }
}

/// Where a bus's stream format comes from.
public enum FormatOrigin: Hashable, Sendable {
  /// The format of a new unit.
  case initial
  /// Set on this bus.
  case given
  /// Only the rate was set on this bus.
  case rateGiven
  /// The graph's default format, for a bus that needs a format and has been given none.
  case graphDefault
  /// Propagated along a connection from this output.
  case propagated(from: NodeID, output: Int)
  /// Decided by the device.
  case hardware
  /// The same as on the unit's input element 0.
  case followsInput
}

/// The two sides of a device, as an I/O unit sees them.
public struct DeviceSides: Sendable {
  /// The loudspeaker side; `nil` where the device has none.
  public var output: StreamFormat?
  /// The microphone side; `nil` where the device has none.
  public var input: StreamFormat?
  /// The rate of either side, in Hz; 44100 where there is none.
  public var sampleRate: Double { output?.sampleRate ?? input?.sampleRate ?? 44_100 }
  /// The largest slice that can occur, in frames.
  public var ioBufferFrames: Int
  /// Whether both sides run on one clock, and frame n of the input is captured with frame n of the
  /// output, as offline.
  public var isSynchronous: Bool
  /// Receives the frames of the microphone from the device.
  public var capture: FrameRing?
  /// The look-ahead of the units between the microphone and the loudspeaker, in seconds.
  public var graphLead = 0.0

  public init(
    output: StreamFormat?, input: StreamFormat?, ioBufferFrames: Int, isSynchronous: Bool = false,
    capture: FrameRing? = nil
  ) {
    self.output = output
    self.input = input
    self.ioBufferFrames = ioBufferFrames
    self.isSynchronous = isSynchronous
    self.capture = capture
  }
}
