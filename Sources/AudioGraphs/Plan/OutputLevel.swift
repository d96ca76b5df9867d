import RenderHost

/// The level that a graph never puts out more than.
extension AudioGraph {
  /// The greatest magnitude of a sample that is put out, where 1 is full scale; `nil` for no limit.
  ///
  /// It holds at the very end, behind everything that the graph does, and takes effect at once: a lower
  /// one is reached in 20 ms. What would be louder is turned down, all channels alike; taps are in front
  /// of it. It has no delay and needs no room. Any thread.
  public var outputPeakLimit: Float? {
    get { present.withLock { $0.outputPeakLimit } }
    set { present.withLock { $0.outputPeakLimit = newValue } }
  }

  /// The same for whoever runs the graph: where both are set, the lower one holds.
  public var outputPeakCeiling: Float? {
    get { present.withLock { $0.outputPeakCeiling } }
    set { present.withLock { $0.outputPeakCeiling = newValue } }
  }
}
