import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Gives a graph the timeline of its document.
struct TimelineBuilder {
  let document: PatchDocument
  let graph: AudioGraph
  let nodes: [String: NodeID]
  /// Names of nodes that something is wrong with: no one complains that they are not there.
  let failedNames: Set<String>
  private(set) var diagnostics: [Diagnostic] = []

  init(
    document: PatchDocument, graph: AudioGraph, nodes: [String: NodeID], failedNames: Set<String>
  ) {
    self.document = document
    self.graph = graph
    self.nodes = nodes
    self.failedNames = failedNames
  }

  mutating func build(in places: PatchPlaces) {
    for step in document.timeline {
      if let update = step.update {
        diagnostics.append(
          NameRules.notYet.diagnostic(
            "this version of patchrun has no updates in the timeline yet", at: update.markRange,
            pointer: update.pointer.description,
            help: ["a \"ramp\" moves a parameter, also at once: { \"path\": …, \"to\": … }"]))
      }
      if step.stop?.value == true, let at = step.at {
        graph.stopTime = min(at.value, graph.stopTime ?? at.value)
      }
      if let ramp = step.ramp, let at = step.at { add(ramp, at: at.value, in: places) }
    }
  }

  private mutating func add(
    _ ramp: PatchDocument.Ramp, at start: Double, in places: PatchPlaces
  ) {
    guard let path = ramp.path, let to = ramp.to, let target = parameter(path) else { return }
    guard let value = SettingReader.parameter(to, target.info) else {
      diagnostics.append(
        Diagnostic(
          .error, "PR0552",
          "\(quoted(target.info.key)) takes \(SettingReader.noun(target.info))", at: to.markRange,
          pointer: to.pointer.description,
          status: .init("kAudioUnitErr_InvalidParameter", -10878)))
      return
    }
    do throws(Violation) {
      try graph.addRamp(
        ParameterRamp(
          target.info.id, target.info.scope, target.element, of: target.node, to: value,
          at: start, duration: ramp.duration?.value ?? 0))
      let unit = try graph.unit(target.node)
      if let warning = unit.warning(target.info.id, target.info.scope, target.element, value) {
        diagnostics.append(warning.of(target.node).diagnostic(in: places, at: to))
      }
    } catch {
      let isValue = error.rule.code == "PR0552"
      diagnostics.append(error.diagnostic(in: places, at: isValue ? to : path.json))
    }
  }

  // MARK: The path

  private struct Target {
    var node: NodeID
    var info: ParameterInfo
    var element: Int
  }

  /// The parameter that a pointer names: `/nodes/NAME/parameters/KEY` or
  /// `/nodes/NAME/inputs/BUS/parameters/KEY`.
  private mutating func parameter(_ path: Located<JSONPointer>) -> Target? {
    let tokens = path.value.tokens
    guard tokens.first == "nodes", tokens.count > 1 else {
      report(path, "a ramp moves a parameter of a node")
      return nil
    }
    let name = tokens[1]
    guard let id = nodes[name], let unit = try? graph.unit(id) else {
      guard !failedNames.contains(name) else { return nil }
      report(
        path, "the patch has no node \(quoted(name))",
        help: [didYouMean(name, among: document.nodes.map(\.name))].compactMap(\.self),
        fixes: path.json.correction(
          ofToken: 1, in: path.value, among: document.nodes.map(\.name)))
      return nil
    }
    guard let place = place(Array(tokens.dropFirst(2))) else {
      report(path, "this is not the place of a parameter")
      return nil
    }
    guard let info = unit.parameterInfo(named: place.key, place.scope) else {
      let here = unit.description.parameters(in: place.scope).filter(\.canRamp).map(\.key)
      var help = [didYouMean(place.key, among: here)].compactMap(\.self)
      if !here.isEmpty { help.append("those that ramp here are: " + here.joined(separator: ", ")) }
      report(
        path,
        "the \(place.scope) scope of \(unit.description.name) has no parameter "
          + quoted(place.key), help: help,
        fixes: path.json.correction(ofToken: tokens.count - 1, in: path.value, among: here))
      return nil
    }
    return Target(node: id, info: info, element: place.element)
  }

  private func place(_ tokens: [String]) -> (scope: Scope, element: Int, key: String)? {
    switch tokens.count {
    case 2 where tokens[0] == "parameters": return (.global, 0, tokens[1])
    case 4 where tokens[2] == "parameters":
      guard let element = Int(tokens[1]), String(element) == tokens[1], element >= 0 else {
        return nil
      }
      switch tokens[0] {
      case "inputs": return (.input, element, tokens[3])
      case "outputs": return (.output, element, tokens[3])
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func report(
    _ path: Located<JSONPointer>, _ message: String, help: [String]? = nil,
    fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      NameRules.timelinePath.diagnostic(
        .init(message), at: path.range, pointer: path.pointer,
        help: help ?? [
          "write /nodes/NAME/parameters/KEY, or /nodes/NAME/inputs/BUS/parameters/KEY"
        ], fixes: fixes))
  }
}
