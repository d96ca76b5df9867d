import RenderCore

/// The voices from which scenes choose, at one sample rate.
public struct VoicePool: Sendable {
  public let sampleRate: Double
  /// Each is some seconds long, with -26 dBFS where it is not silent.
  public let voices: [[Float]]

  public init(sampleRate: Double, voices: [[Float]]) {
    self.sampleRate = sampleRate
    self.voices = voices.map { Self.level($0) }
  }

  /// Voices of the speech model, which need no other program.
  public static func modelled(sampleRate: Double, count: Int = 6, seconds: Double = 9) -> VoicePool
  {
    VoicePool(
      sampleRate: sampleRate,
      voices: (0..<count).map {
        SpeechModel.speech(seconds: seconds, sampleRate: sampleRate, seed: UInt64(100 + $0))
      })
  }

  /// Scales a voice to a root mean square of -26 dBFS where it is not silent.
  static func level(_ samples: [Float]) -> [Float] {
    let peak = samples.reduce(0) { max($0, abs($1)) }
    let active = samples.filter { abs($0) > 0.02 * peak }
    guard !active.isEmpty else { return samples }
    let gain = Float(0.0501 / SpeechMeasures.power(active[...]).squareRoot())
    return samples.map { $0 * gain }
  }
}

/// A random telephone conversation: the loudspeaker signal, the microphone signal, and the near-end
/// part of it.
public struct VoiceScene: Sendable {
  /// The level of the echo relative to the near end.
  public enum Coupling: String, CaseIterable, Sendable {
    /// No echo.
    case headphones
    /// 10 to 40 dB below the near end.
    case weak
    /// From 10 dB below the near end to the same level.
    case moderate
    /// From the same level to 6 dB above.
    case strong
  }

  public enum Loudspeaker: String, CaseIterable, Sendable {
    case clean, tanh, clipped, evenOrder, resonant
  }

  public enum FarEnd: String, CaseIterable, Sendable { case speech, music, noise }

  /// A change during the scene; times in seconds.
  public enum Event: Sendable {
    case start
    case pathChange(Double)
    case delayJump(Double)
    case endOfDoubleTalk(Double)

    public var time: Double {
      switch self {
      case .start: 0
      case .pathChange(let time), .delayJump(let time), .endOfDoubleTalk(let time): time
      }
    }

    public var name: String {
      switch self {
      case .start: "start"
      case .pathChange: "path change"
      case .delayJump: "delay jump"
      case .endOfDoubleTalk: "end of double talk"
      }
    }
  }

  public static let seconds = 14.0

  public let sampleRate: Double
  public private(set) var coupling = Coupling.headphones
  public private(set) var loudspeakerKind = Loudspeaker.clean
  public private(set) var farEnd = FarEnd.speech
  /// RT60, in seconds.
  public private(set) var reverberation = 0.0
  /// The difference of the two clocks, in parts per million.
  public private(set) var drift = 0.0
  /// The delay of the echo in addition to that of the room, in seconds.
  public private(set) var delay = 0.0
  /// When the near end speaks, in seconds.
  public private(set) var doubleTalk: Range<Double> = 0..<0
  public private(set) var events: [Event] = [.start]
  /// When the unit is muted and when it is bypassed, in seconds.
  public private(set) var muted: Range<Double>?
  public private(set) var bypassed: Range<Double>?
  public private(set) var hasGainRamp = false

  public private(set) var loudspeaker: [Float] = []
  /// `near + echo + noise`.
  public private(set) var microphone: [Float] = []
  public private(set) var near: [Float] = []
  public private(set) var echo: [Float] = []
  /// The mean square of the noise at the microphone.
  public private(set) var noisePower = 0.0

  /// The sample rate of a scene. Its voices must have the same.
  public static func sampleRate(seed: UInt64) -> Double {
    var random = SplitMix64(seed: seed)
    return sampleRate(&random)
  }

  /// The coupling of a scene.
  public static func coupling(seed: UInt64) -> Coupling {
    var random = SplitMix64(seed: seed)
    _ = sampleRate(&random)
    return coupling(&random)
  }

  private static func coupling(_ random: inout SplitMix64) -> Coupling {
    let which = Double.random(in: 0...1, using: &random)
    return which < 0.15 ? .headphones : which < 0.5 ? .weak : which < 0.78 ? .moderate : .strong
  }

  private static func sampleRate(_ random: inout SplitMix64) -> Double {
    [8000, 16_000, 16_000, 16_000, 16_000, 32_000, 48_000][
      Int.random(in: 0..<7, using: &random)]
  }

