public import AudioTypes
public import Diagnostics
public import PatchSyntax

/// Makes the edits that the diagnostics of a patch carry.
///
/// Only those are made that are safe: where there is one way to put it right, nothing that was
/// written for people is lost, and what was wrong is less afterwards, and nothing new. The rest of
/// the text stays as it is.
public enum PatchFixer {
  /// An edit that was made.
  public struct Change: Hashable, Sendable {
    /// Where, in the text as it was when the edit was made.
    public var position: SourcePosition
    public var code: Rule.Code
    /// What was done, as an instruction: "remove the comma".
    public var title: String

    public init(position: SourcePosition, code: Rule.Code, title: String) {
      self.position = position
      self.code = code
      self.title = title
    }
  }

  /// What came of fixing.
  public struct Result: Sendable {
    /// The patch as it is now.
    public var patch: BuiltPatch
    /// What was done, in the order it was.
    public var changes: [Change]
  }

  /// How often a patch is checked in one round before the rest is given up: a long text, which takes
  /// long to check, less often.
  static func maximumAttempts(bytes: Int) -> Int { min(max(64_000_000 / max(bytes, 1), 3), 64) }

  /// Fixes a patch until there is nothing left that is safe.
  ///
  /// - Parameters:
  ///   - surroundings: Where its paths begin, and what it may do.
  ///   - isWanted: Whether what a diagnostic is about is to be put right.
  public static func fix(
    _ source: SourceText, in surroundings: PatchSurroundings, device: PatchDevice,
    limits: PatchLimits = .standard, where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) -> Result {
    // What is not kept is not put right.
    var wide = limits
    wide.findings = max(limits.findings, 1000)
    func build(_ source: SourceText) -> BuiltPatch {
      PatchBuilder.build(PatchReader.read(source, limits: wide), in: surroundings, device: device)
        .asWritten()
    }
    var result = Result(patch: build(source), changes: [])
    func shown() -> Result {
      result.patch.diagnostics = result.patch.diagnostics.limited(to: limits.findings)
      return result
    }
    while true {
      let fixes = safeFixes(of: result.patch, where: isWanted)
      guard !fixes.isEmpty else { return shown() }
      let round = Round(
        source: result.patch.ownSource, first: result.patch,
        attempts: maximumAttempts(bytes: result.patch.source.bytes.count), build: build)
      let (made, patch) = round.made(of: fixes)
      guard !made.isEmpty else { return shown() }
      result.changes += made.map(\.change)
      result.patch = patch
    }
  }

  /// Makes as many edits of one text as do good.
  private struct Round {
    let source: SourceText
    let first: BuiltPatch
    let attempts: Int
    let build: (SourceText) -> BuiltPatch

    /// All at once and, where that does not do, ever smaller parts of them: each part beside those that
    /// have been made already. A few that do harm cost so many halvings each.
    func made(of fixes: [SafeFix]) -> (fixes: [SafeFix], patch: BuiltPatch) {
      var made: [SafeFix] = []
      var patch = first
      var left = attempts
      // Larger parts first.
      var waiting = [fixes[...]]
      var next = 0
      while next < waiting.count, left > 0 {
        let part = waiting[next]
        next += 1
        left -= 1
        let tried = build(source.applying((made + part).flatMap(\.edits)))
        if PatchFixer.isBetter(tried.diagnostics, than: patch.diagnostics) {
          made += part
          patch = tried
        } else if part.count > 1 {
          let middle = part.startIndex + part.count / 2
          waiting += [part[..<middle], part[middle...]]
        }
      }
      // In the order of the text, as they were found.
      let numbers = Set(made.map(\.number))
      return (fixes.filter { numbers.contains($0.number) }, patch)
    }
  }

  private struct SafeFix {
    var number: Int
    var edits: [Diagnostic.Edit]
    var change: Change
  }

  /// The edits that can be made together.
  private static func safeFixes(
    of patch: BuiltPatch, where isWanted: (Diagnostic) -> Bool
  ) -> [SafeFix] {
    var fixes: [SafeFix] = []
    var taken: [SourceRange] = []
    for diagnostic in patch.diagnostics where isWanted(diagnostic) {
      guard diagnostic.fixes.count == 1, let fix = diagnostic.fixes.first, fix.isSafe,
        !fix.edits.isEmpty
      else { continue }
      let ranges = fix.edits.map(\.range)
      // What stands in a sub-graph is another file's.
      guard ranges.allSatisfy({ $0.upperBound <= patch.ownLength }) else { continue }
      let isApart = ranges.allSatisfy { range in taken.allSatisfy { areApart($0, range) } }
      guard isApart else { continue }
      taken += ranges
      fixes.append(
        SafeFix(
          number: fixes.count, edits: fix.edits,
          change: Change(
            position: patch.source.position(of: diagnostic.range.lowerBound),
            code: diagnostic.code, title: fix.title)))
    }
    return fixes
  }

  private static func areApart(_ left: SourceRange, _ right: SourceRange) -> Bool {
    // Insertions at one place, or at the edge of another edit, have no order.
    let gap = left.isEmpty || right.isEmpty ? 1 : 0
    return left.upperBound + gap <= right.lowerBound || right.upperBound + gap <= left.lowerBound
  }

  /// Whether there is less wrong than before, and nothing of another kind.
  ///
  /// Of a text that was no JSON only its JSON is compared: no one knew what else was wrong.
  private static func isBetter(_ new: [Diagnostic], than old: [Diagnostic]) -> Bool {
    let syntax = old.filter { isSyntax($0) && $0.severity == .error }
    let rest = new.filter { isSyntax($0) && $0.severity == .error }
    if rest.count < syntax.count {
      return Set(rest.map(\.code)).isSubset(of: Set(syntax.map(\.code)))
    }
    func weight(_ diagnostics: [Diagnostic]) -> (Int, Int) {
      (
        diagnostics.filter { $0.severity == .error }.findingCount,
        diagnostics.filter { $0.severity == .warning }.findingCount
      )
    }
    return weight(new) < weight(old) && Set(new.map(\.code)).isSubset(of: Set(old.map(\.code)))
  }

  private static func isSyntax(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.code.rawValue.hasPrefix("PR00")
  }
}
