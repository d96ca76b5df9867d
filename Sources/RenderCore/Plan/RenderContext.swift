public import AudioTypes

/// All that a kernel may use for one slice. Valid during `render` only.
@safe
public struct RenderContext: BitwiseCopyable {
  /// The time of the slice's first frame, at the rate of the plan.
  public let timeStamp: TimeStamp
  /// The frames of the slice: at least 1, at most the plan's largest slice.
  public let frameCount: Int
  /// The number of the kernel's input elements.
  public let inputCount: Int
  /// The number of the kernel's output elements.
  public let outputCount: Int
  /// The input element that a callback feeds; 0 for the kernel of a unit or a tap.
  public let element: Int
  private let buses: UnsafePointer<RenderBus.Row>
  private let indices: UnsafePointer<Int32>
  private let inputsPulled: UnsafeMutablePointer<Unmanaged<PulledInput>?>?
  /// The helpers that a kernel may share its work with, where several threads render.
  public let mix: MixSharing

  // Written out, here and below, to carry `@_noLocks`: the checker trusts a call into another file
  // only with that mark, which an implicit initializer cannot have.
  @_noLocks
  init(
    timeStamp: TimeStamp, frameCount: Int, inputCount: Int, outputCount: Int, element: Int,
    buses: UnsafePointer<RenderBus.Row>, indices: UnsafePointer<Int32>,
    pulled: UnsafeMutablePointer<Unmanaged<PulledInput>?>?, mix: MixSharing
  ) {
    self.timeStamp = timeStamp
    self.frameCount = frameCount
    self.inputCount = inputCount
    self.outputCount = outputCount
    self.element = element
    unsafe self.buses = buses
    unsafe self.indices = indices
    unsafe inputsPulled = pulled
    self.mix = mix
  }

  /// An input bus, by its element. Where nothing is connected it is zero and `isSilent`.
  @_noLocks
  public func input(_ element: Int) -> RenderBus {
    precondition(element >= 0 && element < inputCount, "no such input element")
    return unsafe RenderBus(row: buses + Int(indices[element]), frameCount: frameCount)
  }

  /// The most frames of one `pull` from an input element, 1 or more; 0 for an input that cannot be
  /// pulled.
  @_noLocks
  public func pullLimit(_ element: Int) -> Int {
    guard let input = unsafe pulledInput(element) else { return 0 }
    return unsafe input._withUnsafeGuaranteedRef { $0.limit() }
  }

  /// Renders the next frames of everything upstream of an input element; `pulled` returns them.
  ///
  /// For inputs that the unit has declared as pulled only. A kernel may pull several times in a
  /// slice, each time 1 to `pullLimit(element)` frames.
  ///
  /// - Parameter timeStamp: The time of the first of those frames, at the rate of the input. The
  ///   kernel counts it, from 0 where its own time is 0.
  @_noLocks
  public func pull(_ element: Int, frameCount: Int, at timeStamp: TimeStamp) -> Status {
    guard let input = unsafe pulledInput(element) else { return .noConnection }
    return unsafe input._withUnsafeGuaranteedRef { $0.pull(frameCount, at: timeStamp) }
  }

  /// The frames of the last `pull` of an input element. `frameCount` is at most that of the `pull`.
  @_noLocks
  public func pulled(_ element: Int, frameCount: Int) -> RenderBus {
    guard let pulled = unsafe pulledInput(element) else { preconditionFailure("not pulled") }
    return unsafe pulled._withUnsafeGuaranteedRef { $0.pulled(frameCount) }
  }

  @_noLocks
  private func pulledInput(_ element: Int) -> Unmanaged<PulledInput>? {
    precondition(element >= 0 && element < inputCount, "no such input element")
    guard let table = unsafe inputsPulled else { return nil }
    return unsafe table[element]
  }

  /// An output bus, by its element. The kernel must fill every frame of every channel.
  @_noLocks
  public func output(_ element: Int) -> RenderBus {
    precondition(element >= 0 && element < outputCount, "no such output element")
    return unsafe RenderBus(
      row: buses + Int(indices[inputCount + element]), frameCount: frameCount)
  }
}
