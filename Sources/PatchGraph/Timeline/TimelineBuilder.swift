import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Adds the ramps and the end of a document's timeline to its graph.
struct TimelineBuilder {
  let document: PatchDocument
  let graph: AudioGraph
  let nodes: [String: NodeID]
  /// Names of nodes with errors: a reference to one is not reported as unknown.
  let failedNames: Set<String>
  /// The callbacks of the document by name, and the layout, which has the inputs that they feed.
  var callbacks: [String: PatchLayout.Link] = [:]
  var layout = PatchLayout()
  /// The part of the timeline that the graph is built for.
  let epoch: TimelineEpoch
  private let clock: TimelineClock
  private var hasMissedTempo = false
  /// Whether warnings about a ramp are reported: only for the first of its repetitions.
  private var reportsWarnings = true
  /// The ramps that were added, to check the values at which exponential ramps begin.
  private var added: [(ramp: ParameterRamp, to: JSONValue)] = []
  private var findings: Findings
  var diagnostics: [Diagnostic] { findings.all }
  /// Where each callback is in the chains that feed inputs.
  private lazy var callbackPlaces = layout.placesOfCallbacks()
  /// How the units will be initialized. Computed once, and only where a level of a matrix ramps.
  private lazy var configurations = graph.examination().configurations
  /// For each unknown node, the index of its diagnostic in `findings`; `nil` where that was not
  /// kept.
  private var unknown: [String: Int?] = [:]

  init(
    document: PatchDocument, graph: AudioGraph, nodes: [String: NodeID], failedNames: Set<String>,
    epoch: TimelineEpoch?, limits: PatchLimits
  ) {
    findings = Findings(limit: limits.findings)
    self.document = document
    self.graph = graph
    self.nodes = nodes
    self.failedNames = failedNames
    clock = TimelineClock(document, sampleRate: graph.grant.sampleRate)
    self.epoch = epoch ?? Self.first(of: document, clock)
  }

  /// The part of the timeline before the first update.
  private static func first(
    of document: PatchDocument, _ clock: TimelineClock
  ) -> TimelineEpoch {
    let order = clock.order(of: document)
    let steps = order.prefix { !document.timeline[$0].isUpdate }
    let update = order.dropFirst(steps.count).first.flatMap { document.timeline[$0].at }
    return TimelineEpoch(
      steps: Set(steps), earlier: [], start: 0,
      end: update.flatMap { clock.seconds($0.value) } ?? .infinity)
  }

  mutating func build(in places: PatchPlaces) {
    // In order of time, so that ramps of the same parameter follow each other.
    var ramps:
      [(
        step: PatchDocument.Step, ramp: PatchDocument.Ramp, at: Double, duration: Double,
        curve: ParameterRamp.Curve
      )] = []
    for (index, step) in document.timeline.enumerated() {
      if let every = step.repetition?.every, seconds(every) == nil { continue }
      let at = step.at.flatMap { seconds($0) }
      if step.stop?.value == true, let at { graph.stopTime = min(at, graph.stopTime ?? at) }
      guard canRepeat(step) || step.repetitionIndex == 0, let ramp = step.ramp else { continue }
      let duration = ramp.duration.map { seconds($0) } ?? 0
      // A curve with an error has been reported.
      let curve = ramp.curve?.value ?? (ramp.json["curve"] == nil ? .linear : nil)
      guard let at, let duration, let curve else { continue }
      let isEarlier = step.isOfSubgraph ? at < epoch.start : epoch.earlier.contains(index)
      let isNow =
        step.isOfSubgraph ? at >= epoch.start && at < epoch.end : epoch.steps.contains(index)
      guard isNow || isEarlier && at + duration > epoch.start else { continue }
      ramps.append((step, ramp, at, duration, curve))
    }
    let order = ramps.indices.sorted { (ramps[$0].at, $0) < (ramps[$1].at, $1) }
    /// Where ramps with errors are written: their repetitions are not reported again.
    var wrong: Set<SourceRange> = []
    for index in order {
      let (step, ramp, at, duration, curve) = ramps[index]
      let place = ramp.json.range
      guard step.repetition == nil || !wrong.contains(place) else { continue }
      reportsWarnings = step.repetitionIndex == 0
      for path in [ramp.path].compactMap(\.self) + ramp.otherPaths {
        guard !add(path, ramp, at: at, duration: duration, curve, in: places) else { continue }
        wrong.insert(place)
      }
    }
    checkExponentials()
  }

