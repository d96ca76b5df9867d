import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax

/// Puts the patches that a patch names as sub-graphs into it, to any depth: what comes of it is one
/// patch, in which the names of what was in `strip` begin with `strip/`.
///
/// The texts of the sub-graphs stand behind the patch's own, so that every range means one place.
struct SubgraphAssembler {
  /// How deep sub-graphs may lie in one another.
  static let maximumDepth = 64

  private typealias Address = PatchDocument.Address

  /// A patch on the way to the file that is being read.
  private struct Ancestor {
    var identity: FileIdentity?
    var name: String
  }

  /// What an input of a sub-graph is connected to in the patch around it.
  private struct Bound {
    /// `nil` where something is wrong with it that has been said.
    var source: Located<PatchDocument.Address>?
    /// Where the connection ends.
    var to: JSONValue
  }

  /// A sub-graph that has been read.
  private struct Child {
    var document: PatchDocument
    var subgraph: PatchDocument.Subgraph
    var ancestor: Ancestor
    /// The name of its output unit in it.
    var output: String
    /// The callbacks that stand for its inputs.
    var inputs: [Int: String]
    /// Nodes that are left out: output units that it must not have.
    var refused: Set<String>
  }

  /// One patch of those that are put together.
  private struct Level {
    var document: PatchDocument
    var prefix = ""
    var subgraph: PatchDocument.Subgraph?
    var directory: String
    var ancestors: [Ancestor]
    var children: [String: Child] = [:]
    var names: Set<String>
    /// The callbacks that stand for its inputs, and what feeds those in the patch around it.
    var bound: [String: Bound] = [:]
    /// The names of those callbacks, once they have been asked for.
    var inputs: Set<String>?
    /// Where each of them has been used.
    var uses: [String: JSONValue] = [:]
    var output: String?
    var refused: Set<String> = []
  }

  private let policy: FilePolicy
  private let limits: PatchLimits
  private var result: PatchDocument
  private var diagnostics: [Diagnostic] = []
  private var texts: [SourceText] = []
  private var end: Int
  private var nodeCount = 0
  /// What is too much of sub-graphs: then none of them is put in.
  private var excess: Diagnostic?
  /// The sub-graph of the patch itself that is being put in.
  private var rootPlace: JSONValue?
  private var files: [BuiltPatch.SubgraphFile] = []
  private var likeness: [FileIdentity: Bool] = [:]
  private var contents: [String: Result<FilePolicy.Contents, FileRefusal>] = [:]

  /// What came of it.
  struct Assembly {
    var reading: PatchReader.Result
    /// The files of the sub-graphs, each once.
    var files: [BuiltPatch.SubgraphFile]
  }

  static func assemble(
    _ reading: PatchReader.Result, in surroundings: PatchSurroundings
  ) -> Assembly {
    guard let document = reading.document, document.subgraphs.isEmpty,
      document.nodes.contains(where: { $0.value.subgraph != nil })
        || document.callbacks.contains(where: { $0.value.kind?.value == Self.inputKind })
    else { return Assembly(reading: reading, files: []) }
    var assembler = SubgraphAssembler(
      document, end: reading.source.bytes.count + 1, files: surroundings.files,
      limits: reading.limits)
    let fileName = reading.source.name.split(separator: "/").last.map(String.init) ?? ""
    let root = Ancestor(
      identity: FileIdentity(of: FilePolicy.join(surroundings.directory, fileName)),
      name: reading.source.name)
    assembler.add(
      Level(
        document: document, directory: surroundings.directory, ancestors: [root],
        names: Set(document.nodes.map(\.name) + document.callbacks.map(\.name))))
    var assembled = reading
    if let excess = assembler.excess {
      assembled.document?.unresolved = Set(
        document.nodes.filter { $0.value.subgraph != nil }.map(\.name))
      assembled.diagnostics.append(excess)
      return Assembly(reading: assembled, files: assembler.files)
    }
    assembled.document = assembler.result
    assembled.source = reading.source.appending(assembler.texts)
    assembled.diagnostics += assembler.diagnostics
    return Assembly(reading: assembled, files: assembler.files)
  }

