internal import RenderCore

extension Sound {
  /// Of each channel the largest magnitude of the wave that its samples stand for, in dBTP, and the frame that
  /// begins before it; minus infinity, without a frame, for silence.
  ///
  /// ITU-R BS.1770-4, annex 2, by stricter filters: sixteen places for each frame, and a parabola through the
  /// highest of them. The wave between samples is passed up to 99.88 % of half the sample rate, so that noise
  /// that fills all of it is read to 0.1 dB. Before its first and behind its last frame a sound is silent: one
  /// that begins or ends with a step overshoots there, as it does on its way out of a converter. What is no
  /// finite number counts as silence.
  public func truePeak() -> [SoundReading] {
    var shape = TruePeakFilters()
    return channels.enumerated().map { number, samples in
      guard let peak = shape.peak(of: samples) else {
        return SoundReading(-.infinity, at: SoundPlace(channel: number))
      }
      let frame = max(0, min(samples.count - 1, Int(peak.frame.rounded(.down))))
      return SoundReading(
        decibels(peak.magnitude), at: SoundPlace(channel: number, frames: frame..<frame + 1))
    }
  }
}

/// What finds the peaks between samples: samples halfway between them by a long filter, which is applied to
/// spectra, and eight places from each of these to the next by short ones.
private struct TruePeakFilters: ~Copyable {
  /// Samples of a transform.
  private static let length = 16_384
  /// Taps of the long filter.
  private static let halfTaps = 8192
  /// Places from one half frame to the next.
  private static let places = 8
  private var transform = RealFFT(length: length)
  private let half: SpectrumStorage
  private let fineTaps: Int
  private let fine: SampleStorage
  /// Half frames that are needed on either side of a block.
  private let margin: Int
  /// Frames at a time: as many as a transform leaves room for.
  private let block: Int

  init() {
    // By Kaiser's formula 8,162 taps.
    let long = KaiserFilter(attenuation: 80, passBand: 0.998_77, step: 1)
    precondition(long.tapCount <= Self.halfTaps, "a transform has room for the long filter")
    // Half frames carry nothing above half of their band.
    let short = KaiserFilter(attenuation: 90, passBand: 0.5, step: 1)
    let fineTaps = short.tapCount
    self.fineTaps = fineTaps
    margin = fineTaps / 2
    block = Self.length - Self.halfTaps - 2 * margin
    let fine = (1..<Self.places).flatMap { place in
      // The row is the response backwards: its taps are at the times of the half frames.
      short.values(
        from: Double(place) / Double(Self.places) - Double(fineTaps) / 2, count: fineTaps
      ).reversed()
    }
    self.fine = SampleStorage(fine.map(Float.init))
    half = SpectrumStorage(rowCount: 3, binCount: transform.binCount)
    let taps = SampleStorage(repeating: 0, count: Self.length)
    let values = long.values(from: 0.5 - Double(Self.halfTaps) / 2, count: Self.halfTaps)
    for (index, value) in values.enumerated() { taps[index] = Float(value) }
    transform.forward(taps.buffer(at: 0, count: taps.count), into: half[0])
  }

  /// `nil` for silence. Frames are those of the samples, with what lies between them.
  mutating func peak(of samples: [Float]) -> (magnitude: Double, frame: Double)? {
    var best: (magnitude: Double, frame: Double)?
    // The filter's middle lies between its first half and its second.
    let lead = Self.halfTaps / 2 - 1
    let input = SampleStorage(repeating: 0, count: Self.length)
    let between = SampleStorage(repeating: 0, count: Self.length)
    let halves = SampleStorage(repeating: 0, count: 2 * (block + 2 * margin))
    let outputs = SampleStorage(repeating: 0, count: Self.places * 2 * block)
    // A wave goes on for a while before its first sample and behind its last.
    var start = -margin
    while start < samples.count + margin {
      for index in 0..<input.count {
        let frame = start - margin - lead + index
        let sample = samples.indices.contains(frame) ? samples[frame] : 0
        input[index] = sample.isFinite ? sample : 0
      }
      transform.forward(input.buffer(at: 0, count: input.count), into: half[1])
      half[2].clear()
      half[2].add(half[1], times: half[0])
      transform.inverse(half[2], into: between.buffer(at: 0, count: between.count))
      for index in 0..<block + 2 * margin {
        halves[2 * index] = input[lead + index]
        halves[2 * index + 1] = between[Self.halfTaps - 1 + index]
      }
      let count = 2 * block
      outputs.buffer(at: 0, count: count).copy(from: halves.buffer(at: 2 * margin, count: count))
      for place in 1..<Self.places {
        VectorMath.filter(
          fine.buffer(at: (place - 1) * fineTaps, count: fineTaps),
          halves.buffer(at: 2 * margin - fineTaps / 2 + 1, count: count + fineTaps - 1),
          into: outputs.buffer(at: place * count, count: count))
      }
      let largest = Float(
        bitPattern: VectorMath.largest(outputs.buffer(at: 0, count: outputs.count)))
      if Double(largest) > best?.magnitude ?? 0 {
        best = Self.vertex(outputs, count: count, of: largest, from: Double(start))
      }
      start += block
    }
    return best
  }

  /// The top of the parabola through the largest value and its neighbours.
  private static func vertex(
    _ outputs: borrowing SampleStorage, count: Int, of largest: Float, from start: Double
  ) -> (magnitude: Double, frame: Double) {
    // One place after the other: halves, then what lies behind each by one eighth, and so on.
    func value(_ place: Int) -> Double {
      Double(outputs[place % places * count + place / places])
    }
    let total = count * places
    let found = (0..<outputs.count).first { outputs[$0].magnitude == largest } ?? 0
    let place = found % count * places + found / count
    let frame = { start + $0 / Double(2 * places) }
    guard place > 0 && place < total - 1 else { return (Double(largest), frame(Double(place))) }
    let (before, top, after) = (value(place - 1), value(place), value(place + 1))
    let bend = before - 2 * top + after
    guard bend != 0 else { return (Double(largest), frame(Double(place))) }
    let shift = max(-0.5, min(0.5, (before - after) / (2 * bend)))
    return ((top - (before - after) * shift / 4).magnitude, frame(Double(place) + shift))
  }
}
