import AudioTypes
import AudioUnits
import RenderCore

/// What `initialize()` computes before it touches a unit: the order, every stream format, and all
/// violations.
///
/// Initialization fails exactly if `violations` contains an error, with the status of the first
/// one.
struct Preparation: Sendable {
  /// The nodes that take part in an interaction or have a tap, sources before what they feed.
  var order: [NodeID] = []
  /// The nodes that the output unit pulls, itself included.
  var pulled: Set<NodeID> = []
  var configurations: [NodeID: UnitConfiguration] = [:]
  var violations: [Violation] = []
  /// The rate domain of each node; `nil` before the domains have been worked out.
  var domains: RateDomains?
  /// The latency of each bus.
  var latencies = PathLatencies()
  /// What the next preparation reuses.
  var settled = SettledNodes()
}

/// Works out a preparation. Graph rules come first; then each node in topological order: buses,
/// formats along connections by ascending input, formats that must have been given, the unit's own
/// rules, slices. The order is ours: Core Audio documents none.
struct Preparer {
  let model: GraphModel
  /// The model that plays; `nil` where the graph is not initialized.
  let played: GraphModel?
  /// Whether a bus without a format is a violation. Units in no graph use their initial formats.
  let demandsFormats: Bool
  let category: SessionCategory?
  let device: DeviceSides
  let defaultFormat: StreamFormat?
  /// The rules that are checked for each node.
  private let rules: [any NodeRule.Type]
  /// The settled nodes of the preparation before this one.
  private let previous: SettledNodes

  var result = Preparation()
  /// Nodes with unreliable formats: their violation has been reported, and further ones would only
  /// be consequences of it.
  var doubtful: Set<NodeID> = []
  /// Nodes in a cycle, or downstream of one.
  private var stuck: Set<NodeID> = []
  /// The node that was settled last, if without violations.
  var lastSettled: LastSettled?

  init(
    model: GraphModel, played: GraphModel? = nil, demandsFormats: Bool = true,
    category: SessionCategory? = nil, device: DeviceSides, defaultFormat: StreamFormat?,
    rules: [any NodeRule.Type], previous: SettledNodes
  ) {
    self.model = model
    self.played = played
    self.demandsFormats = demandsFormats
    self.category = category
    self.device = device
    self.defaultFormat = defaultFormat
    self.rules = rules
    self.previous = previous.defaultFormat == defaultFormat ? previous : SettledNodes()
    result.settled.defaultFormat = defaultFormat
    result.settled.nodes.reserveCapacity(model.nodes.count)
    result.configurations.reserveCapacity(model.nodes.count)
  }

  mutating func prepare() -> Preparation {
    result.violations += OneOutputUnit.violations(in: model)
    sort()
    for id in result.order {
      guard let index = model.index(of: id), !settleAsBefore(model.nodes[index]) else { continue }
      let node = model.nodes[index]
      let feeding = model.interactions(into: id)
      let count = result.violations.count
      if !settleAsLast(node, feeding) {
        settle(node, feeding)
        lastSettled = nil
        if result.violations.count == count { noteLast(node, feeding) }
      }
      if result.violations.count == count { noteSettled(node, feeding) }
    }
    let domains = RateDomains(model, result)
    result.domains = domains
    checkNodes(domains)
    if let head = model.head?.id {
      let lead = domains.microphoneLead(model, result)
      result.configurations[head]?.device?.graphLead = lead
    }
    if doubtful.isEmpty {
      let latencies = PathLatencies(model, result, domains)
      result.latencies = latencies
      result.violations += latencies.violations
    }
    for node in model.nodes
    where model.head != nil && !result.pulled.contains(node.id) && !stuck.contains(node.id) {
      let isConnected = result.configurations[node.id] != nil
      result.violations.append(NodesPulled.violation(node, hasInteractions: isConnected))
    }
    checkTaps()
    return result
  }

