import CShims
import Synchronization

/// How a thread is scheduled after it asked for more.
public struct SchedulingGrant: Hashable, Sendable {
  /// The kind of scheduling.
  public enum Kind: Hashable, Sendable {
    /// Before all threads without such a priority, from 1 up.
    case realTime(priority: Int32)
    /// A larger share of the processor than other threads get; the niceness is below 0.
    case highPriority(niceness: Int32)
    case normal
  }

  /// The scheduling that was granted.
  public var kind: Kind
  /// Whether RealtimeKit granted it, and not the user's limits.
  public var isByRealtimeKit = false
  /// Why nothing better was granted, in the order of asking.
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

  /// A sentence, once, where a thread lost the real-time scheduling that RealtimeKit had granted
  /// it, because it computed for longer than that allows. `nil` otherwise. Makes no system call.
  public static func takeLoss() -> String? {
    guard shims_has_lost_real_time() != 0, !hasToldLoss.exchange(true, ordering: .relaxed) else {
      return nil
    }
    return "the render thread has lost its real-time scheduling: it computed without a pause for "
      + "longer than RealtimeKit allows"
  }
}
