import AudioTypes
import Diagnostics

// MARK: The patch's parts

extension PatchReader {
  mutating func readDocument(_ root: JSONValue) -> PatchDocument? {
    guard root.kind == .object else {
      reportType(root, "a patch", "an object")
      return nil
    }
    var document = PatchDocument(root: root)
    read(root, as: PatchGrammar.patch, into: &document)
    // A patch beyond the limit is not examined further.
    guard itemCount <= limits.nodes else { return nil }
    resolveElementNames(in: &document)
    reportAmbiguousNames(document)
    return document
  }

  /// Counts the nodes, callbacks or taps of an object. Returns whether the patch is within their
  /// limit, and reports once where it is not.
  mutating func countsItems(of json: JSONValue) -> Bool {
    guard itemCount <= limits.nodes else { return false }
    itemCount += json.members.count()
    guard itemCount > limits.nodes else { return true }
    diagnostics.append(.tooManyNodes(at: json, limits))
    return false
  }

  mutating func schemaVersion(_ json: JSONValue) -> Located<Int>? {
    guard check(json, "'schemaVersion'", .number) else { return nil }
    guard json.integer == 1 else {
      diagnostics.append(.schemaVersion(json))
      return nil
    }
    return Located(1, at: json)
  }

  mutating func session(_ json: JSONValue) -> Located<PatchDocument.Session>? {
    guard check(json, "'session'", .object) else { return nil }
    var session = PatchDocument.Session()
    read(json, as: PatchGrammar.session, into: &session)
    return Located(session, at: json)
  }

  mutating func outputLimits(_ json: JSONValue) -> Located<PatchDocument.Limits>? {
    guard check(json, "'limits'", .object) else { return nil }
    var limits = PatchDocument.Limits()
    read(json, as: PatchGrammar.limits, into: &limits)
    return Located(limits, at: json)
  }

  /// A level. A rule of its own checks its range.
  mutating func level(_ json: JSONValue, _ name: String) -> Located<Level>? {
    if json.kind == .number, let value = json.number { return Located(.linear(value), at: json) }
    guard json.kind == .string else {
      reportType(json, name, "a level: a text such as \"-1 dB\", or a number above 0")
      return nil
    }
    return string(json, name).map { Located(Level($0.value), at: json) }
  }

  mutating func callback(_ json: JSONValue) -> PatchDocument.Callback? {
    guard check(json, "a callback", .object) else { return nil }
    var callback = PatchDocument.Callback(json: json, fields: [])
    callback.fields = fields(json, "a callback", required: ["kind"]) { reader, key, value in
      guard key == "kind" else { return false }
      callback.kind = reader.string(value, "'kind'")
      return true
    }
    return callback
  }

  mutating func tap(_ json: JSONValue) -> PatchDocument.Tap? {
    guard check(json, "a tap", .object) else { return nil }
    var tap = PatchDocument.Tap(json: json, fields: [])
    tap.fields = fields(json, "a tap", required: ["kind", "at"]) { reader, key, value in
      switch key {
      case "kind": tap.kind = reader.string(value, "'kind'")
      case "at": tap.at = reader.address(value, "'at'")
      default: return false
      }
      return true
    }
    return tap
  }

  mutating func connections(_ json: JSONValue) -> [PatchDocument.Connection] {
    guard check(json, "'connections'", .array, help: "write [ ... ]") else { return [] }
    var connections: [PatchDocument.Connection] = []
    connections.reserveCapacity(json.elements.reduce(0) { count, _ in count + 1 })
    for element in json.elements {
      if let connection = connection(element) { connections.append(connection) }
    }
    return connections
  }

  private mutating func connection(_ json: JSONValue) -> PatchDocument.Connection? {
    guard check(json, "a connection", .object) else { return nil }
    var connection = PatchDocument.Connection(json: json)
    read(json, as: PatchGrammar.connection, into: &connection)
    return connection
  }

