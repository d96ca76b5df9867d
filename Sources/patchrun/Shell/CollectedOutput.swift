import Glibc
import Synchronization

/// What a thread has written to the standard streams while it worked beside others: kept back, so that the
/// messages of one job stand together.
struct CollectedOutput: Sendable {
  private struct Piece {
    var stream: StandardStream
    var bytes: [UInt8]
  }

  private static let threads = Mutex<[pthread_t: CollectedOutput]>([:])

  private var pieces: [Piece] = []

  /// Keeps back what the calling thread writes while `body` runs.
  static func collecting<Result>(_ body: () -> Result) -> (Result, CollectedOutput) {
    let thread = pthread_self()
    threads.withLock { $0[thread] = CollectedOutput() }
    let result = body()
    let collected = threads.withLock { $0.removeValue(forKey: thread) }
    return (result, collected ?? CollectedOutput())
  }

  /// Keeps bytes back, where the calling thread collects.
  ///
  /// - Returns: Whether it does.
  static func take(_ bytes: [UInt8], for stream: StandardStream) -> Bool {
    let thread = pthread_self()
    return threads.withLock { threads in
      threads[thread]?.pieces.append(Piece(stream: stream, bytes: bytes)) != nil
    }
  }

  /// Writes what was kept back, in the order in which it was written.
  ///
  /// - Returns: The system's error number of the first piece that could not be written, 0 for none.
  func put() -> Int32 {
    for piece in pieces {
      let number = piece.stream.put(piece.bytes)
      if number != 0 { return number }
    }
    return 0
  }
}
