public import Diagnostics

/// The page about one code: what its rule demands, why, and a wrong and a right example.
///
/// The pages are in the files beside this one, a file for each family of codes. Their texts are
/// wrapped where they are shown; an empty line separates paragraphs.
public struct Explanation: Hashable, Sendable {
  public var code: Diagnostic.Code
  /// What the rule demands, more exactly than its summary.
  public var demand: String
  /// What Core Audio does, and what a user would hear or get.
  public var reason: String
  /// The statuses that its diagnostics carry, the usual one first.
  public var statuses: [Diagnostic.Status]
  /// What there is to say about the status: that Core Audio documents none, for example.
  public var statusNote: String?
  public var example: Example

  init(
    _ code: Diagnostic.Code, _ demand: String, because reason: String,
    status statuses: Diagnostic.Status..., note: String? = nil, example: Example
  ) {
    self.code = code
    self.demand = demand
    self.reason = reason
    self.statuses = statuses
    self.statusNote = note
    self.example = example
  }

  /// What the rule says about itself in the catalogue.
  public var rule: RuleInfo? { RuleCatalog.rule(code) }

  /// Said of a status that is this project's choice.
  static let undocumented =
    "Core Audio documents no status for this case; this one is patchrun's choice."

  /// Every page, by code.
  public static let all: [Explanation] = families.flatMap(\.self).sorted { $0.code < $1.code }

  private static let families: [[Explanation]] = [
    syntaxPages, patchPages, namePages, graphPages, formatPages, settingPages, sessionPages,
    callbackPages, takePages, timelinePages, changePages, headroomPages, limitPages, costPages,
    subgraphPages,
  ]

  /// The page about a code.
  public static func page(_ code: Diagnostic.Code) -> Explanation? {
    all.first { $0.code == code }
  }
}

extension Explanation {
  /// Something wrong, and the same put right.
  public enum Example: Hashable, Sendable {
    case patch(PatchExample)
    /// A code that only the Swift API raises.
    case swift(wrong: String, right: String)
    /// There is nothing that one could show, for this reason.
    case none(String)
  }

  /// Two patches.
  public struct PatchExample: Hashable, Sendable {
    public var right: String
    /// As it is shown.
    public var wrong: String
    /// As it is written, where that cannot be shown.
    public var wrongBytes: [UInt8]
    /// What `--set` says, with the wrong one and with the right one.
    public var wrongOverrides: [String] = []
    public var rightOverrides: [String] = []
    /// What `--hardware` says, with both.
    public var hardware: String?
  }
}

extension Explanation.Example {
  /// A right patch, and the parts of it that make a wrong one when others take their places.
  static func patch(
    _ right: String, wrong: KeyValuePairs<String, String>, hardware: String? = nil
  ) -> Self {
    var text = right
    for (part, mistake) in wrong { text = text.replacing(part, with: mistake, maxReplacements: 1) }
    return .patch(
      .init(right: right, wrong: text, wrongBytes: Array(text.utf8), hardware: hardware))
  }

  /// A wrong patch whose bytes cannot be shown as they are.
  static func patch(_ right: String, wrongBytes: [UInt8], shownAs wrong: String) -> Self {
    .patch(.init(right: right, wrong: wrong, wrongBytes: wrongBytes))
  }

  /// One patch, with what `--set` says.
  static func override(_ patch: String, wrong: String, right: String) -> Self {
    .patch(
      .init(
        right: patch, wrong: patch, wrongBytes: Array(patch.utf8), wrongOverrides: [wrong],
        rightOverrides: [right]))
  }
}
