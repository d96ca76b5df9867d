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
    let plain = plainForm(of: json, info)
    let names = info.kind.names
    let guess = json.string.flatMap { didYouMean($0, among: names) }
    return rule.diagnostic(
      "\(quoted(name)) takes \(info.writtenExpectation)", status: status, at: json.markRange,
      pointer: json.pointer.description, help: [plain?.help, guess].compactMap(\.self),
      fixes: [plain?.fix].compactMap(\.self)
        + (guess == nil ? [] : json.correction(of: json.string ?? "", among: names)))
  }

  /// Help and a fix for a number or a boolean in quotes, and for a negative number in place of a
  /// factor, which most likely means decibels; `nil` for any other value.
  static func plainForm(
    of json: JSONValue, _ info: SettingInfo
  ) -> (help: String, fix: Diagnostic.Fix)? {
    switch info.kind {
    case .boolean:
      json.plainForm(for: .bool, of: .number)
        ?? (info.unit == .boolean ? json.plainForm(for: .number, of: .number) : nil)
    case .number, .integer:
      if let number = json.number {
        info.unit == .linearGain ? decibelForm(of: number, at: json) : nil
      } else {
        json.plainForm(for: .number, of: Quantity.Measure(info.unit))
      }
    default: nil
    }
  }

  /// `nil` for a number that is not from -120 to 0.
  private static func decibelForm(
    of decibels: Double, at json: JSONValue
  ) -> (help: String, fix: Diagnostic.Fix)? {
    guard decibels < 0, decibels >= -120 else { return nil }
    let written = "\"\(Quantity.text(decibels)) dB\""
    return (
      "this is a factor: decibels are written \(written)",
      Diagnostic.Fix(
        "write \(written)", edits: [.init(json.range, written)], isSafe: false)
    )
  }
}
