public import AudioTypes

/// What is told, on the render thread, that the microphone side of an I/O unit has heard something:
/// Core Audio's input callback.
///
/// Core Audio's gets no buffers and has to render element 1 itself. This one is handed what element 1
/// has put out for the slice, as floats, which it may read until it returns. It keeps the render
/// thread's rules: no allocation, no lock, no system call.
public final class InputCallbackReference: Sendable {
  public typealias Body = @Sendable (_ timeStamp: TimeStamp, _ heard: RenderBus) -> Void

  let body: Body

  public init(_ body: @escaping Body) { self.body = body }
}

/// `@safe`: the callback is in the company of the kernel's box.
@safe
public struct InputCallbackKernel: RenderKernel {
  private let callback: Unmanaged<InputCallbackReference>

  public init(_ callback: InputCallbackReference) {
    unsafe self.callback = .passUnretained(callback)
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    call(context)
    return .ok
  }

  // A client's own code: what it does on the render thread is its own promise.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) {
    let heard = context.input(0)
    unsafe callback._withUnsafeGuaranteedRef { $0.body(context.timeStamp, heard) }
  }
}
