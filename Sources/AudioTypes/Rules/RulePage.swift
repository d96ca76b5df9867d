extension Rule {
  /// The explanation of a rule: what it demands, why, and a wrong and a right example.
  ///
  /// The texts are wrapped for display.
  public struct Page: Hashable, Sendable {
    /// The demand of the rule, in more detail than its summary.
    public let demand: String
    /// What Core Audio does, and what a user would hear or get; one or more paragraphs.
    public let reason: String
    /// A remark about the status, for example that Core Audio documents none; `nil` for none.
    public let statusNote: String?
    /// An example that breaks the rule, and the same corrected.
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

    /// The remark about a status that is patchrun's choice.
    public static let undocumented =
      "Core Audio documents no status for this case; this one is patchrun's choice."
  }
}

extension Rule.Page {
  /// A wrong example, and the same corrected.
  public enum Example: Hashable, Sendable {
    case patch(PatchExample)
    /// Two test files for `ExamplePatches.tested`, which is in `tone.json` beside them.
    case test(right: String, wrong: String)
    /// Swift code, for a rule that only the Swift API raises.
    case swift(wrong: String, right: String)
    /// There is no example, for this reason.
    case none(String)
  }

  /// A wrong and a right patch.
  public struct PatchExample: Hashable, Sendable {
    /// The patch that keeps the rule.
    public var right: String
    /// The wrong patch, as text for display.
    public var wrong: String
    /// The bytes of the wrong patch, which may not be valid text.
    public var wrongBytes: [UInt8]
    /// The `--set` arguments for the wrong patch.
    public var wrongOverrides: [String] = []
    /// The `--set` arguments for the right patch.
    public var rightOverrides: [String] = []
    /// The `--hardware` argument for both; `nil` for none.
    public var hardware: String?
  }
}

extension Rule.Page.Example {
  /// A right patch, and a wrong one made by replacing parts of it.
  package static func patch(
    _ right: String, wrong: KeyValuePairs<String, String>, hardware: String? = nil
  ) -> Self {
    var text = right
    for (part, mistake) in wrong { text = text.replacing(part, with: mistake, maxReplacements: 1) }
    return .patch(
      .init(right: right, wrong: text, wrongBytes: Array(text.utf8), hardware: hardware))
  }

  /// A wrong patch whose bytes cannot be displayed.
  package static func patch(_ right: String, wrongBytes: [UInt8], shownAs wrong: String) -> Self {
    .patch(.init(right: right, wrong: wrong, wrongBytes: wrongBytes))
  }

  /// Two test files with one expectation each for `ExamplePatches.tested`.
  ///
  /// - Parameters:
  ///   - settings: The members of the `settings` object of both tests; empty for none.
  ///   - rightSettings: Those of the right test, where `settings` is empty.
  ///   - wrongSettings: Those of the wrong test, where `settings` is empty.
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

  /// One patch with a wrong and a right `--set` argument.
  package static func override(_ patch: String, wrong: String, right: String) -> Self {
    .patch(
      .init(
        right: patch, wrong: patch, wrongBytes: Array(patch.utf8), wrongOverrides: [wrong],
        rightOverrides: [right]))
  }
}
