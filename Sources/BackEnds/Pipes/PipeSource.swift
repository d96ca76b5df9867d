import RenderHost
import SoundFiles

/// The input end: bytes as they arrive, behind their header.
///
/// `@unchecked Sendable`: used by the thread that opens it, until that starts the thread that
/// pulls, and then by that one.
final class PipeSource: @unchecked Sendable {
  let end: PipeEnd
  let layout: StreamLayout
  /// Bytes that were read and not taken.
  private var waiting: [UInt8] = []
  /// The bytes of samples that are not taken yet; `nil` where the header gives no length.
  private var rest: Int?
  private(set) var isAtEnd = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// Opens the end and reads its header.
  ///
  /// - Parameters:
  ///   - format: The format of a stream without a WAV header; `nil` where it must have one.
  ///   - isAwaited: See `AudioBackEnd`.
  init(
    _ path: String, _ format: PipeFormat?, isAwaited: (String) -> Bool
  ) throws(HardwareError) {
    let end = try PipeEnd(path, .source, isAwaited: isAwaited)
    self.end = end
    let alarm = try PipeAlarm()
    var head = StreamHead.incomplete
    var bytes: [UInt8] = []
    var isClosed = false
    // Waits for 0.3 s without a message: the writer may be starting.
    var patience = 6
    while head == .incomplete, !isClosed {
      switch end.read(into: &buffer) {
      case .bytes(let count):
        bytes += buffer[..<count]
        head = StreamHead(bytes)
      case .closed: isClosed = true
      case .wouldWait:
        patience -= 1
        guard patience >= 0 || isAwaited("somebody to write to \(end.name)") else {
          throw .notAwaited(path)
        }
        alarm.sleep(0.05, orUntil: end)
      case .failed(let number): throw .cannotRead(end, number)
      }
    }
    switch head {
    case .wave(let layout, let count):
      self.layout = layout
      rest = layout.byteCount
      waiting = Array(bytes.dropFirst(count))
    case .unreadable(let why):
      throw HardwareError(
        .formatNotSupported, "the WAV file of \(end.name) cannot be read: \(why)",
        help: "8 to 32 bits, and 32 or 64 bits of floating point, can be")
    case .none, .incomplete:
      guard let layout = format.flatMap(StreamLayout.init) else {
        throw HardwareError(
          .invalidRequest,
          bytes.isEmpty
            ? "\(end.name) has ended before it has begun"
            : "\(end.name) has no head of a WAV file: what is in it has to be said",
          help: "say how samples are written down, and their rate and channels: "
            + "--from-format s16le:48000:2")
      }
      self.layout = layout
      waiting = bytes
    }
    isAtEnd = isClosed
    limit()
  }

  /// The bytes of an incomplete frame at the end; 0 before it.
  var partialBytes: Int { isAtEnd ? waiting.count % layout.bytesPerFrame : 0 }

  /// Reads once, without waiting.
  ///
  /// - Returns: Whether anything arrived; also true at the end.
  func read() throws(HardwareError) -> Bool {
    guard !isAtEnd else { return false }
    switch end.read(into: &buffer) {
    case .bytes(let count):
      waiting += buffer[..<count]
      limit()
      return true
    case .closed:
      isAtEnd = true
      return true
    case .wouldWait: return false
    case .failed(let number): throw .cannotRead(end, number)
    }
  }

  /// Drops bytes behind the samples of a file with a length.
  private func limit() {
    guard let total = rest, waiting.count >= total else { return }
    waiting.removeLast(waiting.count - total)
    isAtEnd = true
  }

  /// Whether there is a whole frame.
  var hasFrames: Bool { waiting.count >= layout.bytesPerFrame }

  /// Takes whole frames: interleaved values, where 1 is full scale.
  func takeFrames(atMost count: Int) -> [Double] {
    let size = layout.sample.byteCount
    let whole = waiting.count - waiting.count % layout.bytesPerFrame
    let length = min(whole, count * layout.bytesPerFrame)
    guard length > 0 else { return [] }
    let values = stride(from: 0, to: length, by: size).map { layout.value(waiting, at: $0) }
    waiting.removeFirst(length)
    if let total = rest { rest = total - length }
    return values
  }
}

/// The frames of a source, at the rate of the session.
final class PipeInput {
  let source: PipeSource
  private let converter: RateConverter?
  private var frames: [Float] = []
  private var first = 0
  private var converted = [Double]()
  /// The frames taken from the source at once. Frames taken and not rendered are lost where the
  /// patch starts again.
  private static let pieceFrames = 256
  private(set) var hasEnded = false

  /// - Parameter sampleRate: The rate of the session, in Hz.
  init(_ source: PipeSource, sampleRate: Double) throws(HardwareError) {
    self.source = source
    guard source.layout.sampleRate != sampleRate else {
      converter = nil
      return
    }
    do throws(SoundFileError) {
      converter = try RateConverter(
        from: source.layout.sampleRate, to: sampleRate,
        channelCount: source.layout.channelCount)
    } catch {
      throw HardwareError(.formatNotSupported, error.message)
    }
    converted = [Double](repeating: 0, count: 4096 * source.layout.channelCount)
  }

  /// The number of frames that can be taken.
  var available: Int { (frames.count - first) / source.layout.channelCount }

  /// Takes frames from the source. Returns whether anything arrived; also true at the end.
  func read() throws(HardwareError) -> Bool {
    var hasCome = source.hasFrames
    if !hasCome { hasCome = try source.read() }
    let values = source.takeFrames(atMost: Self.pieceFrames)
    if let converter {
      var done = 0
      let count = values.count / source.layout.channelCount
      while done < count {
        let (taken, given) = converter.convert(
          values, from: done, frameCount: count - done, into: &converted)
        done += taken
        append(given)
      }
    } else {
      frames += values.map { Float($0) }
    }
    if source.isAtEnd, !source.hasFrames, !hasEnded {
      hasEnded = true
      if let converter {
        while true {
          let given = converter.flush(into: &converted)
          guard given > 0 else { break }
          append(given)
        }
      }
      return true
    }
    return hasCome
  }

  private func append(_ count: Int) {
    frames += converted[..<(count * source.layout.channelCount)].map { Float($0) }
  }

  /// Passes the next frames, at most so many, to a body. Returns how many.
  func take(_ count: Int, _ body: (UnsafePointer<Float>, Int) -> Void) -> Int {
    let length = min(count, available)
    guard length > 0 else { return 0 }
    unsafe frames.withUnsafeBufferPointer { buffer in
      unsafe body(buffer.baseAddress! + first, length)
    }
    first += length * source.layout.channelCount
    // Only now and then, because it moves all later frames.
    if first > 1 << 15 {
      frames.removeFirst(first)
      first = 0
    }
    return length
  }
}

extension HardwareError {
  static func cannotRead(_ end: PipeEnd, _ number: Int32) -> HardwareError {
    HardwareError(.deviceLost, "\(end.name) cannot be read: \(systemMessage(number))")
  }
}
