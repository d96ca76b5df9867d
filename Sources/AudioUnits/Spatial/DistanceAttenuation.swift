internal import RenderCore

/// The gain of a source at a distance.
///
/// With the distance d, clamped to the reference distance r and the maximum distance m, and A
/// decibels as the largest attenuation:
///
/// - inverse: `r / (r + k (d - r))` with `k = r (10^(A/20) - 1) / (m - r)`;
/// - exponential: `(d / r)^-k` with `k = A / (20 log10(m / r))`;
/// - linear: `1 - k (d - r) / (m - r)` with `k = 1 - 10^(-A/20)`;
/// - power: as exponential; Core Audio gives no formula for it.
///
/// The forms are those of `AVAudioEnvironmentNode`; the factors follow from the maximum attenuation
/// that Apple's OpenAL sets on the mixer. Where a form has no value, as for r = m, the gain is 1.
struct DistanceAttenuation: BitwiseCopyable {
  /// `k3DMixerAttenuationCurve_…`, by their numbers.
  static var power: UInt32 { @_noLocks get { 0 } }
  static var exponential: UInt32 { @_noLocks get { 1 } }
  static var inverse: UInt32 { @_noLocks get { 2 } }
  static var linear: UInt32 { @_noLocks get { 3 } }

  let reference: Double
  let maximum: Double
  /// In decibels, 0 or more.
  let attenuation: Double

  @_noLocks
  init(reference: Double, maximum: Double, attenuation: Double) {
    self.reference = reference
    self.maximum = maximum
    self.attenuation = attenuation
  }

  /// The distance, clamped to the reference and the maximum.
  @_noLocks
  func held(_ distance: Double) -> Double {
    distance < reference ? reference : distance > maximum ? maximum : distance
  }

  /// The linear gain at a distance in meters.
  @_noLocks
  func gain(_ distance: Double, curve: UInt32) -> Double {
    guard maximum > reference else { return 1 }
    let d = held(distance)
    let gain: Double
    if curve == Self.linear {
      let k = 1 - renderPower(10, -attenuation / 20)
      gain = 1 - k * (d - reference) / (maximum - reference)
    } else if curve == Self.inverse {
      guard reference > 0 else { return 1 }
      let k = reference * (renderPower(10, attenuation / 20) - 1) / (maximum - reference)
      gain = reference / (reference + k * (d - reference))
    } else {
      guard reference > 0 else { return 1 }
      let k = attenuation / (20 * renderLog10(maximum / reference))
      gain = renderPower(d / reference, -k)
    }
    return gain.isFinite ? gain : 1
  }
}
