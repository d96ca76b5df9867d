/// The position of a source, at which a source that replaces it continues.
///
/// The kernel of the source notes where each slice begins and ends. The kernel that replaces it
/// asks once, in its first slice. The old source may render that slice before or after the new one;
/// `place(at:)` gives the position at the beginning of the slice in both cases. Other threads get
/// the end of the last slice.
public final class SourceClock: Sendable {
  private let counters = CounterBlock(count: 6)
  /// The rate of the source, in Hz.
  public let sampleRate: Double

  /// - Parameter sampleRate: In Hz.
  public init(sampleRate: Double) { self.sampleRate = sampleRate }

  /// The form for a kernel, valid as long as the clock, which the kernel's box retains.
  public var access: SourceClockAccess {
    SourceClockAccess(counters: counters.access, sampleRate: sampleRate)
  }

  /// The end of the last slice.
  public var place: (frame: Int, phase: Int) {
    (
      Int(truncatingIfNeeded: counters.access[2]), Int(truncatingIfNeeded: counters.access[4])
    )
  }

  /// Seconds of the sound rendered so far.
  public var position: Double {
    Double(Int(truncatingIfNeeded: counters.access[2])) / sampleRate
  }
}

/// A source's clock, for a kernel.
public struct SourceClockAccess: BitwiseCopyable, Sendable {
  /// A position in a sound.
  public struct Place: BitwiseCopyable, Sendable {
    /// In frames of the source.
    public var frame: Int
    /// The phase of a wave, in 2^-64 of a cycle; 0 for a sound without cycles.
    public var phase: UInt64

    @_noLocks
    public init(frame: Int, phase: UInt64 = 0) {
      self.frame = frame
      self.phase = phase
    }
  }

  private let counters: CounterAccess
  /// The rate of the source's bus, in Hz.
  public let sampleRate: Double

  init(counters: CounterAccess, sampleRate: Double) {
    self.counters = counters
    self.sampleRate = sampleRate
  }

  /// Notes the beginning and the end of a slice; `time` is its sample time. Render thread.
  @_noLocks
  public func note(at time: Double, from begin: Place, to end: Place) {
    counters[0] = time.bitPattern
    counters[1] = UInt64(bitPattern: Int64(begin.frame))
    counters[2] = UInt64(bitPattern: Int64(end.frame))
    counters[3] = begin.phase
    counters[4] = end.phase
    counters[5] = 1
  }

  /// The position at the beginning of the slice at `time`, for the source that replaces this one.
  /// Render thread.
  @_noLocks
  public func place(at time: Double) -> Place {
    let isRendered = counters[5] == 1 && counters[0] == time.bitPattern
    return Place(
      frame: Int(truncatingIfNeeded: counters[isRendered ? 1 : 2]),
      phase: counters[isRendered ? 3 : 4])
  }
}
