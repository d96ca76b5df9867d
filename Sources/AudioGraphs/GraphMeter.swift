public import RenderCore
import Synchronization

/// Measures the render time of a graph's parts.
extension AudioGraph {
  /// Measures the kernels from the next `initialize()` on, those added by later updates included;
  /// `nil` measures nothing. An initialized graph goes on as it is. Any thread but the render
  /// thread.
  public func setMeter(_ meter: RenderMeter?) { state.withLock { $0.meter = meter } }
}
