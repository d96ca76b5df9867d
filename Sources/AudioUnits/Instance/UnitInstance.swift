public import AudioTypes
public import RenderCore
import Synchronization

/// An open unit: its elements, properties and parameters.
///
/// Callable from any thread but the render thread. Properties and parameters are checked as Core
/// Audio checks them, in the same order and with the same codes.
public final class UnitInstance: Sendable {
  /// Called after a property has changed, on the thread that changed it.
  public typealias PropertyListener = @Sendable (PropertyID, Scope, Int) -> Void
  /// Called after a parameter has changed, on the thread that changed it.
  public typealias ParameterListener = @Sendable (UInt32, Scope, Int, Float) -> Void

  /// Identifies a listener for `removeListener(_:)`.
  public struct ListenerToken: Hashable, Sendable {
    let number: Int
  }

  /// The type of the unit.
  public let unit: any AudioUnit.Type
  public var description: UnitDescription { blueprint.description }
  /// The generic properties and the unit's own, in the order of their numbers.
  public var properties: [PropertyInfo] { blueprint.properties }
  /// The properties that a parameter replaces.
  public var replaceableProperties: [PropertyInfo] { blueprint.replaceable }
  let blueprint: UnitBlueprint
  package var kind: UnitKind { blueprint.kind }

  struct Element: Equatable {
    var format: StreamFormat
    var origin: FormatOrigin
    var name: String?
  }

  /// Receives the status of each failed render.
  public let failure = RenderFailure()

  /// The uses of a scope's elements. Most units have only the first.
  struct BusUses: Equatable {
    private var first: UnitConfiguration.Element.Use?
    private var others: [Int: UnitConfiguration.Element.Use] = [:]

    subscript(element: Int) -> UnitConfiguration.Element.Use? {
      get { element == 0 ? first : others[element] }
      set { if element == 0 { first = newValue } else { others[element] = newValue } }
    }
  }

  struct State {
    var inputs: [Element] { didSet { version += 1 } }
    var outputs: [Element] { didSet { version += 1 } }
    var maximumFramesPerSlice: Int { didSet { version += 1 } }
    var values: [PropertyPlace: PropertyValue] { didSet { version += 1 } }
    /// Apart from the elements: a graph may connect a bus before it exists.
    var inputUses = BusUses() { didSet { version += 1 } }
    var outputUses = BusUses() { didSet { version += 1 } }
    var controls: ControlLayout { didSet { version += 1 } }
    var isInitialized = false { didSet { version += 1 } }
    /// A number that changes with everything that the configuration is made from.
    var version = 0
    /// The unit and its version that the settings were taken over from, and the own version then.
    var taken: (origin: Origin, at: Int)?

    struct Origin: Equatable {
      var serial: Int
      var version: Int
    }
    /// Writes that are held back; `nil` where writes apply at once.
    var heldWrites: [ControlWrite]?
    var lastRenderError = Status.ok
    /// Counts the changes of number lists that the render side reads.
    var generation: UInt32 = 0
    weak var host: (any UnitHost)?
    /// Empty or one: most units have none of it, and a graph may have many units.
    fileprivate var rareParts: [RareParts] = []

    /// What few units have.
    struct RareParts {
      var globalName: String?
      /// The factory preset that determines the sound, independent of the name of the present
      /// preset.
      var factoryPreset: Preset?
      /// For a unit outside of a graph: the feeds of its inputs, and the inputs that its outputs
      /// feed.
      var feeds: [Int: UnitFeed] = [:]
      var fedInputs: [Int: FedInput] = [:]
      /// Renders the unit outside of a graph.
      var loneRenderer: (any AnyObject & Sendable)?
      /// Called before and after each render.
      var renderObservers: [Int: RenderObserver] = [:]
      /// The formats of an I/O unit's hardware sides, as the device has them.
      var deviceFormats: [Scope: StreamFormat] = [:]
      var propertyListeners: [Int: (PropertyID, PropertyListener)] = [:]
      var parameterListeners: [Int: (UInt32?, ParameterListener)] = [:]
      /// Receivers of changes with a sender.
      var parameterReceivers: [WeakReceiver] = []
      var nextListener = 0
    }

    /// What few units have. Made where it is changed.
    var rare: RareParts {
      get { rareParts.first ?? RareParts() }
      _modify {
        if rareParts.isEmpty { rareParts.append(RareParts()) }
        yield &rareParts[0]
      }
    }

