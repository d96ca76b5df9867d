/// The peak limit of a graph's output.
extension AudioGraph {
  /// The greatest magnitude of an output sample, where 1 is full scale; `nil` for no limit.
  ///
  /// The limit is applied last, after the whole graph and its taps. A change takes effect at once;
  /// a lower limit is reached in 20 ms. All channels get the same gain. It adds no delay. Any
  /// thread.
  public var outputPeakLimit: Float? {
    get { present.withLock { $0.outputPeakLimit } }
    set { present.withLock { $0.outputPeakLimit = newValue } }
  }

  /// The same limit for the host that runs the graph: if both are set, the lower one applies.
  public var outputPeakCeiling: Float? {
    get { present.withLock { $0.outputPeakCeiling } }
    set { present.withLock { $0.outputPeakCeiling = newValue } }
  }
}
