import TestSupport
import Testing

@testable import VoiceProcessing

/// Echoes in a room that is simulated by the image method. `patchrun-bench voice` measures longer
/// scenes, with voices of a speech synthesizer and at more rates.
@Suite struct EchoCancellingTests {
  @Test
  func `an echo falls by 40 dB within 1.5 s and stays there, also after the room has changed`() {
    let scene = Conversation.inRoom(seconds: 5.5, change: 3)
    let output = scene.restored()
    #expect(scene.timeToReach(40, output, after: 0) <= 1.5)
    #expect(scene.enhancement(output, 1.5..<3) >= 40)
    #expect(scene.timeToReach(40, output, after: 3) <= 1.5)
  }

  @Test func `the same at 48 kHz`() {
    let scene = Conversation.inRoom(seconds: 2, sampleRate: 48_000)
    let output = scene.restored()
    #expect(scene.timeToReach(40, output, after: 0) <= 1.5)
    #expect(scene.enhancement(output, 1.5..<1.95) >= 40)
  }

  @Test func `in double talk the near end stays intelligible`() {
    let scene = Conversation.inRoom(seconds: 7.5, nearFrom: 5)
    let output = scene.restored()
    #expect(scene.enhancement(output, 1.5..<5) >= 40)
    #expect(scene.intelligibility(output, from: 5) >= 0.97)
    #expect(scene.segmentalRatio(output, from: 5) >= 9.5)
    // The microphone signal is less intelligible, so that there is something to improve.
    #expect(scene.intelligibility(scene.microphone, from: 5) < 0.9)
  }

  @Test func `a loudspeaker that distorts is modelled`() {
    let scene = Conversation.inRoom(seconds: 7, nearFrom: 5, drive: 3)
    let output = scene.restored()
    #expect(scene.enhancement(output, 1.5..<5) >= 30)
    #expect(scene.timeToReach(30, output, after: 0) <= 1.5)
    #expect(scene.intelligibility(output, from: 5) >= 0.93)
  }

  @Test func `where the far end is alone, what no filter explains is taken down too`() {
    // A loudspeaker that almost clips, and the shortest filter. The filters and the suppression of
    // proven echo reach only 13.7 dB.
    var scene = Conversation.inRoom(seconds: 6, drive: 60)
    scene.settings.quality = 0
    #expect(scene.enhancement(scene.restored(), 3..<5.9) >= 16)
  }

  @Test func `with a silent far end a voice comes through`() {
    let scene = Conversation.inRoom(seconds: 3, nearFrom: 0, farIsSilent: true)
    let output = scene.restored()
    #expect(scene.intelligibility(output, from: 0) >= 0.99)
    #expect(scene.segmentalRatio(output, from: 0) >= 20)
  }

  @Test func `an echo that comes a quarter of a second late is found`() {
    var scene = Conversation.inRoom(seconds: 4, delay: 0.3)
    scene.searchesDelay = true
    #expect(scene.enhancement(scene.restored(), 3..<3.9) >= 30)
  }

  @Test(arguments: [0, 43])
  func `a lower quality takes less of the echo out, but takes it out`(quality: Int) {
    var scene = Conversation.inRoom(seconds: 2.2)
    scene.settings.quality = quality
    #expect(scene.enhancement(scene.restored(), 1.5..<2.1) >= 25)
  }

  @Test(arguments: [8000, 44_100])
  func `every rate of a session is processed`(sampleRate: Double) {
    let scene = Conversation.inRoom(seconds: 1.2, sampleRate: sampleRate)
    #expect(scene.enhancement(scene.restored(), 0.8..<1.15) >= 30)
  }
}
