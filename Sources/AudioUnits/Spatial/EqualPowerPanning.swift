internal import RenderCore

/// Pans a source over two channels with constant power.
///
/// A source at the angle φ to the side (-90° to 90°, those behind mirrored to the front) is at
/// p = φ / 90°, as Apple's QA1695 maps pan to azimuth; then L = cos((p + 1) π/4) and
/// R = sin((p + 1) π/4).
enum EqualPowerPanning {
  @_noLocks
  static func gains(_ direction: SourceDirection) -> StereoGains {
    // At the ends a cosine of π/2 would not be exactly zero.
    if direction.right >= 1 { return StereoGains(left: 0, right: 1) }
    if direction.right <= -1 { return StereoGains(left: 1, right: 0) }
    let angle = renderArcSine(direction.right) / 2 + Double.pi / 4
    return StereoGains(left: renderCosine(angle), right: renderSine(angle))
  }
}
