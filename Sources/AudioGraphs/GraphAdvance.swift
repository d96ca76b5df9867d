public import RenderCore
import RenderHost
import Synchronization

/// Renders the beginning of a graph without output, so that it starts at a later time.
extension AudioGraph {
  /// Closes the taps from the next initialization on: they get no slices until `openTaps()`.
  public func closeTaps() { state.withLock { $0.tapGate = TapGate() } }

  /// Opens the taps to what is rendered from now on. Call it while nothing pulls the graph, or
  /// between two pulls on the same thread.
  public func openTaps() { state.withLock { $0.tapGate }?.open() }

  /// Renders the next frames of an initialized graph that is not running, as fast as possible, and
  /// discards them; the microphone is silent. `start()` continues after them, fading in over 20 ms.
  ///
  /// - Parameters:
  ///   - frameCount: Frames at the device's rate.
  ///   - isCancelled: Called before each slice.
  /// - Returns: The number of frames rendered: fewer where it was cancelled or the graph has ended,
  ///   0 where the graph is running or not initialized.
  /// - Throws: The error of a file that cannot be read.
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
