import AudioTypes
import PatchGraph
import PatchSyntax

/// Pages as text for a terminal, as Markdown and as JSON.
public struct ExplanationText: Sendable {
  /// The columns that paragraphs are wrapped to, 40 to 100.
  public var width: Int
  public var color: Bool

  public init(width: Int = 80, color: Bool = false) {
    self.width = min(max(width, 40), 100)
    self.color = color
  }

  /// All codes, one line each.
  public func list() -> String {
    let rules = RuleCatalog.all
    let column = rules.map(\.name.count).max() ?? 0
    return rules.map { rule in
      let padding = String(repeating: " ", count: column - rule.name.count)
      return "\(bold(rule.code.rawValue))  \(rule.name)\(padding)  \(rule.summary)\n"
    }.joined()
  }

  /// The page of a topic.
  public func page(_ topic: ExplanationIndex.Topic) -> String {
    switch topic {
    case .rule(let rule): text(of: rule)
    case .status(let pages): pages.map(text(of:)).joined(separator: "\n")
    }
  }

  private func text(of rule: Rule) -> String {
    let page = rule.page
    var text = "\(bold(rule.code.rawValue)) \(rule.name)"
    text += " (\(rule.severity.noun))\n"
    for (index, status) in rule.statuses.enumerated() {
      text += (index == 0 ? "status: " : "    or: ") + "\(status)\n"
    }
    if let note = page.statusNote, !rule.statuses.isEmpty {
      text += wrapped(note, indentation: 8)
    }
    text += "\n" + wrapped(page.demand) + "\n" + wrapped(page.reason)
    for (title, code, _) in page.parts {
      text += "\n\(bold(title))\n\n"
      for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
        text += line.isEmpty ? "\n" : "    \(line)\n"
      }
    }
    if case .none(let reason) = page.example { text += "\n" + wrapped(reason) }
    return text
  }

  private func text(of page: StatusExplanation) -> String {
    var text = "\(bold(page.name)) (\(page.numbers.joined(separator: ", ")))\n"
    text += "in \(page.header)\n\n" + wrapped(page.meaning)
    let codes = page.codes
    if codes.isEmpty { return text + "\nNo code of patchrun carries it.\n" }
    text += "\n\(bold("Codes that carry it"))\n\n"
    let column = codes.map(\.name.count).max() ?? 0
    for rule in codes {
      let padding = String(repeating: " ", count: column - rule.name.count)
      text += "    \(rule.code)  \(rule.name)\(padding)  \(rule.summary)\n"
    }
    return text
  }

  private func bold(_ text: String) -> String { color ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  private func wrapped(_ text: String, indentation: Int = 0) -> String {
    let margin = String(repeating: " ", count: indentation)
    var lines: [String] = []
    var line = margin
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if line.count > indentation && line.count + 1 + word.count > width {
        lines.append(line)
        line = margin
      }
      line += (line.count > indentation ? " " : "") + word
    }
    return (lines + [line]).joined(separator: "\n") + "\n"
  }
}

extension Rule.Page {
  /// The title, the text and the language of each example.
  fileprivate var parts: [(title: String, code: String, language: String)] {
    switch example {
    case .patch(let patch):
      return [
        ("Wrong\(Self.options(patch.wrongOverrides, patch.hardware))", patch.wrong, "json"),
        ("Right\(Self.options(patch.rightOverrides, patch.hardware))", patch.right, "json"),
      ]
    case .test(let right, let wrong):
      return [
        ("The patch, tone.json", ExamplePatches.tested, "json"), ("Wrong", wrong, "json"),
        ("Right", right, "json"),
      ]
    case .swift(let wrong, let right):
      return [("Wrong, in Swift", wrong, "swift"), ("Right, in Swift", right, "swift")]
    case .none: return []
    }
  }

  private static func options(_ overrides: [String], _ hardware: String?) -> String {
    let options = overrides.map { "--set \($0)" } + (hardware.map { ["--hardware \($0)"] } ?? [])
    return options.isEmpty ? "" : ", with \(options.joined(separator: " "))"
  }
}

extension Severity {
  /// "an error".
  fileprivate var noun: String {
    switch self {
    case .error: "an error"
    case .warning: "a warning"
    case .note: "a note"
    }
  }
}

// MARK: Markdown

extension ExplanationText {
  /// All pages as one document, the statuses after the codes.
  public static func markdown() -> String {
    var text = "# What patchrun's codes mean\n"
    for rule in RuleCatalog.all { text += "\n" + markdown(of: rule) }
    text += "\n# What a status means\n\n| Status | Number | Meaning | Codes |\n"
    text += "| --- | --- | --- | --- |\n"
    for page in StatusExplanation.all {
      text += "| `\(page.name)` | \(page.numbers.joined(separator: ", ")) | "
      text += "\(joined(page.meaning)) | "
      text += page.codes.map(\.code.rawValue).joined(separator: ", ") + " |\n"
    }
    return text
  }

