import AudioTypes
import Diagnostics
import FileAccess
import PatchSyntax

/// Puts the patches that a patch names as sub-graphs into it, at every depth. The result is one
/// patch, in which the names from inside `strip` begin with `strip/`.
///
/// The texts of the sub-graphs follow the text of the patch, so that every range is in one of them.
struct SubgraphAssembler {
  /// The greatest depth of nested sub-graphs.
  static let maximumDepth = 64

  typealias Address = PatchDocument.Address

  /// A patch on the path to the file that is being read.
  struct Ancestor {
    var identity: FileIdentity?
    var name: String
  }

  /// The source of a sub-graph's input in the patch around it.
  struct InputSource {
    /// `nil` where an error about it has been reported.
    var source: Located<PatchDocument.Address>?
    /// Where the connection ends.
    var to: JSONValue
  }

  /// A sub-graph that has been read.
  struct Child {
    var document: PatchDocument
    var subgraph: PatchDocument.Subgraph
    var ancestor: Ancestor
    /// The name of its output unit in its own patch.
    var output: String
    /// The callbacks that stand for its inputs, by bus.
    var inputs: [Int: String]
    /// Nodes that are left out: output units that a sub-graph must not have.
    var refused: Set<String>
  }

  /// One of the patches that are put together.
  struct Level {
    var document: PatchDocument
    var prefix = ""
    var subgraph: PatchDocument.Subgraph?
    var directory: String
    var ancestors: [Ancestor]
    var children: [String: Child] = [:]
    var names: Set<String>
    /// What feeds its inputs in the patch around it, by the callbacks that stand for them.
    var inputSources: [String: InputSource] = [:]
    /// The names of the callbacks that stand for its inputs; `nil` before the first use.
    var inputs: Set<String>?
    /// The first use of each callback in `inputs`.
    var uses: [String: JSONValue] = [:]
    var output: String?
    var refused: Set<String> = []
  }

  let policy: FilePolicy
  let limits: PatchLimits
  var result: PatchDocument
  var diagnostics: [Diagnostic] = []
  var texts: [SourceText] = []
  var end: Int
  var nodeCount = 0
  /// The error about a limit that the sub-graphs exceed, so that none of them is put in.
  var excess: Diagnostic?
  /// The node of the patch itself whose sub-graph is being put in.
  var rootPlace: JSONValue?
  var files: [BuiltPatch.SubgraphFile] = []
  var isPatchByFile: [FileIdentity: Bool] = [:]
  var contents: [String: Result<FilePolicy.Contents, FileRefusal>] = [:]
  /// The presets that have been read, by path; `nil` for one with errors, which have been reported.
  var presets: [String: PatchReader.Preset?] = [:]

  /// The patches that have been put in, by the prefixes of their names.
  var levels: [String: Level] = [:]
  /// The knobs of the sub-graphs, by the names of the sub-graphs.
  var knobs: [String: [String: ResolvedKnob]] = [:]
  /// The uses of knobs, by their targets.
  var knobUses: [JSONPointer: [KnobUse]] = [:]
  /// Parameters that are set without a knob.
  var directSettings: [DirectSetting] = []

  /// The patch that has been put together.
  struct Assembly {
    var reading: PatchReader.Result
    /// The files of the sub-graphs and presets, each once.
    var files: [BuiltPatch.SubgraphFile]
  }

