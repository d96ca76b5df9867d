import RenderCore

/// The quality of an output for both ends of a scene.
public struct VoiceVerdict: Sendable {
  /// The echo return loss enhancement in dB while the near end is silent, except for the first 3 s
  /// and 2 s after each event; limited by the noise at the microphone. `nil` if there is no such
  /// time with an echo above the noise.
  public let enhancement: Double?
  /// The intelligibility and the segmental ratio of the near end while it speaks.
  public let intelligibility: Double
  public let segmentalRatio: Double
  /// The level of the output relative to the near end while it speaks, in dB.
  public let level: Double
  /// For each event that an echo alone is heard after, between 1 and 2 s: its name, the seconds until the echo is
  /// reduced by 20 and 30 dB or to the noise, infinite if it never is, and the seconds until the next event, at
  /// which that ends.
  public let recoveries: [(name: String, to20: Double, to30: Double, until: Double)]

  public init(of output: [Float], in scene: VoiceScene) {
    let rate = scene.sampleRate
    let step = Int(0.05 * rate)
    let block = Int(0.25 * rate)
    let count = min(output.count, scene.microphone.count)
    func power(_ samples: [Float], _ start: Int) -> Double {
      SpeechMeasures.power(samples[start..<(start + block)])
    }
    let talk = scene.doubleTalk
    let silences = [scene.muted, scene.bypassed].compactMap { $0 }
    /// Whether a quarter of a second contains only an echo, above the noise.
    func isEchoAlone(_ start: Int) -> Bool {
      let (begin, end) = (Double(start) / rate, Double(start + block) / rate)
      if end > talk.lowerBound && begin < talk.upperBound + 0.05 { return false }
      if silences.contains(where: { end > $0.lowerBound && begin < $0.upperBound + 0.1 }) {
        return false
      }
      return power(scene.echo, start) > max(10 * scene.noisePower, 1e-8)
    }
    let first = Int(talk.lowerBound * rate)
    let last = min(count, Int(talk.upperBound * rate))
    // Muted stretches should be silent, and a bypassed microphone is not delayed.
    let judged = (first..<last).filter { index in
      let time = Double(index) / rate
      return !silences.contains { time > $0.lowerBound - 0.1 && time < $0.upperBound + 0.1 }
    }
    let clean = judged.map { scene.near[$0] }
    let spoken = judged.map { output[$0] }
    intelligibility = SpeechMeasures.intelligibility(of: spoken, clean: clean, sampleRate: rate)
    segmentalRatio = SpeechMeasures.segmentalRatio(of: spoken, clean: clean, sampleRate: rate)
    level =
      10
      * renderLog10(
        (SpeechMeasures.power(spoken[...]) + 1e-14) / (SpeechMeasures.power(clean[...]) + 1e-14))

    var (before, after, floor) = (0.0, 0.0, 0.0)
    var start = Int(3 * rate)
    while start + block <= count {
      let time = Double(start) / rate
      let end = Double(start + block) / rate
      let isNew = scene.events.contains { $0.time < end && time < $0.time + 2 }
      if !isNew && isEchoAlone(start) {
        before += power(scene.microphone, start)
        after += power(output, start)
        floor += scene.noisePower
      }
      start += block
    }
    if before > 0 {
      let limit = 10 * renderLog10(before / (floor + 1e-14))
      enhancement = min(limit, 10 * renderLog10(before / (after + 1e-14)))
    } else {
      enhancement = nil
    }

    recoveries = scene.events.compactMap { event in
      let begin = event.time
      let end = scene.events.map(\.time).filter { $0 > begin }.min() ?? VoiceScene.seconds
      var times = [Double.infinity, .infinity]
      // An echo that is heard in the first second only does not tell whether it would be reduced after two.
      var heard = false
      var place = Int(begin * rate)
      while place + block <= min(count, Int(end * rate)) {
        if isEchoAlone(place) {
          let passed = Double(place + block) / rate - begin
          if passed > 1 && passed <= 2 { heard = true }
          let heardNow = power(scene.microphone, place)
          let left = power(output, place)
          for (index, share) in [0.01, 0.001].enumerated()
          where left <= max(share * heardNow, 1.3 * scene.noisePower) {
            times[index] = min(times[index], passed)
          }
        }
        place += step
      }
      return heard ? (event.name, times[0], times[1], end - begin) : nil
    }
  }
}
