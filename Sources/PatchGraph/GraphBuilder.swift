import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps

/// One pass over a document: names first, then nodes, connections, settings, and last what the
/// graph itself finds.
struct GraphBuilder {
  let document: PatchDocument
  let graph: AudioGraph
  let surroundings: PatchSurroundings
  /// The part of the timeline that the document holds for; `nil` for what comes before an update.
  let epoch: TimelineEpoch?
  let limits: PatchLimits
  /// What is wrong. Of sub-graphs all of it: what stands in one that is used often is found as often, and
  /// summed up once it is known to be the same.
  private(set) var findings: Findings
  var diagnostics: [Diagnostic] { findings.all }
  /// How many callbacks the chains have that feed inputs, each counted as often as it does.
  private var linkCount = 0
  private(set) var inputFiles: [String] = []
  private(set) var outputFiles: [String] = []
  private var namedFiles = NamedFiles()
  var layout = PatchLayout()

  /// Those that callbacks name.
  private(set) var libraries: [BuiltPatch.Library] = []

  var places: PatchPlaces
  private var formats: FormatResolver
  var nodes: [String: NodeID] = [:]
  /// Whether two nodes have one name: it has been said.
  private var hasNamesakes = false
  /// The component that was named last, and its unit: many nodes in a row have one.
  private var lastComponent: (name: String, unit: any AudioUnit.Type)?
  var callbacks: [String: BuiltCallback] = [:]
  /// The same in the order in which they were made; those that have failed are among them.
  var madeCallbacks: [BuiltCallback] = []
  /// Names of nodes and callbacks that something is wrong with: no one complains that they are not
  /// there.
  var failedNames: Set<String> = []
  /// Nodes that lost what would have fed or taken from them, so that its absence is no news.
  var bereft: Set<NodeID> = []
  /// Nodes one of whose formats could not be set, so that what follows from it is no news.
  var unformatted: Set<NodeID> = []
  /// Whether the format of every bus that is given none could not be read: that a bus has none is no
  /// news then.
  var isDefaultMissing = false
  private var details: DetailBudget
  /// Of each sub-graph the format of every bus in it that is given none; `nil` for the patch's.
  private var defaultFormats: [StreamFormat?] = []
  /// Nodes of sub-graphs whose format for such buses could not be read.
  var defaultless: Set<NodeID> = []
  /// What could not be set: what is wrong with the value that stands there instead is no news.
  var unset: Set<Violation.Place> = []
  /// Whether the inputs of the nodes are more than there may be: then none are made.
  private var hasTooManyBuses = false
  /// Whether the callbacks that feed inputs are more than there may be: it has been said.
  private var hasTooManyLinks = false
  /// What could not be read: what follows from it is no news.
  let unread: UnreadParts
  /// Nodes of which a part could not be read.
  var unreadNodes: Set<NodeID> = []
  /// Whether what the session is granted is not known.
  var isSessionUnknown: Bool
  /// Formats that are set on inputs which take theirs from a connection: compared with what arrives,
  /// once that is known.
  var expectedFormats: [ExpectedFormat] = []
  /// Names that the patch does not have, each with the place of its diagnostic among those that were kept.
  private var unknownNames: [String: Int?] = [:]
  private lazy var callbackNames = Set(document.callbacks.lazy.map(\.name))
  /// Whether a connection leads nobody knows where: each input that nothing feeds may be meant.
  var hasLostDestination: Bool
  var hasGaps: Bool
  /// Whether what is neither wrong nor to be regretted is said as well.
  let saysNotes: Bool

  init(
    document: PatchDocument, graph: AudioGraph, surroundings: PatchSurroundings,
    unread: UnreadParts, saysNotes: Bool, epoch: TimelineEpoch?, limits: PatchLimits
  ) {
    self.epoch = epoch
    self.limits = limits
    findings = Findings(limit: document.subgraphs.isEmpty ? limits.findings : .max)
    details = DetailBudget(limit: limits.findings)
    self.document = document
    self.graph = graph
    self.surroundings = surroundings
    self.unread = unread
    self.saysNotes = saysNotes
    hasGaps = unread.isAny
    isSessionUnknown = unread.isSessionUnknown
    hasLostDestination = unread.hasLostConnections
    failedNames = unread.names
    places = PatchPlaces(root: document.root, nodes: document.nodes)
    formats = FormatResolver(
      document, sessionRate: graph.grant.sampleRate, findings: findings.limit,
      shown: limits.findings)
    failedNames.formUnion(document.unresolved)
  }

  mutating func build() {
    if !document.unresolved.isEmpty { hasGaps = true }
    checkSession()
    checkBuses()
    resolveFormats()
    if let format = document.streamFormat, let resolved = formats.resolve(format) {
      graph.defaultStreamFormat = resolved
    } else if document.root["streamFormat"] != nil || unread.isDefaultFormatLost {
      // Written, and wrong: what it is wrong in has been said.
      isDefaultMissing = true
      hasGaps = true
    }
    defaultFormats = document.subgraphs.map { $0.streamFormat.flatMap { formats.resolve($0) } }
    // Of a name that means two things neither is there: what leads to it could mean either.
    let ambiguous = ambiguousNames()
    failedNames.formUnion(ambiguous)
    callbacks.reserveCapacity(document.callbacks.count)
    madeCallbacks.reserveCapacity(document.callbacks.count)
    for index in document.callbacks.indices {
      let name = document.callbacks[index].key.value
      if !ambiguous.isEmpty, ambiguous.contains(name) { continue }
      if !failedNames.isEmpty, failedNames.contains(name) { continue }
      addCallback(document.callbacks[index])
    }
    try? graph.open()
    nodes.reserveCapacity(document.nodes.count)
    layout.reserveCapacity(
      nodes: document.nodes.count, feeds: document.connections.count)
    places.reserveCapacity(document.nodes.count + 2 * document.connections.count)
    var units: [(index: Int, id: NodeID, unit: UnitInstance)] = []
    units.reserveCapacity(document.nodes.count)
    for index in document.nodes.indices
    where ambiguous.isEmpty || !ambiguous.contains(document.nodes[index].name) {
      if let (id, unit) = addNode(index) { units.append((index, id, unit)) }
    }
    resolveFeeds()
    for connection in document.connections { connect(connection) }
    for (index, id, unit) in units {
      // Of two of one name, which is a mistake, the last has all that is set on either.
      if hasNamesakes, let last = nodes[document.nodes[index].name],
        let unit = try? graph.unit(last)
      {
        configure(index, last, unit)
      } else {
        configure(index, id, unit)
      }
    }
    for member in document.taps { addTap(member) }
    var timeline = TimelineBuilder(
      document: document, graph: graph, nodes: nodes,
      failedNames: failedNames.union(unknownNames.keys), epoch: epoch, limits: limits)
    if !document.timeline.isEmpty { timeline.callbacks = callbacks.mapValues(\.link) }
    timeline.layout = layout
    timeline.build(in: places)
    findings += timeline.diagnostics
    for member in hasGaps ? [] : unusedCallbacks {
      findings.append(NameRules.unusedCallback, at: member.key.range) {
        NameRules.unusedCallback.diagnostic(
          "the callback \(quoted(member.name)) feeds nothing", at: member.key.range,
          pointer: member.key.pointer,
          help: ["connect it: { \"from\": \"\(member.name)\", \"to\": \"…\" }, or remove it"])
      }
    }
    findings += formats.diagnostics
    reportViolations()
  }