  static let inputKind = "input"

  private init(
    _ document: PatchDocument, end: Int, files policy: FilePolicy, limits: PatchLimits
  ) {
    self.policy = policy
    self.limits = limits
    nodeCount = document.itemCount
    result = document
    result.nodes = []
    result.callbacks = []
    result.connections = []
    result.taps = []
    result.timeline = []
    result.streamFormats = []
    self.end = end
  }

  private mutating func report(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }

  // MARK: One patch

  private mutating func add(_ start: Level) {
    var level = start
    checkInputs(&level)
    readChildren(&level)
    refuseAmbiguousNames(level)
    addFormats(level)
    // Those of the patch itself come first: their numbers say which they are.
    for step in level.document.timeline { add(step, level) }
    let pulled = level.document.callbacks.map { self.pulled(by: $0, &level) }
    let (connections, bindings) = connections(&level)
    for member in level.document.nodes where !level.refused.contains(member.name) {
      if let child = level.children[member.name] {
        add(child, in: level, bindings[member.name] ?? [:])
      } else {
        add(member, level)
      }
    }
    for (member, pulled) in zip(level.document.callbacks, pulled) {
      add(member, pulled, level)
    }
    result.connections += connections
    for tap in level.document.taps { add(tap, &level) }
  }

  private mutating func add(_ child: Child, in level: Level, _ bindings: [Int: Bound]) {
    guard excess == nil else { return }
    if level.subgraph == nil { rootPlace = child.subgraph.place }
    var bound: [String: Bound] = [:]
    for (bus, binding) in bindings {
      if let name = child.inputs[bus] { bound[name] = binding }
    }
    result.add(child.subgraph)
    add(
      Level(
        document: child.document, prefix: child.subgraph.prefix, subgraph: child.subgraph,
        directory: child.subgraph.directory, ancestors: level.ancestors + [child.ancestor],
        names: Set(child.document.nodes.map(\.name) + child.document.callbacks.map(\.name)),
        bound: bound, output: child.output, refused: child.refused))
  }

  private mutating func add(
    _ member: PatchDocument.Member<PatchDocument.Node>, _ level: Level
  ) {
    var node = member.value
    let name = level.prefix + member.name
    if node.subgraph != nil { result.unresolved.insert(name) }
    for index in node.inputs.indices {
      node.inputs[index].streamFormat = renamed(node.inputs[index].streamFormat, level)
    }
    for index in node.outputs.indices {
      node.outputs[index].streamFormat = renamed(node.outputs[index].streamFormat, level)
    }
    node.endsSubgraph = member.name == level.output
    result.nodes.append(.init(Located(name, at: member.key.json), node))
  }

  private mutating func add(
    _ member: PatchDocument.Member<PatchDocument.Callback>, _ pulled: Located<Address>?,
    _ level: Level
  ) {
    // What feeds it stands in its place, wherever it was used.
    if level.bound[member.name] != nil, level.uses[member.name] != nil { return }
    var callback = member.value
    callback.pulled = pulled
    result.callbacks.append(
      .init(Located(level.prefix + member.name, at: member.key.json), callback))
  }

  private mutating func addFormats(_ level: Level) {
    result.streamFormats += level.document.streamFormats.map {
      .init(Located(level.prefix + $0.name, at: $0.key.json), $0.value)
    }
  }

  private func renamed(
    _ format: Located<PatchDocument.StreamFormat>?, _ level: Level
  ) -> Located<PatchDocument.StreamFormat>? {
    guard let format, case .name(let name) = format.value else { return format }
    return Located(.name(level.prefix + name), at: format.json)
  }

  private mutating func add(
    _ member: PatchDocument.Member<PatchDocument.Tap>, _ level: inout Level
  ) {
    var tap = member.value
    tap.at = tap.at.flatMap { resolved($0, &level, isWatched: true) }
    result.taps.append(.init(Located(level.prefix + member.name, at: member.key.json), tap))
  }

