import RenderCore

/// Collects the file events of a run: the first ones are reported at once, and the failures and
/// gaps are listed at the end.
struct FileEvents {
  /// The most events that are reported; the others are only counted, because a failing disk fails
  /// again and again.
  private static let mostReported = 20
  private static let mostListed = 50

  private var reported = 0
  private var listed: [ServiceEvent] = []
  private var count = 0
  /// The events after which the run no longer does what the patch says.
  private(set) var failures: [String] = []

  /// The message about an event, and its kind; `nil` if enough have been reported.
  mutating func take(_ event: ServiceEvent) -> (kind: String, message: String)? {
    switch event.kind {
    case .begun, .kept: return ("note", event.message)
    case .saved: return nil
    case .ended, .unwritten:
      failures.append(event.message)
      listed.append(event)
      count += 1
      return ("error", event.message)
    case .unread, .late, .gap, .notFinite, .clipped:
      if !event.isOngoing {
        count += 1
        if listed.count < Self.mostListed { listed.append(event) }
      }
      reported += 1
      if reported == Self.mostReported {
        return ("note", "what else happens to files is listed at the end")
      }
      return reported < Self.mostReported ? ("warning", event.message) : nil
    }
  }

  /// One line for each listed event, and the number of the others.
  var summary: [String] {
    listed.map(\.message) + (count > listed.count ? ["and \(count - listed.count) more"] : [])
  }
}