  /// The callbacks that feed nothing.
  private var unusedCallbacks: [PatchDocument.Member<PatchDocument.Callback>] {
    // Those that have been made are in the order of the document.
    var next = 0
    return document.callbacks.indices.compactMap { index in
      if next < madeCallbacks.count,
        madeCallbacks[next].name == document.callbacks[index].key.value
      {
        next += 1
        if madeCallbacks[next - 1].isUsed { return nil }
      }
      return document.callbacks[index]
    }
  }

  /// Names that both a node and a callback have.
  private mutating func ambiguousNames() -> Set<String> {
    let callbacks = callbackNames
    guard !callbacks.isEmpty else { return [] }
    var names: Set<String> = []
    for index in document.nodes.indices {
      let name = document.nodes[index].key.value
      if callbacks.contains(name) { names.insert(name) }
    }
    return names
  }

  mutating func report(_ diagnostic: Diagnostic) { findings.append(diagnostic) }

  /// Reports a violation. Its edits are looked for only where it is kept, and as long as a patch of its
  /// size leaves time for it.
  mutating func report(_ violation: Violation, at json: JSONValue? = nil) {
    let value = json ?? places.value(violation.place)
    let isEdited =
      !violation.remedies.isEmpty && details.admits(violation.rule.code, at: value)
    var places = places
    if !isEdited { places.bytesLeftToEdit = 0 }
    let isKept = findings.append(violation.rule, at: value.markRange) { [places] in
      violation.diagnostic(in: places, at: json)
    }
    if isKept != nil, isEdited {
      self.places.bytesLeftToEdit -= document.source.bytes.count
    }
  }

  /// Says where the inputs of all nodes together are more than there may be.
  private mutating func checkBuses() {
    var total = 0
    for index in document.nodes.indices {
      guard let count = document.nodes[index].value.inputCount, count.value <= Self.mostInputs
      else { continue }
      total += count.value
      guard total > limits.buses else { continue }
      report(
        CostRules.buses.diagnostic(
          .init(
            "with these the nodes have more than \(Diagnostic.decimal(limits.buses)) inputs together"
          ), at: count.range, pointer: count.pointer,
          help: [limits.help(.buses, needed: Self.busCount(of: document))]))
      hasTooManyBuses = true
      hasGaps = true
      return
    }
  }

  /// What the "inputCount" of all nodes add up to.
  static func busCount(of document: PatchDocument) -> Int {
    document.nodes.indices.reduce(0) { sum, index in
      let count = document.nodes[index].value.inputCount?.value ?? 0
      return count <= mostInputs ? sum + count : sum
    }
  }

  /// How many inputs a node may have. A greater number is refused by the unit, and makes none.
  private static let mostInputs = 1024

  /// Looks up the formats that the patch has names for.
  mutating func resolveFormats() { formats.resolveDefinitions(document) }

  /// Whether something is wrong with a stream format that has been looked at.
  var hasWrongFormats: Bool { formats.diagnostics.hasErrors }

  // MARK: The session

  static let categories = SessionCategory.allCases.map {
    (name: $0.rawValue, hasInput: $0.permitsInput, hasOutput: $0.permitsOutput)
  }

  private mutating func checkSession() {
    if let rate = document.session?.value.preferredSampleRate,
      !PatchBuilder.hardwareRates.contains(rate.value)
    {
      isSessionUnknown = true
      report(
        NameRules.preferredRate.diagnostic(
          "no hardware runs at \(rate.json.numberText ?? "this") Hz", at: rate.range,
          pointer: rate.pointer,
          help: ["ask for 1000 to 768000 Hz: 44100 or 48000, as most do"]))
    }
    checkBufferDuration()
    checkSessionPolicy()
    checkLimits()
    guard let written = document.session?.value.category else { return }
    guard let category = Self.categories.first(where: { $0.name == written.value }) else {
      let names = Self.categories.map(\.name)
      report(
        NameRules.category.diagnostic(
          "there is no category \(quoted(written.value))", at: written.range,
          pointer: written.pointer,
          help: [didYouMean(written.value, among: names)].compactMap(\.self)
            + ["the categories are: " + names.joined(separator: ", ")],
          fixes: written.json.correction(of: written.value, among: names)))
      return
    }
    let request = PatchBuilder.request(of: document)
    guard request.isDevice, hasDeviceUnit else { return }
    for (wants, permits, side, better) in [
      (request.wantsInput, category.hasInput, "the microphone side", "playAndRecord"),
      (
        request.wantsOutput && !request.wantsInput || request.wantsOutput && isOutputFed,
        category.hasOutput, "the loudspeaker side", category.hasInput ? "playAndRecord" : "playback"
      ),
    ] where wants && !permits {
      report(
        NameRules.categoryPermits.diagnostic(
          .init(
            "the category \(quoted(written.value)) does not permit \(side) of an I/O unit, "
              + "which is on"), at: written.range, pointer: written.pointer,
          help: ["use the category \"\(better)\", or turn that side off"],
          fixes: [
            .init(
              "use the category \(quoted(better))",
              edits: [.init(written.range, "\"\(better)\"")], isSafe: false)
          ]))
    }
  }

