/// The frames of one channel for one slice: four-byte words that hold a `Float` each or, on a bus
/// whose format needs 32 bits of precision, an `Int32`.
///
/// `@safe`: the plan owns the memory and outlives every slice that it renders, and each access is
/// bounds-checked.
@safe
public struct ChannelBuffer: BitwiseCopyable {
  private let base: UnsafeMutablePointer<Float>
  /// The number of frames.
  public let count: Int

  /// `base` must stay allocated, with room for `count` samples, as long as the buffer is used.
  @_noLocks
  public init(base: UnsafeMutablePointer<Float>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  /// The first frame, for inner loops that have checked the bounds before.
  var start: UnsafeMutablePointer<Float> { @_noLocks get { unsafe base } }

  /// All frames, from 0.
  public var indices: Range<Int> {
    @_noLocks get { unsafe Range(uncheckedBounds: (0, count)) }
  }

  /// The sample of a frame. An index out of range ends the process.
  public subscript(frame: Int) -> Float {
    @_noLocks get {
      precondition(UInt(bitPattern: frame) < UInt(bitPattern: count), "frame out of range")
      return unsafe base[frame]
    }
    @_noLocks nonmutating set {
      precondition(UInt(bitPattern: frame) < UInt(bitPattern: count), "frame out of range")
      unsafe base[frame] = newValue
    }
  }

  /// The sample of a bus of `int32` or `fixed8.24`, as its word. An index out of range ends the
  /// process.
  public subscript(word frame: Int) -> Int32 {
    @_noLocks get {
      precondition(UInt(bitPattern: frame) < UInt(bitPattern: count), "frame out of range")
      return unsafe Int32(bitPattern: base[frame].bitPattern)
    }
    @_noLocks nonmutating set {
      precondition(UInt(bitPattern: frame) < UInt(bitPattern: count), "frame out of range")
      unsafe base[frame] = Float(bitPattern: UInt32(bitPattern: newValue))
    }
  }

  /// The frames from `start` on.
  @_noLocks
  public func dropping(_ start: Int) -> ChannelBuffer {
    precondition(start >= 0 && start <= count, "frame out of range")
    return unsafe ChannelBuffer(base: base + start, count: count - start)
  }

  /// The first `length` frames.
  @_noLocks
  public func prefix(_ length: Int) -> ChannelBuffer {
    precondition(length >= 0 && length <= count, "frame out of range")
    return unsafe ChannelBuffer(base: base, count: length)
  }

  /// Writes zeros, which are silence in every format.
  @_noLocks
  public func clear() {
    unsafe clearSamples(base, count)
  }

  /// Copies as many samples as both buffers have. Samples that are not finite become 0.
  @_noLocks
  func copyFinite(from source: ChannelBuffer) {
    let length = count < source.count ? count : source.count
    unsafe RenderCore.copyFinite(source.base, into: base, count: length)
  }

  /// Copies as many words as both buffers have. The two may be the same, but not overlap otherwise.
  @_noLocks
  public func copy(from source: ChannelBuffer) {
    let length = count < source.count ? count : source.count
    guard unsafe base != source.base else { return }
    unsafe copySamples(source.base, into: base, length)
  }
}