  /// Sorts the nodes: sources before what they feed, otherwise in the order of addition. Finds the
  /// pulled nodes, too.
  private mutating func sort() {
    // The tables are indexed as the model's nodes.
    let count = model.nodes.count
    var isMember = [Bool](repeating: false, count: count)
    var links: [Neighbours.Link] = []
    links.reserveCapacity(model.interactions.count)
    for tap in model.taps {
      if let index = model.index(of: tap.node) { isMember[index] = true }
    }
    for interaction in model.interactions {
      guard let destination = model.index(of: interaction.destination) else { continue }
      isMember[destination] = true
      guard let connection = interaction.link, let source = model.index(of: connection.source)
      else { continue }
      isMember[source] = true
      links.append((source, destination))
    }
    let head = model.head.flatMap { model.index(of: $0.id) }
    if let head { isMember[head] = true }
    let members = (0..<count).filter { isMember[$0] }
    // The two sides of an I/O unit form no cycle: the microphone side needs no input, and the
    // loudspeaker side has no output in the graph.
    let ready = Neighbours.order(
      members, links.filter { !model.nodes[$0.source].isOutput }, count: count)
    // The head comes after its sources. Its microphone side is settled earlier where it is needed:
    // see `sourceFormat(_:)`.
    result.order = ready.map { model.nodes[$0].id }
    for node in ready { isMember[node] = false }
    let stuck = members.filter { isMember[$0] }.map { model.nodes[$0].id }
    if !stuck.isEmpty {
      result.violations += AcyclicConnections.violations(stuck: stuck, in: model)
      doubtful.formUnion(stuck)
      self.stuck = Set(stuck)
      result.order += stuck
    }
    guard let head else { return }
    let sources = Neighbours(
      links.map { (source: $0.destination, destination: $0.source) }, count: count)
    var isPulled = [Bool](repeating: false, count: count)
    isPulled[head] = true
    var queue = [head]
    while let node = queue.popLast() {
      for source in sources.of(node) where !isPulled[source] {
        isPulled[source] = true
        queue.append(source)
      }
    }
    result.pulled = Set((0..<count).filter { isPulled[$0] }.map { model.nodes[$0].id })
  }

  private func isMicrophone(_ connection: Connection) -> Bool {
    connection.output == 1
      && model.node(connection.source)?.isIO == true
  }

  /// Whether a connection comes from a microphone side that is off, whose format has no meaning. It
  /// is reported as a violation of the I/O unit.
  private func isOffMicrophone(_ connection: Connection) -> Bool {
    guard isMicrophone(connection), let node = model.node(connection.source) else { return false }
    return !isHearing(node)
  }

  private func isHearing(_ node: GraphModel.Node) -> Bool {
    node.instance?.configuration().isOn(.enableIO, .input, 1) == true
  }

  // MARK: Settled nodes

  /// Reuses the configuration of a node if its settings, its feeds and whether it is pulled are
  /// unchanged. Returns whether it did.
  private mutating func settleAsBefore(_ node: GraphModel.Node) -> Bool {
    guard doubtful.isEmpty, let before = previous.nodes[node.id], let instance = node.instance,
      before.unit == instance.configurationVersion,
      before.feedVersion == model.feedVersion(of: node.id),
      before.isPulled == result.pulled.contains(node.id),
      before.defaultFormat == node.defaultFormat,
      before.hasSameSources(in: result.configurations)
    else { return false }
    result.configurations[node.id] = before.configuration
    result.settled.nodes[node.id] = before
    return true
  }

  /// Keeps the configuration of a node, where it depends on nothing but that node and its sources.
  private mutating func noteSettled(_ node: GraphModel.Node, _ feeding: NodeFeeds) {
    guard !node.isOutput, !doubtful.contains(node.id), let instance = node.instance,
      let configuration = result.configurations[node.id]
    else { return }
    var sources: [(output: BusKey, format: StreamFormat)] = []
    for feed in feeding {
      guard let link = feed.link else { continue }
      guard model.node(link.source)?.isOutput == false,
        let outputs = result.configurations[link.source]?.outputs,
        outputs.indices.contains(link.output)
      else { return }
      guard feed.connection == nil else { continue }
      sources.append((BusKey(node: link.source, bus: link.output), outputs[link.output].format))
    }
    result.settled.nodes[node.id] = SettledNodes.Node(
      unit: instance.configurationVersion, feedVersion: model.feedVersion(of: node.id),
      sources: sources, isPulled: result.pulled.contains(node.id),
      defaultFormat: node.defaultFormat, configuration: configuration)
  }

  // MARK: One node

