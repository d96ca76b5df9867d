public import AudioTypes
import AudioUnits
public import RenderCore
import Synchronization

/// One connection: an output element feeds an input element.
public struct Connection: Hashable, Sendable {
  /// The source node.
  public var source: NodeID
  /// Its output element.
  public var output: Int
  /// The destination node.
  public var destination: NodeID
  /// Its input element.
  public var input: Int

  /// From an output element to an input element.
  public init(from source: NodeID, _ output: Int = 0, to destination: NodeID, _ input: Int = 0) {
    self.source = source
    self.output = output
    self.destination = destination
    self.input = input
  }
}

/// A callback that feeds an input element.
public final class InputCallback: Sendable {
  /// Generates the sound, or processes what it pulls.
  public let callback: any RenderCallback
  /// The node that is fed.
  public let destination: NodeID
  /// Its input element.
  public let input: Int
  /// What the callback pulls; `nil` for nothing.
  public let feed: CallbackFeed?
  /// The name of the source at the beginning of the chain, where it may feed other inputs too;
  /// `nil` for a source of this input only.
  let name: String?
  /// The callback that feeds the input, then the one that it pulls, and so on. A callback that is
  /// set again gets a new instance and restarts; an instance that is passed again continues.
  public let instances: [CallbackInstance]

  init(
    callback: any RenderCallback, destination: NodeID, input: Int, feed: CallbackFeed?,
    name: String?
  ) {
    self.name = name
    self.callback = callback
    self.destination = destination
    self.input = input
    self.feed = feed
    var instances = [Self.instance(callback)]
    var next = feed
    while case .link(let link)? = next {
      instances.append(Self.instance(link.callback))
      next = link.from
    }
    self.instances = instances
  }

  /// The same callbacks at another input.
  init(_ other: InputCallback, at place: BusKey) {
    (callback, feed, name, instances) = (other.callback, other.feed, other.name, other.instances)
    (destination, input) = (place.node, place.bus)
  }

  private static func instance(_ callback: any RenderCallback) -> CallbackInstance {
    CallbackInstance.instance(callback) ?? CallbackInstance(callback)
  }

  /// The callbacks from the one that pulls first to the one that feeds the input.
  var chain: [CallbackInstance] { instances.reversed() }

  /// The output that the first callback of the chain pulls; `nil` where it pulls none.
  var source: BusKey? {
    var next = feed
    while case .link(let link)? = next { next = link.from }
    guard case .output(let node, let output)? = next else { return nil }
    return BusKey(node: node, bus: output)
  }

  /// What the callback at `index` in `instances` pulls; `nil` for nothing.
  func upstream(of index: Int) -> LinkFeed? {
    index + 1 < instances.count ? .link(self, index + 1) : source.map { .output($0) }
  }
}

/// What an input or a callback pulls.
enum LinkFeed {
  case output(BusKey)
  /// A callback of a chain, by its index in `instances`.
  case link(InputCallback, Int)

  /// Identifies what is pulled.
  enum Identity: Hashable {
    case output(BusKey)
    case callback(Int)
  }

  var identity: Identity {
    switch self {
    case .output(let key): .output(key)
    case .link(let callback, let index): .callback(callback.instances[index].serial)
    }
  }
}

/// The feed of a processing callback. In Apple's guide, a render callback between two units calls
/// `AudioUnitRender` to pull it.
public enum CallbackFeed: Sendable {
  /// An output element.
  case output(NodeID, Int)
  /// Another callback with its own feed: see `callback(_:from:)`.
  case link(CallbackLink)

  /// Another callback, and what that one pulls.
  public static func callback(
    _ callback: any RenderCallback, from feed: CallbackFeed? = nil
  ) -> CallbackFeed {
    .link(CallbackLink(callback, from: feed))
  }
}

/// A callback that another one pulls.
public final class CallbackLink: @unchecked Sendable {
  // `@unchecked Sendable`: `from` changes only in `deinit`, in links with no other reference.

