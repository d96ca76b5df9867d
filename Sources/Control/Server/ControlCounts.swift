import Synchronization

/// What the control room has counted since it was opened.
struct ControlCounts: Hashable, Sendable {
  /// Connections that are open.
  var connections = 0
  /// Connections of other users to the port, which were refused.
  var strangers = 0
  /// Connections for which there was no room.
  var turnedAway = 0
  /// Connections that were closed because their clients did not read what they had asked for.
  var unread = 0
  var requests = 0
  /// Changes that were applied.
  var applied = 0
  /// Changes that were refused, or failed.
  var refused = 0
  /// OSC datagrams whose messages were passed on.
  var oscTaken = 0
  /// OSC datagrams that could not be read.
  var oscMalformed = 0
  /// OSC messages that address nothing, or carry what a setting cannot be.
  var oscUnmatched = 0
  /// OSC messages that came faster than changes can be made.
  var oscDropped = 0
  /// How often OSC datagrams came so fast that they were left to the system for a moment.
  var oscPauses = 0
}

/// The counts, for all threads of the control room.
final class ControlTally: Sendable {
  private let state = Mutex(ControlCounts())

  var counts: ControlCounts { state.withLock { $0 } }

  func count(_ key: any WritableKeyPath<ControlCounts, Int> & Sendable, by difference: Int = 1) {
    state.withLock { $0[keyPath: key] += difference }
  }
}
