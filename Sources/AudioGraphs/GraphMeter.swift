public import RenderCore
import Synchronization

/// What the parts of a graph take of the render thread's time.
extension AudioGraph {
  /// Has the kernels measured from the next `initialize()` on, those that updates bring along included;
  /// `nil` for none. A graph that is initialized goes on as it is. Any thread but the render thread.
  public func setMeter(_ meter: RenderMeter?) { state.withLock { $0.meter = meter } }
}
