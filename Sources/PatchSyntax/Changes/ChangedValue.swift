import Diagnostics

/// A value of a document that is being changed: as it is written, or opened. An opened object or
/// array may have members or elements from other texts.
///
/// Only what a change passes through is opened. The rest keeps its text, and with it its
/// formatting, its comments and its places.
final class ChangedValue {
  enum Content {
    case written(JSONValue)
    case open(ChangedContainer)
  }

  var content: Content

  init(_ json: JSONValue) { content = .written(json) }

  init(_ container: ChangedContainer) { content = .open(container) }

  /// The object or array in it, opened; `nil` for anything else.
  func open() -> ChangedContainer? {
    switch content {
    case .open(let container): return container
    case .written(let json):
      guard json.kind == .object || json.kind == .array else { return nil }
      let container = ChangedContainer(opening: json)
      content = .open(container)
      return container
    }
  }

  /// A copy that shares no changes with this one.
  func copy() -> ChangedValue {
    switch content {
    case .written(let json): ChangedValue(json)
    case .open(let container): ChangedValue(container.copy())
    }
  }

  /// The approximate length of its text in bytes, and how many levels deep it has been opened.
  func measure() -> (bytes: Int, depth: Int) {
    switch content {
    case .written(let json): (json.range.count, 0)
    case .open(let container):
      container.slots.reduce(into: (2, 1)) { sum, slot in
        guard let slot else { return }
        let inside = slot.value.measure()
        sum.0 += inside.bytes + slot.key.range.count + 4
        sum.1 = max(sum.1, inside.depth + 1)
      }
    }
  }
}

/// An opened object or array.
final class ChangedContainer {
  /// The name of a member, or the origin of an added element.
  struct Key {
    /// The name in UTF-8; empty for an element.
    var name: [UInt8]
    /// Where it is written: the key itself, or the text that names it.
    var range: SourceRange
    var source: SourceText
    /// Whether the range holds the key as a JSON string, in quotes.
    var isWritten: Bool

    init(name: [UInt8], range: SourceRange, source: SourceText, isWritten: Bool) {
      self.name = name
      self.range = range
      self.source = source
      self.isWritten = isWritten
    }

    /// The last token of a pointer, which is written nowhere.
    init(naming pointer: JSONPointer, in source: SourceText) {
      self.init(
        name: Array((pointer.tokens.last ?? "").utf8), range: 0..<0, source: source,
        isWritten: false)
    }
  }

  /// A member or an element.
  struct Slot {
    var key: Key
    var value: ChangedValue
    /// The text in front of it in the container, with the comma; `nil` where it was added.
    var lead: SourceRange?
    /// The text between an object's key and the value; `nil` where it was added.
    var colon: SourceRange?
    /// Whether it was the first, without a comma in front.
    var wasFirst = false
  }

  /// The value as it was written.
  let origin: JSONValue
  /// The members of an object in the order in which they came, removed ones `nil`; the elements of
  /// an array in order.
  private(set) var slots: [Slot?] = []
  private var places: [[UInt8]: Int] = [:]

  var isObject: Bool { origin.kind == .object }

  init(opening json: JSONValue) {
    origin = json
    let source = json.tree.source
    var end = json.range.lowerBound + 1
    if isObject {
      for (key, value) in json.members {
        let name = Array((key.string ?? "").utf8)
        if places[name] == nil { places[name] = slots.count }
        slots.append(
          Slot(
            key: Key(name: name, range: key.range, source: source, isWritten: true),
            value: ChangedValue(value), lead: end..<key.range.lowerBound,
            colon: key.range.upperBound..<value.range.lowerBound, wasFirst: slots.isEmpty))
        end = value.range.upperBound
      }
    } else {
      for element in json.elements {
        slots.append(
          Slot(
            key: Key(name: [], range: 0..<0, source: source, isWritten: true),
            value: ChangedValue(element), lead: end..<element.range.lowerBound,
            wasFirst: slots.isEmpty))
        end = element.range.upperBound
      }
    }
  }

