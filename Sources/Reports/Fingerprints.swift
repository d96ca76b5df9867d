import AudioTypes
import Diagnostics

/// Computes fingerprints by which a service recognizes findings after the file has changed
/// elsewhere. They depend on the path, the code, the JSON Pointer and the text, never on the line.
/// Findings that agree in all of these are numbered.
struct Fingerprints {
  private var counts: [String: Int] = [:]

  /// 32 hexadecimal digits, unique in a report.
  mutating func next(_ diagnostic: Diagnostic, in patch: CheckedPatch) -> String {
    let text = patch.source[
      diagnostic.range
        .lowerBound..<min(
          diagnostic.range.upperBound, diagnostic.range.lowerBound + 256)]
    let words = text.split { $0 == " " || $0 == "\t" || $0.isNewline }.joined(separator: " ")
    return next([
      patch.path(of: diagnostic.range), diagnostic.code.rawValue,
      Self.withoutListIndices(diagnostic.pointer ?? ""), words,
    ])
  }

  /// The fingerprint of a file that could not be read.
  mutating func next(unreadable path: String) -> String { next([path, "unreadable", "", ""]) }

  private mutating func next(_ parts: [String]) -> String {
    let key = parts.joined(separator: "\0")
    counts[key, default: 0] += 1
    let whole = "\(key)\0\(counts[key] ?? 0)"
    return ContentHash.digits(whole.utf8)
      + ContentHash.digits(whole.utf8, basis: 0x6C62_272E_07BB_0142)
  }

  /// A pointer without list indices, which change when an item is inserted.
  private static func withoutListIndices(_ pointer: String) -> String {
    var parts = pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if parts.count > 2, parts[1] == "connections" || parts[1] == "timeline" { parts[2] = "*" }
    return parts.joined(separator: "/")
  }
}
