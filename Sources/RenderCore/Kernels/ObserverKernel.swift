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

// MARK: Taps

/// What stands between a graph and its taps: until it is opened they hear nothing of what is rendered.
///
/// One gate belongs to one graph. It is opened while nothing renders, or between two slices of the thread that
/// renders.
public final class TapGate: Sendable {
  private let block = ControlBlock(count: 1)

  public init() {}

  /// Lets taps hear what is rendered from now on.
  public func open() { block[word: 0] = 1 }

  /// A tap's kernel behind the gate. Control thread.
  package func gated(_ kernel: KernelBox) -> KernelBox { kernel.running(where: block) }
}

extension KernelBox {
  /// A kernel that runs this one while word 0 of a block is another than 0, and does nothing else.
  func running(where gate: ControlBlock) -> KernelBox {
    let gated = GatedKernel(self, gate.access)
    // A client's code stays what it is.
    return callsClient ? .calling(gated, with: self, gate) : .holding(gated, with: self, gate)
  }
}

// Its box keeps the kernel that it points to.
@safe
private struct GatedKernel: RenderKernel {
  private let kernel: Unmanaged<KernelBox>
  private let gate: ControlAccess

  init(_ kernel: KernelBox, _ gate: ControlAccess) {
    unsafe self.kernel = .passUnretained(kernel)
    self.gate = gate
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    gate[word: 0] == 0 ? .ok : run(context)
  }

  // The kernel is checked on its own side, as in a plan.
  @_semantics("no_performance_analysis")
  private func run(_ context: RenderContext) -> Status {
    unsafe kernel._withUnsafeGuaranteedRef { $0.render(context) }
  }
}
