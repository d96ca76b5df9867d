public import AudioTypes

/// A render notification (`AUGraphAddRenderNotify`): called on the render thread before and after
/// each slice, with `.preRender` or `.postRender`. A slice that is cut at parameter changes still
/// counts as one.
public final class RenderObserver: Sendable {
  /// Takes the flags, the time stamp of the slice and its number of frames.
  public typealias Body = @Sendable (RenderActionFlags, TimeStamp, Int) -> Void

  package let notify: Body

  /// - Parameter body: Runs on the render thread and must keep its rules: no allocation, no lock,
  ///   no system call.
  public init(_ body: @escaping Body) { notify = body }
}
