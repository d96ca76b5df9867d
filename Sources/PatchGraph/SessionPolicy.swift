import Diagnostics
import PatchSyntax

/// What a patch decides for the time that it plays: what an interruption does, and another device.
///
/// The decisions are ours, not Core Audio's: there an app makes them, when it is told. What is not
/// said, or is wrong, is the first of each.
public struct SessionPolicy: Hashable, Sendable {
  /// When the server suspends the device, or asks for silence because somebody has a call.
  public enum Interruption: String, Hashable, Sendable, CaseIterable {
    /// Plays on; a device that stays suspended counts as gone.
    case `continue`
    /// Fades out, renders nothing until it is over, and fades in where it was.
    case pause
    /// Fades out and ends.
    case stop

    /// The same as a sentence.
    package var summary: String {
      switch self {
      case .continue: "Plays on; a device that is suspended for 2 s counts as gone."
      case .pause: "Fades out, renders nothing until it is over, and fades in where it was."
      case .stop: "Fades out, finishes its files and ends."
      }
    }
  }

  /// When the server moves the sound to another device.
  public enum RouteChange: String, Hashable, Sendable, CaseIterable {
    /// Plays on there; the server converts what it takes otherwise.
    case follow
    /// Begins again, with what that device grants.
    case restart
    /// Fades out and ends.
    case stop

    /// The same as a sentence.
    package var summary: String {
      switch self {
      case .follow: "Plays on there; the server converts."
      case .restart: "Begins again, with the rate and the channels of that device."
      case .stop: "Fades out, finishes its files and ends."
      }
    }
  }

  public var onInterruption = Interruption.continue
  public var onRouteChange = RouteChange.follow

  public init() {}

  /// What a document says.
  init(of document: PatchDocument) {
    let session = document.session?.value
    if let written = session?.onInterruption {
      onInterruption = Interruption(rawValue: written.value) ?? onInterruption
    }
    if let written = session?.onRouteChange {
      onRouteChange = RouteChange(rawValue: written.value) ?? onRouteChange
    }
  }
}

extension GraphBuilder {
  /// Says which decisions there are where one is none of them.
  mutating func checkSessionPolicy() {
    let session = document.session?.value
    for (written, event, names) in [
      (
        session?.onInterruption, "an interruption",
        SessionPolicy.Interruption.allCases.map(\.rawValue)
      ),
      (
        session?.onRouteChange, "another device",
        SessionPolicy.RouteChange.allCases.map(\.rawValue)
      ),
    ] {
      guard let written, !names.contains(written.value) else { continue }
      report(
        NameRules.sessionDecision.diagnostic(
          .init("there is no decision \(quoted(written.value)) upon \(event)"), at: written.range,
          pointer: written.pointer,
          help: [didYouMean(written.value, among: names)].compactMap(\.self)
            + ["the decisions are: " + names.joined(separator: ", ")],
          fixes: written.json.correction(of: written.value, among: names)))
    }
  }
}
