/// Where a source is in its sound: what another source that takes its place goes on from.
///
/// The kernel of the source notes where each slice begins and ends. The kernel that takes its place asks
/// once, in its first slice: the two may be rendered in either order, so that the answer depends on
/// whether the source that leaves has rendered that slice already. Asked on another thread, it says
/// where the last slice has ended.
public final class SourceClock: Sendable {
  private let counters = CounterBlock(count: 6)
  /// Frames of the source in a second.
  public let sampleRate: Double

  /// - Parameter sampleRate: In Hz.
  public init(sampleRate: Double) { self.sampleRate = sampleRate }

  /// What a kernel keeps: valid as long as the clock, which the kernel's box holds as company.
  public var access: SourceClockAccess {
    SourceClockAccess(counters: counters.access, sampleRate: sampleRate)
  }

  /// Where the last slice has ended.
  public var place: (frame: Int, phase: Int) {
    (
      Int(truncatingIfNeeded: counters.access[2]), Int(truncatingIfNeeded: counters.access[4])
    )
  }

  /// Seconds of the sound that have been rendered.
  public var position: Double {
    Double(Int(truncatingIfNeeded: counters.access[2])) / sampleRate
  }
}

/// A source's clock as a kernel sees it.
public struct SourceClockAccess: BitwiseCopyable, Sendable {
  /// A place in a sound.
  public struct Place: BitwiseCopyable, Sendable {
    /// In frames of the source.
    public var frame: Int
    /// Where in its cycle a wave is, in 2^-64 of it; 0 for what has no cycles.
    public var phase: UInt64

    @_noLocks
    public init(frame: Int, phase: UInt64 = 0) {
      self.frame = frame
      self.phase = phase
    }
  }

  private let counters: CounterAccess
  /// Of the source's bus, in hertz.
  public let sampleRate: Double

  init(counters: CounterAccess, sampleRate: Double) {
    self.counters = counters
    self.sampleRate = sampleRate
  }

  /// Notes where a slice that begins at a time begins and ends. Render thread.
  @_noLocks
  public func note(at time: Double, from begin: Place, to end: Place) {
    counters[0] = time.bitPattern
    counters[1] = UInt64(bitPattern: Int64(begin.frame))
    counters[2] = UInt64(bitPattern: Int64(end.frame))
    counters[3] = begin.phase
    counters[4] = end.phase
    counters[5] = 1
  }

  /// Where the slice begins that begins at a time: for the source that takes the place of this one.
  /// Render thread.
  @_noLocks
  public func place(at time: Double) -> Place {
    let isRendered = counters[5] == 1 && counters[0] == time.bitPattern
    return Place(
      frame: Int(truncatingIfNeeded: counters[isRendered ? 1 : 2]),
      phase: counters[isRendered ? 3 : 4])
  }
}
