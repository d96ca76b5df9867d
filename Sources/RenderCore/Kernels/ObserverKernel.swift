public import AudioTypes

/// Tells an observer that a unit is about to render, or has rendered (`AudioUnitAddRenderNotify`).
///
/// `@safe`: the observer is in the company of the kernel's box.
@safe
public struct ObserverKernel: RenderKernel {
  private let observer: Unmanaged<RenderObserver>
  private let flags: RenderActionFlags

  public init(_ observer: RenderObserver, _ flags: RenderActionFlags) {
    unsafe self.observer = .passUnretained(observer)
    self.flags = flags
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    tell(context)
    return .ok
  }

  // A client's own code: what it does on the render thread is its own promise.
  @_semantics("no_performance_analysis")
  private func tell(_ context: RenderContext) {
    let flags = flags
    unsafe observer._withUnsafeGuaranteedRef {
      $0.notify(flags, context.timeStamp, context.frameCount)
    }
  }
}
