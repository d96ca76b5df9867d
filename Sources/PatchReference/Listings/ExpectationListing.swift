import AudioTypes
import SoundExpectations

/// The kinds of expectation as a table.
public enum ExpectationListing {
  /// Each kind with its settings.
  public static func markdown() -> String {
    var table = MarkdownTable(["Kind", "Setting", "Value", "Default", "What it is"])
    for kind in ExpectationCatalog.kinds {
      table.add([
        "`\(kind.name)`", "", bound(kind), standard(kind), "\(kind.summary) \(kind.rule.code).",
      ])
      for setting in kind.settings {
        table.add(setting.cells + [setting.summary])
      }
      for list in kind.lists {
        table.add([
          "", "`\(list.key)`", list.form.words, list.isRequired ? "required" : "", list.summary,
        ])
      }
    }
    return table.text
  }

  private static func bound(_ kind: ExpectationKind) -> String {
    guard let info = kind.bound else { return kind.shorthand == .yes ? "`true`" : "" }
    let unit = info.unit.symbol.isEmpty ? "a number" : info.unit.symbol
    switch info.alias {
    case .atMost(let key)?, .atLeast(let key)?: return "\(unit), or `\(key)`"
    case nil: return unit
    }
  }

  private static func standard(_ kind: ExpectationKind) -> String {
    guard let standard = kind.bound?.standard, let unit = kind.bound?.unit else { return "" }
    if standard.high.isFinite { return "at most \(unit.text(standard.high))" }
    if standard.low.isFinite { return "at least \(unit.text(standard.low))" }
    return "no bound"
  }
}
