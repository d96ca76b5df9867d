import AudioTypes
import Diagnostics
import PatchSyntax
import SoundExpectations
import SoundMeasures

extension Bound {
  /// In words: `at most -1.0 dBTP`.
  func text(_ unit: BoundUnit) -> String {
    if low == high { return "exactly \(unit.text(low))" }
    if low == -.infinity { return high == .infinity ? "anything" : "at most \(unit.text(high))" }
    if high == .infinity { return "at least \(unit.text(low))" }
    return "from \(unit.text(low)) to \(unit.text(high))"
  }
}

extension MeasuredQuantity {
  /// The worst reading and the bound: `true peak -1.20 dBTP (at most -1.00 dBTP)`.
  var text: String { "\(noun) \(unit.text(worst.value)) (\(bound.text(unit)))" }
}

/// The finding of an expectation that does not hold: its message, its place in the test file, and
/// the edit that would let it pass.
struct ExpectationFinding: Sendable {
  let expectation: Expectation
  let quantity: MeasuredQuantity
  /// Further quantities of the expectation that are outside their bounds, but by less.
  var others: [MeasuredQuantity] = []
  /// The first frame of the measured part in the render, and the sample rate.
  let origin: (frame: Int, sampleRate: Double)?

  private var worst: SoundReading { quantity.worst }
  private var isAbove: Bool { worst.value > quantity.bound.high || worst.value.isNaN }

  var diagnostic: Diagnostic {
    let json = place
    let fix = fixForAll()
    return expectation.kind.rule.diagnostic(
      .init(message), at: json.markRange, pointer: json.pointer.description,
      label: .init(quantity.bound.text(quantity.unit)),
      help: ([placeText.map { "it is worst " + $0 }].compactMap(\.self)) + quantity.notes + channels
        + others.map { "and the " + $0.text }
        + (fix.map { ["to \($0.title), write " + $0.edits.map(shown).joined(separator: " and ")] }
          ?? []),
      fixes: [fix].compactMap(\.self))
  }

  private var message: String {
    let value = quantity.unit.text(worst.value)
    let verb = quantity.noun.hasSuffix("s") && !quantity.noun.hasSuffix("ss") ? "are" : "is"
    let limit = isAbove ? quantity.bound.high : quantity.bound.low
    let distance = (worst.value - limit).magnitude
    guard distance.isFinite, !quantity.unit.symbol.isEmpty else {
      return quantity.unit.symbol.isEmpty && quantity.unit.digits == 0
        ? "\(value) \(quantity.noun)" : "the \(quantity.noun) \(verb) \(value)"
    }
    var unit = quantity.unit
    if unit.measure == .decibels { unit.symbol = "dB" }
    if unit.symbol == "LUFS" { unit.symbol = "LU" }
    return "the \(quantity.noun) \(verb) \(value), \(unit.text(distance)) "
      + (isAbove ? "more than expected" : "less than expected")
  }

