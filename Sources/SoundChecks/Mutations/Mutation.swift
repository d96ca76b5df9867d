import SoundMeasures

/// A deliberate fault in a patch or its sound, which shows whether the tests notice it.
public struct Mutation: Sendable {
  /// The name of the kind: `mute a source`.
  public var kind: String
  /// The fault itself: `callback 'sea' is silent`.
  public var title: String
  var change: Change

  enum Change: Sendable {
    /// Changes the patch, each text a `POINTER=VALUE`.
    case patch([String])
    /// Changes the rendered sound at every place in the same way.
    case sound(@Sendable (Sound) -> Sound)
  }

  /// All faults that can be made in a patch.
  static func all(of patch: TestFile.TestedSource) -> [Mutation] {
    sounds + PatchMutations(patch).all
  }

  // MARK: Sounds

  /// Faults of the rendered sound, which apply to every patch.
  private static let sounds: [Mutation] = [
    sound("add 1 dB", "the sound is 1 dB louder") { sound in
      sound.mapped { $0 * 1.122018454301963 }
    },
    sound("take 1 dB", "the sound is 1 dB softer") { sound in
      sound.mapped { $0 / 1.122018454301963 }
    },
    sound("swap channels", "the first two channels are swapped") { sound in
      var sound = sound
      if sound.channelCount > 1 { sound.channels.swapAt(0, 1) }
      return sound
    },
    sound("delay by a frame", "the sound is a frame late") { sound in
      var sound = sound
      for channel in sound.channels.indices where !sound.channels[channel].isEmpty {
        sound.channels[channel].removeLast()
        sound.channels[channel].insert(0, at: 0)
      }
      return sound
    },
    sound("delay a channel", "the last channel is ten frames late") { sound in
      var sound = sound
      let last = sound.channelCount - 1
      guard last > 0, sound.frameCount > 10 else { return sound }
      sound.channels[last] =
        [Float](repeating: 0, count: 10) + sound.channels[last].dropLast(10)
      return sound
    },
    sound("lose a channel", "the first channel is silent") { sound in
      var sound = sound
      if sound.channelCount > 0 {
        sound.channels[0] = [Float](repeating: 0, count: sound.frameCount)
      }
      return sound
    },
    sound("turn a channel over", "the first channel is upside down") { sound in
      var sound = sound
      if sound.channelCount > 0 { sound.channels[0] = sound.channels[0].map { -$0 } }
      return sound
    },
    sound("cut a hole", "5 ms in the middle are silent") { sound in
      var sound = sound
      let length = Int(sound.sampleRate * 0.005)
      let start = sound.loudestFrame
      for channel in sound.channels.indices {
        for frame in start..<min(start + length, sound.frameCount) {
          sound.channels[channel][frame] = 0
        }
      }
      return sound
    },
    sound("click", "one sample is 0.3 of full scale off") { sound in
      var sound = sound
      let frame = sound.loudestFrame
      for channel in sound.channels.indices where frame < sound.frameCount {
        sound.channels[channel][frame] += sound.channels[channel][frame] > 0 ? -0.3 : 0.3
      }
      return sound
    },
    sound("add direct current", "0.01 of full scale is added") { sound in
      sound.mapped { $0 + 0.01 }
    },
    sound("clip", "the sound is cut off at half of its peak") { sound in
      let peak = sound.channels.flatMap { $0 }.reduce(0) { max($0, $1.magnitude) }
      return sound.mapped { min(max($0, -peak / 2), peak / 2) }
    },
    sound("dull", "what is above some kHz is softer") { sound in
      var sound = sound
      for channel in sound.channels.indices {
        var last: Float = 0
        sound.channels[channel] = sound.channels[channel].map { sample in
          last += 0.5 * (sample - last)
          return last
        }
      }
      return sound
    },
    sound("end early", "the last tenth is silent") { sound in
      var sound = sound
      let start = sound.frameCount * 9 / 10
      for channel in sound.channels.indices {
        for frame in start..<sound.frameCount { sound.channels[channel][frame] = 0 }
      }
      return sound
    },
    sound("hiss", "noise at -50 dBFS is added") { sound in
      var state: UInt32 = 1
      return sound.mapped { sample in
        state = state &* 1_664_525 &+ 1_013_904_223
        return sample + (Float(state >> 8) / 8_388_608 - 1) * 0.0055
      }
    },
  ]

  private static func sound(
    _ kind: String, _ title: String, _ change: @escaping @Sendable (Sound) -> Sound
  ) -> Mutation { Mutation(kind: kind, title: title, change: .sound(change)) }
}

extension Sound {
  fileprivate func mapped(_ change: (Float) -> Float) -> Sound {
    Sound(sampleRate: sampleRate, channels: channels.map { $0.map(change) })
  }

  /// The loudest frame in the middle half of the sound: at its beginning and end, a level changes
  /// anyway.
  fileprivate var loudestFrame: Int {
    var best = (frame: 0, level: Float(-1))
    for channel in channels {
      for frame in (frameCount / 4)..<max(frameCount / 4, frameCount * 3 / 4)
      where channel[frame].magnitude > best.level {
        best = (frame, channel[frame].magnitude)
      }
    }
    return best.frame
  }
}
