import AudioGraphs
import AudioTypes
import AudioUnits
import FileAccess
import PatchSyntax
import RenderCallbacks
import RenderTaps

/// The plain form of a document into which sub-graphs have been put, without its timeline.
struct PlainDocument {
  typealias Member = JSONText.Member

  let document: PatchDocument
  let sessionRate: Double
  let ends: SubgraphEnds
  private let directory: String
  private let outputPeak: Float?
  private let units: [String: UnitInstance]
  private let configurations: [String: UnitConfiguration]
  /// The greatest `maximumFramesPerSlice` of the units, at least 4096.
  private let maximumFrames: UInt32

  /// - Returns: `nil` for a patch that could not be built.
  init?(_ patch: BuiltPatch, directory: String) {
    guard let document = patch.document, let graph = patch.graph else { return nil }
    self.directory = directory
    self.document = document
    outputPeak = graph.outputPeakLimit
    sessionRate = graph.grant.sampleRate
    var units: [String: UnitInstance] = [:]
    var configurations: [String: UnitConfiguration] = [:]
    // 4096, as the guide recommends, or more where a unit can take more.
    var maximumFrames: UInt32 = 4096
    let settled = graph.configurations
    for id in graph.nodes {
      guard let info = try? graph.nodeInfo(id), let unit = info.unit else { continue }
      units[info.name] = unit
      configurations[info.name] = settled[id]
      if case .uint32(let frames)? = try? unit.property(.maximumFramesPerSlice) {
        maximumFrames = max(maximumFrames, frames)
      }
    }
    self.units = units
    self.configurations = configurations
    self.maximumFrames = maximumFrames
    ends = SubgraphEnds(document)
  }

  // MARK: Document

  func members(_ texts: inout PlainTexts) throws(ExpandedPatch.Refusal) -> [Member] {
    var members: [Member] = []
    func add(_ name: String, _ value: JSONText?) {
      if let value { members.append(.init(name, value)) }
    }
    func add(_ name: String, _ inside: [Member]) {
      if !inside.isEmpty { members.append(.init(name, .object(inside))) }
    }
    add("$schema", document.root["$schema"].map { .string($0.string ?? "") })
    add("schemaVersion", document.schemaVersion.map { .number($0.value) })
    add("title", document.title.map { .string($0.value) })
    add("session", session(&texts))
    add("limits", limits)
    add("streamFormats", streamFormats(&texts))
    add("streamFormat", format(document.streamFormat, &texts))
    add("maximumFramesPerSlice", document.maximumFramesPerSlice.map { .number($0.value) })
    add("compensateLatency", document.compensateLatency.map { .boolean($0.value) })
    add("callbacks", callbacks(&texts))
    add("nodes", try nodes(&texts))
    add("connections", connections(&texts))
    add("taps", taps(&texts))
    add("tempo", document.tempo.map { .number($0.value) })
    return members
  }

  private func session(_ texts: inout PlainTexts) -> [Member] {
    guard let session = document.session?.json else { return [] }
    var members: [Member] = []
    for (key, json) in session.members {
      guard let name = key.string, name != "comment" else { continue }
      members.append(.init(name, value(json, PatchGrammar.session.setting(name), &texts)))
    }
    return members
  }

  private var limits: [Member] {
    guard let limits = document.limits?.value else { return [] }
    var members: [Member] = []
    if limits.outputPeak != nil, let outputPeak {
      members.append(.init("outputPeak", .number(Double(outputPeak))))
    }
    switch limits.requestedGain?.value {
    case .linear(let factor)?: members.append(.init("requestedGain", .number(factor)))
    case .decibels(let decibels)?:
      let factor = Quantity.exactFactor(ofDecibels: decibels)
      members.append(.init("requestedGain", .number(factor)))
    default: break
    }
    return members
  }

  private func connections(_ texts: inout PlainTexts) -> JSONText? {
    guard !document.connections.isEmpty else { return nil }
    var connections: [JSONText] = []
    for connection in document.connections {
      guard let from = connection.from?.value, let to = connection.to?.value,
        !ends.isLeftOut(to.node), let source = ends.source(from)
      else { continue }
      connections.append([
        "from": texts.text(source.description), "to": texts.text(to.description),
      ])
    }
    return .array(connections)
  }

  // MARK: Formats

  private func streamFormats(_ texts: inout PlainTexts) -> [Member] {
    var members: [Member] = []
    for member in document.streamFormats {
      guard let format = format(member.value, &texts) else { continue }
      members.append(.init(member.name, format))
    }
    return members
  }

