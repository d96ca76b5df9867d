internal import RenderCore

/// Pans a source between two loudspeakers at 30° to the left and to the right.
///
/// V. Pulkki, "Virtual Sound Source Positioning Using Vector Base Amplitude Panning" (1997), for
/// one pair: the source's direction as a sum of the loudspeakers' directions, of constant power.
/// For a pair that is the law of tangents, tan φ / tan 30° = (R - L) / (R + L). Sources behind are
/// mirrored to the front; sources further to the side than a loudspeaker come from that
/// loudspeaker.
enum VectorBasedPanning {
  /// The tangent of 30°.
  static var spread: Double { @_noLocks get { 0.577_350_269_189_625_8 } }

  @_noLocks
  static func gains(_ direction: SourceDirection) -> StereoGains {
    let forward = renderSquareRoot(1 - direction.right * direction.right)
    // The direction (right, forward) in terms of those of the loudspeakers, (∓1/2, √3/2).
    let left = forward * spread - direction.right
    let right = forward * spread + direction.right
    if left <= 0 { return StereoGains(left: 0, right: 1) }
    if right <= 0 { return StereoGains(left: 1, right: 0) }
    let norm = renderSquareRoot(left * left + right * right)
    return StereoGains(left: left / norm, right: right / norm)
  }
}
