import SoundFiles
import Synchronization

/// A short sound file in memory, as floats: one for all sources that play it.
///
/// It lasts as long as one of them.
final class FileImage: Sendable {
  /// The most samples that a file in memory has: 4 MiB of them.
  static let mostSamples = 1 << 20

  private let samples: [Float]
  private let channelCount: Int

  private init(_ samples: [Float], channelCount: Int) {
    self.samples = samples
    self.channelCount = channelCount
  }

  private struct Weak {
    weak var image: FileImage?
  }

  private static let images = Mutex<[FileIdentity: Weak]>([:])

  /// The file that a reader has open; `nil` where it is too long or cannot be read whole. The reader is
  /// anywhere after that.
  static func image(of reader: SoundFileReader) -> FileImage? {
    guard reader.frameCount * reader.channelCount <= mostSamples, reader.fitsFloat,
      let identity = reader.identity
    else { return nil }
    return images.withLock { images in
      if let image = images[identity]?.image { return image }
      images = images.filter { $0.value.image != nil }
      var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
      do throws(SoundFileError) {
        try reader.seek(to: 0)
        guard try reader.read(into: &samples) == reader.frameCount else { return nil }
      } catch {
        return nil
      }
      let image = FileImage(samples, channelCount: reader.channelCount)
      images[identity] = Weak(image: image)
      return image
    }
  }

  /// Copies frames to where they are wanted.
  func copy(_ first: Int, _ frameCount: Int, into output: inout [Float], at place: Int) {
    let count = frameCount * channelCount
    precondition(
      (first + frameCount) * channelCount <= samples.count
        && place * channelCount + count <= output.count, "frames of the file, and room for them")
    unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe samples.withUnsafeBufferPointer { samples in
        guard let from = samples.baseAddress, let to = output.baseAddress else { return }
        unsafe (to + place * channelCount).update(from: from + first * channelCount, count: count)
      }
    }
  }
}
