import AudioTypes
public import Diagnostics
public import PatchSyntax

/// Reads expectations from a test file: looks up the kind, and reads its bound and settings.
public struct ExpectationReader {
  /// The findings, in the order in which they were made.
  public private(set) var diagnostics: [Diagnostic] = []

  public init() {}

  /// - Returns: `nil` where the expectation is wrong; `diagnostics` then says why.
  public mutating func read(_ written: TestDocument.WrittenExpectation) -> Expectation? {
    guard let (kind, field) = kind(of: written) else { return nil }
    var expectation = Expectation(
      kind: kind, json: written.json, key: field.key.json, value: field.value)
    expectation.at = written.at
    expectation.during = written.during
    expectation.channel = written.channel
    if kind.subject == .patch {
      for (key, json) in [
        ("at", written.at?.json), ("during", written.during?.json),
        ("channel", written.channel?.json),
      ] {
        guard let json else { continue }
        report(
          ExpectationRules.place, "'\(kind.name)' is of the patch as a whole: it takes no '\(key)'",
          json, help: ["leave '\(key)' out"])
        return nil
      }
    }
    let found = diagnostics.count
    readValue(&expectation)
    return diagnostics.count == found ? expectation : nil
  }

  // MARK: Kinds

  private mutating func kind(
    of written: TestDocument.WrittenExpectation
  ) -> (ExpectationKind, PatchDocument.Field)? {
    let names = ExpectationCatalog.kinds.map(\.name)
    let known = written.fields.compactMap { field in
      ExpectationCatalog.kind(field.name).map { ($0, field) }
    }
    for field in written.fields where ExpectationCatalog.kind(field.name) == nil {
      let guess = didYouMean(field.name, among: names + TestDocument.expectationKeys)
      diagnostics.append(
        ExpectationRules.kind.diagnostic(
          "there is no expectation \(Diagnostic.Message(quoted(field.name)))", at: field.key.range,
          pointer: field.key.pointer, label: guess.map { .init($0) } ?? "unknown kind",
          help: ["the kinds are: " + names.joined(separator: ", ")],
          fixes: field.key.json.correction(
            of: field.name, among: names + TestDocument.expectationKeys)))
    }
    if known.count < written.fields.count { return nil }
    guard let first = known.first else {
      // The unreadable part may have been the kind.
      if written.json.hasUnread { return nil }
      report(
        ExpectationRules.kind, "the expectation says nothing", written.json,
        label: "what is expected?",
        help: ["write { \"notSilent\": true }, for example"])
      return nil
    }
    if known.count > 1 {
      diagnostics.append(
        ExpectationRules.kind.diagnostic(
          "the expectation has two kinds: \(Diagnostic.Message(quoted(first.0.name))) and \(Diagnostic.Message(quoted(known[1].0.name)))",
          at: known[1].1.key.range, pointer: known[1].1.key.pointer,
          notes: [Diagnostic.Note("the first is here", at: first.1.key.range)],
          help: ["make two expectations of it, so that each can fail by itself"]))
      return nil
    }
    return first
  }

  // MARK: Values

  private mutating func readValue(_ expectation: inout Expectation) {
    let kind = expectation.kind
    let json = expectation.value
    if let bound = kind.bound?.standard { expectation.bound = bound }
    switch (json.kind, kind.shorthand) {
    case (.invalid, _): return
    case (.object, _): readObject(&expectation)
    case (.bool, .yes?):
      if json.bool == false {
        report(
          ExpectationRules.setting, "'\(kind.name)' is expected or left out, and not refused", json,
          help: ["write true, or leave the expectation out"])
      }
    case (.number, .atMost?), (.string, .atMost?):
      guard let bound = kind.bound, let number = number(json, bound, kind.name) else { return }
      expectation.bound.high = number
      expectation.boundPlaces.high = json
    case (.string, .setting(let key)?):
      guard let info = kind.settings.first(where: { $0.key == key }) else { return }
      read(info, json, &expectation)
    case (.array, .list(let key)?):
      guard let info = kind.lists.first(where: { $0.key == key }) else { return }
      read(info, json, &expectation)
    default:
      report(
        ExpectationRules.setting, "\(quoted(kind.name)) takes \(Self.form(kind))", json,
        help: ["write \(Self.example(kind))"])
    }
  }

