import NIOCore

/// How long a client may still be waited for.
///
/// It is one time for a whole connection, so that a client that takes each answer at the last moment
/// does not keep its place. What is used up comes back slowly, so that one that reads as it should may
/// stay for days.
struct Patience {
  private let limit: TimeAmount
  private var left: TimeAmount
  /// Since when the client is waited for, or was last.
  private var since: NIODeadline
  private(set) var isWaiting = false

  init(_ limit: TimeAmount, at now: NIODeadline = .now()) {
    self.limit = limit
    left = limit
    since = now
  }

  /// The client is waited for from now on. Returns for how long.
  mutating func begin(at now: NIODeadline = .now()) -> TimeAmount {
    if !isWaiting {
      left = min(limit, left + .nanoseconds((now - since).nanoseconds / 10))
      since = now
      isWaiting = true
    }
    return left
  }

  /// The client has taken what there was.
  mutating func end(at now: NIODeadline = .now()) {
    guard isWaiting else { return }
    isWaiting = false
    left = left - (now - since)
    since = now
  }
}
