import AudioTypes
public import FileAccess
public import SoundFiles
public import SoundMeasures

/// What a test has once heard and found good, in a sound file.
public enum Golden {
  /// Frames that are read in one go.
  private static let block = 4096

  /// Reads one.
  public static func read(_ path: String) throws(SoundFileError) -> Sound {
    let reader = try SoundFileReader(path: path)
    let count = reader.channelCount
    var samples = [Double](repeating: 0, count: block * count)
    var channels = [[Float]](repeating: [], count: count)
    while true {
      let frames = try reader.read(into: &samples)
      guard frames > 0 else { break }
      for channel in 0..<count {
        for frame in 0..<frames {
          channels[channel].append(Float(samples[frame * count + channel]))
        }
      }
    }
    return Sound(sampleRate: reader.sampleRate, channels: channels)
  }

  /// Writes one: of 24 bits where its ending says FLAC, and else with every bit.
  ///
  /// - Parameter files: Where it may be.
  public static func write(
    _ sound: Sound, to path: String, files: FilePolicy
  ) throws(SoundFileError) {
    let format = StreamFormat(
      .float32, channels: sound.channelCount, sampleRate: sound.sampleRate, interleaved: true)
    let writer = try SoundFileWriter(
      path: path, files: files, existing: .replace, format: format,
      sampleType: path.hasSuffix(".flac") ? .int24 : .float32, dither: .none)
    var samples = [Float](repeating: 0, count: block * sound.channelCount)
    var start = 0
    while start < sound.frameCount {
      let count = min(block, sound.frameCount - start)
      for (channel, lane) in sound.channels.enumerated() {
        for frame in 0..<count {
          samples[frame * sound.channelCount + channel] = lane[start + frame]
        }
      }
      do throws(SoundFileError) { try writer.write(samples, frameCount: count) } catch {
        writer.abandon()
        throw error
      }
      start += count
    }
    try writer.close()
  }
}
