import Control
import Diagnostics
import PatchGraph
import PatchSyntax
import Synchronization

/// What has been changed, and how it is taken back.
extension LiveControl {
  func history() async -> ControlHistory { steps.withLock { $0.shown() } }

  /// Goes the road of every change, with a document that has played.
  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome {
    exclusively {
      guard let target = steps.withLock({ $0.target(rewind) }) else {
        let (message, help) = steps.withLock { $0.refusal(of: rewind) }
        return .failed(message: message, help: help)
      }
      let text = String(decoding: target.source.bytes, as: UTF8.self)
      // It has played: its files are those that its folder, or the command line, allowed.
      let outcome = make(
        .replace(text: text), ifMatch: tag, by: origin, through: .socket, isRewind: true)
      if case .applied = outcome { steps.withLock { $0.go(to: target) } }
      return outcome
    }
  }
}
