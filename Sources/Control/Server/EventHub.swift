import PatchSyntax
import Synchronization

/// Passes each event to all listening clients, and keeps the last ones for clients that reconnect.
///
/// It never waits: a listener has to take each event at once. Any thread.
final class EventHub: Sendable {
  /// Takes events in order, without blocking, on any thread.
  typealias Listener = @Sendable (ServerSentEvent) -> Void

  private struct State {
    var lastID = 0
    var kept: [(id: Int, event: ServerSentEvent)] = []
    /// The bytes of all kept events.
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
    // A larger event would disconnect clients, so its details are left out.
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

  /// Adds a listener and passes it the kept events after `lastEventID`. Returns the number for
  /// `leave`.
  func listen(after lastEventID: Int?, _ listener: @escaping Listener) -> Int {
    state.withLock { state in
      // A larger ID is from an earlier run.
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
