public import AudioTypes

/// One finding about a patch: a mistake or a remark, and its place.
///
/// A diagnostic is only data: a renderer decides how it looks, and the caller whether it stops the
/// program. All ranges are UTF-8 offsets in the one `SourceText` that the diagnostic was made for.
public struct Diagnostic: Hashable, Sendable {
  /// The rule that is broken.
  public let rule: Rule
  /// The severity in this case; usually that of the rule.
  public var severity: Severity
  /// The status that Core Audio gives in this case; `nil` for none.
  public var status: Status?
  /// One sentence that starts in lower case, quotes names as written and has no full stop.
  public var message: Message
  /// The place of the mistake. An empty range is between two bytes.
  public var range: SourceRange
  /// The JSON Pointer (RFC 6901) of the value at fault; `nil` for none.
  public var pointer: String?
  /// A few words under the caret.
  public var label: Message?
  /// The other places concerned: the earlier definition, the other end of a connection.
  public var notes: [Note]
  /// Lines of help: what to do about it.
  public var help: [String]
  /// Fixes for the mistake. Any one of them is enough.
  public var fixes: [Fix]
  /// For a sum (`Findings`), how many findings of one kind were left out; 0 for a finding.
  public var leftOut = 0
  /// How many findings it stands for: 1, or for a sum the number that was left out.
  public var count: Int { max(1, leftOut) }

  /// The code of the rule, such as `PR0107`.
  public var code: Rule.Code { rule.code }

  fileprivate init(
    _ rule: Rule, _ message: Message, at range: SourceRange, pointer: String?, label: Message?,
    notes: [Note], help: [String], fixes: [Fix]
  ) {
    self.rule = rule
    severity = rule.severity
    status = rule.status
    self.message = message
    self.range = range
    self.pointer = pointer
    self.label = label
    self.notes = notes
    self.help = help
    self.fixes = fixes
  }
}

extension Rule {
  /// A diagnostic that carries this rule's code, severity and usual status.
  public func diagnostic(
    _ message: Diagnostic.Message, at range: SourceRange, pointer: String? = nil,
    label: Diagnostic.Message? = nil, notes: [Diagnostic.Note] = [], help: [String] = [],
    fixes: [Diagnostic.Fix] = []
  ) -> Diagnostic {
    Diagnostic(
      self, message, at: range, pointer: pointer, label: label, notes: notes, help: help,
      fixes: fixes)
  }

  /// A diagnostic with another status, which Core Audio gives in this case; `.ok` for none.
  public func diagnostic(
    _ message: Diagnostic.Message, status: Status, at range: SourceRange, pointer: String? = nil,
    label: Diagnostic.Message? = nil, notes: [Diagnostic.Note] = [], help: [String] = [],
    fixes: [Diagnostic.Fix] = []
  ) -> Diagnostic {
    var diagnostic = diagnostic(
      message, at: range, pointer: pointer, label: label, notes: notes, help: help, fixes: fixes)
    diagnostic.status = status == .ok || status.name == nil ? nil : status
    return diagnostic
  }
}

extension Diagnostic {
  /// The wording of a diagnostic. Each rule adds its own as `fileprivate static` members at the
  /// foot of its file, next to the check that uses them.
  public struct Message: Hashable, Sendable, ExpressibleByStringInterpolation,
    CustomStringConvertible
  {
    public var text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.text = text }

    public var description: String { text }
  }

  /// A second place, and how it concerns the first.
  public struct Note: Hashable, Sendable {
    public var message: Message
    public var range: SourceRange

    public init(_ message: Message, at range: SourceRange) {
      self.message = message
      self.range = range
    }
  }

  /// Edits that put a mistake right, to be made together or not at all.
  public struct Fix: Hashable, Sendable {
    /// What the edits do, as an instruction: "remove the comma".
    public var title: String
    /// In any order. No two of them overlap.
    public var edits: [Edit]
    /// Whether it may be made without asking: it loses nothing that was written for people.
    public var isSafe: Bool

    public init(_ title: String, edits: [Edit], isSafe: Bool = true) {
      self.title = title
      self.edits = edits
      self.isSafe = isSafe
    }
  }

  /// A range of the text and its replacement. An empty range inserts, an empty replacement removes.
  public struct Edit: Hashable, Sendable {
    public var range: SourceRange
    public var replacement: String

    public init(_ range: SourceRange, _ replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }
}

extension Diagnostic {
  /// The most other places that a diagnostic names. Further places are counted.
  static let maximumNoteCount = 50

  /// Notes that the same mistake is at another place too. The first 50 other places are notes.
  /// Further ones are counted in a line of `help`, and the fixes are removed, because they would
  /// leave the rest wrong.
  ///
  /// - Parameter fixes: The fixes for the other place. Where both places have one fix, the two
  ///   become one.
  public mutating func add(_ message: Message, at place: SourceRange, _ fixes: [Fix] = []) {
    guard place != range else { return }
    guard notes.count < Self.maximumNoteCount else {
      let counted = help.last.flatMap(Self.placesLeftOutCount) ?? 0
      if counted > 0 { help.removeLast() }
      help.append(Self.placesLeftOut(counted + 1))
      self.fixes = []
      return
    }
    notes.append(Note(message, at: place))
    guard !self.fixes.isEmpty else { return }
    if self.fixes.count == 1, fixes.count == 1 {
      self.fixes[0].edits += fixes[0].edits
    } else {
      // A part of the fix would leave the rest wrong.
      self.fixes = []
    }
  }
}

extension Diagnostic {
  private static let placesLeftOutWords = (before: "the same mistake is at ", after: " more places")

  private static func placesLeftOut(_ count: Int) -> String {
    placesLeftOutWords.before + decimal(count) + placesLeftOutWords.after
  }

  /// The number in a line of `placesLeftOut`; `nil` for any other line.
  private static func placesLeftOutCount(in line: String) -> Int? {
    guard line.hasPrefix(placesLeftOutWords.before), line.hasSuffix(placesLeftOutWords.after) else {
      return nil
    }
    return Int(
      line.dropFirst(placesLeftOutWords.before.count).dropLast(placesLeftOutWords.after.count)
        .filter { $0 != "," })
  }

  /// A whole number of 0 or more with commas between groups of three digits: `39,950`.
  public static func decimal(_ number: Int) -> String {
    let digits = Array(String(number))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }
}

extension Sequence<Diagnostic> {
  /// The number of findings, including those that sums stand for.
  public var findingCount: Int { reduce(0) { $0 + $1.count } }

  /// Whether one of them is an error.
  public var hasErrors: Bool { contains { $0.severity == .error } }

  /// The diagnostics by place; those at one place keep their order.
  public func inDocumentOrder() -> [Diagnostic] {
    // `sorted` is stable in practice and not by contract, so the index decides.
    enumerated()
      .sorted {
        ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
      }
      .map(\.element)
  }
}