  /// A format as it is written. A name is that of the whole document.
  private func format(
    _ format: Located<PatchDocument.StreamFormat>?, _ texts: inout PlainTexts
  ) -> JSONText? {
    guard let format else { return nil }
    if case .name(let name) = format.value { return texts.text(name) }
    return texts.value(format.json)
  }

  /// The format of a bus of an initialized unit.
  ///
  /// - Parameter rate: The rate as written; `nil` for that of the format, which becomes "session"
  ///   where it is the rate of the session.
  private func format(_ format: StreamFormat, _ rate: PatchDocument.SampleRate?) -> JSONText {
    var members: JSONText = [
      "sample": .string(format.sampleType?.rawValue ?? ""),
      "channels": .number(format.channelCount),
      "sampleRate": self.rate(rate ?? .hertz(format.sampleRate), orSession: rate == nil),
    ]
    if format.isInterleaved { members = members.adding(["interleaved": true]) }
    return members
  }

  private func rate(_ rate: PatchDocument.SampleRate, orSession: Bool = false) -> JSONText {
    switch rate {
    case .session: "session"
    case .hertz(let hertz): orSession && hertz == sessionRate ? "session" : .number(hertz)
    }
  }

  // MARK: Nodes

  private func nodes(_ texts: inout PlainTexts) throws(ExpandedPatch.Refusal) -> [Member] {
    var members: [Member] = []
    for member in document.nodes where !ends.isLeftOut(member.name) {
      let node =
        member.value.endsSubgraph
        ? try converter(member.name, member.value, &texts) : node(member.name, member.value, &texts)
      members.append(.init(member.name, .object(node)))
    }
    return members
  }

  private func node(
    _ name: String, _ node: PatchDocument.Node, _ texts: inout PlainTexts
  ) -> [Member] {
    let unit = units[name]
    var members: [Member] = []
    if let component = node.component {
      members.append(.init("component", texts.value(component.json)))
    }
    if let device = node.device { members.append(.init("device", texts.value(device.json))) }
    Self.add("properties", properties(node.properties, &texts), to: &members)
    Self.add("parameters", parameters(node.parameters, unit, .global, &texts), to: &members)
    if let bands = node.bands {
      let written = bands.value.enumerated().map { number, band in
        JSONText.object(
          band.parameters.map { field in
            let info = unit?.bandParameter(named: field.name, of: number)
            return Member(field.name, value(field.value, info?.setting, &texts))
          })
      }
      members.append(.init("bands", .array(written)))
    }
    if let count = node.inputCount { members.append(.init("inputCount", .number(count.value))) }
    if let count = node.outputCount { members.append(.init("outputCount", .number(count.value))) }
    Self.add("inputs", elements(node.inputs, name, node, .input, &texts), to: &members)
    Self.add("outputs", elements(node.outputs, name, node, .output, &texts), to: &members)
    return members
  }

  private static func add(_ name: String, _ inside: [Member], to members: inout [Member]) {
    if !inside.isEmpty { members.append(.init(name, .object(inside))) }
  }

  private func properties(
    _ fields: [PatchDocument.Field], _ texts: inout PlainTexts
  ) -> [Member] {
    var members: [Member] = []
    for field in fields { members.append(.init(field.name, texts.value(field.value))) }
    return members
  }

  private func parameters(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance?, _ scope: Scope,
    _ texts: inout PlainTexts
  ) -> [Member] {
    var members: [Member] = []
    for field in fields {
      let info = unit?.parameterInfo(named: field.name, scope)
      members.append(.init(field.name, value(field.value, info?.setting, &texts)))
    }
    return members
  }

  /// The value of a setting. A text with a number and a unit becomes the number.
  private func value(
    _ json: JSONValue, _ info: SettingInfo?, _ texts: inout PlainTexts
  ) -> JSONText {
    guard json.kind == .string, let info, case .number(let number)? = json.value(for: info) else {
      return texts.value(json)
    }
    return .number(number)
  }

