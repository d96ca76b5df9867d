import AudioTypes
import Glibc
import RenderHost
import SoundFiles

/// The end that is played into, and what is still to be written there.
///
/// `@unchecked Sendable`: used by the thread that opens it until that starts the one that pulls, and
/// then by that one.
final class PipeSink: @unchecked Sendable {
  let end: PipeEnd
  /// What crosses: interleaved.
  let format: StreamFormat
  /// The head at first, then what has been rendered.
  private var waiting: [UInt8]
  private var first = 0
  /// The head of a file for so many bytes of samples; `nil` where none is written again.
  private let head: ((_ dataBytes: Int) -> [UInt8])?
  private let headCount: Int
  /// Bytes that have been written, those of the head among them.
  private var written = 0
  private var lastHead: UInt64
  /// From one head to the next, in nanoseconds: no more is missing of a file whose writer is killed.
  private static let headInterval: UInt64 = 1_000_000_000

  /// - Parameter isWave: Whether the head of a WAV file comes first. A file that is written from its beginning has
  ///   its length there, and all else a length that is as long as it lasts.
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

  /// Whether everything has been written.
  var isEmpty: Bool { first == waiting.count }

  /// Adds bytes behind those that wait.
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

  /// Writes what can be written without waiting.
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

  /// Has the head of a file say how long it is. What is written later comes behind what there is.
  ///
  /// - Returns: An error number of the system; `nil` where nothing has failed.
  func complete() -> Int32? {
    guard head != nil, written >= headCount else { return nil }
    // A chunk has an even number of bytes; the one that may be missing is not counted.
    let padding = (written - headCount) % 2 == 1 ? put([0], at: written) : nil
    return writeHead() ?? padding
  }

  private func writeHead() -> Int32? {
    guard let head else { return nil }
    let bytes = max(0, written - headCount)
    // What a full disk has left of a frame is none.
    return put(head(bytes - bytes % Int(format.bytesPerFrame)), at: 0)
  }

  private func put(_ bytes: [UInt8], at offset: Int) -> Int32? {
    while unsafe pwrite(end.descriptor, bytes, bytes.count, offset) != bytes.count {
      guard errno == EINTR else { return errno }
    }
    return nil
  }
}
