public import AudioTypes
public import RenderCore

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

/// A bus of a node in one word, for fast dictionary lookups.
package struct BusKey: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Spread, and not in the order of nodes as `NodeID` is: rows of places for each number of a bus would
  /// overlap, and what falls into a row is looked for to its end.
  package func _rawHashValue(seed: Int) -> Int { multiplicativeHash(rawValue, seed) }

  /// A number outside of the range of buses is stored as -1.
  package init(node: NodeID, bus: Int) {
    let number = UInt32(exactly: bus) ?? .max
    rawValue = UInt64(UInt32(bitPattern: node.rawValue)) << 32 | UInt64(number)
  }

  package var node: NodeID { NodeID(rawValue: Int32(truncatingIfNeeded: rawValue >> 32)) }
  package var bus: Int {
    let number = UInt32(truncatingIfNeeded: rawValue)
    return number == .max ? -1 : Int(number)
  }
}

/// The feeds of a node, by ascending input. Most nodes have one, which takes no array.
struct NodeFeeds: Sequence {
  fileprivate var first: Interaction?
  fileprivate var others: [Interaction] = []

  init(first: Interaction? = nil, others: [Interaction] = []) {
    (self.first, self.others) = (first, others)
  }

  /// The connection that feeds the node alone; `nil` where something else feeds it.
  var onlyConnection: Connection? { others.isEmpty ? first?.connection : nil }

  struct Iterator: IteratorProtocol {
    fileprivate let feeds: NodeFeeds
    fileprivate var index = -1

    mutating func next() -> Interaction? {
      index += 1
      if index == 0 { return feeds.first }
      return index <= feeds.others.count ? feeds.others[index - 1] : nil
    }
  }

  func makeIterator() -> Iterator { Iterator(feeds: self) }
}
