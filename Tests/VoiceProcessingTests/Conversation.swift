import RenderCore
import TestSupport
import VoiceProcessing

/// A loudspeaker and a microphone in a room, at 16 kHz by default.
struct Conversation {
  var sampleRate = 16_000.0
  var loudspeaker: [Float] = []
  var microphone: [Float] = []
  /// The near-end speech.
  var near: [Float] = []
  var slack: Int
  var settings = VoiceSettings(controlsLevel: false)
  var searchesDelay = false

  init(sampleRate: Double = 16_000) {
    self.sampleRate = sampleRate
    slack = VoiceProcessor.hop(sampleRate: sampleRate) / 2
  }

  /// - Parameters:
  ///   - nearFrom: When the near end begins to speak, in seconds; `nil` for never.
  ///   - change: When the room changes, in seconds.
  ///   - drive: The drive of the loudspeaker, which plays tanh(drive x) / drive; 0 for a linear one.
  static func inRoom(
    seconds: Double, sampleRate: Double = 16_000, nearFrom: Double? = nil, change: Double? = nil,
    drive: Float = 0, farIsSilent: Bool = false, delay: Double = 0
  ) -> Conversation {
    var scene = Conversation(sampleRate: sampleRate)
    let count = Int(seconds * sampleRate)
    scene.near = [Float](repeating: 0, count: count)
    if let nearFrom {
      let voice = spoken(seconds - nearFrom, sampleRate, seed: 2, decibels: -23)
      scene.near = [Float](repeating: 0, count: count - voice.count) + voice
    }
    var random = SplitMix64(seed: 3)
    let noise = (0..<count).map { _ in Float(random.normal() * 0.000316) }
    scene.microphone = zip(scene.near, noise).map { $0 + $1 }
    scene.loudspeaker = noise.map { _ in 0 }
    if farIsSilent { return scene }
    scene.loudspeaker = spoken(seconds, sampleRate, seed: 1, decibels: -17)
    let played =
      drive > 0
      ? scene.loudspeaker.map { sample in
        let double = renderExp(2 * Double(drive * sample))
        return Float((double - 1) / (double + 1)) / drive
      } : scene.loudspeaker
    func echo(_ seed: UInt64, late: Double) -> [Float] {
      let response = Room.response(
        sampleRate: sampleRate, reverberation: 0.2, seed: seed, isExact: false)
      return Room.convolve(
        played, [Float](repeating: 0, count: Int(late * sampleRate)) + response)
    }
    let first = echo(5, late: delay)
    let second = change == nil ? first : echo(52, late: 0.003)
    let turn = change.map { Int($0 * sampleRate) } ?? count
    for index in 0..<count {
      scene.microphone[index] += index < turn ? first[index] : second[index]
    }
    return scene
  }

  /// Synthetic speech at a level in dBFS where it is not silent.
  static func spoken(
    _ seconds: Double, _ sampleRate: Double, seed: UInt64, decibels: Double
  ) -> [Float] {
    let samples = SpeechModel.speech(seconds: seconds, sampleRate: sampleRate, seed: seed)
    let peak = samples.reduce(0) { max($0, abs($1)) }
    let active = samples.filter { abs($0) > 0.02 * peak }
    let gain = renderExp(decibels / 20 * 2.302585092994046)
    let scale = Float(gain / SpeechMeasures.power(active[...]).squareRoot())
    return samples.map { $0 * scale }
  }

  /// The output with its delay.
  ///
  /// - Parameters:
  ///   - slices: Slice lengths, used in turn; `slack` if empty.
  ///   - change: Called before each slice with its first frame.
  func processed(
    slices: [Int] = [], change: (Int, inout VoiceSettings) -> Void = { _, _ in }
  ) -> [Float] {
    var processor = VoiceProcessor(
      sampleRate: sampleRate, slack: slack, settings: settings, searchesDelay: searchesDelay)
    let memory = SampleStorage(repeating: 0, count: 2 * slack)
    var output: [Float] = []
    output.reserveCapacity(microphone.count)
    var start = 0
    var turn = 0
    while start < microphone.count {
      let wanted = slices.isEmpty ? slack : slices[turn % slices.count]
      turn += 1
      let slice = min(wanted, microphone.count - start)
      change(start, &processor.settings)
      let near = memory.buffer(at: 0, count: slice)
      let far = memory.buffer(at: slack, count: slice)
      for index in 0..<slice {
        near[index] = microphone[start + index]
        far[index] = loudspeaker[start + index]
      }
      processor.process(near, into: near)
      processor.play(far)
      for index in 0..<slice { output.append(near[index]) }
      start += slice
    }
    return output
  }

  /// The delay of the output in frames.
  var delay: Int { 2 * VoiceProcessor.hop(sampleRate: sampleRate) + slack }

  /// The output without its delay, and shorter by it.
  func restored() -> [Float] { Array(processed().dropFirst(delay)) }

  func enhancement(_ output: [Float], _ seconds: Range<Double>) -> Double {
    SpeechMeasures.enhancement(microphone, output, seconds: seconds, sampleRate: sampleRate)
  }

  func timeToReach(_ level: Double, _ output: [Float], after start: Double) -> Double {
    SpeechMeasures.timeToReach(
      level, Array(microphone.prefix(output.count)), output, after: start, sampleRate: sampleRate)
      ?? .infinity
  }

  func intelligibility(_ output: [Float], from seconds: Double) -> Double {
    let start = Int(seconds * sampleRate)
    return SpeechMeasures.intelligibility(
      of: Array(output.dropFirst(start)),
      clean: Array(near.prefix(output.count).dropFirst(start)), sampleRate: sampleRate)
  }

  func segmentalRatio(_ output: [Float], from seconds: Double) -> Double {
    let start = Int(seconds * sampleRate)
    return SpeechMeasures.segmentalRatio(
      of: Array(output.dropFirst(start)),
      clean: Array(near.prefix(output.count).dropFirst(start)), sampleRate: sampleRate)
  }
}
