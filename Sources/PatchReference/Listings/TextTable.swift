/// Rows under headings, in columns as wide as their widest cell. A row may have notes below it.
struct TextTable {
  var headings: [String]
  private var rows: [(cells: [String], notes: [String])] = []

  init(_ headings: [String]) { self.headings = headings }

  mutating func add(_ cells: [String], notes: [String] = []) { rows.append((cells, notes)) }

  /// The lines, each with `indentation` blanks in front. Notes and the last column are broken to
  /// stay within `columns`.
  func lines(indentation: Int = 2, columns: Int = 100, noteIndentation: Int = 8) -> [String] {
    let widths = headings.indices.map { column in
      ([headings[column]] + rows.map { $0.cells[column] }).map(\.count).max() ?? 0
    }
    let margin = String(repeating: " ", count: indentation)
    func line(_ cells: [String]) -> [String] {
      var text = margin
      for (column, cell) in cells.enumerated().dropLast() {
        text += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      let start = text.count
      let last = wrapped(cells.last ?? "", columns: max(20, columns - start))
      var lines = [text + (last.first ?? "")]
      lines += last.dropFirst().map { String(repeating: " ", count: start) + $0 }
      return lines.map(withoutTrailingBlanks)
    }
    var lines = line(headings)
    for row in rows {
      lines += line(row.cells)
      for note in row.notes {
        lines += wrapped(note, columns: columns - noteIndentation).map {
          String(repeating: " ", count: noteIndentation) + $0
        }
      }
    }
    return lines
  }
}

/// The text in lines of at most `columns` characters, broken at blanks. A longer word stays whole.
func wrapped(_ text: String, columns: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ", omittingEmptySubsequences: true) {
    if !line.isEmpty && line.count + 1 + word.count > columns {
      lines.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
  }
  if !line.isEmpty { lines.append(line) }
  return lines
}

private func withoutTrailingBlanks(_ line: String) -> String {
  var line = line
  while line.last == " " { line.removeLast() }
  return line
}

/// A table in Markdown.
struct MarkdownTable {
  private var rows: [[String]]

  init(_ headings: [String]) {
    rows = [headings, headings.map { _ in "---" }]
  }

  mutating func add(_ cells: [String]) { rows.append(cells) }

  var text: String {
    rows.map { row in
      "| " + row.map { escaped($0) }.joined(separator: " | ") + " |\n"
    }.joined()
  }

  private func escaped(_ cell: String) -> String {
    cell.map { $0 == "|" ? "\\|" : $0 == "\n" ? " " : String($0) }.joined()
  }
}
