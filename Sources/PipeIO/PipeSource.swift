import AudioTypes
import RenderHost
import SoundFiles

/// The end that is heard: bytes as they come, behind the head that was in front of them.
///
/// `@unchecked Sendable`: used by the thread that opens it until that starts the one that pulls, and
/// then by that one.
final class PipeSource: @unchecked Sendable {
  let end: PipeEnd
  let layout: StreamLayout
  /// Bytes that have been read and not been taken.
  private var waiting: [UInt8] = []
  /// Bytes of samples that are still to come; `nil` for as many as come.
  private var rest: Int?
  private(set) var isAtEnd = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// Reads as far as the head goes.
  ///
  /// - Parameters:
  ///   - format: What there is where there is no head; `nil` where a head is needed.
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
    // Who is on the way already is not waited for.
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

  /// Bytes of half a frame that are there at the end; 0 before it.
  var partialBytes: Int { isAtEnd ? waiting.count % layout.bytesPerFrame : 0 }

  /// Reads once, what is there.
  ///
  /// - Returns: Whether anything has come, be it the end.
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

  /// Cuts off what comes behind the samples of a file that says how many there are.
  private func limit() {
    guard let total = rest, waiting.count >= total else { return }
    waiting.removeLast(waiting.count - total)
    isAtEnd = true
  }

  /// Whether a whole frame is there.
  var hasFrames: Bool { waiting.count >= layout.bytesPerFrame }

  /// Takes frames that are whole: interleaved values, where 1 is full scale.
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

/// What a source has, at the rate of the session.
final class PipeInput {
  let source: PipeSource
  private let converter: RateConverter?
  private var frames: [Float] = []
  private var first = 0
  private var converted = [Double]()
  /// What is taken from the source in one go. What has been taken and is not yet heard is lost where the
  /// patch begins again.
  private static let pieceFrames = 256
  private(set) var hasEnded = false

  /// - Parameter sampleRate: The session's, in Hz.
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

  /// Frames that are there.
  var available: Int { (frames.count - first) / source.layout.channelCount }

  /// Takes a piece of what is there. Returns whether anything has come, be it the end.
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

  /// Hands on the next frames, at most so many. Returns how many.
  func take(_ count: Int, _ body: (UnsafePointer<Float>, Int) -> Void) -> Int {
    let length = min(count, available)
    guard length > 0 else { return 0 }
    unsafe frames.withUnsafeBufferPointer { buffer in
      unsafe body(buffer.baseAddress! + first, length)
    }
    first += length * source.layout.channelCount
    // Seldom, so that what is moved is little.
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