  /// Whether there is an I/O unit: one that is misspelt has no sides that could be on.
  private var hasDeviceUnit: Bool {
    document.nodes.contains { node in
      ComponentResolver.unit(node.value.component?.value)?.description.property(.enableIO) != nil
    }
  }

  /// Durations that are hardly meant: in milliseconds, most likely.
  private mutating func checkBufferDuration() {
    guard let duration = document.session?.value.preferredIOBufferDuration else { return }
    let seconds = duration.value
    guard seconds > 0.5 || seconds < 0.001 else { return }
    let text = Quantity.text(seconds)
    let meant = Quantity.text(seconds / 1000)
    report(
      NameRules.bufferDuration.diagnostic(
        seconds < 0.001
          ? "a slice of \(text) s is shorter than a millisecond: no device grants it"
          : "a slice of \(text) s is longer than any device grants: \(meant) s was meant?",
        at: duration.range, pointer: duration.pointer,
        help: [
          "durations are in seconds, and devices grant 256 to 4096 frames: 0.006 to 0.09 s"
        ],
        fixes: seconds > 0.5
          ? [
            .init(
              "write \(meant), which is \(text) ms", edits: [.init(duration.range, meant)],
              isSafe: false)
          ] : []))
  }

  /// Whether a connection leads to the loudspeaker.
  private var isOutputFed: Bool {
    let outputs = Set(
      document.nodes.filter { node in
        !node.value.endsSubgraph
          && ComponentResolver.unit(node.value.component?.value)?.description.isOutput == true
      }.map(\.name))
    return document.connections.contains { connection in
      guard let to = connection.to?.value, (to.bus ?? 0) == 0 else { return false }
      return outputs.contains(to.node)
    }
  }

  // MARK: Callbacks

  mutating func addCallback(_ member: PatchDocument.Member<PatchDocument.Callback>) {
    guard let kind = member.value.kind else {
      failedNames.insert(member.name)
      hasGaps = true
      return
    }
    guard let description = CallbackCatalog.description(of: kind.value) else {
      failedNames.insert(member.name)
      hasGaps = true
      let names = CallbackCatalog.standard.map(\.kind)
      report(
        NameRules.callbackKind.diagnostic(
          "there is no callback of the kind \(quoted(kind.value))", at: kind.range,
          pointer: kind.pointer,
          help: [didYouMean(kind.value, among: names)].compactMap(\.self)
            + ["the kinds are: " + names.joined(separator: ", ")],
          fixes: kind.json.correction(of: kind.value, among: names)))
      return
    }
    // What it pulls, unless the kind has a setting of that name.
    let pulls = description.settings.contains { $0.key == "from" } ? [] : ["from"]
    let source = member.value.fields.first { pulls.contains($0.name) }?.value
    guard
      let values = settings(
        member.value.fields.filter { !pulls.contains($0.name) }, description.settings,
        owner: member.value.json, problems: description.problems)
    else {
      failedNames.insert(member.name)
      hasGaps = true
      return
    }
    guard var callback = try? description.makeCallback(values, files: surroundings.files) else {
      return
    }
    if var convolution = callback as? ConvolutionCallback {
      convolution.longestResponse = Double(limits.seconds)
      callback = convolution
    }
    if let native = callback as? NativeCallback {
      libraries.append(.init(path: native.path, symbol: native.symbol))
      callback = native.allowed(
        by: surroundings.nativeCode, processes: source != nil || member.value.pulled != nil)
      reportLateLibrary(native, member)
    }
    let paths = description.settings.filter { $0.kind == .path }.compactMap { setting in
      values[setting.key].flatMap { value -> (String, JSONValue)? in
        guard case .text(let path) = value else { return nil }
        let field = member.value.fields.first { $0.name == setting.key }
        return (path, field?.value ?? member.value.json)
      }
    }
    for (path, _) in paths {
      inputFiles.append(path)
      namedFiles.addRead(path)
    }
    guard mayRead(paths) else {
      failedNames.insert(member.name)
      hasGaps = true
      return
    }
    let built = BuiltCallback(
      member, callback, .init(name: member.name, description, values, callback),
      place: madeCallbacks.count)
    callbacks[member.name] = built
    madeCallbacks.append(built)
    if let pulled = member.value.pulled, callback.input != .none {
      built.from = pulled
    } else if let source {
      setFeed(built, source)
    } else if callback.input == .required {
      fail(member.name)
      reportNothingToPull(member, isExpression: description.input == .optional)
    }
  }

