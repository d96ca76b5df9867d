import AudioTypes
import Foundation
import SoundFiles

/// A temporary sound file, removed with the object.
final class TestFile {
  let path: String

  init(
    _ sample: SampleType, _ samples: [Double], channels: Int = 1, sampleRate: Double = 48_000,
    as type: FileSampleType? = nil, ending: String = "wav"
  ) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\(ending)").path
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(sample, channels: channels, sampleRate: sampleRate),
      sampleType: type)
    try writer.write(samples, frameCount: samples.count / channels)
    try writer.close()
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