  /// The place of the worst reading: time, channel and frequency, where it has them.
  var placeText: String? {
    var parts: [String] = []
    let place = worst.place
    if let frames = place.frames, let origin {
      let frame = frames.lowerBound + origin.frame
      parts.append(
        "at \(Self.clock(Double(frame) / origin.sampleRate)) (frame \(frame))")
    }
    if let channel = expectation.channel?.value ?? place.channel {
      parts.append("on channel \(channel)")
    }
    if let frequency = place.frequency {
      parts.append("at \(BoundUnit("Hz", digits: frequency < 100 ? 2 : 1).text(frequency))")
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Minutes, seconds and milliseconds: `0:03.214`.
  static func clock(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1000).rounded())
    let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000)
    let text = "\(rest / 1000)." + String("00\(rest % 1000)".suffix(3))
    return "\(minutes):" + (rest < 10_000 ? "0" : "") + text
  }

  /// The values of all channels, where each channel has one reading.
  private var channels: [String] {
    guard quantity.readings.count > 1, quantity.readings.count <= 32,
      quantity.readings.enumerated().allSatisfy({ $0.element.place.channel == $0.offset })
    else { return [] }
    return [
      "by channel: "
        + quantity.readings.map { quantity.unit.text($0.value) }.joined(separator: ", ")
    ]
  }

  // MARK: The bound

  /// The value that the finding marks: the end of the bound that is exceeded.
  private var place: JSONValue {
    if let key = quantity.key {
      if let json = expectation.value[key] { return json }
      return expectation.value.kind == .object ? expectation.key : expectation.value
    }
    let places = expectation.boundPlaces
    return (isAbove ? places.high : places.low) ?? places.within ?? places.high ?? places.low
      ?? (expectation.value.kind == .object ? expectation.key : expectation.value)
  }

  /// How far the bound has to move to let the quantity pass, in its unit.
  var movement: Double { quantity.bound.excess(of: worst.value) }

  /// The edit that would let every quantity pass.
  private func fixForAll() -> Diagnostic.Fix? {
    guard var all = fix() else { return nil }
    for other in others {
      let finding = ExpectationFinding(expectation: expectation, quantity: other, origin: origin)
      guard let fix = finding.fix(),
        fix.edits.allSatisfy({ edit in !all.edits.contains { $0.range == edit.range } })
      else { return nil }
      all.title += " and \(fix.title.replacing("allow ", with: ""))"
      all.edits += fix.edits
    }
    return all
  }

  /// The edit that would let the quantity pass; `nil` where there is none.
  ///
  /// - Parameter margin: How far the new bound goes beyond the measured value, in its unit.
  func fix(margin: Double = 0) -> Diagnostic.Fix? {
    if let correction = quantity.correction {
      let json = expectation.value[correction.key] ?? expectation.value
      return Diagnostic.Fix(
        "expect what was measured", edits: [.init(json.range, correction.text)], isSafe: false)
    }
    guard worst.value.isFinite else { return nil }
    let value = Self.rounded(
      worst.value + (isAbove ? margin : -margin), quantity.unit, up: isAbove)
    let title = "allow \(quantity.unit.text(value))"
    func edit(_ json: JSONValue, _ text: String) -> Diagnostic.Fix {
      Diagnostic.Fix(title, edits: [.init(json.range, text)], isSafe: false)
    }
    if let key = quantity.key {
      guard !key.isEmpty else { return nil }
      let number =
        key == "cents"
        ? Self.rounded(worst.value.magnitude + margin, quantity.unit, up: true)
        : value
      if let json = expectation.value[key] { return edit(json, Self.written(number)) }
      return insert("\"\(key)\": \(Self.written(number))", title)
    }
    guard expectation.kind.bound != nil else { return nil }
    let places = expectation.boundPlaces
    if let within = places.within {
      let middle = (quantity.bound.low + quantity.bound.high) / 2
      let distance = Self.rounded(
        (worst.value - middle).magnitude + margin, quantity.unit, up: true)
      return edit(within, Self.written(distance))
    }
    if let json = isAbove ? places.high : places.low { return edit(json, Self.written(value)) }
    let key = isAbove ? "atMost" : "atLeast"
    return insert("\"\(key)\": \(Self.written(value))", title)
  }

  /// Adds a member to the expectation's value; a value in shorthand becomes an object.
  private func insert(_ member: String, _ title: String) -> Diagnostic.Fix? {
    let json = expectation.value
    switch (json.kind, expectation.kind.shorthand) {
    case (.object, _):
      let last = json.members.reduce(nil as JSONValue?) { _, member in member.value }
      guard let last else {
        return Diagnostic.Fix(title, edits: [.init(json.range, "{ \(member) }")], isSafe: false)
      }
      return Diagnostic.Fix(
        title, edits: [.init(last.range.upperBound..<last.range.upperBound, ", \(member)")],
        isSafe: false)
    case (.bool, .yes?):
      return Diagnostic.Fix(title, edits: [.init(json.range, "{ \(member) }")], isSafe: false)
    case (_, .setting(let key)?), (_, .list(let key)?):
      return Diagnostic.Fix(
        title,
        edits: [.init(json.range, "{ \"\(key)\": \(JSONText(json).compact), \(member) }")],
        isSafe: false)
    default: return nil
    }
  }

  /// Rounded to the digits of the unit, upwards or downwards.
  static func rounded(_ value: Double, _ unit: BoundUnit, up: Bool) -> Double {
    var scale = 1.0
    for _ in 0..<min(unit.digits, 2) { scale *= 10 }
    if unit.digits > 2 { for _ in 2..<unit.digits { scale *= 10 } }
    let scaled = value * scale
    return (up ? scaled.rounded(.up) : scaled.rounded(.down)) / scale
  }

  /// The replacement, without the comma of an insertion.
  private func shown(_ edit: Diagnostic.Edit) -> String {
    let text = edit.replacement
    // A `within` is shown with its key, since its number is a distance and not a level.
    if edit.range == expectation.boundPlaces.within?.range { return "\"within\": \(text)" }
    return text.hasPrefix(", ") ? String(text.dropFirst(2)) : text
  }

  static func written(_ value: Double) -> String { Quantity.text(value) }
}
