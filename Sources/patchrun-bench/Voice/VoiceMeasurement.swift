import Foundation
import RenderCore
import TestSupport
import VoiceProcessing

/// A telephone conversation in a simulated room.
private struct Scene {
  enum Event { case echo, change, doubleTalk, silence }

  var loudspeaker: [Float]
  var microphone: [Float]
  var near: [Float]
  let sampleRate: Double

  /// - Parameters:
  ///   - drive: The distortion of the loudspeaker, tanh(drive x) / drive; 0 for none.
  init(
    _ event: Event, voices: Voices, room: UInt64, reverberation: Double, drive: Float,
    seconds: Double
  ) {
    let rate = voices.sampleRate
    let count = Int(seconds * rate)
    sampleRate = rate
    let far = Scene.looped(voices.far, count)
    let played = drive > 0 ? far.map { tanhf(drive * $0) / drive } : far
    let first = Room.response(sampleRate: rate, reverberation: reverberation, seed: room)
    var echo = Room.convolve(played, first)
    near = [Float](repeating: 0, count: count)
    loudspeaker = far
    if event == .change {
      let second =
        [Float](repeating: 0, count: Int(0.003 * rate))
        + Room.response(sampleRate: rate, reverberation: reverberation, seed: room + 50)
      let other = Room.convolve(played, second)
      for index in Int(6 * rate)..<count { echo[index] = other[index] }
    }
    if event == .doubleTalk {
      let start = Int(5 * rate)
      near.replaceSubrange(start..<count, with: Scene.looped(voices.near, count - start))
    }
    if event == .silence {
      near = Scene.looped(voices.near, count)
      echo = near.map { _ in 0 }
      loudspeaker = echo
    }
    var random = SplitMix64(seed: room + 100)
    microphone = echo
    for index in 0..<count {
      microphone[index] += near[index] + Float(random.normal() * 0.000316)
    }
  }

  private static func looped(_ samples: [Float], _ count: Int) -> [Float] {
    (0..<count).map { samples[$0 % samples.count] }
  }

  /// The aligned output and the processor seconds.
  func process(
    quality: Int = 127, controlsLevel: Bool = false
  ) -> (output: [Float], cost: Double) {
    var processor = VoiceProcessor(
      sampleRate: sampleRate, slack: VoiceProcessor.hop(sampleRate: sampleRate) / 2,
      settings: VoiceSettings(controlsLevel: controlsLevel, quality: quality), searchesDelay: true)
    let slice = processor.slack
    let memory = SampleStorage(repeating: 0, count: 2 * slice)
    let delay = processor.delay
    var output: [Float] = []
    let begin = processorTime()
    var start = 0
    while start < microphone.count + delay {
      let near = memory.buffer(at: 0, count: slice)
      let far = memory.buffer(at: slice, count: slice)
      for index in 0..<slice {
        near[index] = start + index < microphone.count ? microphone[start + index] : 0
        far[index] = start + index < microphone.count ? loudspeaker[start + index] : 0
      }
      processor.process(near, into: near)
      processor.play(far)
      for index in 0..<slice { output.append(near[index]) }
      start += slice
    }
    let cost = processorTime() - begin
    return (Array(output.dropFirst(delay).prefix(microphone.count)), cost)
  }
}

/// Two voices at one rate.
private struct Voices {
  let name: String
  let far: [Float]
  let near: [Float]
  let sampleRate: Double

  static func all(at rate: Double) -> [Voices] {
    var found: [Voices] = []
    let text =
      "The quick brown fox jumps over the lazy dog while seven wizards quietly mix a hundred audio "
      + "streams. Every node in the graph renders its block, and the mixer adds the results together "
      + "without a single dropout. "
    let answer =
      "Now the person near the microphone is talking at the same time, which the canceller must leave "
      + "alone. "
    let spoken = SpokenText.speak(text + text, voice: "en-us", speed: 150, pitch: 50)
    let answered = SpokenText.speak(
      answer + answer + answer, voice: "en-gb", speed: 140, pitch: 70)
    if let spoken, let answered {
      let far = SpeechMeasures.converted(spoken.samples, from: spoken.rate, to: rate)
      let near = SpeechMeasures.converted(answered.samples, from: answered.rate, to: rate)
      found.append(
        Voices(
          name: "espeak", far: level(far, -17), near: level(near, -23), sampleRate: rate))
    } else {
      print("espeak-ng is not installed: its voices are left out")
    }
    found.append(
      Voices(
        name: "model",
        far: level(SpeechModel.speech(seconds: 12, sampleRate: rate, seed: 1), -17),
        near: level(SpeechModel.speech(seconds: 9, sampleRate: rate, seed: 2), -23),
        sampleRate: rate))
    return found
  }

  /// The samples scaled so that their active parts have this root mean square in dBFS.
  static func level(_ samples: [Float], _ decibels: Double) -> [Float] {
    let peak = samples.reduce(0) { max($0, abs($1)) }
    let active = samples.filter { abs($0) > 0.02 * peak }
    let gain = Float(pow(10, decibels / 20) / SpeechMeasures.power(active[...]).squareRoot())
    return samples.map { $0 * gain }
  }

}