  private init(_ origin: JSONValue) { self.origin = origin }

  func copy() -> ChangedContainer {
    let copy = ChangedContainer(origin)
    copy.places = places
    copy.slots = slots.map { slot in
      guard var slot else { return nil }
      slot.value = slot.value.copy()
      return slot
    }
    return copy
  }

  // MARK: Members

  /// The number of members or elements.
  var count: Int { isObject ? places.count : slots.count }

  /// The names of an object's members, in order.
  var names: [String] {
    guard isObject else { return [] }
    return slots.compactMap { $0.map { String(decoding: $0.key.name, as: UTF8.self) } }
  }

  subscript(name: [UInt8]) -> ChangedValue? {
    places[name].flatMap { slots[$0]?.value }
  }

  subscript(index: Int) -> ChangedValue? {
    slots.indices.contains(index) ? slots[index]?.value : nil
  }

  /// Sets the value of a member, or adds one at the end.
  func set(_ key: Key, to value: ChangedValue) {
    if let place = places[key.name] {
      slots[place]?.value = value
    } else {
      places[key.name] = slots.count
      slots.append(Slot(key: key, value: value))
    }
  }

  /// Removes a member, and the comments before it. Returns its value; `nil` where there is no such
  /// member.
  func remove(_ name: [UInt8]) -> ChangedValue? {
    guard let place = places.removeValue(forKey: name) else { return nil }
    defer { slots[place] = nil }
    return slots[place]?.value
  }

  /// Inserts an element at an index, 0 to `count`.
  func insert(_ value: ChangedValue, at index: Int, madeFor key: Key) {
    slots.insert(Slot(key: key, value: value), at: index)
  }

  func replace(_ index: Int, with value: ChangedValue) { slots[index]?.value = value }

  func remove(at index: Int) -> ChangedValue? { slots.remove(at: index)?.value }
}

// MARK: Writing

extension ChangedValue {
  /// Appends the text of the value.
  func write(to parts: inout [SourceText.Part]) {
    switch content {
    case .written(let json): parts.append(.written(json.range, in: json.tree.source))
    case .open(let container): container.write(to: &parts)
    }
  }
}

extension ChangedContainer {
  fileprivate func write(to parts: inout [SourceText.Part]) {
    let source = origin.tree.source
    let range = origin.range
    let inside = (range.lowerBound + 1)..<(range.upperBound - 1)
    let first =
      isObject ? origin.members.first { _ in true }?.key : origin.elements.first { _ in true }
    let firstLead = first.map { inside.lowerBound..<$0.range.lowerBound }
    let blank = blank(as: firstLead)
    parts.append(.written(range.lowerBound..<inside.lowerBound, in: source))
    var isFirst = true
    for slot in slots {
      guard let slot else { continue }
      // Text that is not in the source has an empty range in front of the next value.
      let here = slot.key.range.lowerBound..<slot.key.range.lowerBound
      switch (slot.lead, isFirst) {
      case (let lead?, slot.wasFirst): parts.append(.written(lead, in: source))
      case (_?, true): if let firstLead { parts.append(.written(firstLead, in: source)) }
      case (let lead?, false):
        parts.append(.generated(lead.isEmpty ? ", " : ",", for: here, in: slot.key.source))
        parts.append(.written(lead, in: source))
      case (nil, _):
        let text = isFirst ? (firstLead?.isEmpty == true ? "" : blank) : "," + blank
        parts.append(.generated(text, for: here, in: slot.key.source))
      }
      isFirst = false
      if isObject { writeKey(of: slot, to: &parts) }
      slot.value.write(to: &parts)
    }
    if !isFirst {
      let last = isObject ? origin.members.last?.value : origin.elements.last
      if let last {
        parts.append(.written(last.range.upperBound..<inside.upperBound, in: source))
      } else if isObject {
        parts.append(.generated(" ", for: inside.upperBound..<inside.upperBound, in: source))
      }
    }
    parts.append(.written(inside.upperBound..<range.upperBound, in: source))
  }

