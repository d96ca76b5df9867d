import RenderCore

/// Synthetic speech: syllables of voiced sounds with formants and of hiss, with pauses between
/// words. The same seed gives the same signal.
public enum SpeechModel {
  /// - Parameter seed: Selects the voice and what it says.
  public static func speech(seconds: Double, sampleRate: Double, seed: UInt64) -> [Float] {
    var random = SplitMix64(seed: seed)
    let count = Int(seconds * sampleRate)
    var output = [Float](repeating: 0, count: count)
    let pitch = 115 + 30 * random.even()
    var start = 0
    var syllables = 0
    while start < count {
      let isVoiced = syllables % 2 == 1 || random.even() > 0.2
      let length = Int(
        (isVoiced ? 0.17 + 0.07 * random.even() : 0.09 + 0.03 * random.even()) * sampleRate)
      let sound =
        isVoiced
        ? voiced(length, pitch * (1 + 0.15 * random.even()), sampleRate, &random)
        : hiss(length, sampleRate, &random)
      for (index, sample) in sound.enumerated() where start + index < count {
        // Each sound is faded in and out.
        let fade = min(Double(index), Double(length - 1 - index)) / (0.02 * sampleRate)
        output[start + index] += Float(sample * min(1, fade))
      }
      start += Int(0.9 * Double(length))
      syllables += 1
      if syllables % 7 == 6 { start += Int((0.18 + 0.1 * random.even()) * sampleRate) }
    }
    return output
  }

  /// Pulses through four moving resonances.
  private static func voiced(
    _ length: Int, _ pitch: Double, _ rate: Double, _ random: inout SplitMix64
  ) -> [Double] {
    let centers = [
      500 + 250 * random.even(), 1500 + 700 * random.even(), 2600 + 400 * random.even(),
      3600 + 300 * random.even(),
    ]
    let ends = centers.map { $0 * (1 + 0.15 * random.even()) }
    let loudness = 0.7 + 0.3 * random.even()
    var phase = 0.0
    var memory = [(Double, Double)](repeating: (0, 0), count: 4)
    var tilt = 0.0
    return (0..<length).map { index in
      let progress = Double(index) / Double(length)
      phase += pitch * (1.05 - 0.1 * progress) / rate
      var pulse = 0.02 * random.even()
      if phase >= 1 {
        phase -= 1
        pulse += 1
      }
      tilt += (pulse - tilt) * min(1, 2 * Double.pi * 900 / rate)
      var sum = 0.0
      for formant in 0..<4 {
        let center = centers[formant] + progress * (ends[formant] - centers[formant])
        guard center < 0.45 * rate else { continue }
        let width = 60 + 0.04 * center
        let radius = renderExp(-Double.pi * width / rate)
        let (first, second) = memory[formant]
        let next =
          tilt * (1 - radius) + 2 * radius * renderCosine(2 * Double.pi * center / rate) * first
          - radius * radius * second
        memory[formant] = (next, first)
        sum += next * [1, 0.7, 0.4, 0.25][formant]
      }
      return sum * loudness * rate / 8000
    }
  }

  /// Noise above 2.5 kHz.
  private static func hiss(
    _ length: Int, _ rate: Double, _ random: inout SplitMix64
  ) -> [Double] {
    let loudness = 0.06 + 0.03 * random.even()
    let share = min(1, 2 * Double.pi * 2500 / rate)
    var (low, lower) = (0.0, 0.0)
    return (0..<length).map { _ in
      let sample = random.even()
      low += share * (sample - low)
      lower += share * (low - lower)
      return loudness * (sample - low) + 0.3 * loudness * (low - lower)
    }
  }
}