  /// Generates the sound, or processes what it pulls.
  public let callback: any RenderCallback
  /// What it pulls; `nil` for nothing.
  public private(set) var from: CallbackFeed?

  init(_ callback: any RenderCallback, from: CallbackFeed?) {
    self.callback = callback
    self.from = from
  }

  deinit {
    // A loop: releasing a long chain recursively would overflow the stack.
    var next = from
    from = nil
    while case .link(var link)? = next {
      next = nil
      guard isKnownUniquelyReferenced(&link) else { return }
      next = link.from
      link.from = nil
    }
  }
}

/// What feeds an input element (`AUNodeInteraction`).
public enum Interaction: Sendable {
  case connection(Connection)
  case callback(InputCallback)

  /// The node that is fed.
  public var destination: NodeID {
    switch self {
    case .connection(let connection): connection.destination
    case .callback(let callback): callback.destination
    }
  }

  /// The input element that is fed.
  public var input: Int {
    switch self {
    case .connection(let connection): connection.input
    case .callback(let callback): callback.input
    }
  }

  /// The connection; `nil` for a callback.
  public var connection: Connection? {
    if case .connection(let connection) = self { connection } else { nil }
  }

  /// What the input element pulls.
  var feed: LinkFeed {
    switch self {
    case .connection(let connection):
      .output(BusKey(node: connection.source, bus: connection.output))
    case .callback(let callback): .link(callback, 0)
    }
  }

  /// The output element from which the input element gets its sound, by a connection or through
  /// processing callbacks; `nil` for a callback that pulls no output.
  public var link: Connection? {
    switch self {
    case .connection(let connection): connection
    case .callback(let callback):
      callback.source.map {
        Connection(from: $0.node, $0.bus, to: callback.destination, callback.input)
      }
    }
  }
}

/// Identifies a feed that `AudioGraph.detachFeed(of:_:)` has taken from an input.
public struct FeedToken: Hashable, Sendable {
  let number: Int
}

/// The number of a tap: from 1 up, in the order of addition.
public struct TapID: Hashable, Sendable {
  public var rawValue: Int
}

/// The reading of a tap that measures, with the tap's place.
public struct TapMeasurement: Hashable, Sendable {
  /// The tap.
  public var id: TapID
  public var name: String
  /// The node that it watches.
  public var node: NodeID
  /// The output element that it watches.
  public var output: Int
  public var reading: TapReading
}

/// A bus of a node in one word, for fast dictionary lookups.
struct BusKey: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  func _rawHashValue(seed: Int) -> Int { multiplicativeHash(rawValue, seed) }

  /// A number outside of the range of buses is stored as -1.
  init(node: NodeID, bus: Int) {
    let number = UInt32(exactly: bus) ?? .max
    rawValue = UInt64(UInt32(bitPattern: node.rawValue)) << 32 | UInt64(number)
  }

  var node: NodeID { NodeID(rawValue: Int32(truncatingIfNeeded: rawValue >> 32)) }
  var bus: Int {
    let number = UInt32(truncatingIfNeeded: rawValue)
    return number == .max ? -1 : Int(number)
  }
}

/// The nodes, interactions, taps and ramps of a graph at one moment.
struct GraphModel: Sendable {
  struct Node: Sendable {
    var id: NodeID
    var component: ComponentDescription
    var unit: any AudioUnit.Type
    var name: String
    /// The unit; `nil` while the graph is not open.
    var instance: UnitInstance?
    /// The format of buses that need a format and have been given none; `nil` for the graph's
    /// default.
    var defaultFormat: StreamFormat?
    /// Whether it is an I/O unit, with a device's two sides.
    let isIO: Bool
    /// Whether it is an output unit, which ends the graph.
    let isOutput: Bool
  }

  struct Tap: Sendable {
    var id: TapID
    var node: NodeID
    var output: Int
    var name: String
    var tap: any RenderTap

    /// Its place in violations.
    var place: Violation.Place { .init(node: node, .tap(id.rawValue)) }
  }