  /// - Parameters:
  ///   - seed: Selects the scene.
  ///   - pool: Voices at the rate `VoiceScene.sampleRate(seed:)`.
  public init(seed: UInt64, pool: VoicePool) {
    var random = SplitMix64(seed: seed)
    sampleRate = Self.sampleRate(&random)
    precondition(pool.sampleRate == sampleRate, "voices have the rate of their scene")
    func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
    func between(_ low: Double, _ high: Double) -> Double {
      Double.random(in: low...high, using: &random)
    }
    let rate = sampleRate
    let count = Int(Self.seconds * rate)
    coupling = Self.coupling(&random)
    let what = between(0, 1)
    farEnd = what < 0.76 ? .speech : what < 0.9 ? .music : .noise
    let bend = between(0, 1)
    loudspeakerKind =
      bend < 0.5
      ? .clean : bend < 0.65 ? .tanh : bend < 0.77 ? .clipped : bend < 0.9 ? .evenOrder : .resonant
    reverberation = between(0.1, 0.7)
    let size = [0.7, 1, 1.6, 2.5][Int.random(in: 0..<4, using: &random)]
    drift = chance(0.3) ? between(10, 300) * (chance(0.5) ? 1 : -1) : 0
    let late = between(0, 1)
    delay = late < 0.6 ? 0 : between(0, 0.5)
    let jump = late > 0.9 ? between(2, 11) : nil
    let otherDelay = between(0, 0.5)

    // The near end speaks from some time on; in one scene of five, from the beginning.
    let start = chance(0.2) ? 0 : between(0.5, 7)
    let length = between(2, 5.5)
    doubleTalk = start..<(start + length)
    let change =
      chance(0.35) ? (chance(0.4) ? start + between(0, 1) * length : between(3, 11)) : nil
    events += [.endOfDoubleTalk(doubleTalk.upperBound)]
    if let change { events.append(.pathChange(change)) }
    if let jump { events.append(.delayJump(jump)) }
    if chance(0.05) {
      let begin = between(9, 11)
      muted = begin..<(begin + 1)
    } else if chance(0.05) {
      let begin = between(9, 11)
      bypassed = begin..<(begin + 1)
    }

    // The loudspeaker signal.
    let voice = Int.random(in: 0..<pool.voices.count, using: &random)
    let level = Float(renderExp(between(-6, 9) * 0.1151292546))
    switch farEnd {
    case .speech: loudspeaker = Self.looped(pool.voices[voice], count, from: between(0, 1))
    case .music: loudspeaker = Self.music(count, rate, &random)
    case .noise: loudspeaker = Self.noise(count, rate, &random)
    }
    let hum = Float(renderExp(between(-80, -50) * 0.1151292546))
    for index in 0..<count {
      loudspeaker[index] = loudspeaker[index] * level + hum * Float(random.even())
    }

    // The echo at the microphone.
    let driven = Self.played(loudspeaker, loudspeakerKind, rate, between(0, 1))
    let seedOfRoom = UInt64.random(in: 0..<1_000_000, using: &random)
    hasGainRamp = chance(0.1)
    let (rampStart, rampGain) = (between(2, 10), between(0.25, 2))
    if coupling == .headphones {
      echo = [Float](repeating: 0, count: count)
    } else {
      let ramped =
        hasGainRamp
        ? driven.enumerated().map { index, sample in
          let progress = min(max(Double(index) / rate - rampStart, 0), 1)
          return sample * Float(1 + progress * (rampGain - 1))
        } : driven
      // Where the echo comes ever earlier, it must not come before what is played has been played.
      let reserve = drift > 0 ? drift * 1e-6 * Self.seconds : 0
      func heard(_ seed: UInt64, _ delay: Double) -> [Float] {
        let response = Room.response(
          sampleRate: rate, reverberation: reverberation, seed: seed, isExact: false, size: size)
        return Room.convolve(
          ramped, [Float](repeating: 0, count: Int((delay + reserve) * rate)) + response)
      }
      echo = heard(seedOfRoom, delay)
      func turn(_ time: Double, to other: [Float]) {
        let first = min(count, Int(time * rate))
        echo.replaceSubrange(first..<count, with: other[first..<count])
      }
      let changes = [
        change.map { ($0, true) }, jump.map { ($0, false) },
      ].compactMap { $0 }.sorted { $0.0 < $1.0 }
      var (seed, late) = (seedOfRoom, delay)
      for (time, isRoom) in changes {
        if isRoom { seed &+= 1_000_003 } else { late = otherDelay }
        turn(time, to: heard(seed, late))
      }
      if drift != 0 { echo = Self.stretched(echo, by: 1 + drift * 1e-6) }
    }

    // The near end, at the level relative to the echo that the coupling gives.
    let nearLevel = renderExp(between(-10, 4) * 0.1151292546)
    let distance =
      switch coupling {
      case .headphones: 0.0
      case .weak: between(-40, -10)
      case .moderate: between(-10, 0)
      case .strong: between(0, 6)
      }
    var other = Int.random(in: 0..<max(1, pool.voices.count - 1), using: &random)
    if other >= voice { other = (other + 1) % pool.voices.count }
    near = [Float](repeating: 0, count: count)
    let first = Int(start * rate)
    let last = min(count, Int((start + length) * rate))
    let spoken = Self.looped(pool.voices[other], last - first, from: between(0, 1))
    for index in first..<last {
      let fade = Float(min(1, Double(min(index - first, last - 1 - index)) / (0.02 * rate)))
      near[index] = spoken[index - first] * Float(nearLevel) * fade
    }
    if coupling != .headphones {
      let peak = echo.reduce(0) { max($0, abs($1)) }
      let active = echo.filter { abs($0) > 0.02 * peak }
      let now = SpeechMeasures.power(active[...]).squareRoot()
      let wanted = 0.0501 * nearLevel * renderExp(distance * 0.1151292546)
      let gain = Float(wanted / max(now, 1e-9))
      for index in 0..<count { echo[index] *= gain }
    }
    let noise = renderExp(between(-85, -55) * 0.1151292546)
    noisePower = noise * noise
    let isHum = chance(0.4)
    var low = 0.0
    microphone = [Float](repeating: 0, count: count)
    for index in 0..<count {
      let white = random.normal()
      low += 0.1 * (white - low)
      let sample = isHum ? low * 4.36 : white
      microphone[index] = near[index] + echo[index] + Float(sample * noise)
    }
    // A converter clips at full scale.
    for index in 0..<count { microphone[index] = min(max(microphone[index], -1), 1) }
  }

