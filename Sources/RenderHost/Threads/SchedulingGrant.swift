import CShims
import Synchronization

/// How a thread is scheduled, as far as it has asked for something.
public struct SchedulingGrant: Hashable, Sendable {
  /// How a thread stands beside others.
  public enum Kind: Hashable, Sendable {
    /// In front of every thread that has no such priority, from 1 up.
    case realTime(priority: Int32)
    /// More of the processor than others get: below 0.
    case highPriority(niceness: Int32)
    case normal
  }

  /// What it has been granted.
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

extension SchedulingGrant {
  private static let hasToldLoss = Atomic<Bool>(false)

  /// Whether a thread has lost what RealtimeKit had granted it, because it computed for longer than that
  /// allows: a sentence, once. Makes no system call.
  public static func takeLoss() -> String? {
    guard shims_has_lost_real_time() != 0, !hasToldLoss.exchange(true, ordering: .relaxed) else {
      return nil
    }
    return "the render thread has lost its real-time scheduling: it computed without a pause for "
      + "longer than RealtimeKit allows"
  }
}
