import CShims

/// Asks for the best scheduling that the calling thread can get, in this order: real-time within
/// the user's limits, real-time from RealtimeKit, a lower niceness from RealtimeKit, a lower
/// niceness within the user's limits.
public struct SchedulingRequest {
  /// From 1, the least urgent. Reduced where less is allowed.
  public var priority: Int32
  /// The niceness to ask for where real-time scheduling is refused; the default is PulseAudio's.
  public var niceness: Int32 = -11
  /// The calls to the system; replaced in tests.
  package var system = System()
  /// The call to RealtimeKit; replaced in tests.
  package var broker: (RealtimeKit.Request) -> RealtimeKit.Answer = { RealtimeKit().ask($0) }

  public init(priority: Int32) { self.priority = priority }

  /// The priority that threads that render ask for: that of PulseAudio's own threads, so that a render
  /// does not delay the device.
  public static let renderPriority: Int32 = 5

  /// The calls to the system.
  package struct System {
    /// Takes a priority. Returns the priority granted, or a negative `errno`.
    package var requestRealTime: (Int32) -> Int32 = { shims_request_real_time($0) }
    /// Takes a niceness. Returns the thread's niceness afterwards, and an `errno` where it is not
    /// lower.
    package var setNiceness: (Int32) -> (granted: Int32, error: Int32) = { niceness in
      let answer = shims_set_niceness(niceness)
      return (answer.granted, answer.error)
    }
  }

  /// Asks, for the calling thread. Returns within 0.5 s.
  public func make() -> SchedulingGrant {
    let granted = system.requestRealTime(priority)
    if granted > 0 { return SchedulingGrant(kind: .realTime(priority: granted)) }
    var refusals = ["real-time was refused: \(systemMessage(-granted))"]
    // Handle the signal first: a thread that computes for longer than RealtimeKit allows then loses
    // its priority, instead of ending the process. RealtimeKit may still grant it after `broker`
    // stopped waiting.
    shims_watch_real_time()
    let answer = broker(
      RealtimeKit.Request(
        thread: shims_thread_number(), priority: priority, niceness: niceness))
    if let refusal = answer.refusal { refusals.append("RealtimeKit: \(refusal)") }
    switch answer.granted {
    case .realTime(let priority):
      return SchedulingGrant(kind: .realTime(priority: priority), isByRealtimeKit: true)
    case .highPriority(let niceness):
      return SchedulingGrant(
        kind: .highPriority(niceness: niceness), isByRealtimeKit: true, refusals: refusals)
    case .normal: break
    }
    let (now, error) = system.setNiceness(niceness)
    if error == 0, now < 0 {
      return SchedulingGrant(kind: .highPriority(niceness: now), refusals: refusals)
    }
    return SchedulingGrant(kind: .normal, refusals: refusals)
  }
}

extension HostThread {
  /// Asks for real-time scheduling of the calling thread. Returns a few words that say what was
  /// granted. `priority` counts from 1, the least urgent; it is reduced where the system allows
  /// less.
  ///
  /// If the user's limits do not allow it, RealtimeKit is asked, which may take 0.4 s; if that
  /// refuses too, a lower niceness is set.
  public static func requestRealTime(
    priority: Int32 = SchedulingRequest.renderPriority
  ) -> String {
    SchedulingRequest(priority: priority).make().description
  }
}
