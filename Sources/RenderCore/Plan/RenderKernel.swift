public import AudioTypes

/// The half of a unit, a callback or a tap that runs on the render thread.
///
/// A kernel is made on the control thread with every byte it will need, then moved into a box;
/// from there only the render thread touches it. It outlives the plans that run it, so it keeps its
/// state when the graph changes around it.
public protocol RenderKernel: ~Copyable {
  /// Fills every frame of every output channel. Marked `@_noLocks` in each conformance.
  ///
  /// `context.frameCount` is at least 1 and at most the plan's maximum. What comes out may not
  /// depend on how a stretch of frames was cut into slices.
  mutating func render(_ context: RenderContext) -> Status
}

/// One kernel behind one reference, so a plan can hold kernels of every type in a flat table.
///
/// `@unchecked Sendable`: made on the control thread and then used by one render thread at a time;
/// the exchange of plans orders the two.
public class KernelBox: @unchecked Sendable {
  private let company: [AnyObject]
  /// Whether the kernel runs a client's own code, which may count on being called by one thread alone.
  public let callsClient: Bool

  /// Boxes a kernel. `company` is kept alive as long as the box: what the kernel points to.
  public static func holding(
    _ kernel: consuming some RenderKernel & ~Copyable, with company: AnyObject...
  ) -> KernelBox {
    TypedKernelBox(kernel, company: company, callsClient: false)
  }

  /// Boxes a kernel that runs a client's own code.
  public static func calling(
    _ kernel: consuming some RenderKernel & ~Copyable, with company: AnyObject...
  ) -> KernelBox {
    TypedKernelBox(kernel, company: company, callsClient: true)
  }

  fileprivate init(company: [AnyObject], callsClient: Bool) {
    self.company = company
    self.callsClient = callsClient
  }

  func render(_ context: RenderContext) -> Status { preconditionFailure("overridden") }
}

@safe
private final class TypedKernelBox<Kernel: RenderKernel & ~Copyable>: KernelBox,
  @unchecked Sendable
{
  // Behind a pointer because a stored property would cost an exclusivity check per slice.
  private let kernel: UnsafeMutablePointer<Kernel>

  init(_ kernel: consuming Kernel, company: [AnyObject], callsClient: Bool) {
    unsafe self.kernel = .allocate(capacity: 1)
    unsafe self.kernel.initialize(to: kernel)
    super.init(company: company, callsClient: callsClient)
  }

  deinit {
    unsafe kernel.deinitialize(count: 1)
    unsafe kernel.deallocate()
  }

  @_semantics("no_performance_analysis")
  override func render(_ context: RenderContext) -> Status {
    unsafe kernel.pointee.render(context)
  }
}
