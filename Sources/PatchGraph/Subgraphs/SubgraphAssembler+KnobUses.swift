import AudioTypes
import Diagnostics
import PatchSyntax

/// Sets and ramps the knobs of sub-graphs from the patches around them.
extension SubgraphAssembler {
  /// A place where a knob of a sub-graph is set or ramped.
  struct KnobUse {
    var subgraph: String
    var knob: String
    var json: JSONValue
  }

  /// A parameter that an outer patch sets or ramps by its place, without a knob.
  struct DirectSetting {
    var place: JSONPointer
    /// The node or callback that has the parameter, by its name in the whole patch.
    var owner: String
    /// The prefix of the names of the patch that writes it.
    var writer: String
    var json: JSONValue
  }

  // MARK: Settings

  /// Sets the knobs of a sub-graph to the values that the patch around it writes.
  mutating func setKnobs(
    of member: PatchDocument.Member<PatchDocument.Node>, _ child: Child, in level: Level
  ) {
    let name = child.subgraph.name
    for field in member.value.parameters {
      guard let knob = self.knob(field.name, of: name, at: field.key.json, field.key.range),
        !knob.targets.isEmpty
      else { continue }
      if let problem = knob.problem(with: field.value) {
        report(.knobValue(field.name, problem, at: field.value))
        continue
      }
      for target in knob.targets {
        put(field, in: target)
        knobUses[target.place, default: []].append(
          KnobUse(subgraph: name, knob: field.name, json: field.key.json))
      }
      recordValue(field.value, forKnob: field.name, of: name)
    }
    // Its "settings" may set the same parameters by their places.
    guard let inner = levels[child.subgraph.prefix] else { return }
    for setting in member.value.settings {
      guard let pointer = JSONPointer(parsing: setting.name),
        case .targets(let targets) = find(pointer.tokens, in: inner)
      else { continue }
      let owner = Self.owner(pointer.tokens, after: child.subgraph.prefix)
      for target in targets {
        directSettings.append(
          .init(
            place: target.place, owner: owner, writer: level.prefix, json: setting.key.json))
      }
    }
  }

  /// The knob with a name; `nil`, which is reported, where there is none.
  private mutating func knob(
    _ name: String, of subgraph: String, at json: JSONValue, _ range: SourceRange,
    token: (Int, JSONPointer)? = nil
  ) -> ResolvedKnob? {
    guard let there = knobs[subgraph] else { return nil }
    if let knob = there[name] { return knob }
    let names = levels[subgraph + "/"]?.document.knobs.map(\.name) ?? []
    let local = result.local(subgraph, around: json)
    report(
      NameRules.knobKnown.diagnostic(
        "the sub-graph \(quoted(local)) has no knob \(quoted(name))", at: range,
        pointer: json.pointer.description,
        label: didYouMean(name, among: names).map { .init($0) } ?? "not declared in its patch",
        help: [Self.list(names)],
        fixes: token.map { json.correction(ofToken: $0.0, in: $0.1, among: names) }
          ?? json.correction(of: name, among: names)))
    return nil
  }

  private mutating func recordValue(_ value: JSONValue, forKnob name: String, of subgraph: String) {
    guard var noted = result.subgraphs.last(where: { $0.name == subgraph })?.knobs,
      let index = noted.firstIndex(where: { $0.name == name })
    else { return }
    noted[index].value = value
    result.setKnobs(noted, ofSubgraph: subgraph)
  }

  /// The node or callback whose setting a pointer leads to.
  private static func owner(_ tokens: [String], after prefix: String) -> String {
    guard tokens.count > 1 else { return prefix }
    var name = prefix + tokens[1]
    var rest = tokens.dropFirst(2)
    while rest.count > 2, let first = rest.first, ["nodes", "callbacks"].contains(first),
      let next = rest.dropFirst().first
    {
      name += "/" + next
      rest = rest.dropFirst(2)
    }
    return name
  }

  /// Replaces the value of a parameter or a setting.
  private mutating func put(_ field: PatchDocument.Field, in target: KnobTarget) {
    let tokens = target.place.tokens
    let value = PatchDocument.Field(
      Located(tokens[tokens.count - 1], at: field.key.json), field.value)
    func isSame(_ other: PatchDocument.Field) -> Bool {
      let constant = target.setting.constant
      return other.name == value.name || !constant.isEmpty && other.name == constant
    }
    func put(_ fields: inout [PatchDocument.Field]) {
      fields.removeAll(where: isSame)
      fields.append(value)
    }
    if tokens[0] == "callbacks" {
      guard let index = result.callbacks.lastIndex(where: { $0.name == tokens[1] }) else { return }
      if tokens.count == 4 {
        put(&result.callbacks[index].value.turnedMembers[tokens[2], default: []])
      } else {
        put(&result.callbacks[index].value.fields)
      }
      return
    }
    guard let index = result.nodes.lastIndex(where: { $0.name == tokens[1] }) else { return }
    switch tokens[2] {
    case "parameters": put(&result.nodes[index].value.parameters)
    case "bands":
      guard let band = Int(tokens[3]), var bands = result.nodes[index].value.bands,
        bands.value.indices.contains(band)
      else { return }
      put(&bands.value[band].parameters)
      result.nodes[index].value.bands = bands
    case "inputs": Self.put(&result.nodes[index].value.inputs, tokens[3], field, put)
    default: Self.put(&result.nodes[index].value.outputs, tokens[3], field, put)
    }
  }

