import PatchSyntax
import RenderCore

/// Steps and typed values of a control.
extension TopControl {
  /// The value one step higher or lower; `nil` if there is none.
  ///
  /// The step depends on the kind (a large step in parentheses): 0.5 dB for a gain (3 dB), which
  /// jumps from -60 dB to 0; a semitone for a frequency (an octave); 1 degree for an angle (15),
  /// around the circle; 0.05 for a pan (0.25); a twentieth of its magnitude for a distance; about a
  /// hundredth of the range for other numbers (a tenth).
  func stepped(_ direction: Int, isLarge: Bool) -> JSONText? {
    switch kind {
    case .onOff: return flag(direction > 0)
    case .list:
      guard let index = choice else { return choices.first?.value }
      let next = max(0, min(choices.count - 1, index + direction * (isLarge ? 5 : 1)))
      return choices[next].value
    default: break
    }
    guard let number = number ?? Self.number(defaultValue) ?? minimum else { return nil }
    var next = number
    switch kind {
    case .gain: next = steppedGain(number, direction, isLarge)
    case .frequency:
      let factor = renderPower(2, Double(direction) * (isLarge ? 1 : 1.0 / 12))
      next = Self.rounded(max(number, max(1, minimum ?? 1)) * factor, digits: 4)
    case .distance: next = relative(number, direction, isLarge)
    case .angle:
      next = Self.stepped(number, direction, isLarge ? 15 : 1)
      if let minimum, let maximum, maximum - minimum == 360 {
        if next > maximum { next -= 360 }
        if next < minimum { next += 360 }
      }
    case .decibels: next = Self.stepped(number, direction, isLarge ? 3 : 0.5)
    case .pan: next = Self.stepped(number, direction, isLarge ? 0.25 : 0.05)
    default:
      if let minimum, let maximum, maximum > minimum, maximum - minimum < 1e6 {
        let step = Self.niceStep((maximum - minimum) / 100)
        next = Self.stepped(number, direction, isLarge ? step * 10 : step)
      } else {
        next = relative(number, direction, isLarge)
      }
    }
    return .number(Float(clamped(next)))
  }

  /// The end of the range; `nil` if unknown.
  func extreme(_ isHigh: Bool) -> JSONText? {
    switch kind {
    case .onOff: flag(isHigh)
    case .list: isHigh ? choices.last?.value : choices.first?.value
    default: (isHigh ? maximum : minimum).map { .number(Float($0)) }
    }
  }

  /// Parses a typed text: a number, with `k` for thousands and `%` for hundredths; for a gain also
  /// decibels, `-6dB`; `on` and `off`; a choice by its name or the beginning of it. The range is
  /// not checked: the running patch does that.
  func parsed(_ text: String) -> JSONText? {
    let plain = text.trimmingBlanks.replacing("\u{2212}", with: "-").lowercased()
    if kind == .onOff {
      if ["1", "on", "true", "yes"].contains(plain) { return flag(true) }
      if ["0", "off", "false", "no"].contains(plain) { return flag(false) }
      return nil
    }
    if !choices.isEmpty, !plain.isEmpty {
      let titles = choices.map { $0.title.lowercased() }
      if let index = titles.firstIndex(of: plain)
        ?? titles.firstIndex(where: { $0.hasPrefix(plain) })
      {
        return choices[index].value
      }
    }
    var digits = plain
    var scale: (Double) -> Double = { $0 }
    if kind == .gain, digits.hasSuffix("db") {
      digits.removeLast(2)
      scale = { Self.rounded(TopScale.gain($0), digits: 5) }
    } else if !unit.isEmpty, digits.hasSuffix(unit.lowercased()) {
      digits.removeLast(unit.count)
    }
    digits = digits.trimmingBlanks
    if digits.hasSuffix("k") {
      digits.removeLast()
      let inner = scale
      scale = { inner($0 * 1000) }
    } else if digits.hasSuffix("%"), unit != "%" {
      digits.removeLast()
      let inner = scale
      scale = { inner($0 / 100) }
    }
    guard let number = Double(digits.trimmingBlanks), number.isFinite else { return nil }
    let value = scale(number)
    return value.isFinite ? .number(Float(value)) : nil
  }

