import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore

/// What a patch has made of its graph, by the names that it gives to things: what two patches are
/// compared by.
struct PatchLayout: Sendable {
  /// A bus of a node.
  struct BusName: Hashable, Sendable {
    var node: String
    var bus: Int
  }

  /// A callback with its settings, paths resolved, as one of a chain.
  struct Link: Sendable {
    /// Its name in the patch: by it a callback is the same in two patches.
    var name: String
    var kind: String
    /// What cannot be turned while it plays; what is not given has its default.
    var fixed: [String: SettingValue]
    /// What can be.
    var live: [LiveSetting]

    init(
      name: String, _ description: CallbackDescription, _ values: [String: SettingValue],
      _ callback: any RenderCallback
    ) {
      self.name = name
      kind = description.kind
      live = (callback as? any LiveCallback)?.liveSettings ?? []
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

    /// Whether one can be turned into the other while it plays.
    func isSameButLive(_ other: Link) -> Bool {
      kind == other.kind && fixed == other.fixed && live.map(\.key) == other.live.map(\.key)
    }

    /// Whether both make the same sound.
    func says(_ other: Link) -> Bool {
      isSameButLive(other) && live.map(\.value) == other.live.map(\.value)
    }
  }

  /// A chain of callbacks.
  struct Chain: Sendable {
    /// The callback that feeds the bus.
    var name: String
    /// That callback first, then what it pulls.
    var links: [Link]
    /// What the last of them pulls.
    var source: BusName?
    var callback: any RenderCallback
    var feed: CallbackFeed?

    /// Whether one can be turned into the other while it plays.
    func isSameButLive(_ other: Chain) -> Bool {
      links.count == other.links.count && source == other.source
        && zip(links, other.links).allSatisfy { $0.isSameButLive($1) }
    }

    /// The callbacks themselves, in the order of the links.
    var callbacks: [any RenderCallback] {
      var callbacks = [callback]
      var next = feed
      while case .link(let link)? = next {
        callbacks.append(link.callback)
        next = link.from
      }
      return callbacks
    }
  }

  /// What feeds an input.
  enum Feed: Sendable {
    case output(BusName)
    // Apart: it is larger than an output, of which there are more.
    indirect case chain(Chain)

    /// The output that the sound comes from.
    var source: BusName? {
      switch self {
      case .output(let name): name
      case .chain(let chain): chain.source
      }
    }

    /// Whether one can be turned into the other while it plays.
    func isSameButLive(_ other: Feed) -> Bool {
      switch (self, other) {
      case (.output(let one), .output(let two)): one == two
      case (.chain(let one), .chain(let two)): one.isSameButLive(two)
      default: false
      }
    }
  }

  struct Tap: Sendable {
    var id: TapID
    var at: BusName
    var kind: String
    var values: [String: SettingValue]
    var tap: any RenderTap
  }

  /// What the patch asks of the device.
  var request: SessionRequest?
  /// What it decides for the time that it plays.
  var policy = SessionPolicy()
  var limits = OutputLimits()
  /// Names in the order of the patch.
  var nodeNames: [String] = []
  var nodes: [String: NodeID] = [:]
  var feeds: [BusName: Feed] = [:]
  var taps: [String: Tap] = [:]
  /// How each unit would be initialized.
  var configurations: [NodeID: UnitConfiguration] = [:]

  /// Where each callback feeds, by name: each input, and how many pulls behind it the callback is.
  func placesOfCallbacks() -> [String: [(input: BusName, behind: Int)]] {
    var places: [String: [(input: BusName, behind: Int)]] = [:]
    for input in inputs() {
      guard case .chain(let chain)? = feeds[input] else { continue }
      for (behind, link) in chain.links.enumerated() {
        places[link.name, default: []].append((input, behind))
      }
    }
    return places
  }

  mutating func reserveCapacity(nodes nodeCount: Int, feeds feedCount: Int) {
    nodeNames.reserveCapacity(nodeCount)
    nodes.reserveCapacity(nodeCount)
    feeds.reserveCapacity(feedCount)
  }

  mutating func add(_ node: NodeID, named name: String) {
    nodeNames.append(name)
    nodes[name] = node
  }

  /// The inputs that are fed, in the order of the nodes and their buses.
  ///
  /// - Parameter some: Of these; `nil` for all.
  func inputs(among some: Set<BusName>? = nil) -> [BusName] {
    let inputs = some.map { $0.filter { feeds[$0] != nil } } ?? Set(feeds.keys)
    let names = Set(inputs.map(\.node))
    let order = Dictionary(
      nodeNames.enumerated().lazy.filter { names.contains($1) }.map { ($1, $0) },
      uniquingKeysWith: { first, _ in first })
    return inputs.map { (place: order[$0.node] ?? 0, name: $0) }
      .sorted { ($0.place, $0.name.bus) < ($1.place, $1.name.bus) }
      .map(\.name)
  }
}
