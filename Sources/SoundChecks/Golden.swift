import AudioTypes
public import FileAccess
public import SoundFiles
public import SoundMeasures

/// A recording that a test compares with, in a sound file.
public enum Golden {
  /// The number of frames per read or write.
  private static let blockFrames = 4096

  /// Reads all of a golden.
  public static func read(_ path: String) throws(SoundFileError) -> Sound {
    let reader = try SoundFileReader(path: path)
    let count = reader.channelCount
    var samples = [Double](repeating: 0, count: blockFrames * count)
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

  /// Writes a golden, and replaces an existing file: with 24 bits where the path ends in `.flac`,
  /// otherwise as unchanged floats.
  ///
  /// - Parameter files: The policy that says where files may be written.
  public static func write(
    _ sound: Sound, to path: String, files: FilePolicy
  ) throws(SoundFileError) {
    let format = StreamFormat(
      .float32, channels: sound.channelCount, sampleRate: sound.sampleRate, interleaved: true)
    let writer = try SoundFileWriter(
      path: path, files: files, existing: .replace, format: format,
      sampleType: path.hasSuffix(".flac") ? .int24 : .float32, dither: .none)
    var samples = [Float](repeating: 0, count: blockFrames * sound.channelCount)
    var start = 0
    while start < sound.frameCount {
      let count = min(blockFrames, sound.frameCount - start)
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