  /// The settings of a callback or a tap, paths made absolute or relative to the working
  /// directory; `nil` where something is wrong with them.
  private mutating func settings(
    _ fields: [PatchDocument.Field], _ infos: [SettingInfo], owner: JSONValue,
    isWritten: Bool = false, problems: ([String: SettingValue]) -> [CallbackProblem]
  ) -> [String: SettingValue]? {
    var values: [String: SettingValue] = [:]
    var isWhole = true
    var refused: Set<String> = []
    var resolvedBytes: [String: Int] = [:]
    for (key, value) in owner.members where value.kind == .invalid {
      guard let name = key.string else { continue }
      isWhole = false
      refused.insert(name)
      values[name] = infos.first { $0.key == name }?.defaultValue ?? .text(" ")
    }
    for field in fields {
      let info = infos.first { $0.key == field.name }
      if info?.kind == .numbers, field.value.kind == .object {
        let (numbers, areNumbers) = numbers(field.value)
        if !areNumbers { isWhole = false }
        values[field.name] = .numbers(numbers)
      } else if let number = field.value.number {
        values[field.name] = .number(number)
      } else if let flag = field.value.bool {
        values[field.name] = .boolean(flag)
      } else if let text = field.value.string {
        let isPath = info?.kind == .path && !text.isEmpty
        let value = isPath ? resolved(text, in: field.value, isWritten: isWritten) : text
        values[field.name] = .text(value)
        // What stands in front of what the patch says.
        resolvedBytes[field.name] = value.utf8.count - text.utf8.count
      } else {
        isWhole = false
        refused.insert(field.name)
        if field.value.kind != .invalid {
          report(
            NameRules.setting.diagnostic(
              "\(quoted(field.name)) must be \(info?.expectation ?? "a number or a text")",
              at: field.value.markRange, pointer: field.value.pointer.description))
        }
        values[field.name] = info?.defaultValue ?? .text(" ")
      }
    }
    let found = problems(values)
    let strange = fields.map(\.name).filter { name in !infos.contains { $0.key == name } }
    for candidate in found {
      var problem = candidate
      // A name that is misspelt is not missing as well.
      if let name = problem.setting, infos.contains(where: { $0.key == name }),
        !values.keys.contains(name), !refused.contains(name),
        owner.members.contains(where: { $0.key.kind == .invalid || $0.key.range.isEmpty })
          || strange.contains(where: { !nearMisses(to: $0, among: [name]).isEmpty })
      {
        isWhole = false
        continue
      }
      // A constant that has no name that an expression could have is the one that it misses.
      if let unknown = problem.unknown,
        found.contains(where: {
          $0.member.map { !nearMisses(to: $0, among: [unknown.name]).isEmpty } ?? false
        })
      {
        isWhole = false
        continue
      }
      let field = problem.setting.flatMap { key in fields.first { $0.name == key } }
      if let name = problem.setting, refused.contains(name) { continue }
      isWhole = false
      let isKnown = infos.contains { $0.key == problem.setting }
      let member = problem.member.flatMap { name in
        field?.value.members.first { $0.key.string == name }?.key
      }
      let place = member ?? field.map { isKnown ? $0.value : $0.key.json } ?? owner
      let guess =
        isKnown
        ? problem.unknown.flatMap { didYouMean($0.name, among: $0.candidates) }
        : problem.setting.flatMap { didYouMean($0, among: infos.map(\.key)) }
      if let name = problem.setting, resolvedBytes[name] != 0 {
        problem.range = problem.range.flatMap { range in
          let more = resolvedBytes[name] ?? 0
          return range.lowerBound >= more
            ? range.lowerBound - more..<range.upperBound - more : nil
        }
      }
      let part = problem.range.flatMap { range in
        place.kind == .string ? place.range(ofText: range) : nil
      }
      let plain = isKnown ? plainForm(of: place, problem, infos) : nil
      let rule = problem.kind == .takeName ? NameRules.takeName : NameRules.setting
      report(
        rule.diagnostic(
          .init(problem.message), at: part ?? place.markRange,
          pointer: place.pointer.description,
          help: [guess, plain?.help].compactMap(\.self)
            + (problem.help.isEmpty ? [] : [problem.help]),
          fixes: (plain?.fix).map { [$0] }
            ?? corrections(of: problem, at: place, isKnown: isKnown, infos)))
    }
    return isWhole ? values : nil
  }

  /// What a setting was meant to be that is a text with a number in it, or decibels for a factor.
  private func plainForm(
    of place: JSONValue, _ problem: CallbackProblem, _ infos: [SettingInfo]
  ) -> (help: String, fix: Diagnostic.Fix)? {
    guard let info = infos.first(where: { $0.key == problem.setting }), problem.member == nil else {
      return nil
    }
    switch info.kind {
    case .number, .integer:
      if let number = place.number, info.unit == .linearGain {
        return SettingReader.factor(insteadOf: number, at: place)
      }
      return place.plainForm(for: .number, of: SettingReader.measure(info.unit))
    case .boolean: return place.plainForm(for: .bool, of: .number)
    default: return nil
    }
  }

  /// The edit for a name that is misspelt: of a setting, or in its value.
  private func corrections(
    of problem: CallbackProblem, at place: JSONValue, isKnown: Bool, _ infos: [SettingInfo]
  ) -> [Diagnostic.Fix] {
    guard isKnown else {
      return problem.setting.map { place.correction(of: $0, among: infos.map(\.key)) } ?? []
    }
    guard let unknown = problem.unknown else {
      switch infos.first(where: { $0.key == problem.setting })?.kind {
      case .choice(let names)?:
        return place.string.map { place.correction(of: $0, among: names) } ?? []
      default: return []
      }
    }
    guard let part = problem.range else {
      return place.string == unknown.name
        ? place.correction(of: unknown.name, among: unknown.candidates) : []
    }
    guard let text = place.string, part.upperBound <= text.utf8.count,
      String(decoding: Array(text.utf8)[part], as: UTF8.self) == unknown.name
    else { return [] }
    return place.correction(of: unknown.name, among: unknown.candidates, part: part)
  }

  /// The members of an object of numbers, and whether all of them are: one that is none is 0.
  private mutating func numbers(_ json: JSONValue) -> ([String: Double], Bool) {
    var numbers: [String: Double] = [:]
    var isWhole = true
    for (key, value) in json.members {
      guard let name = key.string, name != "comment", numbers[name] == nil else { continue }
      if let number = value.number, number.isFinite {
        numbers[name] = number
      } else {
        isWhole = false
        numbers[name] = 0
        guard value.kind != .invalid else { continue }
        report(
          NameRules.setting.diagnostic(
            "\(quoted(name)) must be a number", at: value.markRange,
            pointer: value.pointer.description))
      }
    }
    return (numbers, isWhole)
  }

  /// A path that is relative to the patch it is written in.
  ///
  /// - Parameter isWritten: Whether a tap writes the file. Then words in braces stand for something in
  ///   it, and only in what is written in the patch.
  private func resolved(
    _ path: String, in json: JSONValue, isWritten: Bool = false
  ) -> String {
    let directory =
      document.subgraph(around: json)?.directory
      ?? surroundings.directory
    guard isWritten else { return FilePolicy.join(directory, path) }
    let whole = surroundings.files.outputPath(path, in: directory)
    guard whole.hasSuffix(path) else { return whole }
    let folder = whole.dropLast(path.count)
    return folder.replacing("{", with: "{{").replacing("}", with: "}}") + path
  }

  // MARK: Nodes

