import Synchronization

/// Bytes that all clients together may have the server hold. Any thread.
final class ByteBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Takes some bytes, and says whether they fit. Where nothing is taken yet, any number does: what is
  /// larger than the limit can be had by one client after the other.
  func reserve(_ count: Int) -> Bool {
    var present = used.load(ordering: .relaxed)
    while present == 0 || present + count <= limit {
      let (done, found) = used.compareExchange(
        expected: present, desired: present + count, ordering: .relaxed)
      if done { return true }
      present = found
    }
    return false
  }

  func release(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// What all connections of a control room share.
struct ControlBudgets: Sendable {
  let answers: ByteBudget
  let requests: ByteBudget

  init(_ limits: ControlLimits) {
    answers = ByteBudget(limit: limits.answerBytes)
    requests = ByteBudget(limit: limits.requestBytes)
  }
}
