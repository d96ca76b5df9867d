public import RenderCore
import Synchronization

/// Measures the render time of a graph's parts.
extension AudioGraph {
  /// Measures the kernels from the next `initialize()` on, including those added by later updates;
  /// `nil` for no measurement. No effect on the kernels of an initialized graph. Any thread but the
  /// render thread.
  public func setMeter(_ meter: RenderMeter?) { state.withLock { $0.meter = meter } }
}
