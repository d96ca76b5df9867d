public import Diagnostics
public import PatchGraph
import PatchSyntax

/// Makes the safe edits of a test file, as `PatchFixer` does for a patch.
public enum TestFixer {
  /// The number of edits to try before giving up.
  private static let maximumAttempts = 64

  /// Makes safe edits one after another until none is left. An edit is kept where it leaves fewer
  /// findings.
  ///
  /// - Parameter isWanted: Whether to fix a diagnostic.
  public static func fix(
    _ file: TestFile, where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) -> (file: TestFile, findings: [Diagnostic], changes: [PatchFixer.Change]) {
    var file = file
    var findings = TestChecker.findings(in: file)
    var changes: [PatchFixer.Change] = []
    var attempts = 0
    var refused: Set<Diagnostic> = []
    while attempts < maximumAttempts,
      let next = findings.first(where: {
        isWanted($0) && !refused.contains($0) && $0.fixes.count == 1 && $0.fixes[0].isSafe
      })
    {
      attempts += 1
      let source = file.source.applying(next.fixes[0].edits)
      let tried = TestFile(source, directory: file.directory, access: file.access)
      let left = TestChecker.findings(in: tried)
      guard left.findingCount < findings.findingCount else {
        refused.insert(next)
        continue
      }
      changes.append(
        PatchFixer.Change(
          position: file.source.position(of: next.range.lowerBound), code: next.code,
          title: next.fixes[0].title))
      (file, findings) = (tried, left)
    }
    return (file, findings, changes)
  }
}