  /// Adds a node of the document, by its place there. Returns it and its unit; `nil` where something is
  /// wrong with it.
  mutating func addNode(_ index: Int) -> (id: NodeID, unit: UnitInstance)? {
    let name = document.nodes[index].name
    guard document.nodes[index].value.subgraph == nil,
      let component = document.nodes[index].value.component
    else {
      failedNames.insert(name)
      hasGaps = true
      return nil
    }
    guard let kind = unit(of: component, node: name) else {
      failedNames.insert(name)
      hasGaps = true
      return nil
    }
    do throws(Violation) {
      let count = hasTooManyBuses ? nil : document.nodes[index].value.inputCount
      let (id, made) = try graph.addNode(
        of: document.nodes[index].value.endsSubgraph ? SubgraphOutput.self : kind, name: name,
        inputCount: count?.value)
      guard let made else { return nil }
      if nodes.updateValue(id, forKey: name) != nil { hasNamesakes = true }
      if !document.subgraphs.isEmpty { setDefaultFormat(of: id, document.nodes[index].value) }
      layout.add(id, named: name)
      places.note(made, at: index, as: id)
      if !unread.nodes.isEmpty, unread.nodes.contains(name) {
        unreadNodes.insert(id)
        unformatted.insert(id)
      }
      if let count, made.description.inputs.settable?.contains(count.value) != true {
        // A number that it cannot have is refused.
        setInputCount(count, id, made)
      }
      return (id, made)
    } catch {
      failedNames.insert(name)
      hasGaps = true
      report(error, at: component.json)
      return nil
    }
  }

  /// The unit of a component; `nil` where there is none, which is reported.
  private mutating func unit(
    of component: Located<PatchDocument.Component>, node: String
  ) -> (any AudioUnit.Type)? {
    if case .name(let name) = component.value, let lastComponent, lastComponent.name == name {
      return lastComponent.unit
    }
    switch ComponentResolver.resolve(component, node: node) {
    case .failure(let failure):
      if let diagnostic = failure.diagnostic { report(diagnostic) }
      return nil
    case .success(let unit):
      if case .name(let name) = component.value { lastComponent = (name, unit) }
      return unit
    }
  }

  /// Gives a node of a sub-graph the format that its patch has for buses without one.
  private mutating func setDefaultFormat(of id: NodeID, _ node: PatchDocument.Node) {
    guard let index = document.subgraphNumber(around: node.json) else { return }
    let subgraph = document.subgraphs[index]
    if subgraph.isFormatWrong || subgraph.streamFormat != nil && defaultFormats[index] == nil {
      defaultless.insert(id)
    } else if let format = defaultFormats[index] {
      try? graph.setDefaultStreamFormat(format, of: id)
    }
  }

  mutating func setInputCount(_ count: Located<Int>, _ id: NodeID, _ unit: UnitInstance) {
    do throws(Violation) {
      try unit.setProperty(
        .elementCount, .input, 0, to: .uint32(UInt32(clamping: count.value)))
    } catch {
      report(error.of(id), at: count.json)
      bereft.insert(id)
    }
  }

  // MARK: Connections

  mutating func connect(_ connection: PatchDocument.Connection) {
    let destination = connection.to.flatMap { destinationNode($0) }
    let source = connection.from.flatMap { nodes[$0.value.node] }
    let isSourceKnown = source != nil || connection.from.map { noteSource($0) } ?? false
    guard let destination, let to = connection.to, let from = connection.from, isSourceKnown else {
      hasGaps = true
      if destination == nil { hasLostDestination = true }
      if let destination { bereft.insert(destination) }
      if let source { bereft.insert(source) }
      return
    }
    let input = to.value.bus ?? 0
    let place = Violation.Place(node: destination, .feed(input))
    var taken: JSONValue?
    do throws(Violation) {
      if let source {
        do throws(Violation) {
          let output = from.value.bus ?? 0
          try graph.connectOnce(source, output, to: destination, input)
          layout.feeds[.init(node: to.value.node, bus: input)] = .output(
            .init(node: from.value.node, bus: output))
        } catch {
          bereft.insert(source)
          throw error
        }
      } else if let callback = callbacks[from.value.node] {
        let chain = chain(of: from.value.node)
        // Of two that feed by one callback, the second takes its output again.
        if !callback.isUsed { taken = chain.last?.from?.json }
        callback.isUsed = true
        if let second = graph.secondFeed(of: destination, input) { throw second }
        guard admits(chain, from) else {
          hasGaps = true
          bereft.insert(destination)
          return
        }
        let feed = feed(of: chain)
        let first = callback.callback
        try graph.setInputCallback(first, of: destination, input, from: feed)
        layout.feeds[.init(node: to.value.node, bus: input)] = .chain(
          .init(
            name: from.value.node, links: chain.map(\.link), source: self.source(of: chain),
            callback: first, feed: feed))
        for (behind, link) in chain.enumerated() {
          let part = Violation.Part.callback(input, behind: behind)
          places.callbacks[behind == 0 ? place : .init(node: destination, part)] = link.json
        }
        if let source = chain.last?.from, let node = nodes[source.value.node] {
          places.noteFirst(
            source.json, for: .init(node: node, .bus(.output, source.value.bus ?? 0)))
        }
      }
      places.note(to.json, for: place)
      if let source {
        places.noteFirst(
          from.json, for: .init(node: source, .bus(.output, from.value.bus ?? 0)))
      }
    } catch {
      bereft.insert(destination)
      var error = error
      if error.rule == InputsFedOnce.rule, isFed(to.value, by: from.value) {
        error.message = "this connection is there already"
        error.help = ["remove one of the two"]
        error.remedies = [Remedy("remove this one", [.removeFeed(input)])]
      }
      let takesTwice = error.rule == OutputsFeedOne.rule
      report(error, at: takesTwice ? taken ?? from.json : to.json)
    }
  }

  /// Whether an input is fed by that very source.
  private func isFed(_ to: PatchDocument.Address, by from: PatchDocument.Address) -> Bool {
    switch layout.feeds[.init(node: to.node, bus: to.bus ?? 0)] {
    case .output(let output)?: output == .init(node: from.node, bus: from.bus ?? 0)
    case .chain(let chain)?: chain.name == from.node
    case nil: false
    }
  }

  private mutating func destinationNode(_ to: Located<PatchDocument.Address>) -> NodeID? {
    let name = to.value.node
    if let id = nodes[name] { return id }
    guard !failedNames.contains(name) else { return nil }
    if callbackNames.contains(name) {
      report(
        NameRules.destination.diagnostic(
          "a connection ends at a node, and \(quoted(name)) is a callback", at: to.range,
          pointer: to.pointer,
          help: [
            "a callback feeds: write it after \"from\"; what it pulls is written as the \"from\" "
              + "of the callback itself"
          ]))
      return nil
    }
    reportUnknown(to, amongCallbacks: false)
    return nil
  }

