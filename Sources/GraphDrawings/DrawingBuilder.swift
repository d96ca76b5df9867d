public import AudioGraphs
import AudioTypes
import AudioUnits
import FileAccess
public import PatchGraph
public import PatchSyntax
import RenderCallbacks
import RenderTaps
import SoundFiles

extension GraphDrawing {
  /// Draws the graph of a patch, which has to be open and free of errors. The formats are those
  /// after initialization.
  ///
  /// - Parameters:
  ///   - document: The patch that the graph was built from, with its taps.
  ///   - surroundings: The surroundings that the patch was built in.
  public init(graph: AudioGraph, document: PatchDocument, in surroundings: PatchSurroundings) {
    var builder = DrawingBuilder(graph: graph, document: document, in: surroundings)
    self = builder.drawing()
  }
}

/// Builds a drawing from the initialized graph and from the names and settings of the patch.
private struct DrawingBuilder {
  private let graph: AudioGraph
  private let document: PatchDocument
  private let surroundings: PatchSurroundings
  private let callbacks: [String: PatchDocument.Callback]
  private let written: [String: PatchDocument.Node]
  private var names: [NodeID: String] = [:]
  /// The indices in `result.nodes`, by name.
  private var units: [String: Int] = [:]
  private var drawnCallbacks: [String: Int] = [:]
  private var result: GraphDrawing