    /// Whether the unit has no rare parts.
    var isPlain: Bool { rareParts.isEmpty }

    func elements(_ scope: Scope) -> [Element]? {
      switch scope {
      case .input: inputs
      case .output: outputs
      case .global: nil
      }
    }

    func settled(_ scope: Scope) -> [UnitConfiguration.Element] {
      (elements(scope) ?? []).enumerated().map { index, element in
        UnitConfiguration.Element(
          format: element.format, origin: element.origin, use: use(scope, index))
      }
    }

    func use(_ scope: Scope, _ element: Int) -> UnitConfiguration.Element.Use {
      switch scope {
      case .input: inputUses[element] ?? .none
      case .output: outputUses[element] ?? .none
      case .global: .none
      }
    }

    /// Writes a word that the render side reads, or holds it back.
    mutating func write(_ word: UInt32, at slot: Int) {
      if heldWrites == nil {
        controls.block[word: slot] = word
      } else {
        heldWrites?.append(ControlWrite(controls.block, slot, word: word))
      }
    }

    func count(_ scope: Scope) -> Int { elements(scope)?.count ?? 1 }

    mutating func update(_ scope: Scope, _ element: Int, _ change: (inout Element) -> Void) {
      if scope == .input { change(&inputs[element]) } else { change(&outputs[element]) }
    }
  }

  let state: Mutex<State>

  private static let lastSerial = Atomic<Int>(0)
  /// Unique among all units that have been made.
  let serial = UnitInstance.lastSerial.wrappingAdd(1, ordering: .relaxed).newValue

  public convenience init(_ unit: any AudioUnit.Type) { self.init(unit, inputCount: nil) }

  /// A unit with another initial number of inputs, where its type permits that number.
  package init(_ unit: any AudioUnit.Type, inputCount wanted: Int?) {
    self.unit = unit
    let blueprint = UnitBlueprint.of(unit)
    self.blueprint = blueprint
    let description = blueprint.description
    let isSettable = wanted.map { description.inputs.settable?.contains($0) == true } ?? false
    let inputCount = isSettable ? wanted ?? description.inputs.count : description.inputs.count
    state = Mutex(
      State(
        inputs: blueprint.initialElements(.input, inputCount),
        outputs: blueprint.initialElements(.output, description.outputs.count),
        maximumFramesPerSlice: description.defaultMaximumFramesPerSlice,
        values: blueprint.values,
        controls: ControlLayout(
          blueprint.controls, inputCount: inputCount, outputCount: description.outputs.count)))
  }

  // MARK: Elements

  /// How many elements a scope has now; 1 for the global scope.
  public func elementCount(_ scope: Scope) -> Int { state.withLock { $0.count(scope) } }

  /// Whether stream formats are settled and kernels made.
  public var isInitialized: Bool { state.withLock { $0.isInitialized } }
}

extension UnitInstance.Element {
  /// Returns to the format that a client has set, or to the initial one.
  ///
  /// - Parameter isHardware: Whether `initial` is the device's format.
  mutating func forgetSettled(_ initial: StreamFormat, isHardware: Bool) {
    switch origin {
    case .given, .rateGiven: break
    case .initial, .graphDefault, .propagated, .hardware, .followsInput:
      format = initial
      origin = isHardware ? .hardware : .initial
    }
  }
}

extension PropertyValue {
  /// The word of a value for the render side.
  var liveWord: UInt32 {
    switch self {
    case .uint32(let value): value
    case .preset(let preset): UInt32(bitPattern: preset.number)
    case .float64(let value): Float(value).bitPattern
    default: 0
    }
  }
}

extension AudioUnit {
  /// Why an element does not take a format, inconsistencies first; `nil` where it does.
  public static func violation(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> Violation? {
    let place = Violation.Place(node: nil, .streamFormat(scope, element))
    if let first = format.inconsistencies.first {
      return Violation(
        UnitRules.formatConsistent, status: .formatNotSupported, "\(first)", at: place)
    }
    if format.sampleType == nil {
      return Violation(
        UnitRules.formatSupported, status: .formatNotSupported,
        "a bus carries float32, int16, int24, int32 or fixed8.24 samples, not "
          + "\(format.bitsPerChannel)-bit ones of this kind", at: place)
    }
    if let refusal = refusal(of: format, scope: scope, element: element) {
      return Violation(
        UnitRules.formatSupported, status: .formatNotSupported, refusal.message, at: place,
        help: refusal.help, remedies: refusal.remedies)
    }
    return nil
  }
}
