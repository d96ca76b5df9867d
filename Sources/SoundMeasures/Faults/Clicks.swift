/// A place at which a sound jumps.
public struct Click: Hashable, Sendable {
  /// From 0.
  public var channel: Int
  /// The first frame behind the jump.
  public var frame: Int
  /// How high the jump is, in dBFS: 0 from silence to full scale.
  public var size: Double

  public init(channel: Int, frame: Int, size: Double) {
    self.channel = channel
    self.frame = frame
    self.size = size
  }
}

extension Sound {
  /// Jumps that stand out from what is around them, in the order of channels and frames.
  public func clicks() -> [Click] {
    channels.enumerated().flatMap { number, samples in
      var clicks: [Click] = []
      // The third difference is silent for what is smooth.
      let bends = samples.indices.map { frame in
        frame < 3
          ? 0
          : Double(
            samples[frame] - 3 * samples[frame - 1] + 3 * samples[frame - 2] - samples[frame - 3])
      }
      let reach = max(8, Int(sampleRate / 50))
      var frame = 3
      while frame < bends.count {
        let size = bends[frame].magnitude
        let around = bends[max(3, frame - reach)..<min(bends.count, frame + reach)]
        let near = frame - 6..<frame + 7
        if size > 0.001,
          !around.indices.contains(where: { !near.contains($0) && bends[$0].magnitude * 3 > size })
        {
          clicks.append(Click(channel: number, frame: frame, size: decibels(size)))
          frame += 6
        }
        frame += 1
      }
      return clicks
    }
  }
}