  mutating func node(_ json: JSONValue) -> PatchDocument.Node? {
    guard check(json, "a node", .object) else { return nil }
    var written = PatchGrammar.WrittenNode(node: PatchDocument.Node(json: json))
    read(json, as: PatchGrammar.node, into: &written)
    if written.component != nil, written.node.subgraph == nil, written.settings == nil {
      return taken(&written.node, json)
    }
    let keys = PatchGrammar.node.keys
    /// Whether the node has an unknown key, which may be a misspelt `component`.
    func hasUnknownKey() -> Bool {
      json.members.contains { member in
        let key = member.key.string ?? ""
        return key != "comment" && !keys.contains(key)
      }
    }
    if let component = written.component, let subgraph = written.node.subgraph {
      diagnostics.append(.componentAndSubgraph(component, subgraph))
    } else if let subgraph = written.node.subgraph {
      // Keys that only a unit has.
      for (key, value) in json.members {
        guard let name = key.string, keys.contains(name),
          !["component", "subgraph", "settings", "parameters"].contains(name),
          !repeatedKeys.contains(key.index)
        else { continue }
        diagnostics.append(.unitKey(value, besides: subgraph))
      }
    } else if let settings = written.settings, written.component != nil || !hasUnknownKey() {
      diagnostics.append(.settingsOfUnit(settings))
    }
    if written.component == nil, written.node.subgraph == nil, !hasUnknownKey() {
      diagnostics.append(.missing(["component"], in: json, "a node"))
    }
    return taken(&written.node, json)
  }

  /// Takes a node out of where it was read into, as a copy would count all references in it.
  private func taken(
    _ written: inout PatchDocument.Node, _ json: JSONValue
  ) -> PatchDocument.Node {
    var node = PatchDocument.Node(json: json)
    swap(&node, &written)
    return node
  }

  mutating func bands(_ json: JSONValue) -> Located<[PatchDocument.Band]> {
    Located(
      array(json, "'bands'").compactMap { band in
        guard check(band, "a band", .object) else { return nil }
        return PatchDocument.Band(json: band, parameters: settings(band, "a band"))
      }, at: json)
  }

  mutating func device(_ json: JSONValue) -> Located<PatchDocument.Device>? {
    guard check(json, "'device'", .object) else { return nil }
    var device = PatchDocument.Device()
    read(json, as: PatchGrammar.device, into: &device)
    return Located(device, at: json)
  }

  mutating func deviceChoice(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.DeviceChoice>? {
    switch json.kind {
    case .string:
      guard let pattern = string(json, name) else { return nil }
      return Located(.init(patterns: [(Located("name", at: json), pattern)]), at: json)
    case .object:
      var choice = PatchDocument.DeviceChoice(patterns: [])
      eachMember(of: json) { reader, key, property, value in
        guard let pattern = reader.string(value, "'\(property)'") else { return }
        choice.patterns.append((Located(property, at: key), pattern))
      }
      return Located(choice, at: json)
    default:
      reportType(json, name, "a name, a pattern such as \"*usb*\", or an object of properties")
      return nil
    }
  }

  mutating func component(_ json: JSONValue) -> Located<PatchDocument.Component>? {
    switch json.kind {
    case .string:
      return names.text(of: json).map { Located(.name($0), at: json) }
    case .object:
      var description = PatchDocument.ComponentDescription()
      let errors = diagnostics.count
      read(json, as: PatchGrammar.component, into: &description)
      // A description that lacks a field would match other components.
      if diagnostics.count > errors { return nil }
      return Located(.description(description), at: json)
    default:
      reportType(json, "'component'", "a name or an object with type, subtype and manufacturer")
      return nil
    }
  }

  /// Reads buses, each under its number.
  mutating func elements(
    _ json: JSONValue, _ name: String, as grammar: ObjectGrammar<PatchDocument.Element>
  ) -> [PatchDocument.Element] {
    guard
      check(
        json, name, .object, help: "write { \"0\": { ... } }: each bus under its number")
    else { return [] }
    var elements: [PatchDocument.Element] = []
    eachMember(of: json) { reader, key, name, value in
      guard let bus = Self.busNumber(name) else {
        reader.diagnostics.append(.busNumber(key, name, in: json))
        return
      }
      guard reader.check(value, grammar.name, .object) else { return }
      var element = PatchDocument.Element(json: value, bus: Located(bus, at: key))
      reader.read(value, as: grammar, into: &element)
      elements.append(consume element)
    }
    return elements
  }
}
