import Diagnostics
import FileAccess
import PatchSyntax
import SoundExpectations
public import SoundMeasures

/// The changes that would make failed tests hold: new bounds and goldens.
public struct Blessings: Sendable {
  /// The test file with its new bounds; `nil` where none has changed.
  public private(set) var text: [UInt8]?
  /// The goldens to write, with their paths.
  public private(set) var goldens: [(path: String, sound: Sound)] = []
  /// The changes, a line each.
  public private(set) var changes: [String] = []
  /// The expectations that stay as they are, a line each with the reason.
  public private(set) var refusals: [String] = []

  /// - Parameters:
  ///   - checked: The tests that were run, with their sound kept.
  ///   - maximumMovement: How far a bound may move, in its own unit.
  public init(_ checked: [CheckedTest], of file: TestFile, maximumMovement: Double) {
    var edits: [Diagnostic.Edit] = []
    for test in checked {
      for expectation in test.expectations where expectation.status != .passed {
        let name = "\(test.name): \(expectation.title)"
        let kind = expectation.expectation.kind
        if kind.name == ExpectationKind.golden.name, let heard = expectation.heard,
          let path = expectation.expectation.text("path")
        {
          goldens.append((FilePolicy.join(file.directory, path), heard))
          changes.append("\(name): the golden \(quoted(path)) is written")
          continue
        }
        guard let finding = expectation.finding else {
          refusals.append("\(name): it could not be measured")
          continue
        }
        let room =
          expectation.heard.map { 1.5 * Margins.margin(expectation.expectation, of: $0) } ?? 0
        guard finding.quantity.correction != nil || finding.movement <= maximumMovement else {
          refusals.append(
            "\(name): the bound would have to move by \(finding.quantity.unit.text(finding.movement)), "
              + "and may by \(finding.quantity.unit.text(maximumMovement)): listen first, then edit it by hand or "
              + "raise --most-margin")
          continue
        }
        guard let fix = finding.fix(margin: min(room, max(0, maximumMovement - finding.movement)))
        else {
          refusals.append("\(name): no bound would let it pass")
          continue
        }
        edits += fix.edits
        changes.append("\(name): \(fix.title)")
      }
    }
    guard !edits.isEmpty else { return }
    text = file.source.applying(edits).bytes
  }
}
