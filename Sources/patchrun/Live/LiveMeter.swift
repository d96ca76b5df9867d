import RenderCore
import Synchronization

/// The render time of each part during the last one or two seconds. Any thread.
final class LiveMeter: Sendable {
  /// The render time of each part at two moments, the older one a second or two ago.
  private struct Snapshots {
    var older: [RenderMeter.Part: UInt64] = [:]
    var newer: [RenderMeter.Part: UInt64] = [:]
    /// The time of the older snapshot in nanoseconds; 0 for none.
    var olderTime: UInt64 = 0
    var time: UInt64 = 0
  }

  /// The interval between snapshots in nanoseconds: longer than the stalls that cause an underrun.
  private static let interval: UInt64 = 1_000_000_000

  /// Has to be set on the graph before it is initialized.
  let meter = RenderMeter()
  private let snapshots = Mutex(Snapshots())

  /// Reads the meter if the interval has passed. To be called repeatedly.
  func update(at now: UInt64) {
    snapshots.withLock { snapshots in
      guard snapshots.time == 0 || now - snapshots.time >= Self.interval else { return }
      snapshots.olderTime = snapshots.time
      snapshots.time = now
      snapshots.older = snapshots.newer
      snapshots.newer = Self.sums(meter)
    }
  }

  /// The part that took most time in the last one or two seconds, in words; `nil` if none took any.
  var costliest: String? {
    let before = snapshots.withLock { $0.older }
    let taken = Self.sums(meter).map { ($0.key, $0.value - min($0.value, before[$0.key] ?? 0)) }
    guard let most = taken.max(by: { $0.1 < $1.1 }), most.1 > 0 else { return nil }
    return switch most.0 {
    case .unit(let name): "'\(name)'"
    case .callback(let node, let input, 0): "the callback of '\(node):\(input)'"
    case .callback(let node, let input, _): "a callback behind that of '\(node):\(input)'"
    case .tap(let name): "the tap '\(name)'"
    case .conversion: "conversions and fades"
    }
  }

  /// The nanoseconds that each part took since the older snapshot, and the nanoseconds since then.
  func taken(until now: UInt64) -> (nanoseconds: UInt64, parts: [RenderMeter.Part: UInt64]) {
    let (before, time) = snapshots.withLock { ($0.older, $0.olderTime) }
    guard time > 0, now > time else { return (0, [:]) }
    let parts = Self.sums(meter).map { part, sum in (part, sum - min(sum, before[part] ?? 0)) }
    return (now - time, Dictionary(parts, uniquingKeysWith: +))
  }

  private static func sums(_ meter: RenderMeter) -> [RenderMeter.Part: UInt64] {
    Dictionary(meter.readings.map { ($0.part, $0.nanoseconds) }, uniquingKeysWith: +)
  }
}
