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
    var listeners: [Int: Listener] = [:]
    var lastListener = 0
  }

  private let state = Mutex(State())
  private let keptCount: Int

  init(keeping count: Int) { keptCount = count }

  func publish(_ event: ControlEvent) {
    let head: JSONText = ["time": .string(WallClock.text)]
    let data = head.adding(event.json).compact
    state.withLock { state in
      state.lastID += 1
      let message = ServerSentEvent(id: "\(state.lastID)", name: event.name, data: data)
      state.kept.append((state.lastID, message))
      if state.kept.count > keptCount { state.kept.removeFirst(state.kept.count - keptCount) }
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