  private mutating func readObject(_ expectation: inout Expectation) {
    let kind = expectation.kind
    var bounds: [String: JSONValue] = [:]
    var given: Set<String> = []
    for (key, value) in expectation.value.members {
      guard let name = key.string, name != "comment", value.kind != .invalid else { continue }
      guard kind.keys.contains(name) else {
        diagnostics.append(
          ExpectationRules.setting.diagnostic(
            "\(Diagnostic.Message(quoted(kind.name))) has no setting \(Diagnostic.Message(quoted(name)))",
            at: key.range,
            pointer: key.pointer.description,
            label: didYouMean(name, among: kind.keys).map { .init($0) } ?? "unknown setting",
            help: [
              kind.keys.isEmpty
                ? "it has none" : "it has " + kind.keys.map(quoted).joined(separator: ", ")
            ], fixes: key.correction(of: name, among: kind.keys)))
        continue
      }
      given.insert(name)
      if let info = kind.settings.first(where: { $0.key == name }) {
        read(info, value, &expectation)
      } else if let info = kind.lists.first(where: { $0.key == name }) {
        read(info, value, &expectation)
      } else {
        bounds[name] = value
      }
    }
    let missing =
      kind.settings.filter { $0.isRequired && !given.contains($0.key) }.map {
        ($0.key, "\($0.expectation): \($0.summary)")
      }
      + kind.lists.filter { $0.isRequired && !given.contains($0.key) }.map { ($0.key, $0.summary) }
    for (key, summary) in missing where !isDoubtful(expectation) {
      report(
        ExpectationRules.setting, "\(quoted(kind.name)) needs \(quoted(key))", expectation.value,
        label: "this key is missing here", help: ["\(quoted(key)) is \(summary)"])
    }
    if let bound = kind.bound { readBound(bounds, bound, &expectation) }
  }

  private mutating func readBound(
    _ given: [String: JSONValue], _ info: ExpectationKind.BoundInfo,
    _ expectation: inout Expectation
  ) {
    let kind = expectation.kind
    var bound = Bound()
    var places = Expectation.BoundPlaces()
    var isGiven = false
    func meaning(_ key: String) -> String {
      switch info.alias {
      case .atMost(key)?: "atMost"
      case .atLeast(key)?: "atLeast"
      default: key
      }
    }
    if given["near"] != nil || given["within"] != nil {
      guard let near = given["near"], let within = given["within"] else {
        if isDoubtful(expectation) { return }
        let missing = given["near"] == nil ? "near" : "within"
        report(
          ExpectationRules.bound, "'near' and 'within' go together", expectation.value,
          label: "\(quoted(missing)) is missing here",
          help: ["write \"near\": 0, \"within\": 0.5, for example"])
        return
      }
      guard let middle = number(near, info, "near"),
        let distance = number(within, info, "within", isDistance: true)
      else { return }
      bound = Bound(low: middle - distance, high: middle + distance)
      places.within = within
      isGiven = true
    }
    for (key, json) in given.sorted(by: { $0.key < $1.key }) where key != "near" && key != "within"
    {
      if isGiven, places.within != nil {
        report(
          ExpectationRules.bound, "\(quoted(key)) says again what 'near' and 'within' say", json,
          help: ["leave one of them out"])
        return
      }
      switch meaning(key) {
      case "between":
        let ends = json.kind == .array ? Array(json.elements) : []
        guard ends.count == 2, given.count == 1 else {
          report(
            ExpectationRules.bound,
            ends.count == 2
              ? "'between' stands alone" : "'between' is two numbers: the least and the greatest",
            json,
            help: ["write [-16.5, -15.5], for example"])
          return
        }
        guard let low = number(ends[0], info, key), let high = number(ends[1], info, key) else {
          return
        }
        bound = Bound(low: low, high: high)
        (places.low, places.high) = (ends[0], ends[1])
      case "atMost":
        guard let high = number(json, info, key) else { return }
        bound.high = high
        places.high = json
      default:
        guard let low = number(json, info, key) else { return }
        bound.low = low
        places.low = json
      }
      isGiven = true
    }
    guard bound.low <= bound.high else {
      let json = places.high ?? places.low ?? expectation.value
      report(
        ExpectationRules.bound,
        "nothing is at least \(info.unit.text(bound.low)) and at most \(info.unit.text(bound.high))",
        json, label: "less than the least", help: ["the least comes first"])
      return
    }
    guard isGiven || info.standard != nil else {
      if isDoubtful(expectation) { return }
      report(
        ExpectationRules.bound, "\(quoted(kind.name)) has no bound: everything would meet it",
        expectation.value, label: "no bound here", help: ["write \(Self.example(kind))"])
      return
    }
    guard isGiven else { return }
    expectation.bound = bound
    expectation.boundPlaces = places
  }

  /// Whether a member could not be read or has been reported. A required member that seems missing
  /// may be that one, so it is not reported too.
  private func isDoubtful(_ expectation: Expectation) -> Bool {
    expectation.value.hasUnread || diagnostics.contains { $0.isAbout(expectation) }
  }

