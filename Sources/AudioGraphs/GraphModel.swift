public import AudioTypes
import AudioUnits
public import RenderCore
import Synchronization

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

/// The nodes, interactions, taps and ramps of a graph at one moment.
struct GraphModel: Sendable {
  /// A node; another one takes its place where something of it changes. A class: each pass over the
  /// graph looks at every node, and a reference is copied sooner than a node.
  final class Node: Sendable {
    let id: NodeID
    let component: ComponentDescription
    let unit: any AudioUnit.Type
    let name: String
    /// The unit; `nil` while the graph is not open.
    let instance: UnitInstance?
    /// The format of buses that need a format and have been given none; `nil` for the graph's
    /// default.
    let defaultFormat: StreamFormat?
    /// Whether it is an I/O unit, with a device's two sides.
    let isIO: Bool
    /// Whether it is an output unit, which ends the graph.
    let isOutput: Bool

    init(id: NodeID, unit: any AudioUnit.Type, name: String, instance: UnitInstance?) {
      (self.id, self.unit, self.name, self.instance) = (id, unit, name, instance)
      let kind = instance?.kind ?? UnitKind(unit.description)
      (component, isIO, isOutput) = (kind.component, kind.isIO, kind.isOutput)
      defaultFormat = nil
    }

    /// A node with another unit and another default format.
    fileprivate init(
      _ other: Node, instance: UnitInstance?, defaultFormat: StreamFormat?
    ) {
      (id, component, unit, name) = (other.id, other.component, other.unit, other.name)
      (self.instance, self.defaultFormat) = (instance, defaultFormat)
      (isIO, isOutput) = (other.isIO, other.isOutput)
    }
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

  /// The inputs of a node that something feeds, in ascending order. Most nodes have one.
  private struct Incoming {
    private(set) var first: Int?
    private(set) var others: [Int] = []
    /// A new number after each change, unique across all models.
    private(set) var version = 0

    private static let lastVersion = Atomic<Int>(0)

    var all: [Int] { first.map { [$0] + others } ?? [] }

    mutating func insert(_ input: Int) {
      noteChange()
      guard let present = first else {
        first = input
        return
      }
      first = min(present, input)
      let rest = max(present, input)
      others.insert(rest, at: others.firstIndex { $0 > rest } ?? others.count)
    }

    mutating func remove(_ input: Int) {
      noteChange()
      if first != input {
        others.removeAll { $0 == input }
      } else {
        first = others.isEmpty ? nil : others.removeFirst()
      }
    }

    private mutating func noteChange() {
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
  /// What feeds each input that is fed.
  private(set) var feeds = BusTable<Interaction>()
  /// The connection from each output that feeds an input, directly or through callbacks.
  private(set) var outputLinks = BusTable<Connection>()
  /// The fed inputs of each node, under its bus 0.
  private var incoming = BusTable<Incoming>()
  /// In the order of addition.
  private var outputUnits: [NodeID] = []
  private var nextNode: Int32 = 1

  func index(of id: NodeID) -> Int? {
    // As long as no node has been removed, the number gives the index; afterwards the index is
    // lower.
    var upper = Int(id.rawValue) - 1
    if nodes.count == Int(nextNode) - 1 { return nodes.indices.contains(upper) ? upper : nil }
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
    let node = Node(id: id, unit: unit, name: name ?? "node \(id.rawValue)", instance: instance)
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
    let node = nodes[index]
    nodes[index] = Node(node, instance: node.instance, defaultFormat: format)
    return true
  }

  func touches(_ interaction: Interaction, _ id: NodeID) -> Bool {
    interaction.destination == id || interaction.link?.source == id
  }

  mutating func setInstance(_ instance: UnitInstance?, at index: Int) {
    let node = nodes[index]
    nodes[index] = Node(node, instance: instance, defaultFormat: node.defaultFormat)
  }

  /// Reserves room for nodes and for feeds of their inputs.
  mutating func reserveCapacity(nodes count: Int, feeds feedCount: Int) {
    nodes.reserveCapacity(count)
    interactions.reserveCapacity(feedCount)
    feeds.reserveCapacity(nodes: count)
    outputLinks.reserveCapacity(nodes: count)
    incoming.reserveCapacity(nodes: count)
  }

  mutating func add(_ interaction: Interaction) {
    interactions.append(interaction)
    let input = BusKey(node: interaction.destination, bus: interaction.input)
    feeds[input] = interaction
    changeIncoming(of: input.node) { $0.insert(input.bus) }
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
    changeIncoming(of: input.node) { $0.remove(input.bus) }
    if let link = interaction.link {
      outputLinks[BusKey(node: link.source, bus: link.output)] = nil
    }
    mark(interaction, isThere: false)
  }

  private mutating func changeIncoming(of node: NodeID, _ change: (inout Incoming) -> Void) {
    incoming.change(BusKey(node: node, bus: 0), from: Incoming(), change)
  }

  private func incoming(of node: NodeID) -> Incoming? { incoming[BusKey(node: node, bus: 0)] }

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
  func interactions(into id: NodeID) -> NodeFeeds {
    guard let incoming = incoming(of: id), let first = incoming.first else { return NodeFeeds() }
    return NodeFeeds(
      first: feeds[BusKey(node: id, bus: first)],
      others: incoming.others.isEmpty
        ? [] : incoming.others.compactMap { feeds[BusKey(node: id, bus: $0)] })
  }

  /// A number that changes with the node's feeds. Equal numbers mean equal feeds, across all
  /// models.
  func feedVersion(of id: NodeID) -> Int { incoming(of: id)?.version ?? 0 }

  /// The inputs, in either model, of the nodes whose feeds have been edited since an earlier one.
  func inputsEdited(since old: GraphModel) -> [BusKey] {
    incoming.all.flatMap { key, feeds -> [BusKey] in
      let node = key.node
      let before = old.incoming(of: node)
      guard feeds.version != before?.version else { return [] }
      return Set(feeds.all + (before?.all ?? [])).map { BusKey(node: node, bus: $0) }
    }
  }
}
