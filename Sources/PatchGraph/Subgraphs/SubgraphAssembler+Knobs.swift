import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Knobs: the patch of a sub-graph declares them, and the patches around it set them.
///
/// The value of a knob replaces that of the parameter. The result is the same as if the patch had
/// set the parameter itself.
extension SubgraphAssembler {
  /// The result of following a knob's pointer.
  enum Finding {
    case targets([KnobTarget])
    /// The target has an error that is reported elsewhere.
    case doubtful
    /// No target: a sentence, help, and the names that a token of the pointer may have meant.
    case nothing(String, help: [String], token: Int, names: [String])
  }

  // MARK: Declarations

  /// Finds the targets of a patch's knobs, once its sub-graphs have been put in.
  mutating func resolveKnobs(of level: Level) {
    levels[level.prefix] = level
    var found: [String: ResolvedKnob] = [:]
    for member in level.document.knobs where found[member.name] == nil {
      found[member.name] = resolved(member, in: level)
    }
    guard let subgraph = level.subgraph else { return }
    knobs[subgraph.name] = found
    result.setKnobs(
      level.document.knobs.compactMap { member in
        found[member.name].map { knob in
          .init(
            name: member.name, places: knob.targets.map(\.place), range: knob.narrowed, value: nil)
        }
      }, ofSubgraph: subgraph.name)
  }

  private mutating func resolved(
    _ member: PatchDocument.Member<PatchDocument.Knob>, in level: Level
  ) -> ResolvedKnob {
    var knob = ResolvedKnob(name: member.key)
    for pointer in member.value.turns {
      switch find(pointer.value.tokens, in: level) {
      case .targets(let targets):
        if let first = knob.targets.first,
          let other = targets.first(where: { $0.setting.unit != first.setting.unit })
        {
          report(
            NameRules.knobTarget.diagnostic(
              "\(quoted(first.key)) and \(quoted(other.key)) are measured in different units",
              at: pointer.range, pointer: pointer.pointer, label: "another unit",
              help: ["a knob has one unit: declare two knobs"]))
          return ResolvedKnob(name: member.key)
        }
        knob.targets += targets
      case .doubtful: return ResolvedKnob(name: member.key)
      case .nothing(let message, let help, let token, let names):
        report(
          NameRules.knobTarget.diagnostic(
            .init(message), at: pointer.range, pointer: pointer.pointer,
            label: names.isEmpty
              ? nil
              : didYouMean(pointer.value.tokens[token], among: names).map { .init($0) },
            help: help,
            fixes: pointer.json.correction(ofToken: token, in: pointer.value, among: names)))
        return ResolvedKnob(name: member.key)
      }
    }
    guard let first = knob.targets.first else { return knob }
    let (low, isLowRight) = bound(member.value.min, "'min'", knob, first)
    let (high, isHighRight) = bound(member.value.max, "'max'", knob, first)
    if let low, let high, low > high, let json = member.value.max {
      report(
        NameRules.knobRange.diagnostic(
          "'max' is below 'min'", at: json.markRange, pointer: json.pointer.description,
          help: ["write the lesser one as 'min'"]))
      return ResolvedKnob(name: member.key)
    }
    guard isLowRight, isHighRight else { return ResolvedKnob(name: member.key) }
    knob.low = low
    knob.high = high
    return knob
  }

  /// One end of a knob's range, and whether it is free of errors.
  private mutating func bound(
    _ json: JSONValue?, _ name: String, _ knob: ResolvedKnob, _ first: KnobTarget
  ) -> (Double?, Bool) {
    guard let json else { return (nil, true) }
    guard let value = first.number(json) else {
      report(
        NameRules.knobRange.diagnostic(
          "\(name) of this knob is \(first.setting.writtenExpectation)", at: json.markRange,
          pointer: json.pointer.description, help: ["write it as \(quoted(first.key)) is written"]))
      return (nil, false)
    }
    guard let narrower = knob.targets.first(where: { !$0.accepts(value) }) else {
      return (value, true)
    }
    report(
      NameRules.knobRange.diagnostic(
        "\(quoted(narrower.key)) does not go there: it takes \(narrower.setting.expectation)",
        at: json.markRange, pointer: json.pointer.description, label: "out of its range",
        help: ["a knob may narrow the range of what it turns, and not widen it"]))
    return (nil, false)
  }

  // MARK: Targets

  /// Finds the targets of a knob's pointer in one of the patches.
  func find(_ tokens: [String], in level: Level) -> Finding {
    let places =
      "write /nodes/NAME/parameters/KEY, /nodes/NAME/inputs/BUS/parameters/KEY or /callbacks/NAME/KEY"
    func noPlace() -> Finding {
      .nothing("this is not the place of a parameter", help: [places], token: 0, names: [])
    }
    guard tokens.count > 1 else { return noPlace() }
    switch tokens[0] {
    case "callbacks": return callback(tokens, in: level) ?? noPlace()
    case "nodes": break
    default: return noPlace()
    }
    let name = tokens[1]
    if let child = level.children[name] { return find(tokens, inside: child) ?? noPlace() }
    guard let node = level.document.nodes.first(where: { $0.name == name })?.value else {
      return .nothing(
        "the patch has no node \(quoted(name))", help: [], token: 1,
        names: level.document.nodes.map(\.name))
    }
    guard node.subgraph == nil, let unit = ComponentResolver.unit(node.component?.value) else {
      return .doubtful
    }
    return parameter(tokens, of: node, unit.description, in: level) ?? noPlace()
  }

