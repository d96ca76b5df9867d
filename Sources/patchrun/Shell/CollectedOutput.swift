import Glibc
import Synchronization

/// The output of one thread on the standard streams, collected while other threads work, so that
/// the messages of one job stay together.
struct CollectedOutput: Sendable {
  private struct Piece {
    var stream: StandardStream
    var bytes: [UInt8]
  }

  private static let threads = Mutex<[pthread_t: CollectedOutput]>([:])

  private var pieces: [Piece] = []

  /// Collects the output of the calling thread while `body` runs.
  static func collecting<Result>(_ body: () -> Result) -> (Result, CollectedOutput) {
    let thread = pthread_self()
    threads.withLock { $0[thread] = CollectedOutput() }
    let result = body()
    let collected = threads.withLock { $0.removeValue(forKey: thread) }
    return (result, collected ?? CollectedOutput())
  }

  /// Keeps the bytes if the calling thread collects its output.
  ///
  /// - Returns: Whether it does.
  static func take(_ bytes: [UInt8], for stream: StandardStream) -> Bool {
    let thread = pthread_self()
    return threads.withLock { threads in
      threads[thread]?.pieces.append(Piece(stream: stream, bytes: bytes)) != nil
    }
  }

  /// Writes the collected output in its order.
  ///
  /// - Returns: The error number of the first failed write; 0 for none.
  func put() -> Int32 {
    for piece in pieces {
      let number = piece.stream.put(piece.bytes)
      if number != 0 { return number }
    }
    return 0
  }
}