  private static func put(
    _ elements: inout [PatchDocument.Element], _ bus: String, _ field: PatchDocument.Field,
    _ put: (inout [PatchDocument.Field]) -> Void
  ) {
    guard let number = Int(bus) else { return }
    let index = elements.firstIndex { $0.bus.value == number } ?? elements.count
    if index == elements.count {
      elements.append(.init(unwritten: Located(number, at: field.key.json), at: field.value))
    }
    put(&elements[index].parameters)
  }

  // MARK: The timeline

  /// Replaces the paths of ramped knobs by those of their targets.
  mutating func resolveKnobRamps() {
    for index in result.timeline.indices {
      guard let ramp = result.timeline[index].ramp, let path = ramp.path else { continue }
      let tokens = path.value.tokens
      let writer = result.prefix(around: path.json)
      guard tokens.count == 4, tokens[0] == "nodes", tokens[2] == "parameters",
        knobs[tokens[1]] != nil
      else {
        if !knobs.isEmpty {
          directSettings.append(
            .init(
              place: path.value, owner: Self.owner(tokens, after: ""), writer: writer,
              json: path.json))
        }
        continue
      }
      let written = path.json.string.flatMap { JSONPointer(parsing: $0) } ?? path.value
      let last = written.tokens.count - 1
      let isFirst = result.timeline[index].repetitionIndex == 0
      guard isFirst || knobs[tokens[1]]?[tokens[3]] != nil,
        let knob = self.knob(
          tokens[3], of: tokens[1], at: path.json, path.range, token: (last, written)),
        let first = knob.targets.first
      else {
        result.timeline[index].ramp?.path = nil
        continue
      }
      if let to = ramp.to, let problem = knob.problem(with: to) {
        if isFirst { report(.knobValue(tokens[3], problem, at: to)) }
        result.timeline[index].ramp?.path = nil
        continue
      }
      result.timeline[index].ramp?.path = Located(first.place, at: path.json)
      result.timeline[index].ramp?.otherPaths = knob.targets.dropFirst().map {
        Located($0.place, at: path.json)
      }
      for target in knob.targets {
        knobUses[target.place, default: []].append(
          KnobUse(subgraph: tokens[1], knob: tokens[3], json: path.json))
      }
    }
  }

  // MARK: Conflicts

  /// Reports parameters that are set both by a knob and by their place, or by two knobs of one
  /// sub-graph.
  mutating func checkKnobConflicts() {
    for setting in directSettings {
      guard
        let use = knobUses[setting.place]?.first(where: { use in
          setting.owner.hasPrefix(use.subgraph + "/")
            && !setting.writer.hasPrefix(use.subgraph + "/")
        })
      else { continue }
      reportKnobConflict(
        "\(quoted(setting.place.tokens.last ?? "")) is turned by the knob \(quoted(use.knob))",
        at: setting.json, use)
    }
    for place in knobUses.keys.sorted(by: { $0.description < $1.description }) {
      let all = knobUses[place] ?? []
      for (index, use) in all.enumerated() {
        guard
          let other = all[..<index].first(where: {
            $0.subgraph == use.subgraph && $0.knob != use.knob
          })
        else { continue }
        reportKnobConflict(
          "\(quoted(use.knob)) turns what the knob \(quoted(other.knob)) turns",
          at: use.json, other)
        break
      }
    }
  }

  private mutating func reportKnobConflict(_ message: String, at json: JSONValue, _ other: KnobUse)
  {
    report(
      NameRules.knobApart.diagnostic(
        .init(message), at: json.markRange, pointer: json.pointer.description,
        label: "and set here as well", notes: [.init("turned here", at: other.json.markRange)],
        help: ["leave one of the two out"]))
  }
}

extension Diagnostic {
  fileprivate static func knobValue(
    _ name: String, _ problem: String, at json: JSONValue
  ) -> Diagnostic {
    NameRules.knobValue.diagnostic(
      "the knob \(quoted(name)) \(problem)", at: json.markRange,
      pointer: json.pointer.description, help: ["its range is that of what it turns, or narrower"])
  }
}
