import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCore

/// What a patch has made of its graph, by the names that it gives to things: what two patches are
/// compared by.
struct PatchLayout: Sendable {
  /// A bus of a node.
  struct BusName: Hashable, Sendable {
    var node: String
    var bus: Int
  }

  /// A callback with its settings, paths resolved. Two are equal where they say the same.
  struct Link: Hashable, Sendable {
    var kind: String
    var values: [String: SettingValue]
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

    /// Whether both make the same sound.
    func says(_ other: Chain) -> Bool { links == other.links && source == other.source }
  }

  /// What feeds an input.
  enum Feed: Sendable {
    case output(BusName)
    case chain(Chain)

    /// The output that the sound comes from.
    var source: BusName? {
      switch self {
      case .output(let name): name
      case .chain(let chain): chain.source
      }
    }

    func says(_ other: Feed) -> Bool {
      switch (self, other) {
      case (.output(let one), .output(let two)): one == two
      case (.chain(let one), .chain(let two)): one.says(two)
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

    func says(_ other: Tap) -> Bool {
      at == other.at && kind == other.kind && values == other.values
    }
  }

  /// What the patch asks of the device.
  var request: SessionRequest?
  /// What it decides for the time that it plays.
  var policy = SessionPolicy()
  /// Names in the order of the patch.
  var nodeNames: [String] = []
  var nodes: [String: NodeID] = [:]
  var feeds: [BusName: Feed] = [:]
  var taps: [String: Tap] = [:]
  /// How each unit would be initialized.
  var configurations: [NodeID: UnitConfiguration] = [:]

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
