internal import RenderCore

/// The gains from the two channels of an input to the two of a mix, from a pan or from levels that
/// replace it. A mono input has the first row only.
struct CrossPoints: BitwiseCopyable {
  var leftToLeft: Double
  var leftToRight: Double
  var rightToLeft: Double
  var rightToRight: Double

  @_noLocks
  init(
    leftToLeft: Double, leftToRight: Double, rightToLeft: Double, rightToRight: Double
  ) {
    self.leftToLeft = leftToLeft
    self.leftToRight = leftToRight
    self.rightToLeft = rightToLeft
    self.rightToRight = rightToRight
  }

  /// The pan laws: equal power for a mono input, balance for a stereo one.
  ///
  /// - Parameter pan: From -1 to 1; clamped.
  @_noLocks
  init(pan: Float, channelCount: Int) {
    let place = pan < -1 ? -1 : pan > 1 ? 1 : Double(pan)
    rightToLeft = 0
    if channelCount == 1 {
      // At the ends a cosine of π/2 would not be exactly zero.
      let angle = (place + 1) * (Double.pi / 4)
      leftToLeft = place == 1 ? 0 : renderCosine(angle)
      leftToRight = place == -1 ? 0 : renderSine(angle)
      rightToRight = 0
    } else {
      leftToLeft = place > 0 ? 1 - place : 1
      leftToRight = 0
      rightToRight = place < 0 ? 1 + place : 1
    }
  }

  /// The gains as the property has them: a row for each input channel, a column for each channel of
  /// the mix. Control thread.
  func levels(channelCount: Int) -> [Float] {
    let first = [Float(leftToLeft), Float(leftToRight)]
    return channelCount == 1 ? first : first + [Float(rightToLeft), Float(rightToRight)]
  }
}
