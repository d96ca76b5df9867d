import AudioTypes
import SoundExpectations
import SoundMeasures

/// How far a measured number moves under small changes of the sound. A bound has to leave at least
/// this much room.
///
/// The changes are harmless ones: 0.1 dB of level up and down, noise at -90 dBFS, half a frame of
/// delay, 5 ms cut off at either end. The number is measured under a quarter, a half and the whole
/// of each; the margin is the greatest distance from its value for the unchanged sound.
enum Margins {
  /// The sound with each change, at each size.
  static func disturbed(_ sound: Sound) -> [Sound] {
    var found: [Sound] = []
    for size in [0.25, 0.5, 1.0] {
      let gain = Float(1 + size * 0.011579454259897)
      found.append(sound.map { $0 * gain })
      found.append(sound.map { $0 / gain })
      var state: UInt32 = 1
      let level = Float(size * 3.16e-5 * 1.7)
      found.append(
        sound.map { sample in
          state = state &* 1_664_525 &+ 1_013_904_223
          return sample + (Float(state >> 8) / 8_388_608 - 1) * level
        })
      var delayed = sound
      let share = Float(size * 0.5)
      for channel in delayed.channels.indices {
        var last: Float = 0
        delayed.channels[channel] = delayed.channels[channel].map { sample in
          defer { last = sample }
          return sample + share * (last - sample)
        }
      }
      found.append(delayed)
      let cut = Int(size * 0.005 * sound.sampleRate)
      if sound.frameCount > 4 * cut {
        found.append(sound.during(cut..<sound.frameCount))
        found.append(sound.during(0..<(sound.frameCount - cut)))
      }
    }
    return found
  }

  /// The farthest that the worst reading of an expectation moves, in the bound's unit; 0 for an
  /// expectation about the patch as a whole or without a bound.
  static func margin(_ expectation: Expectation, of sound: Sound) -> Double {
    guard expectation.kind.subject == .sound, expectation.kind.bound != nil else { return 0 }
    guard let middle = worst(expectation, sound) else { return 0 }
    return disturbed(sound).reduce(0) { most, sound in
      guard let value = worst(expectation, sound), value.isFinite, middle.isFinite else {
        return most
      }
      return max(most, (value - middle).magnitude)
    }
  }

  private static func worst(_ expectation: Expectation, _ sound: Sound) -> Double? {
    let bench = SingleSound(sound)
    guard let found = try? expectation.measure(bench), let last = found.last else { return nil }
    return last.worst.value
  }
}

/// A tested patch that is only a sound: it can be measured, but not rendered.
final class SingleSound: TestedPatch {
  private let sound: Sound

  init(_ sound: Sound) { self.sound = sound }

  private static let nothing = ExpectationProblem("there is only a sound")

  func sound(for expectation: Expectation) -> Sound { sound }

  func sound(
    for expectation: Expectation, _ variant: RenderVariant
  ) throws(ExpectationProblem) -> Sound { throw Self.nothing }

  func golden(
    _ path: String, for expectation: Expectation
  ) throws(ExpectationProblem) -> Sound { throw Self.nothing }

  func response(
    from: String, to: String?, level: Double
  ) throws(ExpectationProblem) -> MeasuredPath { throw Self.nothing }

  func findings() throws(ExpectationProblem) -> [Rule.Code] { throw Self.nothing }
  func load() throws(ExpectationProblem) -> Double { throw Self.nothing }
  func playingTime() throws(ExpectationProblem) -> Double? { throw Self.nothing }
}

extension Sound {
  func map(_ change: (Float) -> Float) -> Sound {
    Sound(sampleRate: sampleRate, channels: channels.map { $0.map(change) })
  }
}
