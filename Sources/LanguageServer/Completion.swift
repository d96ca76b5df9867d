import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCallbacks

/// A text that the editor may insert.
private struct Proposal {
  /// The numbers of the protocol's `CompletionItemKind`.
  enum Kind: Int {
    case field = 5
    case variable = 6
    case unit = 9
    case property = 10
    case value = 12
    case snippet = 15
    case name = 18
  }

  var value: JSONText
  var kind: Kind
  var detail = ""
}

/// Completes keys and values at a position of a patch.
struct Completion {
  let patch: OpenPatch
  let vocabulary: Vocabulary
  /// Whether the editor supports snippets: texts with places to fill in.
  private let wantsSnippets: Bool
  /// The nodes by name; a preset has one with an empty name.
  private let nodes: [String: JSONValue]

  init(patch: OpenPatch, vocabulary: Vocabulary, wantsSnippets: Bool = false) {
    self.wantsSnippets = wantsSnippets
    self.patch = patch
    self.vocabulary = vocabulary
    if patch.isPreset {
      nodes = ["": patch.root ?? patch.intactRoot].compactMapValues(\.self)
      return
    }
    let all = [patch.root, patch.intactRoot].flatMap { root in
      root?["nodes"].map { Array($0.members) } ?? []
    }
    nodes = Dictionary(
      all.compactMap { member in member.key.string.map { ($0, member.value) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The maximum number of proposals in a list; further typing shortens it.
  private static let maximumProposals = 5_000

  /// The protocol's `CompletionList` for an offset in bytes.
  func list(at offset: Int) -> JSONText {
    guard let cursor = patch.cursor(at: offset) else { return list([], nil) }
    switch cursor.role {
    case .key: return list(keys(cursor), cursor)
    case .value: return list(values(cursor), cursor)
    case nil: return list([], nil)
    }
  }

  private func list(_ proposals: [Proposal], _ cursor: Cursor?) -> JSONText {
    guard let cursor else { return ["isIncomplete": false, "items": []] }
    let isKey = cursor.role == .key
    // A key that already has its colon keeps it.
    let hasColon =
      patch.source.bytes[cursor.token.upperBound...]
      .first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: ":")
    let range = patch.places.range(cursor.isInString ? cursor.content : cursor.token)
    var items: [JSONText] = []
    for (index, proposal) in proposals.prefix(Self.maximumProposals).enumerated() {
      let written = proposal.value.inline
      var text = written
      if cursor.isInString {
        guard proposal.value.text != nil else { continue }
        text = String(written.dropFirst().dropLast()) + (cursor.isClosed ? "" : "\"")
      }
      if isKey, !hasColon, !cursor.isInString || !cursor.isClosed { text += ": " }
      let label = proposal.value.text ?? written
      var item: JSONText = [
        "label": .string(label),
        "kind": .number(proposal.kind.rawValue),
        "detail": .string(proposal.detail),
        "filterText": .string(label),
        "sortText": .string(Self.rank(index)),
      ]
      if wantsSnippets, text.hasSuffix(": "),
        let value = opening(of: cursor.container + [label])
      {
        text = Self.literal(text) + value
        item = item.adding(["insertTextFormat": 2])
      }
      items.append(item.adding(["textEdit": ["range": range, "newText": .string(text)]]))
    }
    items += snippets(cursor, hasColon: hasColon, behind: items.count)
    return [
      "isIncomplete": .boolean(proposals.count > Self.maximumProposals), "items": .array(items),
    ]
  }

  /// A text by which an editor sorts, so that it keeps the order of the proposals.
  private static func rank(_ index: Int) -> String {
    let number = String(index)
    return String(repeating: "0", count: max(0, 5 - number.count)) + number
  }

  // MARK: Snippets

  /// A text with the characters escaped that mean something in a snippet.
  private static func literal(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("$", with: "\\$")
  }

  /// The brackets or quotes around the value of a new key, with the cursor between them; `nil`
  /// where the value may have more than one type.
  private func opening(of path: [String]) -> String? {
    let schemas = vocabulary.schemas(path, in: patch).flatMap(vocabulary.alternatives)
    let types = Set(
      schemas.flatMap { schema -> [String] in
        guard let type = schema["type"] else { return [] }
        return type.text.map { [$0] } ?? type.elements.compactMap(\.text)
      })
    // Where several types are allowed, the user chooses one.
    guard types.count == 1, let type = types.first,
      !schemas.contains(where: { $0["if"]?["type"] != nil })
    else { return nil }
    switch type {
    case "object": return "{ $0 }"
    case "array": return "[ $0 ]"
    case "string": return "\"$0\""
    default: return nil
    }
  }

  /// Whole members and elements that may be inserted at the position.
  private func snippets(_ cursor: Cursor, hasColon: Bool, behind count: Int) -> [JSONText] {
    guard wantsSnippets, !patch.isPreset else { return [] }
    let found: [Snippet]
    switch cursor.role {
    case .key where !hasColon:
      found = Snippets.members(of: cursor.container, isTests: patch.isTests)
    case .value where !cursor.isInString && Int(cursor.step) != nil:
      found = Snippets.elements(of: cursor.container, isTests: patch.isTests)
    default: return []
    }
    let range = patch.places.range(cursor.token)
    return found.enumerated().map { index, snippet in
      [
        "label": .string(snippet.label), "kind": .number(Proposal.Kind.snippet.rawValue),
        "detail": .string(snippet.detail), "insertTextFormat": 2,
        // The editor compares the filter text with the text that it replaces, the quote included.
        "filterText": .string((cursor.isInString ? "\"" : "") + snippet.label),
        "sortText": .string(Self.rank(count + index)),
        "textEdit": ["range": range, "newText": .string(snippet.body)],
      ]
    }
  }

  // MARK: Keys

  private func keys(_ cursor: Cursor) -> [Proposal] {
    if cursor.container.count == 3, cursor.container[0] == "nodes",
      let scope: Scope = ["inputs": .input, "outputs": .output][cursor.container[2]]
    {
      return free(
        (0..<busCount(cursor.container[1], scope)).map {
          Proposal(value: .string("\($0)"), kind: .field, detail: "\(scope) bus \($0)")
        }, cursor)
    }
    if cursor.container.count == 3, cursor.container[0] == "nodes",
      cursor.container[2] == "parameters", nodes[cursor.container[1]]?["subgraph"] != nil
    {
      return free(
        patch.knobs(of: cursor.container[1]).map {
          Proposal(value: .string($0.name), kind: .field, detail: OpenPatch.summary(of: $0))
        }, cursor)
    }
    var seen: Set<String> = []
    var proposals: [Proposal] = []
    let allowed = presetKeys(cursor.container)
    if allowed?.contains("name") == true {
      proposals.append(
        Proposal(value: "name", kind: .property, detail: Vocabulary.presetName))
    }
    for schema in vocabulary.schemas(cursor.container, in: patch).flatMap(vocabulary.alternatives) {
      for member in schema["properties"]?.members ?? []
      where allowed?.contains(member.name) != false && seen.insert(member.name).inserted {
        let summary = vocabulary.summary(cursor.container + [member.name], in: patch)
        proposals.append(
          Proposal(value: .string(member.name), kind: .property, detail: summary?.text ?? ""))
      }
    }
    return free(proposals, cursor)
  }

  /// The keys that a preset may have in the place of a node or of a bus; `nil` where a preset has
  /// the same keys as a patch.
  private func presetKeys(_ container: [String]) -> [String]? {
    guard patch.isPreset else { return nil }
    switch container.count {
    case 2: return PatchGrammar.preset.keys
    case 4 where container[2] == "inputs" || container[2] == "outputs":
      return ["properties", "parameters", "comment"]
    default: return nil
    }
  }

  /// The proposals whose keys the object does not have yet.
  private func free(_ proposals: [Proposal], _ cursor: Cursor) -> [Proposal] {
    guard let object = patch.presentValue(cursor.container) else { return proposals }
    let keys = Set(
      object.members.filter { $0.key.range.lowerBound != cursor.token.lowerBound }
        .compactMap { $0.key.string })
    return proposals.filter { !keys.contains($0.value.text ?? "") }
  }

  // MARK: Values

  private func values(_ cursor: Cursor) -> [Proposal] {
    let path = cursor.path
    if let proposals = names(path, cursor) { return proposals }
    var proposals: [Proposal] = []
    if cursor.step == "streamFormat" {
      proposals = patch.names("streamFormats").map {
        Proposal(value: .string($0), kind: .name, detail: "a format of streamFormats")
      }
    }
    let isUnit = path.count == 3 && path[0] == "nodes" && path[2] == "component"
    var seen: Set<JSONText> = []
    for schema in vocabulary.schemas(path, in: patch).flatMap(vocabulary.alternatives) {
      let texts = schema["enumDescriptions"]?.elements ?? []
      for (index, value) in (schema["enum"]?.elements ?? []).enumerated()
      where seen.insert(value).inserted {
        proposals.append(
          Proposal(
            value: value, kind: isUnit ? .unit : .value,
            detail: index < texts.count ? texts[index].text ?? "" : ""))
      }
      let types = schema["type"].map { $0.elements.isEmpty ? [$0] : $0.elements } ?? []
      if types.contains("boolean") {
        for value: JSONText in [true, false] where seen.insert(value).inserted {
          proposals.append(Proposal(value: value, kind: .value))
        }
      }
      if let pattern = schema["pattern"]?.text, pattern.contains("^\\$[A-Za-z_]") {
        proposals += constants { seen.insert($0).inserted }
      }
      if let value = schema["const"], schema["description"] != nil, seen.insert(value).inserted {
        proposals.append(Proposal(value: value, kind: .value))
      }
      if let value = schema["default"], value.members.isEmpty, seen.insert(value).inserted {
        proposals.append(Proposal(value: value, kind: .value, detail: "the default"))
      }
    }
    return proposals
  }

  /// The constants of the patch, written as values: `"$name"`.
  private func constants(where isNew: (JSONText) -> Bool) -> [Proposal] {
    (patch.value(["constants"])?.members.map(\.self) ?? []).compactMap { key, value in
      guard let name = key.string, name != "comment" else { return nil }
      let text = JSONText.string("$\(name)")
      guard isNew(text) else { return nil }
      return Proposal(value: text, kind: .value, detail: JSONText(value).compact)
    }
  }

  /// Names for an address or a pointer; `nil` where the path takes neither.
  private func names(_ path: [String], _ cursor: Cursor) -> [Proposal]? {
    switch (path.first, path.count, path.last) {
    case ("connections", 3, "from"): return sources(besides: nil)
    case ("connections", 3, "to"): return buses(.input)
    case ("taps", 3, "at"): return buses(.output)
    case ("callbacks", 3, "from"):
      guard OpenPatch.pulls(patch.value(["callbacks", path[1], "kind"])?.string) else {
        return nil
      }
      return sources(besides: path[1])
    case ("timeline", 4, "path") where path[2] == "ramp":
      return parameters(cursor) + liveSettings(cursor) + knobs(cursor)
    case ("knobs", 2..., let last?) where !["min", "max", "comment"].contains(last):
      return parameters(cursor, isRamp: false) + liveSettings(cursor) + knobs(cursor)
    case ("timeline", 3..., _) where path[2] == "trigger":
      return patch.names("callbacks").compactMap { name in
        guard let kind = patch.value(["callbacks", name, "kind"])?.string,
          CallbackCatalog.description(of: kind)?.hasBeginning == true
        else { return nil }
        return Proposal(value: .string(name), kind: .variable, detail: "callback: \(kind)")
      }
    default: return nil
    }
  }

  private func sources(besides callback: String?) -> [Proposal] {
    patch.names("callbacks").filter { $0 != callback }.map { name in
      let kind = patch.value(["callbacks", name, "kind"])?.string
      return Proposal(
        value: .string(name), kind: .variable,
        detail: "callback" + (kind.map { ": \($0)" } ?? ""))
    } + buses(.output)
  }

  private func buses(_ scope: Scope) -> [Proposal] {
    patch.names("nodes").flatMap { name -> [Proposal] in
      let unit = Vocabulary.unit(nodes[name]?["component"])
      let detail = unit?.name ?? "node"
      let count = busCount(name, scope)
      return [Proposal(value: .string(name), kind: .variable, detail: detail)]
        + (count < 2
          ? []
          : (0..<count).map {
            Proposal(
              value: .string("\(name):\($0)"), kind: .variable, detail: "\(detail), \(scope) \($0)")
          })
        + OpenPatch.namedElements(of: nodes[name], isInput: scope == .input).map {
          Proposal(
            value: .string("\(name):\($0.name)"), kind: .variable,
            detail: "\(detail), \(scope) \($0.number)")
        }
    }
  }

  /// How many buses a node has in a scope, at most 64.
  private func busCount(_ node: String, _ scope: Scope) -> Int {
    let unit = Vocabulary.unit(nodes[node]?["component"])?.unit.description
    var count = (scope == .input ? unit?.inputs.count : unit?.outputs.count) ?? 1
    if (scope == .input ? unit?.inputs : unit?.outputs)?.settable != nil,
      let written = nodes[node]?["\(scope)Count"]?.integer
    {
      count = written
    }
    return min(max(count, 0), 64)
  }

  /// Pointers to the settings that can ramp, of the callbacks whose pointer fits what has been
  /// typed.
  private func liveSettings(_ cursor: Cursor) -> [Proposal] {
    let typed = patch.source[cursor.content]
    return patch.names("callbacks").flatMap { name -> [Proposal] in
      let start = "/callbacks/\(JSONPointer.escape(name))"
      guard typed.isEmpty || start.hasPrefix(typed) || typed.hasPrefix(start),
        let kind = patch.value(["callbacks", name, "kind"])?.string,
        let description = CallbackCatalog.description(of: kind)
      else { return [] }
      return description.settings.filter { $0.change == .ramp }.flatMap { info -> [Proposal] in
        let keys: [String]
        if info.kind == .numbers {
          keys = (patch.value(["callbacks", name, info.key])?.members.map(\.key.string) ?? [])
            .compactMap(\.self).filter { $0 != "comment" }
            .map { "\(info.key)/\(JSONPointer.escape($0))" }
        } else {
          keys = [info.key]
        }
        return keys.map {
          Proposal(value: .string("\(start)/\($0)"), kind: .property, detail: info.summary)
        }
      }
    }
  }

  /// Pointers to the knobs of the sub-graphs whose pointer fits what has been typed.
  private func knobs(_ cursor: Cursor) -> [Proposal] {
    let typed = patch.source[cursor.content]
    return patch.names("nodes").flatMap { name -> [Proposal] in
      let start = "/nodes/\(JSONPointer.escape(name))"
      guard typed.isEmpty || start.hasPrefix(typed) || typed.hasPrefix(start) else { return [] }
      return patch.knobs(of: name).map { knob in
        Proposal(
          value: .string("\(start)/parameters/\(JSONPointer.escape(knob.name))"), kind: .property,
          detail: OpenPatch.summary(of: knob))
      }
    }
  }

  /// Pointers to the parameters of the nodes whose pointer fits what has been typed.
  ///
  /// - Parameter isRamp: Whether to offer only parameters that can ramp, and the levels of
  ///   matrices.
  private func parameters(_ cursor: Cursor, isRamp: Bool = true) -> [Proposal] {
    let typed = patch.source[cursor.content]
    return patch.names("nodes").flatMap { name -> [Proposal] in
      let start = "/nodes/\(JSONPointer.escape(name))"
      guard typed.isEmpty || start.hasPrefix(typed) || typed.hasPrefix(start),
        let unit = Vocabulary.unit(nodes[name]?["component"])?.unit.description
      else { return [] }
      let bands = nodes[name]?["bands"].map { Array($0.elements).count } ?? 0
      return unit.parameters.filter {
        !$0.isReadOnly && ($0.canRamp || !isRamp)
          && (!$0.isOfBand || (Int($0.path[1]) ?? 0) < bands)
      }.flatMap { info -> [Proposal] in
        let places =
          switch info.scope {
          case .global: [start]
          case .input: (0..<busCount(name, .input)).map { "\(start)/inputs/\($0)" }
          case .output: (0..<busCount(name, .output)).map { "\(start)/outputs/\($0)" }
          }
        return places.map {
          Proposal(
            value: .string("\($0)/\(info.path.joined(separator: "/"))"), kind: .property,
            detail: info.summary)
        }
      } + (isRamp ? levels(of: name, unit, at: start) : [])
    }
  }

  /// Pointers to the levels that a node's matrix has in the text.
  private func levels(of name: String, _ unit: UnitDescription, at start: String) -> [Proposal] {
    unit.properties.flatMap { info -> [Proposal] in
      guard case .rows = info.kind,
        let rows = patch.value(["nodes", name, "properties", info.key])?.elements
      else { return [] }
      return rows.enumerated().flatMap { row, levels in
        levels.elements.enumerated().map { column, _ in
          Proposal(
            value: .string("\(start)/properties/\(info.key)/\(row)/\(column)"), kind: .property,
            detail: info.summary)
        }
      }
    }
  }
}
