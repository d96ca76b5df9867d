public import AudioTypes

/// Called on the render thread when the microphone side of an I/O unit has captured a slice: Core
/// Audio's input callback.
///
/// Core Audio's gets no buffers and has to render element 1 itself. This one gets the output of
/// element 1 for the slice, as floats, valid until it returns. It must keep the render thread's
/// rules: no allocation, no lock, no system call.
public final class InputCallbackReference: Sendable {
  /// Takes the time stamp of the slice, and the output of element 1, valid until it returns.
  public typealias Body = @Sendable (_ timeStamp: TimeStamp, _ heard: RenderBus) -> Void

  let body: Body

  public init(_ body: @escaping Body) { self.body = body }
}

/// `@safe`: the kernel's box retains the callback.
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

  // The client's code, which must keep the render thread's rules.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) {
    let heard = context.input(0)
    unsafe callback._withUnsafeGuaranteedRef { $0.body(context.timeStamp, heard) }
  }
}
