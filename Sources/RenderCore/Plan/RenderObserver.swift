public import AudioTypes

/// A render notification (`AUGraphAddRenderNotify`): called on the render thread before and after
/// each slice, with `.preRender` or `.postRender`. A slice that is cut where a parameter changes is one
/// slice still.
public final class RenderObserver: Sendable {
  public typealias Body = @Sendable (RenderActionFlags, TimeStamp, Int) -> Void

  package let notify: Body

  /// `body` runs on the render thread and keeps its rules: no allocation, no lock, no system call.
  public init(_ body: @escaping Body) { notify = body }
}
