import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Builds the graph of a document in one pass: formats, callbacks, nodes, connections, settings,
/// taps and timeline, and then reports what the graph itself finds.
struct GraphBuilder {
  let document: PatchDocument
  let graph: AudioGraph
  let surroundings: PatchSurroundings
  /// The part of the timeline that the document is valid for; `nil` for the part before an update.
  let epoch: TimelineEpoch?
  let limits: PatchLimits
  /// The findings so far. For a patch with sub-graphs they have no limit: equal findings of a
  /// sub-graph that is used several times are merged later.
  var findings: Findings
  var diagnostics: [Diagnostic] { findings.all }
  /// The number of links of all chains that feed inputs. A callback counts once for each input that
  /// it feeds, directly or through others.
  var linkCount = 0
  var inputFiles: [String] = []
  var outputFiles: [String] = []
  var namedFiles = NamedFiles()
  var layout = PatchLayout()

  /// The libraries that `native` callbacks name.
  var libraries: [BuiltPatch.Library] = []

  var places: PatchPlaces
  var formats: FormatResolver
  var nodes: [String: NodeID] {
    get { layout.nodes }
    _modify {
      lastNode = nil
      yield &layout.nodes
    }
  }
  /// The node that was looked up last by its name: connections in a row often have the same.
  var lastNode: (name: String, id: NodeID)?
  /// The unit that was configured last, where that led to no findings.
  var lastConfigured: (index: Int, unit: UnitInstance)?
  /// The property that was looked up last by its name: nodes in a row often have the same.
  var lastProperty: (unit: any AudioUnit.Type, name: String, info: PropertyInfo)?
  /// Whether two nodes have the same name, which has been reported.
  var hasDuplicateNames = false
  /// The component of the node that was looked at last, and its unit: nodes in a row often have the same.
  var lastComponent: (index: Int, name: String, unit: any AudioUnit.Type)?
  var callbacks: [String: BuiltCallback] = [:]
  /// All callbacks that were made, including those that have failed, in the order of the document.
  var madeCallbacks: [BuiltCallback] = []
  /// The doubts that reported mistakes have raised.
  var doubts = RaisedDoubts()
  var details: DetailBudget
  /// The default stream format of each sub-graph; `nil` for that of the patch.
  var defaultFormats: [StreamFormat?] = []
  /// Whether the nodes have more buses than the limit, so that no bus count is applied.
  var hasTooManyBuses = false
  /// Whether the callbacks that feed inputs exceed the limit, which has been reported.
  var hasTooManyLinks = false
  /// The parts of the document that could not be read.
  let unread: UnreadParts
  /// Formats that are set on connected inputs, which get their formats from the connection. They
  /// are compared with these once these are known.
  var expectedFormats: [ExpectedFormat] = []
  /// For each unknown name, the index of its diagnostic in `findings`; `nil` where that was not
  /// kept.
  var unknownNames: [String: Int?] = [:]
  /// What the document asks of the device.
  lazy var request = PatchBuilder.request(of: document)
  /// The sides of nodes with too few buses, which have been reported.
  var missingBuses = MissingBuses()
  /// The buses that the document names. Only mistakes ask for them.
  lazy var namedBuses = busesNamed()
  lazy var callbackNames = NameSet(document.callbacks.lazy.map { $0.name })
  /// Whether to report notes.
  let reportsNotes: Bool

