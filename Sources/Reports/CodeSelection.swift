public import AudioTypes
public import Diagnostics

/// Which findings are reported: by their codes, or by what codes begin with (`PR04`).
public struct CodeSelection: Sendable {
  private let selected: [String]
  private let ignored: [String]

  /// A text that no code begins with.
  public struct UnknownCode: Error, Equatable {
    public var message: String
    public var help: [String]
  }

  /// - Parameters:
  ///   - selected: What to report; everything where there is none. Commas separate several.
  ///   - ignored: What not to report. Of a code selected and ignored, the longer text decides, and
  ///     of equal ones the latter.
  ///   - rules: Those that there are.
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

  /// Whether a finding is reported. Mistakes in the JSON itself are, unless they are ignored by
  /// name: nothing that was selected could be looked for.
  public func keeps(_ diagnostic: Diagnostic) -> Bool {
    let code = diagnostic.code.rawValue
    let ignoring = Self.longest(ignored, code)
    if selected.isEmpty || (code.hasPrefix("PR00") && diagnostic.severity == .error) {
      return ignoring == 0
    }
    return Self.longest(selected, code) > ignoring
  }

  /// The length of the longest prefix that a code has; 0 without one.
  private static func longest(_ prefixes: [String], _ code: String) -> Int {
    prefixes.filter { code.hasPrefix($0) }.map(\.utf8.count).max() ?? 0
  }
}
