import AudioTypes
import PatchSyntax

extension Expectation {
  /// The number that a setting has, or else its default; `nil` without both.
  public func number(_ key: String) -> Double? {
    if case .number(let number)? = settings[key] { return number }
    if case .number(let number)? = kind.settings.first(where: { $0.key == key })?.defaultValue {
      return number
    }
    return nil
  }

  /// The text that a setting has; `nil` where it is not written. Defaults are not used.
  public func text(_ key: String) -> String? {
    if case .text(let text)? = settings[key] { return text }
    return nil
  }

  /// The kind and the part of the sound, in a line: `truePeak at eq:0, 0 s to 0.5 s`.
  public var title: String {
    var text = kind.name
    if let at { text += " at \(at.value.node)" + (at.value.bus.map { ":\($0)" } ?? "") }
    if let channel { text += ", channel \(channel.value)" }
    if let during {
      text +=
        ", \(BoundUnit.fixed(during.value.lowerBound, 3)) to \(BoundUnit.fixed(during.value.upperBound, 3)) s"
    }
    return text
  }
}
