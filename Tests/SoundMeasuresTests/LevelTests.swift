import Glibc
import SoundMeasures
import Testing

@Suite struct LevelTests {
  static func sine(
    _ frequency: Double, level: Double = 1, seconds: Double = 1, rate: Double = 48_000,
    phase: Double = 0
  ) -> [Float] {
    (0..<Int(seconds * rate)).map {
      Float(level * sin(2 * .pi * frequency * Double($0) / rate + phase))
    }
  }

  static func sound(_ channels: [Float]...) -> Sound {
    Sound(sampleRate: 48_000, channels: channels)
  }

  @Test func `a peak has its place, and what is no number is skipped`() {
    let sound = Self.sound([0, 0.5, -0.5, .nan, .infinity], [0, 0, 0, 0, 0])
    let peaks = sound.peak()
    #expect(abs(peaks[0].value + 6.0206) < 0.0001)
    #expect(peaks[0].place == SoundPlace(channel: 0, frames: 1..<2))
    #expect(peaks[1] == SoundReading(-.infinity, at: SoundPlace(channel: 1)))
  }

  @Test func `a square wave has the root mean square of its height`() {
    let square = (0..<1001).map { $0 % 2 == 0 ? Float(1) : -1 }
    let sine = Self.sine(1000)
    let levels = Sound(sampleRate: 48_000, channels: [square, square + [.nan, .infinity]])
    #expect(levels.rms().map(\.value) == [0, 0])
    #expect(abs(Self.sound(sine).rms()[0].value + 3.0103) < 0.0001)
    #expect(Self.sound([]).rms()[0].value == -.infinity)
  }

  @Test func `a mean is found beside a sine`() {
    let sine = Self.sine(1000).map { $0 / 4 + 0.125 }
    #expect(abs(Self.sound(sine).dc()[0].value + 18.0618) < 0.0001)
    #expect(Self.sound([0, 0]).dc()[0].value == -.infinity)
  }

  @Test func `channels are alike, unlike or apart`() {
    let sine = Self.sine(1000)
    let cosine = Self.sine(1000, phase: .pi / 2)
    let sound = Self.sound(sine, cosine, sine.map { -$0 / 2 }, sine.map { _ in 0 })
    #expect(abs(sound.correlation(of: 0, and: 1) ?? 1) < 1e-6)
    #expect(abs((sound.correlation(of: 0, and: 2) ?? 0) + 1) < 1e-6)
    #expect(sound.correlation(of: 0, and: 3) == nil)
    #expect(abs(sound.balance(of: 0, and: 2) - 6.0206) < 0.0001)
    #expect(sound.balance(of: 0, and: 3) == .infinity)
    #expect(sound.balance(of: 3, and: 3) == 0)
  }

  @Test func `the last frame above a level is found`() {
    let sound = Self.sound([0, 0, 0.5, 0, 0], [0, 0.25, 0, 0.3, 0])
    #expect(sound.lastAbove(-20) == SoundPlace(channel: 1, frames: 3..<4))
    #expect(sound.lastAbove(-10) == SoundPlace(channel: 0, frames: 2..<3))
    #expect(sound.lastAbove(0) == nil)
  }

  @Test(arguments: [(997.0, 0.1), (11_999, 1.1), (12_000, 0.785_398), (20_000, 0.3)])
  func `the peak of a sine is its amplitude wherever its samples are`(
    frequency: Double, phase: Double
  ) {
    // Faded over a quarter of a second at both ends, since a step would overshoot.
    let sine = Self.sine(frequency, level: 0.5, phase: phase).enumerated().map { frame, sample in
      sample * Float(min(1, Double(min(frame, 47_999 - frame)) / 12_000))
    }
    let peaks = Self.sound(sine).truePeak()
    // 0.05 dB: the error of the positions and of the parabola between them.
    #expect(abs(peaks[0].value + 6.0206) < 0.05)
    #expect(Self.sound([0, 0]).truePeak()[0].value == -.infinity)
  }

  @Test func `a sine of -23 dBFS on two channels has -23 LUFS`() throws {
    // EBU Tech 3341, test 1: 20 s of 1 kHz.
    let level = pow(10, -23.0 / 20)
    let sine = Self.sine(1000, level: level, seconds: 20)
    let sound = Self.sound(sine, sine)
    let integrated = try #require(sound.integratedLoudness())
    let shortTerm = try #require(sound.shortTermLoudness())
    #expect(abs(integrated + 23) < 0.1)
    #expect(abs(shortTerm.least.value + 23) < 0.1 && abs(shortTerm.greatest.value + 23) < 0.1)
    #expect(shortTerm.least.place.frames?.count == 144_000)
    #expect(abs(try #require(sound.loudnessRange())) < 0.1)
    #expect(sound.during(0..<10_000).integratedLoudness() == nil)
    #expect(sound.during(0..<100_000).shortTermLoudness() == nil)
    #expect(
      Sound(sampleRate: 48_000, channels: [[0], [0], [0], [0], [0], [0], [0]])
        .loudnessRefusal?.contains("6 channels") == true)
  }
}

extension LevelTests {
  static func decibels(_ magnitude: Double) -> Double { 20 * log10(magnitude) }
}
