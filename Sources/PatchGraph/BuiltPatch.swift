public import AudioGraphs
public import AudioTypes
import AudioUnits
public import Diagnostics
public import PatchSyntax
import RenderCallbacks
import RenderCore

/// The graph of a patch, and the patch's diagnostics.
public struct BuiltPatch: Sendable {
  /// The graph: open, configured and connected; `nil` where the text could not be read at all. It
  /// may be initialized only if there are no errors.
  public internal(set) var graph: AudioGraph?
  /// All findings, from mistakes in the syntax to errors that initializing would throw, in the
  /// order of the text.
  public internal(set) var diagnostics: [Diagnostic]
  /// The text that the ranges of the diagnostics refer to: that of the patch, followed by those of
  /// its sub-graphs.
  public internal(set) var source: SourceText
  /// How many bytes of `source` are the patch's own.
  public internal(set) var ownLength: Int
  /// The document with its sub-graphs put into it; `nil` where the text could not be read at all,
  /// and after `release(remaking:)`.
  public internal(set) var document: PatchDocument?
  public internal(set) var title: String?
  /// The paths of the files that the patch reads, as they would be opened.
  public internal(set) var inputFiles: [String] = []
  /// The paths of the files that the patch writes, as they would be opened.
  public internal(set) var outputFiles: [String] = []
  /// The files of its sub-graphs and presets, each once.
  public internal(set) var subgraphFiles: [SubgraphFile] = []

  /// The file of a sub-graph or a preset.
  public struct SubgraphFile: Hashable, Sendable {
    /// The name of its text in diagnostics.
    public var name: String
    /// The path that it was opened by.
    public var path: String
  }
  /// The updates of the timeline in order of time, each made on the document that the update before
  /// it has made. Where an update cannot be made, there is an error, and later updates are missing.
  public internal(set) var updates: [PlannedUpdate] = []
  /// The shared libraries that its callbacks call, in the order of the text.
  public internal(set) var libraries: [Library] = []
  /// The paths of the libraries that may be loaded.
  var allowedLibraries: Set<String> = []
  /// The parts of the graph by their names.
  var layout = PatchLayout()
  /// Where its parts are written.
  var places: PatchPlaces?
  /// The patch that it is a revision of; `nil` for none.
  var origin: PatchOrigin?
  /// Builds the patch again; `nil` where it has not been released.
  var remake: (@Sendable () -> BuiltPatch)?

  public var hasErrors: Bool { diagnostics.hasErrors }

  /// The patch's own text.
  public var ownSource: SourceText {
    ownLength == source.bytes.count ? source : source.prefix(ownLength)
  }

  /// Releases what only diagnostics, updates and comparisons with other patches need: in a large
  /// patch as much memory as the graph. The graph stays.
  ///
  /// - Parameter remake: Builds the same patch again, for the place of a violation that initializing
  ///   the graph throws.
  public mutating func release(remaking remake: @escaping @Sendable () -> BuiltPatch) {
    document = nil
    layout = PatchLayout()
    places = nil
    self.remake = remake
  }

  /// The diagnostic, in the text of the patch, for an error that initializing its graph has thrown;
  /// `nil` where the patch has no places.
  public func diagnostic(of violation: Violation) -> Diagnostic? {
    (places ?? remake?().places).map { violation.diagnostic(in: $0) }
  }

  /// The unit of a node, by the node's name.
  func unit(_ name: String) -> UnitInstance? {
    layout.nodes[name].flatMap { try? graph?.unit($0) }
  }

  /// The ramps of the timeline, each with the name of its node.
  var ramps: [(node: String, ramp: ParameterRamp)] {
    guard let ramps = graph?.ramps, !ramps.isEmpty else { return [] }
    let names = Dictionary(uniqueKeysWithValues: layout.nodes.map { ($1, $0) })
    return ramps.compactMap { ramp in names[ramp.node].map { ($0, ramp) } }
  }
}

/// The parts of a patch's graph by the names that the patch gives them, for the comparison of two
/// patches.
struct PatchLayout: Sendable {
  /// A bus of a node.
  struct BusName: Hashable, Sendable {
    var node: String
    var bus: Int

    /// The bus in quotes: `mixer:1`, or `mixer` for bus 0.
    var text: String { quoted(bus == 0 ? node : "\(node):\(bus)") }
  }

  /// A callback of a chain with its settings, paths resolved.
  struct Link: Sendable {
    let callback: any RenderCallback
    /// Its name in the patch, by which it is found in another patch.
    var name: String
    var kind: String
    /// The settings that cannot change while it plays. A setting that is not written has its
    /// default.
    var fixed: [String: SettingValue]
    /// The settings that can change while it plays.
    var live: [LiveSetting]

    init(
      name: String, _ description: CallbackDescription, _ values: [String: SettingValue],
      _ callback: any RenderCallback
    ) {
      self.name = name
      self.callback = callback
      kind = description.kind
      live = callback.live?.liveSettings ?? []
      var fixed = values
      for setting in description.settings {
        if setting.change != .fixed {
          fixed[setting.key] = nil
        } else if fixed[setting.key] == nil {
          fixed[setting.key] = setting.defaultValue
        }
      }
      self.fixed = fixed
    }

    /// Whether one becomes the other by live settings alone.
    func differsOnlyInLiveSettings(from other: Link) -> Bool {
      kind == other.kind && fixed == other.fixed && live.map(\.key) == other.live.map(\.key)
    }
  }

  /// A chain of callbacks.
  struct Chain: Sendable {
    /// The callbacks from the one that feeds the bus upstream: at least one.
    var links: [Link]
    /// The output that the last callback pulls; `nil` for none.
    var source: BusName?

    /// The name of the callback that feeds the bus.
    var name: String { links[0].name }