  private mutating func settle(_ node: GraphModel.Node, _ feeding: NodeFeeds) {
    guard let instance = node.instance else { return }
    var configuration = result.configurations[node.id] ?? opened(node, instance)
    let isInitialized = instance.isInitialized
    checkBuses(node, configuration, feeding)
    checkSides(node, feeding)
    for connection in feeding.lazy.compactMap(\.connection) {
      guard configuration.inputs.indices.contains(connection.input),
        let format = sourceFormat(connection)
      else {
        doubtful.insert(node.id)
        continue
      }
      if doubtful.contains(connection.source) || isOffMicrophone(connection) {
        doubtful.insert(node.id)
      } else if let violation = isInitialized && !mayChange(node, connection.input)
        ? ConnectionFormats.violation(
          fixed: connection, format, configuration.inputs[connection.input].format, in: model)
        : ConnectionFormats.violation(connection, format, in: model)
      {
        refuse(node, violation)
      }
      configuration.inputs[connection.input].format = format
      configuration.inputs[connection.input].origin = .propagated(
        from: connection.source, output: connection.output)
    }
    if isInitialized {
      settleGiven(node, &configuration)
    } else {
      giveFormats(node, &configuration)
    }
    checkRates(node, configuration)
    for link in feeding.lazy.compactMap(\.link) where doubtful.contains(link.source) {
      doubtful.insert(node.id)
    }
    checkCallbackInputs(node, configuration, feeding)
    result.configurations[node.id] = configuration
    // A feed from a missing bus, or into the microphone, has a violation of its own, so that the
    // unit is not reported as unfed as well.
    let isMissed = feeding.contains {
      !configuration.inputs.indices.contains($0.input)
        || HardwareSides.violation(into: node, $0.input) != nil
    }
    if result.pulled.contains(node.id) && !isMissed && node.component.type == .mixerType,
      node.unit.outputFormat(0, following: configuration.inputs) == nil,
      !configuration.inputs.contains(where: \.isUsed)
    {
      result.violations.append(MixersFed.violation(node))
    }
    if result.pulled.contains(node.id) && !isMissed {
      let unfed = NeededInputsFed.violations(
        node, configuration, isHeard: configuration.isOn(.enableIO, .input, 1))
      result.violations += unfed
      if !unfed.isEmpty { doubtful.insert(node.id) }
    }
    var found = node.unit.violations(in: configuration).map { $0.at(node: node.id) }
    if doubtful.contains(node.id) { found.removeAll { !Self.rulesOfSides.contains($0.rule) } }
    if result.pulled.contains(node.id), !doubtful.contains(node.id) {
      let dithered = DitheredBuses.violations(node.unit.description, configuration)
      found += dithered.map { $0.at(node: node.id) }
    }
    if node.isIO, let category {
      found += CategoryPermits.violations(node, configuration, category)
    }
    result.violations += found
    if found.contains(where: { $0.severity == .error }) { doubtful.insert(node.id) }
    checkCallbacks(configuration, feeding)
  }

  /// Reports a violation of a node, if there is one: its formats are unreliable then.
  private mutating func refuse(_ node: GraphModel.Node, _ violation: Violation?) {
    guard let violation else { return }
    result.violations.append(violation)
    doubtful.insert(node.id)
  }

  /// Whether an input of an initialized unit may take another format: the unit takes formats live,
  /// and nothing that plays feeds the input.
  private func mayChange(_ node: GraphModel.Node, _ input: Int) -> Bool {
    node.unit.takesFormatsLive && played?.feeds[BusKey(node: node.id, bus: input)] == nil
  }

  /// Checks an initialized unit for the next initialization: a bus that needs a format, and has
  /// been fed since, takes the graph's format, or has none.
  private mutating func settleGiven(
    _ node: GraphModel.Node, _ configuration: inout UnitConfiguration
  ) {
    guard demandsFormats else { return }
    for index in configuration.inputs.indices where configuration.inputs[index].use == .callback {
      let present = configuration.inputs[index].format
      // A propagated format ends with its connection.
      if case .propagated = configuration.inputs[index].origin {
        configuration.inputs[index].origin = .initial
      }
      give(&configuration.inputs, [index], .input, node)
      let wanted = configuration.inputs[index].format
      guard wanted != present, !doubtful.contains(node.id), !mayChange(node, index) else {
        continue
      }
      refuse(node, FormatsGiven.violation(fixed: node, index, present, wanted))
    }
    guard node.unit.outputFormat(0, following: configuration.inputs) == nil else { return }
    switch node.component.type {
    case .effectType, .formatConverterType:
      guard configuration.outputs[0].isUsed || configuration.inputs[0].isUsed else { return }
      let present = configuration.outputs[0]
      give(&configuration.outputs, [0], .output, node)
      // The unit continues to output the format that it was initialized with.
      configuration.outputs[0].format = present.format
    default: break
    }
  }

  /// The rules about which sides of an I/O unit are on. They do not depend on stream formats.
  private static let rulesOfSides: Set<Rule> = [
    UnitRules.ioEnabled, UnitRules.inputElementEnabled, UnitRules.outputElementEnabled,
    UnitRules.hardwareInput, UnitRules.hardwareOutput,
  ]

