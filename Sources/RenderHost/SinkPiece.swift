import AudioTypes
import RenderCore
import Synchronization

/// The rendered frames that a sink is given at once: as many slices as make a write of a file worth
/// its system call, and few enough for the processor's cache.
struct SinkPiece {
  /// Takes bytes, and their peak as `FrameSink` does.
  typealias Sink = (ArraySlice<UInt8>, Float?) throws(ServiceError) -> Void

  private static let size = 1 << 17
  private let bytesPerFrame: Int
  private let bytesPerSlice: Int
  private var memory: [UInt8]
  private var filled = 0
  /// The peak of the frames that are there; `nil` where that of a slice is not known.
  private var peak: Float? = 0
  /// Gives pieces to the sink beside the rendering; `nil` where the rendering thread has no helper.
  private let errand: PieceErrand?

  /// - Parameters:
  ///   - frameCount: The most frames that are pulled.
  ///   - sink: Takes pieces from the session's helpers, too; `nil` where only `give` gives them.
  init(
    _ session: RenderSession, _ grant: HardwareGrant, frameCount: Int, sink: (any FrameSink)? = nil
  ) {
    bytesPerFrame = Int(session.configuration.device?.bytesPerFrame ?? 0)
    bytesPerSlice = grant.ioBufferFrames * bytesPerFrame
    // A short render needs no more memory than it has slices.
    let slices = min(frameCount / grant.ioBufferFrames + 1, Self.size / max(1, bytesPerSlice))
    memory = [UInt8](repeating: 0, count: max(1, slices) * bytesPerSlice)
    if let sink, let helpers = session.helpers, helpers.isAtWork {
      errand = PieceErrand(helpers.crew, sink, byteCount: memory.count)
    } else {
      errand = nil
    }
  }

  /// Whether there is no room for another slice.
  var isFull: Bool { filled + bytesPerSlice > memory.count }

  /// Pulls a slice behind those that are there. Returns the number of its frames that lie before the
  /// end of the session: after it there is only silence.
  mutating func pull(_ frameCount: Int, of session: RenderSession) -> Int {
    let before = session.renderedFrames
    let slicePeak = session.pull(frameCount, into: &memory, at: filled)
    peak = if let peak, let slicePeak { largerMagnitude(peak, slicePeak) } else { nil }
    let rendered = min(frameCount, session.renderedFrames - before)
    filled += rendered * bytesPerFrame
    return rendered
  }

  /// Forgets the frames that are there.
  mutating func drop() { (filled, peak) = (0, 0) }

  /// Gives the frames that are there to a sink. After an error the number of frames so far is that of
  /// the frames given.
  ///
  /// - Parameter mayLeave: Whether it may be left to a helper. If not, all is given when it returns.
  mutating func give(
    to sink: Sink, of frameCount: inout Int, mayLeave: Bool
  ) throws(ServiceError) {
    defer { drop() }
    do throws(ServiceError) {
      if let errand, mayLeave {
        try errand.add(&memory, filled, peak: peak)
      } else {
        try errand?.finish()
        guard filled > 0 else { return }
        try sink(memory[..<filled], peak)
      }
    } catch {
      frameCount -= (filled + (errand?.takeRefused() ?? 0)) / bytesPerFrame
      throw error
    }
  }
}

/// Gives pieces to a sink, in order, on whatever thread is free.
private final class PieceErrand: CrewJob, @unchecked Sendable {
  // `@unchecked Sendable`: a piece belongs to the thread that works once it is counted in `added`,
  // and to the rendering thread once it is counted in `given`. `failure` and `refused` belong to the
  // thread that works, and to the rendering thread after `finish`.

  private final class Piece {
    var memory: [UInt8]
    var filled = 0
    var peak: Float?

    init(byteCount: Int) { memory = [UInt8](repeating: 0, count: byteCount) }
  }

  private let crew: RenderCrew
  private let sink: any FrameSink
  /// Enough that the rendering goes on while the system is slow to write one.
  private let pieces: [Piece]
  /// The number of pieces since the beginning.
  private let added = Atomic<Int>(0)
  private let given = Atomic<Int>(0)
  private let hasFailed = Atomic<Bool>(false)
  private var failure: ServiceError?
  /// The bytes of the piece that the sink has refused, and of those behind it.
  private var refused = 0
  /// The mode of the thread that pulls.
  private let denormals = DenormalMode.current

  init(_ crew: RenderCrew, _ sink: any FrameSink, byteCount: Int) {
    self.crew = crew
    self.sink = sink
    pieces = (0..<4).map { _ in Piece(byteCount: byteCount) }
  }

  // MARK: The rendering thread

  /// Adds a piece, in exchange for the memory of an earlier one. Throws the error of the sink, which
  /// is then given no more.
  func add(_ memory: inout [UInt8], _ filled: Int, peak: Float?) throws(ServiceError) {
    let number = added.load(ordering: .relaxed)
    var spins = 0
    while number - given.load(ordering: .acquiring) == pieces.count {
      crew.helpWithErrand(&spins)
    }
    guard !hasFailed.load(ordering: .relaxed) else { return try finish() }
    let piece = pieces[number % pieces.count]
    swap(&piece.memory, &memory)
    piece.filled = filled
    piece.peak = peak
    added.store(number + 1, ordering: .releasing)
    crew.leave(self)
  }

  /// Waits until all pieces are given. Throws the error of the sink.
  func finish() throws(ServiceError) {
    crew.finishErrand()
    if let failure { throw failure }
  }

  /// The bytes that the sink has not taken, once, after an error.
  func takeRefused() -> Int {
    defer { (failure, refused) = (nil, 0) }
    return refused
  }

  // MARK: The thread that works

  func work() { denormals.run(giveAll) }

  private func giveAll() {
    var number = given.load(ordering: .relaxed)
    while number < added.load(ordering: .acquiring) {
      give(pieces[number % pieces.count])
      number += 1
      given.store(number, ordering: .releasing)
    }
  }

  private func give(_ piece: Piece) {
    let (memory, filled) = (piece.memory, piece.filled)
    if failure == nil {
      do throws(ServiceError) {
        return try sink.take(memory.span.extracting(..<filled), peak: piece.peak)
      } catch {
        failure = error
        hasFailed.store(true, ordering: .relaxed)
      }
    }
    refused += filled
  }
}