    /// Whether one becomes the other by live settings alone.
    func differsOnlyInLiveSettings(from other: Chain) -> Bool {
      links.count == other.links.count && source == other.source
        && zip(links, other.links).allSatisfy { $0.differsOnlyInLiveSettings(from: $1) }
    }

    /// Feeds an input of a graph by the chain.
    ///
    /// - Parameters:
    ///   - callbacks: The callbacks or their instances, in the order of the links.
    ///   - nodes: The nodes of the graph by their names.
    func feed(
      _ input: Int, of node: NodeID, in graph: AudioGraph, by callbacks: [any RenderCallback],
      _ nodes: [String: NodeID]
    ) throws(Violation) {
      var feed = source.flatMap { source in
        nodes[source.node].map { CallbackFeed.output($0, source.bus) }
      }
      for callback in callbacks.dropFirst().reversed() { feed = .callback(callback, from: feed) }
      try graph.setInputCallback(
        callbacks[0], of: node, input, from: feed, soundingAs: links.last?.name)
    }
  }

  /// What feeds an input.
  enum Feed: Sendable {
    case output(BusName)
    // Boxed: a chain is larger than an output, and most feeds are outputs.
    indirect case chain(Chain)

    /// The output that the sound comes from.
    var source: BusName? {
      switch self {
      case .output(let name): name
      case .chain(let chain): chain.source
      }
    }

    /// Whether one becomes the other by live settings alone.
    func differsOnlyInLiveSettings(from other: Feed) -> Bool {
      switch (self, other) {
      case (.output(let one), .output(let two)): one == two
      case (.chain(let one), .chain(let two)): one.differsOnlyInLiveSettings(from: two)
      default: false
      }
    }

    /// Its name in quotes: the output's, or the callback's.
    var text: String {
      switch self {
      case .output(let name): name.text
      case .chain(let chain): quoted(chain.name)
      }
    }
  }

  struct Tap: Sendable {
    var id: TapID
    var at: BusName
    var kind: String
    var values: [String: SettingValue]
    var tap: any RenderTap

    /// Whether the kind and the settings are the same; the bus may differ.
    func isSame(as other: PatchLayout.Tap) -> Bool { kind == other.kind && values == other.values }

    /// The file that it writes; `nil` for none.
    var path: String? {
      if case .text(let path)? = values["path"] { path } else { nil }
    }

    /// The file that it continues in where it cannot continue in its own; `nil` for a tap that writes
    /// no file.
    var nextPath: String? {
      guard let path else { return nil }
      return Takes.nextPath(of: path)
    }
  }

  /// The patch's requests to the device.
  var request: SessionRequest?
  var policy = SessionPolicy()
  var limits = OutputLimits()
  /// The names of the nodes, in the order of the patch.
  var nodeNames: [String] = []
  var nodes: [String: NodeID] = [:]
  private var feeds = BusTable<Feed>()
  var taps: [String: Tap] = [:]
  /// How each unit would be initialized.
  var configurations: [NodeID: UnitConfiguration] = [:]

  /// Where each callback is, by its name: each input that it feeds, directly or through others, and
  /// how many pulls upstream it is.
  func placesOfCallbacks() -> [String: [(input: BusName, behind: Int)]] {
    var places: [String: [(input: BusName, behind: Int)]] = [:]
    for input in inputs() {
      guard case .chain(let chain)? = self[feedOf: input] else { continue }
      for (behind, link) in chain.links.enumerated() {
        places[link.name, default: []].append((input, behind))
      }
    }
    return places
  }

  mutating func reserveCapacity(nodes nodeCount: Int) {
    nodeNames.reserveCapacity(nodeCount)
    nodes.reserveCapacity(nodeCount)
    feeds.reserveCapacity(nodes: nodeCount)
  }

  /// Adds a node. Returns whether it is the first with its name.
  mutating func add(_ node: NodeID, named name: String) -> Bool {
    nodeNames.append(name)
    return nodes.updateValue(node, forKey: name) == nil
  }

  /// What feeds an input; `nil` for nothing.
  subscript(feedOf input: BusName) -> Feed? {
    get { nodes[input.node].flatMap { feeds[BusKey(node: $0, bus: input.bus)] } }
    set { if let node = nodes[input.node] { setFeed(newValue, of: node, input.bus) } }
  }

  /// The same by the identity of the node.
  mutating func setFeed(_ feed: Feed?, of node: NodeID, _ input: Int) {
    feeds[BusKey(node: node, bus: input)] = feed
  }

  /// The chains of callbacks that feed inputs.
  var chains: [Chain] {
    feeds.all.compactMap { if case .chain(let chain) = $0.value { chain } else { nil } }
  }

  /// The inputs that have a feed.
  private var fedInputs: Set<BusName> {
    let names = Dictionary(
      nodes.lazy.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(
      feeds.all.compactMap { bus, _ in names[bus.node].map { BusName(node: $0, bus: bus.bus) } })
  }

  /// The inputs that have a feed, in the order of the nodes and their buses.
  ///
  /// - Parameter some: The inputs to choose from; `nil` for all.
  func inputs(among some: Set<BusName>? = nil) -> [BusName] {
    let inputs = some.map { $0.filter { self[feedOf: $0] != nil } } ?? fedInputs
    guard inputs.count > 1 else { return Array(inputs) }
    let names = Set(inputs.map(\.node))
    let order = Dictionary(
      nodeNames.enumerated().lazy.filter { names.contains($1) }.map { ($1, $0) },
      uniquingKeysWith: { first, _ in first })
    return inputs.map { (place: order[$0.node] ?? 0, name: $0) }
      .sorted { ($0.place, $0.name.bus) < ($1.place, $1.name.bus) }
      .map(\.name)
  }
}
