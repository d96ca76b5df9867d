public import AudioTypes

/// Notifies an observer before or after a unit renders (`AudioUnitAddRenderNotify`).
///
/// `@safe`: the kernel's box retains the observer.
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

  // The client's code, which must keep the render thread's rules.
  @_semantics("no_performance_analysis")
  private func tell(_ context: RenderContext) {
    let flags = flags
    unsafe observer._withUnsafeGuaranteedRef {
      $0.notify(flags, context.timeStamp, context.frameCount)
    }
  }
}

// MARK: Taps

/// Keeps the taps of a graph from running until it is opened.
///
/// A gate belongs to one graph. It is opened while nothing renders, or between two slices by the
/// thread that renders.
public final class TapGate: Sendable {
  private let block = ControlBlock(count: 1)

  public init() {}

  /// Lets the taps run from the next slice on.
  public func open() { block[word: 0] = 1 }

  /// The kernel of a tap, run only while the gate is open. Control thread.
  package func gated(_ kernel: KernelBox) -> KernelBox { kernel.running(where: block) }
}

extension KernelBox {
  /// A kernel that runs this one while word 0 of a block is not 0.
  func running(where gate: ControlBlock) -> KernelBox {
    let gated = GatedKernel(self, gate.access)
    // The new box calls a client's code where this one does.
    return callsClient ? .calling(gated, with: self, gate) : .holding(gated, with: self, gate)
  }
}

// `@safe`: the box retains the kernel and the gate.
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

  // The kernel's own conformance is checked, as in a plan.
  @_semantics("no_performance_analysis")
  private func run(_ context: RenderContext) -> Status {
    unsafe kernel._withUnsafeGuaranteedRef { $0.render(context) }
  }
}