  /// The position of a value within the range, 0 to 1; `nil` if it has none. A gain follows the
  /// meter scale, a frequency is logarithmic.
  func share(of value: JSONText) -> Double? {
    if kind == .onOff { return Self.number(value) }
    if kind == .list {
      guard value == self.value, let choice, choices.count > 1 else { return nil }
      return Double(choice) / Double(choices.count - 1)
    }
    guard let number = Self.number(value), let minimum, let maximum, maximum > minimum else {
      return nil
    }
    switch kind {
    case .gain where minimum >= 0 && maximum > 0:
      return number > 0 ? TopScale.deflection(TopScale.decibels(number / maximum)) : 0
    case .frequency where minimum > 0:
      return renderLog10(max(minimum, number) / minimum) / renderLog10(maximum / minimum)
    case .distance where minimum >= 0 && maximum > 100:
      return renderLog10(1 + max(0, number) * 100) / renderLog10(1 + maximum * 100)
    default: return (number - minimum) / (maximum - minimum)
    }
  }

  // MARK: Steps

  private func flag(_ isOn: Bool) -> JSONText {
    if case .number = value { return .number(isOn ? 1 : 0) }
    return .boolean(isOn)
  }

  private func clamped(_ number: Double) -> Double {
    max(minimum ?? -.infinity, min(maximum ?? .infinity, number))
  }

  private func steppedGain(_ number: Double, _ direction: Int, _ isLarge: Bool) -> Double {
    let floor = -60.0
    let level = number > 0 ? TopScale.decibels(number) : -.infinity
    if level < floor - 0.01 {
      return direction > 0 ? TopScale.gain(floor) : max(0, minimum ?? 0)
    }
    let next = Self.stepped(level, direction, isLarge ? 3 : 0.5)
    guard next >= floor - 0.01 else { return max(0, minimum ?? 0) }
    return Self.rounded(TopScale.gain(next), digits: 4)
  }

  private func relative(_ number: Double, _ direction: Int, _ isLarge: Bool) -> Double {
    var magnitude = 0.1
    while magnitude * 10 <= abs(number) * 1.000001, magnitude < 1e12 { magnitude *= 10 }
    return Self.stepped(number, direction, isLarge ? magnitude / 2 : magnitude / 20)
  }

  /// The next multiple of a step. A value within 0.02 steps of a multiple counts as one,
  /// because decibels are rounded to four digits.
  private static func stepped(_ number: Double, _ direction: Int, _ step: Double) -> Double {
    let slots = number / step
    let next =
      direction > 0
      ? (slots + 0.02).rounded(.down) + 1 : (slots - 0.02).rounded(.up) - 1
    return rounded(next * step, digits: 7)
  }

  /// 1, 2 or 5 times a power of ten, near a positive number.
  private static func niceStep(_ number: Double) -> Double {
    var power = 1e-6
    while power * 10 <= number * 1.000001 { power *= 10 }
    let factor = number / power
    return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10)
  }

  /// A number with this many significant digits.
  private static func rounded(_ number: Double, digits: Int) -> Double {
    guard number != 0, number.isFinite else { return number }
    var factor = 1.0
    var limit = 1.0
    for _ in 0..<(digits - 1) { limit *= 10 }
    while abs(number) * factor < limit, factor < 1e12 { factor *= 10 }
    return (number * factor).rounded() / factor
  }
}

extension String {
  /// The text without white space at both ends.
  var trimmingBlanks: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

/// The meter scale.
enum TopScale {
  static func decibels(_ gain: Double) -> Double { 20 * renderLog10(gain) }

  static func gain(_ decibels: Double) -> Double { renderPower(10, decibels / 20) }

  /// The bends of the scale for digital peak meters in IEC 60268-18: level in decibels and
  /// deflection.
  private static let bends: [(level: Double, share: Double)] = [
    (-70, 0), (-60, 0.025), (-50, 0.075), (-40, 0.15), (-30, 0.3), (-20, 0.5), (0, 1),
  ]

  /// The deflection of a level, 0 to 1.
  static func deflection(_ level: Double) -> Double {
    guard level > bends[0].level else { return 0 }
    for (low, high) in zip(bends, bends.dropFirst()) where level <= high.level {
      return low.share + (level - low.level) / (high.level - low.level) * (high.share - low.share)
    }
    return 1
  }

  /// The level at a deflection.
  static func level(_ share: Double) -> Double {
    for (low, high) in zip(bends, bends.dropFirst()) where share <= high.share {
      return low.level + (share - low.share) / (high.share - low.share) * (high.level - low.level)
    }
    return 0
  }
}
