import CShims

/// Asks for the best scheduling that the calling thread can have: real-time by the limits of the user, the
/// same by RealtimeKit, less niceness by RealtimeKit, less niceness by the limits of the user.
public struct SchedulingRequest {
  /// From 1, the least urgent. Less is asked for where less is allowed.
  public var priority: Int32
  /// What is asked for where there is no real-time scheduling; as PulseAudio has it for itself.
  public var niceness: Int32 = -11
  /// What the system answers.
  var system = System()
  /// What RealtimeKit answers.
  var broker: (RealtimeKit.Request) -> RealtimeKit.Answer = { RealtimeKit().ask($0) }

  public init(priority: Int32) { self.priority = priority }

  /// The system's own answers.
  struct System {
    /// Takes a priority; gives the one that was granted, or a negative `errno`.
    var requestRealTime: (Int32) -> Int32 = { shims_request_real_time($0) }
    /// Takes a niceness; gives what the thread has then, and an `errno` where that is not less than before.
    var setNiceness: (Int32) -> (granted: Int32, error: Int32) = { niceness in
      let answer = shims_set_niceness(niceness)
      return (answer.granted, answer.error)
    }
  }

  /// Asks. Called in the thread that is to have it; returns after 0.5 s at the latest.
  public func make() -> SchedulingGrant {
    let granted = system.requestRealTime(priority)
    if granted > 0 { return SchedulingGrant(kind: .realTime(priority: granted)) }
    var refusals = ["real-time was refused: \(systemMessage(-granted))"]
    // Who computes for longer than RealtimeKit allows loses that, and does not end the process. It may grant
    // something when nobody waits for it any more.
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
  /// Asks for real-time scheduling of the calling thread and says, in a few words, what was granted.
  /// `priority` counts from 1, the least urgent; less is asked for where the system allows less.
  ///
  /// Where the limits of the user do not allow it RealtimeKit is asked, which may take 0.4 s, and where that
  /// does not grant it either, as little niceness as there is to be had.
  public static func requestRealTime(priority: Int32) -> String {
    SchedulingRequest(priority: priority).make().description
  }
}
