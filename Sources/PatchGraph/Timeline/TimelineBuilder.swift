import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderHost

/// Gives a graph the timeline of its document.
struct TimelineBuilder {
  let document: PatchDocument
  let graph: AudioGraph
  let nodes: [String: NodeID]
  /// Names of nodes that something is wrong with: no one complains that they are not there.
  let failedNames: Set<String>
  /// The part of the timeline that the graph is there for.
  let epoch: TimelineEpoch
  private let clock: TimelineClock
  private var hasMissedTempo = false
  /// The ramps that could be added, for what they begin at.
  private var added: [(ramp: ParameterRamp, to: JSONValue)] = []
  private(set) var diagnostics: [Diagnostic] = []

  init(
    document: PatchDocument, graph: AudioGraph, nodes: [String: NodeID], failedNames: Set<String>,
    epoch: TimelineEpoch?
  ) {
    self.document = document
    self.graph = graph
    self.nodes = nodes
    self.failedNames = failedNames
    clock = TimelineClock(document, sampleRate: graph.grant.sampleRate)
    self.epoch = epoch ?? Self.first(of: document, clock)
  }

  /// What comes before the first update.
  private static func first(
    of document: PatchDocument, _ clock: TimelineClock
  ) -> TimelineEpoch {
    let order = clock.order(of: document)
    let steps = order.prefix { document.timeline[$0].update == nil }
    let update = order.dropFirst(steps.count).first.flatMap { document.timeline[$0].at }
    return TimelineEpoch(
      steps: Set(steps), earlier: [], start: 0,
      end: update.flatMap { clock.seconds($0.value) } ?? .infinity)
  }

  mutating func build(in places: PatchPlaces) {
    for (index, step) in document.timeline.enumerated() {
      let at = step.at.flatMap { seconds($0) }
      if step.stop?.value == true, let at { graph.stopTime = min(at, graph.stopTime ?? at) }
      guard let ramp = step.ramp else { continue }
      let duration = ramp.duration.map { seconds($0) } ?? 0
      let curve = curve(of: ramp)
      guard let at, let duration, let curve else { continue }
      let isEarlier = step.isOfSubgraph ? at < epoch.start : epoch.earlier.contains(index)
      let isNow =
        step.isOfSubgraph ? at >= epoch.start && at < epoch.end : epoch.steps.contains(index)
      guard isNow || isEarlier && at + duration > epoch.start else { continue }
      add(ramp, at: at, duration: duration, curve, in: places)
    }
    checkExponentials()
  }

  // MARK: Times and curves

  private mutating func seconds(_ time: Located<PatchDocument.Time>) -> Double? {
    if let seconds = clock.seconds(time.value) { return seconds }
    // Of a tempo that is wrong it has been said.
    if !hasMissedTempo, document.root["tempo"] == nil {
      hasMissedTempo = true
      diagnostics.append(
        TimelineRules.tempo.diagnostic(
          "the patch counts in beats and has no tempo", at: time.json.markRange,
          pointer: time.pointer, label: "how long is a beat?",
          help: ["add \"tempo\": 120 to the patch: beats per minute"]))
    }
    return nil
  }

  private mutating func curve(of ramp: PatchDocument.Ramp) -> ParameterRamp.Curve? {
    guard let written = ramp.curve else { return ramp.json["curve"] == nil ? .linear : nil }
    if let curve = ParameterRamp.Curve(rawValue: written.value) { return curve }
    let names = ParameterRamp.Curve.allCases.map(\.rawValue)
    diagnostics.append(
      TimelineRules.curve.diagnostic(
        .init("there is no curve \(quoted(written.value))"), at: written.range,
        pointer: written.pointer,
        label: didYouMean(written.value, among: names).map { .init($0) } ?? "unknown curve",
        help: ["the curves are: " + names.joined(separator: ", ")],
        fixes: written.json.correction(of: written.value, among: names)))
    return nil
  }

  /// Where it is known what an exponential ramp begins at, it has to be on the side of zero where it
  /// ends.
  private mutating func checkExponentials() {
    let sorted = added.sorted { $0.ramp.start < $1.ramp.start }
    for (index, (ramp, to)) in sorted.enumerated() where ramp.curve == .exponential {
      let before = sorted[..<index].last { $0.ramp.movesSame(as: ramp) }
      // That it is 0 there has been said.
      if let before, before.ramp.curve == .exponential, before.ramp.target == 0 { continue }
      let origin =
        before?.ramp.target
        ?? (epoch.start == 0
          ? try? graph.unit(ramp.node).parameter(ramp.parameter, ramp.scope, ramp.element) : nil)
      if ramp.target == 0 {
        reportZero(at: to, "an exponential ramp never reaches 0")
      } else if let origin, origin * ramp.target <= 0 {
        reportZero(
          at: to,
          origin == 0
            ? "an exponential ramp cannot leave 0, where it begins"
            : "an exponential ramp does not cross 0: it begins at \(origin)")
      }
    }
  }

  private mutating func reportZero(at to: JSONValue, _ message: String) {
    diagnostics.append(
      TimelineRules.curve.diagnostic(
        .init(message), at: to.markRange, pointer: to.pointer.description,
        help: [
          "begin or end at a small value, such as 0.0001, which is -80 dB, or leave \"curve\" out"
        ]))
  }

  private mutating func add(
    _ ramp: PatchDocument.Ramp, at start: Double, duration: Double, _ curve: ParameterRamp.Curve,
    in places: PatchPlaces
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
    let resolved = ParameterRamp(
      target.info.id, target.info.scope, target.element, of: target.node, to: value,
      at: start, duration: duration, curve: curve)
    do throws(Violation) {
      try graph.addRamp(resolved)
      added.append((resolved, to))
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