  private mutating func number(
    _ json: JSONValue, _ info: ExpectationKind.BoundInfo, _ key: String, isDistance: Bool = false
  ) -> Double? {
    let measure: Quantity.Measure =
      switch info.unit.measure {
      case .decibels: .level
      case .seconds: .seconds
      case .number: .number
      }
    let range = isDistance ? 0...(info.range.upperBound - info.range.lowerBound) : info.range
    guard let number = json.number(in: measure), number.isFinite else {
      if json.kind == .invalid { return nil }
      let unit = info.unit.symbol.isEmpty ? "" : " of \(info.unit.symbol)"
      report(
        ExpectationRules.bound, "\(quoted(key)) is a number\(unit)", json,
        label: "expected a number",
        help: [info.unit.measure == .decibels ? "write -1 or \"-1 dB\"" : "write a number"])
      return nil
    }
    guard range.contains(number) else {
      report(
        ExpectationRules.bound,
        "\(info.unit.text(number)) is no bound for \(quoted(key)): it is from "
          + "\(info.unit.text(range.lowerBound)) to \(info.unit.text(range.upperBound))",
        json, label: number > range.upperBound ? "too great" : "too small", help: [])
      return nil
    }
    return number
  }

  private mutating func read(
    _ info: SettingInfo, _ json: JSONValue, _ expectation: inout Expectation
  ) {
    guard let value = json.value(for: info), info.accepts(value) else {
      report(
        ExpectationRules.setting, "\(quoted(info.key)) is \(info.expectation)", json,
        label: "expected \(info.expectation)", help: [info.summary])
      return
    }
    expectation.settings[info.key] = value
  }

  private mutating func read(
    _ info: ExpectationKind.ListInfo, _ json: JSONValue, _ expectation: inout Expectation
  ) {
    switch info.form {
    case .changes:
      guard json.kind == .object else { break }
      for (key, value) in json.members {
        if let key = key.string { expectation.changes[key] = value }
      }
      return
    case .texts:
      let texts = json.elements.map(\.string)
      guard json.kind == .array, texts.allSatisfy({ $0 != nil }) else { break }
      expectation.texts[info.key] = texts.compactMap(\.self)
      return
    case .numbers:
      let numbers = json.elements.map(\.number)
      guard json.kind == .array, numbers.allSatisfy({ $0?.isFinite == true }) else { break }
      expectation.numbers[info.key] = numbers.compactMap(\.self)
      return
    case .rows(let width):
      let rows = json.elements.map { row in
        row.elements.compactMap { $0.number(in: .level) }.filter(\.isFinite)
      }
      let isWhole = json.elements.allSatisfy { row in
        row.elements.reduce(0) { n, _ in n + 1 } == width
      }
      guard json.kind == .array, isWhole, rows.allSatisfy({ $0.count == width }) else { break }
      expectation.rows[info.key] = rows
      return
    }
    guard !json.hasUnread, !json.elements.contains(where: \.hasUnread) else { return }
    report(
      ExpectationRules.setting, "\(quoted(info.key)) is \(info.form.words)", json,
      label: "expected \(info.form.words)", help: [info.summary])
  }

  // MARK: Wording

  private mutating func report(
    _ rule: Rule, _ message: String, _ json: JSONValue, label: String? = nil, help: [String] = []
  ) {
    diagnostics.append(
      rule.diagnostic(
        .init(message), at: json.markRange, pointer: json.pointer.description,
        label: label.map { .init($0) }, help: help))
  }

  private static func form(_ kind: ExpectationKind) -> String {
    switch kind.shorthand {
    case .atMost?: "a number, the most there may be, or an object"
    case .yes?: kind.keys.isEmpty ? "true" : "true or an object"
    case .setting(let key)?: "\(quoted(key)) as a text, or an object"
    case .list(let key)?: "\(quoted(key)) as an array, or an object"
    case nil: "an object"
    }
  }

  /// An example of a kind, as it is written in a test file.
  static func example(_ kind: ExpectationKind) -> String {
    switch kind.shorthand {
    case .atMost?: return "\"\(kind.name)\": 0"
    case .yes?: return "\"\(kind.name)\": true"
    default: break
    }
    guard kind.bound != nil else { return "\"\(kind.name)\": { ... }" }
    return
      "\"\(kind.name)\": { \"atMost\": ... }, { \"atLeast\": ... } or { \"between\": [ ..., ... ] }"
  }
}

extension ExpectationKind.ListInfo.Form {
  /// The values that a list takes, in words.
  public var words: String {
    switch self {
    case .numbers: "an array of numbers"
    case .texts: "an array of texts"
    case .rows(let count): "an array of arrays, each of \(count) numbers"
    case .changes: "an object of values by JSON Pointer"
    }
  }
}

extension JSONValue {
  /// Whether this value, or one directly inside it, could not be read; the reader of the JSON has
  /// reported it.
  fileprivate var hasUnread: Bool {
    kind == .invalid || elements.contains { $0.kind == .invalid }
      || members.contains {
        $0.key.kind == .invalid || $0.key.range.isEmpty || $0.value.kind == .invalid
      }
  }
}

extension Diagnostic {
  /// Whether the diagnostic begins inside an expectation.
  fileprivate func isAbout(_ expectation: Expectation) -> Bool {
    expectation.json.range.contains(range.lowerBound)
  }
}
