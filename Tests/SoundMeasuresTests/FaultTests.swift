import SoundMeasures
import Testing

@Suite struct FaultTests {
  @Test func `runs beyond full scale are found`() {
    let sound = LevelTests.sound(
      [0, 1, 1, 0.5, -1.5, -1, 1, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, .infinity])
    #expect(
      sound.clipped() == [
        SoundPlace(channel: 0, frames: 1..<3), SoundPlace(channel: 0, frames: 4..<7),
      ])
    #expect(sound.clipped(run: 1).count == 4)
    #expect(sound.clipped(atLeast: 0.4).count == 1)
  }

  @Test func `what is no number is counted`() {
    let sound = LevelTests.sound([0, 0, .nan, 0], [0, .infinity, -.infinity, 0])
    #expect(sound.nonFinite()?.count == 3)
    #expect(sound.nonFinite()?.first == SoundPlace(channel: 1, frames: 1..<2))
    #expect(LevelTests.sound([0, 1]).nonFinite() == nil)
  }

  @Test func `a stretch of zeros inside a sound is a drop-out`() {
    var samples = LevelTests.sine(440, level: 0.3, phase: 0.4)
    for frame in 10_000..<10_048 { samples[frame] = 0 }
    for frame in 20_000..<20_060 { samples[frame] = samples[20_000] }
    for frame in 40_000..<48_000 { samples[frame] = 0 }
    let found = LevelTests.sound(samples).dropouts()
    #expect(found.count == 2)
    #expect(found[0] == SoundPlace(channel: 0, frames: 10_000..<10_048))
    #expect(found.last?.frames?.lowerBound == 20_000)
  }

  @Test func `square waves, fades and pulses have no drop-outs`() {
    let square = LevelTests.sine(100.1).map { $0 < 0 ? Float(-0.5) : 0.5 }
    let pulses = (0..<48_000).map { $0 % 480 < 10 ? Float(0.5) : 0 }
    let fades = LevelTests.sine(440).enumerated().map { frame, sample in
      sample * max(0, abs(Float(frame - 24_000)) / 24_000 - 0.5)
    }
    #expect(LevelTests.sound(square, pulses, fades).dropouts().isEmpty)
  }

  @Test func `a step in a sine is a click, and the sine is none`() throws {
    var samples = LevelTests.sine(440, level: 0.1414)
    #expect(LevelTests.sound(samples).clicks().isEmpty)
    // -50 dBFS.
    for frame in 20_000..<48_000 { samples[frame] += 0.003_162 }
    let clicks = LevelTests.sound(samples).clicks()
    let click = try #require(clicks.first)
    #expect(clicks.count == 1 && click.channel == 0 && abs(click.frame - 20_000) < 3)
  }
}
