import AudioTypes
import SoundFiles
import SoundMeasures

/// Writes sound in memory to files.
enum SoundOutput {
  private static func format(_ sound: Sound) -> StreamFormat {
    StreamFormat(
      .float32, channels: max(1, sound.channelCount), sampleRate: sound.sampleRate,
      interleaved: true)
  }

  /// Throws if a sound cannot be written to this kind of file. Does not touch the file.
  static func check(_ path: String, for sound: Sound) throws(CommandFailure) {
    let problem = SoundFileWriter.problem(
      path: path, format: format(sound), sampleType: nil, quality: nil)
    guard let problem else { return }
    throw CommandFailure(ExitStatus.wrongUsage, problem.message, help: [problem.help])
  }

  /// Writes a sound and replaces an existing file. A WAV file keeps every sample exactly.
  static func write(_ sound: Sound, to path: String) throws(CommandFailure) {
    do throws(SoundFileError) {
      let writer = try SoundFileWriter(path: path, format: format(sound))
      for start in stride(from: 0, to: sound.frameCount, by: 8192) {
        let frames = start..<min(start + 8192, sound.frameCount)
        var samples: [Float] = []
        samples.reserveCapacity(frames.count * sound.channelCount)
        for frame in frames {
          for channel in sound.channels { samples.append(channel[frame]) }
        }
        try writer.write(samples, frameCount: frames.count)
      }
      try writer.close()
    } catch {
      let status =
        error.kind == .writeFailed ? ExitStatus.failedRunning : ExitStatus.unavailable
      throw CommandFailure(status, error.message, help: [error.help])
    }
  }
}
