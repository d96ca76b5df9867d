public import AudioTypes
import AudioUnits
import Synchronization

/// How late what crosses the buses of a graph is.
extension AudioGraph {
  /// Whether inputs of units with several are delayed so that all that meets there is equally late; `false`
  /// until it is set. On an initialized graph a change is an edit, which waits for `update()`.
  ///
  /// The delays are whole frames. An output unit and what the microphone's side adds before the graph are
  /// not counted: there is nothing that they could be in step with.
  public var compensatesLatency: Bool {
    get { state.withLock { $0.model.compensatesLatency } }
    set { state.withLock { try? make(.compensateLatency(newValue), &$0) } }
  }

  /// How late each bus of each unit is behind the sources of the graph, and by how much inputs are delayed,
  /// as initialization would settle it. The property Latency of the units on the way makes it.
  public func latencies() -> GraphLatencies {
    state.withLock { state in
      guard state.isOpen else { return GraphLatencies() }
      return GraphLatencies(examine(&state))
    }
  }
}

/// How late what crosses the buses of a graph is, in seconds.
public struct GraphLatencies: Sendable {
  private let paths: PathLatencies
  private let rates: [NodeID: [Double]]

  init() {
    paths = PathLatencies()
    rates = [:]
  }

  init(_ preparation: Preparation) {
    paths = preparation.latencies
    rates = preparation.configurations.mapValues { $0.inputs.map(\.format.sampleRate) }
  }

  /// Of what a unit puts out.
  public func output(of node: NodeID) -> Double { paths.outputs[node] ?? 0 }

  /// Of what arrives at an input, before it is delayed.
  public func input(_ input: Int, of node: NodeID) -> Double {
    paths.inputs[BusKey(node: node, bus: input)] ?? 0
  }

  /// By how many frames of its own rate an input is delayed, so that all that meets there is equally late.
  public func delay(ofInput input: Int, of node: NodeID) -> Int {
    paths.delays[BusKey(node: node, bus: input)] ?? 0
  }

  /// What the microphone's side adds before the graph.
  public var microphone: Double { paths.microphone }
}
