/// The parsed discussion of a command: paragraphs, then sections under headings in capitals.
///
///     Two paragraphs of text, with an empty line between them.
///
///     EXAMPLES:
///       patchrun units
///
///     EXIT STATUS:
///       0  fine
///       2  wrong usage, which is said
///          in two lines
///
/// A line of a section is indented by two blanks. It is an entry: a term and, after two or more
/// blanks, its description. Lines with a deeper indentation belong to the entry above.
struct HelpText: Hashable {
  var paragraphs: [String] = []
  var sections: [Section] = []

  struct Section: Hashable {
    /// In capitals, without the colon.
    var title: String
    var entries: [Entry] = []
  }

  struct Entry: Hashable {
    /// The lines of the entry without their indentation.
    var lines: [String]

    /// The text before the first two blanks; the whole text without them.
    var term: String { split.term }
    /// The description of the term, in one line.
    var text: String { split.text }

    private var split: (term: String, text: String) {
      guard let gap = lines[0].firstRange(of: "  ") else {
        return (lines.joined(separator: " "), "")
      }
      let rest = [String(lines[0][gap.upperBound...])] + lines.dropFirst()
      let words = rest.joined(separator: " ").split(separator: " ")
      return (String(lines[0][..<gap.lowerBound]), words.joined(separator: " "))
    }
  }

  init(_ discussion: String) {
    var paragraph = ""
    for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        if !paragraph.isEmpty { paragraphs.append(paragraph) }
        paragraph = ""
      } else if Self.isHeading(line) {
        sections.append(Section(title: String(line.dropLast())))
      } else if let last = sections.indices.last {
        let text = String(line.drop { $0 == " " })
        let isMore = line.hasPrefix("   ") && !sections[last].entries.isEmpty
        if isMore {
          sections[last].entries[sections[last].entries.count - 1].lines.append(text)
        } else {
          sections[last].entries.append(Entry(lines: [text]))
        }
      } else {
        paragraph += (paragraph.isEmpty ? "" : " ") + line
      }
    }
    if !paragraph.isEmpty { paragraphs.append(paragraph) }
  }

  func section(_ title: String) -> Section? { sections.first { $0.title == title } }

  private static func isHeading(_ line: Substring) -> Bool {
    line.hasSuffix(":") && line.first?.isUppercase == true
      && line.dropLast().allSatisfy { $0.isUppercase || $0 == " " }
  }
}