  /// Whether all repetitions of a step can take place; reports once where they cannot.
  private mutating func canRepeat(_ step: PatchDocument.Step) -> Bool {
    guard let repetition = step.repetition, !clock.canRepeat(step) else { return true }
    guard step.repetitionIndex == 0, !step.isOfSubgraph || epoch.start == 0 else { return false }
    let isApart = clock.repeatsApart(step)
    if isApart {
      let json = repetition.count.json
      findings.append(
        RampsApart.times.diagnostic(
          "the step is repeated for more than ten years", at: json.range,
          pointer: json.pointer.description, label: "too often",
          help: ["a graph is planned for ten years at most"]))
    } else {
      let json = repetition.every.json
      findings.append(
        RampsApart.rule.diagnostic(
          "the ramp is repeated before it has ended", at: json.markRange,
          pointer: json.pointer.description, label: "shorter than its 'duration'",
          help: ["let 'every' be as long as the 'duration', or longer"]))
    }
    return false
  }

  // MARK: Times

  private mutating func seconds(_ time: Located<PatchDocument.Time>) -> Double? {
    if let seconds = clock.seconds(time.value) { return seconds }
    // A tempo with an error has been reported.
    if !hasMissedTempo, document.root["tempo"] == nil {
      hasMissedTempo = true
      findings.append(
        TimelineRules.tempo.diagnostic(
          "the patch counts in beats and has no tempo", at: time.json.markRange,
          pointer: time.pointer, label: "how long is a beat?",
          help: ["add \"tempo\": 120 to the patch: beats per minute"],
          fixes: DocumentEdits.edit(
            [.set(JSONPointer(["tempo"]), "120")], in: document.root.tree
          ).map { [.init("add a tempo of 120", edits: [$0], isSafe: false)] } ?? []))
    }
    return nil
  }

