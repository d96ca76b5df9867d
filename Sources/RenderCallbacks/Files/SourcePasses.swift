import RenderCore

/// The progress of a source that can loop: its end is computed from this when looping has been
/// turned on or off.
struct SourcePasses: Sendable {
  let block = CounterBlock(count: 2)

  var access: CounterAccess { block.access }

  /// Notes the frames rendered since the sound began, up to its end, and those of the present pass.
  /// Render thread.
  @_noLocks
  static func note(_ elapsed: Int, _ position: Int, in counters: CounterAccess) {
    counters[0] = UInt64(truncatingIfNeeded: elapsed)
    counters[1] = UInt64(truncatingIfNeeded: position)
  }

  /// Frames from the first one to the end; `nil` for an endless sound.
  ///
  /// - Parameters:
  ///   - loops: Whether it loops now.
  ///   - passLength: The frames of a pass.
  func duration(loops: Bool, passLength: Int) -> Int? {
    guard !loops else { return nil }
    let elapsed = Int(truncatingIfNeeded: access[0])
    let position = Int(truncatingIfNeeded: access[1])
    return elapsed + max(0, passLength - position)
  }
}
