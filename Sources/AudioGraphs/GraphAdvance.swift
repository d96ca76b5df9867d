public import RenderCore
import RenderHost
import Synchronization

/// A graph that begins in its middle: what comes before has been rendered, and nobody has heard it.
extension AudioGraph {
  /// From the next initialization on, taps hear nothing until `openTaps()`.
  public func closeTaps() { state.withLock { $0.tapGate = TapGate() } }

  /// Lets taps hear what is rendered from now on: while nothing pulls, or between two pulls of the calling
  /// thread.
  public func openTaps() { state.withLock { $0.tapGate }?.open() }

  /// Has an initialized graph that is not running render its next frames as fast as it can. Nothing of them
  /// is kept; a microphone is silent. `start()` goes on behind them, fading in over 20 ms.
  ///
  /// - Parameters:
  ///   - frameCount: Frames of the device.
  ///   - isCancelled: Asked before each slice.
  /// - Returns: Frames that have been rendered: fewer where it was cancelled, or has come to its end.
  /// - Throws: What a file says that cannot be read.
  public func advance(
    _ frameCount: Int, isCancelled: () -> Bool = { false }
  ) throws(ServiceError) -> Int {
    let session = state.withLock { state -> RenderSession? in
      guard !state.isRunning, state.isInitialized else { return nil }
      return state.running?.session
    }
    guard let session else { return 0 }
    let count = try OfflineDevice(grant).advance(
      session, frameCount: frameCount, services: services, isCancelled: isCancelled)
    session.noteAdvance()
    return count
  }
}
