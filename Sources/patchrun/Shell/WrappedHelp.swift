/// Wraps the printed diagnostics between words for a terminal.
enum WrappedHelp {
  /// Wraps the lines of help and the first lines of findings to the width of a terminal. Excerpts
  /// of a patch have the right width already.
  ///
  /// - Parameter columns: The width; `nil` for no terminal, which changes nothing.
  static func wrapped(_ text: String, to columns: Int?) -> String {
    guard let columns, columns >= 20 else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { wrapped($0, columns) }.joined(separator: "\n")
  }

  private static func wrapped(_ line: Substring, _ columns: Int) -> String {
    let plain = visible(line)
    guard plain.count > columns, let indent = indent(of: plain) else { return String(line) }
    let margin = String(repeating: " ", count: indent)
    var result = ""
    var width = 0
    for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let length = visible(word).count
      if index > 0, width > indent, width + 1 + length > columns {
        result += "\n" + margin + word
        width = indent + length
      } else {
        result += (index > 0 ? " " : "") + word
        width += (index > 0 ? 1 : 0) + length
      }
    }
    return result
  }

  /// The indentation of the wrapped lines; `nil` for a line that is not wrapped.
  private static func indent(of line: String) -> Int? {
    let blanks = line.prefix { $0 == " " }.count
    if line.dropFirst(blanks).hasPrefix("= ") { return blanks + 2 }
    let kinds = ["error", "warning", "note"]
    return kinds.contains { line.hasPrefix($0 + ":") || line.hasPrefix($0 + "[") } ? 2 : nil
  }

  /// The text without colour sequences.
  private static func visible(_ text: Substring) -> String {
    text.contains("\u{1B}") ? String(text.replacing(/\u{1B}\[[0-9;]*m/, with: "")) : String(text)
  }
}