  /// Checks what a processing callback pulls, and whether the formats match.
  private mutating func checkCallbackInputs(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, _ feeding: NodeFeeds
  ) {
    for interaction in feeding {
      guard case .callback(let callback) = interaction,
        configuration.inputs.indices.contains(callback.input)
      else { continue }
      let found = CallbackInputs.violations(callback)
      result.violations += found
      guard found.isEmpty, let link = interaction.link, let source = sourceFormat(link),
        !doubtful.contains(node.id), !isOffMicrophone(link),
        let violation = CallbackFormats.violation(
          link, source, configuration.inputs[callback.input].format, in: model)
      else { continue }
      refuse(node, violation)
    }
  }

  /// The configuration before formats are propagated.
  private mutating func opened(
    _ node: GraphModel.Node, _ instance: UnitInstance
  ) -> UnitConfiguration {
    var configuration = requested(node, instance)
    if node.isIO {
      if isTapped(node.id, 1) { configuration.outputs[1].use = .connection }
      if isHearing(node) && !instance.isInitialized {
        give(&configuration.outputs, [1], .output, node)
      }
    }
    return configuration
  }

  /// The configuration as the client has set it; the sides of the device have the device's format.
  private func requested(_ node: GraphModel.Node, _ instance: UnitInstance) -> UnitConfiguration {
    var configuration = instance.configuration()
    configuration.ditherSeed = Self.ditherSeed(node)
    guard node.isOutput else { return configuration }
    configuration.device = device
    guard node.isIO else { return configuration }
    if let output = device.output {
      configuration.outputs[0].format = output
      configuration.outputs[0].origin = .hardware
    }
    if let input = device.input {
      configuration.inputs[1].format = input
      configuration.inputs[1].origin = .hardware
    }
    return configuration
  }

  private mutating func checkBuses(
    _ node: GraphModel.Node, _ configuration: UnitConfiguration, _ feeding: NodeFeeds
  ) {
    for interaction in feeding {
      let place = Violation.Place(node: node.id, .feed(interaction.input))
      if let connection = interaction.link, let source = model.node(connection.source),
        let count = source.instance?.elementCount(.output)
      {
        refuse(
          node,
          ConnectedBusesExist.violation(
            source, .output, connection.output, count: count,
            at: .init(node: source.id, .bus(.output, connection.output))))
      }
      refuse(
        node,
        ConnectedBusesExist.violation(
          node, .input, interaction.input, count: configuration.inputs.count, at: place))
    }
  }

  /// Checks that nothing is connected to the sides that belong to the device.
  private mutating func checkSides(_ node: GraphModel.Node, _ feeding: NodeFeeds) {
    for interaction in feeding {
      refuse(node, HardwareSides.violation(into: node, interaction.input))
      if let connection = interaction.link, let source = model.node(connection.source) {
        refuse(node, HardwareSides.violation(outOf: source, connection))
      }
    }
  }

  /// A rate of 0 means "not known yet", and is a violation at this point.
  private mutating func checkRates(_ node: GraphModel.Node, _ configuration: UnitConfiguration) {
    guard !doubtful.contains(node.id) else { return }
    func isRateless(_ element: UnitConfiguration.Element) -> Bool {
      element.format.sampleRate == 0 && element.origin != .hardware
        && (element.isUsed || element.origin != .initial)
    }
    let place =
      configuration.inputs.firstIndex(where: isRateless).map { (Scope.input, $0) }
      ?? configuration.outputs.firstIndex(where: isRateless).map { (.output, $0) }
    guard let (scope, index) = place else { return }
    refuse(
      node,
      FormatsGiven.violation(rateless: node, scope, index, sampleRate: device.sampleRate))
  }

  /// The format of the output that a connection comes from; `nil` where there is no such output.
  private mutating func sourceFormat(_ connection: Connection) -> StreamFormat? {
    // The microphone side of an I/O unit is settled before the unit itself.
    if result.configurations[connection.source] == nil, let node = model.node(connection.source),
      let instance = node.instance
    {
      result.configurations[node.id] = opened(node, instance)
    }
    guard let outputs = result.configurations[connection.source]?.outputs,
      outputs.indices.contains(connection.output)
    else { return nil }
    return outputs[connection.output].format
  }

