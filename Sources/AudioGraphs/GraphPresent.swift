import AudioTypes
import RenderCore
import RenderHost
import Synchronization

/// What may be asked of a graph while another thread changes it.
///
/// A graph's lock is held while plans compile and files open. Those who only look, and a render
/// notification that has a wish, go by this: its lock is held for no longer than it takes to copy what
/// is asked for. It is taken last: who holds it takes no other.
final class GraphPresent: Sendable {
  struct Contents {
    var session: RenderSession? { didSet { limitOutput() } }
    /// The graph as it was initialized or updated last; `nil` before the first time.
    var model: GraphModel?
    /// What the client limits the output to, and whoever runs the graph: magnitudes, `nil` for none.
    var outputPeakLimit: Float? { didSet { limitOutput() } }
    var outputPeakCeiling: Float? { didSet { limitOutput() } }
    /// Of the taps that measure, also when the graph has ended.
    var readers: [TapID: any TapReader] = [:]
    var finishErrors: [ServiceError] = []
    var finishEvents: [ServiceEvent] = []
    var finishedLostFrames = 0
    /// What an update has failed with that nobody has waited for.
    var updateError: GraphUpdateError?

    private func limitOutput() {
      guard let session else { return }
      let limits = [outputPeakLimit, outputPeakCeiling].compactMap(\.self)
      session.limitOutput(to: limits.min())
    }
  }

  private let contents = Mutex(Contents())
  private let pendingEdits = Atomic<Int>(0)
  private let wantsUpdate = Atomic<Bool>(false)

  func withLock<Result>(_ body: (inout Contents) -> Result) -> Result {
    contents.withLock { body(&$0) }
  }

  var session: RenderSession? { contents.withLock { $0.session } }

  /// How many edits wait for an update.
  var pendingEditCount: Int { pendingEdits.load(ordering: .acquiring) }

  func setPendingEditCount(_ count: Int) { pendingEdits.store(count, ordering: .releasing) }

  /// Asks whoever may wait to carry out the pending edits.
  func wishForUpdate() { wantsUpdate.store(true, ordering: .releasing) }

  /// Whether somebody has asked for it since the last call.
  func takeWishForUpdate() -> Bool { wantsUpdate.exchange(false, ordering: .acquiringAndReleasing) }
}
