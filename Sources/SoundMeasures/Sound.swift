/// Sound in memory: the output of a bus, or the contents of a file.
///
/// Full scale is 1. Samples are as rendered; some may not be finite.
public struct Sound: Hashable, Sendable {
  /// In Hz, above 0.
  public var sampleRate: Double
  /// The samples of each channel, all of the same length.
  public var channels: [[Float]]

  public init(sampleRate: Double, channels: [[Float]]) {
    precondition(sampleRate > 0, "a sound has a sample rate")
    self.sampleRate = sampleRate
    self.channels = channels
  }

  public var channelCount: Int { channels.count }
  public var frameCount: Int { channels.first?.count ?? 0 }
  /// In seconds.
  public var duration: Double { Double(frameCount) / sampleRate }

  /// The frames of a range, as far as the sound has them.
  public func during(_ frames: Range<Int>) -> Sound {
    let range = frames.clamped(to: 0..<frameCount)
    return Sound(sampleRate: sampleRate, channels: channels.map { Array($0[range]) })
  }

  /// The sound of a single channel.
  public func channel(_ number: Int) -> Sound {
    Sound(sampleRate: sampleRate, channels: [channels[number]])
  }
}

/// A measured number, and its place.
public struct SoundReading: Hashable, Sendable {
  /// In the unit of the measurement; minus infinity for the level of silence.
  public var value: Double
  public var place: SoundPlace

  public init(_ value: Double, at place: SoundPlace = SoundPlace()) {
    self.value = value
    self.place = place
  }
}

/// A place in a sound: a `nil` member means all of them.
public struct SoundPlace: Hashable, Sendable {
  /// From 0.
  public var channel: Int?
  public var frames: Range<Int>?
  /// In Hz.
  public var frequency: Double?

  public init(channel: Int? = nil, frames: Range<Int>? = nil, frequency: Double? = nil) {
    self.channel = channel
    self.frames = frames
    self.frequency = frequency
  }
}
