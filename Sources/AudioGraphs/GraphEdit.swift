import AudioTypes
import RenderCore

/// Identifies a feed that `AudioGraph.detachFeed(of:_:)` has taken from an input.
public struct FeedToken: Hashable, Sendable {
  let number: Int
}

/// An edit of a graph, pending until the update.
enum GraphEdit: Sendable {
  case connect(Connection)
  case callback(InputCallback)
  case disconnect(BusKey)
  /// Removes the feed of an input, and keeps it with its state for `attach`.
  case detach(BusKey, FeedToken)
  case attach(FeedToken, to: BusKey)
  case clear
  case remove(NodeID)
  case addTap(GraphModel.Tap)
  case removeTap(TapID)
  /// Moves a tap, with its state, to another output.
  case moveTap(TapID, to: BusKey)
  case timeline([ParameterRamp], stopTime: Double?)
  case compensateLatency(Bool)

  /// The nodes that have to exist.
  var nodes: [NodeID] {
    switch self {
    case .connect(let connection): [connection.source, connection.destination]
    case .callback(let callback):
      [callback.destination, callback.source?.node].compactMap(\.self)
    case .disconnect(let key): [key.node]
    case .detach(let key, _), .attach(_, let key): [key.node]
    case .remove(let node): [node]
    case .addTap(let tap): [tap.node]
    case .moveTap(_, let key): [key.node]
    case .timeline(let ramps, _): ramps.map(\.node)
    case .clear, .removeTap, .compensateLatency: []
    }
  }
}

extension GraphModel {
  /// Applies an edit; throws where the model refuses it.
  mutating func apply(_ edit: GraphEdit) throws(Violation) {
    switch edit {
    case .connect(let connection):
      if let refusal = refusal(of: connection) { throw refusal }
      feed(.connection(connection))
    case .callback(let callback):
      if let refusal = refusal(of: callback) { throw refusal }
      feed(.callback(callback))
    case .disconnect(let key):
      _ = try feed(of: key)
      removeFeed(key)
    case .detach(let key, let token):
      detached[token] = try feed(of: key)
      removeFeed(key)
    case .attach(let token, let key):
      switch detached.removeValue(forKey: token) {
      case .connection(var connection)?:
        (connection.destination, connection.input) = (key.node, key.bus)
        try apply(.connect(connection))
      case .callback(var callback)?:
        (callback.destination, callback.input) = (key.node, key.bus)
        try apply(.callback(callback))
      case nil:
        throw Violation(
          GraphStates.nothingConnected, status: .invalidConnection,
          "what was to feed input \(key.bus) of '\(name(key.node))' has not been detached",
          at: .init(node: key.node, .bus(.input, key.bus)))
      }
    case .clear: removeInteractions()
    case .remove(let node):
      guard self.node(node) != nil else { throw NodesExist.violation(node) }
      remove(node)
    case .addTap(let tap):
      guard node(tap.node) != nil else { throw NodesExist.violation(tap.node) }
      taps.append(tap)
    case .removeTap(let id): taps.removeAll { $0.id == id }
    case .moveTap(let id, let key):
      guard node(key.node) != nil else { throw NodesExist.violation(key.node) }
      for index in taps.indices where taps[index].id == id {
        (taps[index].node, taps[index].output) = (key.node, key.bus)
      }
    case .timeline(let ramps, let stopTime):
      for ramp in ramps where node(ramp.node) == nil { throw NodesExist.violation(ramp.node) }
      self.ramps = ramps
      self.stopTime = stopTime
    case .compensateLatency(let isOn): compensatesLatency = isOn
    }
  }

  /// The inputs of this model that an edit feeds, feeds by something else, or feeds no more.
  func inputs(of edit: GraphEdit) -> [BusKey] {
    switch edit {
    case .connect(let connection):
      [BusKey(node: connection.destination, bus: connection.input)]
    case .callback(let callback): [BusKey(node: callback.destination, bus: callback.input)]
    case .disconnect(let key), .detach(let key, _), .attach(_, let key): [key]
    case .clear: Array(feeds.keys)
    case .remove(let node):
      interactions.lazy.filter { touches($0, node) }
        .map { BusKey(node: $0.destination, bus: $0.input) }
    case .addTap, .removeTap, .moveTap, .timeline, .compensateLatency: []
    }
  }

  /// Feeds an input, replacing its present feed.
  private mutating func feed(_ interaction: Interaction) {
    removeFeed(BusKey(node: interaction.destination, bus: interaction.input))
    add(interaction)
  }

  private func feed(of key: BusKey) throws(Violation) -> Interaction {
    guard node(key.node) != nil else { throw NodesExist.violation(key.node) }
    guard let feed = feeds[key] else {
      throw Violation(
        GraphStates.nothingConnected, status: .invalidConnection,
        "nothing feeds input \(key.bus) of '\(name(key.node))'",
        at: .init(node: key.node, .bus(.input, key.bus)))
    }
    return feed
  }
}
