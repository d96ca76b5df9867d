import RenderCore

/// How the echo stays where it is when what is played is read later: see `ClockSkew`.
extension EchoCanceller {
  /// Moves what has been played to a later time by some frames, fewer than a hop, and the paths to an earlier
  /// one by as many. The echo stays what it was, but for what came by less than that.
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

  /// How many frames the main filter's path begins with that have next to nothing of it.
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

  /// Puts into a part of a path what begins some frames later.
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

  /// Turns the spectra of what has been played. What comes round at the beginning of a frame is only met by
  /// the last taps of a part.
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