  private mutating func add(_ step: PatchDocument.Step, _ level: Level) {
    var step = step
    if level.subgraph != nil {
      // A sub-graph ends with the patch around it.
      if step.stop != nil { return }
      if let update = step.update {
        report(
          NameRules.notYet.diagnostic(
            "the timeline of a sub-graph has no updates yet", at: update.markRange,
            pointer: update.pointer.description,
            help: ["change it from the timeline of the patch around it"]))
        return
      }
      step.isOfSubgraph = true
      let tempo = level.document.tempo?.value
      step.at = step.at.map { Self.inSeconds($0, tempo) }
      let duration = step.ramp?.duration.map { Self.inSeconds($0, tempo) }
      step.ramp?.duration = duration
    }
    if let path = step.ramp?.path { step.ramp?.path = parameter(path, level) }
    result.timeline.append(step)
  }

  /// Beats of a sub-graph's own tempo in seconds.
  private static func inSeconds(
    _ time: Located<PatchDocument.Time>, _ tempo: Double?
  ) -> Located<PatchDocument.Time> {
    guard case .beats(let beats) = time.value, let tempo else { return time }
    return Located(.seconds(beats * 60 / tempo), at: time.json)
  }

  /// The place of a parameter in what is put together; `nil` where what is wrong has been said.
  private mutating func parameter(
    _ path: Located<JSONPointer>, _ level: Level
  ) -> Located<JSONPointer>? {
    var tokens = path.value.tokens
    if tokens.count > 1, tokens[0] == "callbacks" {
      tokens[1] = level.prefix + tokens[1]
      return Located(JSONPointer(tokens), at: path.json)
    }
    guard tokens.count > 1, tokens[0] == "nodes" else { return path }
    if level.children[tokens[1]] != nil {
      while tokens.count > 3, tokens[2] == "nodes" {
        tokens[1] += "/" + tokens[3]
        tokens.removeSubrange(2...3)
      }
      if tokens.count > 3, tokens[2] == "callbacks" {
        // A callback in it.
        let name = level.prefix + tokens[1] + "/" + tokens[3]
        return Located(JSONPointer(["callbacks", name] + tokens[4...]), at: path.json)
      }
      guard tokens.count < path.value.tokens.count else {
        report(
          NameRules.timelinePath.diagnostic(
            "\(quoted(tokens[1])) is a sub-graph: parameters belong to its nodes",
            at: path.range, pointer: path.pointer,
            help: ["write /nodes/\(JSONPointer.escape(tokens[1]))/nodes/NAME/parameters/KEY"]))
        return nil
      }
    }
    tokens[1] = level.prefix + tokens[1]
    return Located(JSONPointer(tokens), at: path.json)
  }

  // MARK: Names

  /// What an address means in what is put together; `nil` where what is wrong has been said.
  private mutating func resolved(
    _ address: Located<Address>, _ level: inout Level, isWatched: Bool = false
  ) -> Located<Address>? {
    let name = address.value.node
    if let child = level.children[name] {
      return Located(
        Address(node: child.subgraph.prefix + child.output, bus: address.value.bus),
        at: address.json)
    }
    if !isWatched, let bound = level.bound[name], (address.value.bus ?? 0) == 0 {
      return bound.source
    }
    if !isWatched, !level.names.contains(name),
      let child = Self.child(holding: name, in: level)
    {
      report(
        NameRules.subgraphInside.diagnostic(
          "\(quoted(name)) is inside the sub-graph \(quoted(child))", at: address.range,
          pointer: address.pointer,
          help: [
            "connect a bus of the sub-graph: \"\(child)\" is what it puts out, and \"\(child):0\" "
              + "what its callback of the kind 'input' stands for"
          ]))
      return nil
    }
    return Located(Address(node: level.prefix + name, bus: address.value.bus), at: address.json)
  }

