import RenderCore
import RenderHost
import Synchronization

/// The state of a graph that can be read while another thread changes the graph.
///
/// The graph's own lock is held while plans compile and files open. Readers take this lock instead,
/// which is held only while values are copied; a render notification uses the atomics alone. Lock
/// order: this lock is the last, and its holder takes no other.
final class GraphPresent: Sendable {
  struct Contents {
    var session: RenderSession? { didSet { limitOutput() } }
    /// The graph as it was initialized or updated last; `nil` before the first time.
    var model: GraphModel?
    /// The output limits of the client and of the host, as magnitudes; `nil` for none.
    var outputPeakLimit: Float? { didSet { limitOutput() } }
    var outputPeakCeiling: Float? { didSet { limitOutput() } }
    /// The readers of the taps that measure, also after the graph has ended.
    var readers: [TapID: any TapReader] = [:]
    var finishErrors: [ServiceError] = []
    var finishEvents: [ServiceEvent] = []
    var finishedLostFrames = 0
    /// The error of an update that no caller waited for.
    var updateError: GraphUpdateError?

    private func limitOutput() {
      guard let session else { return }
      let limits = [outputPeakLimit, outputPeakCeiling].compactMap(\.self)
      session.limitOutput(to: limits.min())
    }
  }

  private let contents = Mutex(Contents())
  private let pendingEdits = Atomic<Int>(0)
  private let isUpdateRequested = Atomic<Bool>(false)

  func withLock<Result>(_ body: (inout Contents) -> Result) -> Result {
    contents.withLock { body(&$0) }
  }

  var session: RenderSession? { contents.withLock { $0.session } }

  /// How many edits wait for an update.
  var pendingEditCount: Int { pendingEdits.load(ordering: .acquiring) }

  func setPendingEditCount(_ count: Int) { pendingEdits.store(count, ordering: .releasing) }

  /// Requests that the service thread, or the host's next `collect()`, carry out the pending edits.
  func requestUpdate() { isUpdateRequested.store(true, ordering: .releasing) }

  /// Whether an update has been requested since the last call.
  func takeUpdateRequest() -> Bool {
    isUpdateRequested.exchange(false, ordering: .acquiringAndReleasing)
  }
}
