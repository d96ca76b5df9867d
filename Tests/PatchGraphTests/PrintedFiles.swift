import Foundation

/// Files of the package that the program prints, for comparison with its output.
enum PrintedFiles {
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func text(of path: String) -> String? {
    try? String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  /// The text between `<!-- name:begin -->` and `<!-- name:end -->`; `nil` without these marks.
  static func section(_ name: String, of text: String) -> String? {
    guard let begin = text.range(of: "<!-- \(name):begin -->\n"),
      let end = text.range(of: "<!-- \(name):end -->", range: begin.upperBound..<text.endIndex)
    else { return nil }
    return String(text[begin.upperBound..<end.lowerBound])
      .trimmingCharacters(in: .newlines)
  }
}
