import AudioTypes
import PatchGraph
import RenderCallbacks
import RenderCore
import RenderTaps

/// The tables of callbacks and taps, printed from their descriptions.
public enum CallbackListing {
  /// The kinds of callback with their settings.
  public static func markdown() -> String {
    markdown(CallbackCatalog.standard.map(SettingKind.init), whilePlaying: true)
  }

  /// The language of expressions: its values, functions and operators.
  public static func expressionsMarkdown() -> String {
    var table = MarkdownTable(["Written", "What it is"])
    for entry in ExpressionLanguage.values + ExpressionLanguage.functions
      + ExpressionLanguage.operators
    {
      table.add(["`\(entry.signature)`", entry.summary])
    }
    return table.text
  }

  /// The kinds of tap with their settings, without `at`, which every tap has.
  public static func tapsMarkdown() -> String {
    markdown(TapCatalog.ofPatches.kinds.map(SettingKind.init))
  }

  /// - Parameter whilePlaying: Whether to add a column with what may change while the patch plays.
  private static func markdown(_ kinds: [SettingKind], whilePlaying: Bool = false) -> String {
    func row(_ first: [String], _ change: String, _ summary: String) -> [String] {
      first + (whilePlaying ? [change] : []) + [summary]
    }
    var table = MarkdownTable(
      row(["Kind", "Setting", "Value", "Default"], "While it plays", "What it is"))
    for kind in kinds {
      table.add(row(["`\(kind.kind)`", "", "", ""], "", kind.summary))
      for setting in kind.settings {
        table.add(row(setting.cells, setting.turns.joined(separator: ", "), setting.summary))
      }
      if kind.input != .none {
        table.add(
          row(
            [
              "", "`from`", "an output or a callback", kind.input == .required ? "required" : "",
            ], "", SettingSchema.fromSummary))
      }
    }
    return table.text
  }
}
