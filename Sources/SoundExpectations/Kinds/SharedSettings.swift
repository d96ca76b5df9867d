import AudioTypes
import RenderCore
import SoundMeasures

extension [SettingInfo] {
  /// The two channels of a comparison.
  static let channelPair = [
    SettingInfo(
      "channels", .text, defaultValue: .text("0 1"),
      summary: "Which two, from 0, with a blank between them.")
  ]

  /// The frequency of a sine, where it is known.
  static let fundamental = [
    SettingInfo(
      "frequency", .number(1...1_500_000), unit: .hertz,
      summary: "Of the sine; not given, that of the strongest.")
  ]

  /// The ends of a path through a patch.
  static let path = [
    SettingInfo(
      "from", .text, isRequired: true,
      summary:
        "Where it begins: an input, \"mixer:1\" say, a callback, or the microphone, \"io:1\"."),
    SettingInfo(
      "to", .text,
      summary: "Where it ends: an output. Not given, what the output unit plays."),
  ]
}

extension Expectation {
  /// The sound, and the two channels of a comparison.
  func soundAndChannels(
    _ patch: any TestedPatch
  ) throws(ExpectationProblem) -> (sound: Sound, first: Int, second: Int) {
    let numbers = (text("channels") ?? "0 1").split(separator: " ").map { Int($0) }
    guard numbers.count == 2, let first = numbers[0], let second = numbers[1] else {
      throw ExpectationProblem("two channels are meant, as in \"0 1\"", key: "channels")
    }
    let sound = try patch.sound(for: self)
    for number in [first, second] where !sound.channels.indices.contains(number) {
      throw ExpectationProblem(
        "there is no channel \(number)",
        help: [
          sound.channelCount == 1
            ? "the only channel is 0" : "the channels are 0 to \(sound.channelCount - 1)"
        ], key: settings["channels"] == nil ? nil : "channels")
    }
    return (sound, first, second)
  }

  /// One measure of the distortion of a sine, for each channel.
  func distortions(
    _ patch: any TestedPatch, _ measure: KeyPath<DistortionReading, Double>
  ) throws(ExpectationProblem) -> [SoundReading] {
    let sound = try patch.sound(for: self)
    let found = sound.distortion(of: number("frequency"))
    guard !found.isEmpty else {
      throw ExpectationProblem(
        "there is no sine to measure",
        help: ["feed one: \"feed\": { \"mixer:0\": { \"kind\": \"tone\", \"frequency\": 997 } }"])
    }
    return found.map {
      .init($0[keyPath: measure], at: .init(channel: $0.channel, frequency: $0.frequency))
    }
  }

  /// The number of frames in a block of a comparison.
  private static let blockFrames = 1024

  /// Compares two sounds: the level of their difference in each block, and a second quantity where
  /// their lengths differ.
  ///
  /// - Parameters:
  ///   - other: The name of the reference in messages.
  ///   - begin: The frame of the patch's sound at which the compared part begins.
  func differences(
    of sound: Sound, and reference: Sound, _ other: String, from begin: Int = 0
  ) throws(ExpectationProblem) -> [MeasuredQuantity] {
    guard sound.sampleRate == reference.sampleRate else {
      throw ExpectationProblem(
        "\(other) has another rate: \(BoundUnit.hertz.text(reference.sampleRate)), and not "
          + BoundUnit.hertz.text(sound.sampleRate))
    }
    guard sound.channelCount == reference.channelCount else {
      throw ExpectationProblem(
        "\(other) has another number of channels: \(reference.channelCount), and not "
          + "\(sound.channelCount)")
    }
    var readings: [SoundReading] = []
    let count = min(sound.frameCount, reference.frameCount)
    for channel in sound.channels.indices {
      let (heard, wanted) = (sound.channels[channel], reference.channels[channel])
      for start in stride(from: 0, to: count, by: Self.blockFrames) {
        let end = min(start + Self.blockFrames, count)
        var sum = 0.0
        for frame in start..<end {
          // Samples with equal bits do not differ, even if they are NaN.
          let isSame = heard[frame].bitPattern == wanted[frame].bitPattern
          let difference = isSame ? 0 : Double(heard[frame]) - Double(wanted[frame])
          sum += difference * difference
        }
        let level =
          sum == 0 ? -.infinity : 10 * renderLog10(sum / Double(end - start))
        readings.append(
          SoundReading(
            sum.isFinite ? level : .infinity,
            at: SoundPlace(channel: channel, frames: (begin + start)..<(begin + end))))
      }
    }
    if readings.isEmpty { readings = [SoundReading(-.infinity)] }
    var quantity = MeasuredQuantity(
      "difference from \(other)", .dBFS, readings, bound)
    if !quantity.holds { quantity.addFrequency(of: sound, and: reference, from: begin) }
    guard sound.frameCount != reference.frameCount else { return [quantity] }
    return [
      quantity,
      MeasuredQuantity(
        "frames that only one of them has", .count,
        [
          SoundReading(
            Double(abs(sound.frameCount - reference.frameCount)),
            at: SoundPlace(
              frames: (begin + count)..<(begin + max(sound.frameCount, reference.frameCount))))
        ], .atMost(0), key: "",
        notes: [
          "\(sound.frameCount) frames are heard, and \(other) has \(reference.frameCount)"
        ]),
    ]
  }
}

extension MeasuredQuantity {
  /// Adds the strongest frequency of the difference to the worst reading.
  fileprivate mutating func addFrequency(of sound: Sound, and reference: Sound, from begin: Int) {
    let bound = bound
    guard
      let index = readings.indices.max(by: {
        bound.excess(of: readings[$0].value) < bound.excess(of: readings[$1].value)
      }), let frames = readings[index].place.frames, let channel = readings[index].place.channel
    else { return }
    let range = (frames.lowerBound - begin)..<(frames.upperBound - begin)
    let samples = range.map { sound.channels[channel][$0] - reference.channels[channel][$0] }
    let difference = Sound(sampleRate: sound.sampleRate, channels: [samples])
    readings[index].place.frequency = difference.tone(near: nil).first?.frequency
  }

  /// A reading with the number of places, at the first of them.
  static func count(_ noun: String, _ places: [SoundPlace], _ bound: Bound) -> MeasuredQuantity {
    MeasuredQuantity(
      noun, .count, [SoundReading(Double(places.count), at: places.first ?? SoundPlace())], bound,
      notes: [])
  }
}

extension ExpectationProblem {
  static func tooShort(_ seconds: Double, _ sound: Sound) -> ExpectationProblem {
    ExpectationProblem(
      "\(BoundUnit.seconds.text(sound.duration)) of sound are too short: it takes "
        + "\(BoundUnit.seconds.text(seconds)) at least",
      help: ["make the test longer: \"duration\": \(Int(seconds.rounded(.up)) + 2)"])
  }
}
