import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax

/// Properties of all patches, valid or not. Each check returns the violation, or `nil`.
enum PatchProperties {
  /// The folder for recordings of initialized patches.
  static let folder = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "patchrun-properties").path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// `PATCHRUN_PROPERTY_EFFORT=20` checks 20 times as many patches as a normal test run.
  static let effort =
    max(1, Int(ProcessInfo.processInfo.environment["PATCHRUN_PROPERTY_EFFORT"] ?? "") ?? 1)

  static func build(_ text: String, _ hardware: HardwareAssumption) -> BuiltPatch {
    PatchBuilder.build(text, directory: folder, hardware: hardware).asWritten()
  }

  static func build(_ patch: GeneratedPatch) -> BuiltPatch {
    build(patch.document.document, patch.hardware)
  }

  /// The report of a failure, with the patch.
  static func report(_ what: String, _ text: String, _ patch: BuiltPatch) -> String {
    "\(what)\n\n\(text)\n\(TextRenderer(source: patch.source).render(patch.diagnostics))"
  }

  // MARK: The invariant

  /// Initialization succeeds if and only if there is no violation that is an error; otherwise it
  /// fails with the first one. A patch without errors initializes.
  static func disagreement(_ patch: BuiltPatch) -> String? {
    disagreement(patch.graph, isRefused: patch.hasErrors)
  }

  /// - Parameter isRefused: Whether the patch of the graph has an error.
  static func disagreement(_ graph: AudioGraph?, isRefused: Bool) -> String? {
    guard let graph else { return isRefused ? nil : "there is no graph, and no error" }
    let errors = graph.violations().filter { $0.severity == .error }
    do throws(Violation) {
      try graph.initialize()
    } catch {
      guard let first = errors.first else {
        return "initialize fails with '\(error.message)', and there is no violation"
      }
      guard first == error else {
        return "initialize fails with '\(error.message)', and the first violation is "
          + "'\(first.message)'"
      }
      return isRefused
        ? nil : "initialize fails with '\(error.message)', and the patch has no error"
    }
    defer { graph.close() }
    guard errors.isEmpty else {
      return "initialize succeeds in spite of '\(errors[0].message)'"
    }
    let later = graph.violations().filter { $0.severity == .error }
    return later.first.map { "once initialized it finds '\($0.message)'" }
  }

  // MARK: One cause, one diagnostic

  /// A valid patch with one mistake added has one error, at the mistake, and no new warnings.
  static func disorder(
    _ patch: BuiltPatch, was before: BuiltPatch, _ mutation: PatchMutation, _ places: [[String]]
  ) -> String? {
    let errors = patch.diagnostics.filter { $0.severity == .error }
    guard let error = errors.first else { return "nobody minds that \(mutation.name)" }
    guard errors.count == 1 else {
      return "one mistake, \(mutation.name), is \(errors.count) errors: "
        + errors.map(\.code.rawValue).joined(separator: ", ")
    }
    func counts(_ patch: BuiltPatch) -> [String: Int] {
      Dictionary(
        patch.diagnostics.filter { $0.severity == .warning }.map { ($0.code.rawValue, 1) },
        uniquingKeysWith: +)
    }
    let warnings = counts(before)
    for (code, count) in counts(patch) where !mutation.also.contains(code) {
      if count > warnings[code] ?? 0 { return "the warning \(code) is an echo of \(error.code)" }
    }
    let ranges = places.compactMap { range(of: $0, in: patch.source) }
    let found = [error.range] + error.notes.map(\.range)
    let touches = found.contains { one in
      ranges.contains { $0.lowerBound <= one.upperBound && one.lowerBound <= $0.upperBound }
    }
    return touches ? nil : "\(error.code) is not where \(mutation.name): \(places)"
  }

  /// From a member's key to the end of its value.
  private static func range(of path: [String], in source: SourceText) -> SourceRange? {
    guard
      let root = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name)).tree?
        .root
    else { return nil }
    guard let key = path.last, let parent = root[JSONPointer(Array(path.dropLast()))],
      let value = root[JSONPointer(path)]
    else { return path.isEmpty ? root.range : nil }
    let member = parent.members.first { $0.key.string == key }
    return (member?.key.range ?? value.range).lowerBound..<value.range.upperBound
  }

  // MARK: Fixes

  /// A safe fix removes its diagnostic and causes no error.
  static func badFix(_ patch: BuiltPatch, _ hardware: HardwareAssumption) -> String? {
    let errors = patch.diagnostics.count { $0.severity == .error }
    for diagnostic in patch.diagnostics {
      for fix in diagnostic.fixes where fix.isSafe {
        guard fix.edits.allSatisfy({ $0.range.upperBound <= patch.ownLength }) else {
          return "'\(fix.title)' changes another file"
        }
        let text = String(decoding: patch.ownSource.applying(fix.edits).bytes, as: UTF8.self)
        let fixed = build(text, hardware)
        let left = fixed.diagnostics.count { $0.severity == .error }
        if errors > 0, left >= errors {
          return "'\(fix.title)' leaves \(left) errors of \(errors): "
            + fixed.diagnostics.map { "\($0.code) \($0.message)" }.joined(separator: "; ")
        }
      }
    }
    return nil
  }

  // MARK: Formatting

  /// Formatting does not change the findings, except for the superfluous commas that it removes.
  static func formattingChanges(_ patch: BuiltPatch, _ hardware: HardwareAssumption) -> String? {
    guard let text = PatchFormatter.format(patch.ownSource).text else { return nil }
    let formatted = build(String(decoding: text, as: UTF8.self), hardware)
    func said(_ patch: BuiltPatch) -> [String] {
      patch.diagnostics.filter { $0.code != SyntaxRules.trailingComma.code }
        .map { "\($0.code) \($0.pointer ?? "") \($0.message)" }
    }
    guard said(formatted) != said(patch) else { return nil }
    return "formatted, it is found to have \(said(formatted)) and not \(said(patch))"
  }
}
