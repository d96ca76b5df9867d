import AudioTypes
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

  /// - Parameter isWave: Whether the head of a WAV file comes first.
  init(_ end: PipeEnd, _ format: StreamFormat, isWave: Bool) {
    self.end = end
    self.format = format
    let type = format.sampleType.map { FileSampleType(keeping: $0) } ?? .float32
    waiting =
      isWave
      ? WaveHeader.ofStream(
        type, channelCount: format.channelCount, sampleRate: Int(format.sampleRate)) : []
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
      case .bytes(let count): first += count
      case .wouldWait: return .wouldWait
      case .closed: return .closed
      case .failed(let number): return .failed(number)
      }
    }
    return .written
  }
}