  /// A place in a sub-graph: one of its knobs, or a setting inside it.
  private func find(_ tokens: [String], inside child: Child) -> Finding? {
    let subgraph = child.subgraph
    let rest = Array(tokens.dropFirst(2))
    if rest.count == 2, rest[0] == "parameters" {
      guard let there = knobs[subgraph.name] else { return .doubtful }
      guard let knob = there[rest[1]] else {
        let names = child.document.knobs.map(\.name)
        return .nothing(
          "the sub-graph \(quoted(tokens[1])) has no knob \(quoted(rest[1]))",
          help: [Self.list(names)], token: 3, names: names)
      }
      return knob.targets.isEmpty ? .doubtful : .targets(knob.targets)
    }
    guard let first = rest.first, ["nodes", "callbacks"].contains(first) else { return nil }
    guard let inner = levels[subgraph.prefix] else { return .doubtful }
    guard case .nothing(let message, let help, let token, let names) = find(rest, in: inner) else {
      return find(rest, in: inner)
    }
    return .nothing(message, help: help, token: token + 2, names: names)
  }

  private func parameter(
    _ tokens: [String], of node: PatchDocument.Node, _ unit: UnitDescription, in level: Level
  ) -> Finding? {
    let (name, rest) = (tokens[1], Array(tokens.dropFirst(2)))
    var scope = Scope.global
    switch rest.count {
    case 2 where rest[0] == "parameters": break
    case 3 where rest[0] == "bands": break
    case 4 where rest[2] == "parameters" && ["inputs", "outputs"].contains(rest[0]):
      scope = rest[0] == "inputs" ? .input : .output
      guard let bus = PatchReader.bus(rest[1]) else { return nil }
      let written = scope == .input ? node.inputCount : node.outputCount
      let count = written?.value ?? (scope == .input ? unit.inputs : unit.outputs).count
      if bus >= count {
        return .nothing(
          "\(quoted(name)) has no \(scope) \(String(bus))",
          help: ["it has \(String(count)), counted from 0"], token: 3, names: [])
      }
    default: return nil
    }
    let isOfBand = rest[0] == "bands"
    let key = isOfBand ? rest.joined(separator: "/") : rest[rest.count - 1]
    let here = unit.parameters(in: scope).filter { !$0.isReadOnly && $0.isOfBand == isOfBand }
    let info = here.first { info in
      info.key == key || info.constant == key || isOfBand && Self.isSpelt(info, rest, unit)
    }
    guard let info else {
      if let read = unit.parameters(in: scope).first(where: { $0.key == key }), read.isReadOnly {
        return .nothing(
          "\(quoted(key)) of \(quoted(name)) is read, and not set", help: [], token: 0, names: [])
      }
      let keys = here.map { $0.path.last ?? $0.key }.reduce(into: [String]()) { keys, key in
        if !keys.contains(key) { keys.append(key) }
      }
      let last = rest[rest.count - 1]
      return .nothing(
        "the \(scope) scope of \(unit.name) has no parameter \(quoted(last))",
        help: keys.isEmpty ? [] : ["those that are there: " + keys.joined(separator: ", ")],
        token: tokens.count - 1, names: keys)
    }
    if isOfBand, node.bands?.value.indices.contains(Int(rest[1]) ?? -1) != true {
      return .nothing(
        "\(quoted(name)) has no band \(quoted(rest[1]))", help: ["write it under \"bands\""],
        token: 0, names: [])
    }
    let path = isOfBand ? info.path : Array(rest.dropLast()) + [info.key]
    return .targets([
      KnobTarget(
        setting: info.setting, key: info.path.last ?? info.key,
        place: JSONPointer(["nodes", level.prefix + name] + path))
    ])
  }

  /// Whether a path spells a parameter of a band by its `k…` name.
  private static func isSpelt(
    _ info: ParameterInfo, _ rest: [String], _ unit: UnitDescription
  ) -> Bool {
    guard info.path[1] == rest[1] else { return false }
    return unit.bands?.parameters.contains {
      $0.constant == rest[2] && $0.key == info.path.last
    } ?? false
  }

  private func callback(_ tokens: [String], in level: Level) -> Finding? {
    guard tokens.count > 2 else { return nil }
    let (name, rest) = (tokens[1], Array(tokens.dropFirst(2)))
    guard let callback = level.document.callbacks.first(where: { $0.name == name })?.value else {
      return .nothing(
        "the patch has no callback \(quoted(name))", help: [], token: 1,
        names: level.document.callbacks.map(\.name))
    }
    guard let kind = callback.kind?.value, let description = CallbackCatalog.description(of: kind)
    else { return .doubtful }
    let live = description.settings.filter { $0.change != .fixed }
    guard let info = live.first(where: { $0.key == rest[0] }),
      (info.kind == .numbers) == (rest.count == 2), rest.count < 3
    else {
      let keys = live.map(\.key)
      return .nothing(
        "\(quoted(rest.joined(separator: "/"))) of \(quoted(name)), a callback of the kind "
          + "\(quoted(kind)), is no setting that changes while it plays",
        help: keys.isEmpty ? [] : ["those that do: " + keys.joined(separator: ", ")],
        token: 2, names: rest.count == 1 ? keys : [])
    }
    if rest.count == 2 {
      let members =
        callback.fields.first { $0.name == info.key }?.value.members.compactMap(\.key.string) ?? []
      guard members.contains(rest[1]) else {
        return .nothing(
          "\(quoted(info.key)) of \(quoted(name)) has no \(quoted(rest[1]))", help: [], token: 3,
          names: members)
      }
    }
    let setting = LiveSetting(info, member: rest.count == 2 ? rest[1] : nil, value: 0)
    return .targets([
      KnobTarget(
        setting: setting.info, key: setting.key,
        place: JSONPointer(["callbacks", level.prefix + name] + rest))
    ])
  }

  static func list(_ names: [String]) -> String {
    names.isEmpty
      ? "its patch declares none, under 'knobs'"
      : "its knobs are: " + names.joined(separator: ", ")
  }
}
