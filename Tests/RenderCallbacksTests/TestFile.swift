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

  /// A WAV file of floats at 48 kHz with the shortest head: samples begin at byte 44.
  init(shortHead samples: [Float], channels: Int) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav").path
    var bytes = Data()
    func put(_ value: Int, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    let size = 4 * samples.count
    bytes.append(contentsOf: Array("RIFF".utf8))
    put(36 + size, 4)
    bytes.append(contentsOf: Array("WAVEfmt ".utf8))
    for (value, count) in [
      (16, 4), (3, 2), (channels, 2), (48_000, 4), (48_000 * 4 * channels, 4), (4 * channels, 2),
      (32, 2),
    ] { put(value, count) }
    bytes.append(contentsOf: Array("data".utf8))
    put(size, 4)
    for sample in samples { put(Int(sample.bitPattern), 4) }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
