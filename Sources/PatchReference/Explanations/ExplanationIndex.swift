public import AudioTypes
import Diagnostics
import PatchGraph
import SoundExpectations

/// Finds the page of a code, a name, a status or a constant.
public enum ExplanationIndex {
  public enum Topic: Hashable, Sendable {
    case rule(Rule)
    /// All constants with the number, which two may share.
    case status([StatusExplanation])
  }

  /// The page for a code (`PR0405`, `pr405`, `405`), the name of a rule (`format/mixer-rates`) or
  /// of a kind of expectation (`truePeak`), a status (`-10868`, `!cat`, `560161140`) or a constant
  /// (`kAudioUnitErr_FormatNotSupported`), in upper or lower case; `nil` where there is none.
  public static func topic(_ text: String) -> Topic? {
    let asked = text.lowercased()
    if let rule = RuleCatalog.all.first(where: { rule in
      rule.code.rawValue.lowercased() == asked || rule.name == asked
    }) {
      return .rule(rule)
    }
    if let kind = ExpectationCatalog.kinds.first(where: { $0.name.lowercased() == asked }) {
      return .rule(kind.rule)
    }
    if let number = codeNumber(asked),
      let rule = RuleCatalog.all.first(where: { Int($0.code.rawValue.dropFirst(2)) == number })
    {
      return .rule(rule)
    }
    let bare = asked.filter { $0 != "'" }
    let found = StatusExplanation.all.filter { page in
      page.name.lowercased() == asked
        || page.numbers.contains { $0.lowercased().filter { $0 != "'" } == bare }
        || hexadecimal(bare) == UInt32(bitPattern: page.status.rawValue)
    }
    return found.isEmpty ? nil : .status(found)
  }

  /// The digits of a code in a short form.
  private static func codeNumber(_ text: String) -> Int? {
    let digits = text.hasPrefix("pr") ? text.dropFirst(2) : text[...]
    guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isASCIIDigit),
      text.hasPrefix("pr") || digits.utf8.count >= 3
    else { return nil }
    return Int(digits)
  }

  private static func hexadecimal(_ text: String) -> UInt32? {
    text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : nil
  }

  /// Lines of help for a text that has no page.
  public static func help(for text: String) -> [String] {
    let names =
      RuleCatalog.all.map(\.code.rawValue) + RuleCatalog.all.map(\.name)
      + StatusExplanation.all.map(\.name)
    let end = "`patchrun explain` lists the codes, and `patchrun explain -10868` explains a status"
    // For a number there are no suggestions: a similar one means something else.
    let isNumber = text.contains(where: \.isASCIIDigit) && !text.contains("/")
    let guess =
      isNumber && !text.lowercased().hasPrefix("pr") ? nil : didYouMean(text, among: names)
    return [guess, end].compactMap(\.self)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