  static func assemble(
    _ reading: PatchReader.Result, in surroundings: PatchSurroundings
  ) -> Assembly {
    guard let document = reading.document, document.subgraphs.isEmpty,
      document.nodes.contains(where: { $0.value.subgraph != nil || $0.value.preset != nil })
        || document.callbacks.contains(where: { $0.value.kind?.value == Self.inputKind })
        || !document.knobs.isEmpty
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
    assembler.resolveKnobRamps()
    assembler.checkKnobConflicts()
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

  mutating func report(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }

  // MARK: One patch

  private mutating func add(_ start: Level) {
    var level = start
    checkInputs(&level)
    readChildren(&level)
    applyPresets(&level)
    resolveElementNames(&level)
    reportAmbiguousNames(level)
    addFormats(level)
    // The patch's own steps come first, so that they keep their indices.
    for step in level.document.timeline { add(step, level) }
    let pulled = level.document.callbacks.map { self.pulled(by: $0, &level) }
    let (connections, bindings) = self.connections(&level)
    for member in level.document.nodes where !level.refused.contains(member.name) {
      if let child = level.children[member.name] {
        add(child, in: level, bindings[member.name] ?? [:])
        setKnobs(of: member, child, in: level)
      } else {
        add(member, level)
      }
    }
    for (member, pulled) in zip(level.document.callbacks, pulled) {
      add(member, pulled, level)
    }
    result.connections += connections
    for tap in level.document.taps { add(tap, &level) }
    resolveKnobs(of: level)
  }

  private mutating func add(_ child: Child, in level: Level, _ bindings: [Int: InputSource]) {
    guard excess == nil else { return }
    if level.subgraph == nil { rootPlace = child.subgraph.place }
    var inputSources: [String: InputSource] = [:]
    for (bus, binding) in bindings {
      if let name = child.inputs[bus] { inputSources[name] = binding }
    }
    result.add(child.subgraph)
    add(
      Level(
        document: child.document, prefix: child.subgraph.prefix, subgraph: child.subgraph,
        directory: child.subgraph.directory, ancestors: level.ancestors + [child.ancestor],
        names: Set(child.document.nodes.map(\.name) + child.document.callbacks.map(\.name)),
        inputSources: inputSources, output: child.output, refused: child.refused))
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
    // The callback of an input has been replaced by what feeds the input.
    if level.inputSources[member.name] != nil, level.uses[member.name] != nil { return }
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
      if let trigger = step.triggers.first {
        report(
          NameRules.notYet.diagnostic(
            "the timeline of a sub-graph triggers nothing yet", at: trigger.range,
            pointer: trigger.pointer,
            help: [
              "trigger it from the timeline of the patch around it, as \"strip/\(trigger.value)\""
            ]
          ))
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

  /// A time of a sub-graph with its own tempo, with beats converted to seconds.
  private static func inSeconds(
    _ time: Located<PatchDocument.Time>, _ tempo: Double?
  ) -> Located<PatchDocument.Time> {
    tempo.map { Located(time.value.inSeconds(tempo: $0), at: time.json) } ?? time
  }

  /// The pointer of a parameter in the whole patch; `nil` where an error has been reported.
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
        // A callback of the sub-graph.
        let name = level.prefix + tokens[1] + "/" + tokens[3]
        return Located(JSONPointer(["callbacks", name] + tokens[4...]), at: path.json)
      }
      // A parameter of the sub-graph itself is a knob.
      let isKnob = tokens.count == 4 && tokens[2] == "parameters"
      guard isKnob || tokens.count < path.value.tokens.count else {
        report(
          NameRules.timelinePath.diagnostic(
            "\(quoted(tokens[1])) is a sub-graph: what ramps is a knob of it, or belongs to its nodes",
            at: path.range, pointer: path.pointer,
            help: [
              "write /nodes/\(JSONPointer.escape(tokens[1]))/parameters/KNOB, or "
                + "/nodes/\(JSONPointer.escape(tokens[1]))/nodes/NAME/parameters/KEY"
            ]))
        return nil
      }
    }
    tokens[1] = level.prefix + tokens[1]
    return Located(JSONPointer(tokens), at: path.json)
  }

  // MARK: Names

  /// An address in the whole patch; `nil` where an error has been reported.
  mutating func resolved(
    _ address: Located<Address>, _ level: inout Level, isWatched: Bool = false
  ) -> Located<Address>? {
    let name = address.value.node
    if let child = level.children[name] {
      return address.at(child.subgraph.prefix + child.output)
    }
    if !isWatched, let bound = level.inputSources[name], address.value.isFirst {
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
    return address.at(level.prefix + name)
  }

  /// The sub-graph that contains a name: `strip` for `strip/eq`.
  static func child(holding name: String, in level: Level) -> String? {
    var rest = name[...]
    while let slash = rest.firstIndex(of: "/") {
      let head = String(name[..<slash])
      if level.children[head] != nil { return head }
      rest = rest[rest.index(after: slash)...]
    }
    return nil
  }

  /// Reports names that could also mean something inside a sub-graph.
  private mutating func reportAmbiguousNames(_ level: Level) {
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
}
