import Glibc
import SoundMeasures
import TestSupport

/// A sound by a formula, which can be evaluated at any time: a delay by a fraction of a frame is
/// exact to double precision.
struct ClosedSound {
  enum Material: CaseIterable {
    case noise, speech, sweep, clicks, tones
  }

  /// The value at a time in frames.
  let value: (Double) -> Double
  /// The number of frames in which it is not almost silent.
  let length: Int

  /// Sounds with frequencies below 0.45 of the sample rate, to -150 dB.
  init(_ material: Material, length: Int, sampleRate: Double, random: inout SplitMix64) {
    self.length = length
    let end = Double(length)
    func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    /// Rises and falls smoothly enough to add no high frequencies.
    func envelope(_ time: Double) -> Double {
      0.5 * (erf((time - 200) / 30) - erf((time - end + 200) / 30))
    }
    switch material {
    case .noise, .tones:
      let count = material == .noise ? 60 : Int(uniform(1...4))
      let waves = (0..<count).map { _ in
        (
          uniform(material == .noise ? 0.001...0.44 : 0.005...0.2) * 2 * .pi,
          uniform(0...(2 * .pi)), uniform(0.5...1) / Double(count).squareRoot() * 0.4
        )
      }
      value = { time in
        let level = envelope(time)
        guard level > 1e-12 else { return 0 }
        return level * waves.reduce(0) { $0 + $1.2 * sin($1.0 * time + $1.1) }
      }
    case .speech:
      // A gliding voice in syllables.
      let pitch = uniform(90...220) / sampleRate * 2 * .pi
      let glide = uniform(-0.3...0.3) / end
      let syllables = (0..<max(3, Int(end / sampleRate * 5))).map { _ in
        (uniform(0.1...0.9) * end, uniform(0.02...0.06) * end, uniform(0.1...0.5))
      }
      let harmonics = max(1, min(24, Int(0.3 * 2 * .pi / pitch)))
      let levels = (1...harmonics).map { uniform(0.3...1) / Double($0) }
      value = { time in
        var level = 0.0
        for (middle, width, height) in syllables {
          let place = (time - middle) / width
          if place.magnitude < 8 { level += height * exp(-place * place) }
        }
        level *= envelope(time)
        guard level > 1e-12 else { return 0 }
        let phase = pitch * time * (1 + glide * time)
        var sum = 0.0
        for (index, height) in levels.enumerated() {
          sum += height * sin(Double(index + 1) * phase)
        }
        return 0.3 * level * sum
      }
    case .sweep:
      let (low, high) = (20 / sampleRate, 0.4)
      let rate = log(high / low) / end
      value = { time in
        let level = envelope(time)
        guard level > 1e-12 else { return 0 }
        return 0.5 * level * sin(2 * .pi * low * (exp(rate * time) - 1) / rate)
      }
    case .clicks:
      let clicks = (0..<6).map { _ in
        (uniform(0.05...0.95) * end, uniform(0.1...0.9) * (uniform(0...1) < 0.5 ? -1 : 1))
      }
      value = { time in
        var sum = 0.0
        for (middle, height) in clicks {
          let distance = time - middle
          if distance.magnitude < 20 { sum += height * exp(-distance * distance / 8) }
        }
        return sum
      }
    }
  }

  /// The samples of the sound if it begins at `start`.
  func samples(_ count: Int, from start: Double, times gain: Double = 1) -> [Float] {
    (0..<count).map { frame in
      let time = Double(frame) - start
      return time < -1 || time > Double(length) + 1 ? 0 : Float(gain * value(time))
    }
  }
}
