import AudioTypes
public import Diagnostics
public import PatchGraph
import PatchSyntax

/// Makes the edits of a test file that are safe, as `PatchFixer` does those of a patch.
public enum TestFixer {
  /// At most so many edits are tried.
  private static let mostAttempts = 64

  /// Fixes a test file until there is nothing left that is safe: one edit after the other, each kept where less
  /// is wrong afterwards.
  ///
  /// - Parameter isWanted: Whether what a diagnostic is about is to be put right.
  public static func fix(
    _ file: TestFile, where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) -> (file: TestFile, findings: [Diagnostic], changes: [PatchFixer.Change]) {
    var file = file
    var findings = TestChecker.findings(in: file)
    var changes: [PatchFixer.Change] = []
    var attempts = 0
    var refused: Set<Diagnostic> = []
    while attempts < mostAttempts,
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
