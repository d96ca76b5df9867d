import AudioTypes
import Diagnostics

/// Says of each finding which one it is, so that a service knows it again after the file has
/// changed elsewhere: by the path, the code, the JSON Pointer and the text concerned, never by the
/// line. Findings that have all of these in common are counted.
struct Fingerprints {
  private var counts: [String: Int] = [:]

  /// 32 hexadecimal digits, another one for each finding of a report.
  mutating func next(_ diagnostic: Diagnostic, in patch: CheckedPatch) -> String {
    let text = patch.source[
      diagnostic.range
        .lowerBound..<min(
          diagnostic.range.upperBound, diagnostic.range.lowerBound + 256)]
    let words = text.split { $0 == " " || $0 == "\t" || $0.isNewline }.joined(separator: " ")
    return next([
      patch.path(of: diagnostic.range), diagnostic.code.rawValue,
      Self.steady(diagnostic.pointer ?? ""), words,
    ])
  }

  /// The same for a file that could not be read.
  mutating func next(unreadable path: String) -> String { next([path, "unreadable", "", ""]) }

  private mutating func next(_ parts: [String]) -> String {
    let key = parts.joined(separator: "\0")
    counts[key, default: 0] += 1
    let whole = "\(key)\0\(counts[key] ?? 0)"
    return ContentHash.digits(whole.utf8)
      + ContentHash.digits(whole.utf8, basis: 0x6C62_272E_07BB_0142)
  }

  /// A pointer without the places in lists, which move when another item is put in.
  private static func steady(_ pointer: String) -> String {
    var parts = pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if parts.count > 2, parts[1] == "connections" || parts[1] == "timeline" { parts[2] = "*" }
    return parts.joined(separator: "/")
  }
}
