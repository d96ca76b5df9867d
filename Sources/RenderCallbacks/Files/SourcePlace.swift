import AudioTypes
import RenderCore

/// The place of a source in its sound, and the clock of the source that it replaces. The kernel's
/// box retains it.
final class SourcePlace: Sendable {
  let clock: SourceClock
  private let before: SourceClock?

  /// - Parameter sampleRate: Of the bus, in Hz.
  init(_ sampleRate: Double, after before: SourceContinuation?) {
    clock = SourceClock(sampleRate: sampleRate)
    self.before = before?.clock
  }

  var access: SourcePlaceAccess {
    SourcePlaceAccess(clock: clock.access, before: before?.access)
  }
}

/// A `SourcePlace` as the kernel sees it.
struct SourcePlaceAccess: BitwiseCopyable {
  private let clock: SourceClockAccess
  private let before: SourceClockAccess?
  private var hasBegun = false
  /// Frames since the beginning of the sound, at the beginning of the slice.
  private(set) var frame = 0
  /// The phase of the replaced source when it was replaced.
  private(set) var phase: UInt64 = 0

  init(clock: SourceClockAccess, before: SourceClockAccess?) {
    self.clock = clock
    self.before = before
  }

  /// Begins a slice. Returns whether it is the first one of a source that replaces another.
  @_noLocks
  mutating func begin(_ context: RenderContext) -> Bool {
    if hasBegun { return false }
    hasBegun = true
    guard let before else { return false }
    let place = before.place(at: context.timeStamp.sampleTime)
    let ratio = clock.sampleRate / before.sampleRate
    frame = ratio == 1 ? place.frame : Int(Double(place.frame) * ratio + 0.5)
    phase = place.phase
    return true
  }

  /// Ends a slice, and notes the new place.
  @_noLocks
  mutating func end(_ context: RenderContext, phase begin: UInt64 = 0, _ end: UInt64 = 0) {
    let next = frame + context.frameCount
    clock.note(
      at: context.timeStamp.sampleTime, from: .init(frame: frame, phase: begin),
      to: .init(frame: next, phase: end))
    frame = next
  }
}
