public import AudioTypes
public import Diagnostics

/// Selects findings by codes or prefixes of codes (`PR04`).
public struct CodeSelection: Sendable {
  private let selected: [String]
  private let ignored: [String]

  /// A prefix that no code has.
  public struct UnknownCode: Error, Equatable {
    public var message: String
    public var help: [String]
  }

  /// - Parameters:
  ///   - selected: The prefixes to report; all if empty. An element may contain several, separated
  ///     by commas.
  ///   - ignored: The prefixes not to report. If both lists match, the longer prefix decides; if
  ///     they are equal, the finding is ignored.
  ///   - rules: All rules.
  /// - Throws: For a prefix that no code has.
  public init(
    selected: [String], ignored: [String], rules: [Rule]
  ) throws(UnknownCode) {
    let codes = rules.map(\.code.rawValue)
    self.selected = try Self.prefixes(selected, codes)
    self.ignored = try Self.prefixes(ignored, codes)
  }

  private static func prefixes(
    _ texts: [String], _ codes: [String]
  ) throws(UnknownCode) -> [String] {
    var prefixes: [String] = []
    for text in texts {
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let name = part.drop { $0 == " " }.prefix { $0 != " " }
        let prefix = name.uppercased()
        guard !prefix.isEmpty, codes.contains(where: { $0.hasPrefix(prefix) }) else {
          throw UnknownCode(
            message: "no code is, or begins with, \(quoted(String(part)))",
            help: [
              didYouMean(prefix, among: codes),
              "a code is written as in a diagnostic, PR0551, or shortened, PR05 and PR",
            ].compactMap(\.self))
        }
        prefixes.append(prefix)
      }
    }
    return prefixes
  }

  /// Whether a finding is reported. Errors in the JSON syntax are always reported unless ignored,
  /// because they prevent every other check.
  public func keeps(_ diagnostic: Diagnostic) -> Bool {
    let code = diagnostic.code.rawValue
    let ignoring = Self.longest(ignored, code)
    if selected.isEmpty || (code.hasPrefix("PR00") && diagnostic.severity == .error) {
      return ignoring == 0
    }
    return Self.longest(selected, code) > ignoring
  }

  /// The length of the longest prefix of a code; 0 without one.
  private static func longest(_ prefixes: [String], _ code: String) -> Int {
    prefixes.filter { code.hasPrefix($0) }.map(\.utf8.count).max() ?? 0
  }
}
