import Synchronization

/// A limit of the bytes that the server holds for all clients together. Any thread.
final class ByteBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Reserves bytes and returns whether they fit. If nothing is reserved, any number of bytes fits,
  /// so that one client at a time may exceed the limit.
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

/// The budgets that all connections share.
struct ControlBudgets: Sendable {
  let answers: ByteBudget
  let requests: ByteBudget

  init(_ limits: ControlLimits) {
    answers = ByteBudget(limit: limits.answerBytes)
    requests = ByteBudget(limit: limits.requestBytes)
  }
}