  private static func looped(_ samples: [Float], _ count: Int, from share: Double) -> [Float] {
    let start = Int(share * Double(samples.count - 1))
    return (0..<count).map { samples[(start + $0) % samples.count] }
  }

  /// Chords of plucked strings with a beat, at -26 dBFS.
  private static func music(
    _ count: Int, _ rate: Double, _ random: inout SplitMix64
  ) -> [Float] {
    var output = [Float](repeating: 0, count: count)
    let beat = Int((0.2 + 0.1 * abs(random.even())) * rate)
    var start = 0
    while start < count {
      for _ in 0..<2 {
        let pitch = 110 * renderExp(0.0577623 * Double(Int.random(in: 0..<30, using: &random)))
        let length = max(4, Int(rate / pitch))
        var string = (0..<length).map { _ in Float(random.even()) }
        for index in 0..<min(4 * beat, count - start) {
          let place = index % length
          let next = 0.498 * (string[place] + string[(place + 1) % length])
          string[place] = next
          output[start + index] += next
        }
      }
      if Double.random(in: 0..<1, using: &random) < 0.5 {
        for index in 0..<min(beat / 2, count - start) {
          let decay = Float(renderExp(-8 * Double(index) / Double(beat / 2)))
          output[start + index] += Float(random.even()) * decay
        }
      }
      start += beat
    }
    return VoicePool.level(output)
  }

  /// Noise with varying loudness, at -26 dBFS.
  private static func noise(
    _ count: Int, _ rate: Double, _ random: inout SplitMix64
  ) -> [Float] {
    let step = Int(0.3 * rate)
    var (last, next) = (1.0, 1.0)
    return VoicePool.level(
      (0..<count).map { index in
        if index % step == 0 { (last, next) = (next, 0.2 + 0.8 * abs(random.even())) }
        let share = Double(index % step) / Double(step)
        return Float(random.even() * (last + share * (next - last)))
      })
  }

  private static func played(
    _ samples: [Float], _ kind: Loudspeaker, _ rate: Double, _ amount: Double
  ) -> [Float] {
    switch kind {
    case .clean: return samples
    case .tanh:
      let drive = 1 + 3 * amount
      return samples.map { sample in
        let double = renderExp(2 * drive * Double(sample))
        return Float((double - 1) / (double + 1) / drive)
      }
    case .clipped:
      let limit = Float(0.08 + 0.4 * amount)
      return samples.map { min(max($0, -limit), limit) }
    case .evenOrder:
      let share = Float(0.2 + 0.6 * amount)
      return samples.map { $0 + share * $0 * $0 }
    case .resonant:
      let radius = 0.97
      let angle = 2 * Double.pi * (300 + 1500 * amount) / rate
      var (first, second) = (0.0, 0.0)
      return samples.map { sample in
        let next =
          0.06 * Double(sample) + 2 * radius * renderCosine(angle) * first - radius * radius
          * second
        (second, first) = (first, next)
        return Float(Double(sample) + next)
      }
    }
  }

  /// A signal read at another speed, with a sinc of 32 samples at 512 fractional positions.
  private static func stretched(_ samples: [Float], by speed: Double) -> [Float] {
    let (side, places) = (16, 512)
    let table: [[Float]] = (0...places).map { place in
      (0..<(2 * side)).map { tap in
        let offset = Double(tap - side + 1) - Double(place) / Double(places)
        let window = 0.5 * (1 + renderCosine(Double.pi * min(max(offset / 16.5, -1), 1)))
        let sinc = offset == 0 ? 1 : renderSine(Double.pi * offset) / (Double.pi * offset)
        return Float(sinc * window)
      }
    }
    return samples.indices.map { index in
      let center = Double(index) * speed
      let whole = Int(center)
      let place = (center - Double(whole)) * Double(places)
      let row = Int(place)
      let share = Float(place - Double(row))
      let (low, high) = (table[row], table[row + 1])
      var sum: Float = 0
      for tap in 0..<(2 * side) {
        let source = whole + tap - side + 1
        guard source >= 0 && source < samples.count else { continue }
        sum += samples[source] * (low[tap] + share * (high[tap] - low[tap]))
      }
      return sum
    }
  }
}
