extension Sound {
  /// The runs of samples at or above a level, in the order of channels and frames. NaN ends a run;
  /// infinities belong to it.
  ///
  /// - Parameters:
  ///   - level: The least magnitude; 1 is full scale.
  ///   - run: The least number of samples in a run, from 1.
  public func clipped(atLeast level: Double = 1, run: Int = 2) -> [SoundPlace] {
    precondition(run > 0, "a run has one sample at least")
    var places: [SoundPlace] = []
    for (number, samples) in channels.enumerated() {
      var start = 0
      while let first = samples[start...].firstIndex(where: { Double($0.magnitude) >= level }) {
        let end =
          samples[first...].firstIndex { !(Double($0.magnitude) >= level) } ?? samples.endIndex
        if end - first >= run {
          places.append(SoundPlace(channel: number, frames: first..<end))
        }
        start = end
      }
    }
    return places
  }

  /// The number of samples that are not finite, and the first of them: in the earliest frame, the
  /// lowest channel; `nil` where all are finite.
  public func nonFinite() -> (count: Int, first: SoundPlace)? {
    var count = 0
    var first: (frame: Int, channel: Int)?
    for (number, samples) in channels.enumerated() {
      // The sum is faster than a look at each sample.
      if SampleSums.sum(samples.span).count == samples.count { continue }
      for frame in samples.indices where !samples[frame].isFinite {
        count += 1
        if frame < first?.frame ?? Int.max { first = (frame, number) }
      }
    }
    return first.map {
      (count, SoundPlace(channel: $0.channel, frames: $0.frame..<$0.frame + 1))
    }
  }
}
