import AudioTypes
import RenderCallbacks
import RenderCore
import RenderTaps

/// The README's tables of callbacks and taps, out of their descriptions.
public enum CallbackListing {
  /// The kinds of callback with their settings.
  public static func markdown() -> String {
    markdown(CallbackCatalog.standard.map(SettingKind.init))
  }

  /// What an expression may say: its values, functions and operators.
  public static func expressionsMarkdown() -> String {
    var table = MarkdownTable(["Written", "What it is"])
    for entry in ExpressionLanguage.values + ExpressionLanguage.functions
      + ExpressionLanguage.operators
    {
      table.add(["`\(entry.signature)`", entry.summary])
    }
    return table.text
  }

  /// The kinds of tap with their settings; `at`, which every tap has, is not among them.
  public static func tapsMarkdown() -> String {
    markdown(TapCatalog.standard.map(SettingKind.init))
  }

  private static func markdown(_ kinds: [SettingKind]) -> String {
    var table = MarkdownTable(["Kind", "Setting", "Value", "Default", "What it is"])
    for kind in kinds {
      table.add(["`\(kind.kind)`", "", "", "", kind.summary])
      for setting in kind.settings {
        table.add([
          "", "`\(setting.key)`", setting.expectation,
          setting.defaultValue.map { "`\($0)`" } ?? (setting.isRequired ? "required" : ""),
          setting.summary,
        ])
      }
      if kind.input != .none {
        table.add([
          "", "`from`", "an output or a callback", kind.input == .required ? "required" : "",
          SettingSchema.fromSummary,
        ])
      }
    }
    return table.text
  }
}