  init(graph: AudioGraph, document: PatchDocument, in surroundings: PatchSurroundings) {
    self.graph = graph
    self.document = document
    self.surroundings = surroundings
    callbacks = Dictionary(
      document.callbacks.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    written = Dictionary(
      document.nodes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    result = GraphDrawing(title: document.title?.value ?? "", nodes: [], edges: [])
  }

  mutating func drawing() -> GraphDrawing {
    for id in graph.nodes { names[id] = try? graph.nodeInfo(id).name }
    let configurations = graph.configurations
    for id in graph.nodes {
      guard let info = try? graph.nodeInfo(id), let unit = info.unit,
        let configuration = configurations[id]
      else { continue }
      units[info.name] = result.nodes.count
      result.nodes.append(node(info.name, unit, configuration))
    }
    for connection in document.connections {
      guard let from = connection.from?.value, let to = connection.to?.value,
        let destination = units[to.node]
      else { continue }
      join(from, to: destination, input: to.bus ?? 0)
    }
    setLatencies()
    for tap in document.taps { add(tap) }
    setGroups()
    return result
  }

  /// Sets the latency and the delay of each edge.
  private mutating func setLatencies() {
    let latencies = graph.latencies()
    var ids: [Int: NodeID] = [:]
    for (id, name) in names {
      guard let index = units[name] else { continue }
      ids[index] = id
      result.nodes[index].latency = latencies.output(of: id)
    }
    for index in result.edges.indices {
      let edge = result.edges[index]
      if let source = ids[edge.source] {
        result.edges[index].latency = latencies.output(of: source)
      }
      if let destination = ids[edge.destination] {
        result.edges[index].delay = latencies.delay(ofInput: edge.input, of: destination)
      }
    }
  }

  /// Sets the sub-graph of each node.
  private mutating func setGroups() {
    guard !document.subgraphs.isEmpty else { return }
    let keys =
      document.nodes.map(\.key) + document.callbacks.map(\.key) + document.taps.map(\.key)
    let trees = Dictionary(
      keys.map { ($0.value, ObjectIdentifier($0.json.tree)) },
      uniquingKeysWith: { first, _ in first }
    )
    let names = Dictionary(
      document.subgraphs.compactMap { subgraph in
        subgraph.tree.map { (ObjectIdentifier($0), subgraph.name) }
      }, uniquingKeysWith: { first, _ in first })
    for index in result.nodes.indices {
      result.nodes[index].subgraph = trees[result.nodes[index].name].flatMap { names[$0] }
    }
    // Sub-graphs that contain only others are drawn too.
    result.subgraphs = document.subgraphs.map(\.name)
    for subgraph in document.subgraphs where !subgraph.knobs.isEmpty {
      result.knobs[subgraph.name] = subgraph.knobs.compactMap(knob)
    }
  }

  /// A knob's setting: the value that it is set to, otherwise the value of its first target.
  private func knob(_ knob: PatchDocument.TurnedKnob) -> GraphDrawing.Setting? {
    guard let tokens = knob.places.first?.tokens else { return nil }
    if tokens[0] == "callbacks" {
      guard let callback = callbacks[tokens[1]],
        let info = CallbackCatalog.description(of: callback.kind?.value ?? "")?.settings.first(
          where: { $0.key == tokens[2] })
      else { return nil }
      let field = callback.fields.first { $0.name == info.key }?.value
      let inside = tokens.count == 4 ? field?[JSONPointer([tokens[3]])] : field
      return GraphDrawing.Setting(
        name: knob.name,
        value: (knob.value ?? inside).map(JSONText.init)
          ?? info.defaultValue.map(JSONText.init) ?? .null,
        unit: info.unit.symbol)
    }
    guard let unit = unit(named: tokens[1]) else { return nil }
    let path = Array(tokens.dropFirst(2))
    let scope: Scope = ["inputs": .input, "outputs": .output][path[0]] ?? .global
    let key = path[0] == "bands" ? path.joined(separator: "/") : path[path.count - 1]
    guard let info = unit.parameterInfo(named: key, scope) else { return nil }
    let element = scope == .global ? 0 : Int(path[1]) ?? 0
    let value =
      knob.value.map(JSONText.init)
      ?? (try? unit.parameter(info.id, scope, element)).map { JSONText.number($0) }
    return value.map { .init(name: knob.name, value: $0, unit: info.unit.symbol) }
  }

  private func unit(named name: String) -> UnitInstance? {
    names.first { $0.value == name }.flatMap { try? graph.unit($0.key) }
  }

  // MARK: Units

  private func node(
    _ name: String, _ unit: UnitInstance, _ configuration: UnitConfiguration
  ) -> GraphDrawing.Node {
    let description = unit.description
    var node = GraphDrawing.Node(
      .unit, name, type: description.name, component: description.component)
    let patch = written[name]
    node.settings = ((patch?.parameters ?? []) + (patch?.properties ?? [])).map {
      setting($0, .global, of: unit)
    }
    for (number, band) in (patch?.bands?.value ?? []).enumerated() {
      node.settings.append(
        GraphDrawing.Setting(
          name: "band \(number)", value: .string(text(of: band, unit)), unit: ""))
    }
    node.isDevice = description.property(.enableIO) != nil
    node.inputCount = configuration.inputs.count
    node.inputs = elements(configuration.inputs, .input, name, unit, patch?.inputs ?? [])
    node.outputs = elements(configuration.outputs, .output, name, unit, patch?.outputs ?? [])
    markConversions(&node, configuration)
    return node
  }

  private func elements(
    _ elements: [UnitConfiguration.Element], _ scope: Scope, _ name: String, _ unit: UnitInstance,
    _ patch: [PatchDocument.Element]
  ) -> [GraphDrawing.Element] {
    let patch = Dictionary(
      patch.map { ($0.bus.value, $0) }, uniquingKeysWith: { first, _ in first })
    return elements.enumerated().compactMap { number, element in
      let label = unit.elementName(scope, number)
      let isWorth =
        element.isUsed || label != nil || patch[number] != nil || scope == .output
        || [.given, .rateGiven, .hardware].contains(element.origin)
      guard isWorth else { return nil }
      let fields = (patch[number]?.parameters ?? []) + (patch[number]?.properties ?? [])
      return GraphDrawing.Element(
        number: number, name: label, format: element.format,
        origin: origin(element.origin, name, scope, number), isUsed: element.isUsed,
        settings: fields.map { setting($0, scope, of: unit) }.filter {
          $0.name != "elementName"
        })
    }
  }

  private func origin(
    _ origin: FormatOrigin, _ name: String, _ scope: Scope, _ number: Int
  ) -> GraphDrawing.Origin {
    func here(_ kind: GraphDrawing.Origin.Kind) -> GraphDrawing.Origin {
      .init(kind: kind, node: name, scope: scope, element: number)
    }
    switch origin {
    case .initial: return here(.unitDefault)
    case .given: return here(.set)
    case .rateGiven: return here(.rateSet)
    case .graphDefault: return here(.streamFormat)
    case .hardware: return here(.device)
    case .followsInput: return here(.input)
    case .propagated(let source, let output):
      return .init(
        kind: .propagated, node: names[source] ?? "", scope: .output, element: output)
    }
  }

  private func markConversions(
    _ node: inout GraphDrawing.Node, _ configuration: UnitConfiguration
  ) {
    func conversions(
      _ before: GraphDrawing.Element?, _ after: GraphDrawing.Element?,
      _ kinds: [GraphDrawing.Conversion.Kind]
    ) -> [GraphDrawing.Conversion] {
      guard let before = before?.format, let after = after?.format else { return [] }
      return GraphDrawing.Conversion.between(before, after, kinds)
    }
    switch node.component?.type {
    case .outputType? where node.isDevice:
      for index in node.inputs.indices where node.inputs[index].number == 0 {
        guard node.inputs[index].isUsed else { continue }
        node.inputs[index].conversions = conversions(
          node.inputs[index], node.output(0), [.rate, .sample, .channels])
      }
      guard configuration.isOn(.enableIO, .input, 1) else { return }
      for index in node.outputs.indices where node.outputs[index].number == 1 {
        node.outputs[index].conversions = conversions(
          node.input(1), node.outputs[index], [.rate, .sample, .channels])
      }
    case .mixerType?:
      // Channels are mixed, not converted.
      for index in node.inputs.indices where node.inputs[index].isUsed {
        node.inputs[index].conversions = conversions(
          node.inputs[index], node.output(0), [.rate, .sample])
      }
    default:
      for index in node.inputs.indices where node.inputs[index].isUsed {
        node.inputs[index].conversions = conversions(
          node.inputs[index], node.output(0), [.rate, .sample, .channels, .layout])
      }
    }
  }

  // MARK: Edges

  /// Draws what feeds an input: a connection, or a callback and the callbacks that it pulls.
  private mutating func join(_ from: PatchDocument.Address, to destination: Int, input: Int) {
    let fed = result.nodes[destination].input(input)
    if let source = units[from.node] {
      let output = from.bus ?? 0
      let element = result.nodes[source].output(output)
      result.edges.append(
        GraphDrawing.Edge(
          source: source, output: output, destination: destination, input: input,
          format: element?.format, origin: element?.origin))
      return
    }
    var floats = fed?.format
    if let format = floats {
      floats = StreamFormat(
        .float32, channels: format.channelCount, sampleRate: format.sampleRate)
    }
    var taker = (node: destination, input: input, format: fed?.format, origin: fed?.origin)
    var name: String? = from.node
    var seen: Set<String> = []
    var edges: [GraphDrawing.Edge] = []
    // A callback that feeds several inputs is drawn once, with the callback that it pulls.
    while let here = name, seen.insert(here).inserted, let callback = callbacks[here] {
      let isNew = drawnCallbacks[here] == nil
      let index = drawnCallbacks[here] ?? result.nodes.count
      let pulls = CallbackSource.address(callback)
      if isNew {
        drawnCallbacks[here] = index
        result.nodes.append(node(here, callback, feeding: taker.format, pulls: pulls != nil))
      } else if let file = result.nodes[index].file, let format = taker.format {
        let known = result.nodes[index].outputs[0].conversions
        result.nodes[index].outputs[0].conversions += GraphDrawing.Conversion.between(
          file, format, [.rate, .channels]
        ).filter { !known.contains($0) }
      }
      edges.append(
        GraphDrawing.Edge(
          source: index, output: 0, destination: taker.node, input: taker.input,
          format: taker.format, origin: taker.origin))
      guard isNew, let pulls else { break }
      taker = (
        index, 0, floats,
        GraphDrawing.Origin(kind: .callback, node: here, scope: .input, element: 0)
      )
      name = nil
      if let source = units[pulls.node] {
        let output = pulls.bus ?? 0
        let element = result.nodes[source].output(output)
        if let before = element?.format, let floats {
          result.nodes[index].inputs[0].conversions = GraphDrawing.Conversion.between(
            before, floats, [.sample])
        }
        edges.append(
          GraphDrawing.Edge(
            source: source, output: output, destination: index, input: 0,
            format: element?.format, origin: element?.origin))
      } else {
        name = pulls.node
      }
    }
    result.edges += edges.reversed()
  }

  private func node(
    _ name: String, _ callback: PatchDocument.Callback, feeding format: StreamFormat?, pulls: Bool
  ) -> GraphDrawing.Node {
    let kind = callback.kind?.value ?? "callback"
    let infos = CallbackCatalog.description(of: kind)?.settings ?? []
    var node = GraphDrawing.Node(.callback, name, type: kind)
    node.settings = callback.fields.filter { !(pulls && $0.name == "from") }.map { field in
      setting(field, infos.first { $0.key == field.name }?.unit)
    }
    var output = GraphDrawing.Element(number: 0, isUsed: true)
    if pulls {
      node.inputCount = 1
      node.inputs = [GraphDrawing.Element(number: 0, isUsed: true)]
      if let format {
        let floats = StreamFormat(
          .float32, channels: format.channelCount, sampleRate: format.sampleRate)
        output.conversions = GraphDrawing.Conversion.between(floats, format, [.sample])
      }
    } else if kind == "file", let format,
      let json = callback.fields.first(where: { $0.name == "path" })?.value,
      let path = json.string,
      let reader = try? SoundFileReader(
        path: resolved(path, in: json), files: surroundings.files)
    {
      // The samples of a file are decoded, so only its rate and its channels count.
      let file = StreamFormat(
        .float32, channels: reader.channelCount, sampleRate: reader.sampleRate)
      node.file = file
      output.conversions = GraphDrawing.Conversion.between(file, format, [.rate, .channels])
    }
    node.outputs = [output]
    return node
  }

  private func resolved(_ path: String, in json: JSONValue) -> String {
    let directory = document.subgraph(around: json)?.directory ?? surroundings.directory
    return FilePolicy.join(directory, path)
  }

  private mutating func add(_ tap: PatchDocument.Member<PatchDocument.Tap>) {
    guard let at = tap.value.at?.value, let source = units[at.node] else { return }
    let kind = tap.value.kind?.value ?? "tap"
    let infos = TapCatalog.ofPatches.description(of: kind)?.settings ?? []
    var node = GraphDrawing.Node(.tap, tap.name, type: kind)
    node.settings = tap.value.fields.map { field in
      setting(field, infos.first { $0.key == field.name }?.unit)
    }
    node.inputCount = 1
    node.inputs = [GraphDrawing.Element(number: 0, isUsed: true)]
    let element = result.nodes[source].output(at.bus ?? 0)
    result.edges.append(
      GraphDrawing.Edge(
        source: source, output: at.bus ?? 0, destination: result.nodes.count, input: 0,
        format: element?.format, origin: element?.origin, isTap: true))
    result.nodes.append(node)
  }

  /// A parameter or a property of a unit, under its short key, whichever spelling the patch uses.
  private func setting(
    _ field: PatchDocument.Field, _ scope: Scope, of unit: UnitInstance
  ) -> GraphDrawing.Setting {
    let parameter = unit.parameterInfo(named: field.name, scope)
    var setting = setting(field, parameter?.unit)
    setting.name = parameter?.key ?? unit.info(named: field.name)?.key ?? field.name
    return setting
  }

  private func setting(
    _ field: PatchDocument.Field, _ unit: ParameterUnit?
  ) -> GraphDrawing.Setting {
    GraphDrawing.Setting(
      name: field.name, value: JSONText(field.value), unit: unit?.symbol ?? "")
  }

  /// A band in a few words: `parametric, 1000 Hz, -3 dB, bandwidth 1`.
  private func text(of band: PatchDocument.Band, _ unit: UnitInstance) -> String {
    band.parameters.map { field in
      let info = unit.description.bands?.parameters.first {
        $0.key == field.name || $0.constant == field.name
      }
      let symbol = info?.unit.symbol ?? ""
      let value = field.value.string ?? JSONText(field.value).compact
      return field.value.kind == .string
        ? value : symbol.isEmpty ? "\(info?.key ?? field.name) \(value)" : "\(value) \(symbol)"
    }.joined(separator: ", ")
  }
}
