internal import RenderCore

/// The direction of a source from the listener's head: a vector of length 1, or shorter where the
/// direction is blurred.
struct SourceDirection: BitwiseCopyable {
  /// -1 to 1: the sine of the angle to the right.
  let right: Double
  /// -1 to 1.
  let ahead: Double

  /// - Parameters:
  ///   - azimuth: In degrees, 0 ahead and 90 to the right.
  ///   - elevation: In degrees, 90 above.
  ///   - focus: 1 for the whole direction, 0 for none: then the source is in the middle.
  @_noLocks
  init(azimuth: Double, elevation: Double, focus: Double = 1) {
    let level = Self.cosine(elevation)
    right = Self.sine(azimuth) * level * focus
    ahead = Self.cosine(azimuth) * level
  }

  // Exact where an angle is a multiple of 90 degrees.

  @_noLocks
  private static func sine(_ degrees: Double) -> Double {
    if degrees == 0 || degrees == 180 || degrees == -180 { return 0 }
    if degrees == 90 || degrees == -90 { return degrees / 90 }
    return renderSine(degrees * (Double.pi / 180))
  }

  @_noLocks
  private static func cosine(_ degrees: Double) -> Double {
    if degrees == 90 || degrees == -90 { return 0 }
    if degrees == 180 || degrees == -180 { return -1 }
    return renderCosine(degrees * (Double.pi / 180))
  }
}

/// A gain for each of two channels, or for each of two ears.
struct StereoGains: BitwiseCopyable {
  var left: Double
  var right: Double

  @_noLocks
  init(left: Double, right: Double) {
    self.left = left
    self.right = right
  }
}
