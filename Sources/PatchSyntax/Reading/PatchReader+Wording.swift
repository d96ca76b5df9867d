import AudioTypes
import Diagnostics

// MARK: Wording

extension Diagnostic {
  /// The words for a value in messages.
  private static func description(of json: JSONValue) -> String {
    switch json.kind {
    case .null: "null"
    case .bool: json.bool == true ? "true" : "false"
    case .number: "the number \(quoted(json.numberText ?? "").dropFirst().dropLast())"
    case .string: "the string \(quoted(json.string ?? ""))"
    case .array: "an array"
    case .object: "an object"
    case .invalid: "something else"
    }
  }

  /// A number as it is written.
  private static func numeral(_ json: JSONValue) -> String {
    String(description(of: json).dropFirst(11))
  }

  private static func list(_ names: [String], _ conjunction: String) -> String {
    let names = names.map(quoted)
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }

  static func wrongType(
    _ json: JSONValue, _ name: String, _ expected: String, wanted: JSONValue.Kind?, help: String?
  ) -> Diagnostic {
    var help = help.map { [$0] } ?? []
    var fixes: [Fix] = []
    if let form = writtenForm(of: json, name) { help.insert(form, at: 0) }
    let measure: Quantity.Measure =
      name.lowercased().hasSuffix("rate'")
      ? .hertz
      : ["'at'", "'every'", "'duration'"].contains(name) ? .seconds : .number
    if let plain = json.plainForm(for: wanted ?? .null, of: measure) {
      help.insert(plain.help, at: 0)
      fixes.append(plain.fix)
    } else if name == "'title'", json.kind == .number, let text = json.numberText {
      // Only a title may be a number in quotes: such a name would not be valid.
      help.append("write \"\(text)\" in quotes")
      fixes.append(Fix("put it in quotes", edits: [Edit(json.range, "\"\(text)\"")]))
    }
    return PatchRules.type.diagnostic(
      "\(Message(name)) is \(Message(expected)), not \(Message(description(of: json)))",
      at: json.markRange, pointer: json.pointer.description, label: "expected \(Message(expected))",
      help: help.isEmpty ? ["write \(expected) here"] : help, fixes: fixes)
  }

  /// What is said of a value that a setting does not take.
  ///
  /// - Parameter value: The value; `nil` for JSON of another type.
  static func refusal(
    of json: JSONValue, _ value: SettingValue?, by info: SettingInfo, _ rule: Rule
  ) -> Diagnostic {
    let name = "'\(info.key)'"
    let remedies = json.remedies(for: info)
    let help = [writtenForm(of: json, name)].compactMap(\.self) + remedies.help
    let written = rule == PatchRules.type ? description(of: json) : numeral(json)
    return rule.diagnostic(
      .init(
        value.map { info.refusal(of: $0) }
          ?? "\(name) is \(info.writtenExpectation), not \(written)"),
      at: json.markRange, pointer: json.pointer.description,
      help: help.isEmpty ? [info.summary] : help, fixes: remedies.fixes)
  }

  /// Help that shows how the value is written; `nil` where that is not clear.
  private static func writtenForm(of json: JSONValue, _ name: String) -> String? {
    func connection(_ from: String, _ to: String) -> String {
      "write { \"from\": \"\(from)\", \"to\": \"\(to)\" }"
    }
    switch name {
    case "a connection":
      let parts = json.string?.split(separator: "->").map { $0.filter { $0 != " " } }
      let names = parts ?? json.elements.compactMap(\.string)
      return names.count == 2 ? connection(names[0], names[1]) : connection("guitar", "mixer:0")
    case "'channels'":
      let counts = ["mono": 1, "stereo": 2, "left": 1, "right": 1]
      return json.string.flatMap { counts[$0.lowercased()] }.map { "write \($0)" }
    default: return nil
    }
  }

  static func unknownKey(
    _ key: JSONValue, _ text: String, in json: JSONValue, _ name: String, keys: [String]
  ) -> Diagnostic {
    return PatchRules.unknownKey.diagnostic(
      "\(Message(name)) has no key \(Message(quoted(text)))", at: key.range,
      pointer: key.pointer.description,
      label: Synonyms.didYouMean(text, among: keys + ["comment"], knownAs: Synonyms.keys)
        .map { Message($0) } ?? "unknown key",
      help: ["the keys here are \(list(keys + ["comment"], "and"))"],
      fixes: key.correction(of: text, among: keys + ["comment"]))
  }

  /// A key that is probably a misspelt or synonymous form of a required key, in an object that may
  /// have keys which the reader does not know.
  static func misspelt(
    _ key: JSONValue, _ text: String, for wanted: String, _ name: String
  ) -> Diagnostic {
    PatchRules.unknownKey.diagnostic(
      "\(Message(name)) has no key \(Message(quoted(text)))", at: key.range,
      pointer: key.pointer.description,
      label: Synonyms.didYouMean(text, among: [wanted], knownAs: Synonyms.keys)
        .map { Message($0) } ?? "unknown key",
      help: ["\(name) needs \(quoted(wanted))"],
      fixes: key.correction(of: text, among: [wanted]))
  }