  /// The page of a topic, as Markdown.
  public static func markdown(_ topic: ExplanationIndex.Topic) -> String {
    switch topic {
    case .rule(let rule): return markdown(of: rule)
    case .status(let pages):
      return pages.map { page in
        var text = "## `\(page.name)` (\(page.numbers.joined(separator: ", ")))\n\n"
        text += "In \(page.header). \(joined(page.meaning))\n"
        let codes = page.codes
        if !codes.isEmpty { text += "\n" }
        for rule in codes { text += "- \(rule.code) `\(rule.name)`: \(rule.summary)\n" }
        return text
      }.joined(separator: "\n")
    }
  }

  private static func markdown(of rule: Rule) -> String {
    let page = rule.page
    let severity = rule.severity.noun
    var text = "## \(rule.code) `\(rule.name)`\n\n"
    text += "\(severity.prefix(1).uppercased())\(severity.dropFirst())."
    if !rule.statuses.isEmpty {
      text += " Status: " + rule.statuses.map { "`\($0)`" }.joined(separator: ", ") + "."
      if let note = page.statusNote { text += " " + joined(note) }
    }
    text += "\n\n\(joined(page.demand))\n\n\(joined(page.reason))\n"
    for (title, code, language) in page.parts {
      text += "\n\(title):\n\n```\(language)\n\(code)\n```\n"
    }
    if case .none(let reason) = page.example { text += "\n\(reason)\n" }
    return text
  }

  private static func joined(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: " ")
  }
}

// MARK: JSON

extension ExplanationText {
  /// All codes and all statuses.
  public static func json() -> String {
    let value: JSONText = .object([
      .init("codes", .array(RuleCatalog.all.map(json(of:)))),
      .init("statuses", .array(StatusExplanation.all.map(json(of:)))),
    ])
    return value.document
  }

  /// The page of a topic: an object for a code, an array for a status.
  public static func json(_ topic: ExplanationIndex.Topic) -> String {
    switch topic {
    case .rule(let rule): json(of: rule).document
    case .status(let pages): JSONText.array(pages.map(json(of:))).document
    }
  }

  private static func json(of rule: Rule) -> JSONText {
    let page = rule.page
    var members: [JSONText.Member] = [
      .init("code", .string(rule.code.rawValue)), .init("name", .string(rule.name)),
      .init("severity", .string(rule.severity.rawValue)), .init("summary", .string(rule.summary)),
      .init("statuses", .array(rule.statuses.map { json(of: $0.name ?? "", $0) })),
    ]
    if let note = page.statusNote { members.append(.init("statusNote", .string(joined(note)))) }
    members += [
      .init("demand", .string(joined(page.demand))), .init("reason", .string(joined(page.reason))),
    ]
    switch page.example {
    case .patch(let patch):
      members += [
        .init("language", "json"), .init("wrong", .string(patch.wrong)),
        .init("right", .string(patch.right)),
      ]
      if !patch.wrongOverrides.isEmpty {
        members += [
          .init("wrongSet", .strings(patch.wrongOverrides)),
          .init("rightSet", .strings(patch.rightOverrides)),
        ]
      }
      if patch.wrongBytes != Array(patch.wrong.utf8) {
        // The example is not text, so "wrong" describes it.
        members.append(.init("wrongIsDescribed", true))
      }
      if let hardware = patch.hardware { members.append(.init("hardware", .string(hardware))) }
    case .test(let right, let wrong):
      members += [
        .init("language", "json"), .init("patch", .string(ExamplePatches.tested)),
        .init("wrong", .string(wrong)), .init("right", .string(right)),
      ]
    case .swift(let wrong, let right):
      members += [
        .init("language", "swift"), .init("wrong", .string(wrong)), .init("right", .string(right)),
      ]
    case .none: break
    }
    return .object(members)
  }

  private static func json(of name: String, _ status: Status) -> JSONText {
    .object([.init("name", .string(name)), .init("number", .number(status.rawValue))])
  }

  private static func json(of page: StatusExplanation) -> JSONText {
    .object([
      .init("name", .string(page.name)), .init("number", .number(page.status.rawValue)),
      .init("header", .string(page.header)), .init("meaning", .string(joined(page.meaning))),
      .init("codes", .strings(page.codes.map(\.code.rawValue))),
    ])
  }
}
