import ArgumentParser
import PatchGraph
import RenderHost

/// How a run answers the loss of its device: as the patch says, unless the command line says otherwise.
struct DeviceWait: Equatable, ExpressibleByArgument, CustomStringConvertible {
  /// For how long a device is waited for, in seconds; 0 for not at all.
  var limit: Double

  /// For as long as it takes.
  static let endless = DeviceWait(limit: .infinity)

  init(limit: Double) { self.limit = limit }

  /// As the help says it.
  var description: String {
    limit.isFinite ? "\(limit) s" : "as long as it takes"
  }

  /// What stands behind `--wait-device=` and is no limit. The parser would take the option without it.
  static func wrongValue(in arguments: [String]) -> Substring? {
    arguments.lazy.filter { $0.hasPrefix("--wait-device=") }
      .compactMap { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).last }
      .first { DeviceWait(argument: String($0)) == nil }
  }

  init?(argument: String) {
    if argument == "0" {
      limit = 0
    } else if let seconds = Seconds(argument: argument) {
      limit = seconds.value
    } else {
      return nil
    }
  }
}

extension SessionPolicy {
  /// The decisions with what the command line says about waiting in the place of the patch's.
  func waiting(_ asked: DeviceWait?) -> SessionPolicy {
    guard let asked else { return self }
    var result = self
    result.deviceWait = asked.limit.isFinite ? asked.limit : nil
    if asked.limit == 0 {
      result.onDeviceLoss = .exit
    } else if onDeviceLoss == .exit {
      result.onDeviceLoss = .wait
    }
    return result
  }

  /// The same for hardware.
  var deviceLoss: DeviceLossPolicy {
    DeviceLossPolicy(
      isAwaited: onDeviceLoss != .exit, takesDefault: onDeviceLoss == .follow,
      holds: withoutDevice == .hold)
  }

  /// What happens meanwhile, in a few words.
  var waitingWords: String {
    let words =
      withoutDevice == .hold
      ? "the patch stands still until it is there" : "the patch goes on unheard until it is there"
    guard let deviceWait else { return words }
    return "\(words), for \(fixed(deviceWait, 1)) s at the most"
  }
}

/// The sides of a device that a run waits for.
struct LostDevices {
  private var sides: [AudioDevice.Direction: (error: HardwareError, since: UInt64)] = [:]

  var isEmpty: Bool { sides.isEmpty }

  /// Where a run is that nothing else holds up: it plays where none is waited for.
  var phase: RunStatus.Phase {
    sides.values.first.map { .waiting($0.error.message) } ?? .playing
  }

  mutating func lose(_ side: AudioDevice.Direction, _ error: HardwareError, at now: UInt64) {
    sides[side] = (error, sides[side]?.since ?? now)
  }

  /// For how many seconds the side has been waited for; `nil` where it has not.
  mutating func find(_ side: AudioDevice.Direction, at now: UInt64) -> Double? {
    sides.removeValue(forKey: side).map { Double(now - $0.since) / 1e9 }
  }

  /// What has been waited for longer than a limit in seconds.
  func overdue(_ limit: Double, at now: UInt64) -> HardwareError? {
    sides.values.first { Double(now - $0.since) / 1e9 >= limit }?.error
  }
}
