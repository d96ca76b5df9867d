import AudioTypes
import PictureTaps
import RenderCore
import RenderHost
import SoundFiles

/// Takes the frames of a render: measures them, and writes them to a file and to pictures.
///
/// `@unchecked Sendable`: one thread at a time uses it, and the next one sees what it has done.
final class RenderedOutput: FrameSink, @unchecked Sendable {
  private(set) var decoder: DeviceDecoder
  private let bytesPerFrame: Int
  private let writer: SoundFileWriter?
  private let pictures: [PictureRecorder]
  private var samples: [Double] = []

  /// - Parameter format: The device's.
  init(_ format: StreamFormat, _ writer: SoundFileWriter?, _ pictures: [PictureRecorder]) {
    decoder = DeviceDecoder(format)
    bytesPerFrame = Int(format.bytesPerFrame)
    self.writer = writer
    self.pictures = pictures
  }

  func take(_ bytes: Span<UInt8>, peak: Float?) throws(ServiceError) {
    do throws(SoundFileError) {
      if decoder.isFloat, pictures.isEmpty {
        decoder.measure(bytes, largest: peak)
        try writer?.write(floats: bytes)
      } else {
        decoder.decode(bytes, into: &samples)
        let frameCount = bytes.count / bytesPerFrame
        for picture in pictures { picture.add(samples, frameCount: frameCount) }
        try writer?.write(samples, frameCount: frameCount)
      }
    } catch {
      throw ServiceError(error.message)
    }
  }
}
