import Glibc

extension SoundComparison {
  /// Looks for further causes where much of the difference is left.
  mutating func look(
    around sound: Sound, _ reference: Sound, _ pair: SoundPair, _ options: Options,
    _ fit: SoundPair.Fit
  ) {
    guard !pair.isSilent else { return }
    let turned = channels.indices.filter { channels[$0].isInverted }
    let isAlike = !findings.contains(.unrelated)
    if isAlike, isInverted || !turned.isEmpty, null.relative > -200 || isInverted {
      findings.append(.inverted(channels: turned.count == channelCount ? [] : turned))
    }
    if channelCount == 2, channels.allSatisfy({ $0.null.relative > -40 }),
      sound.channels[0] != sound.channels[1]
    {
      let swapped = SoundComparison(
        Sound(sampleRate: sampleRate, channels: sound.channels.reversed()), reference, options,
        looksAround: false)
      let less = null.rms - swapped.null.rms
      if less > 12 { findings.append(.swapped(by: less)) }
    }
    if isAlike, options.aligns, null.relative > -60, let drift = drift(pair) {
      findings.append(.drifts(framesPerSecond: drift))
    }
  }

  /// The frames per second by which the offset grows; `nil` where it is constant or unclear.
  private func drift(_ pair: SoundPair) -> Double? {
    let parts = 8
    let length = frames.count / parts
    guard Double(length) > 0.25 * sampleRate, length > 4096 else { return nil }
    var points: [(time: Double, offset: Double)] = []
    for part in 0..<parts {
      // The same frames of both at the overall offset, padded with silence where the sound ends.
      let start = frames.lowerBound + part * length
      let size = min(length, Int(4 * sampleRate))
      let lag = Int(offset.rounded())
      let other = pair.reference.map { Array($0[start..<(start + size)]) }
      let near = pair.sound.map { channel in
        ((start + lag)..<(start + lag + size)).map {
          channel.indices.contains($0) ? channel[$0] : 0
        }
      }
      let alignment = SoundAlignment(near, to: other, most: min(size / 8, 2000))
      guard alignment.isFound else { continue }
      points.append((Double(start) + Double(size) / 2, alignment.offset))
    }
    guard points.count >= 5 else { return nil }
    // A straight line by least squares; points far from it are no drift.
    let count = Double(points.count)
    let time = points.reduce(0) { $0 + $1.time } / count
    let mean = points.reduce(0) { $0 + $1.offset } / count
    var (tt, to) = (0.0, 0.0)
    for point in points {
      tt += (point.time - time) * (point.time - time)
      to += (point.time - time) * (point.offset - mean)
    }
    let slope = to / tt
    let ends = slope * (points[points.count - 1].time - points[0].time)
    let worst = points.map { ($0.offset - mean - slope * ($0.time - time)).magnitude }.max() ?? 0
    guard ends.magnitude > 0.1, worst < 0.1 * ends.magnitude + 0.02 else { return nil }
    return slope * sampleRate
  }

  // MARK: What the sounds are

  /// Findings about each of the two sounds by itself.
  static func findings(of pair: SoundPair) -> [Finding] {
    let sides: [(Side, SoundPair.Content)] = [
      (.sound, pair.soundContent), (.reference, pair.referenceContent),
    ]
    var found: [Finding] = sides.filter { $0.1.spoilt > 0 }.map {
      .notFinite($0.0, count: $0.1.spoilt, first: $0.1.firstSpoilt)
    }
    // Where both are silent, they do not differ.
    if sides.contains(where: { !$0.1.isSilent }) {
      found += sides.filter { $0.1.isSilent }.map { .silent($0.0) }
    }
    return found
  }

  /// The frames that only one sound of an aligned pair has.
  static func surplus(of pair: SoundPair, _ offset: Double) -> [Surplus] {
    var found: [Surplus] = []
    let lag = Int(offset.rounded(.down))
    // Between samples, the frames at the ends that the filter cannot reach are neither compared nor
    // surplus.
    let low = max(0, -lag)
    let high = max(low, min(pair.count, pair.soundCount - lag))
    let most = Int(offset.magnitude.rounded(.up))
    func add(_ side: Side, _ channels: [[Float]], _ range: Range<Int>) {
      guard !range.isEmpty else { return }
      var peak: Float = 0
      for channel in channels {
        for frame in range where channel[frame].magnitude > peak {
          peak = channel[frame].magnitude
        }
      }
      found.append(
        .init(
          side: side, frames: range, peak: 20 * log10(Double(peak)),
          isMovedOut: range.count <= most))
    }
    add(.sound, pair.sound, 0..<min(pair.soundCount, max(0, low + lag)))
    add(.sound, pair.sound, min(pair.soundCount, max(0, high + lag))..<pair.soundCount)
    add(.reference, pair.reference, 0..<min(low, pair.count))
    add(.reference, pair.reference, min(pair.count, high)..<pair.count)
    return found
  }
}
