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
    readObject(
      root, "a patch",
      keys: [
        "schemaVersion", "title", "constants", "session", "maximumFramesPerSlice", "limits",
        "streamFormats", "streamFormat",
        "callbacks",
        "nodes",
        "connections", "compensateLatency", "taps", "tempo", "timeline", "knobs", "$schema",
      ], required: ["nodes"]
    ) { reader, key, value in
      switch key {
      case "schemaVersion": document.schemaVersion = reader.schemaVersion(value)
      case "title": document.title = reader.string(value, "'title'")
      case "constants": document.constants = reader.constants(value)
      case "session": document.session = reader.session(value)
      case "limits": document.limits = reader.outputLimits(value)
      case "streamFormats":
        document.streamFormats = reader.map(value, "'streamFormats'", .format) {
          $0.streamFormat($1, mayBeName: false)
        }
      case "streamFormat": document.streamFormat = reader.streamFormat(value)
      case "maximumFramesPerSlice":
        document.maximumFramesPerSlice = reader.count(
          value, "'maximumFramesPerSlice'", in: 1...1_048_576)
      case "callbacks":
        guard reader.admits(value, key) else { return }
        document.callbacks = reader.map(value, "'callbacks'", .source) { $0.callback($1) }
      case "nodes":
        guard reader.admits(value, key) else { return }
        document.nodes = reader.map(value, "'nodes'", .source) { $0.node($1) }
        if value.kind == .object, !value.members.contains(where: { $0.key.string != "comment" }) {
          reader.diagnostics.append(.emptyNodes(value))
        }
      case "connections":
        document.connections = reader.array(value, "'connections'").compactMap {
          reader.connection($0)
        }
      case "taps":
        guard reader.admits(value, key) else { return }
        document.taps = reader.map(value, "'taps'", .tap) { $0.tap($1) }
      case "compensateLatency":
        document.compensateLatency = reader.bool(value, "'compensateLatency'")
      case "tempo": document.tempo = reader.positive(value, "'tempo'", "beats per minute")
      case "timeline":
        document.timeline = reader.timeline(value)
      case "knobs": document.knobs = reader.map(value, "'knobs'", .knob) { $0.knob($1) }
      default: _ = reader.string(value, "'$schema'")
      }
    }
    // What is too large is not looked at any closer.
    guard itemCount <= limits.nodes else { return nil }
    settleElementNames(in: &document)
    reportAmbiguousNames(document)
    return document
  }

  /// Whether there are no more nodes, callbacks and taps than may be: more are not read. It is said once.
  private mutating func admits(_ json: JSONValue, _ key: String) -> Bool {
    guard itemCount <= limits.nodes else { return false }
    itemCount += json.members.reduce(0) { count, _ in count + 1 }
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

  private mutating func session(_ json: JSONValue) -> Located<PatchDocument.Session>? {
    guard check(json, "'session'", .object) else { return nil }
    var session = PatchDocument.Session()
    readObject(
      json, "the session",
      keys: [
        "category", "preferredSampleRate", "preferredIOBufferDuration", "onInterruption",
        "onRouteChange", "onDeviceLoss", "deviceWait", "withoutDevice",
      ]
    ) { reader, key, value in
      switch key {
      case "category": session.category = reader.string(value, "'category'")
      case "onInterruption":
        session.onInterruption = reader.string(value, "'onInterruption'")
      case "onRouteChange": session.onRouteChange = reader.string(value, "'onRouteChange'")
      case "onDeviceLoss": session.onDeviceLoss = reader.string(value, "'onDeviceLoss'")
      case "deviceWait":
        session.deviceWait = reader.positive(value, "'deviceWait'", "seconds")
      case "withoutDevice": session.withoutDevice = reader.string(value, "'withoutDevice'")
      case "preferredSampleRate":
        session.preferredSampleRate = reader.positive(value, "'preferredSampleRate'", "hertz")
      default:
        session.preferredIOBufferDuration = reader.bufferDuration(value)
      }
    }
    return Located(session, at: json)
  }

  mutating func outputLimits(_ json: JSONValue) -> Located<PatchDocument.Limits>? {
    guard check(json, "'limits'", .object) else { return nil }
    var limits = PatchDocument.Limits()
    readObject(json, "the limits", keys: ["outputPeak", "requestedGain"]) { reader, key, value in
      let level = reader.level(value, "'\(key)'")
      if key == "outputPeak" { limits.outputPeak = level } else { limits.requestedGain = level }
    }
    return Located(limits, at: json)
  }

  /// A level. Whether it is one that makes sense is somebody else's affair.
  private mutating func level(_ json: JSONValue, _ name: String) -> Located<Level>? {
    if json.kind == .number, let value = json.number { return Located(.linear(value), at: json) }
    guard json.kind == .string else {
      reportType(json, name, "a level: a text such as \"-1 dB\", or a number above 0")
      return nil
    }
    return string(json, name).map { Located(Level($0.value), at: json) }
  }

  private mutating func callback(_ json: JSONValue) -> PatchDocument.Callback? {
    guard check(json, "a callback", .object) else { return nil }
    var callback = PatchDocument.Callback(json: json, fields: [])
    callback.fields = fields(json, "a callback", required: ["kind"]) { reader, key, value in
      guard key == "kind" else { return false }
      callback.kind = reader.string(value, "'kind'")
      return true
    }
    return callback
  }

  private mutating func tap(_ json: JSONValue) -> PatchDocument.Tap? {
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

  private mutating func connection(_ json: JSONValue) -> PatchDocument.Connection? {
    guard check(json, "a connection", .object) else { return nil }
    var connection = PatchDocument.Connection(json: json)
    readObject(json, "a connection", keys: ["from", "to"], required: ["from", "to"]) {
      reader, key, value in
      if key == "from" {
        connection.from = reader.address(value, "'from'")
      } else {
        connection.to = reader.address(value, "'to'")
      }
    }
    return connection
  }

  private mutating func node(_ json: JSONValue) -> PatchDocument.Node? {
    guard check(json, "a node", .object) else { return nil }
    var node = PatchDocument.Node(json: json)
    var component: JSONValue?
    var settings: JSONValue?
    readObject(json, "a node", keys: Self.nodeKeys) { reader, key, value in
      switch key {
      case "component":
        component = value
        node.component = reader.component(value)
      case "subgraph":
        node.subgraph = value
        _ = reader.string(value, "'subgraph'")
      case "settings":
        settings = value
        node.settings = reader.settings(value, "'settings'")
      case "properties": node.properties = reader.settings(value, "'properties'")
      case "parameters": node.parameters = reader.settings(value, "'parameters'")
      case "preset":
        node.preset = value
        _ = reader.string(value, "'preset'")
      case "bands": node.bands = reader.bands(value)
      case "inputCount":
        node.inputCount = reader.count(
          value, "'inputCount'", expecting: "a whole number from 1 to 1024")
      case "outputCount":
        node.outputCount = reader.count(
          value, "'outputCount'", expecting: "a whole number from 1 to 1024")
      case "device": node.device = reader.device(value)
      case "inputs": node.inputs = reader.elements(value, "'inputs'")
      default: node.outputs = reader.elements(value, "'outputs'")
      }
    }
    /// Whether a key may be what is missing, misspelt.
    func hasUnknownKey() -> Bool {
      let known = Self.nodeKeys + ["comment"]
      return json.members.contains { !known.contains($0.key.string ?? "") }
    }
    if let component, let subgraph = node.subgraph {
      diagnostics.append(.componentAndSubgraph(component, subgraph))
    } else if let subgraph = node.subgraph {
      // What only a unit has.
      for (key, value) in json.members {
        guard let name = key.string, Self.nodeKeys.contains(name),
          !["component", "subgraph", "settings", "parameters"].contains(name),
          !repeatedKeys.contains(key.index)
        else { continue }
        diagnostics.append(.unitKey(value, besides: subgraph))
      }
    } else if let settings, component != nil || !hasUnknownKey() {
      diagnostics.append(.settingsOfUnit(settings))
    }
    if component == nil, node.subgraph == nil, !hasUnknownKey() {
      diagnostics.append(.missing(["component"], in: json, "a node"))
    }
    return node
  }

  mutating func bands(_ json: JSONValue) -> Located<[PatchDocument.Band]> {
    Located(
      array(json, "'bands'").compactMap { band in
        guard check(band, "a band", .object) else { return nil }
        return PatchDocument.Band(json: band, parameters: settings(band, "a band"))
      }, at: json)
  }

  private static let nodeKeys = [
    "component", "subgraph", "settings", "preset", "device", "properties", "parameters", "bands",
    "inputCount", "outputCount", "inputs", "outputs",
  ]

  private mutating func device(_ json: JSONValue) -> Located<PatchDocument.Device>? {
    guard check(json, "'device'", .object) else { return nil }
    var device = PatchDocument.Device()
    readObject(json, "a device", keys: ["sink", "source"]) { reader, key, value in
      let choice = reader.deviceChoice(value, "'\(key)'")
      if key == "sink" { device.sink = choice } else { device.source = choice }
    }
    return Located(device, at: json)
  }

  private mutating func deviceChoice(
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
      readObject(
        json, "a component description",
        keys: ["type", "subtype", "manufacturer", "flags", "flagsMask"]
      ) { reader, key, value in
        switch key {
        case "type": description.type = reader.code(value, "'type'")
        case "subtype": description.subtype = reader.code(value, "'subtype'")
        case "manufacturer": description.manufacturer = reader.code(value, "'manufacturer'")
        case "flags":
          if reader.check(value, "'flags'", .number) { description.flags = value }
        default:
          if reader.check(value, "'flagsMask'", .number) { description.flagsMask = value }
        }
      }
      // With a part of it missing it would find others.
      if diagnostics.count > errors { return nil }
      return Located(.description(description), at: json)
    default:
      reportType(json, "'component'", "a name or an object with type, subtype and manufacturer")
      return nil
    }
  }

  private mutating func elements(_ json: JSONValue, _ name: String) -> [PatchDocument.Element] {
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
      guard reader.check(value, "a bus", .object) else { return }
      var element = PatchDocument.Element(json: value, bus: Located(bus, at: key))
      reader.readObject(
        value, "a bus", keys: ["streamFormat", "sampleRate", "properties", "parameters"]
      ) { reader, key, value in
        switch key {
        case "streamFormat": element.streamFormat = reader.streamFormat(value)
        case "sampleRate": element.sampleRate = reader.sampleRate(value, "'sampleRate'")
        case "properties": element.properties = reader.settings(value, "'properties'")
        default: element.parameters = reader.settings(value, "'parameters'")
        }
      }
      elements.append(element)
    }
    return elements
  }

}