  /// The elements of one scope: those that are written, and those that have the default format of a
  /// sub-graph.
  private func elements(
    _ written: [PatchDocument.Element], _ name: String, _ node: PatchDocument.Node, _ scope: Scope,
    _ texts: inout PlainTexts
  ) -> [Member] {
    let own = document.subgraph(around: node.json)?.streamFormat
    let configuration = configurations[name]
    let settled = (scope == .input ? configuration?.inputs : configuration?.outputs) ?? []
    let isMixer = units[name]?.description.component.type == .mixerType
    var members: [Member] = []
    func given(
      _ bus: Int, _ rate: PatchDocument.SampleRate?
    ) -> Member? {
      guard let own, settled.indices.contains(bus) else { return nil }
      let element = settled[bus]
      switch element.origin {
      case .graphDefault where isMixer && scope == .output:
        return Member("sampleRate", self.rate(of: own))
      case .graphDefault where element.isUsed || scope == .output:
        return format(own, &texts).map { Member("streamFormat", $0) }
      case .rateGiven where !(isMixer && scope == .output):
        return Member("streamFormat", format(element.format, rate))
      default: return nil
      }
    }
    for element in written {
      var inside: [Member] = []
      if let format = format(element.streamFormat, &texts) {
        inside.append(.init("streamFormat", format))
      } else if let member = given(element.bus.value, element.sampleRate?.value) {
        inside.append(member)
      } else if let rate = element.sampleRate {
        inside.append(.init("sampleRate", self.rate(rate.value)))
      }
      Self.add("properties", properties(element.properties, &texts), to: &inside)
      Self.add(
        "parameters", parameters(element.parameters, units[name], scope, &texts), to: &inside)
      members.append(.init(String(element.bus.value), .object(inside)))
    }
    for bus in settled.indices where !written.contains(where: { $0.bus.value == bus }) {
      if let member = given(bus, nil) { members.append(.init(String(bus), .object([member]))) }
    }
    return members
  }

  /// The rate of a sub-graph's default format, as written.
  private func rate(of format: Located<PatchDocument.StreamFormat>) -> JSONText {
    var found = format
    while case .name(let name) = found.value,
      let next = document.streamFormats.first(where: { $0.name == name })?.value
    { found = next }
    switch found.value {
    case .short(let short): return short.sampleRate.map { rate($0.value) } ?? "session"
    case .description(let fields): return fields.sampleRate.map { rate($0.value) } ?? "session"
    case .name: return "session"
    }
  }

  // MARK: Ends of sub-graphs

  /// The converter that replaces the output unit of a sub-graph if the unit converts, or if a
  /// callback feeds it.
  private func converter(
    _ name: String, _ node: PatchDocument.Node, _ texts: inout PlainTexts
  ) throws(ExpandedPatch.Refusal) -> [Member] {
    guard let configuration = configurations[name] else { return [] }
    let (input, output) = (configuration.inputs[0], configuration.outputs[0])
    guard max(input.format.channelCount, output.format.channelCount) <= 8 else {
      throw ExpandedPatch.Refusal(
        message: "'\(name)' converts a sound of more than 8 channels on its way out of a sub-graph",
        help: "no unit of a plain patch does that; leave the format of its output out")
    }
    let element = node.outputs.first { $0.bus.value == 0 }
    var inside: [Member] = [
      .init(
        "streamFormat",
        format(element?.streamFormat, &texts) ?? format(output.format, element?.sampleRate?.value))
    ]
    let map = OutputUnits.playedChannels(in: configuration)
    var properties = (element?.properties ?? []).filter { $0.name == "dither" }.map {
      Member($0.name, texts.value($0.value))
    }
    if map != Array(map.indices) {
      properties.append(.init("channelMap", .array(map.map { JSONText.number($0) })))
    }
    Self.add("properties", properties, to: &inside)
    var own: [Member] = [
      .init("maximumFramesPerSlice", .number(maximumFrames)),
      .init("sampleRateConverterComplexity", "mastering"),
    ]
    own += node.properties.filter { $0.name == "startTimestampsAtZero" }.map {
      Member($0.name, texts.value($0.value))
    }
    var members: [Member] = [
      .init("component", "FormatConverter"), .init("properties", .object(own)),
    ]
    if ends.isFedByCallback(name) {
      let written = node.inputs.first { $0.bus.value == 0 }
      let format =
        format(written?.streamFormat, &texts)
        ?? format(input.format, written?.sampleRate?.value)
      members.append(.init("inputs", ["0": ["streamFormat": format]]))
    }
    members.append(.init("outputs", .object([.init("0", .object(inside))])))
    return members
  }

  // MARK: Callbacks and taps

