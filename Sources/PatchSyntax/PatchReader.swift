public import Diagnostics

/// Reads a patch: JSON to `PatchDocument`, with all mistakes in one run.
///
/// Reading never fails. What is wrong is reported, left out of the document, and does not keep the
/// rest from being read.
public struct PatchReader {
  /// What came of reading.
  public struct Result: Sendable {
    /// What could be read; `nil` when there is no object to read from, or when mistakes in the JSON
    /// leave open what was meant to stand where.
    public var document: PatchDocument?
    /// The text that all ranges point into: the one given, with what overrides put into it.
    public var source: SourceText
    /// By place; of each kind no more than `limits.findings`, and a line that sums up the rest.
    public var diagnostics: [Diagnostic]
    /// How large the patch may be, and what comes of it.
    public var limits = PatchLimits.standard

    /// Whether the patch is wrong.
    public var hasErrors: Bool { diagnostics.hasErrors }
  }

  private var diagnostics: Findings
  private let limits: PatchLimits
  /// How many nodes, callbacks and taps have been read.
  private var itemCount = 0
  /// Members that are passed over, because an earlier one has the same key.
  private var repeatedKeys: Set<Int> = []
  /// The texts that stand in every node.
  private var names = RecentTexts()

  private init(_ limits: PatchLimits = .standard) {
    self.limits = limits
    diagnostics = Findings(limit: limits.findings)
  }

  /// Reads an address where a field has turned out to be one, as the `from` of a callback.
  ///
  /// - Parameter name: The field's name for messages, in quotes.
  /// - Returns: The address, or what is wrong with it.
  public static func address(
    _ json: JSONValue, _ name: String
  ) -> (address: Located<PatchDocument.Address>?, diagnostics: [Diagnostic]) {
    var reader = PatchReader()
    let address = reader.address(json, name)
    return (address, reader.diagnostics.all)
  }

  /// Reads a patch's bytes.
  ///
  /// - Parameters:
  ///   - bytes: the text, which should be UTF-8.
  ///   - name: the file's name for messages. One that ends in `.jsonc` allows comments and trailing
  ///     commas.
  ///   - overrides: the texts of `--set` options, `POINTER=VALUE`, made in this order.
  ///   - limits: how large it may be.
  public static func read(
    bytes: [UInt8], name: String, overrides: [String] = [], limits: PatchLimits = .standard
  ) -> Result {
    read(SourceText(name: name, bytes: bytes), overrides: overrides, limits: limits)
  }

  /// What there is to say of a document that was not read, because it has more bytes than it may have.
  public static func tooLarge(name: String, limits: PatchLimits) -> Result {
    Result(
      document: nil, source: SourceText(name: name, bytes: []),
      diagnostics: [.tooManyBytes(nil, limits)], limits: limits)
  }

  /// Reads the text of a sub-graph, which stands behind others.
  ///
  /// - Parameters:
  ///   - settings: what takes the place of values in it: each by its JSON Pointer.
  ///   - base: where the text begins in the one that all ranges point into.
  /// - Returns: The patch; `source` is its own text, with the settings in it.
  public static func read(
    _ source: SourceText, settings: [PatchDocument.Field], at base: Int,
    limits: PatchLimits = .standard
  ) -> Result {
    var dialect = JSONReader.Dialect(fileName: source.name)
    var json = JSONReader.read(source, dialect: dialect)
    var diagnostics: [Diagnostic] = []
    if !json.hasErrors {
      for setting in settings {
        guard let tree = json.tree else { break }
        let value = setting.value
        guard let pointer = JSONPointer(parsing: setting.name), !pointer.tokens.isEmpty else {
          diagnostics.append(.settingPointer(setting.key))
          continue
        }
        // Comments may come with a value.
        if JSONReader.Dialect(fileName: value.tree.source.name) == .jsonc { dialect = .jsonc }
        switch DocumentOverride.place(
          value.localRange, of: value.tree.source, at: pointer, in: tree, makesObjects: true)
        {
        case .changed(let changed): json = JSONReader.read(changed, dialect: dialect)
        case .missing(let token, let container, let way):
          diagnostics.append(
            .settingNowhere(setting.key, pointer.tokens[token], in: container, way, source.name))
        }
      }
    }
    diagnostics += json.diagnostics.map { $0.moved(by: base) }
    guard let tree = json.tree?.based(at: base) else {
      return Result(
        document: nil, source: source, diagnostics: diagnostics.limited(to: limits.findings),
        limits: limits)
    }
    var reader = PatchReader(limits)
    reader.diagnostics += diagnostics
    let document = json.isStructureIntact ? reader.readPatch(tree) : nil
    return Result(
      document: document, source: tree.source, diagnostics: reader.diagnostics.all, limits: limits)
  }

