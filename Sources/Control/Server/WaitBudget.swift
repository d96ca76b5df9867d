import NIOCore

/// The time for which the server may still wait for a client.
///
/// The limit is for the whole connection, so that a client cannot stay by reading each response at
/// the last moment. The budget recovers slowly, so that a client that reads normally may stay for
/// days.
struct WaitBudget {
  private let limit: TimeAmount
  private var left: TimeAmount
  /// When the present or last wait began or ended.
  private var since: NIODeadline
  private(set) var isWaiting = false

  init(_ limit: TimeAmount, at now: NIODeadline = .now()) {
    self.limit = limit
    left = limit
    since = now
  }

  /// Begins a wait. Returns its limit.
  mutating func begin(at now: NIODeadline = .now()) -> TimeAmount {
    if !isWaiting {
      left = min(limit, left + .nanoseconds((now - since).nanoseconds / 10))
      since = now
      isWaiting = true
    }
    return left
  }

  /// Ends a wait: the client has read everything.
  mutating func end(at now: NIODeadline = .now()) {
    guard isWaiting else { return }
    isWaiting = false
    left = left - (now - since)
    since = now
  }
}