  private func callbacks(_ texts: inout PlainTexts) -> [Member] {
    var buses = Set(
      document.callbacks.filter { document.subgraph(around: $0.value.json) == nil }
        .compactMap { SubgraphAssembler.inputBus($0.value) })
    var members: [Member] = []
    for member in document.callbacks {
      guard let kind = member.value.kind?.value else { continue }
      var inside: [Member] = [.init("kind", texts.text(kind))]
      if kind == SubgraphAssembler.inputKind, document.subgraph(around: member.value.json) != nil {
        // An input callback to which nothing is connected gets an unused bus number.
        let bus = (0...).first { !buses.contains($0) } ?? 0
        buses.insert(bus)
        inside.append(.init("bus", .number(bus)))
      } else {
        let source = CallbackSource.address(member.value)
        let settings = CallbackCatalog.description(of: kind)?.settings ?? []
        for field in member.value.fields {
          if field.name == "from", let source, CallbackSource.json(member.value) != nil {
            let from = ends.source(source) ?? source
            inside.append(.init("from", texts.text(from.description)))
          } else {
            let turned = member.value.turnedMembers[field.name] ?? []
            inside.append(Self.setting(setting(field, settings, &texts), turned))
          }
        }
      }
      members.append(.init(member.name, .object(inside)))
    }
    return members
  }

  /// An object of numbers, with the values that knobs have set.
  private static func setting(_ member: Member, _ turned: [PatchDocument.Field]) -> Member {
    guard !turned.isEmpty else { return member }
    let members = member.value.members.map { inside in
      let field = turned.first { $0.name == inside.name }
      return Member(inside.name, field.map { JSONText($0.value) } ?? inside.value)
    }
    return Member(member.name, .object(members))
  }

  private func taps(_ texts: inout PlainTexts) -> [Member] {
    var members: [Member] = []
    for member in document.taps {
      guard let kind = member.value.kind?.value, let at = member.value.at?.value else { continue }
      let settings = TapCatalog.ofPatches.description(of: kind)?.settings ?? []
      var inside: [Member] = [
        .init("kind", texts.text(kind)),
        .init("at", texts.text((ends.source(at) ?? at).description)),
      ]
      for field in member.value.fields {
        inside.append(setting(field, settings, isWritten: true, &texts))
      }
      members.append(.init(member.name, .object(inside)))
    }
    return members
  }

  private func setting(
    _ field: PatchDocument.Field, _ infos: [SettingInfo], isWritten: Bool = false,
    _ texts: inout PlainTexts
  ) -> Member {
    let info = infos.first { $0.key == field.name }
    let value =
      if info?.kind == .path, let text = field.value.string {
        texts.text(path(text, in: field.value, isWritten: isWritten))
      } else {
        value(field.value, info, &texts)
      }
    return Member(field.name, value)
  }

  /// A path relative to the folder of the whole patch.
  private func path(_ path: String, in json: JSONValue, isWritten: Bool) -> String {
    guard let folder = document.subgraph(around: json)?.directory, path != "-", !path.isEmpty else {
      return path
    }
    let joined = FilePolicy.join(folder, path)
    guard joined != path else { return path }
    var relative = joined
    let own = directory.isEmpty || directory.hasSuffix("/") ? directory : directory + "/"
    if joined.hasPrefix(own) { relative = String(joined.dropFirst(own.count)) }
    guard isWritten, relative.hasSuffix(path) else { return relative }
    // Braces are placeholders only in the path that the patch has, not in the folder.
    let before = relative.dropLast(path.count)
    return before.replacing("{", with: "{{").replacing("}", with: "}}") + path
  }

  // MARK: Ramps

  /// The target of a ramp, as a plain number.
  ///
  /// - Parameter path: The ramp's pointer, in the whole document.
  func target(_ to: JSONValue, _ path: JSONPointer, _ texts: inout PlainTexts) -> JSONText {
    guard to.kind == .string, path.tokens.count > 2 else { return texts.value(to) }
    let (name, rest) = (path.tokens[1], Array(path.tokens.dropFirst(2)))
    if path.tokens[0] == "callbacks" {
      let kind = document.callbacks.first { $0.name == name }?.value.kind?.value
      let settings = kind.flatMap { CallbackCatalog.description(of: $0) }?.settings
      return value(to, settings?.first { $0.key == rest[0] }, &texts)
    }
    let isOfBus = rest.count == 4
    let scope: Scope = !isOfBus ? .global : rest[0] == "inputs" ? .input : .output
    let key = rest[0] == "bands" ? rest.joined(separator: "/") : rest[rest.count - 1]
    return value(to, units[name]?.parameterInfo(named: key, scope)?.setting, &texts)
  }
}