  /// Whether a source is there; says why not.
  mutating func noteSource(_ from: Located<PatchDocument.Address>) -> Bool {
    let name = from.value.node
    if nodes[name] != nil { return true }
    guard !failedNames.contains(name) else { return false }
    if let callback = callbacks[name] {
      guard from.value.bus == nil || from.value.bus == 0 else {
        callback.isUsed = true
        report(
          NameRules.callbackBus.diagnostic(
            "\(quoted(name)) is a callback, which has no buses", at: from.range,
            pointer: from.pointer, help: ["write \"from\": \"\(name)\""]))
        return false
      }
      return true
    }
    reportUnknown(from, amongCallbacks: true)
    return false
  }

  /// - Parameter includesCallbacks: Whether a callback could have been meant, too.
  private mutating func reportUnknown(
    _ address: Located<PatchDocument.Address>, amongCallbacks includesCallbacks: Bool
  ) {
    let document = document
    let name = document.local(address.value.node, around: address.json)
    func candidates() -> [String] {
      let names =
        document.nodes.map(\.name) + (includesCallbacks ? document.callbacks.map(\.name) : [])
      return document.locals(names, around: address.json)
        + document.localSubgraphs(around: address.json)
    }
    func corrections(_ names: [String]) -> [Diagnostic.Fix] {
      address.json.correction(of: name, among: names, part: 0..<name.utf8.count)
    }
    // However often it is referred to: it is the name that is wrong.
    if let known = unknownNames[address.value.node] {
      guard let first = known else { return }
      findings.change(first) {
        $0.add("and here", at: address.range, $0.fixes.isEmpty ? [] : corrections(candidates()))
      }
      return
    }
    let hasDetails = details.admits(NameRules.unknownName.code, at: address.json)
    let place = findings.append(NameRules.unknownName, at: address.range) {
      let names = hasDetails ? candidates() : []
      var help = [didYouMean(name, among: names)].compactMap(\.self)
      if names.count <= 20, !names.isEmpty {
        help.append("there are: " + names.joined(separator: ", "))
      }
      return NameRules.unknownName.diagnostic(
        "the patch has no node or callback \(quoted(name))", at: address.range,
        pointer: address.pointer, help: help, fixes: corrections(names))
    }
    unknownNames.updateValue(place, forKey: address.value.node)
  }

  /// Whether a chain may feed one more input: it is not too long, and all that feed inputs are not too
  /// many. Both are asked before any of them is made.
  private mutating func admits(
    _ chain: [BuiltCallback], _ from: Located<PatchDocument.Address>
  ) -> Bool {
    let (limits, count) = (limits, document.callbacks.count)
    guard chain.count <= limits.callbacks else {
      findings.append(CostRules.chain, at: from.range) {
        CostRules.chain.diagnostic(
          .init(
            "\(quoted(from.value.node)) pulls a chain of more than "
              + "\(Diagnostic.decimal(limits.callbacks)) callbacks"), at: from.range,
          pointer: from.pointer,
          help: [limits.help(.callbacks, needed: count)])
      }
      return false
    }
    linkCount += chain.count
    let needed = linkCount * MemoryFits.bytesOfCallback
    guard needed <= limits.memory else {
      if !hasTooManyLinks {
        report(
          MemoryFits.rule.diagnostic(
            .init(
              "the callbacks feed inputs more than \(Diagnostic.decimal(linkCount - 1)) times, "
                + "and take more than \(Diagnostic.decimal(limits.memory >> 20)) MB by that"),
            at: from.range, pointer: from.pointer, help: [limits.help(.memory, needed: 2 * needed)]
          ))
      }
      hasTooManyLinks = true
      return false
    }
    return true
  }

  // MARK: Settings

  /// Sets what a node of the document, by its place there, says of its unit.
  mutating func configure(_ index: Int, _ id: NodeID, _ unit: UnitInstance) {
    setProperties(document.nodes[index].value.properties, unit, id, .global, 0)
    setParameters(document.nodes[index].value.parameters, unit, id, .global, 0)
    configure(document.nodes[index].value.inputs, unit, id, .input, of: index)
    configure(document.nodes[index].value.outputs, unit, id, .output, of: index)
  }

  private mutating func configure(
    _ elements: [PatchDocument.Element], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope,
    of index: Int
  ) {
    guard !elements.isEmpty else { return }
    let count = unit.elementCount(scope)
    for element in elements {
      let bus = element.bus.value
      guard bus < count else {
        reportMissing(element, unit, id, scope)
        continue
      }
      setFormat(element, unit, id, scope, bus, of: document.nodes[index].name)
      setProperties(element.properties, unit, id, scope, bus)
      setParameters(element.parameters, unit, id, scope, bus)
    }
  }

  private mutating func reportMissing(
    _ element: PatchDocument.Element, _ unit: UnitInstance, _ id: NodeID, _ scope: Scope
  ) {
    do throws(Violation) {
      _ = try unit.property(.streamFormat, scope, element.bus.value)
    } catch {
      report(error.of(id), at: element.bus.json)
    }
  }

  private mutating func setFormat(
    _ element: PatchDocument.Element, _ unit: UnitInstance, _ id: NodeID, _ scope: Scope,
    _ bus: Int, of name: String
  ) {
    let isConnected: Bool
    if scope == .input, case .output? = layout.feeds[.init(node: name, bus: bus)] {
      isConnected = true
    } else {
      isConnected = false
    }
    if let written = element.streamFormat {
      guard let format = formats.resolve(written) else {
        unformatted.insert(id)
        return
      }
      if isConnected {
        expectedFormats.append(
          .init(node: id, input: bus, rate: format.sampleRate, format: format, json: written.json))
        return
      }
      set(.streamFormat, .streamFormat(format), unit, id, scope, bus, at: written.json)
    } else if let rate = element.sampleRate {
      if isConnected {
        expectedFormats.append(
          .init(
            node: id, input: bus, rate: formats.rate(rate.value), format: nil, json: rate.json))
        return
      }
      set(
        .sampleRate, .float64(formats.rate(rate.value)), unit, id, scope, bus, at: rate.json)
    }
  }

