public import AudioTypes

/// The part of a unit, a callback or a tap that runs on the render thread.
///
/// A kernel is made on the control thread with all the memory that it will need, then moved into a
/// box; after that only the render thread uses it. It outlives the plans that run it, and so keeps
/// its state when the graph changes.
public protocol RenderKernel: ~Copyable {
  /// Fills every frame of every output channel. Marked `@_noLocks` in each conformance.
  ///
  /// `context.frameCount` is at least 1 and at most the plan's maximum. The output must not depend
  /// on how the frames are cut into slices.
  mutating func render(_ context: RenderContext) -> Status

  /// Whether it reads `interleaved` of an input bus that has its frames so: see
  /// `RenderBus.isInterleaved`. `false` unless a kernel says otherwise; its buses then have their
  /// channels apart.
  static var readsInterleaved: Bool { get }

  /// Whether the kernel adds its inputs with `WaitingSignals`, where other threads can help.
  static var sharesMix: Bool { get }

  /// About how long it takes, as a multiple of 6 ns for a stereo frame, which is an equalizer's time;
  /// 1 unless a kernel says otherwise. Several threads render a plan if its branches take long
  /// enough.
  var weight: Int { get }
}

extension RenderKernel where Self: ~Copyable {
  public static var readsInterleaved: Bool { false }

  public static var sharesMix: Bool { false }

  public var weight: Int { 1 }
}

/// A kernel of any type behind one reference, so that a plan can hold kernels in a flat table.
///
/// `@unchecked Sendable`: made on the control thread, then used by one render thread at a time; the
/// exchange of plans orders the two.
public class KernelBox: @unchecked Sendable {
  private let retained: AnyObject?
  private let others: [AnyObject]
  /// Whether the kernel calls a client's code, which may rely on being called by one thread only.
  public let callsClient: Bool
  /// Whether the kernel may lend memory of its own to its output buses.
  public let lendsMemory: Bool
  /// The time that the kernel takes: see `RenderKernel.weight`. 0 where it lends in nearly all
  /// slices.
  let weight: Int
  /// Whether the kernel reads interleaved frames, too.
  let readsInterleaved: Bool
  /// Whether the kernel has other threads help it with a large mix.
  let sharesMix: Bool

  /// Boxes a kernel. The box retains the objects in `retained`, which the kernel points to.
  public static func holding(
    _ kernel: consuming some RenderKernel & ~Copyable, with retained: AnyObject...
  ) -> KernelBox {
    TypedKernelBox(kernel, others: retained)
  }

  /// The same for one object, as most kernels have it: it takes no array.
  public static func holding(
    _ kernel: consuming some RenderKernel & ~Copyable, with retained: AnyObject
  ) -> KernelBox {
    TypedKernelBox(kernel, retained: retained)
  }

  /// Boxes a kernel that lends memory to its output buses where they `canBorrow`. The box retains
  /// the objects in `retained`: that memory, and what else the kernel points to.
  ///
  /// - Parameter isNearlyFree: Whether it lends in nearly all slices: it then has no weight.
  public static func lending(
    _ kernel: consuming some RenderKernel & ~Copyable, isNearlyFree: Bool,
    with retained: AnyObject...
  ) -> KernelBox {
    TypedKernelBox(kernel, others: retained, lendsMemory: true, weight: isNearlyFree ? 0 : nil)
  }

  /// Boxes a kernel that calls a client's code. The box retains the objects in `retained`.
  public static func calling(
    _ kernel: consuming some RenderKernel & ~Copyable, with retained: AnyObject...
  ) -> KernelBox {
    TypedKernelBox(kernel, others: retained, callsClient: true)
  }

  /// Boxes a kernel that runs the kernel of another box, which the box retains.
  static func running(
    _ kernel: KernelBox, by outer: consuming some RenderKernel & ~Copyable,
    with retained: AnyObject
  ) -> KernelBox {
    TypedKernelBox(
      outer, others: [kernel, retained], callsClient: kernel.callsClient,
      lendsMemory: kernel.lendsMemory, weight: kernel.weight,
      readsInterleaved: kernel.readsInterleaved, sharesMix: kernel.sharesMix)
  }

  fileprivate init(
    retained: AnyObject?, others: [AnyObject], callsClient: Bool, lendsMemory: Bool,
    weight: Int, readsInterleaved: Bool, sharesMix: Bool
  ) {
    self.retained = retained
    self.others = others
    self.callsClient = callsClient
    self.lendsMemory = lendsMemory
    self.weight = weight
    self.readsInterleaved = readsInterleaved
    self.sharesMix = sharesMix
  }

  func render(_ context: RenderContext) -> Status { preconditionFailure("overridden") }
}

@safe
private final class TypedKernelBox<Kernel: RenderKernel & ~Copyable>: KernelBox,
  @unchecked Sendable
{
  // `@unchecked Sendable`: as `KernelBox`; it owns the kernel that it points to.
  // Behind a pointer, because a stored property would cost an exclusivity check in every slice.
  private let kernel: UnsafeMutablePointer<Kernel>

  init(
    _ kernel: consuming Kernel, retained: AnyObject? = nil, others: [AnyObject] = [],
    callsClient: Bool = false, lendsMemory: Bool = false, weight: Int? = nil,
    readsInterleaved: Bool = Kernel.readsInterleaved, sharesMix: Bool = Kernel.sharesMix
  ) {
    let weight = weight ?? kernel.weight
    unsafe self.kernel = .allocate(capacity: 1)
    unsafe self.kernel.initialize(to: kernel)
    super.init(
      retained: retained, others: others, callsClient: callsClient, lendsMemory: lendsMemory,
      weight: weight, readsInterleaved: readsInterleaved, sharesMix: sharesMix)
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
