import Glibc

extension SoundComparison {
  static func level(_ squares: Double, _ count: Int) -> Double {
    count > 0 ? 10 * log10(squares / Double(count)) : -.infinity
  }

  /// Subtracts the reference from the sound, and measures the residual.
  mutating func measure(_ pair: SoundPair, _ fit: SoundPair.Fit, _ factor: Double) {
    let length = max(1, Int((sampleRate * 0.02).rounded()))
    let blockCount = (frames.count + length - 1) / length
    var blocks = (0..<blockCount).map { index in
      let start = frames.lowerBound + index * length
      return Block(
        frames: start..<min(start + length, frames.upperBound), reference: [], difference: [])
    }
    var left = pair.reference.map { _ in [Float]() }
    var sums = pair.reference.map { _ in Sums() }
    for channel in left.indices { left[channel].reserveCapacity(frames.count) }
    // Parts of whole blocks, long enough for an efficient filter.
    pair.walk(offset, frames, part: length * max(1, 8192 / length)) { channel, moved, range in
      let reference = pair.reference[channel]
      var sum = sums[channel]
      for start in stride(from: range.lowerBound, to: range.upperBound, by: length) {
        var (squares, others) = (0.0, 0.0)
        let end = min(start + length, range.upperBound)
        for frame in start..<end {
          let r = Double(reference[frame])
          let d = moved[frame - range.lowerBound] / factor - r
          squares += d * d
          others += r * r
          if d.magnitude > sum.peak {
            sum.peak = d.magnitude
            sum.peakFrame = frame
          }
          left[channel].append(Float(d))
        }
        sum.squares += squares
        sum.reference += others
        let index = (start - frames.lowerBound) / length
        blocks[index].reference.append(Self.level(others, end - start))
        blocks[index].difference.append(Self.level(squares, end - start))
      }
      sums[channel] = sum
    }
    overTime = blocks
    difference = Sound(sampleRate: sampleRate, channels: left)
    unmatched = pair.unmatched(offset, frames)
    channels = sums.indices.map { index in
      let gain = fit.channels[index]
      return Channel(
        null: sums[index].null(frames.count), gain: gain.map { 20 * log10($0.magnitude) },
        isInverted: gain.map { $0 < 0 } ?? false)
    }
    summarize(sums)
    measureBands(pair)
  }

  struct Sums {
    var squares = 0.0
    var reference = 0.0
    var peak = 0.0
    var peakFrame = 0

    func null(_ count: Int) -> Null {
      Null(
        rms: SoundComparison.level(squares, count), peak: 20 * log10(peak),
        reference: SoundComparison.level(reference, count))
    }
  }

  private mutating func summarize(_ sums: [Sums]) {
    null = Null(
      rms: channels.map(\.null.rms).max() ?? -.infinity,
      peak: channels.map(\.null.peak).max() ?? -.infinity,
      reference: channels.map(\.null.reference).max() ?? -.infinity)
    if let channel = sums.indices.max(by: { sums[$0].peak < sums[$1].peak }),
      sums[channel].peak > 0
    {
      let frame = sums[channel].peakFrame
      worstSample = SoundReading(
        null.peak, at: SoundPlace(channel: channel, frames: frame..<frame + 1))
    }
    for block in overTime {
      for (channel, level) in block.difference.enumerated()
      where level > worst?.value ?? -.infinity {
        worst = SoundReading(level, at: SoundPlace(channel: channel, frames: block.frames))
      }
    }
  }

  // MARK: Frequency

  private mutating func measureBands(_ pair: SoundPair) {
    guard null.rms > -.infinity || null.reference > -.infinity, !frames.isEmpty else { return }
    let bands = ThirdOctaves(sampleRate: sampleRate, frameCount: frames.count)
    let references = pair.reference.map { bands.powers(of: $0, frames) }
    let differences = difference.channels.map { bands.powers(of: $0, 0..<frames.count) }
    overFrequency = bands.middles.indices.map { band in
      Band(
        frequency: bands.middles[band],
        reference: 10 * log10(references.map { $0[band] }.max() ?? 0),
        difference: 10 * log10(differences.map { $0[band] }.max() ?? 0))
    }
    guard let place = worst?.place, let range = place.frames, let channel = place.channel else {
      return
    }
    // From the samples of the block alone: the bands begin where its length allows.
    let first = range.lowerBound - frames.lowerBound
    let near = ThirdOctaves(sampleRate: sampleRate, frameCount: range.count)
    let powers = near.powers(
      of: difference.channels[channel], first..<(first + range.count))
    worst?.place.frequency =
      powers.indices.max { powers[$0] < powers[$1] }.map { near.middles[$0] }
  }
}
