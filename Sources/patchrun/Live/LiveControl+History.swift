import Control
import Diagnostics
import Synchronization

/// Undo, redo and history.
extension LiveControl {
  func history() async -> ControlHistory { steps.withLock { $0.shown() } }

  /// Plays a document from the history, like any other change.
  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome {
    exclusively {
      guard let target = steps.withLock({ $0.target(rewind) }) else {
        let (message, help) = steps.withLock { $0.refusal(of: rewind) }
        return .failed(message: message, help: help)
      }
      let text = String(decoding: target.source.bytes, as: UTF8.self)
      // The document has played before, so its files were allowed then. `.socket` does not restrict
      // them again.
      let outcome = make(
        .replace(text: text), ifMatch: tag, by: origin, through: .socket, isRewind: true)
      if case .applied = outcome { steps.withLock { $0.go(to: target) } }
      return outcome
    }
  }
}