  /// Reads a tree whose structure is as it was meant.
  private mutating func readPatch(_ tree: JSONTree) -> PatchDocument? {
    repeatedKeys = tree.reportDuplicateKeys(to: &diagnostics)
    return readDocument(tree.root)
  }

  /// Reads a patch's text. Its name says whether it may have comments.
  public static func read(
    _ source: SourceText, overrides: [String] = [], limits: PatchLimits = .standard
  ) -> Result {
    if source.bytes.count > limits.bytes {
      return Result(
        document: nil, source: source,
        diagnostics: [.tooManyBytes(source.bytes.count, limits)], limits: limits)
    }
    let dialect = JSONReader.Dialect(fileName: source.name)
    var json = JSONReader.read(source, dialect: dialect)
    var diagnostics: [Diagnostic] = []
    var refused: [(option: SourceText, diagnostic: Diagnostic)] = []
    if !json.hasErrors {
      for text in overrides {
        guard let tree = json.tree else { break }
        switch DocumentOverride.apply(text, to: tree) {
        case .changed(let changed): json = JSONReader.read(changed, dialect: dialect)
        case .refused(let option, let diagnostic): refused.append((option, diagnostic))
        }
      }
    }
    // An option that was refused is put behind the document, for its diagnostic to point at.
    var whole = json.tree?.source ?? source
    for (option, diagnostic) in refused {
      let end = whole.bytes.count
      whole = whole.replacing(end..<end, with: 0..<option.bytes.count, of: option)
      diagnostics.append(diagnostic.moved(by: end))
    }
    if !refused.isEmpty { json.tree = json.tree?.moved(to: whole) }
    diagnostics += json.diagnostics
    guard let tree = json.tree else {
      return Result(
        document: nil, source: whole,
        diagnostics: diagnostics.inDocumentOrder().limited(to: limits.findings), limits: limits)
    }
    var reader = PatchReader(limits)
    reader.diagnostics += diagnostics
    let document = json.isStructureIntact ? reader.readPatch(tree) : nil
    return Result(
      document: document, source: tree.source,
      diagnostics: reader.diagnostics.all.inDocumentOrder(), limits: limits)
  }
}

// MARK: The patch's parts

