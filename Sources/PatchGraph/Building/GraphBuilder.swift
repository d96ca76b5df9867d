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
  var findings: Findings
  var diagnostics: [Diagnostic] { findings.all }
  /// How many callbacks the chains have that feed inputs, each counted as often as it does.
  var linkCount = 0
  var inputFiles: [String] = []
  var outputFiles: [String] = []
  var namedFiles = NamedFiles()
  var layout = PatchLayout()

  /// Those that callbacks name.
  var libraries: [BuiltPatch.Library] = []

  var places: PatchPlaces
  var formats: FormatResolver
  var nodes: [String: NodeID] = [:]
  /// Whether two nodes have one name: it has been said.
  var hasNamesakes = false
  /// The component that was named last, and its unit: many nodes in a row have one.
  var lastComponent: (name: String, unit: any AudioUnit.Type)?
  var callbacks: [String: BuiltCallback] = [:]
  /// The same in the order in which they were made; those that have failed are among them.
  var madeCallbacks: [BuiltCallback] = []
  /// What is not known, because of what has been reported.
  var doubts = RaisedDoubts()
  var details: DetailBudget
  /// Of each sub-graph the format of every bus in it that is given none; `nil` for the patch's.
  var defaultFormats: [StreamFormat?] = []
  /// Whether the inputs of the nodes are more than there may be: then none are made.
  var hasTooManyBuses = false
  /// Whether the callbacks that feed inputs are more than there may be: it has been said.
  var hasTooManyLinks = false
  /// What could not be read, and what follows from that.
  let unread: UnreadParts
  /// Formats that are set on inputs which take theirs from a connection: compared with what arrives,
  /// once that is known.
  var expectedFormats: [ExpectedFormat] = []
  /// Names that the patch does not have, each with the place of its diagnostic among those that were kept.
  var unknownNames: [String: Int?] = [:]
  lazy var callbackNames = Set(document.callbacks.lazy.map(\.name))
  /// Whether to report notes.
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
    if unread.isAny { doubts.raise(.gaps) }
    if unread.isSessionUnknown { doubts.raise(.session) }
    if unread.hasLostConnections { doubts.raise(.destination) }
    doubts.names = unread.names
    places = PatchPlaces(root: document.root, nodes: document.nodes)
    formats = FormatResolver(
      document, sessionRate: graph.grant.sampleRate, findings: findings.limit,
      shown: limits.findings)
    doubts.names.formUnion(document.unresolved)
  }

  mutating func build() {
    if !document.unresolved.isEmpty { doubts.raise(.gaps) }
    checkSession()
    checkBuses()
    resolveFormats()
    if let format = document.streamFormat, let resolved = formats.resolve(format) {
      graph.defaultStreamFormat = resolved
    } else if document.root["streamFormat"] != nil || unread.isDefaultFormatLost {
      // Written, and wrong: what it is wrong in has been said.
      doubts.raise(.patchFormat)
      doubts.raise(.gaps)
    }
    graph.compensatesLatency = document.compensateLatency?.value ?? false
    defaultFormats = document.subgraphs.map { $0.streamFormat.flatMap { formats.resolve($0) } }
    // Of a name that means two things neither is there: what leads to it could mean either.
    let ambiguous = ambiguousNames()
    doubts.names.formUnion(ambiguous)
    callbacks.reserveCapacity(document.callbacks.count)
    madeCallbacks.reserveCapacity(document.callbacks.count)
    for index in document.callbacks.indices {
      let name = document.callbacks[index].key.value
      if !ambiguous.isEmpty, ambiguous.contains(name) { continue }
      if !doubts.names.isEmpty, doubts.names.contains(name) { continue }
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
      failedNames: doubts.names.union(unknownNames.keys), epoch: epoch, limits: limits)
    if !document.timeline.isEmpty { timeline.callbacks = callbacks.mapValues(\.link) }
    timeline.layout = layout
    timeline.build(in: places)
    findings += timeline.diagnostics
    for member in doubts.isRaised(.gaps) ? [] : unusedCallbacks {
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
  mutating func ambiguousNames() -> Set<String> {
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

  /// Says where the buses of all nodes together are more than there may be.
  mutating func checkBuses() {
    var total = 0
    for index in document.nodes.indices {
      for count in Self.counts(of: document.nodes[index].value) {
        total += count.value
        guard total > limits.buses else { continue }
        report(
          CostRules.buses.diagnostic(
            .init(
              "with these the nodes have more than \(Diagnostic.decimal(limits.buses)) inputs and "
                + "outputs together"
            ), at: count.range, pointer: count.pointer,
            help: [limits.help(.buses, needed: Self.busCount(of: document))]))
        hasTooManyBuses = true
        doubts.raise(.gaps)
        return
      }
    }
  }

  /// What the "inputCount" and "outputCount" of all nodes add up to.
  static func busCount(of document: PatchDocument) -> Int {
    document.nodes.indices.reduce(0) { sum, index in
      counts(of: document.nodes[index].value).reduce(sum) { $0 + $1.value }
    }
  }

  /// The numbers of buses that are written and that a node may have. A greater one is refused by the unit,
  /// and makes none.
  private static func counts(of node: PatchDocument.Node) -> [Located<Int>] {
    [node.inputCount, node.outputCount].compactMap(\.self).filter { $0.value <= 1024 }
  }

  /// Looks up the formats that the patch has names for.
  mutating func resolveFormats() { formats.resolveDefinitions(document) }

  /// Whether something is wrong with a stream format that has been looked at.
  var hasWrongFormats: Bool { formats.diagnostics.hasErrors }
}
