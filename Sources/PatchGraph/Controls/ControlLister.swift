import AudioGraphs
import AudioTypes
import AudioUnits
public import PatchSyntax
import RenderCallbacks
import RenderCore

extension LivePatch {
  /// All controls, in the order of the patch, and the document that they belong to.
  public var controls: (reading: PatchReader.Result, controls: [PatchControl]) {
    let present = present
    var lister = ControlLister(present)
    return (present.reading, lister.controls(in: graph))
  }
}

/// Lists the controls of a patch that plays.
private struct ControlLister {
  /// The path from a node to a setting, the key last.
  private typealias Place = SettingTable.Place

  private let present: LivePatch.Present
  /// The nodes of the document itself.
  private let written: [String: PatchDocument.Node]
  /// The names of the sub-graphs.
  private let subgraphs: Set<String>
  /// The settings that the document contains, by node, with keys as written.
  private var fields = SettingTable()
  /// The settings that ramps of the timeline change, by node, with keys as written.
  private var moved = SettingTable()

  init(_ present: LivePatch.Present) {
    self.present = present
    let document = present.reading.document
    written = Dictionary(
      (document?.nodes ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    subgraphs = Set(present.reference.document?.subgraphs.map(\.name) ?? [])
    for member in document?.nodes ?? [] {
      if member.value.subgraph == nil {
        fields.add(Self.places(of: member.value), of: member.name)
      } else {
        fields.add(member.value.parameters.map { ["parameters", $0.name] }, of: member.name)
        for setting in member.value.settings {
          guard let inside = JSONPointer(parsing: setting.name) else { continue }
          note(["nodes", member.name] + inside.tokens, in: \.fields)
        }
      }
    }
    for member in document?.callbacks ?? [] {
      let places = member.value.fields.flatMap { field -> [Place] in
        [[field.name]]
          + (field.value.kind == .object
            ? field.value.members.compactMap { $0.key.string }.map { [field.name, $0] } : [])
      }
      fields.add(places, of: "callbacks/" + member.name)
    }
    for step in document?.timeline ?? [] {
      if let path = step.ramp?.path { note(path.value.tokens, in: \.moved) }
    }
  }

  /// Adds the setting at a pointer, which may lead through sub-graphs, to a table.
  private mutating func note(_ tokens: [String], in table: WritableKeyPath<Self, SettingTable>) {
    if tokens.count > 2, tokens[0] == "callbacks" {
      self[keyPath: table].add([Array(tokens[2...])], of: "callbacks/" + tokens[1])
    }
    guard tokens.count > 2, tokens[0] == "nodes" else { return }
    var name = tokens[1]
    var rest = tokens[2...]
    while rest.first == "nodes", rest.count > 2, let inner = rest.dropFirst().first {
      name += "/" + inner
      rest = rest.dropFirst(2)
    }
    if rest.first == "settings", rest.count == 2,
      let inside = rest.last.flatMap({ JSONPointer(parsing: $0) })
    {
      return note(["nodes", name] + inside.tokens, in: table)
    }
    if rest.first == "callbacks", rest.count > 2, let inner = rest.dropFirst().first {
      self[keyPath: table].add(
        [Array(rest.dropFirst(2))], of: "callbacks/" + name + "/" + inner)
      return
    }
    self[keyPath: table].add([Array(rest)], of: name)
  }

  private static func places(of node: PatchDocument.Node) -> [Place] {
    func all(
      _ properties: [PatchDocument.Field], _ parameters: [PatchDocument.Field], _ way: Place
    ) -> [Place] {
      properties.map { way + ["properties", $0.name] }
        + parameters.map { way + ["parameters", $0.name] }
    }
    return all(node.properties, node.parameters, [])
      + (node.bands?.value ?? []).enumerated().flatMap { number, band in
        band.parameters.map { ["bands", "\(number)", $0.name] }
      }
      + node.inputs.flatMap {
        all($0.properties, $0.parameters, ["inputs", "\($0.bus.value)"])
      }
      + node.outputs.flatMap {
        all($0.properties, $0.parameters, ["outputs", "\($0.bus.value)"])
      }
  }

  // MARK: Controls

  mutating func controls(in graph: AudioGraph) -> [PatchControl] {
    let playing = graph.playing
    var ramps: [NodeID: [ParameterRamp]] = [:]
    for ramp in playing.ramps where ramp.start + ramp.duration > present.time {
      ramps[ramp.node, default: []].append(ramp)
    }
    let found =
      present.reference.layout.nodeNames.flatMap { name -> [PatchControl] in
        guard let id = present.nodes[name], let unit = playing.unit(id) else { return [] }
        return controls(of: unit, name, moving: ramps[id] ?? [])
      } + callbackControls(in: graph)
    return withKnobs(found)
  }

  // MARK: Knobs

  /// A knob of a sub-graph, and the control that it is listed as.
  private struct Knob {
    var subgraph: String
    var places: [JSONPointer]
    var control: PatchControl
    var isTaken: Bool { control.isInDocument || control.isScheduled }
  }

  /// The controls, followed by the knobs of sub-graphs. A parameter and the knobs that turn it
  /// exclude each other: while one of them is in the document, the others are not writable.
  private func withKnobs(_ all: [PatchControl]) -> [PatchControl] {
    let declared = (present.reference.document?.subgraphs ?? []).filter { !$0.knobs.isEmpty }
    guard !declared.isEmpty else { return all }
    var found = all
    let numbers = Dictionary(
      all.indices.filter { !all[$0].isProperty }.map { (Self.place(of: all[$0]), $0) },
      uniquingKeysWith: { first, _ in first })
    var knobs: [Knob] = []
    for subgraph in declared {
      for knob in subgraph.knobs {
        guard let first = knob.places.first.flatMap({ numbers[$0.tokens] }) else { continue }
        var control = all[first]
        let (key, node) = (control.key, control.node)
        let way = ["parameters", knob.name]
        control.pointer = pointer(to: way, of: subgraph.name)
        control.node = subgraph.name
        control.component = "sub-graph"
        control.scope = .global
        control.element = 0
        control.elementName = nil
        control.isUsed = true
        control.key = knob.name
        control.summary = "Turns '\(key)' of '\(node)'. " + control.summary
        if let range = knob.range {
          control.range = range
          control.isRangeEnforced = true
        }
        control.isInDocument = fields.contains(way, of: subgraph.name)
        control.isScheduled = moved.contains(way, of: subgraph.name)
        knobs.append(.init(subgraph: subgraph.name, places: knob.places, control: control))
      }
    }
    for knob in knobs where knob.isTaken {
      for place in knob.places {
        guard let number = numbers[place.tokens] else { continue }
        found[number].isWritable = false
      }
    }
    for index in knobs.indices {
      let knob = knobs[index]
      let isInside = knob.places.contains { place in
        numbers[place.tokens].map {
          all[$0].isInDocument && all[$0].node.hasPrefix(knob.subgraph + "/")
        }
          ?? false
      }
      let isOther = knobs.contains { other in
        other.isTaken && other.control.pointer != knob.control.pointer
          && (knob.subgraph + "/").hasPrefix(other.subgraph + "/")
          && !Set(other.places).isDisjoint(with: knob.places)
      }
      if isInside || isOther { knobs[index].control.isWritable = false }
    }
    return found + knobs.map(\.control)
  }

  /// The path of a control of a unit or a callback, in the document that sub-graphs have been put
  /// into.
  private static func place(of control: PatchControl) -> [String] {
    // No unit has the name of a kind of callback.
    guard CallbackCatalog.description(of: control.component) == nil else {
      return ["callbacks", control.node] + callbackPath(of: control)
    }
    let path = control.key.split(separator: "/").map(String.init)
    let way: Place =
      switch control.scope {
      case .global: []
      case .input: ["inputs", "\(control.element)"]
      case .output: ["outputs", "\(control.element)"]
      }
    return ["nodes", control.node] + way + (path.count == 3 ? path : ["parameters", control.key])
  }

  /// The keys that lead from a callback to a setting: the end of the control's pointer.
  private static func callbackPath(of control: PatchControl) -> Place {
    var tokens = control.pointer.tokens
    if let last = tokens.last, tokens.count == 4, tokens[2] == "settings",
      let inside = JSONPointer(parsing: last)
    {
      tokens = inside.tokens
    }
    let start = tokens.lastIndex(of: "callbacks").map { $0 + 2 } ?? tokens.count
    return start <= tokens.count ? Array(tokens[start...]) : []
  }

  /// The controls of the callbacks. A callback that feeds several inputs is listed once.
  private func callbackControls(in graph: AudioGraph) -> [PatchControl] {
    let layout = present.reference.layout
    let places = layout.placesOfCallbacks()
    return (present.reference.document?.callbacks ?? []).flatMap { member -> [PatchControl] in
      let name = member.name
      guard let place = places[name]?.first, case .chain(let chain)? = layout[feedOf: place.input]
      else {
        return []
      }
      let link = chain.links[place.behind]
      let instance = present.nodes[place.input.node].flatMap { node -> CallbackInstance? in
        guard let callbacks = try? graph.callbacks(of: node, place.input.bus),
          callbacks.indices.contains(place.behind)
        else { return nil }
        return callbacks[place.behind]
      }
      return link.live.compactMap { setting in
        let kind = setting.info.kind
        guard
          var control = PatchControl(
            setting.info, named: setting.member, value: kind.value(of: setting.value))
        else { return nil }
        control.node = name
        control.component = link.kind
        if let value = instance?.value(of: setting.key) {
          control.value = JSONText(kind.value(of: value))
        }
        let key = "callbacks/" + name
        control.isInDocument = fields.contains(setting.path, of: key)
        control.isScheduled = moved.contains(setting.path, of: key)
        control.pointer = pointer(toCallback: name, setting.path)
        return control
      }
    }
  }

  /// The pointer of a callback's setting. In a sub-graph, the setting is under "settings" of the
  /// outermost one.
  private func pointer(toCallback name: String, _ path: Place) -> JSONPointer {
    let around = subgraphs(around: name)
    guard let outermost = around.first else { return JSONPointer(["callbacks", name] + path) }
    let inner = zip(around, around.dropFirst()).flatMap { outer, inner in
      ["nodes", String(inner.dropFirst(outer.count + 1))]
    }
    let last = around[around.count - 1]
    let inside = inner + ["callbacks", String(name.dropFirst(last.count + 1))] + path
    return JSONPointer(["nodes", outermost, "settings", JSONPointer(inside).description])
  }

  private func controls(
    of unit: UnitInstance, _ name: String, moving ramps: [ParameterRamp]
  ) -> [PatchControl] {
    let configuration = unit.configuration()
    var found: [PatchControl] = []
    let bands = Self.bandCount(unit)
    for scope in Scope.allCases {
      let parameters = unit.description.parameters(in: scope).filter {
        !$0.isReadOnly && (!$0.isOfBand || (Int($0.path[1]) ?? 0) < bands)
      }
      let properties = unit.properties.filter {
        $0.scopes.contains(scope) && $0.isPatchProperty && $0.isWritableWhileInitialized
          && ($0.isState || $0.isLive)
      }
      let buses = scope == .input ? configuration.inputs : configuration.outputs
      for element in 0..<unit.elementCount(scope) {
        for info in parameters {
          guard var control = PatchControl(info.setting, scope: scope) else { continue }
          place(&control, info.path.dropLast(), unit, name, scope, element) { spelling in
            info.isOfBand && spelling == info.constant || info.path.last == spelling
              ? info.key : unit.parameterInfo(named: spelling, scope)?.key
          }
          control.isUsed = scope == .global || buses[element].isUsed
          if let value = try? unit.parameter(info.id, scope, element) {
            control.value = JSONText(info.written(value))
          }
          control.isScheduled =
            control.isScheduled
            || ramps.contains {
              $0.parameter == info.id && $0.scope == scope && $0.element == element
            }
          found.append(control)
        }
        for info in properties where info.elements[scope, default: element] == element {
          guard var control = PatchControl(info.setting) else { continue }
          control.isProperty = true
          place(&control, ["properties"], unit, name, scope, element) {
            unit.info(named: $0)?.key
          }
          control.isUsed = scope == .global || buses[element].isUsed
          if let value = try? unit.property(info.id, scope, element) {
            control.value = info.kind.written(value).map(JSONText.init) ?? .null
          }
          control.isWritable = (try? unit.isWritable(info.id, scope, element)) ?? false
          found.append(control)
        }
      }
    }
    return found
  }

  /// How many bands a unit has now; 0 for one without.
  private static func bandCount(_ unit: UnitInstance) -> Int {
    guard let bands = unit.description.bands,
      case .uint32(let count)? = try? unit.property(bands.countProperty)
    else { return 0 }
    return Int(count)
  }

  /// Fills in the place of a control: its bus, and its pointer in the document.
  ///
  /// - Parameters:
  ///   - group: The keys between the bus and the control: `parameters`.
  ///   - key: Returns the key for any spelling of it, such as a `k…` name; `nil` for other names.
  private func place(
    _ control: inout PatchControl, _ group: some Sequence<String>, _ unit: UnitInstance,
    _ node: String, _ scope: Scope,
    _ element: Int, key: (String) -> String?
  ) {
    control.node = node
    control.component = unit.description.name
    control.scope = scope
    control.element = element
    control.elementName = unit.elementName(scope, element)
    let bus: Place =
      switch scope {
      case .global: []
      case .input: ["inputs", "\(element)"]
      case .output: ["outputs", "\(element)"]
      }
    let way = bus + group
    let spelling = fields.keys(at: way, of: node).first { key($0) == control.key }
    control.isInDocument = spelling != nil
    control.isScheduled = moved.keys(at: way, of: node).contains { key($0) == control.key }
    control.pointer = pointer(
      to: way + [spelling ?? control.key.split(separator: "/").last.map(String.init) ?? ""],
      of: node)
  }

  /// The pointer of a node's setting. In a sub-graph, the setting is under "settings" of the
  /// outermost one.
  private func pointer(to place: Place, of node: String) -> JSONPointer {
    let around = subgraphs(around: node)
    guard written[node] == nil, let outermost = around.first else {
      return JSONPointer(["nodes", node] + place)
    }
    let names = zip(around, around.dropFirst() + [node]).map { outer, inner in
      String(inner.dropFirst(outer.count + 1))
    }
    let inside = names.flatMap { ["nodes", $0] } + place
    return JSONPointer(["nodes", outermost, "settings", JSONPointer(inside).description])
  }

  /// The sub-graphs that a node or a callback is in, from the outermost to the innermost.
  private func subgraphs(around name: String) -> [String] {
    guard !subgraphs.isEmpty else { return [] }
    return name.indices.lazy.filter { name[$0] == "/" }.map { String(name[..<$0]) }
      .filter(subgraphs.contains)
  }
}
