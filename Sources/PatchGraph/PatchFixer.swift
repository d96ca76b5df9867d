public import AudioTypes
public import Diagnostics
public import PatchSyntax

/// Makes the safe edits of a patch's diagnostics.
///
/// An edit is safe if it is the only way to correct a mistake, keeps everything that was written
/// for people, and leaves fewer findings, none of a new kind. The rest of the text stays the same.
public enum PatchFixer {
  /// An edit that was made.
  public struct Change: Hashable, Sendable {
    /// The place, in the text as it was when the edit was made.
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

  /// The result of fixing.
  public struct Result: Sendable {
    /// The patch after the edits.
    public var patch: BuiltPatch
    /// The edits, in the order in which they were made.
    public var changes: [Change]
  }

  /// How many attempts one round has, each of which checks the patch once: 3 to 64, fewer for
  /// longer texts.
  static func maximumAttempts(bytes: Int) -> Int { min(max(64_000_000 / max(bytes, 1), 3), 64) }

  /// Fixes a patch until no safe edit is left.
  ///
  /// - Parameters:
  ///   - surroundings: The folder that the patch's paths start from, and the patch's permissions.
  ///   - isWanted: Whether to fix a diagnostic.
  public static func fix(
    _ source: SourceText, in surroundings: PatchSurroundings, device: PatchDevice,
    limits: PatchLimits = .standard, where isWanted: (Diagnostic) -> Bool = { _ in true }
  ) -> Result {
    // Only findings that are kept can be fixed.
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
      let (made, patch) = round.apply(fixes)
      guard !made.isEmpty else { return shown() }
      result.changes += made.map(\.change)
      result.patch = patch
    }
  }

  /// Makes as many edits of one text as improve it.
  private struct Round {
    let source: SourceText
    let first: BuiltPatch
    let attempts: Int
    let build: (SourceText) -> BuiltPatch

    /// Tries all fixes at once and, where that does not help, ever smaller halves, each together
    /// with the fixes that have been made already. A harmful fix costs one attempt for each
    /// halving.
    func apply(_ fixes: [SafeFix]) -> (fixes: [SafeFix], patch: BuiltPatch) {
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

  /// The safe edits that do not overlap.
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
      // Text of a sub-graph is in another file.
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
    // Insertions at the same place, or at the edge of another edit, would have no order.
    let gap = left.isEmpty || right.isEmpty ? 1 : 0
    return left.upperBound + gap <= right.lowerBound || right.upperBound + gap <= left.lowerBound
  }

  /// Whether there are fewer findings than before, and none of a new kind.
  ///
  /// If the text was not valid JSON, only syntax errors are compared: other findings were not
  /// known.
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
