import AudioTypes
import Glibc
import RenderHost
import SoundFiles

/// The output end, with the bytes that are still to be written.
///
/// `@unchecked Sendable`: used by the thread that opens it, until that starts the thread that
/// pulls, and then by that one.
final class PipeSink: @unchecked Sendable {
  let end: PipeEnd
  /// The format of the samples: interleaved.
  let format: StreamFormat
  /// The header at first, then rendered frames.
  private var waiting: [UInt8]
  private var first = 0
  /// Makes the header of a file with so many bytes of samples; `nil` where the header is not
  /// rewritten.
  private let head: ((_ dataBytes: Int) -> [UInt8])?
  private let headCount: Int
  /// The bytes written, with those of the header.
  private var written = 0
  private var lastHead: UInt64
  /// The time between two updates of the header, in nanoseconds: a file whose writer is killed
  /// lacks at most this much.
  private static let headInterval: UInt64 = 1_000_000_000

  /// - Parameter isWave: Whether a WAV header comes first. The header of a seekable file is updated
  ///   with its length; any other stream gets a length that means "until the end".
  init(_ end: PipeEnd, _ format: StreamFormat, isWave: Bool) {
    self.end = end
    self.format = format
    lastHead = monotonicNanoseconds()
    let type = format.sampleType.map { FileSampleType(keeping: $0) } ?? .float32
    let (channels, rate) = (format.channelCount, Int(format.sampleRate))
    if isWave, SoundFileWriter.isSeekable(end.descriptor) {
      let head = {
        WaveHeader.ofFile(type, channelCount: channels, sampleRate: rate, dataBytes: $0)
      }
      waiting = head(0)
      self.head = head
    } else {
      waiting =
        isWave ? WaveHeader.ofStream(type, channelCount: channels, sampleRate: rate) : []
      head = nil
    }
    headCount = waiting.count
  }

  /// Whether all bytes are written.
  var isEmpty: Bool { first == waiting.count }

  /// Queues bytes for writing.
  func add(_ bytes: UnsafeRawBufferPointer) {
    if isEmpty {
      waiting.removeAll(keepingCapacity: true)
      first = 0
    }
    unsafe waiting += bytes
  }

  enum Outcome: Equatable {
    case written, wouldWait, closed
    case failed(Int32)
  }

  /// Writes as much as it can without waiting.
  func flush() -> Outcome {
    while !isEmpty {
      let transfer = unsafe waiting.withUnsafeBytes { bytes in
        unsafe end.write(UnsafeRawBufferPointer(rebasing: bytes[first...]))
      }
      switch transfer {
      case .bytes(let count):
        first += count
        written += count
      case .wouldWait: return .wouldWait
      case .closed: return .closed
      case .failed(let number): return .failed(number)
      }
    }
    guard head != nil, monotonicNanoseconds() - lastHead >= Self.headInterval else {
      return .written
    }
    lastHead = monotonicNanoseconds()
    return writeHead().map { .failed($0) } ?? .written
  }

  /// Updates the header of a file with its length. Later bytes are still appended.
  ///
  /// - Returns: An `errno`; `nil` for success.
  func complete() -> Int32? {
    guard head != nil, written >= headCount else { return nil }
    // A chunk has an even number of bytes. The padding byte does not count in its length.
    let padding = (written - headCount) % 2 == 1 ? put([0], at: written) : nil
    return writeHead() ?? padding
  }

  private func writeHead() -> Int32? {
    guard let head else { return nil }
    let bytes = max(0, written - headCount)
    // Counts whole frames only: a full disk may have cut the last one.
    return put(head(bytes - bytes % Int(format.bytesPerFrame)), at: 0)
  }

  private func put(_ bytes: [UInt8], at offset: Int) -> Int32? {
    while unsafe pwrite(end.descriptor, bytes, bytes.count, offset) != bytes.count {
      guard errno == EINTR else { return errno }
    }
    return nil
  }
}
