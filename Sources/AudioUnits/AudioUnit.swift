public import AudioTypes
internal import Glibc
public import RenderCore

/// A kind of unit: what can be said about it, what it refuses, and how to make one that renders.
///
/// All of it is the control thread's and may allocate. The kernels it makes are the render thread's.
public protocol AudioUnit: Sendable {
  static var description: UnitDescription { get }

  /// What a fresh element has until its format is set.
  static func initialFormat(_ scope: Scope) -> StreamFormat

  /// The format that an output has on account of what feeds the inputs, where it is not for a client to
  /// set; `nil` where it is. A unit with such outputs needs all of its inputs.
  static func outputFormat(_ element: Int, following inputs: [UnitConfiguration.Element])
    -> StreamFormat?

  /// Why an element does not take a format, whatever else is set; `nil` where it does. The format
  /// is linear PCM and consistent in itself. (`kAudioUnitErr_FormatNotSupported`)
  static func refusal(of format: StreamFormat, scope: Scope, element: Int) -> FormatRefusal?

  /// What is wrong with the unit as it is configured, every format settled: what its initialize
  /// would refuse, in the order of its checks, and what it would accept and the user regret.
  static func violations(in configuration: UnitConfiguration) -> [Violation]

  /// The inputs that the unit's kernel pulls by itself, at a pace of their own, and how much it asks
  /// of them; none where all buses of the unit render in step. Every format is settled.
  static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand]

  /// What a property that nobody has set is on account of the unit's configuration; `nil` where that
  /// says nothing. A property that is measured is read here, from the controls.
  static func derivedValue(
    of place: PropertyPlace, in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue?

  /// Why a value does not go with the configuration of an initialized unit; `nil` where it does. It
  /// is of the property's kind and range.
  static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String?

  /// Where a parameter is that does not stand with the others of its element, as those of a matrix do not;
  /// `nil` for all that do.
  static func controlSlot(
    of parameter: UInt32, _ scope: Scope, _ element: Int, in controls: ControlLayout
  ) -> Int?

  /// The value of a parameter that is worked out from others when it is read; `nil` for one that has a place of
  /// its own.
  ///
  /// - Parameter configuration: With every format settled, for whoever has to know.
  static func derivedParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, in configuration: () -> UnitConfiguration,
    controls: ControlLayout
  ) -> Float?

  /// The parameter that is a number of rows which have been set (`PropertyInfo.Kind.matrix`), every format
  /// settled; `nil` where the rows do not fit.
  static func parameter(
    ofLevel row: Int, _ column: Int, in configuration: UnitConfiguration
  ) -> ParameterPlace?

  /// Those of the parameters which `controlSlot` knows that a state has to keep: one that is left out there
  /// is as at birth.
  static func parametersApart(in controls: ControlLayout) -> [ParameterPlace]

  /// The elements by which the meters of a bus are read, where each channel has its own, counted through
  /// all buses of the scope; `nil` where the bus is the element.
  static func channelElements(
    _ scope: Scope, _ bus: Int, in configuration: UnitConfiguration
  ) -> Range<Int>?

  /// What the words behind the first of a live property are to hold for a value, where what they mean
  /// depends on stream formats: written by `makeKernels` and, after that, where it is set. `nil` for any other.
  static func liveWords(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> [UInt32]?

  /// Whether an input that nothing feeds may be given another format while the unit is initialized: its
  /// kernel takes what comes.
  static var takesFormatsLive: Bool { get }

  /// The gain in decibels that the unit has at each of some frequencies, in hertz, as it is set now;
  /// `nil` for one that is no filter.
  static func gains(
    at frequencies: [Double], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> [Double]?

  /// How far what the unit puts out goes at most. Every format is settled.
  ///
  /// - Parameter inputs: How far what feeds the inputs goes, by their numbers; without those that nothing
  ///   feeds.
  static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel

  /// What to do where the unit has made the sound louder than what follows can hold.
  ///
  /// - Parameter share: How loud it may be for that, as a part of what it is now.
  static func help(toLowerTo share: Double, in configuration: UnitConfiguration) -> String

  /// What is good to know of the unit as it is configured, and no mistake: of rules that are notes. Every
  /// format is settled.
  ///
  /// - Parameter name: The unit's, in quotes.
  static func notes(on name: String, in configuration: UnitConfiguration) -> [Violation]

  /// Why the unit may put out nothing but silence as it is configured, as sentences without a period; empty
  /// where nothing of the kind is found.
  ///
  /// - Parameter name: The unit's, in quotes.
  static func silenceReasons(of name: String, in configuration: UnitConfiguration) -> [String]

  /// The values that a factory preset gives to parameters of the global scope, by their numbers; none
  /// where a preset is more than that.
  static func parameters(ofPreset number: Int32) -> [UInt32: Float]

  /// About how many bytes the render side takes, apart from what each unit takes for itself and its buses.
  /// Every format is settled; asked before anything is allocated.
  static func memory(in configuration: UnitConfiguration) -> Int

  /// Makes the render side. Called only for a configuration without violations that are errors.
  static func makeKernels(_ configuration: UnitConfiguration, controls: ControlLayout)
    -> UnitKernels
}

extension AudioUnit {
  public static func memory(in configuration: UnitConfiguration) -> Int { 0 }

  public static func parameters(ofPreset number: Int32) -> [UInt32: Float] { [:] }

  /// Input 0 through the unit's filter, where it has one.
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
    of place: PropertyPlace, in configuration: UnitConfiguration, controls: ControlLayout
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

  public static func parametersApart(
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

/// In hertz, twelve to the octave: where a filter is looked at for its largest gain.
private let peakFrequencies = (0...120).map { 20 * pow(1000, Double($0) / 120) }

/// Why a format is not taken.
public struct FormatRefusal: Hashable, Sendable {
  /// A clause that starts in lower case.
  public var message: String
  /// What to do about it; empty for nothing.
  public var help: [String]
  /// Changes that would put it right.
  public var remedies: [Remedy]

  public init(_ message: String, help: [String] = [], remedies: [Remedy] = []) {
    self.message = message
    self.help = help
    self.remedies = remedies
  }
}

/// The render side of a unit.
public struct UnitKernels: Sendable {
  /// From all input elements to all output elements; `nil` for an output unit, whose input goes to
  /// the device.
  public var main: KernelBox?
  /// Whether `main` reads and writes what its buses hold, in their own words, and rounds by itself.
  public var mainUsesBusWords: Bool
  /// What fills an output element of an I/O unit by itself: the microphone side, element 1.
  public var input: KernelBox?
  /// Whether `input` writes what its bus can hold, in the bus's own words. Every other kernel reads
  /// and writes floats.
  public var inputWritesBusWords: Bool
  /// What watches the input element of an output unit: it runs when everything else in a slice has
  /// run, with what the unit is fed as its input 0, as floats.
  public var output: KernelBox?
  /// For each channel of what the graph hears the channel that `input` puts out, or -1 for silence;
  /// `nil` where `input` puts out what the graph hears.
  public var inputMap: [Int]?
  /// The longest slice with which the kernels are content, in frames of the main plan; `nil` for any.
  public var maximumSlice: Int?

  public init(
    main: KernelBox? = nil, mainUsesBusWords: Bool = false, input: KernelBox? = nil,
    inputWritesBusWords: Bool = false, output: KernelBox? = nil, inputMap: [Int]? = nil,
    maximumSlice: Int? = nil
  ) {
    self.main = main
    self.mainUsesBusWords = mainUsesBusWords
    self.input = input
    self.inputWritesBusWords = inputWritesBusWords
    self.output = output
    self.inputMap = inputMap
    self.maximumSlice = maximumSlice
  }
}

/// What initialization has settled by the time a unit is checked and its kernels are made.
public struct UnitConfiguration: Sendable {
  /// One bus.
  public struct Element: Hashable, Sendable {
    /// What the bus carries.
    public var format: StreamFormat
    /// Whether a client has set the format, or where else it comes from.
    public var origin: FormatOrigin
    /// What feeds it (an input) or whether something takes from it (an output).
    public var use: Use

    /// How a bus is used.
    public enum Use: Hashable, Sendable { case none, connection, callback }

    /// Whether anything feeds it, or takes from it.
    public var isUsed: Bool { use != .none }

    public init(format: StreamFormat, origin: FormatOrigin, use: Use) {
      self.format = format
      self.origin = origin
      self.use = use
    }
  }

  /// All input elements, in order.
  public var inputs: [Element] {
    get { storage.inputs }
    _modify {
      own()
      yield &storage.inputs
    }
  }

  /// All output elements, in order.
  public var outputs: [Element] {
    get { storage.outputs }
    _modify {
      own()
      yield &storage.outputs
    }
  }

  /// Frames of the largest slice.
  public var maximumFramesPerSlice: Int {
    get { storage.maximumFramesPerSlice }
    _modify {
      own()
      yield &storage.maximumFramesPerSlice
    }
  }

  /// Every property that has been set, or has a default.
  public var properties: [PropertyPlace: PropertyValue] {
    get { storage.properties }
    _modify {
      own()
      yield &storage.properties
    }
  }

  /// What the device grants, for an output unit.
  public var device: DeviceSides? {
    get { storage.device?.sides }
    set {
      own()
      storage.device = newValue.map { Device($0) }
    }
  }

  /// What tells the noise of its dithered buses from that of other units.
  public var ditherSeed: UInt64 {
    get { storage.ditherSeed }
    _modify {
      own()
      yield &storage.ditherSeed
    }
  }

  /// Where the parameters are; `nil` where they are not known.
  public var controls: ControlLayout? {
    get { storage.controls }
    _modify {
      own()
      yield &storage.controls
    }
  }

  /// What it consists of. A graph keeps the configuration of each of its nodes in several places: they
  /// have one storage, until one of them is changed.
  private final class Storage: @unchecked Sendable {
    // `@unchecked Sendable`: it is changed only where a single configuration has it, see `own()`.
    var inputs: [Element]
    var outputs: [Element]
    var maximumFramesPerSlice: Int
    var properties: [PropertyPlace: PropertyValue]
    var device: Device?
    var ditherSeed: UInt64
    var controls: ControlLayout?

    init(
      inputs: [Element], outputs: [Element], maximumFramesPerSlice: Int,
      properties: [PropertyPlace: PropertyValue], device: Device?, ditherSeed: UInt64,
      controls: ControlLayout?
    ) {
      self.inputs = inputs
      self.outputs = outputs
      self.maximumFramesPerSlice = maximumFramesPerSlice
      self.properties = properties
      self.device = device
      self.ditherSeed = ditherSeed
      self.controls = controls
    }
  }

  /// Apart, because few units have it.
  private final class Device: Sendable {
    let sides: DeviceSides

    init(_ sides: DeviceSides) { self.sides = sides }
  }

  private var storage: Storage

  /// Takes a storage of its own, where it has one together with others.
  private mutating func own() {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    storage = Storage(
      inputs: storage.inputs, outputs: storage.outputs,
      maximumFramesPerSlice: storage.maximumFramesPerSlice, properties: storage.properties,
      device: storage.device, ditherSeed: storage.ditherSeed, controls: storage.controls)
  }

  public init(
    inputs: [Element], outputs: [Element], maximumFramesPerSlice: Int,
    properties: [PropertyPlace: PropertyValue] = [:], device: DeviceSides? = nil,
    controls: ControlLayout? = nil
  ) {
    storage = Storage(
      inputs: inputs, outputs: outputs, maximumFramesPerSlice: maximumFramesPerSlice,
      properties: properties, device: device.map { Device($0) }, ditherSeed: 0,
      controls: controls)
  }

  /// The value that a parameter has now; `nil` for one that is not there.
  public func parameter(_ parameter: UInt32, _ scope: Scope, _ element: Int) -> Float? {
    guard let controls, let slot = controls.slot(parameter, scope, element) else { return nil }
    return controls.block[slot]
  }

  /// How an element is dithered, if its format is one of integers.
  public func dither(_ scope: Scope, _ element: Int) -> BusDither {
    guard case .uint32(let algorithm)? = properties[PropertyPlace(.dither, scope, element)],
      let dither = Dither(algorithm: algorithm), dither != .none
    else { return .none }
    let side: UInt64 = scope == .input ? 0 : 1
    return BusDither(dither, seed: ditherSeed << 32 | side << 31 | UInt64(max(0, element)))
  }

  /// Whether a switch is on; `false` where nobody has set it.
  public func isOn(_ property: PropertyID, _ scope: Scope, _ element: Int) -> Bool {
    properties[PropertyPlace(property, scope, element)] == .uint32(1)
  }
}

/// A property on one element.
public struct PropertyPlace: Hashable, Sendable {
  /// The parameter's number.
  public var id: PropertyID
  /// The scope that has the parameter.
  public var scope: Scope
  /// The element of the scope, from 0.
  public var element: Int

  public init(_ id: PropertyID, _ scope: Scope, _ element: Int) {
    self.id = id
    self.scope = scope
    self.element = element
  }
}

/// Where a bus has its stream format from.
public enum FormatOrigin: Hashable, Sendable {
  /// What a fresh unit has.
  case initial
  /// Set on this bus.
  case given
  /// Only the rate was set on this bus.
  case rateGiven
  /// The format that the graph uses for every bus that must be given one and is given none.
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
  /// Whether both sides run on one clock and frame n of one belongs to frame n of the other, as
  /// offline.
  public var isSynchronous: Bool
  /// Where the device puts down what it hears.
  public var capture: FrameRing?
  /// How far the units between the microphone and the loudspeaker look ahead, in seconds.
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
