import PatchSyntax
import Synchronization

/// Hands each event to every client that listens, and keeps the last ones for those that come back.
///
/// It waits for nobody: what a client is handed it has to take.
final class EventHub: Sendable {
  /// Takes events in their order, at once, in any thread.
  typealias Listener = @Sendable (ServerSentEvent) -> Void

  private struct State {
    var lastID = 0
    var kept: [(id: Int, event: ServerSentEvent)] = []
    /// Of all that is kept.
    var keptBytes = 0
    var listeners: [Int: Listener] = [:]
    var lastListener = 0
  }

  private let state = Mutex(State())
  private let limits: ControlLimits

  init(_ limits: ControlLimits) { self.limits = limits }

  func publish(_ event: ControlEvent) {
    let head: JSONText = ["time": .string(WallClock.text)]
    var data = head.adding(event.json).compact
    // What a client would have to be dropped for is said without its details.
    if data.utf8.count > limits.eventBytes { data = head.adding(event.briefJSON).compact }
    state.withLock { state in
      state.lastID += 1
      let message = ServerSentEvent(id: "\(state.lastID)", name: event.name, data: data)
      state.kept.append((state.lastID, message))
      state.keptBytes += data.utf8.count
      while state.kept.count > limits.keptEvents || state.keptBytes > limits.keptEventBytes,
        let first = state.kept.first
      {
        state.keptBytes -= first.event.data.utf8.count
        state.kept.removeFirst()
      }
      for listener in state.listeners.values { listener(message) }
    }
  }

  /// Begins to listen, first to what is kept behind an event. Returns what `leave` takes.
  func listen(after lastEventID: Int?, _ listener: @escaping Listener) -> Int {
    state.withLock { state in
      // An event that has not been is one of a run before this.
      if let lastEventID, lastEventID <= state.lastID {
        for (id, event) in state.kept where id > lastEventID { listener(event) }
      }
      state.lastListener += 1
      state.listeners[state.lastListener] = listener
      return state.lastListener
    }
  }

  func leave(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }
}
