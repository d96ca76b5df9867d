import FileAccess
import SoundFiles
import Synchronization

/// A short sound file in memory, as floats, shared by all sources that play it. It is freed with the
/// last of them.
final class FileImage: Sendable {
  /// The most samples of a file in memory: 4 MiB.
  static let mostSamples = 1 << 20

  private let samples: [Float]
  private let channelCount: Int
  /// Whether all samples are finite.
  let isFinite: Bool

  private init(_ samples: [Float], channelCount: Int) {
    self.samples = samples
    self.channelCount = channelCount
    isFinite = samples.allSatisfy(\.isFinite)
  }

  private struct Weak {
    weak var image: FileImage?
  }

  private static let images = Mutex<[FileVersion: Weak]>([:])

  /// The image of a reader's file; `nil` where it is too long or cannot be read whole. The reader's
  /// position changes.
  static func image(of reader: SoundFileReader) -> FileImage? {
    guard reader.frameCount * reader.channelCount <= mostSamples, reader.fitsFloat,
      let version = reader.version
    else { return nil }
    return images.withLock { images in
      if let image = images[version]?.image { return image }
      images = images.filter { $0.value.image != nil }
      var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
      do throws(SoundFileError) {
        try reader.seek(to: 0)
        guard try reader.read(into: &samples) == reader.frameCount else { return nil }
      } catch {
        return nil
      }
      let image = FileImage(samples, channelCount: reader.channelCount)
      images[version] = Weak(image: image)
      return image
    }
  }

  /// Copies frames to `place`, which has room for them.
  func copy(_ first: Int, _ frameCount: Int, to place: UnsafeMutablePointer<Float>) {
    precondition(
      first >= 0 && frameCount >= 0 && (first + frameCount) * channelCount <= samples.count,
      "frames of the file")
    unsafe samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      unsafe place.update(from: base + first * channelCount, count: frameCount * channelCount)
    }
  }
}