  /// The sub-graph that a name is inside of: `strip` of `strip/eq`.
  private static func child(holding name: String, in level: Level) -> String? {
    var rest = name[...]
    while let slash = rest.firstIndex(of: "/") {
      let head = String(name[..<slash])
      if level.children[head] != nil { return head }
      rest = rest[rest.index(after: slash)...]
    }
    return nil
  }

  /// Refuses names that a name inside a sub-graph could be taken for.
  private mutating func refuseAmbiguousNames(_ level: Level) {
    guard !level.children.isEmpty else { return }
    let document = level.document
    let keys =
      document.nodes.map(\.key) + document.callbacks.map(\.key) + document.streamFormats.map(\.key)
    for key in keys where key.value.utf8.contains(UInt8(ascii: "/")) {
      guard let child = Self.child(holding: key.value, in: level) else { continue }
      report(
        PatchRules.ambiguousName.diagnostic(
          "\(quoted(key.value)) could be something in the sub-graph \(quoted(child))",
          at: key.range, pointer: key.pointer, label: "names in a sub-graph begin like this",
          notes: [
            .init("the sub-graph", at: level.children[child]?.subgraph.place.range ?? key.range)
          ], help: ["rename one of the two"]))
    }
  }

  // MARK: Inputs

  /// Says where two callbacks stand for one input.
  private mutating func checkInputs(_ level: inout Level) {
    var first: [Int: Located<String>] = [:]
    for member in level.document.callbacks {
      guard let bus = Self.inputBus(member.value) else { continue }
      guard let other = first[bus] else {
        first[bus] = member.key
        continue
      }
      reportTwice(
        "\(quoted(other.value)) and \(quoted(member.name)) stand for one input, bus \(bus)",
        at: member.value.json["bus"] ?? member.key.json, other.json, "the other one",
        help: "give each a bus of its own")
      level.names.remove(member.name)
      result.unresolved.insert(level.prefix + member.name)
    }
  }

