import AudioTypes
import AudioUnits
import RenderCore

/// A graph at one moment, with everything that its plan is compiled from.
final class GraphSide: Sendable {
  let model: GraphModel
  let preparation: Preparation
  let domains: RateDomains

  init(_ model: GraphModel, _ preparation: Preparation) {
    self.model = model
    self.preparation = preparation
    domains = preparation.domains ?? RateDomains(model, preparation)
  }

  func isPulled(_ id: NodeID) -> Bool { preparation.pulled.contains(id) }

  /// The callbacks of a chain, each with the format of the bus.
  func keys(of callback: InputCallback) -> [SourceKey] {
    guard let inputs = preparation.configurations[callback.destination]?.inputs,
      inputs.indices.contains(callback.input)
    else { return [] }
    let format = inputs[callback.input].format
    return callback.instances.map { SourceKey(serial: $0.serial, format: format) }
  }

  /// The callbacks that feed an input, with what each of them pulls; empty where it is not pulled.
  fileprivate func links(into input: BusKey) -> [(key: SourceKey, feed: LinkFeed?)] {
    guard isPulled(input.node), case .callback(let callback)? = model.feeds[input] else {
      return []
    }
    return keys(of: callback).enumerated().map { ($1, callback.upstream(of: $0)) }
  }
}

/// The feed of each input in a plan: of one graph or, during a cross-fade from one graph to the
/// next, of both.
///
/// A unit in both graphs renders once and keeps its state. Where the graphs feed one of its inputs
/// differently, the plan fades from the old feed to the new one.
struct PlanRoutes {
  enum Feed {
    case steady(LinkFeed?)
    case changing(Change)
  }

  /// An input or a callback in both graphs, with what it pulls in each.
  struct Change {
    var from: LinkFeed?
    var to: LinkFeed?

    /// Whether what is pulled restarts the old sound, which then has full level from its first
    /// frame on.
    var isOnset: Bool {
      guard case .link(let old, let behind)? = from, case .link(let new, let index)? = to else {
        return false
      }
      return new.instances[index].restartedSerial == old.instances[behind].serial
    }
  }

  /// The inputs and callbacks that two graphs share, but feed differently.
  struct Changes {
    var inputs: [BusKey: Change] = [:]
    var links: [SourceKey: Change] = [:]

    var isEmpty: Bool { inputs.isEmpty && links.isEmpty }

    /// Whether all differences are restarted sounds.
    var areOnsets: Bool {
      inputs.values.allSatisfy(\.isOnset) && links.values.allSatisfy(\.isOnset)
    }

    /// The old feeds, which fade out.
    var leaving: Changes { mapped { Change(from: $0.from, to: nil) } }

    /// The new feeds, which fade in.
    var entering: Changes { mapped { Change(from: nil, to: $0.to) } }

    private func mapped(_ half: (Change) -> Change) -> Changes {
      Changes(inputs: inputs.mapValues(half), links: links.mapValues(half))
    }
  }

  /// The graph to be played and, during a cross-fade, the one before it.
  private let sides: [GraphSide]
  private let changes: Changes
  /// The pulled nodes, sources before what they feed.
  let order: [NodeID]

  /// Routes of one graph in which some feeds fade out or in.
  init(_ side: GraphSide, _ changes: Changes = Changes()) {
    sides = [side]
    self.changes = changes
    order = side.preparation.order.filter(side.isPulled)
  }

  /// Routes of both graphs in one plan; `nil` where one plan cannot render both: a unit would need
  /// two paces, or would have to render both before and after another.
  init?(from old: GraphSide, to new: GraphSide, _ changes: Changes) {
    guard let head = new.model.head?.id else { return nil }
    let shared = old.preparation.pulled.intersection(new.preparation.pulled)
    guard shared.allSatisfy({ old.domains.domain(of: $0) == new.domains.domain(of: $0) }) else {
      return nil
    }
    let microphone = BusKey(node: head, bus: RemoteIO.inputElement)
    guard
      old.domains.domain(ofOutput: microphone, head: head)
        == new.domains.domain(ofOutput: microphone, head: head)
    else { return nil }
    // A callback that moves to another input must keep its pace, too.
    var paces: [SourceKey: RateDomains.Domain] = [:]
    for side in [old, new] {
      for interaction in side.model.interactions where side.isPulled(interaction.destination) {
        guard case .callback(let callback) = interaction else { continue }
        let pace = side.domains.domain(
          feeding: BusKey(node: interaction.destination, bus: interaction.input))
        for key in side.keys(of: callback) {
          guard paces.updateValue(pace, forKey: key) ?? pace == pace else { return nil }
        }
      }
    }
    sides = [new, old]
    self.changes = changes
    guard let order = Self.order([new, old], head) else { return nil }
    self.order = order
  }