extension PatchReader {
  private mutating func readDocument(_ root: JSONValue) -> PatchDocument? {
    guard root.kind == .object else {
      reportType(root, "a patch", "an object")
      return nil
    }
    var document = PatchDocument(root: root)
    readObject(
      root, "a patch",
      keys: [
        "schemaVersion", "title", "session", "limits", "streamFormats", "streamFormat", "callbacks",
        "nodes",
        "connections", "taps", "tempo", "timeline", "$schema",
      ], required: ["nodes"]
    ) { reader, key, value in
      switch key {
      case "schemaVersion": document.schemaVersion = reader.schemaVersion(value)
      case "title": document.title = reader.string(value, "'title'")
      case "session": document.session = reader.session(value)
      case "limits": document.limits = reader.limits(value)
      case "streamFormats":
        document.streamFormats = reader.map(value, "'streamFormats'", .format) {
          $0.streamFormat($1, mayBeName: false)
        }
      case "streamFormat": document.streamFormat = reader.streamFormat(value)
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
      case "tempo": document.tempo = reader.positive(value, "'tempo'", "beats per minute")
      case "timeline":
        document.timeline = reader.array(value, "'timeline'").compactMap { reader.step($0) }
      default: _ = reader.string(value, "'$schema'")
      }
    }
    // What is too large is not looked at any closer.
    guard itemCount <= limits.nodes else { return nil }
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

  private mutating func schemaVersion(_ json: JSONValue) -> Located<Int>? {
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
        "onRouteChange",
      ]
    ) { reader, key, value in
      switch key {
      case "category": session.category = reader.string(value, "'category'")
      case "onInterruption":
        session.onInterruption = reader.string(value, "'onInterruption'")
      case "onRouteChange": session.onRouteChange = reader.string(value, "'onRouteChange'")
      case "preferredSampleRate":
        session.preferredSampleRate = reader.positive(value, "'preferredSampleRate'", "hertz")
      default:
        session.preferredIOBufferDuration = reader.bufferDuration(value)
      }
    }
    return Located(session, at: json)
  }

  private mutating func limits(_ json: JSONValue) -> Located<PatchDocument.Limits>? {
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

  private mutating func step(_ json: JSONValue) -> PatchDocument.Step? {
    guard check(json, "a step of the timeline", .object) else { return nil }
    var step = PatchDocument.Step(json: json)
    var actions: [JSONValue] = []
    readObject(
      json, "a step of the timeline", keys: ["at", "ramp", "update", "stop"], required: ["at"]
    ) { reader, key, value in
      if key != "at" { actions.append(value) }
      switch key {
      case "at": step.at = reader.time(value, "'at'")
      case "ramp": step.ramp = reader.ramp(value)
      case "update": step.update = value
      default: step.stop = reader.bool(value, "'stop'")
      }
    }
    // A key that is misspelt is what it does.
    let isUnclear =
      actions.isEmpty
      && json.members.contains { member in
        guard let key = member.key.string else { return true }
        return !["at", "ramp", "update", "stop", "comment"].contains(key)
      }
    if actions.count != 1, !isUnclear {
      diagnostics.append(.oneAction(json, second: actions.dropFirst().first))
    }
    return step
  }

  private mutating func ramp(_ json: JSONValue) -> PatchDocument.Ramp? {
    guard check(json, "a ramp", .object) else { return nil }
    var ramp = PatchDocument.Ramp(json: json)
    readObject(
      json, "a ramp", keys: ["path", "to", "duration", "curve"], required: ["path", "to"]
    ) {
      reader, key, value in
      switch key {
      case "path":
        guard let text = reader.string(value, "'path'") else { return }
        if let pointer = JSONPointer(parsing: text.value) {
          ramp.path = Located(pointer, at: value)
        } else {
          reader.diagnostics.append(.pointer(value, text.value))
        }
      case "to": ramp.to = value
      case "curve": ramp.curve = reader.string(value, "'curve'")
      default: ramp.duration = reader.time(value, "'duration'")
      }
    }
    return ramp
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
      case "inputCount":
        node.inputCount = reader.count(
          value, "'inputCount'", expecting: "a whole number from 1 to 1024")
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
          !["component", "subgraph", "settings"].contains(name), !repeatedKeys.contains(key.index)
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

  private static let nodeKeys = [
    "component", "subgraph", "settings", "properties", "parameters", "inputCount", "inputs",
    "outputs",
  ]

  private mutating func component(_ json: JSONValue) -> Located<PatchDocument.Component>? {
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

  // MARK: Stream formats

  private static let shortKeys = ["sample", "channels", "sampleRate", "interleaved"]
  private static let descriptionKeys = [
    "mSampleRate", "mFormatID", "mFormatFlags", "mBytesPerPacket", "mFramesPerPacket",
    "mBytesPerFrame", "mChannelsPerFrame", "mBitsPerChannel", "mReserved",
  ]

  private mutating func streamFormat(
    _ json: JSONValue, mayBeName: Bool = true
  ) -> Located<PatchDocument.StreamFormat>? {
    if mayBeName, json.kind == .string {
      return string(json, "'streamFormat'").map { Located(.name($0.value), at: json) }
    }
    guard json.kind == .object else {
      reportType(
        json, "a stream format", mayBeName ? "a name or an object" : "an object",
        help: "write { \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": \"session\" }")
      return nil
    }
    let keys = json.members.map(\.key)
    let short = keys.first { Self.shortKeys.contains($0.string ?? "") }
    let full = keys.first { Self.descriptionKeys.contains($0.string ?? "") }
    if let short, let full {
      diagnostics.append(.twoForms(short: short, full: full))
      return nil
    }
    return full == nil ? shortFormat(json) : formatDescription(json)
  }

  private mutating func shortFormat(_ json: JSONValue) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.ShortFormat()
    readObject(
      json, "a stream format", keys: Self.shortKeys, required: ["sample", "channels", "sampleRate"]
    ) { reader, key, value in
      switch key {
      case "sample": format.sample = reader.string(value, "'sample'")
      case "channels": format.channels = reader.count(value, "'channels'", from: 1)
      case "sampleRate": format.sampleRate = reader.sampleRate(value, "'sampleRate'")
      default: format.interleaved = reader.bool(value, "'interleaved'")
      }
    }
    return Located(.short(format), at: json)
  }

  private mutating func formatDescription(
    _ json: JSONValue
  ) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.FormatDescription()
    let errors = diagnostics.count
    readObject(json, "a stream format", keys: Self.descriptionKeys) { reader, key, value in
      switch key {
      case "mSampleRate": format.sampleRate = reader.sampleRate(value, "'mSampleRate'")
      case "mFormatID": format.formatID = reader.code(value, "'mFormatID'")
      case "mFormatFlags":
        if [.number, .string, .array].contains(value.kind) {
          format.formatFlags = value
        } else {
          reader.reportType(value, "'mFormatFlags'", "a number or an array of names")
        }
      case "mBytesPerPacket": format.bytesPerPacket = reader.count(value, "'\(key)'")
      case "mFramesPerPacket": format.framesPerPacket = reader.count(value, "'\(key)'")
      case "mBytesPerFrame": format.bytesPerFrame = reader.count(value, "'\(key)'")
      case "mChannelsPerFrame": format.channelsPerFrame = reader.count(value, "'\(key)'")
      case "mReserved": format.reserved = reader.count(value, "'\(key)'")
      default: format.bitsPerChannel = reader.count(value, "'\(key)'")
      }
    }
    format.hasGaps = diagnostics.count > errors
    return Located(.description(format), at: json)
  }

  private mutating func sampleRate(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.SampleRate>? {
    if json.kind == .string {
      if json.string == "session" { return Located(.session, at: json) }
    } else if json.kind == .number, let rate = json.number {
      // Core Audio takes any rate from 0 on; none below 1 Hz can be meant.
      guard rate >= 1, rate.isFinite else {
        diagnostics.append(.rateOutOfRange(json, name, isTooGreat: rate > 1))
        return nil
      }
      return Located(.hertz(rate), at: json)
    }
    reportType(json, name, "a number of hertz or \"session\"", wanted: .number)
    return nil
  }
}

// MARK: Names and addresses

extension PatchReader {
  /// What the keys of an object are the names of.
  private enum NameKind { case source, format, tap }

  private mutating func map<Value: Sendable>(
    _ json: JSONValue, _ name: String, _ kind: NameKind,
    _ read: (inout PatchReader, JSONValue) -> Value?
  ) -> [PatchDocument.Member<Value>] {
    guard check(json, name, .object, help: "write { \"name\": ... }: each under its name") else {
      return []
    }
    var members: [PatchDocument.Member<Value>] = []
    eachMember(of: json) { reader, key, name, value in
      // A name that cannot be referred to has what it names read all the same.
      if name.isEmpty || kind == .source && name.utf8.contains(UInt8(ascii: ":")) {
        reader.diagnostics.append(.badName(key, name))
      }
      guard let value = read(&reader, value) else { return }
      members.append(PatchDocument.Member(Located(name, at: key), value))
    }
    return members
  }

  private mutating func reportAmbiguousNames(_ document: PatchDocument) {
    guard !document.callbacks.isEmpty else { return }
    // By their places, so that large patches are not copied.
    var callbacks: [String: Int] = [:]
    callbacks.reserveCapacity(document.callbacks.count)
    for index in document.callbacks.indices { callbacks[document.callbacks[index].name] = index }
    for index in document.nodes.indices {
      let key = document.nodes[index].key
      guard !key.value.isEmpty, let callback = callbacks[key.value] else { continue }
      diagnostics.append(.ambiguous(key, callback: document.callbacks[callback].key.json))
    }
  }

  private mutating func address(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.Address>? {
    guard check(json, name, .string, help: "write \"node\" or \"node:bus\""),
      let text = json.string
    else { return nil }
    // Most addresses have no bus.
    let parts =
      text.utf8.contains(UInt8(ascii: ":"))
      ? text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      : [Substring(text)]
    let node = String(parts.first ?? "")
    guard !node.isEmpty else {
      diagnostics.append(.address(json, text, "the name is missing"))
      return nil
    }
    guard parts.count == 2 else { return Located(PatchDocument.Address(node: node), at: json) }
    guard let bus = Self.busNumber(String(parts[1])) else {
      diagnostics.append(
        .address(
          json, text, parts[1].isEmpty ? "the bus number is missing" : "this is no bus number",
          at: parts[1].isEmpty ? nil : Self.rangeOfBus(in: json)))
      return nil
    }
    return Located(PatchDocument.Address(node: node, bus: bus), at: json)
  }

  /// The part behind the colon, when the string means what it says.
  private static func rangeOfBus(in json: JSONValue) -> SourceRange? {
    let content = json.contentRange
    guard json.isPlain else { return nil }
    let bytes = json.bytes(in: content)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (content.lowerBound + colon - bytes.startIndex + 1)..<content.upperBound
  }

  /// A bus number as the patch writes it: digits without leading zeros, at most 4294967295.
  private static func busNumber(_ text: String) -> Int? {
    guard let number = JSONPointer.arrayIndex(text), number <= Int(UInt32.max) else { return nil }
    return number
  }
}

// MARK: Objects

extension PatchReader {
  /// Calls for each member whose key is among those known, once, and reports the others and those
  /// that are missing.
  private mutating func readObject(
    _ json: JSONValue, _ name: String, keys: [String], required: [String] = [],
    _ read: (inout PatchReader, String, JSONValue) -> Void
  ) {
    var missing = required
    var unknown = 0
    eachMember(of: json) { reader, key, text, value in
      guard keys.contains(text) else {
        reader.diagnostics.append(PatchRules.unknownKey, at: key.range) {
          .unknownKey(key, text, in: json, name, keys: keys)
        }
        // A misspelled key is not a missing one too.
        let count = missing.count
        missing.removeAll { nearMisses(to: text, among: [$0]) == [$0] }
        if missing.count == count { unknown += 1 }
        return
      }
      if !missing.isEmpty { missing.removeAll { $0 == text } }
      read(&reader, text, value)
    }
    guard missing.count > unknown else { return }
    // A key that could not be read may be any of them.
    unknown += json.members.count { $0.key.range.isEmpty || $0.key.kind == .invalid }
    // An unknown key may be another name for the one that is missing, however unlike.
    if missing.count > unknown { diagnostics.append(.missing(missing, in: json, name)) }
  }

  /// Calls for each member but comments, for the first of each name.
  private mutating func eachMember(
    of json: JSONValue, _ read: (inout PatchReader, JSONValue, String, JSONValue) -> Void
  ) {
    for (key, value) in json.members {
      guard !key.range.isEmpty, let name = names.text(of: key),
        repeatedKeys.isEmpty || !repeatedKeys.contains(key.index)
      else { continue }
      if name == "comment" {
        checkComment(value)
      } else {
        read(&self, key, name, value)
      }
    }
  }

  /// The members of an object that are not taken by `read`, which says whether it took one.
  private mutating func fields(
    _ json: JSONValue, _ name: String, required: [String],
    _ read: (inout PatchReader, String, JSONValue) -> Bool
  ) -> [PatchDocument.Field] {
    var fields: [PatchDocument.Field] = []
    var missing = required
    eachMember(of: json) { reader, key, text, value in
      if !missing.isEmpty { missing.removeAll { $0 == text } }
      if !read(&reader, text, value), value.kind != .invalid {
        fields.append(PatchDocument.Field(Located(text, at: key), value))
      }
    }
    guard !missing.isEmpty else { return fields }
    let unread = json.members.count { $0.key.range.isEmpty || $0.key.kind == .invalid }
    if missing.count > unread { diagnostics.append(.missing(missing, in: json, name)) }
    return fields
  }

  private mutating func settings(_ json: JSONValue, _ name: String) -> [PatchDocument.Field] {
    guard check(json, name, .object) else { return [] }
    return fields(json, name, required: []) { _, _, _ in false }
  }

  private mutating func checkComment(_ json: JSONValue) {
    let isText =
      json.kind == .string || json.kind == .invalid
      || json.kind == .array
        && json.elements.allSatisfy { $0.kind == .string || $0.kind == .invalid }
    if !isText {
      reportType(
        json, "'comment'", "a string",
        help: "'comment' is for the reader of a patch; give this another name if it means something"
      )
    }
  }
}

// MARK: Values

extension PatchReader {
  private mutating func check(
    _ json: JSONValue, _ name: String, _ kind: JSONValue.Kind, help: String? = nil
  ) -> Bool {
    if json.kind == kind { return true }
    let expected =
      switch kind {
      case .null: "null"
      case .bool: "true or false"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      case .invalid: "a value"
      }
    reportType(json, name, expected, wanted: kind, help: help)
    return false
  }

  private mutating func reportType(
    _ json: JSONValue, _ name: String, _ expected: String, wanted: JSONValue.Kind? = nil,
    help: String? = nil
  ) {
    // It has been reported.
    if json.kind == .invalid { return }
    diagnostics.append(PatchRules.type, at: json.markRange) {
      .wrongType(json, name, expected, wanted: wanted, help: help)
    }
  }

  private mutating func array(_ json: JSONValue, _ name: String) -> [JSONValue] {
    check(json, name, .array, help: "write [ ... ]") ? Array(json.elements) : []
  }

  private mutating func string(_ json: JSONValue, _ name: String) -> Located<String>? {
    guard check(json, name, .string), let text = json.string else { return nil }
    return Located(text, at: json)
  }

  private mutating func bool(_ json: JSONValue, _ name: String) -> Located<Bool>? {
    guard check(json, name, .bool), let value = json.bool else { return nil }
    return Located(value, at: json)
  }

  /// A four-character code or another native name, or its number.
  private mutating func code(_ json: JSONValue, _ name: String) -> JSONValue? {
    if json.kind == .string || json.kind == .number { return json }
    reportType(json, name, "a four-character code or a number")
    return nil
  }

  private mutating func positive(
    _ json: JSONValue, _ name: String, _ unit: String
  ) -> Located<Double>? {
    guard check(json, name, .number), let value = json.number else { return nil }
    guard value > 0, value.isFinite else {
      diagnostics.append(
        .outOfRange(json, name, "a number of \(unit) greater than 0", isTooGreat: value > 0))
      return nil
    }
    return Located(value, at: json)
  }

  /// How long a slice of the device is to be, in seconds.
  private mutating func bufferDuration(_ json: JSONValue) -> Located<Double>? {
    let name = "'preferredIOBufferDuration'"
    guard check(json, name, .number), let value = json.number else { return nil }
    guard value > 0, value <= 10 else {
      diagnostics.append(
        .outOfRange(
          json, name, "a number of seconds above 0 and up to 10", isTooGreat: value > 0,
          help: value > 0 && value <= 10_000
            ? [
              "durations are in seconds: \(Quantity.text(value)) ms is "
                + Quantity.text(value / 1000)
            ] : []))
      return nil
    }
    return Located(value, at: json)
  }

  /// A time or a duration: 0 to ten years.
  private mutating func time(_ json: JSONValue, _ name: String) -> Located<PatchDocument.Time>? {
    guard json.kind == .object else {
      guard
        check(
          json, name, .number,
          help: "write a number of seconds, { \"frames\": 48000 } or { \"beats\": 4 }")
      else { return nil }
      return amount(json, name, "seconds", below: 315_576_000).map {
        Located(.seconds($0), at: json)
      }
    }
    var times: [Located<PatchDocument.Time>] = []
    let errors = diagnostics.count
    readObject(json, "a time", keys: ["frames", "beats"]) { reader, key, value in
      guard reader.check(value, "'\(key)'", .number) else { return }
      // Ten years at the highest rates and tempos; the graph looks closer.
      guard let number = reader.amount(value, "'\(key)'", key, below: 0x1p53) else { return }
      times.append(Located(key == "frames" ? .frames(number) : .beats(number), at: json))
    }
    if diagnostics.count > errors { return nil }
    guard times.count == 1 else {
      diagnostics.append(.oneUnit(json, isEmpty: times.isEmpty))
      return nil
    }
    return times[0]
  }

  private mutating func amount(
    _ json: JSONValue, _ name: String, _ unit: String, below limit: Double
  ) -> Double? {
    guard let value = json.number else { return nil }
    guard value >= 0, value < limit else {
      diagnostics.append(
        .outOfRange(json, name, "a number of \(unit) of at least 0", isTooGreat: value > 0))
      return nil
    }
    return value
  }

  private mutating func count(
    _ json: JSONValue, _ name: String, from smallest: Int = 0, expecting range: String? = nil
  ) -> Located<Int>? {
    guard check(json, name, .number), let number = json.number else { return nil }
    guard let value = json.integer, smallest...Int(UInt32.max) ~= value else {
      diagnostics.append(
        .outOfRange(
          json, name, range ?? "a whole number from \(smallest) to 4294967295",
          isTooGreat: number > Double(UInt32.max)))
      return nil
    }
    return Located(value, at: json)
  }
}

// MARK: Wording

extension Diagnostic {
  /// A value as messages call it.
  private static func description(of json: JSONValue) -> String {
    switch json.kind {
    case .null: "null"
    case .bool: json.bool == true ? "true" : "false"
    case .number: "the number \(quoted(json.numberText ?? "").dropFirst().dropLast())"
    case .string: "the string \(quoted(json.string ?? ""))"
    case .array: "an array"
    case .object: "an object"
    case .invalid: "something else"
    }
  }

  private static func list(_ names: [String], _ conjunction: String) -> String {
    let names = names.map(quoted)
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }

  fileprivate static func wrongType(
    _ json: JSONValue, _ name: String, _ expected: String, wanted: JSONValue.Kind?, help: String?
  ) -> Diagnostic {
    var help = help.map { [$0] } ?? []
    var fixes: [Fix] = []
    let measure: Quantity.Measure =
      name.lowercased().hasSuffix("rate'")
      ? .hertz
      : ["'at'", "'duration'", "'preferredIOBufferDuration'"].contains(name)
        ? .seconds : .number
    if let plain = json.plainForm(for: wanted ?? .null, of: measure) {
      help.insert(plain.help, at: 0)
      fixes.append(plain.fix)
    } else if name == "'title'", json.kind == .number, let text = json.numberText {
      // Where a name is wanted, a number in quotes is no more of one.
      help.append("write \"\(text)\" in quotes")
      fixes.append(Fix("put it in quotes", edits: [Edit(json.range, "\"\(text)\"")]))
    }
    return PatchRules.type.diagnostic(
      "\(Message(name)) is \(Message(expected)), not \(Message(description(of: json)))",
      at: json.markRange, pointer: json.pointer.description, label: "expected \(Message(expected))",
      help: help.isEmpty ? ["write \(expected) here"] : help, fixes: fixes)
  }

  fileprivate static func unknownKey(
    _ key: JSONValue, _ text: String, in json: JSONValue, _ name: String, keys: [String]
  ) -> Diagnostic {
    return PatchRules.unknownKey.diagnostic(
      "\(Message(name)) has no key \(Message(quoted(text)))", at: key.range,
      pointer: key.pointer.description,
      label: didYouMean(text, among: keys + ["comment"]).map { Message($0) } ?? "unknown key",
      help: ["the keys here are \(list(keys + ["comment"], "and"))"],
      fixes: key.correction(of: text, among: keys + ["comment"]))
  }

  fileprivate static func missing(
    _ keys: [String], in json: JSONValue, _ name: String
  ) -> Diagnostic {
    let examples = [
      "nodes": "{ \"io\": { \"component\": \"remoteIO\" } }", "component": "\"remoteIO\"",
      "from": "\"mixer\"", "to": "\"io\"", "at": "\"mixer\"", "sample": "\"float32\"",
      "channels": "2", "sampleRate": "\"session\"", "kind": "\"...\"",
      "path": "\"/nodes/mixer/inputs/0/parameters/volume\"",
    ].merging(
      name == "a step of the timeline" ? ["at": "2.5"] : name == "a ramp" ? ["to": "0.5"] : [:]
    ) { $1 }
    let members = keys.map { "\"\($0)\": \(examples[$0] ?? "...")" }.joined(separator: ", ")
    return PatchRules.missingKey.diagnostic(
      "\(Message(name)) needs \(Message(list(keys, "and")))", at: json.markRange,
      pointer: json.pointer.description,
      label: keys.count == 1 ? "this key is missing here" : "these keys are missing here",
      help: ["add \(members), for example"])
  }

  fileprivate static func schemaVersion(_ json: JSONValue) -> Diagnostic {
    let isNewer = (json.number ?? 0) > 1
    return PatchRules.schemaVersion.diagnostic(
      "schema version \(Message(String(description(of: json).dropFirst(11)))) is not known",
      at: json.range, pointer: json.pointer.description, label: "the only one there is is 1",
      help: [isNewer ? "write 1, or use a newer patchrun" : "write 1"])
  }

  fileprivate static func emptyNodes(_ json: JSONValue) -> Diagnostic {
    PatchRules.emptyNodes.diagnostic(
      "the patch has no nodes", at: json.markRange, pointer: json.pointer.description,
      label: "nothing to run", help: ["add an I/O unit: \"io\": { \"component\": \"remoteIO\" }"])
  }

  fileprivate static func badName(_ key: JSONValue, _ name: String) -> Diagnostic {
    PatchRules.name.diagnostic(
      name.isEmpty ? "a name is empty" : "the name \(Message(quoted(name))) has a colon",
      at: key.range, pointer: key.pointer.description,
      label: name.isEmpty ? "nothing could refer to it" : "it could not be told from an address",
      help: [
        name.isEmpty
          ? "give it a name" : "leave out the colon: 'node:bus' is how an address is written"
      ])
  }

  fileprivate static func ambiguous(_ node: Located<String>, callback: JSONValue) -> Diagnostic {
    PatchRules.ambiguousName.diagnostic(
      "\(Message(quoted(node.value))) is the name of a node and of a callback", at: node.range,
      pointer: node.pointer, label: "a node",
      notes: [Note("a callback", at: callback.range)],
      help: ["rename one of the two: a connection could mean either"])
  }

  fileprivate static func busNumber(
    _ key: JSONValue, _ text: String, in json: JSONValue
  ) -> Diagnostic {
    let digits = text.drop { $0 == "0" }
    let meant = digits.isEmpty ? "0" : String(digits)
    let isNumber =
      !text.isEmpty && JSONPointer.arrayIndex(meant).map { $0 <= Int(UInt32.max) } ?? false
    return PatchRules.busNumber.diagnostic(
      "\(Message(quoted(text))) is not a bus number", at: key.range,
      pointer: key.pointer.description, label: "expected a number, such as \"0\"",
      help: [
        isNumber
          ? "write \"\(meant)\": bus numbers have no leading zeros"
          : "write the bus's number in quotes: \"0\" for the first"
      ],
      fixes: isNumber && json[meant] == nil
        ? [Fix("write \"\(meant)\"", edits: [Edit(key.range, "\"\(meant)\"")])] : [])
  }

  fileprivate static func address(
    _ json: JSONValue, _ text: String, _ label: Message, at range: SourceRange? = nil
  ) -> Diagnostic {
    PatchRules.address.diagnostic(
      "\(Message(quoted(text))) is not an address", at: range ?? json.range,
      pointer: json.pointer.description, label: label,
      help: ["an address is a name, as \"mixer\", or a name and a bus number, as \"mixer:1\""])
  }

  /// A rate that no bus can have, with the status that Core Audio has for a format of that rate.
  fileprivate static func rateOutOfRange(
    _ json: JSONValue, _ name: String, isTooGreat: Bool
  ) -> Diagnostic {
    var diagnostic = outOfRange(
      json, name, "a rate from 1 to 2999999 Hz", isTooGreat: isTooGreat,
      help: ["44100 and 48000 are usual; \"session\" is the rate that the device was granted"])
    diagnostic.status = .init("kAudioUnitErr_FormatNotSupported", -10868)
    return diagnostic
  }

  fileprivate static func outOfRange(
    _ json: JSONValue, _ name: String, _ expected: String, isTooGreat: Bool, help: [String] = []
  ) -> Diagnostic {
    PatchRules.range.diagnostic(
      "\(Message(name)) is \(Message(expected)), not \(Message(String(description(of: json).dropFirst(11))))",
      at: json.range, pointer: json.pointer.description,
      label: isTooGreat ? "too great" : "expected \(Message(expected))",
      help: help.isEmpty ? ["write \(expected)"] : help)
  }

  fileprivate static func componentAndSubgraph(
    _ component: JSONValue, _ subgraph: JSONValue
  ) -> Diagnostic {
    let (first, second) =
      component.range.lowerBound < subgraph.range.lowerBound
      ? (component, subgraph) : (subgraph, component)
    return PatchRules.exclusive.diagnostic(
      "a node is a component or a sub-graph, not both", at: second.markRange,
      pointer: second.pointer.description, label: "this is one too many",
      notes: [Note("the other is here", at: first.markRange)],
      help: ["remove 'component' or 'subgraph'"])
  }

  fileprivate static func unitKey(
    _ value: JSONValue, besides subgraph: JSONValue
  ) -> Diagnostic {
    let key = value.pointer.tokens.last ?? ""
    return PatchRules.exclusive.diagnostic(
      "a sub-graph has no \(Message(quoted(key))) of its own", at: value.markRange,
      pointer: value.pointer.description, label: "this belongs to a unit",
      notes: [Note("the node is a sub-graph", at: subgraph.markRange)],
      help: [
        "to change a value of its patch write \"settings\": "
          + "{ \"/nodes/NAME/\(key)/…\": … } in its place"
      ])
  }

  fileprivate static func settingsOfUnit(_ value: JSONValue) -> Diagnostic {
    PatchRules.exclusive.diagnostic(
      "'settings' change the patch of a sub-graph, and this node is none", at: value.markRange,
      pointer: value.pointer.description, label: "not here",
      help: ["what a unit is set to stands under \"properties\" and \"parameters\""])
  }

  fileprivate static func settingPointer(_ key: Located<String>) -> Diagnostic {
    PatchRules.subgraphSetting.diagnostic(
      "\(Message(quoted(key.value))) is not a place in the patch of the sub-graph", at: key.range,
      pointer: key.pointer, label: "expected a JSON Pointer",
      help: ["a value's place is written as /nodes/mixer/inputs/0/parameters/volume"])
  }

  fileprivate static func settingNowhere(
    _ key: Located<String>, _ token: String, in container: JSONValue, _ way: JSONPointer,
    _ file: String
  ) -> Diagnostic {
    let (message, label, contents) = absence(of: token, in: container, way, quoted(file))
    return PatchRules.subgraphSetting.diagnostic(
      .init(way.tokens.isEmpty ? message : "\(message) in \(quoted(file))"), at: key.range,
      pointer: key.pointer, label: .init(label), help: [contents])
  }

  fileprivate static func oneAction(_ step: JSONValue, second: JSONValue?) -> Diagnostic {
    guard let second else {
      return PatchRules.missingKey.diagnostic(
        "a step of the timeline needs something to do", at: step.markRange,
        pointer: step.pointer.description, label: "nothing happens here",
        help: [
          "write \"ramp\": { \"path\": \"/nodes/mixer/inputs/0/parameters/volume\", \"to\": 0, "
            + "\"duration\": 1 }, \"update\": [ ... ], or \"stop\": true"
        ])
    }
    return PatchRules.exclusive.diagnostic(
      "a step of the timeline does one thing", at: second.markRange,
      pointer: second.pointer.description, label: "this is one too many",
      help: ["make two steps of it, with the same 'at'"])
  }

  fileprivate static func oneUnit(_ json: JSONValue, isEmpty: Bool) -> Diagnostic {
    (isEmpty ? PatchRules.missingKey : PatchRules.exclusive).diagnostic(
      "a time is in seconds, in frames or in beats", at: json.markRange,
      pointer: json.pointer.description,
      label: isEmpty ? "it is in none of them" : "it is in two of them",
      help: ["write a number of seconds, { \"frames\": 48000 } or { \"beats\": 4 }"])
  }

  fileprivate static func pointer(_ json: JSONValue, _ text: String) -> Diagnostic {
    PatchRules.pointer.diagnostic(
      "\(Message(quoted(text))) is not a JSON Pointer", at: json.range,
      pointer: json.pointer.description,
      label: text.hasPrefix("/") ? "a '~' in it is neither '~0' nor '~1'" : "it begins with '/'",
      help: ["a parameter's place is written as /nodes/mixer/inputs/0/parameters/volume"])
  }

  fileprivate static func twoForms(short: JSONValue, full: JSONValue) -> Diagnostic {
    let (first, second) =
      short.range.lowerBound < full.range.lowerBound ? (short, full) : (full, short)
    return PatchRules.exclusive.diagnostic(
      "a stream format is written in its short form or field by field, not in both",
      at: second.range, pointer: second.pointer.description,
      label: second.index == short.index
        ? "a key of the short form" : "a field of AudioStreamBasicDescription",
      notes: [
        Note(
          first.index == short.index
            ? "a key of the short form" : "a field of AudioStreamBasicDescription",
          at: first.range)
      ],
      help: [
        "keep one form: 'sample', 'channels' and 'sampleRate', or the fields that begin with m"
      ]
    )
  }
}