  /// The number of the input that a callback stands for; `nil` for another callback.
  private static func inputBus(_ callback: PatchDocument.Callback) -> Int? {
    guard callback.kind?.value == inputKind else { return nil }
    guard let bus = callback.fields.first(where: { $0.name == "bus" })?.value else { return 0 }
    return bus.integer.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Whether this is not the second place that is fed by one input of the patch; says so where it is.
  private mutating func use(_ address: Located<Address>, _ level: inout Level) -> Bool {
    let name = address.value.node
    if level.inputs == nil {
      level.inputs = Set(
        level.document.callbacks.filter { $0.value.kind?.value == Self.inputKind }.map(\.name))
    }
    guard level.inputs?.contains(name) == true else { return true }
    guard let first = level.uses[name] else {
      level.uses[name] = address.json
      return true
    }
    reportTwice(
      "\(quoted(name)) feeds two places, and what it stands for is one output at most",
      at: address.json, first, "it feeds this already",
      help: "an output feeds one input only: let a callback of its own feed the other")
    return false
  }

  private mutating func reportTwice(
    _ message: String, at json: JSONValue, _ first: JSONValue, _ label: String, help: String
  ) {
    report(
      OutputsFeedOne.rule.diagnostic(
        .init(message),
        status: .invalidConnection,
        at: json.markRange,
        pointer: json.pointer.description,
        notes: [.init(.init(label), at: first.markRange)],
        help: [help]))
  }

  /// What a processing callback pulls; `nil` for nothing.
  private mutating func pulled(
    by member: PatchDocument.Member<PatchDocument.Callback>, _ level: inout Level
  ) -> Located<Address>? {
    guard let json = CallbackSource.json(member.value),
      let address = PatchReader.address(json, "'from'").address
    else { return nil }
    let isFirst = use(address, &level)
    guard isFirst, let source = resolved(address, &level) else {
      result.unresolved.insert(level.prefix + member.name)
      return nil
    }
    return source
  }

  /// The connections within a patch, and those to inputs of its sub-graphs.
  private mutating func connections(
    _ level: inout Level
  ) -> (own: [PatchDocument.Connection], bindings: [String: [Int: Bound]]) {
    var own: [PatchDocument.Connection] = []
    var bindings: [String: [Int: Bound]] = [:]
    for connection in level.document.connections {
      var ends = connection
      if let from = connection.from {
        let isFirst = use(from, &level)
        ends.from = isFirst ? resolved(from, &level) : nil
      }
      guard let to = connection.to else {
        own.append(ends)
        continue
      }
      guard let child = level.children[to.value.node] else {
        ends.to = resolved(to, &level)
        own.append(ends)
        continue
      }
      let bus = to.value.bus ?? 0
      if child.inputs[bus] == nil {
        reportNoInput(bus, to, child)
      } else if let first = bindings[to.value.node]?[bus] {
        report(
          InputsFedOnce.rule.diagnostic(
            "input \(bus) of the sub-graph \(quoted(to.value.node)) is already fed",
            status: .invalidConnection,
            at: to.range,
            pointer: to.pointer,
            notes: [.init("it is fed here", at: first.to.range)],
            help: ["to hear both, mix them before the sub-graph"]))
      } else {
        bindings[to.value.node, default: [:]][bus] = Bound(source: ends.from, to: to.json)
        continue
      }
      ends.to = nil
      own.append(ends)
    }
    return (own, bindings)
  }

  private mutating func reportNoInput(_ bus: Int, _ to: Located<Address>, _ child: Child) {
    let buses = child.inputs.keys.sorted().map(String.init)
    let there =
      buses.isEmpty
      ? "it has none"
      : buses.count == 1
        ? "its only one is \(buses[0])" : "its inputs are \(buses.joined(separator: ", "))"
    report(
      UnitRules.element.diagnostic(
        "the sub-graph \(quoted(to.value.node)) has no input \(String(bus)): \(there)",
        status: .invalidElement,
        at: to.range,
        pointer: to.pointer,
        help: [
          "an input is a callback of its patch: "
            + "\"in\": { \"kind\": \"input\", \"bus\": \(bus) }"
        ]))
  }
}

// MARK: Reading sub-graphs

extension SubgraphAssembler {
  private mutating func readChildren(_ level: inout Level) {
    for member in level.document.nodes {
      guard let place = member.value.subgraph, let path = place.string,
        member.value.component == nil, level.children[member.name] == nil
      else { continue }
      level.children[member.name] = child(member, path, place, level)
    }
  }

