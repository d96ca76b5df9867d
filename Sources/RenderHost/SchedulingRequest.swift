import CShims
import Glibc

/// How a thread is scheduled, as far as it has asked for something.
public struct SchedulingGrant: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// In front of every thread that has no such priority, from 1 up.
    case realTime(priority: Int32)
    /// More of the processor than others get: below 0.
    case highPriority(niceness: Int32)
    case normal
  }

  public var kind: Kind
  /// Whether RealtimeKit has granted it, and not the limits of the user.
  public var isByRealtimeKit = false
  /// Why it is not more, in words, in the order of asking.
  public var refusals: [String] = []
}

extension SchedulingGrant: CustomStringConvertible {
  /// `real-time (FIFO, priority 5)`
  public var description: String {
    let granter = isByRealtimeKit ? ", by RealtimeKit" : ""
    let why = refusals.joined(separator: "; ")
    return switch kind {
    case .realTime(let priority):
      "real-time (\(isByRealtimeKit ? "round robin" : "FIFO"), priority \(priority)\(granter))"
    case .highPriority(let niceness): "high priority (niceness \(niceness)\(granter); \(why))"
    case .normal: "normal (\(why))"
    }
  }
}

/// Asks for the best scheduling that the calling thread can have: real-time by the limits of the user, the same
/// by RealtimeKit, less niceness by RealtimeKit, less niceness by the limits of the user.
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
      var granted: Int32 = 0
      let error = unsafe shims_set_niceness(niceness, &granted)
      return (granted, error)
    }
  }

  /// Asks. Called in the thread that is to have it; returns after 0.5 s at the latest.
  public func make() -> SchedulingGrant {
    let granted = system.requestRealTime(priority)
    if granted > 0 { return SchedulingGrant(kind: .realTime(priority: granted)) }
    var refusals = ["real-time was refused: \(systemMessage(-granted))"]
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
