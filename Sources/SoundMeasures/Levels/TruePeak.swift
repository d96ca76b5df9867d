internal import RenderCore

extension Sound {
  /// Of each channel the largest magnitude of the wave that its samples stand for, in dBTP, and the frame that
  /// begins before it; minus infinity, without a frame, for silence.
  ///
  /// ITU-R BS.1770-4, annex 2, by stricter filters: sixteen places for each frame, and a parabola through the
  /// highest of them, so that what lies below 99 % of half the sample rate is read to 0.05 dB. Before its first
  /// and behind its last frame a sound is silent: one that begins or ends with a step overshoots there, as it
  /// does on its way out of a converter. What is no finite number counts as silence.
  public func truePeak() -> [SoundReading] {
    let shape = TruePeakFilters()
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

/// What finds the peaks between samples: samples halfway between them by a long filter, and eight places from
/// each of these to the next by short ones.
private struct TruePeakFilters: ~Copyable {
  /// Frames at a time.
  private static let block = 4096
  /// Places from one half frame to the next.
  private static let places = 8
  private let halfTaps: Int
  private let half: SampleStorage
  private let fineTaps: Int
  private let fine: SampleStorage
  /// Half frames that are needed on either side of a block.
  private var margin: Int { fineTaps / 2 }

  init() {
    // 0.8 % of the band is where the response falls: 512 taps.
    let long = KaiserFilter(attenuation: 80, passBand: 0.99, step: 1)
    halfTaps = long.tapCount
    let half = long.values(from: 0.5 - Double(halfTaps) / 2, count: halfTaps)
    // Half frames carry nothing above half of their band.
    let short = KaiserFilter(attenuation: 90, passBand: 0.5, step: 1)
    let fineTaps = short.tapCount
    self.fineTaps = fineTaps
    let fine = (1..<Self.places).flatMap { place in
      // The row is the response backwards: its taps are at the times of the half frames.
      short.values(
        from: Double(place) / Double(Self.places) - Double(fineTaps) / 2, count: fineTaps
      ).reversed()
    }
    self.half = SampleStorage(half.map(Float.init))
    self.fine = SampleStorage(fine.map(Float.init))
  }

  /// `nil` for silence. Frames are those of the samples, with what lies between them.
  borrowing func peak(of samples: [Float]) -> (magnitude: Double, frame: Double)? {
    var best: (magnitude: Double, frame: Double)?
    let pad = halfTaps + margin
    let input = SampleStorage(repeating: 0, count: Self.block + 2 * pad)
    let between = SampleStorage(repeating: 0, count: Self.block + 2 * margin)
    let halves = SampleStorage(repeating: 0, count: 2 * between.count)
    let outputs = SampleStorage(repeating: 0, count: Self.places * 2 * Self.block)
    // A wave goes on for a while before its first sample and behind its last.
    var start = -margin
    while start < samples.count + margin {
      for index in 0..<input.count {
        let frame = start - pad + index
        let sample = samples.indices.contains(frame) ? samples[frame] : 0
        input[index] = sample.isFinite ? sample : 0
      }
      VectorMath.filter(
        half.buffer(at: 0, count: halfTaps),
        input.buffer(at: pad - margin - halfTaps / 2 + 1, count: between.count + halfTaps - 1),
        into: between.buffer(at: 0, count: between.count))
      for index in 0..<between.count {
        halves[2 * index] = input[pad - margin + index]
        halves[2 * index + 1] = between[index]
      }
      let count = 2 * Self.block
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
      start += Self.block
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