  private mutating func child(
    _ member: PatchDocument.Member<PatchDocument.Node>, _ written: String, _ place: JSONValue,
    _ level: Level
  ) -> Child? {
    guard excess == nil else { return nil }
    guard !written.isEmpty else {
      refuse(place, "the path of a sub-graph is empty", .invalidFile)
      return nil
    }
    let path = FilePolicy.join(level.directory, written)
    let name = Self.shortened(path)
    guard let contents = file(path, name, place) else { return nil }
    if let first = level.ancestors.firstIndex(where: { $0.identity == contents.identity }) {
      let way = level.ancestors[first...].map { quoted($0.name) } + [quoted(name)]
      report(
        NameRules.subgraphCircle.diagnostic(
          .init("a patch cannot be a sub-graph of itself: " + way.joined(separator: " <- ")),
          at: place.range, pointer: place.pointer.description,
          help: ["take this node out, or let it name another patch"]))
      return nil
    }
    guard level.ancestors.count <= Self.maximumDepth else {
      exceed(
        place, nil, "sub-graphs lie more than \(Self.maximumDepth) deep in one another", nil)
      return nil
    }
    guard end + contents.bytes.count <= limits.bytes else {
      exceed(
        place, SyntaxRules.bytes,
        "the patch and its sub-graphs have more than \(Diagnostic.decimal(limits.bytes)) bytes "
          + "together", limits.help(.bytes, needed: 2 * (end + contents.bytes.count)))
      return nil
    }
    let text = SourceText(name: name, bytes: contents.bytes)
    // What is no patch may be somebody's secret: it is named, and not a byte of it is shown.
    guard isPatch(text, contents.identity) else {
      refuse(place, PatchLikeness.message(name), .invalidFile)
      return nil
    }
    let reading = PatchReader.read(text, settings: member.value.settings, at: end, limits: limits)
    let start = end
    texts.append(reading.source)
    end += reading.source.bytes.count + 1
    diagnostics += reading.diagnostics
    var subgraph = PatchDocument.Subgraph(
      name: level.prefix + member.name, place: place, path: path,
      directory: Self.directory(of: path), textRange: start..<end,
      tree: reading.document?.root.tree)
    guard let document = reading.document else {
      // Its text stands there all the same, for what has been said about it.
      result.add(subgraph)
      return nil
    }
    nodeCount += document.itemCount
    guard nodeCount <= limits.nodes else {
      exceed(
        place, PatchRules.nodes,
        "with its sub-graphs the patch has more than \(Diagnostic.decimal(limits.nodes)) nodes, "
          + "callbacks and taps", limits.help(.nodes, needed: 2 * nodeCount))
      return nil
    }
    if document.streamFormat != nil {
      subgraph.streamFormat = document.streamFormat
      if case .name(let name)? = document.streamFormat?.value,
        let json = document.streamFormat?.json
      {
        subgraph.streamFormat = Located(.name(subgraph.prefix + name), at: json)
      }
    } else if document.root["streamFormat"] != nil {
      subgraph.isFormatWrong = true
    } else {
      subgraph.streamFormat = level.subgraph?.streamFormat
      subgraph.isFormatWrong = level.subgraph?.isFormatWrong ?? false
    }
    return checked(document, subgraph, Ancestor(identity: contents.identity, name: name))
  }

  /// Finds the output unit and the inputs of a sub-graph; `nil` where the first is not as it must be.
  private mutating func checked(
    _ document: PatchDocument, _ subgraph: PatchDocument.Subgraph, _ ancestor: Ancestor
  ) -> Child? {
    var child = Child(
      document: document, subgraph: subgraph, ancestor: ancestor, output: "", inputs: [:],
      refused: [])
    for callback in document.callbacks {
      guard let bus = Self.inputBus(callback.value), child.inputs[bus] == nil else { continue }
      child.inputs[bus] = callback.name
    }
    var first: JSONValue?
    var isDoubtful = false
    var unresolved: [(name: String, component: Located<PatchDocument.Component>)] = []
    for member in document.nodes where member.value.subgraph == nil {
      guard let component = member.value.component else {
        // That it has none has been said.
        isDoubtful = true
        continue
      }
      guard let unit = ComponentResolver.unit(component.value) else {
        isDoubtful = true
        unresolved.append((member.name, component))
        continue
      }
      guard unit.description.isOutput else { continue }
      if unit == GenericOutput.self, first == nil {
        child.output = member.name
      } else {
        child.refused.insert(member.name)
        result.unresolved.insert(subgraph.prefix + member.name)
        reportOutput(component.json, unit.description.name, first, subgraph)
      }
      first = first ?? component.json
    }
    guard child.output.isEmpty else { return child }
    result.add(subgraph)
    // Its nodes are not put in, so that nobody else says what is wrong with them.
    for node in unresolved {
      if case .failure(let failure) = ComponentResolver.resolve(node.component, node: node.name),
        let diagnostic = failure.diagnostic
      {
        report(diagnostic)
      }
    }
    if first == nil, !isDoubtful {
      report(
        NameRules.subgraphOutput.diagnostic(
          "\(quoted(ancestor.name)) has no output unit: nothing comes out of it",
          at: subgraph.place.range, pointer: subgraph.place.pointer.description,
          help: ["add a node with the component \"GenericOutput\" to it, and connect it"]))
    }
    return nil
  }

