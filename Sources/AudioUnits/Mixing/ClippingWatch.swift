internal import AudioTypes
internal import RenderCore

/// Watches the output of a mixer: its peak, infinities and NaN.
///
/// It has three words of the control block, which the control thread reads and resets to 0
/// (`kAudioUnitProperty_MeterClipping`).
struct ClippingWatch: BitwiseCopyable {
  /// The largest finite magnitude since it was last taken, as the bits of a float.
  static var peak: Int { @_noLocks get { 0 } }
  /// Whether there has been an infinity.
  static var sawInfinity: Int { @_noLocks get { 1 } }
  /// Whether there has been a NaN.
  static var sawNotANumber: Int { @_noLocks get { 2 } }
  static var wordCount: Int { @_noLocks get { 3 } }

  /// The bits of infinity.
  static var infinity: UInt32 { @_noLocks get { 0x7F80_0000 } }

  private let access: ControlAccess
  private let first: Int

  /// - Parameter layout: The layout of a unit that has `kAudioUnitProperty_MeterClipping`.
  init(_ layout: ControlLayout) {
    guard let first = layout.slot(PropertyPlace(.meterClipping, .global, 0)) else {
      preconditionFailure("a unit that is watched has a place for what is seen")
    }
    access = layout.block.access
    self.first = first
  }

  /// - Parameter first: The first of its words.
  @_noLocks
  init(_ access: ControlAccess, first: Int) {
    self.access = access
    self.first = first
  }

  /// Returns the values since the last call, and resets them. Control thread.
  static func take(from block: ControlBlock, at first: Int) -> MeterClipping {
    MeterClipping(
      peakValueSinceLastCall: Float(bitPattern: block.take(word: first + peak)),
      sawInfinity: block.take(word: first + sawInfinity) != 0,
      sawNotANumber: block.take(word: first + sawNotANumber) != 0)
  }

  /// Notes the peak, infinities and NaN.
  @_noLocks
  func watch(_ buffer: ChannelBuffer) {
    // Magnitudes are in the order of their bit patterns, with infinity above every number and NaN
    // above infinity: one pass is enough, except for the rare bad sample.
    var largest = VectorMath.largest(buffer)
    if largest >= Self.infinity {
      largest = 0
      for frame in buffer.indices {
        let bits = buffer[frame].bitPattern & 0x7FFF_FFFF
        if bits < Self.infinity {
          largest = bits > largest ? bits : largest
        } else {
          access.note(
            1, at: first + (bits == Self.infinity ? Self.sawInfinity : Self.sawNotANumber))
        }
      }
    }
    note(largest)
  }

  /// Notes the peak, as the bits of a finite number.
  @_noLocks
  func note(_ largest: UInt32) {
    if largest > access[word: first + Self.peak] { access.note(largest, at: first + Self.peak) }
  }
}