  /// The inputs of shared units with different feeds in the two graphs, and the shared callbacks
  /// that pull something else.
  static func changes(from old: GraphSide, to new: GraphSide) -> Changes {
    var changes = Changes()
    let inputs = new.model.inputsEdited(since: old.model)
    // A callback may have moved from one of the inputs to another.
    var before: [SourceKey: LinkFeed?] = [:]
    for input in inputs {
      for (key, feed) in old.links(into: input) { before[key] = .some(feed) }
    }
    for input in inputs {
      for (key, to) in new.links(into: input) {
        guard let from = before[key], from?.identity != to?.identity else { continue }
        changes.links[key] = Change(from: from, to: to)
      }
      guard old.isPulled(input.node), new.isPulled(input.node) else { continue }
      let (from, to) = (old.model.feeds[input]?.feed, new.model.feeds[input]?.feed)
      if from?.identity != to?.identity { changes.inputs[input] = Change(from: from, to: to) }
    }
    return changes
  }

  /// The nodes of both graphs, sources before what they feed; `nil` where there is no such order.
  private static func order(_ sides: [GraphSide], _ head: NodeID) -> [NodeID]? {
    var members: [NodeID] = []
    var numbers: [NodeID: Int] = [:]
    numbers.reserveCapacity(sides[0].preparation.pulled.count)
    for side in sides {
      for id in side.preparation.order where side.isPulled(id) && numbers[id] == nil {
        numbers[id] = members.count
        members.append(id)
      }
    }
    // A link in both graphs is listed twice, which makes no difference.
    var links: [Neighbours.Link] = []
    for side in sides {
      for interaction in side.model.interactions {
        // The microphone side is compiled before any node.
        guard let link = interaction.link, link.source != head,
          let source = numbers[link.source], let destination = numbers[link.destination],
          side.isPulled(link.destination)
        else { continue }
        links.append((source, destination))
      }
    }
    let ready = Neighbours.order(Array(members.indices), links, count: members.count)
    return ready.count == members.count ? ready.map { members[$0] } : nil
  }

  // MARK: For the compiler

  /// Whether a cross-fade is under way, during which an output may feed two inputs.
  var isCrossfading: Bool { !changes.isEmpty }

  var head: GraphModel.Node? { sides[0].model.head }

  var mainRate: Double? { sides[0].domains.mainRate }

  /// The taps of the graph to be played.
  var taps: [GraphModel.Tap] { sides[0].model.taps }

  private func side(of id: NodeID) -> GraphSide {
    if sides.count == 1 { return sides[0] }
    return sides.first { $0.isPulled(id) } ?? sides[0]
  }

  func node(_ id: NodeID) -> GraphModel.Node? { side(of: id).model.node(id) }

  func configuration(_ id: NodeID) -> UnitConfiguration? {
    side(of: id).preparation.configurations[id]
  }

  func feed(_ input: BusKey) -> Feed {
    if !changes.inputs.isEmpty, let change = changes.inputs[input] { return .changing(change) }
    return .steady(side(of: input.node).model.feeds[input]?.feed)
  }

  /// What a callback pulls in each graph, where the two differ.
  func change(of link: SourceKey) -> Change? {
    changes.links.isEmpty ? nil : changes.links[link]
  }

  func domain(of id: NodeID) -> RateDomains.Domain { side(of: id).domains.domain(of: id) }

  func domain(ofOutput key: BusKey) -> RateDomains.Domain {
    side(of: key.node).domains.domain(ofOutput: key, head: head?.id)
  }

  func domain(feeding input: BusKey) -> RateDomains.Domain {
    side(of: input.node).domains.domain(feeding: input)
  }

  func isPulled(_ input: BusKey) -> Bool { side(of: input.node).domains.isPulled(input) }

  /// Seconds of the input that pass in one second of its unit.
  func speed(of input: BusKey) -> Double { side(of: input.node).domains.speed(of: input) }

  /// The most frames that a domain renders when the device asks for `frameCount`.
  func frames(in domain: RateDomains.Domain, for frameCount: Int) -> Int {
    let side =
      if case .input(let input) = domain { self.side(of: input.node) } else { sides[0] }
    return side.domains.frames(in: domain, for: frameCount)
  }
}