  private func writeKey(of slot: Slot, to parts: inout [SourceText.Part]) {
    let key = slot.key
    if key.isWritten {
      parts.append(.written(key.range, in: key.source))
    } else {
      let text = String(decoding: JSONText.quoted(key.name[...]), as: UTF8.self)
      parts.append(.generated(text, for: key.range, in: key.source))
    }
    if let colon = slot.colon {
      parts.append(.written(colon, in: key.source))
    } else {
      parts.append(.generated(": ", for: key.range, in: key.source))
    }
  }

  /// The blank in front of a new member, like that of the first one: a line break with indentation,
  /// or a space.
  private func blank(as lead: SourceRange?) -> String {
    guard let lead else { return isObject || count > 1 ? " " : "" }
    let text = origin.tree.source[lead]
    guard text.utf8.contains(0x0A) || text.utf8.contains(0x0D) else { return " " }
    return "\n" + String(text.reversed().prefix { $0 == " " || $0 == "\t" }.reversed())
  }
}

extension Sequence {
  fileprivate var last: Element? { reduce(nil) { $1 } }
}

// MARK: Comparing

extension ChangedValue {
  /// Whether it equals another value. Numbers are compared as numbers, members in any order.
  func equals(_ other: JSONValue) -> Bool {
    switch content {
    case .written(let json): return json.hasSameValue(as: other)
    case .open(let container):
      guard container.isObject == (other.kind == .object),
        other.kind == .object || other.kind == .array
      else { return false }
      if container.isObject {
        let members = Array(other.members)
        return members.count == container.count
          && members.allSatisfy { key, value in
            container[Array((key.string ?? "").utf8)]?.equals(value) ?? false
          }
      }
      let elements = Array(other.elements)
      return elements.count == container.count
        && elements.enumerated().allSatisfy { container[$0.offset]?.equals($0.element) ?? false }
    }
  }

  /// The value in short: as JSON, or in a few words.
  var summary: String {
    switch content {
    case .written(let json):
      let text = json.tree.source[json.range]
      guard text.utf8.contains(0x0A) || text.count > 60 else { return text }
      return switch json.kind {
      case .object: Self.summary(Array(json.members).count, isObject: true)
      case .array: Self.summary(Array(json.elements).count, isObject: false)
      default: text.prefix(57) + "..."
      }
    case .open(let container):
      return Self.summary(container.count, isObject: container.isObject)
    }
  }

  private static func summary(_ count: Int, isObject: Bool) -> String {
    let inside = (isObject ? "member" : "element") + (count == 1 ? "" : "s")
    return (isObject ? "an object of " : "an array of ") + "\(count) \(inside)"
  }
}

extension JSONValue {
  /// Whether two values are equal: numbers compared as numbers, members in any order.
  public func hasSameValue(as other: JSONValue) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .null, .invalid: return true
    case .bool: return bool == other.bool
    case .number:
      guard let text = numberText, let otherText = other.numberText else { return false }
      if text == otherText { return true }
      // Whole numbers are compared digit by digit: a double may not hold them.
      if Self.isWhole(text), Self.isWhole(otherText), number != 0 { return false }
      guard let number, number.isFinite else { return false }
      return number == other.number
    case .string: return (string ?? "").utf8.elementsEqual((other.string ?? "").utf8)
    case .array:
      let (left, right) = (Array(elements), Array(other.elements))
      return left.count == right.count
        && zip(left, right).allSatisfy { $0.hasSameValue(as: $1) }
    case .object:
      let members = Array(members)
      var others: [[UInt8]: JSONValue] = [:]
      for (key, value) in other.members { others[Array((key.string ?? "").utf8)] = value }
      return members.count == others.count
        && members.allSatisfy { key, value in
          others[Array((key.string ?? "").utf8)].map { value.hasSameValue(as: $0) } ?? false
        }
    }
  }

  private static func isWhole(_ text: String) -> Bool {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2D }
  }
}
