import FileAccess
import RenderCore
import SoundFiles
import Synchronization

/// Short sound files in memory, as floats, shared by all sources that play them. Each is freed with the last of them.
enum FileImage {
  /// The most samples of a file in memory: 4 MiB.
  static let mostSamples = 1 << 20

  private struct Weak {
    weak var frames: StoredFrames?
  }

  private static let images = Mutex<[FileVersion: Weak]>([:])

  /// The frames of a reader's file; `nil` where it is too long or cannot be read whole. The reader's position changes.
  static func frames(of reader: SoundFileReader) -> StoredFrames? {
    guard reader.frameCount > 0, reader.frameCount * reader.channelCount <= mostSamples,
      reader.fitsFloat,
      let version = reader.version
    else { return nil }
    return images.withLock { images in
      if let frames = images[version]?.frames { return frames }
      images = images.filter { $0.value.frames != nil }
      let frames = unsafe StoredFrames(
        frameCount: reader.frameCount, channelCount: reader.channelCount
      ) {
        memory in
        do throws(SoundFileError) {
          try reader.seek(to: 0)
          return try unsafe reader.read(into: memory, frameCount: reader.frameCount)
            == reader.frameCount
        } catch {
          return false
        }
      }
      images[version] = frames.map(Weak.init)
      return frames
    }
  }
}
