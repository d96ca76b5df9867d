import RenderCore

/// What has happened to files while a patch ran: told once each, and listed at the end.
struct FileEvents {
  /// More are counted and not told: a disk that fails does so again and again.
  private static let mostTold = 20
  private static let mostListed = 50

  private var told = 0
  private var listed: [ServiceEvent] = []
  private var count = 0
  /// What has kept the run from doing what the patch says.
  private(set) var failures: [String] = []

  /// A sentence to be told about an event, and of what kind it is; `nil` where enough has been told.
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
      told += 1
      if told == Self.mostTold {
        return ("note", "what else happens to files is listed at the end")
      }
      return told < Self.mostTold ? ("warning", event.message) : nil
    }
  }

  /// A line for each stretch that is missing.
  var summary: [String] {
    listed.map(\.message) + (count > listed.count ? ["and \(count - listed.count) more"] : [])
  }

  /// How often frames of a file could not be read.
  var readErrors: Int { listed.count { $0.kind == .unread } }
}

/// Notices that a device has stood still: time has passed, and no frame has been asked for.
struct StallWatch {
  /// What a device may do in one go without having stood still, in seconds: some servers ask for large
  /// pieces, and seldom.
  private static let patience = 0.35

  private var last: (nanoseconds: UInt64, frames: Int)?
  /// Frames that had been asked for when it stood still last.
  private var framesBefore = 0

  /// - Parameter isExpected: Whether somebody has had the patch pause.
  /// - Returns: For how many seconds it has stood still, once that is over.
  mutating func look(
    at frames: Int, nanoseconds now: UInt64, sampleRate: Double, isExpected: Bool
  ) -> Double? {
    guard let before = last, !isExpected, frames >= before.frames else {
      last = (now, frames)
      return nil
    }
    guard frames > before.frames else { return nil }
    last = (now, frames)
    framesBefore = before.frames
    let passed = Double(now - before.nanoseconds) / 1e9
    let missing = passed - Double(frames - before.frames) / sampleRate
    return missing > Self.patience ? missing : nil
  }

  /// How many seconds of sound there have been since it stood still last.
  func age(at frames: Int, sampleRate: Double) -> Double {
    Double(max(0, frames - framesBefore)) / sampleRate
  }
}
