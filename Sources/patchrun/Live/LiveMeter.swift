import RenderCore
import Synchronization

/// What the parts of a patch have taken of the render thread's time of late.
final class LiveMeter: Sendable {
  /// What a part had taken at two times, of which the first is a second or two ago.
  private struct Looks {
    var older: [RenderMeter.Part: UInt64] = [:]
    var newer: [RenderMeter.Part: UInt64] = [:]
    /// When the older look was; 0 for never.
    var olderTime: UInt64 = 0
    var time: UInt64 = 0
  }

  /// How long one look lasts, in nanoseconds: longer than what makes a device run dry.
  private static let interval: UInt64 = 1_000_000_000

  /// To be the graph's before that is initialized.
  let meter = RenderMeter()
  private let looks = Mutex(Looks())

  /// Looks at the meter, once a second. Called again and again.
  func look(at now: UInt64) {
    looks.withLock { looks in
      guard looks.time == 0 || now - looks.time >= Self.interval else { return }
      looks.olderTime = looks.time
      looks.time = now
      looks.older = looks.newer
      looks.newer = Self.sums(meter)
    }
  }

  /// The part that has taken most in the last second or two, in words; `nil` where none has taken anything.
  var costliest: String? {
    let before = looks.withLock { $0.older }
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

  /// What each part has taken in the last second or two, in nanoseconds, and over how many.
  func taken(until now: UInt64) -> (nanoseconds: UInt64, parts: [RenderMeter.Part: UInt64]) {
    let (before, time) = looks.withLock { ($0.older, $0.olderTime) }
    guard time > 0, now > time else { return (0, [:]) }
    let parts = Self.sums(meter).map { part, sum in (part, sum - min(sum, before[part] ?? 0)) }
    return (now - time, Dictionary(parts, uniquingKeysWith: +))
  }

  private static func sums(_ meter: RenderMeter) -> [RenderMeter.Part: UInt64] {
    Dictionary(meter.readings.map { ($0.part, $0.nanoseconds) }, uniquingKeysWith: +)
  }
}