  private mutating func set(
    _ property: PropertyID, _ value: PropertyValue, _ unit: UnitInstance, _ id: NodeID,
    _ scope: Scope, _ bus: Int, at json: JSONValue
  ) {
    do throws(Violation) {
      try unit.setProperty(property, scope, bus, to: value)
    } catch {
      if property == .streamFormat || property == .sampleRate { unformatted.insert(id) }
      report(error.of(id), at: json)
    }
  }

  private mutating func setProperties(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope, _ bus: Int
  ) {
    for field in fields where field.value.kind != .invalid {
      // A part of it could not be read, and that has been said.
      if field.value.elements.contains(where: { $0.kind == .invalid }) {
        if let info = unit.info(named: field.name) {
          unset.insert(.init(node: id, .property(info.id, scope, bus)))
        }
        continue
      }
      guard let info = unit.info(named: field.name), info.isPatchProperty else {
        reportUnknownProperty(field, unit, scope)
        // What was meant has not been set.
        for info in unit.properties
        where !nearMisses(to: field.name, among: [info.key, info.constant]).isEmpty {
          unset.insert(.init(node: id, .property(info.id, scope, bus)))
        }
        continue
      }
      let presets = unit.factoryPresets
      guard
        let value = SettingReader.value(of: field.value, for: info.kind, presets: presets)
      else {
        unset.insert(.init(node: id, .property(info.id, scope, bus)))
        var diagnostic = UnitRules.propertyValue.diagnostic(
          "\(quoted(field.name)) takes \(SettingReader.noun(info.kind))",
          status: .invalidPropertyValue,
          at: field.value.markRange,
          pointer: field.value.pointer.description)
        let plain: (help: String, fix: Diagnostic.Fix)? =
          switch info.kind {
          case .boolean: field.value.plainForm(for: .bool, of: .number)
          case .uint32: field.value.plainForm(for: .number, of: .number)
          case .float64: field.value.plainForm(for: .number, of: .seconds)
          default: nil
          }
        if let plain {
          diagnostic.help.append(plain.help)
          diagnostic.fixes = [plain.fix]
        }
        if case .choice(let choices) = info.kind, let text = field.value.string,
          let guess = didYouMean(text, among: choices.map(\.name))
        {
          diagnostic.help.append(guess)
          diagnostic.fixes = field.value.correction(of: text, among: choices.map(\.name))
        }
        report(diagnostic)
        continue
      }
      if case .preset(let preset) = value, preset.number < 0, field.value.string != nil {
        unset.insert(.init(node: id, .property(info.id, scope, bus)))
        reportUnknownPreset(preset.name, among: presets, unit, at: field.value)
        continue
      }
      do throws(Violation) {
        try unit.setProperty(info.id, scope, bus, to: value)
      } catch {
        unset.insert(.init(node: id, .property(info.id, scope, bus)))
        let isPlace = [UnitRules.propertyScope, UnitRules.element].contains(error.rule)
        report(error.of(id), at: isPlace ? field.key.json : field.value)
      }
    }
  }

  private mutating func reportUnknownPreset(
    _ name: String, among presets: [Preset], _ unit: UnitInstance, at json: JSONValue
  ) {
    let names = presets.map(\.name)
    report(
      UnitRules.propertyValue.diagnostic(
        names.isEmpty
          ? "\(unit.description.name) has no presets but your own"
          : "\(unit.description.name) has no preset \(quoted(name))",
        status: .invalidPropertyValue,
        at: json.markRange,
        pointer: json.pointer.description,
        help: names.isEmpty
          ? ["write { \"number\": -1, \"name\": \"\(name)\" }"]
          : [didYouMean(name, among: names)].compactMap(\.self)
            + ["the presets are: " + names.joined(separator: ", ")],
        fixes: json.string == name ? json.correction(of: name, among: names) : []))
  }

  private mutating func reportUnknownProperty(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) {
    let here = unit.properties.filter { $0.isPatchProperty && $0.scopes.contains(scope) }
    let guess = didYouMean(field.name, among: here.map(\.key))
    var help = [guess].compactMap(\.self)
    var message = "\(unit.description.name) has no property \(quoted(field.name))"
    var status = Status.invalidProperty
    if let info = unit.info(named: field.name) {
      message = "\(quoted(info.key)) is not set under \"properties\""
      help = [place(of: info)]
      // There is such a property; whether Core Audio would let it be set here is another question.
      if info.scopes.contains(scope) {
        status = .propertyNotWritable
      } else {
        status = .invalidScope
      }
    } else if unit.parameterInfo(named: field.name, scope) != nil {
      help.insert("\(quoted(field.name)) is a parameter: write it under \"parameters\"", at: 0)
    }
    if !here.isEmpty {
      help.append("its properties here are: " + here.map(\.key).joined(separator: ", "))
    }
    report(
      UnitRules.propertyKnown.diagnostic(
        .init(message),
        status: status,
        at: field.key.range,
        pointer: field.key.pointer,
        help: help,
        fixes: guess != nil && help.first == guess
          ? field.key.json.correction(of: field.name, among: here.map(\.key)) : []))
  }

  /// Where a patch says what a property says that is not set under "properties".
  private func place(of info: PropertyInfo) -> String {
    switch info.id {
    case .streamFormat, .sampleRate: "write it beside \"properties\", on the bus itself"
    case .elementCount: "write \"inputCount\" on the node"
    case .makeConnection, .setRenderCallback: "write it under \"connections\" of the patch"
    case .classInfo, .classInfoFromDocument: "the node itself is the state: write its settings"
    default: info.isWritable ? "a program sets it, and no patch" : "it is read, not set"
    }
  }

  private mutating func setParameters(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance, _ id: NodeID, _ scope: Scope, _ bus: Int
  ) {
    for field in fields where field.value.kind != .invalid {
      guard let info = unit.parameterInfo(named: field.name, scope) else {
        reportUnknownParameter(field, unit, scope)
        continue
      }
      guard let value = SettingReader.parameter(field.value, info) else {
        report(
          UnitRules.parameterRange.diagnostic(
            "\(quoted(field.name)) takes \(SettingReader.noun(info))",
            status: .invalidParameter,
            at: field.value.markRange,
            pointer: field.value.pointer.description,
            help: [SettingReader.plainForm(of: field.value, info)?.help].compactMap(\.self),
            fixes: [SettingReader.plainForm(of: field.value, info)?.fix].compactMap(\.self)))
        continue
      }
      do throws(Violation) {
        reportReplaced(info, field, unit, id, scope, bus)
        try unit.setParameter(info.id, scope, bus, to: value)
        if let warning = unit.warning(info.id, scope, bus, value) {
          report(withDecibels(warning.of(id), info, value, at: field.value))
        }
      } catch {
        report(withDecibels(error.of(id), info, value, at: field.value))
      }
    }
  }

