import SoundMeasures
import Testing

@Suite struct ToneTests {
  @Test func `a band has the power of the sines in it`() {
    let low = LevelTests.sine(100.3, level: 0.5)
    let high = LevelTests.sine(5000.7, level: 0.05)
    let sound = LevelTests.sound(zip(low, high).map { $0 + $1 })
    #expect(abs(sound.band(from: 20, to: 1000)[0].value + 9.0309) < 0.02)
    #expect(abs(sound.band(from: 1000, to: 20_000)[0].value + 29.0309) < 0.02)
    #expect(sound.band(from: 10_000, to: 20_000)[0].value < -110)
    #expect(abs(sound.band(from: 0, to: 24_000)[0].value - sound.rms()[0].value) < 0.02)
  }

  @Test(arguments: [(440.0, 1.0, 1.0), (27.5, 0.01, 0.1), (12_345.6, 0.3, 0.1), (1000, 1, 20)])
  func `a sine is found`(frequency: Double, level: Double, seconds: Double) {
    let sound = LevelTests.sound(
      LevelTests.sine(frequency, level: level, seconds: seconds, phase: 0.7))
    for tone in [sound.tone()[0], sound.tone(near: frequency * 1.1)[0]] {
      #expect(abs(tone.cents(from: frequency)) < 0.001)
      #expect(abs(tone.level - LevelTests.decibels(level)) < 0.0001)
    }
  }

  @Test func `the strongest tone near a frequency is not the strongest of all`() {
    let sound = LevelTests.sound(
      zip(LevelTests.sine(440), LevelTests.sine(1001.5, level: 0.01)).map { $0 + $1 })
    #expect(abs(sound.tone(near: 1000)[0].cents(from: 1001.5)) < 0.1)
    #expect(abs(sound.tone()[0].cents(from: 440)) < 0.1)
    #expect(LevelTests.sound([]).tone()[0].level == -.infinity)
  }

  @Test(arguments: [1e-2, 1e-4, 1e-6]) func `harmonics are found`(level: Double) {
    let fundamental = LevelTests.sine(997, level: 0.5)
    let third = LevelTests.sine(2991, level: level / 2, phase: 1)
    // The sum of floats.
    let sound = LevelTests.sound(zip(fundamental, third).map { $0 + $1 })
    let reading = sound.distortion(of: 1000)[0]
    let expected = LevelTests.decibels(level)
    #expect(abs(reading.frequency - 997) < 0.001)
    #expect(abs(reading.thd - expected) < 0.3)
    #expect(abs(reading.thdn - expected) < 0.3)
    #expect(reading.snr > 130)
  }
}
