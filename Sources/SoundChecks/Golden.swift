import SoundFiles
import SoundMeasures

/// What a test has once heard and found good, in a sound file.
enum Golden {
  /// Frames that are read in one go.
  private static let block = 4096

  static func read(_ path: String) throws(SoundFileError) -> Sound {
    let reader = try SoundFileReader(path: path)
    let count = reader.channelCount
    var samples = [Double](repeating: 0, count: block * count)
    var channels = [[Float]](repeating: [], count: count)
    while true {
      let frames = try reader.read(into: &samples)
      guard frames > 0 else { break }
      for channel in 0..<count {
        for frame in 0..<frames { channels[channel].append(Float(samples[frame * count + channel])) }
      }
    }
    return Sound(sampleRate: reader.sampleRate, channels: channels)
  }
}
