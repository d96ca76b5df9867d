extension Sound {
  /// Runs of samples at or beyond a level, in the order of channels and frames. What is not a number ends a
  /// run; infinities belong to it.
  ///
  /// - Parameters:
  ///   - level: The magnitude that a sample has at least: 1 is full scale.
  ///   - run: How many samples a run has at least, from 1.
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

  /// How many samples are no finite numbers, and which is the first: of the earliest frame that has one, the
  /// first channel.
  public func nonFinite() -> (count: Int, first: SoundPlace)? {
    var count = 0
    var first: (frame: Int, channel: Int)?
    for (number, samples) in channels.enumerated() {
      // A sum over all of them is quicker than a look at each.
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
