import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

/// A few of the scenes that `patchrun-bench voice --scenes N --seed S` draws, with the model of speech.
@Suite struct VoiceBatteryTests {
  private static let pools: [Double: VoicePool] = [
    16_000: .modelled(sampleRate: 16_000)
  ]

  /// The first scenes at 16 kHz of a coupling.
  private static func scenes(_ coupling: VoiceScene.Coupling, count: Int) -> [VoiceScene] {
    var found: [VoiceScene] = []
    var seed: UInt64 = 5_000_000
    while found.count < count {
      seed += 1
      guard VoiceScene.sampleRate(seed: seed) == 16_000, let pool = pools[16_000],
        VoiceScene.coupling(seed: seed) == coupling
      else { continue }
      found.append(VoiceScene(seed: seed, pool: pool))
    }
    return found
  }

  private static func processed(_ scene: VoiceScene) -> [Float] {
    var conversation = Conversation(sampleRate: scene.sampleRate)
    conversation.searchesDelay = true
    conversation.microphone = scene.microphone
    conversation.loudspeaker = scene.loudspeaker
    let output = conversation.processed { start, settings in
      let time = Double(start) / scene.sampleRate
      settings.isMuted = scene.muted?.contains(time) ?? false
      settings.isBypassed = scene.bypassed?.contains(time) ?? false
    }
    return Array(output.dropFirst(conversation.delay))
  }

  @Test func `with headphones the near end passes while both speak`() {
    for scene in Self.scenes(.headphones, count: 2) {
      let verdict = VoiceVerdict(of: Self.processed(scene), in: scene)
      #expect(verdict.intelligibility >= 0.97)
      #expect(abs(verdict.level) < 0.5)
    }
  }

  @Test func `a strong echo is taken out, and the near end is clearer for it`() {
    var gain = 0.0
    let scenes = Self.scenes(.strong, count: 3)
    for scene in scenes {
      let verdict = VoiceVerdict(of: Self.processed(scene), in: scene)
      let microphone = VoiceVerdict(of: scene.microphone, in: scene)
      // In the second scene both speak from the first moment on: nothing is known of the room.
      #expect(verdict.intelligibility >= microphone.intelligibility - 0.05)
      #expect(verdict.segmentalRatio >= microphone.segmentalRatio + 3)
      if let enhancement = verdict.enhancement { #expect(enhancement >= 10) }
      gain += verdict.intelligibility - microphone.intelligibility
    }
    #expect(gain / Double(scenes.count) >= 0.1)
  }

  @Test func `clocks that differ by 200 millionths are brought into step`() {
    var skew = ClockSkew(hop: 128, sampleRate: 16_000)
    let far = SampleStorage(repeating: 0, count: 128)
    var late = 0.0
    var moved = 0
    for _ in 0..<1500 {
      // The echo comes later by 200 millionths of each frame; what is read follows by `rate`, and a
      // filter follows what is left within some 20 hops.
      late += 128 * (0.0002 - skew.rate)
      let lateness = late
      late *= 0.95
      _ = skew.follow(far.buffer(at: 0, count: 128))
      let shift = skew.note(lateness: Float(lateness), variance: 0.0001)
      moved += shift
    }
    let isOn = skew.isOn
    #expect(isOn)
    #expect(moved == 6)
    let rate = skew.rate
    #expect(abs(rate - 0.0002) < 0.000005)
  }

  @Test func `a fraction of a frame is read between the frames`() {
    var skew = ClockSkew(hop: 128, sampleRate: 16_000)
    let far = SampleStorage(repeating: 0, count: 128)
    // Shown to be late, then in step: read a whole number of frames late at first.
    for _ in 0..<200 { _ = skew.note(lateness: 1, variance: 0.0001) }
    let isOn = skew.isOn
    #expect(isOn)
    var worst: Float = 0
    var lag = 6.0
    for hop in 0..<400 {
      let rate = skew.rate
      for index in 0..<128 {
        far[index] = Float(renderSine(0.2 * Double(hop * 128 + index)))
      }
      _ = skew.follow(far.buffer(at: 0, count: 128))
      for index in 0..<128 {
        lag += rate
        guard hop > 2 else { continue }
        let expected = Float(renderSine(0.2 * (Double(hop * 128 + index) - lag)))
        worst = max(worst, abs(far[index] - expected))
      }
    }
    // 40 dB below the tone.
    #expect(worst < 0.01)
  }

  @Test(arguments: VoicePeer.allCases)
  func `a library leaves a lone voice where it was, where it is installed`(peer: VoicePeer) {
    let near = SpeechModel.speech(seconds: 2, sampleRate: 16_000, seed: 4).map { $0 * 0.2 }
    let far = near.map { _ in Float(0) }
    guard
      let (output, _) = peer.process(
        loudspeaker: far, microphone: near, sampleRate: 16_000, clock: { 0 })
    else {
      print("\(peer.rawValue) is not installed: nothing is measured beside it")
      return
    }
    let found = SpeechMeasures.intelligibility(of: output, clean: near, sampleRate: 16_000)
    #expect(found > 0.9)
  }
}
