import Synchronization

/// The counters of the control server since its start.
struct ControlCounts: Hashable, Sendable {
  /// Connections that are open.
  var connections = 0
  /// Connections to the port that were refused because they belong to other users.
  var strangers = 0
  /// Connections refused because of the limit.
  var turnedAway = 0
  /// Connections closed because the client did not read.
  var unread = 0
  var requests = 0
  /// Changes that were applied.
  var applied = 0
  /// Changes that were refused, or failed.
  var refused = 0
  /// OSC datagrams whose messages were used.
  var oscTaken = 0
  /// OSC datagrams that could not be read.
  var oscMalformed = 0
  /// OSC messages that address no setting, or have a value of the wrong type for it.
  var oscUnmatched = 0
  /// OSC messages that were dropped because they came too fast.
  var oscDropped = 0
  /// How often reading OSC datagrams was paused because they came too fast.
  var oscPauses = 0
}

/// The counters, for all threads of the server.
final class ControlTally: Sendable {
  private let state = Mutex(ControlCounts())

  var counts: ControlCounts { state.withLock { $0 } }

  func count(_ key: any WritableKeyPath<ControlCounts, Int> & Sendable, by difference: Int = 1) {
    state.withLock { $0[keyPath: key] += difference }
  }
}
