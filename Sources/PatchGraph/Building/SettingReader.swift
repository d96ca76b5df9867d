import AudioTypes
import Diagnostics
import PatchSyntax

/// Turns JSON into the values of settings, and says what is wrong with it.
enum SettingReader {
  /// The value of a parameter; `nil` where the JSON is of another type.
  static func parameter(_ json: JSONValue, _ info: ParameterInfo) -> Float? {
    json.number(for: info.setting).flatMap { number in
      let value = Float(number)
      return value.isFinite ? value : nil
    }
  }

  /// The diagnostic of a value of another type than the setting takes. Where it is clear what is
  /// meant, it has help and a fix.
  static func wrongType(
    _ json: JSONValue, of name: String, _ info: SettingInfo, _ rule: Rule, status: Status
  ) -> Diagnostic {
    let remedies = json.remedies(for: info)
    return rule.diagnostic(
      "\(quoted(name)) takes \(info.writtenExpectation)", status: status, at: json.markRange,
      pointer: json.pointer.description, help: remedies.help, fixes: remedies.fixes)
  }
}
