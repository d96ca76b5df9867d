import AudioTypes
import AudioUnits
import RenderCore
import Synchronization

/// The host of a graph's units. It holds the graph weakly.
final class GraphUnitHost: UnitHost {
  private struct Reference {
    weak var graph: AudioGraph?
  }

  private let reference = Mutex(Reference())

  func setGraph(_ graph: AudioGraph) { reference.withLock { $0.graph = graph } }

  private var graph: AudioGraph? { reference.withLock { $0.graph } }

  var keepsFeeds: Bool { true }

  var cpuLoad: Float { graph?.cpuLoad ?? 0 }

  func collectRenderErrors() { graph?.collectRenderErrors() }

  func connect(_ connection: UnitConnection, to unit: UnitInstance) throws(Violation) {
    let (graph, node) = try place(of: unit)
    guard let source = connection.source else {
      return try removeFeed(graph, node, connection.input)
    }
    guard let sourceNode = graph.node(of: source) else { throw notHere("the unit that feeds it") }
    try graph.connect(sourceNode, connection.output, to: node, connection.input)
  }

  func setRenderCallback(
    _ callback: (any RenderCallback)?, of unit: UnitInstance, _ input: Int
  ) throws(Violation) {
    let (graph, node) = try place(of: unit)
    guard let callback else { return try removeFeed(graph, node, input) }
    try graph.setInputCallback(callback, of: node, input)
  }

  func arrivingFormat(at input: Int, of unit: UnitInstance) -> StreamFormat? {
    guard let graph, let node = graph.node(of: unit) else { return nil }
    let (violations, configurations) = graph.examination()
    // After an error elsewhere the propagated formats are unreliable.
    let isDoubtful = violations.contains { $0.severity == .error && $0.place.node != node }
    guard !isDoubtful, let element = configurations[node]?.inputs.dropFirst(input).first,
      case .propagated = element.origin
    else { return nil }
    return element.format
  }

  func replan(for unit: UnitInstance) {
    guard unit.isInitialized else { return }
    graph?.replan()
  }

  func reset(_ unit: UnitInstance) { graph?.reset(unit) }

  /// Initializes a unit through its graph.
  func initialize(_ unit: UnitInstance) throws(Violation) {
    let (graph, node) = try place(of: unit)
    try graph.initializeUnit(of: node)
  }

  /// Removing a feed that does not exist is no error: a null callback may be set at any time.
  private func removeFeed(
    _ graph: AudioGraph, _ node: NodeID, _ input: Int
  ) throws(Violation) {
    guard
      try graph.interactions(of: node).contains(where: {
        $0.destination == node && $0.input == input
      })
    else { return }
    try graph.disconnect(node, input)
  }

  private func place(of unit: UnitInstance) throws(Violation) -> (AudioGraph, NodeID) {
    guard let graph, let node = graph.node(of: unit) else { throw notHere("the unit") }
    return (graph, node)
  }

  private func notHere(_ what: String) -> Violation {
    Violation(
      UnitRules.unitInGraph, status: .cannotDoInCurrentContext, "\(what) is not in the graph",
      at: .graph)
  }
}
