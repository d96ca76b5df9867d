public import AudioTypes
import Diagnostics

/// A patch's reactions to an interruption, to a change of the device, to the loss of the device,
/// and to the time without a device.
///
/// Core Audio leaves these decisions to the app. The default of each decision, also for one with an
/// error, is the first case.
public struct SessionPolicy: Hashable, Sendable {
  /// The decision for when the server suspends the device, or asks for silence because of a call.
  public enum Interruption: String, Hashable, CaseIterable, Sendable, SettingWord {
    /// Plays on; a device that stays suspended counts as lost.
    case `continue`
    /// Fades out, renders nothing until it is over, and fades in at the same position.
    case pause
    /// Fades out and ends.
    case stop

    package var summary: String {
      switch self {
      case .continue: "Plays on; a device that stays suspended counts as lost: see onDeviceLoss."
      case .pause: "Fades out, renders nothing until it is over, and fades in where it was."
      case .stop: "Fades out, finishes its files and ends."
      }
    }
  }

  /// The decision for when the server moves the sound to another device.
  public enum RouteChange: String, Hashable, CaseIterable, Sendable, SettingWord {
    /// Plays on there; the server converts what that device does not take.
    case follow
    /// Begins again, with what that device grants.
    case restart
    /// Fades out and ends.
    case stop

    package var summary: String {
      switch self {
      case .follow: "Plays on there; the server converts."
      case .restart: "Begins again, with the rate and the channels of that device."
      case .stop: "Fades out, finishes its files and ends."
      }
    }
  }

  /// The decision for when the device or the server is lost, stays suspended or hangs, or is
  /// missing at the start.
  public enum DeviceLoss: String, Hashable, CaseIterable, Sendable, SettingWord {
    /// Waits for the device that was asked for, and fades in on it.
    case wait
    /// Plays on the server's default device while the one that was asked for is missing.
    case follow
    /// Finishes its files and ends as a failure.
    case exit

    package var summary: String {
      switch self {
      case .wait: "Waits for the device that was asked for, and fades in when it is there."
      case .follow: "Takes the server's default device where the one that was asked for is gone."
      case .exit:
        "Finishes its files and ends with exit 4; with 3 where there is none at the start."
      }
    }
  }

  /// What time does while there is no device.
  public enum TimeWithoutDevice: String, Hashable, CaseIterable, Sendable, SettingWord {
    /// Runs on by the clock: files, timeline and recordings go on unheard.
    case `continue`
    /// Stands still until there is a device: the next frame follows the last one that was rendered.
    case hold

    package var summary: String {
      switch self {
      case .continue: "Files, timeline and recordings go on by the clock, unheard."
      case .hold: "Everything stands still, and goes on where it was."
      }
    }
  }

  public var onInterruption = Interruption.continue
  public var onRouteChange = RouteChange.follow
  public var onDeviceLoss = DeviceLoss.wait
  /// How long to wait for a device, in seconds, above 0; `nil` for as long as it takes.
  public var deviceWait: Double?
  public var withoutDevice = TimeWithoutDevice.continue

  public init() {}

  /// The keys of the decisions that differ from another policy, each with this decision in words.
  package func differences(from before: SessionPolicy) -> [(key: String, text: String)] {
    var result: [(String, String)] = []
    if onInterruption != before.onInterruption {
      result.append(
        ("onInterruption", "an interruption is answered by \(quoted(onInterruption.rawValue))"))
    }
    if onRouteChange != before.onRouteChange {
      result.append(
        ("onRouteChange", "another device is answered by \(quoted(onRouteChange.rawValue))"))
    }
    if onDeviceLoss != before.onDeviceLoss {
      result.append(
        ("onDeviceLoss", "the loss of a device is answered by \(quoted(onDeviceLoss.rawValue))"))
    }
    if deviceWait != before.deviceWait {
      let limit = deviceWait.map { "for \(Quantity.text($0)) s" } ?? "for as long as it takes"
      result.append(("deviceWait", "a lost device is waited for, \(limit)"))
    }
    if withoutDevice != before.withoutDevice {
      result.append(
        (
          "withoutDevice",
          "without a device time \(withoutDevice == .continue ? "runs on" : "stands still")"
        ))
    }
    return result
  }
}