  init(
    document: PatchDocument, graph: AudioGraph, surroundings: PatchSurroundings,
    unread: UnreadParts, reportsNotes: Bool, epoch: TimelineEpoch?, limits: PatchLimits
  ) {
    self.epoch = epoch
    self.limits = limits
    findings = Findings(limit: document.subgraphs.isEmpty ? limits.findings : .max)
    details = DetailBudget(limit: limits.findings)
    self.document = document
    self.graph = graph
    self.surroundings = surroundings
    self.unread = unread
    self.reportsNotes = reportsNotes
    if unread.isAny { doubts.raise(.gaps) }
    if unread.isSessionUnknown { doubts.raise(.session) }
    if unread.hasLostConnections { doubts.raise(.destination) }
    doubts.names = unread.names
    places = PatchPlaces(
      root: document.root, nodes: document.nodes, connections: document.connections)
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
      // The default format has an error, which has been reported.
      doubts.raise(.patchFormat)
      doubts.raise(.gaps)
    }
    graph.compensatesLatency = document.compensateLatency?.value ?? false
    defaultFormats = document.subgraphs.map { $0.streamFormat.flatMap { formats.resolve($0) } }
    // A name that a node and a callback share is not used at all: a reference could mean either.
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
    graph.reserveCapacity(nodes: document.nodes.count, feeds: document.connections.count)
    layout.reserveCapacity(nodes: document.nodes.count)
    var units: [(index: Int, id: NodeID, unit: UnitInstance)] = []
    units.reserveCapacity(document.nodes.count)
    for index in document.nodes.indices
    where ambiguous.isEmpty || !ambiguous.contains(document.nodes[index].name) {
      if let (id, unit) = addNode(index) { units.append((index, id, unit)) }
    }
    resolveFeeds()
    // By index, and not from the document, so that connections are not copied.
    let connections = document.connections
    for index in connections.indices where !connectNodes(connections, at: index) {
      connect(connections[index], at: index)
    }
    for (index, id, unit) in units {
      // Of two nodes with the same name, which is an error, the last gets the settings of both.
      if hasDuplicateNames, let last = nodes[document.nodes[index].name],
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
    // `madeCallbacks` is in the order of the document.
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

  /// Reports a violation, by its rule's severity where no other is given. Its fixes are made only if
  /// the diagnostic is kept and `bytesLeftToEdit` allows it.
  mutating func report(
    _ violation: Violation, at json: JSONValue? = nil, as severity: Severity? = nil
  ) {
    let severity = severity ?? violation.rule.severity
    let value = json ?? places.value(violation.place)
    let isEdited =
      !violation.remedies.isEmpty && details.spend(on: violation.rule.code, at: value)
    var places = places
    if !isEdited { places.bytesLeftToEdit = 0 }
    let isKept = findings.append(violation.rule, severity, at: value.markRange) { [places] in
      var diagnostic = violation.diagnostic(in: places, at: json)
      diagnostic.severity = severity
      return diagnostic
    }
    if isKept != nil, isEdited {
      self.places.bytesLeftToEdit -= document.source.bytes.count
    }
  }

  /// Reports where the inputs and outputs of all nodes exceed the limit.
  mutating func checkBuses() {
    guard let first = Self.busCount(of: document, upTo: limits.buses).exceeding else { return }
    report(
      CostRules.buses.diagnostic(
        .init(
          "with these the nodes have more than \(Diagnostic.decimal(limits.buses)) inputs and "
            + "outputs together"
        ), at: first.range, pointer: first.pointer,
        help: [limits.help(.buses, needed: Self.busCount(of: document).sum)]))
    hasTooManyBuses = true
    doubts.raise(.gaps)
  }

  /// The sum of "inputCount" and "outputCount" over all nodes, and the count with which it exceeds
  /// a limit; `nil` where it does not.
  static func busCount(
    of document: PatchDocument, upTo limit: Int = .max
  ) -> (sum: Int, exceeding: Located<Int>?) {
    var sum = 0
    /// Returns whether the sum exceeds the limit with a count.
    func exceeds(_ count: Int?) -> Bool {
      // A unit refuses more than 1024 buses, and makes none for them.
      guard let count, count <= 1024 else { return false }
      sum += count
      return sum > limit
    }
    for index in document.nodes.indices {
      let counts = document.nodes[index].value.busCounts
      if exceeds(counts.input) { return (sum, document.nodes[index].value.inputCount) }
      if exceeds(counts.output) { return (sum, document.nodes[index].value.outputCount) }
    }
    return (sum, nil)
  }

  /// Resolves the formats that have a name in the patch.
  mutating func resolveFormats() { formats.resolveDefinitions(document) }

  /// Whether a stream format that has been resolved has an error.
  var hasWrongFormats: Bool { formats.diagnostics.hasErrors }
}