  /// Gives each bus that needs a format the graph's, or reports that it has none.
  private mutating func giveFormats(
    _ node: GraphModel.Node, _ configuration: inout UnitConfiguration
  ) {
    let fed = configuration.inputs.indices.filter { configuration.inputs[$0].use == .callback }
    give(&configuration.inputs, fed, .input, node, like: formatWanted(from: node))
    guard !followInputs(node, &configuration) else { return }
    switch node.component.type {
    case .effectType, .formatConverterType:
      if configuration.outputs[0].isUsed || configuration.inputs[0].isUsed {
        let isEffect = node.component.type == .effectType && configuration.inputs[0].isUsed
        give(
          &configuration.outputs, [0], .output, node,
          like: isEffect ? configuration.inputs[0].format : nil)
      }
    case .mixerType:
      for index in configuration.outputs.indices
      where configuration.outputs[index].origin == .initial {
        guard let rate = defaultFormat(node)?.sampleRate else { break }
        configuration.outputs[index].format.sampleRate = rate
        configuration.outputs[index].origin = .graphDefault
      }
      prepareSpares(node, &configuration)
    case .outputType:
      if !node.isIO && configuration.outputs[0].origin == .initial {
        configuration.outputs[0].format = configuration.inputs[0].format
        configuration.outputs[0].origin = .followsInput
      }
    default: break
    }
  }

  private func isTapped(_ node: NodeID, _ output: Int) -> Bool {
    model.taps.contains { $0.node == node && $0.output == output }
  }

  /// Reports all elements without a format, and all with a refused one, as one violation each.
  private mutating func give(
    _ elements: inout [UnitConfiguration.Element], _ indices: [Int], _ scope: Scope,
    _ node: GraphModel.Node, like other: StreamFormat? = nil
  ) {
    var missing: [Int] = []
    var refused: Violation?
    for index in indices
    where elements[index].origin == .initial || elements[index].origin == .rateGiven {
      guard var format = defaultFormat(node) else {
        missing.append(index)
        continue
      }
      if elements[index].origin == .rateGiven {
        format.sampleRate = elements[index].format.sampleRate
      } else {
        elements[index].origin = .graphDefault
      }
      elements[index].format = format
      guard let refusal = node.unit.violation(of: format, scope: scope, element: index) else {
        continue
      }
      if refused == nil {
        refused = refusal
      } else {
        refused?.notes.append(
          .init("and here", at: .init(node: node.id, .streamFormat(scope, index))))
      }
    }
    if !missing.isEmpty {
      result.violations.append(
        FormatsGiven.violation(
          node, scope, missing, like: other, sampleRate: device.sampleRate))
    }
    if let refused { result.violations.append(refused.at(node: node.id)) }
    if !missing.isEmpty || refused != nil { doubtful.insert(node.id) }
  }

  /// Checks the rules of single nodes.
  private mutating func checkNodes(_ domains: RateDomains) {
    let isHearing =
      model.head.map {
        self.isHearing($0)
          || model.outputLinks[BusKey(node: $0.id, bus: RemoteIO.inputElement)] != nil
      } == true
    let graph = SettledGraph(
      model: model, configurations: result.configurations, domains: domains, pulled: result.pulled,
      largestSlice: device.ioBufferFrames, isIO: model.head?.isIO == true, isHearing: isHearing)
    for id in result.order {
      guard let index = model.index(of: id), let configuration = graph.configurations[id] else {
        continue
      }
      let node = model.nodes[index]
      for rule in rules {
        if let violation = rule.violation(node, configuration, in: graph) {
          result.violations.append(violation)
        }
      }
    }
  }

  private mutating func checkCallbacks(
    _ configuration: UnitConfiguration, _ feeding: NodeFeeds
  ) {
    for interaction in feeding {
      guard case .callback(let callback) = interaction,
        configuration.inputs.indices.contains(callback.input)
      else { continue }
      result.violations += CallbacksReady.violations(
        callback, format: configuration.inputs[callback.input].format)
    }
  }

  private mutating func checkTaps() {
    for tap in model.taps {
      guard let node = model.node(tap.node),
        let outputs = result.configurations[tap.node]?.outputs
      else { continue }
      if let violation = ConnectedBusesExist.violation(
        node, .output, tap.output, count: outputs.count, at: tap.place)
      {
        result.violations.append(violation)
      } else if node.isOutput && tap.output != 1 {
        result.violations.append(TapsReady.atLoudspeaker(node, tap))
      } else if outputs[tap.output].format.sampleRate > 0 {
        // A unit without feeds whose output follows its input has no rate, and no format to check.
        result.violations += TapsReady.violations(tap, format: outputs[tap.output].format)
      }
    }
  }

  func defaultFormat(_ node: GraphModel.Node) -> StreamFormat? {
    node.defaultFormat ?? defaultFormat
  }
}