  /// What is wrong with a parameter's value and, where decibels were meant, the factor that they are.
  private func withDecibels(
    _ violation: Violation, _ info: ParameterInfo, _ value: Float, at json: JSONValue
  ) -> Diagnostic {
    var diagnostic = violation.diagnostic(in: places, at: json)
    if info.unit == .linearGain,
      let meant = SettingReader.factor(
        insteadOf: Double(value), at: json)
    {
      diagnostic.help.append(meant.help)
      diagnostic.fixes.append(meant.fix)
    }
    return diagnostic
  }

  /// A parameter that takes the place of a property which is set too.
  private mutating func reportReplaced(
    _ parameter: ParameterInfo, _ field: PatchDocument.Field, _ unit: UnitInstance, _ id: NodeID,
    _ scope: Scope, _ bus: Int
  ) {
    guard
      let info = unit.properties.first(where: {
        $0.yieldsTo == parameter.id && $0.scopes.contains(scope)
      }), unit.hasSet(info.id, scope, bus)
    else { return }
    let place = Violation.Place(node: id, .property(info.id, scope, bus))
    report(
      Violation(
        UnitRules.parameterReplaces, status: .ok,
        "'\(parameter.key)' takes the place of '\(info.key)', which is then not heard",
        at: .init(node: id, .parameter(parameter.id, scope, bus)),
        notes: [.init("set here, to no effect", at: place)],
        help: ["leave one of the two out"]
      ).diagnostic(in: places, at: field.value))
  }

  private mutating func reportUnknownParameter(
    _ field: PatchDocument.Field, _ unit: UnitInstance, _ scope: Scope
  ) {
    let here = unit.description.parameters(in: scope).filter { !$0.isReadOnly }
    var help = [didYouMean(field.name, among: here.map(\.key))].compactMap(\.self)
    for other in Scope.allCases where other != scope {
      if unit.parameterInfo(named: field.name, other) != nil {
        let place =
          other == .global
          ? "under \"parameters\" of the node" : "on a bus: \"\(other)s\": { \"0\": … }"
        help.insert("it belongs to the \(other) scope: write it \(place)", at: 0)
      }
    }
    if unit.info(named: field.name) != nil {
      help.insert("\(quoted(field.name)) is a property: write it under \"properties\"", at: 0)
    }
    if !here.isEmpty {
      help.append("its parameters here are: " + here.map(\.key).joined(separator: ", "))
    }
    report(
      UnitRules.parameterKnown.diagnostic(
        "the \(scope) scope of \(unit.description.name) has no parameter \(quoted(field.name))",
        status: .invalidParameter,
        at: field.key.range,
        pointer: field.key.pointer,
        help: help,
        fixes: help.first == didYouMean(field.name, among: here.map(\.key))
          ? field.key.json.correction(of: field.name, among: here.map(\.key)) : []))
  }

  // MARK: Taps

  private mutating func addTap(_ member: PatchDocument.Member<PatchDocument.Tap>) {
    guard let kind = member.value.kind, let at = member.value.at else { return }
    guard let description = TapCatalog.ofPatches.description(of: kind.value) else {
      let names = TapCatalog.ofPatches.kinds.map(\.kind)
      report(
        NameRules.tapKind.diagnostic(
          "there is no tap of the kind \(quoted(kind.value))", at: kind.range,
          pointer: kind.pointer,
          help: [didYouMean(kind.value, among: names)].compactMap(\.self)
            + ["the kinds are: " + names.joined(separator: ", ")],
          fixes: kind.json.correction(of: kind.value, among: names)))
      return
    }
    let values = settings(
      member.value.fields, description.settings, owner: member.value.json, isWritten: true,
      problems: description.problems)
    guard let node = tapNode(at), let values,
      let tap = try? description.makeTap(
        values, files: surroundings.files, takes: surroundings.takes)
    else { return }
    let path = member.value.fields.first { $0.name == "path" }?.value ?? member.value.json
    if case .text(let file)? = values["path"] {
      let first = file == "-" ? file : surroundings.takes.firstPath(of: file)
      guard case .success(let place) = place(toWrite: first, path),
        !refuseSharedFile(first, place, path)
      else { return }
      outputFiles.append(file)
      namedFiles.addWritten(first, place)
    }
    let bus = at.value.bus ?? 0
    places.note(at.json, for: Violation.Place(node: node, .bus(.output, bus)))
    guard let id = try? graph.addTap(tap, at: node, bus, name: member.name) else { return }
    let place = Violation.Place(node: node, .tap(id.rawValue))
    places.taps[place] = member.value.json
    places.note(at.json, for: place)
    layout.taps[member.name] = .init(
      id: id, at: .init(node: at.value.node, bus: bus), kind: kind.value, values: values, tap: tap)
  }

  private mutating func refuseSharedFile(
    _ file: String, _ place: WritePlace?, _ json: JSONValue
  ) -> Bool {
    guard let clash = namedFiles.clash(file, place) else { return false }
    report(
      NameRules.recordingsApart.diagnostic(
        clash == .isPlayed
          ? "the patch plays this file, and would write over it"
          : "another tap writes this file", at: json.range,
        pointer: json.pointer.description, help: ["give the tap a file of its own"]))
    return true
  }

  private mutating func tapNode(_ at: Located<PatchDocument.Address>) -> NodeID? {
    let name = at.value.node
    if let id = nodes[name] { return id }
    guard !failedNames.contains(name) else { return nil }
    if callbacks[name] != nil {
      report(
        NameRules.tapPlace.diagnostic(
          "a tap watches a bus of a node, and \(quoted(name)) is a callback", at: at.range,
          pointer: at.pointer, help: ["put it at the node that the callback feeds"]))
    } else {
      reportUnknown(at, amongCallbacks: false)
    }
    return nil
  }
}
