import PatchSyntax

/// A control from `GET /controls`.
struct TopControl: Equatable {
  enum Kind: String {
    case gain, decibels, pan, angle, distance, frequency, list, number
    case onOff = "switch"
  }

  struct Choice: Equatable {
    var value: JSONText
    var title: String
  }

  /// The pointer of the setting.
  var pointer: String
  var node = ""
  var component = ""
  /// `global`, `input` or `output`.
  var scope = "global"
  var element = 0
  /// The name of the bus.
  var elementName: String?
  /// Whether the bus is connected.
  var isUsed = true
  var name = ""
  /// A sentence about the setting.
  var summary = ""
  var title = ""
  /// The unit after the number, such as `Hz`.
  var unit = ""
  var minimum: Double?
  var maximum: Double?
  var defaultValue: JSONText = .null
  /// The current value, as in a document.
  var value: JSONText = .null
  var isWritable = true
  /// Whether the document sets it; otherwise the value is the default.
  var isInDocument = false
  var kind = Kind.number
  var choices: [Choice] = []
  /// Whether the timeline will change it.
  var isScheduled = false

  init(pointer: String) { self.pointer = pointer }

  /// `nil` without a pointer.
  init?(_ json: JSONValue) {
    guard let pointer = json["pointer"]?.string else { return nil }
    self.pointer = pointer
    node = json["node"]?.string ?? ""
    component = json["component"]?.string ?? ""
    scope = json["scope"]?.string ?? "global"
    element = json["element"]?.integer ?? 0
    name = json["name"]?.string ?? pointer
    title = json["title"]?.string ?? name
    unit = json["symbol"]?.string ?? ""
    elementName = json["elementName"]?.string
    isUsed = json["isUsed"]?.bool ?? true
    summary = json["summary"]?.string ?? ""
    minimum = json["minimum"]?.number
    maximum = json["maximum"]?.number
    defaultValue = json["default"].map(JSONText.init) ?? .null
    value = json["value"].map(JSONText.init) ?? .null
    isWritable = json["isWritable"]?.bool ?? true
    isInDocument = json["isInDocument"]?.bool ?? false
    isScheduled = json["isScheduled"]?.bool ?? false
    choices = (json["choices"].map { Array($0.elements) } ?? []).map {
      Choice(
        value: $0["value"].map(JSONText.init) ?? .null, title: $0["title"]?.string ?? "")
    }
    kind = (json["kind"]?.string).flatMap(Kind.init) ?? .number
    if kind == .list, choices.isEmpty { kind = .number }
  }

  /// The controls in `{"controls": […]}`.
  static func all(_ json: JSONValue) -> [TopControl] {
    (json["controls"].map { Array($0.elements) } ?? []).compactMap(TopControl.init)
  }

  /// The value as a number, 0 or 1 for a switch; `nil` for a text.
  var number: Double? { Self.number(value) }

  static func number(_ value: JSONText) -> Double? {
    switch value {
    case .number(let number): number
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// The index of the current choice, found by value or by title.
  var choice: Int? {
    choices.firstIndex { Self.isSame($0.value, value) || .string($0.title) == value }
  }

  private static func isSame(_ left: JSONText, _ right: JSONText) -> Bool {
    if let left = number(left), let right = number(right) { return left == right }
    return left == right
  }

  /// The node and the bus: `mixer`, `mixer input 0`.
  var place: String {
    guard scope != "global" else { return node }
    return "\(node) \(scope) \(element)" + (elementName.map { ", \($0)" } ?? "")
  }

  /// The text that a filter searches, in lower case.
  var searched: String { "\(place) \(title) \(name) \(component)".lowercased() }

  // MARK: In words

  /// The current value in words.
  var text: String { text(of: value) }

  func text(of value: JSONText) -> String {
    if !choices.isEmpty || kind == .onOff {
      let chosen = choices.first { Self.isSame($0.value, value) || .string($0.title) == value }
      if let chosen, !chosen.title.isEmpty { return chosen.title }
    }
    if kind == .onOff, let number = Self.number(value) { return number == 0 ? "off" : "on" }
    guard let number = Self.number(value) else {
      if case .string(let text) = value { return text }
      return value == .null ? "" : value.compact
    }
    let text = Self.written(number) + (unit.isEmpty ? "" : unit == "°" ? unit : " \(unit)")
    guard kind == .gain else { return text }
    return text + (number > 0 ? "  \(fixed(TopScale.decibels(number), 1)) dB" : "  -inf dB")
  }

  /// The range in words; empty without a range.
  func rangeText(_ between: String) -> String {
    guard kind != .onOff, choices.isEmpty, let minimum, let maximum else { return "" }
    return Self.written(minimum) + between + Self.written(maximum)
  }

  /// A number with up to four decimals, without trailing zeros.
  static func written(_ number: Double) -> String {
    var text = fixed(number, abs(number) >= 1000 ? 1 : abs(number) >= 10 ? 2 : 4)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
