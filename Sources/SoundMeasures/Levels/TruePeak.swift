internal import RenderCore

extension Sound {
  /// The true peak of each channel: the largest magnitude of the wave through its samples, in dBTP,
  /// and the frame before it; minus infinity, without a frame, for silence.
  ///
  /// ITU-R BS.1770-4, annex 2, with stricter filters: sixteen points per frame, and a parabola
  /// through the highest of them. The filters pass up to 99.88 % of half the sample rate, so noise
  /// over the whole band is read to 0.1 dB. Before its first and after its last frame a sound is
  /// silent: a step there overshoots, as it does in a converter. Samples that are not finite are
  /// silence.
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

/// Finds peaks between samples: a long filter, applied to spectra, gives the samples halfway
/// between two; short filters give eight points from each of these half frames to the next.
private struct TruePeakFilters: ~Copyable {
  /// Samples in a transform.
  private static let length = 16_384
  /// Taps of the long filter.
  private static let halfTaps = 8192
  /// Points from one half frame to the next.
  private static let places = 8
  private var transform = RealFFT(length: length)
  private let half: SpectrumStorage
  private let fineTaps: Int
  private let fine: SampleStorage
  /// Half frames that the short filters need on either side of a block.
  private let margin: Int
  /// Frames in a block: as many as fit in a transform.
  private let block: Int

  init() {
    // Kaiser's formula gives 8,162 taps.
    let long = KaiserFilter(attenuation: 80, passBand: 0.998_77, step: 1)
    precondition(long.tapCount <= Self.halfTaps, "a transform has room for the long filter")
    // The signal at twice the rate has nothing above half of its band.
    let short = KaiserFilter(attenuation: 90, passBand: 0.5, step: 1)
    let fineTaps = short.tapCount
    self.fineTaps = fineTaps
    margin = fineTaps / 2
    block = Self.length - Self.halfTaps - 2 * margin
    let fine = (1..<Self.places).flatMap { place in
      // A row is the response in reverse: its taps are at the times of the half frames.
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

  /// The peak, and its time in frames, with a fraction; `nil` for silence.
  mutating func peak(of samples: [Float]) -> (magnitude: Double, frame: Double)? {
    var best: (magnitude: Double, frame: Double)?
    // The filter is centred between its two middle taps.
    let lead = Self.halfTaps / 2 - 1
    let input = SampleStorage(repeating: 0, count: Self.length)
    let between = SampleStorage(repeating: 0, count: Self.length)
    let halves = SampleStorage(repeating: 0, count: 2 * (block + 2 * margin))
    let outputs = SampleStorage(repeating: 0, count: Self.places * 2 * block)
    // The wave goes on before the first sample and after the last.
    var start = -margin
    while start < samples.count + margin {
      for index in 0..<input.count {
        let frame = start - margin - lead + index
        let sample = samples.indices.contains(frame) ? samples[frame] : 0
        input[index] = sample.isFinite ? sample : 0
      }
      transform.forward(input.buffer(at: 0, count: input.count), into: half[1])
      half[2].clear()
      half.addProducts(1, from: 1, times: half, from: 0, to: half[2])
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

  /// The vertex of the parabola through the largest value and its neighbours.
  private static func vertex(
    _ outputs: borrowing SampleStorage, count: Int, of largest: Float, from start: Double
  ) -> (magnitude: Double, frame: Double) {
    // The outputs are in rows: the half frames, then the points an eighth after each, and so on.
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