  /// Says that a sub-graph has an output unit which is none for a sub-graph, or one too many.
  private mutating func reportOutput(
    _ component: JSONValue, _ unit: String, _ first: JSONValue?,
    _ subgraph: PatchDocument.Subgraph
  ) {
    if let first {
      report(
        OneOutputUnit.rule.diagnostic(
          "a patch has one output unit, and this is another",
          status: .outputNode,
          at: component.markRange,
          pointer: component.pointer.description,
          notes: [.init("the output unit", at: first.markRange)],
          help: ["take one of the two out"]))
    } else {
      let place = subgraph.place
      report(
        NameRules.subgraphOutput.diagnostic(
          "the output unit of a sub-graph is a GenericOutput, not a \(unit)",
          at: place.range, pointer: place.pointer.description,
          notes: [.init("its output unit", at: component.markRange)],
          help: ["a device is for the whole patch: let the sub-graph end in a GenericOutput"]))
    }
  }

  // MARK: Files

  /// Whether a file is a patch. It is asked once for each, however often it is used.
  private mutating func isPatch(_ text: SourceText, _ file: FileIdentity) -> Bool {
    if let known = likeness[file] { return known }
    let isPatch = PatchLikeness.isPatch(text)
    likeness[file] = isPatch
    return isPatch
  }

  private mutating func file(
    _ path: String, _ name: String, _ place: JSONValue
  ) -> FilePolicy.Contents? {
    let found: Result<FilePolicy.Contents, FileRefusal>
    if let known = contents[path] {
      found = known
    } else {
      do throws(FileRefusal) {
        found = .success(try policy.read(path, limit: limits.bytes))
        files.append(.init(name: name, path: path))
      } catch {
        found = .failure(error)
      }
      contents[path] = found
    }
    let file = quoted(name)
    switch found {
    case .success(let contents):
      if contents.bytes.contains(where: { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }) {
        return contents
      }
      refuse(place, "\(file) is empty, and no patch", .invalidFile)
    case .failure(.notFound): refuse(place, "there is no file \(file)", .fileNotFound)
    case .failure(.notPermitted):
      refuse(place, "\(file) cannot be read: permission denied", .filePermission)
    case .failure(.isFolder): refuse(place, "\(file) is a folder, not a patch", .invalidFile)
    case .failure(.tooLarge):
      report(
        SyntaxRules.bytes.diagnostic(
          .init("\(file) has more than \(Diagnostic.decimal(limits.bytes)) bytes"),
          at: place.range, pointer: place.pointer.description))
    case .failure(.system(let text)):
      refuse(place, "\(file) cannot be read: \(text)", .invalidFile)
    case .failure(let refusal):
      if refusal.isOfPolicy {
        report(refusal.diagnostic(FileRules.reading, name, at: place))
      } else {
        refuse(place, refusal.message(for: name), .filePermission)
      }
    }
    return nil
  }

  /// Gives all of it up: at the place in the patch itself that leads there.
  ///
  /// - Parameters:
  ///   - rule: The limit that is met; `nil` for how deep they may lie.
  ///   - help: How the limit is raised.
  private mutating func exceed(
    _ place: JSONValue, _ rule: Rule?, _ message: String, _ help: String?
  ) {
    let place = place.tree.base == 0 ? place : rootPlace ?? place
    guard let rule else {
      refuse(place, message, .invalidFile)
      excess = diagnostics.last
      return
    }
    excess = rule.diagnostic(
      .init(message), at: place.range, pointer: place.pointer.description,
      help: [help].compactMap(\.self))
  }

  private mutating func refuse(_ place: JSONValue, _ message: String, _ status: Status) {
    var diagnostic = NameRules.subgraphFile.diagnostic(
      .init(message), at: place.range, pointer: place.pointer.description,
      help: status == .fileNotFound
        ? ["the path is relative to the patch that it is written in"] : [])
    diagnostic.status = status
    report(diagnostic)
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path without `.` and without folders that it leaves again: for the eye.
  static func shortened(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
