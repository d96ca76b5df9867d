package import AudioTypes
package import Diagnostics

extension JSONValue {
  /// Help and fixes for a value that a setting does not take, where it is clear what is meant.
  package func remedies(for info: SettingInfo) -> (help: [String], fixes: [Diagnostic.Fix]) {
    let plain = plainForm(for: info)
    let names = info.kind.names
    let guess = string.flatMap { didYouMean($0, among: names) }
    return (
      [plain?.help, guess].compactMap(\.self),
      [plain?.fix].compactMap(\.self)
        + (guess == nil ? [] : correction(of: string ?? "", among: names))
    )
  }

  /// Help and a fix for a number or a boolean in quotes, and for a number that is most likely meant
  /// in another unit: a negative one in place of a factor in decibels, one out of range in
  /// milliseconds or kilohertz. `nil` for any other value.
  package func plainForm(for info: SettingInfo) -> (help: String, fix: Diagnostic.Fix)? {
    switch info.kind {
    case .boolean:
      return plainForm(for: .bool, of: .number)
        ?? (info.unit == .boolean ? plainForm(for: .number, of: .number) : nil)
    case .number, .integer:
      guard let number else { return plainForm(for: .number, of: Quantity.Measure(info.unit)) }
      switch info.unit {
      case .linearGain:
        return number < 0 && number >= -120
          ? meant("\"\(Quantity.text(number)) dB\"", "this is a factor: decibels are written ")
          : nil
      case .seconds: return rescaled(number, "ms", 0.001, "this is in seconds", info)
      case .hertz: return rescaled(number, "kHz", 1000, "this is in hertz", info)
      default: return nil
      }
    default: return nil
    }
  }

  /// The form of a number that a setting takes only once it has been converted from a unit.
  private func rescaled(
    _ number: Double, _ unit: String, _ factor: Double, _ why: String, _ info: SettingInfo
  ) -> (help: String, fix: Diagnostic.Fix)? {
    guard !info.accepts(.number(number)), info.accepts(.number(number * factor)) else {
      return nil
    }
    return meant(
      Quantity.text(number * factor), "\(why): \(Quantity.text(number)) \(unit) is ")
  }

  private func meant(_ written: String, _ why: String) -> (help: String, fix: Diagnostic.Fix) {
    (
      why + written,
      Diagnostic.Fix(
        "write \(written)", edits: [Diagnostic.Edit(range, written)], isSafe: false)
    )
  }
}
