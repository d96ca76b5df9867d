/// A page of the manual in mdoc(7), written from top to bottom, for `man` to show.
///
/// Texts are plain; parts between grave accents are shown as code. Characters that mean something
/// to mdoc are escaped.
public struct ManualPage: Sendable {
  /// The page as it is written so far.
  public private(set) var text: String
  /// Whether the next paragraph has to be set apart from the text above.
  private var needsBreak = false

  /// A term of a list, and its text.
  public struct Entry: Hashable, Sendable {
    /// Plain text, shown as code.
    public var term: String
    public var text: String
    /// Entries that belong to this one, in a list of their own.
    public var entries: [Entry]

    public init(_ term: String, _ text: String, entries: [Entry] = []) {
      self.term = term
      self.text = text
      self.entries = entries
    }
  }

  /// - Parameters:
  ///   - section: 1 for programs, 5 for file formats.
  ///   - date: As mdoc writes it: `November 21, 2026`.
  ///   - release: The program and its version, for the foot of the page.
  public init(
    _ name: String, section: Int, date: String, release: String, summary: String
  ) {
    text = """
      .Dd \(date)
      .Dt \(name.uppercased()) \(section)
      .Os \(Self.argument(release))
      .Sh NAME
      .Nm \(name)
      .Nd \(Self.escaped(summary, isCode: false))

      """
  }

  /// A heading, in capitals: `EXIT STATUS`.
  public mutating func section(_ title: String) {
    line(".Sh \(Self.escaped(title.uppercased(), isCode: false))")
    needsBreak = false
  }

  /// A heading within a section.
  public mutating func subsection(_ title: String) {
    line(".Ss \(Self.argument(title, isCode: true))")
    needsBreak = false
  }

  /// A paragraph; none for an empty text.
  public mutating func paragraph(_ text: String) {
    guard !text.isEmpty else { return }
    if needsBreak { line(".Pp") }
    prose(text)
    needsBreak = true
  }

  /// Lines that are shown as they are.
  public mutating func code(_ lines: some Sequence<some StringProtocol>) {
    line(".Bd -literal -offset indent")
    for text in lines { line(Self.guarded(Self.escaped(String(text), isCode: true))) }
    line(".Ed")
    needsBreak = true
  }

  /// A line of mdoc macros, for the synopsis; `escaped` and `argument` make their arguments.
  public mutating func macro(_ text: String) { line(text) }

  /// A list of terms, each with its text below; none without entries.
  ///
  /// Where all texts are short, they are beside their terms, without empty lines between.
  public mutating func list(_ entries: [Entry]) {
    guard !entries.isEmpty else { return }
    let width = entries.map(\.term.count).max() ?? 0
    let isCompact = entries.allSatisfy { $0.entries.isEmpty && $0.text.count + width <= 76 }
    line(
      isCompact
        ? ".Bl -tag -width \(min(width, 40) + 2)n -compact" : ".Bl -tag -width Ds")
    add(entries.map { (".It Cm \(Self.argument($0.term, isCode: true))", $0.text, $0.entries) })
  }

  /// A list whose terms are mdoc macros.
  public mutating func list(_ entries: [(head: String, text: String, entries: [Entry])]) {
    guard !entries.isEmpty else { return }
    line(".Bl -tag -width Ds")
    add(entries)
  }

  private mutating func add(
    _ entries: [(head: String, text: String, entries: [Entry])]
  ) {
    for entry in entries {
      line(entry.head)
      if !entry.text.isEmpty { prose(entry.text) }
      needsBreak = !entry.text.isEmpty
      list(entry.entries)
    }
    line(".El")
    needsBreak = true
  }

  private mutating func line(_ text: String) { self.text += text + "\n" }

  /// Writes one line for each sentence, as mdoc demands.
  private mutating func prose(_ text: String) {
    for sentence in Self.sentences(text) { line(Self.guarded(Self.marked(sentence))) }
  }

  static func sentences(_ text: String) -> [String] {
    var sentences: [String] = []
    var sentence: [Substring] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if let last = sentence.last, last.hasSuffix(".") || last.hasSuffix("?"),
        word.first?.isUppercase == true
      {
        sentences.append(sentence.joined(separator: " "))
        sentence = []
      }
      sentence.append(word)
    }
    if !sentence.isEmpty { sentences.append(sentence.joined(separator: " ")) }
    return sentences
  }

  /// A text in which the parts between grave accents are set as code.
  private static func marked(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    // A single accent stands for itself.
    guard parts.count % 2 == 1 else { return escaped(text, isCode: false) }
    return parts.enumerated().map { index, part in
      index % 2 == 0
        ? escaped(String(part), isCode: false) : "\\fB\(escaped(String(part), isCode: true))\\fR"
    }.joined()
  }

  /// One argument of a macro, which may have blanks.
  public static func argument(_ text: String, isCode: Bool = false) -> String {
    let escaped = escaped(text, isCode: isCode).replacing("\"", with: "\\(dq")
    // Two or three letters could be the name of a macro.
    let isShort = escaped.utf8.count <= 3
    let isPlain = !isShort && escaped.allSatisfy { !$0.isWhitespace }
    return isPlain ? escaped : "\"\(isShort ? "\\&" : "")\(escaped)\""
  }

  /// A text whose first character cannot begin a macro.
  private static func guarded(_ text: String) -> String {
    text.hasPrefix(".") || text.isEmpty ? "\\&" + text : text
  }

  /// The text in which each character that means something to a formatter is escaped. In code a
  /// hyphen is a minus, which can be pasted; between letters of a text it is a hyphen.
  public static func escaped(_ text: String, isCode: Bool) -> String {
    var result = ""
    var previous: Unicode.Scalar = " "
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "\\": result += "\\e"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "-":
        let next = index + 1 < scalars.count ? scalars[index + 1] : " "
        let joins = previous.properties.isAlphabetic && next.properties.isAlphabetic
        result += isCode || !joins ? "\\-" : "-"
      case "\n", "\t": result += " "
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
      previous = scalar
    }
    return result
  }
}
