import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

@Suite struct VoiceProcessorTests {
  private static let short = Conversation.inRoom(seconds: 0.6, nearFrom: 0.3)

  @Test(arguments: [[1], [7], [64, 1, 33], [63, 64]])
  func `what comes out does not depend on how it is cut`(slices: [Int]) {
    #expect(Self.short.slack == 64)
    #expect(Self.short.processed(slices: slices) == Self.short.processed())
  }

  @Test func `bypassed, the microphone passes bit for bit and at once`() {
    var scene = Self.short
    scene.settings.isBypassed = true
    #expect(scene.processed() == scene.microphone)
  }

  @Test func `a bypass is faded in 10 ms`() {
    let scene = Self.short
    let plain = scene.processed()
    let output = scene.processed { start, settings in settings.isBypassed = start >= 4800 }
    #expect(output[..<4800] == plain[..<4800])
    #expect(output[4960...] == scene.microphone[4960...])
    #expect(output[4880] != plain[4880] && output[4880] != scene.microphone[4880])
  }

  @Test func `a room that has changed during a bypass is known when it ends`() {
    let scene = Conversation.inRoom(seconds: 4, change: 2)
    let output = scene.processed { start, settings in
      settings.isBypassed = (24_000..<48_000).contains(start)
    }
    let restored = Array(output.dropFirst(scene.delay))
    #expect(scene.enhancement(restored, 1..<1.4) >= 30)
    #expect(scene.enhancement(restored, 1.6..<2.9) < 1)
    #expect(scene.enhancement(restored, 3.05..<3.9) >= 30)
  }

  @Test func `muted, nothing comes out, after a fade of 10 ms`() {
    let scene = Self.short
    let plain = scene.processed()
    let output = scene.processed { start, settings in
      settings.isMuted = (3200..<6400).contains(start)
    }
    #expect(output[..<3200] == plain[..<3200])
    #expect(output[3360..<6400].allSatisfy { $0 == 0 })
    #expect(output[6560...] == plain[6560...])
  }

  @Test func `speech while muted is noticed, an echo is not`() {
    let scene = Conversation.inRoom(seconds: 3.2, nearFrom: 2)
    var processor = VoiceProcessor(
      sampleRate: 16_000, slack: 64, settings: VoiceSettings(isMuted: true))
    let memory = SampleStorage(repeating: 0, count: 128)
    var noticed: [Bool] = []
    for start in stride(from: 0, to: scene.microphone.count - 63, by: 64) {
      let (near, far) = (memory.buffer(at: 0, count: 64), memory.buffer(at: 64, count: 64))
      for index in 0..<64 {
        near[index] = scene.microphone[start + index]
        far[index] = scene.loudspeaker[start + index]
      }
      processor.process(near, into: near)
      processor.play(far)
      noticed.append(processor.speaksWhileMuted)
    }
    #expect(!noticed[250..<500].contains(true))
    #expect(noticed[600...].contains(true))
  }

  @Test(arguments: [-42.0, -26, -12])
  func `speech is brought to within 3 dB of its level`(decibels: Double) {
    var scene = Conversation()
    scene.microphone = Conversation.spoken(4.5, 16_000, seed: 4, decibels: decibels)
    scene.loudspeaker = scene.microphone.map { _ in 0 }
    scene.settings.controlsLevel = true
    let output = scene.restored()
    let late = output[(3 * 16_000)...]
    let peak = late.reduce(0) { max($0, abs($1)) }
    let active = late.filter { abs($0) > 0.02 * peak }
    let level = 10 * renderLog10(SpeechMeasures.power(active[...]))
    let target = 10 * renderLog10(Double(LevelControl.target))
    #expect(abs(level - target) <= 3, "\(level) dBFS")
    #expect(peak < 1)
  }

  @Test func `noise alone is not brought to the level of speech`() {
    var scene = Conversation()
    var random = SplitMix64(seed: 9)
    scene.microphone = (0..<48_000).map { _ in Float(random.normal() * 0.003) }
    scene.loudspeaker = scene.microphone.map { _ in 0 }
    scene.settings.controlsLevel = true
    let output = scene.restored()
    // The noise is reduced by 8 dB, not amplified by 30 dB.
    #expect(scene.enhancement(output, 1.5..<2.9) >= 8)
  }

  @Test func `what is not a number does no lasting harm`() {
    var scene = Self.short
    for index in 2000..<2100 { scene.microphone[index] = index % 2 == 0 ? .nan : .infinity }
    for index in 1500..<1600 { scene.loudspeaker[index] = -.infinity }
    let output = scene.processed()
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test func `a loudspeaker that nobody tells of is taken to be silent`() {
    let scene = Conversation.inRoom(seconds: 0.5, nearFrom: 0, farIsSilent: true)
    var processor = VoiceProcessor(
      sampleRate: 16_000, slack: 64, settings: VoiceSettings(controlsLevel: false))
    let memory = SampleStorage(repeating: 0, count: 64)
    var output: [Float] = []
    for start in stride(from: 0, to: scene.microphone.count - 63, by: 64) {
      let near = memory.buffer(at: 0, count: 64)
      for index in 0..<64 { near[index] = scene.microphone[start + index] }
      processor.process(near, into: near)
      for index in 0..<64 { output.append(near[index]) }
    }
    #expect(output == Array(scene.processed().prefix(output.count)))
  }

  @Test(arguments: [
    (8000.0, 64), (11_025, 90), (16_000, 128), (22_050, 192), (44_100, 384), (48_000, 384),
    (96_000, 768), (192_000, 1536),
  ])
  func `a hop is near 8 ms and fast to transform`(sampleRate: Double, hop: Int) {
    #expect(VoiceProcessor.hop(sampleRate: sampleRate) == hop)
  }

  @Test func `nothing is allocated on the way`() {
    var processor = VoiceProcessor(sampleRate: 16_000, slack: 64, searchesDelay: true)
    let memory = SampleStorage(repeating: 0.1, count: 128)
    let calls = allocations {
      for turn in 0..<40 {
        processor.settings.isMuted = turn % 3 == 0
        processor.process(memory.buffer(at: 0, count: 64), into: memory.buffer(at: 0, count: 64))
        processor.play(memory.buffer(at: 64, count: 64))
      }
    }
    #expect(calls == 0)
  }
}