  /// Reports exponential ramps that do not begin and end on the same side of zero, as far as their
  /// first values are known.
  private mutating func checkExponentials() {
    let sorted = added.sorted { $0.ramp.start < $1.ramp.start }
    /// The last ramp of each setting so far.
    var latest: [ParameterRamp.Target: (ramp: ParameterRamp, to: JSONValue)] = [:]
    for (ramp, to) in sorted {
      let before = latest.updateValue((ramp, to), forKey: ramp.movedTarget)
      guard ramp.curve == .exponential else { continue }
      // The ramp to 0 has been reported.
      if let before, before.ramp.curve == .exponential, before.ramp.target == 0 { continue }
      let origin =
        before?.ramp.target
        ?? (epoch.start == 0 ? value(of: ramp) : nil)
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

  /// The value of the parameter or setting of a ramp before any ramp.
  private func value(of ramp: ParameterRamp) -> Float? {
    guard let behind = ramp.callback else {
      return try? graph.unit(ramp.node).parameter(ramp.parameter, ramp.scope, ramp.element)
    }
    guard let instances = try? graph.callbacks(of: ramp.node, ramp.element),
      instances.indices.contains(behind)
    else { return nil }
    return instances[behind].settings.first { $0.id == ramp.parameter }.map { Float($0.value) }
  }

  private mutating func reportZero(at to: JSONValue, _ message: String) {
    findings.append(
      PatchRules.curve.diagnostic(
        .init(message), at: to.markRange, pointer: to.pointer.description,
        help: [
          "begin or end at a small value, such as 0.0001, which is -80 dB, or leave \"curve\" out"
        ]))
  }

  /// Adds a ramp. Returns `false`, and reports it, where it has an error.
  private mutating func add(
    _ path: Located<JSONPointer>, _ ramp: PatchDocument.Ramp, at start: Double, duration: Double,
    _ curve: ParameterRamp.Curve, in places: PatchPlaces
  ) -> Bool {
    guard let to = ramp.to else { return false }
    if path.value.tokens.first == "callbacks" {
      return addSettingRamp(path, to, at: start, duration: duration, curve, in: places)
    }
    guard let target = parameter(path) else { return false }
    guard let value = SettingReader.parameter(to, target.info) else {
      findings.append(
        SettingReader.wrongType(
          to, of: target.info.key, target.info.setting, UnitRules.parameterRange,
          status: .invalidParameter))
      return false
    }
    let resolved = ParameterRamp(
      target.info.id, target.info.scope, target.element, of: target.node, to: value,
      at: start, duration: duration, curve: curve)
    do throws(Violation) {
      try graph.addRamp(resolved)
      added.append((resolved, to))
      let unit = try graph.unit(target.node)
      if reportsWarnings,
        let warning = unit.warning(
          target.info.id, target.info.scope, target.element, target.info.wrapped(value))
      {
        findings.append(warning.at(node: target.node).diagnostic(in: places, at: to))
      }
    } catch {
      let isValue = error.rule == UnitRules.parameterRange
      findings.append(error.diagnostic(in: places, at: isValue ? to : path.json))
      return false
    }
    return true
  }

  // MARK: Live settings of callbacks

  /// Adds a ramp of a callback's setting at each input that the callback feeds.
  private mutating func addSettingRamp(
    _ path: Located<JSONPointer>, _ to: JSONValue, at start: Double, duration: Double,
    _ curve: ParameterRamp.Curve, in places: PatchPlaces
  ) -> Bool {
    guard let setting = liveSetting(path) else { return false }
    guard let value = to.number(for: setting.info),
      setting.accepts(value)
    else {
      findings.append(
        NameRules.setting.diagnostic(
          .init("\(quoted(setting.key)) takes \(setting.info.expectation)"),
          at: to.markRange, pointer: to.pointer.description, help: [setting.info.summary],
          fixes: to.unquoting(for: .number)))
      return false
    }
    var isRight = true
    for place in callbackPlaces[path.value.tokens[1]] ?? [] {
      guard let node = nodes[place.input.node] else { continue }
      let ramp = ParameterRamp(
        setting: setting.id, ofCallbackAt: place.input.bus, of: node, behind: place.behind,
        to: Float(value), at: start, duration: duration, curve: curve)
      do throws(Violation) {
        try graph.addRamp(ramp)
        added.append((ramp, to))
      } catch {
        findings.append(error.diagnostic(in: places, at: path.json))
        isRight = false
      }
    }
    return isRight
  }

  /// The setting that a pointer names: `/callbacks/NAME/KEY`, or `/callbacks/NAME/constants/KEY`.
  private mutating func liveSetting(_ path: Located<JSONPointer>) -> LiveSetting? {
    let tokens = path.value.tokens
    guard tokens.count > 2 else {
      report(path, "this is not the place of a setting")
      return nil
    }
    let name = tokens[1]
    guard let link = callbacks[name] else {
      guard !failedNames.contains(name) else { return nil }
      let names = document.callbacks.map(\.name)
      report(
        path, "the patch has no callback \(quoted(name))",
        help: [didYouMean(name, among: names)].compactMap(\.self),
        fixes: path.json.correction(ofToken: 1, in: path.value, among: names))
      return nil
    }
    let key = tokens.dropFirst(2).joined(separator: "/")
    let here = link.live.filter(\.canRamp).map(\.key)
    let list =
      here.isEmpty
      ? "nothing of it ramps: set it by an update of the timeline"
      : "those that ramp here are: " + here.joined(separator: ", ")
    if let setting = link.live.first(where: { $0.key == key }) {
      if setting.canRamp { return setting }
      findings.append(
        LiveSettingsMove.rule.diagnostic(
          .init("\(quoted(key)) does not ramp: it is one value or another"), at: path.range,
          pointer: path.pointer,
          help: ["set it by an update of the timeline", list]))
      return nil
    }
    let description = CallbackCatalog.description(of: link.kind)
    if tokens.count == 3, description?.settings.contains(where: { $0.key == key }) == true {
      findings.append(
        LiveSettingsMove.rule.diagnostic(
          .init("\(quoted(key)) of a callback of the kind \(quoted(link.kind)) does not ramp"),
          at: path.range, pointer: path.pointer,
          help: ["an update of the timeline can set it: the one sound fades into the other", list]))
      return nil
    }
    let guess = here.contains(key) ? nil : didYouMean(key, among: here)
    report(
      path,
      "\(quoted(name)), a callback of the kind \(quoted(link.kind)), has no setting "
        + quoted(key), help: [guess, list].compactMap(\.self),
      fixes: tokens.count == 3
        ? path.json.correction(ofToken: 2, in: path.value, among: here.filter { !$0.contains("/") })
        : [])
    return nil
  }

  // MARK: The path

  private struct Target {
    var node: NodeID
    var info: ParameterInfo
    var element: Int
  }

  /// The parameter that a pointer names: `/nodes/NAME/parameters/KEY`,
  /// `/nodes/NAME/inputs/BUS/parameters/KEY`, `/nodes/NAME/bands/N/KEY`, or a level of a matrix.
  private mutating func parameter(_ path: Located<JSONPointer>) -> Target? {
    let tokens = path.value.tokens
    guard tokens.first == "nodes", tokens.count > 1 else {
      report(path, "a ramp moves a parameter of a node, or a live setting of a callback")
      return nil
    }
    let name = tokens[1]
    guard let id = nodes[name], let unit = try? graph.unit(id) else {
      guard !failedNames.contains(name) else { return nil }
      let names = document.nodes.lazy.map { $0.name }
      if let first = unknown[name] {
        guard let first else { return nil }
        findings.change(first) {
          $0.add(
            "and here", at: path.range,
            $0.fixes.isEmpty
              ? [] : path.json.correction(ofToken: 1, in: path.value, among: names))
        }
        return nil
      }
      let place = findings.append(NameRules.timelinePath, at: path.range) {
        var diagnostic = NameRules.timelinePath.diagnostic(
          "the patch has no node \(quoted(name))", at: path.range, pointer: path.pointer,
          help: [didYouMean(name, among: names)].compactMap(\.self),
          fixes: path.json.correction(ofToken: 1, in: path.value, among: names))
        diagnostic.status = .nodeNotFound
        return diagnostic
      }
      unknown.updateValue(place, forKey: name)
      return nil
    }
    if tokens.count == 6, tokens[2] == "properties", let info = unit.info(named: tokens[3]),
      case .rows = info.kind
    {
      return matrixLevel(info, path, id, unit)
    }
    guard let place = place(Array(tokens.dropFirst(2))) else {
      report(path, "this is not the place of a parameter")
      return nil
    }
    guard let info = unit.parameterInfo(named: place.key, place.scope) else {
      let here = unit.description.parameters(in: place.scope).filter {
        $0.canRamp && $0.isOfBand == place.key.contains("/")
      }.map { $0.path.last ?? $0.key }.reduce(into: [String]()) { keys, key in
        if !keys.contains(key) { keys.append(key) }
      }
      let last = tokens.last ?? ""
      var help = [didYouMean(last, among: here)].compactMap(\.self)
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

  /// A level of a matrix by its row and column: `/nodes/NAME/properties/matrixLevels/ROW/COLUMN`.
  private mutating func matrixLevel(
    _ info: PropertyInfo, _ path: Located<JSONPointer>, _ id: NodeID, _ unit: UnitInstance
  ) -> Target? {
    let tokens = path.value.tokens
    guard case .matrix(let rows)? = try? unit.property(info.id), unit.hasSet(info.id, .global, 0)
    else {
      // Rows with an error have been reported.
      if document.root[JSONPointer(Array(tokens.prefix(4)))] == nil {
        report(
          path, "\(quoted(tokens[1])) is given no rows that a ramp could move a number of",
          help: ["write them: \"\(info.key)\": [[1, 0], [0, 1]]"])
      }
      return nil
    }
    guard let row = Int(tokens[4]), rows.indices.contains(row), String(row) == tokens[4],
      let column = Int(tokens[5]), rows[row].indices.contains(column), String(column) == tokens[5]
    else {
      report(
        path, "\(quoted(info.key)) of \(quoted(tokens[1])) has no number there",
        help: [
          "it has the rows 0 to \(rows.count - 1) of the numbers 0 to \(rows[0].count - 1): "
            + "/nodes/NAME/properties/\(info.key)/ROW/NUMBER"
        ])
      return nil
    }
    // The graph itself reports rows that do not fit.
    guard let configuration = configurations[id],
      let place = unit.parameter(ofLevel: row, column, in: configuration)
    else { return nil }
    let parameter = ParameterInfo(
      id: place.id, key: "\(info.key)/\(row)/\(column)", constant: info.constant,
      scope: place.scope, unit: .linearGain, range: 0...1, defaultValue: 0,
      isRangeEnforced: false, canRamp: true, summary: info.summary)
    return Target(node: id, info: parameter, element: place.element)
  }

  private func place(_ tokens: [String]) -> (scope: Scope, element: Int, key: String)? {
    switch tokens.count {
    case 2 where tokens[0] == "parameters": return (.global, 0, tokens[1])
    case 3 where tokens[0] == "bands": return (.global, 0, tokens.joined(separator: "/"))
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
    findings.append(
      NameRules.timelinePath.diagnostic(
        .init(message), at: path.range, pointer: path.pointer,
        help: help ?? [
          "write /nodes/NAME/parameters/KEY, or /nodes/NAME/inputs/BUS/parameters/KEY, or "
            + "/callbacks/NAME/KEY"
        ], fixes: fixes))
  }
}
