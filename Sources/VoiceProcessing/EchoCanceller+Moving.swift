import RenderCore

/// Compensation of the echo paths when the lag of the far end grows: see `ClockSkew`.
extension EchoCanceller {
  /// Delays the far end by some frames, fewer than a hop, and advances the echo paths by as many.
  /// The modelled echo stays the same, except for taps before that time, which are lost.
  @_noLocks
  mutating func delayPlayed(by frames: Int) {
    for part in 0..<largestLength {
      advance(.main, part, by: frames)
      advance(.kept, part, by: frames)
    }
    for part in 0..<shadow.rowCount { advance(.shadow, part, by: frames) }
    delaySpectra(by: frames)
    let last = farFrame.buffer(at: 0, count: 2 * hop)
    last.dropping(frames).copy(from: last)
    for curve in 0..<Self.curveCount {
      let last = curveFrames.buffer(at: curve * 2 * hop, count: 2 * hop)
      last.dropping(frames).copy(from: last)
    }
  }

  /// The number of taps at the beginning of the main filter's path that together have less than 0.3
  /// % of the energy of its first part.
  ///
  /// - Parameter most: Fewer than a hop.
  @_noLocks
  mutating func leadingSilence(atMost most: Int) -> Int {
    let path = frame.buffer(at: 0, count: 2 * hop)
    fft.inverse(filter[0], into: path)
    var rest = 0.003 * path.prefix(hop).energy()
    var count = 0
    while count < most {
      rest -= path[count] * path[count]
      if rest <= 0 { break }
      count += 1
    }
    return count
  }

  /// Advances one part of a path by some frames.
  @_noLocks
  private mutating func advance(_ which: EchoFilter, _ part: Int, by frames: Int) {
    let count = which.index == EchoFilter.shadow.index ? shadow.rowCount : largestLength
    let now = frame.buffer(at: 0, count: 2 * hop)
    let next = movedFrame.buffer(at: 0, count: 2 * hop)
    fft.inverse(coefficients(which, part), into: now)
    next.clear()
    if part + 1 < count { fft.inverse(coefficients(which, part + 1), into: next) }
    now.copy(from: now.dropping(frames).prefix(hop - frames))
    now.dropping(hop - frames).copy(from: next.prefix(frames))
    now.dropping(hop).clear()
    fft.forward(now, into: coefficients(which, part))
  }

  /// Delays the spectra of the far end. The delay is cyclic; only the last taps of a part read the
  /// frames that wrap around.
  @_noLocks
  private mutating func delaySpectra(by frames: Int) {
    let turn = -Double.pi * Double(frames) / Double(hop)
    for bin in 0..<bins {
      let angle = turn * Double(bin)
      let (cosine, sine) = (Float(renderCosine(angle)), Float(renderSine(angle)))
      for row in 0...largestLength {
        Self.turn(far[row], bin, cosine, sine)
        Self.turn(plain[row], bin, cosine, sine)
      }
      for row in 0..<curves.rowCount { Self.turn(curves[row], bin, cosine, sine) }
    }
  }

  @_noLocks
  private static func turn(_ spectrum: Spectrum, _ bin: Int, _ cosine: Float, _ sine: Float) {
    let (re, im) = (spectrum.real[bin], spectrum.imaginary[bin])
    spectrum.real[bin] = re * cosine - im * sine
    spectrum.imaginary[bin] = re * sine + im * cosine
  }
}