func measureVoice() {
  print(
    """
    Voices in a simulated room (image method), the far end at -17 dBFS, the near end at -23 dBFS, noise at \
    -70 dBFS.
    ERLE in dB: in the steady state (1.5 to 6 s); seconds until it reaches 40 dB (30 dB with the loudspeaker
    that distorts: tanh(3x)/3), and again after the room has changed at 6 s. Double talk from 5 s on:
    intelligibility (STOI) and segmental SNR in dB of the near end; its STOI when the far end is silent.
    Cost: processor seconds for a second of sound.

    """)
  print(
    column("voices", width: 8) + column("rate") + column("RT60") + column("ERLE") + column("40 dB")
      + column("again") + column("STOI") + column("SNR") + column("silent")
      + column("tanh ERLE", width: 11)
      + column("30 dB") + column("STOI") + column("cost"))
  for rate in [16_000.0, 48_000] {
    for voices in Voices.all(at: rate) {
      for (room, reverberation) in [(UInt64(2), 0.2), (3, 0.3)] {
        measure(voices, room: room, reverberation: reverberation)
      }
    }
  }
  costs()
  levels()
}

private func measure(_ voices: Voices, room: UInt64, reverberation: Double) {
  let rate = voices.sampleRate
  func scene(_ event: Scene.Event, drive: Float = 0, seconds: Double = 10) -> Scene {
    Scene(
      event, voices: voices, room: room, reverberation: reverberation, drive: drive,
      seconds: seconds)
  }
  func tail(_ samples: [Float]) -> [Float] { Array(samples.dropFirst(Int(5 * rate))) }
  let change = scene(.change)
  let (changed, cost) = change.process()
  func enhancement(_ scene: Scene, _ output: [Float], _ seconds: Range<Double>) -> Double {
    SpeechMeasures.enhancement(scene.microphone, output, seconds: seconds, sampleRate: rate)
  }
  func reached(_ level: Double, _ scene: Scene, _ output: [Float], after start: Double) -> Double {
    SpeechMeasures.timeToReach(
      level, scene.microphone, output, after: start, sampleRate: rate) ?? .infinity
  }
  let double = scene(.doubleTalk)
  let spared = tail(double.process().output)
  let silent = scene(.silence, seconds: 5)
  let untouched = silent.process().output
  let distorted = scene(.doubleTalk, drive: 3)
  let restored = distorted.process().output
  func stoi(_ output: [Float], _ clean: [Float]) -> Double {
    SpeechMeasures.intelligibility(of: output, clean: clean, sampleRate: rate)
  }
  print(
    column(voices.name, width: 8) + column(rate, 0) + column(reverberation, 1)
      + column(enhancement(change, changed, 1.5..<6))
      + column(reached(40, change, changed, after: 0), 2)
      + column(reached(40, change, changed, after: 6), 2)
      + column(stoi(spared, tail(double.near)), 3)
      + column(
        SpeechMeasures.segmentalRatio(of: spared, clean: tail(double.near), sampleRate: rate), 1)
      + column(stoi(untouched, silent.near), 3)
      + column(enhancement(distorted, restored, 1.5..<5), 1, width: 11)
      + column(reached(30, distorted, restored, after: 0), 2)
      + column(stoi(tail(restored), tail(distorted.near)), 3) + column(cost / 10, 3))
}

/// The cost of a second of sound at each quality.
private func costs() {
  print("\n" + column("quality", width: 8) + column("rate") + column("cost") + column("ERLE"))
  for rate in [16_000.0, 48_000] {
    guard let voices = Voices.all(at: rate).first else { continue }
    let scene = Scene(
      .echo, voices: voices, room: 2, reverberation: 0.2, drive: 0, seconds: 6)
    for quality in [0, 32, 64, 96, 127] {
      let (output, cost) = scene.process(quality: quality)
      let enhancement = SpeechMeasures.enhancement(
        scene.microphone, output, seconds: 1.5..<6, sampleRate: rate)
      print(
        column(Double(quality), 0, width: 8) + column(rate, 0) + column(cost / 6, 3)
          + column(enhancement))
    }
  }
}

/// The output level of speech at three input levels, in dBFS, and the reduction of noise alone.
private func levels() {
  let rate = 16_000.0
  guard let voices = Voices.all(at: rate).first else { return }
  var scene = Scene(
    .silence, voices: voices, room: 2, reverberation: 0.2, drive: 0, seconds: 8)
  print("\nSpeech at -42, -26 and -12 dBFS with level control, after 4 s; its target is -20 dBFS:")
  for decibels in [-42.0, -26, -12] {
    scene.microphone = Array(Voices.level(voices.near, decibels).prefix(scene.microphone.count))
    scene.loudspeaker = scene.microphone.map { _ in 0 }
    let late = scene.process(controlsLevel: true).output.dropFirst(Int(4 * rate))
    let peak = late.reduce(0) { max($0, abs($1)) }
    let active = late.filter { abs($0) > 0.02 * peak }
    print(column(decibels, 0, width: 8) + column(10 * log10(SpeechMeasures.power(active[...]))))
  }
  var random = SplitMix64(seed: 1)
  scene.microphone = scene.microphone.map { _ in Float(random.normal() * 0.003) }
  scene.loudspeaker = scene.microphone.map { _ in 0 }
  let output = scene.process().output
  print(
    "\nNoise at -50 dBFS is less by"
      + column(
        SpeechMeasures.enhancement(
          scene.microphone, output, seconds: 3..<output.duration(rate), sampleRate: rate), width: 6)
      + " dB")
}

extension [Float] {
  fileprivate func duration(_ rate: Double) -> Double { Double(count) / rate }
}