  static func missing(
    _ keys: [String], in json: JSONValue, _ name: String
  ) -> Diagnostic {
    let examples = [
      "nodes": "{ \"io\": { \"component\": \"remoteIO\" } }", "component": "\"remoteIO\"",
      "from": "\"mixer\"", "to": "\"io\"", "at": "\"mixer\"", "sample": "\"float32\"",
      "channels": "2", "sampleRate": "\"session\"", "kind": "\"...\"",
      "path": "\"/nodes/mixer/inputs/0/parameters/volume\"",
    ].merging(
      name == "a step of the timeline"
        ? ["at": "2.5"]
        : name == "a ramp"
          ? ["to": "0.5"] : name == "'repeat'" ? ["every": "\"500 ms\"", "count": "8"] : [:]
    ) { $1 }
    let members = keys.map { "\"\($0)\": \(examples[$0] ?? "...")" }.joined(separator: ", ")
    return PatchRules.missingKey.diagnostic(
      "\(Message(name)) needs \(Message(list(keys, "and")))", at: json.markRange,
      pointer: json.pointer.description,
      label: keys.count == 1 ? "this key is missing here" : "these keys are missing here",
      help: ["add \(members), for example"])
  }

  static func schemaVersion(_ json: JSONValue) -> Diagnostic {
    let isNewer = (json.number ?? 0) > 1
    return PatchRules.schemaVersion.diagnostic(
      "schema version \(Message(numeral(json))) is not known",
      at: json.range, pointer: json.pointer.description, label: "the only one there is is 1",
      help: [isNewer ? "write 1, or use a newer patchrun" : "write 1"])
  }

  static func emptyNodes(_ json: JSONValue) -> Diagnostic {
    PatchRules.emptyNodes.diagnostic(
      "the patch has no nodes", at: json.markRange, pointer: json.pointer.description,
      label: "nothing to run", help: ["add an I/O unit: \"io\": { \"component\": \"remoteIO\" }"])
  }

  static func badName(_ key: JSONValue, _ name: String) -> Diagnostic {
    PatchRules.name.diagnostic(
      name.isEmpty ? "a name is empty" : "the name \(Message(quoted(name))) has a colon",
      at: key.range, pointer: key.pointer.description,
      label: name.isEmpty ? "nothing could refer to it" : "it could not be told from an address",
      help: [
        name.isEmpty
          ? "give it a name" : "leave out the colon: 'node:bus' is how an address is written"
      ])
  }

  static func ambiguous(_ node: Located<String>, callback: JSONValue) -> Diagnostic {
    PatchRules.ambiguousName.diagnostic(
      "\(Message(quoted(node.value))) is the name of a node and of a callback", at: node.range,
      pointer: node.pointer, label: "a node",
      notes: [Note("a callback", at: callback.range)],
      help: ["rename one of the two: a connection could mean either"])
  }

  static func busNumber(
    _ key: JSONValue, _ text: String, in json: JSONValue
  ) -> Diagnostic {
    let digits = text.drop { $0 == "0" }
    let meant = digits.isEmpty ? "0" : String(digits)
    let isNumber =
      !text.isEmpty && JSONPointer.arrayIndex(meant).map { $0 <= Int(UInt32.max) } ?? false
    return PatchRules.busNumber.diagnostic(
      "\(Message(quoted(text))) is not a bus number", at: key.range,
      pointer: key.pointer.description, label: "expected a number, such as \"0\"",
      help: [
        isNumber
          ? "write \"\(meant)\": bus numbers have no leading zeros"
          : "write the bus's number in quotes: \"0\" for the first"
      ],
      fixes: isNumber && json[meant] == nil
        ? [Fix("write \"\(meant)\"", edits: [Edit(key.range, "\"\(meant)\"")])] : [])
  }

  static func address(
    _ json: JSONValue, _ text: String, _ label: Message, at range: SourceRange? = nil
  ) -> Diagnostic {
    PatchRules.address.diagnostic(
      "\(Message(quoted(text))) is not an address", at: range ?? json.range,
      pointer: json.pointer.description, label: label,
      help: [
        "an address is a name, as \"mixer\", or a name and a bus, as \"mixer:1\" or "
          + "\"mixer:Voice\""
      ])
  }

  /// A rate that no bus can have, with the status that Core Audio has for a format of that rate.
  static func rateOutOfRange(
    _ json: JSONValue, _ name: String, isTooGreat: Bool
  ) -> Diagnostic {
    var diagnostic = outOfRange(
      json, name, "a rate from 1 to 2999999 Hz", isTooGreat: isTooGreat,
      help: ["44100 and 48000 are usual; \"session\" is the rate that the device was granted"])
    diagnostic.status = .formatNotSupported
    return diagnostic
  }

  static func outOfRange(
    _ json: JSONValue, _ name: String, _ expected: String, isTooGreat: Bool, help: [String] = []
  ) -> Diagnostic {
    PatchRules.range.diagnostic(
      "\(Message(name)) is \(Message(expected)), not \(Message(numeral(json)))",
      at: json.range, pointer: json.pointer.description,
      label: isTooGreat ? "too great" : "expected \(Message(expected))",
      help: help.isEmpty ? ["write \(expected)"] : help)
  }