  /// The inputs of a node that something feeds, in ascending order.
  private struct Incoming {
    var inputs: [Int] = []
    /// A new number after each change, unique across all models.
    var version = 0

    private static let lastVersion = Atomic<Int>(0)

    mutating func change(_ body: (inout [Int]) -> Void) {
      body(&inputs)
      version = Self.lastVersion.wrappingAdd(1, ordering: .relaxed).newValue
    }
  }

  /// In the order of addition, which is the order of their numbers.
  private(set) var nodes: [Node] = []
  private(set) var interactions: [Interaction] = []
  var taps: [Tap] = []
  var ramps: [ParameterRamp] = [] { didSet { rampsByTarget = nil } }
  /// The ramps of each setting, sorted by start; `nil` where `ramps` has been replaced since.
  private var rampsByTarget: [ParameterRamp.Target: [ParameterRamp]]? = [:]
  /// The time at which the graph ends even if its sources continue, in seconds from its start;
  /// `nil` for none.
  var stopTime: Double?
  /// Whether inputs are delayed so that paths that meet are equally late.
  var compensatesLatency = false
  /// Detached feeds that wait to be attached.
  var detached: [FeedToken: Interaction] = [:]
  private(set) var feeds: [BusKey: Interaction] = [:]
  /// The connection from each output that feeds an input, directly or through callbacks.
  private(set) var outputLinks: [BusKey: Connection] = [:]
  private var incoming: [NodeID: Incoming] = [:]
  /// In the order of addition.
  private var outputUnits: [NodeID] = []
  private var nextNode: Int32 = 1

  func index(of id: NodeID) -> Int? {
    // As long as no node has been removed, the number gives the index; afterwards the index is
    // lower.
    var upper = Int(id.rawValue) - 1
    if nodes.indices.contains(upper), nodes[upper].id == id { return upper }
    var lower = 0
    upper = min(upper, nodes.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if nodes[middle].id.rawValue < id.rawValue { lower = middle + 1 } else { upper = middle }
    }
    return lower < nodes.count && nodes[lower].id == id ? lower : nil
  }

  func node(_ id: NodeID) -> Node? { index(of: id).map { nodes[$0] } }

  func name(_ id: NodeID) -> String { node(id)?.name ?? "node \(id.rawValue)" }

  /// The one output unit.
  var head: Node? { outputUnits.first.flatMap { node($0) } }

  /// `mixer:1`, or `mixer` for bus 0.
  func address(_ id: NodeID, _ bus: Int) -> String {
    bus == 0 ? name(id) : "\(name(id)):\(bus)"
  }

  mutating func add(
    _ unit: any AudioUnit.Type, name: String?, instance: UnitInstance?
  ) -> NodeID {
    let id = NodeID(rawValue: nextNode)
    nextNode += 1
    let description = unit.description
    let isOutput = description.component.type == .outputType
    let node = Node(
      id: id, component: description.component, unit: unit, name: name ?? "node \(id.rawValue)",
      instance: instance, isIO: isOutput && description.property(.enableIO) != nil,
      isOutput: description.isOutput)
    if node.isOutput { outputUnits.append(id) }
    nodes.append(node)
    return id
  }

  mutating func remove(_ id: NodeID) {
    guard index(of: id) != nil else { return }
    let touching = interactions.filter { touches($0, id) }
    let rest = interactions.filter { !touches($0, id) }
    for interaction in touching { drop(interaction) }
    interactions = rest
    taps.removeAll { $0.node == id }
    nodes.removeAll { $0.id == id }
    outputUnits.removeAll { $0 == id }
  }

  /// Adds a ramp; throws where another ramp overlaps it. Appending behind the other ramps of a
  /// setting takes a time that does not depend on their number.
  mutating func add(_ ramp: ParameterRamp) throws(Violation) {
    var table =
      rampsByTarget
      ?? Dictionary(grouping: ramps, by: \.movedTarget)
      .mapValues { $0.sorted { $0.start < $1.start } }
    rampsByTarget = nil
    defer { rampsByTarget = table }
    let (place, neighbours) = Self.neighbours(of: ramp, in: table[ramp.movedTarget] ?? [])
    if let violation = RampsApart.violation(adding: ramp, to: neighbours) { throw violation }
    ramps.append(ramp)
    table[ramp.movedTarget, default: []].insert(ramp, at: place)
  }

