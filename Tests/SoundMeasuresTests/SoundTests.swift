import SoundMeasures
import Testing

@Suite struct SoundTests {
  @Test func `a part of a sound ends where the sound ends`() {
    let sound = Sound(sampleRate: 48_000, channels: [[0, 1, 2, 3], [4, 5, 6, 7]])
    #expect(sound.during(2..<9).channels == [[2, 3], [6, 7]])
    #expect(sound.during(5..<9).frameCount == 0)
    #expect(sound.channel(1).channels == [[4, 5, 6, 7]])
  }
}
