/// The channels of a bus for one slice. Valid during the slice only.
@safe
public struct RenderBus: BitwiseCopyable {
  /// The memory of a bus, fixed when the plan is made.
  @safe
  struct Row {
    let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    let channelCount: Int
    let content: UnsafeMutablePointer<BusContent>
    /// The bus's own memory of each channel, where the bus can show memory of a kernel's in place
    /// of it; `nil` for other buses.
    let own: UnsafePointer<UnsafeMutablePointer<Float>>?
    /// Whether that memory may be of interleaved frames.
    let takesInterleaved: Bool

    /// Ends a loan: the bus shows its own memory again.
    @_noLocks
    func endLoan() {
      guard let own = unsafe own else { return }
      for channel in 0..<channelCount { unsafe channels[channel] = own[channel] }
    }
  }

  private let row: UnsafePointer<Row>
  /// The frames of the slice.
  public let frameCount: Int

  @_noLocks
  init(row: UnsafePointer<Row>, frameCount: Int) {
    unsafe self.row = row
    self.frameCount = frameCount
  }

  /// The number of channels.
  public var channelCount: Int {
    @_noLocks get { unsafe row.pointee.channelCount }
  }

  /// The samples of a channel. An index out of range ends the process.
  public subscript(channel: Int) -> ChannelBuffer {
    @_noLocks get {
      precondition(channel >= 0 && channel < channelCount, "channel out of range")
      return unsafe ChannelBuffer(base: row.pointee.channels[channel], count: frameCount)
    }
  }

  /// Whether the kernel that fills the bus may lend it memory for a slice, and fill nothing: rows
  /// behind it read that memory, and none writes to it.
  public var canBorrow: Bool {
    @_noLocks get { unsafe row.pointee.own != nil }
  }

  /// Shows other memory in a channel for this slice: at least `frameCount` samples, which stay as
  /// they are until the next slice.
  @_noLocks
  func borrow(_ samples: UnsafeMutablePointer<Float>, channel: Int) {
    precondition(
      canBorrow && channel >= 0 && channel < channelCount, "the bus borrows no such channel")
    unsafe row.pointee.channels[channel] = samples
  }

  /// Whether the kernel that fills the bus may lend it interleaved frames: the one that reads them
  /// expects that.
  var takesInterleaved: Bool {
    @_noLocks get { unsafe row.pointee.takesInterleaved }
  }

  /// Shows interleaved frames for this slice in place of both channels: `frameCount` of them, which
  /// stay as they are until the next slice.
  ///
  /// - Parameter state: Of the ring that is to know whether they are finite; `nil` for none.
  @_noLocks
  func borrow(
    interleaved samples: UnsafeMutablePointer<Float>,
    noting state: UnsafeMutablePointer<FrameRingState>?
  ) {
    precondition(takesInterleaved && channelCount == 2, "the bus borrows no interleaved frames")
    unsafe row.pointee.channels[0] = samples
    unsafe row.pointee.channels[1] = samples
    unsafe row.pointee.content.pointee.isInterleaved = true
    unsafe row.pointee.content.pointee.lender = state
  }

  /// Tells the kernel that has lent interleaved frames that all of them are finite, so that nobody
  /// has to look for others.
  @_noLocks
  public func noteFinite() {
    unsafe row.pointee.content.pointee.lender?.pointee.noteFinite(frameCount)
  }

  /// Whether the bus shows interleaved frames in this slice: `interleaved` is then to be read, and
  /// no channel before `separate()`. Only where the kernel that reads the bus, or the host, has said
  /// that it reads such frames.
  public var isInterleaved: Bool {
    @_noLocks get { unsafe row.pointee.content.pointee.isInterleaved }
  }

  /// The frames of an interleaved bus: the first one's left sample, its right sample, the next one's
  /// left sample and so on.
  public var interleaved: ChannelBuffer {
    @_noLocks get {
      precondition(isInterleaved, "the bus has its channels apart")
      return unsafe ChannelBuffer(base: row.pointee.channels[0], count: 2 * frameCount)
    }
  }

  /// Gives an interleaved bus its channels apart, in its own memory. Changes no other bus.
  @_noLocks
  public func separate() {
    guard isInterleaved else { return }
    let samples = unsafe row.pointee.channels[0]
    unsafe row.pointee.endLoan()
    unsafe row.pointee.content.pointee.isInterleaved = false
    _ = unsafe deinterleave(samples, into: self[0], self[1])
  }

  /// Whether the bus is marked as silent (`kAudioUnitRenderAction_OutputIsSilence`). All samples
  /// are zero then.
  public var isSilent: Bool {
    @_noLocks get { unsafe row.pointee.content.pointee.isSilent }
  }

  /// Fills the bus with zeros and marks it as silent.
  @_noLocks
  public func silence() {
    for channel in 0..<channelCount { self[channel].clear() }
    markSilent()
  }

  /// Removes the mark of silence. A plan does so for every bus that a row writes; a host must do so
  /// for a bus that it fills.
  @_noLocks
  public func markSounding() {
    unsafe row.pointee.content.pointee = .unknown
  }

  /// Marks the bus as silent. Every sample must be zero already.
  @_noLocks
  public func markSilent() {
    unsafe row.pointee.content.pointee = .silent
  }

  /// The largest magnitude of all channels, as the bits of a finite float; `nil` where no kernel
  /// has set it.
  public var largest: UInt32? {
    @_noLocks get {
      let largest = unsafe row.pointee.content.pointee.largest
      return largest == BusContent.notFound ? nil : largest
    }
  }

  /// Sets `largest` for the samples that have been written. They are not all zero.
  @_noLocks
  public func mark(largest: UInt32) {
    unsafe row.pointee.content.pointee = BusContent(isSilent: false, largest: largest)
  }
}

/// What the plan knows about the samples of a bus in a slice.
@safe
struct BusContent: BitwiseCopyable {
  static var notFound: UInt32 { @_noLocks get { .max } }

  /// Whether the bus is marked as silent: all samples are zero.
  let isSilent: Bool
  /// Whether the bus shows interleaved frames.
  var isInterleaved = false
  /// The largest magnitude, as the bits of a finite float, or `notFound`.
  var largest: UInt32
  /// The ring that has lent interleaved frames, and is to know whether they are finite; `nil` for
  /// none.
  var lender: UnsafeMutablePointer<FrameRingState>?

  @_noLocks
  init(isSilent: Bool, largest: UInt32) {
    self.isSilent = isSilent
    self.largest = largest
  }

  static var silent: BusContent { @_noLocks get { BusContent(isSilent: true, largest: 0) } }
  static var unknown: BusContent {
    @_noLocks get { BusContent(isSilent: false, largest: notFound) }
  }
}
