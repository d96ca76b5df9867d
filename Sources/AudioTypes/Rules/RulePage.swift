extension Rule {
  /// What explains a rule: what it demands, why, and a wrong and a right example.
  ///
  /// The texts are wrapped where they are shown.
  public struct Page: Hashable, Sendable {
    /// What the rule demands, more exactly than its summary.
    public let demand: String
    /// What Core Audio does, and what a user would hear or get.
    public let reason: String
    /// What there is to say about the status: that Core Audio documents none, for example.
    public let statusNote: String?
    /// Something that breaks the rule, and the same put right.
    public let example: Example

    /// - Parameter reason: One or more paragraphs.
    public init(
      _ demand: String, because reason: String, statusNote: String? = nil, example: Example
    ) {
      self.demand = demand
      self.reason = reason
      self.statusNote = statusNote
      self.example = example
    }

    /// Said of a status that is this project's choice.
    public static let undocumented =
      "Core Audio documents no status for this case; this one is patchrun's choice."
  }
}

extension Rule.Page {
  /// Something wrong, and the same put right.
  public enum Example: Hashable, Sendable {
    case patch(PatchExample)
    /// Two test files of `ExamplePatches.tested`, which is in `tone.json` beside them.
    case test(right: String, wrong: String)
    /// A code that only the Swift API raises.
    case swift(wrong: String, right: String)
    /// There is nothing that one could show, for this reason.
    case none(String)
  }

  /// Two patches.
  public struct PatchExample: Hashable, Sendable {
    /// The patch that keeps the rule.
    public var right: String
    /// As it is shown.
    public var wrong: String
    /// As it is written, where that cannot be shown.
    public var wrongBytes: [UInt8]
    /// What `--set` says, with the wrong one and with the right one.
    public var wrongOverrides: [String] = []
    /// What `--set` says with the right one.
    public var rightOverrides: [String] = []
    /// What `--hardware` says, with both.
    public var hardware: String?
  }
}

extension Rule.Page.Example {
  /// A right patch, and the parts of it that make a wrong one when others take their places.
  package static func patch(
    _ right: String, wrong: KeyValuePairs<String, String>, hardware: String? = nil
  ) -> Self {
    var text = right
    for (part, mistake) in wrong { text = text.replacing(part, with: mistake, maxReplacements: 1) }
    return .patch(
      .init(right: right, wrong: text, wrongBytes: Array(text.utf8), hardware: hardware))
  }

  /// A wrong patch whose bytes cannot be shown as they are.
  package static func patch(_ right: String, wrongBytes: [UInt8], shownAs wrong: String) -> Self {
    .patch(.init(right: right, wrong: wrong, wrongBytes: wrongBytes))
  }

  /// Two expectations of `ExamplePatches.tested`, each in a test file.
  ///
  /// - Parameters:
  ///   - settings: What both tests change in the patch: members of an object.
  ///   - rightSettings: What the right one changes.
  ///   - wrongSettings: What the wrong one changes.
  ///   - duration: In seconds.
  package static func expectation(
    right: String, wrong: String, settings: String = "", rightSettings: String = "",
    wrongSettings: String = "", duration: Int = 1
  ) -> Self {
    .test(
      right: ExamplePatches.expectation(
        right, settings: settings.isEmpty ? rightSettings : settings, duration: duration),
      wrong: ExamplePatches.expectation(
        wrong, settings: settings.isEmpty ? wrongSettings : settings, duration: duration))
  }

  /// One patch, with what `--set` says.
  package static func override(_ patch: String, wrong: String, right: String) -> Self {
    .patch(
      .init(
        right: patch, wrong: patch, wrongBytes: Array(patch.utf8), wrongOverrides: [wrong],
        rightOverrides: [right]))
  }
}
