public import AudioTypes

/// Everything a kernel may use for one slice.
@safe
public struct RenderContext: BitwiseCopyable {
  /// Of the slice's first frame, in the rate of the plan.
  public let timeStamp: TimeStamp
  /// Frames of the slice: at least 1, at most the plan's largest.
  public let frameCount: Int
  /// How many input elements the kernel has.
  public let inputCount: Int
  /// How many output elements it has.
  public let outputCount: Int
  /// The input element that a callback feeds; 0 for the kernel of a unit or a tap.
  public let element: Int
  private let buses: UnsafePointer<RenderBus.Row>
  private let indices: UnsafePointer<Int32>
  private let inputsPulled: UnsafeMutablePointer<Unmanaged<PulledInput>?>?
  /// Where several threads render: what a kernel may share with them.
  public let mix: MixSharing

  // Spelled out, here and below, to carry `@_noLocks`: the checker trusts a call into another file
  // only if it is annotated, and an implicit memberwise initializer cannot be.
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

  /// An input bus, by its element. Nothing attached: zeros, and `isSilent`.
  @_noLocks
  public func input(_ element: Int) -> RenderBus {
    precondition(element >= 0 && element < inputCount, "no such input element")
    return unsafe RenderBus(row: buses + Int(indices[element]), frameCount: frameCount)
  }

  /// The most frames that `pull` may ask an input element for at once, 1 or more; 0 for an input that
  /// is not pulled.
  @_noLocks
  public func pullLimit(_ element: Int) -> Int {
    guard let input = unsafe pulledInput(element) else { return 0 }
    return unsafe input._withUnsafeGuaranteedRef { $0.limit() }
  }

  /// Runs everything upstream of an input element for its next frames, which `pulled` then gives.
  ///
  /// For the inputs that the unit has declared as pulled, and no others. As often in a slice as the
  /// kernel needs, with 1 to `pullLimit(element)` frames each time.
  ///
  /// - Parameter timeStamp: Of the first of those frames, in the rate of the input: the kernel
  ///   counts, from 0 where its own slice starts at 0.
  @_noLocks
  public func pull(_ element: Int, frameCount: Int, at timeStamp: TimeStamp) -> Status {
    guard let input = unsafe pulledInput(element) else { return .noConnection }
    return unsafe input._withUnsafeGuaranteedRef { $0.pull(frameCount, at: timeStamp) }
  }

  /// The frames of the last `pull` of an input element: as many as it asked for, or fewer.
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

  /// An output bus, by its element: the kernel fills every frame of every channel.
  @_noLocks
  public func output(_ element: Int) -> RenderBus {
    precondition(element >= 0 && element < outputCount, "no such output element")
    return unsafe RenderBus(
      row: buses + Int(indices[inputCount + element]), frameCount: frameCount)
  }
}

/// The channels of one bus, cut to the slice.
@safe
public struct RenderBus: BitwiseCopyable {
  /// Where a bus is: fixed when the plan is made.
  @safe
  struct Row {
    let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    let channelCount: Int
    let silent: UnsafeMutablePointer<Bool>
  }

  private let row: UnsafePointer<Row>
  /// Frames of the slice.
  public let frameCount: Int

  @_noLocks
  init(row: UnsafePointer<Row>, frameCount: Int) {
    unsafe self.row = row
    self.frameCount = frameCount
  }

  /// How many channels there are.
  public var channelCount: Int {
    @_noLocks get { unsafe row.pointee.channelCount }
  }

  /// The samples of a channel; one that is out of range ends the process.
  public subscript(channel: Int) -> ChannelBuffer {
    @_noLocks get {
      precondition(channel >= 0 && channel < channelCount, "channel out of range")
      return unsafe ChannelBuffer(base: row.pointee.channels[channel], count: frameCount)
    }
  }

  /// Whether the one that filled the bus said that it is all zeros
  /// (`kAudioUnitRenderAction_OutputIsSilence`). The samples are zeros then.
  public var isSilent: Bool {
    @_noLocks get { unsafe row.pointee.silent.pointee }
  }

  /// Zeros every frame and says so. What a source calls when it has nothing to say.
  @_noLocks
  public func silence() {
    for channel in 0..<channelCount { self[channel].clear() }
    unsafe row.pointee.silent.pointee = true
  }

  /// Says that the samples are not all zero. A plan says so itself of every bus that a row writes;
  /// a host says it of a bus that it fills.
  @_noLocks
  public func markSounding() {
    unsafe row.pointee.silent.pointee = false
  }

  /// Says that every sample, already written, is zero.
  @_noLocks
  public func markSilent() {
    unsafe row.pointee.silent.pointee = true
  }
}