  static func componentAndSubgraph(
    _ component: JSONValue, _ subgraph: JSONValue
  ) -> Diagnostic {
    let (first, second) =
      component.range.lowerBound < subgraph.range.lowerBound
      ? (component, subgraph) : (subgraph, component)
    return PatchRules.exclusive.diagnostic(
      "a node is a component or a sub-graph, not both", at: second.markRange,
      pointer: second.pointer.description, label: "this is one too many",
      notes: [Note("the other is here", at: first.markRange)],
      help: ["remove 'component' or 'subgraph'"])
  }

  static func unitKey(
    _ value: JSONValue, besides subgraph: JSONValue
  ) -> Diagnostic {
    let key = value.pointer.tokens.last ?? ""
    return PatchRules.exclusive.diagnostic(
      "a sub-graph has no \(Message(quoted(key))) of its own", at: value.markRange,
      pointer: value.pointer.description, label: "this belongs to a unit",
      notes: [Note("the node is a sub-graph", at: subgraph.markRange)],
      help: [
        "to change a value of its patch write \"settings\": "
          + "{ \"/nodes/NAME/\(key)/…\": … } in its place"
      ])
  }

  static func settingsOfUnit(_ value: JSONValue) -> Diagnostic {
    PatchRules.exclusive.diagnostic(
      "'settings' change the patch of a sub-graph, and this node is none", at: value.markRange,
      pointer: value.pointer.description, label: "not here",
      help: ["what a unit is set to stands under \"properties\" and \"parameters\""])
  }

  static func settingPointer(_ key: Located<String>) -> Diagnostic {
    PatchRules.subgraphSetting.diagnostic(
      "\(Message(quoted(key.value))) is not a place in the patch of the sub-graph", at: key.range,
      pointer: key.pointer, label: "expected a JSON Pointer",
      help: ["a value's place is written as /nodes/mixer/inputs/0/parameters/volume"])
  }

  static func settingNowhere(
    _ key: Located<String>, _ token: String, in container: JSONValue, _ way: JSONPointer,
    _ file: String
  ) -> Diagnostic {
    let (message, label, contents) = absenceTexts(of: token, in: container, way, quoted(file))
    return PatchRules.subgraphSetting.diagnostic(
      .init(way.tokens.isEmpty ? message : "\(message) in \(quoted(file))"), at: key.range,
      pointer: key.pointer, label: .init(label), help: [contents])
  }

  static func oneAction(_ step: JSONValue, second: JSONValue?) -> Diagnostic {
    guard let second else {
      return PatchRules.missingKey.diagnostic(
        "a step of the timeline needs something to do", at: step.markRange,
        pointer: step.pointer.description, label: "nothing happens here",
        help: [
          "write \"ramp\": { \"path\": \"/nodes/mixer/inputs/0/parameters/volume\", \"to\": 0, "
            + "\"duration\": 1 }, \"update\": [ ... ], \"trigger\": \"song\", or \"stop\": true"
        ])
    }
    return PatchRules.exclusive.diagnostic(
      "a step of the timeline does one thing", at: second.markRange,
      pointer: second.pointer.description, label: "this is one too many",
      help: ["make two steps of it, with the same 'at'"])
  }

  static func oneUnit(_ json: JSONValue, isEmpty: Bool) -> Diagnostic {
    (isEmpty ? PatchRules.missingKey : PatchRules.exclusive).diagnostic(
      "a time is in seconds, in frames or in beats", at: json.markRange,
      pointer: json.pointer.description,
      label: isEmpty ? "it is in none of them" : "it is in two of them",
      help: ["write a number of seconds, { \"frames\": 48000 } or { \"beats\": 4 }"])
  }

  static func notAPointer(_ json: JSONValue, _ text: String) -> Diagnostic {
    PatchRules.pointer.diagnostic(
      "\(Message(quoted(text))) is not a JSON Pointer", at: json.range,
      pointer: json.pointer.description,
      label: text.hasPrefix("/") ? "a '~' in it is neither '~0' nor '~1'" : "it begins with '/'",
      help: ["a parameter's place is written as /nodes/mixer/inputs/0/parameters/volume"])
  }

  static func twoForms(short: JSONValue, full: JSONValue) -> Diagnostic {
    let (first, second) =
      short.range.lowerBound < full.range.lowerBound ? (short, full) : (full, short)
    return PatchRules.exclusive.diagnostic(
      "a stream format is written in its short form or field by field, not in both",
      at: second.range, pointer: second.pointer.description,
      label: second.index == short.index
        ? "a key of the short form" : "a field of AudioStreamBasicDescription",
      notes: [
        Note(
          first.index == short.index
            ? "a key of the short form" : "a field of AudioStreamBasicDescription",
          at: first.range)
      ],
      help: [
        "keep one form: 'sample', 'channels' and 'sampleRate', or the fields that begin with m"
      ]
    )
  }
}
