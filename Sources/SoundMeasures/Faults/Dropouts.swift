extension Sound {
  /// The drop-outs: runs of zeros or of one stuck value inside a sound that moves, in the order of
  /// channels and frames.
  ///
  /// A run counts where all of this holds:
  /// - Within 5 ms on either side, at least half of the samples differ from the one before, which
  ///   leaves out square waves, pulses and the output of a bit crusher; and one sample is above -60
  ///   dBFS, which leaves out silence before and after a sound.
  /// - It is entered or left at once: on at least one side, the sound in the adjacent 1 ms is at
  ///   least a quarter as far from the value as it is within 5 ms. A fade to silence of 4 ms or
  ///   more is no drop-out. A gate that shuts at once is one, since nothing tells the two apart.
  /// - A value other than 0 lies inside the range of the sound within 20 ms, by a tenth of that
  ///   range: the flat tops of a clipped wave are `clipped(atLeast:run:)`.
  ///
  /// - Parameter seconds: The least duration of a drop-out, in seconds, above 0.
  public func dropouts(atLeast seconds: Double = 0.001) -> [SoundPlace] {
    precondition(seconds > 0, "a drop-out has a length")
    // Rounded down: 1 ms at 44,100 Hz is 44 frames. The 1e-6 undoes rounding errors.
    let least = max(2, Int(seconds * sampleRate + 1e-6))
    return channels.enumerated().flatMap { number, samples in
      DropoutSearch(samples: samples, rate: sampleRate).places(atLeast: least, isHard: true).map {
        SoundPlace(channel: number, frames: $0)
      }
    }
  }
}

/// Looks for runs of equal samples in a channel.
struct DropoutSearch {
  let samples: [Float]
  let rate: Double

  private func frames(_ seconds: Double) -> Int { max(2, Int((seconds * rate).rounded())) }

  /// - Parameter isHard: Whether a run has to be entered or left at once.
  func places(atLeast least: Int, isHard: Bool) -> [Range<Int>] {
    let samples = samples.span
    var places: [Range<Int>] = []
    var start = 0
    while start + least <= samples.count {
      var end = start + 1
      while end < samples.count && samples[end] == samples[start] { end += 1 }
      if end - start >= least && isDropout(start..<end, isHard: isHard) {
        places.append(start..<end)
      }
      start = end
    }
    return places
  }

  private func isDropout(_ run: Range<Int>, isHard: Bool) -> Bool {
    let value = samples[run.lowerBound]
    let moves = moves(before(run, 0.005)) && moves(after(run, 0.005))
    guard moves || (!isHard && isLoneHole(run)) else { return false }
    guard !isHard || isEnteredOrLeftAtOnce(run) else { return false }
    if value == 0 { return true }
    let around = [before(run, 0.02), after(run, 0.02)].flatMap { samples[$0].filter(\.isFinite) }
    guard let low = around.min(), let high = around.max() else { return false }
    let inside = (high - low) / 10
    return value > low + inside && value < high - inside
  }

  /// Whether the run holds the only zeros within 60 ms, with jumps on both sides: a hole in a
  /// square wave.
  private func isLoneHole(_ run: Range<Int>) -> Bool {
    guard samples[run.lowerBound] == 0, run.lowerBound > 0, run.upperBound < samples.count,
      !samples[before(run, 0.06)].contains(0), !samples[after(run, 0.06)].contains(0)
    else { return false }
    return 4 * samples[run.lowerBound - 1].magnitude >= distance(before(run, 0.005), 0)
      && 4 * samples[run.upperBound].magnitude >= distance(after(run, 0.005), 0)
  }

  private func isEnteredOrLeftAtOnce(_ run: Range<Int>) -> Bool {
    let value = samples[run.lowerBound]
    let near = [before(run, 0.001), after(run, 0.001)]
    let far = [before(run, 0.005), after(run, 0.005)]
    return zip(near, far).contains { near, far in
      4 * distance(near, value) >= distance(far, value)
    }
  }

  private func before(_ run: Range<Int>, _ seconds: Double) -> Range<Int> {
    max(0, run.lowerBound - frames(seconds))..<run.lowerBound
  }

  private func after(_ run: Range<Int>, _ seconds: Double) -> Range<Int> {
    run.upperBound..<min(samples.count, run.upperBound + frames(seconds))
  }

  /// Whether at least half of the samples differ from the one before, and one is above -60 dBFS.
  private func moves(_ range: Range<Int>) -> Bool {
    guard range.count > 1 else { return false }
    var changes = 0
    for frame in range.dropFirst() where samples[frame] != samples[frame - 1] { changes += 1 }
    return 2 * changes >= range.count - 1 && distance(range, 0) > 0.001
  }

  /// The greatest distance of a finite sample from a value.
  private func distance(_ range: Range<Int>, _ value: Float) -> Float {
    var most: Float = 0
    for sample in samples[range] where sample.isFinite {
      most = max(most, (sample - value).magnitude)
    }
    return most
  }
}
