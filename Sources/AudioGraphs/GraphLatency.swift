public import AudioTypes
import Synchronization

/// Latencies along the paths of a graph.
extension AudioGraph {
  /// Whether the inputs of a unit with several inputs are delayed so that all paths that meet there
  /// have the same latency; `false` until set. On an initialized graph a change is an edit, which
  /// waits for `update()`.
  ///
  /// The delays are whole frames. The latencies of an output unit and of the microphone's side
  /// before the graph are not counted: no other path meets them.
  public var compensatesLatency: Bool {
    get { state.withLock { $0.model.compensatesLatency } }
    set { state.withLock { try? make(.compensateLatency(newValue), &$0) } }
  }

  /// The latency from the sources of the graph to each unit's buses, and the delay of each input,
  /// as initialization would settle them. They are computed from the property Latency of the units
  /// along each path.
  public func latencies() -> GraphLatencies {
    state.withLock { state in
      guard state.isOpen else { return GraphLatencies() }
      return GraphLatencies(examine(&state))
    }
  }
}

/// Latencies along the paths of a graph, in seconds.
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

  /// The latency of a unit's output.
  public func output(of node: NodeID) -> Double { paths.outputs[node] ?? 0 }

  /// The latency at an input, before its delay.
  public func input(_ input: Int, of node: NodeID) -> Double {
    paths.inputs[BusKey(node: node, bus: input)] ?? 0
  }

  /// The delay of an input, in frames of its own rate, that makes all paths that meet there equally
  /// late.
  public func delay(ofInput input: Int, of node: NodeID) -> Int {
    paths.delays[BusKey(node: node, bus: input)] ?? 0
  }

  /// The latency of the microphone's side before the graph.
  public var microphone: Double { paths.microphone }
}