  /// The index of a ramp among others, which are sorted by start, and the ramps beside it.
  private static func neighbours(
    of ramp: ParameterRamp, in others: [ParameterRamp]
  ) -> (place: Int, neighbours: [ParameterRamp]) {
    var low = 0
    var high = others.count
    while low < high {
      let middle = (low + high) / 2
      if others[middle].start > ramp.start { high = middle } else { low = middle + 1 }
    }
    return (low, Array(others[max(0, low - 1)..<min(others.count, low + 1)]))
  }

  /// Returns whether the node exists.
  mutating func setDefaultFormat(_ format: StreamFormat?, of id: NodeID) -> Bool {
    guard let index = index(of: id) else { return false }
    nodes[index].defaultFormat = format
    return true
  }

  func touches(_ interaction: Interaction, _ id: NodeID) -> Bool {
    interaction.destination == id || interaction.link?.source == id
  }

  mutating func setInstance(_ instance: UnitInstance?, at index: Int) {
    nodes[index].instance = instance
  }

  mutating func add(_ interaction: Interaction) {
    interactions.append(interaction)
    let input = BusKey(node: interaction.destination, bus: interaction.input)
    feeds[input] = interaction
    incoming[input.node, default: .init()].change { inputs in
      let place = inputs.firstIndex { $0 > input.bus } ?? inputs.count
      inputs.insert(input.bus, at: place)
    }
    if let link = interaction.link {
      outputLinks[BusKey(node: link.source, bus: link.output)] = link
    }
    mark(interaction, isThere: true)
  }

  mutating func removeFeed(_ input: BusKey) {
    guard let interaction = feeds[input] else { return }
    drop(interaction)
    interactions.removeAll { BusKey(node: $0.destination, bus: $0.input) == input }
  }

  mutating func removeInteractions() {
    for interaction in interactions { drop(interaction) }
    interactions = []
  }

  private mutating func drop(_ interaction: Interaction) {
    let input = BusKey(node: interaction.destination, bus: interaction.input)
    feeds[input] = nil
    incoming[input.node]?.change { $0.removeAll { $0 == input.bus } }
    if let link = interaction.link {
      outputLinks[BusKey(node: link.source, bus: link.output)] = nil
    }
    mark(interaction, isThere: false)
  }

  /// Marks the elements at both ends as used: a unit refuses formats on a connected input.
  func mark(_ interaction: Interaction, isThere: Bool) {
    let use: UnitConfiguration.Element.Use =
      interaction.connection == nil ? .callback : .connection
    node(interaction.destination)?.instance?
      .setUse(isThere ? use : .none, .input, interaction.input)
    if let link = interaction.link {
      node(link.source)?.instance?
        .setUse(isThere ? .connection : .none, .output, link.output)
    }
  }

  /// The feeds of a node, by ascending input.
  func interactions(into id: NodeID) -> [Interaction] {
    (incoming[id]?.inputs ?? []).compactMap { feeds[BusKey(node: id, bus: $0)] }
  }

  /// A number that changes with the node's feeds. Equal numbers mean equal feeds, across all
  /// models.
  func feedVersion(of id: NodeID) -> Int { incoming[id]?.version ?? 0 }

  /// The inputs, in either model, of the nodes whose feeds have been edited since an earlier one.
  func inputsEdited(since old: GraphModel) -> [BusKey] {
    incoming.flatMap { node, feeds -> [BusKey] in
      let before = old.incoming[node]
      guard feeds.version != before?.version else { return [] }
      return Set(feeds.inputs + (before?.inputs ?? [])).map { BusKey(node: node, bus: $0) }
    }
  }
}
