import ArgumentParser
import PatchSyntax
import RenderHost

/// The value of `--wait-device`: how long a run waits for a missing device. It overrides the patch's
/// policy.
struct DeviceWait: Equatable, ExpressibleByArgument, CustomStringConvertible {
  /// Seconds; 0 for no waiting, infinity for no limit.
  var limit: Double

  /// Waits without a limit.
  static let endless = DeviceWait(limit: .infinity)

  init(limit: Double) { self.limit = limit }

  /// The default in the help.
  var description: String {
    limit.isFinite ? "\(limit) s" : "as long as it takes"
  }

  /// The value after `--wait-device=` if it is not a valid limit: the parser would silently ignore
  /// it.
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
  /// The policy with the wait of the command line, which overrides the patch's.
  func waiting(_ commandLine: DeviceWait?) -> SessionPolicy {
    guard let commandLine else { return self }
    var result = self
    result.deviceWait = commandLine.limit.isFinite ? commandLine.limit : nil
    if commandLine.limit == 0 {
      result.onDeviceLoss = .exit
    } else if onDeviceLoss == .exit {
      result.onDeviceLoss = .wait
    }
    return result
  }

  /// The policy as hardware expects it.
  var deviceLoss: DeviceLossPolicy {
    DeviceLossPolicy(
      isAwaited: onDeviceLoss != .exit, takesDefault: onDeviceLoss == .follow,
      holds: withoutDevice == .hold)
  }

  /// The message about what the patch does during the wait.
  var waitingWords: String {
    let words =
      withoutDevice == .hold
      ? "the patch stands still until it is there" : "the patch goes on unheard until it is there"
    guard let deviceWait else { return words }
    return "\(words), for \(fixed(deviceWait, 1)) s at the most"
  }
}

/// The sides of the device (sink, source) that are lost.
struct LostDevices {
  private var sides: [AudioDevice.Direction: (error: HardwareError, since: UInt64)] = [:]

  var isEmpty: Bool { sides.isEmpty }

  /// The phase of the run: waiting if a side is lost, otherwise playing.
  var phase: RunStatus.Phase {
    sides.values.first.map { .waiting($0.error.message) } ?? .playing
  }

  mutating func lose(_ side: AudioDevice.Direction, _ error: HardwareError, at now: UInt64) {
    sides[side] = (error, sides[side]?.since ?? now)
  }

  /// Removes a side and returns the seconds that it was lost for; `nil` if it was not lost.
  mutating func find(_ side: AudioDevice.Direction, at now: UInt64) -> Double? {
    sides.removeValue(forKey: side).map { Double(now - $0.since) / 1e9 }
  }

  /// The error of a side that has been lost for at least `limit` seconds.
  func overdue(_ limit: Double, at now: UInt64) -> HardwareError? {
    sides.values.first { Double(now - $0.since) / 1e9 >= limit }?.error
  }
}
