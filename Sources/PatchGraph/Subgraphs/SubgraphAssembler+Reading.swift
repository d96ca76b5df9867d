import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax

// MARK: Reading sub-graphs

extension SubgraphAssembler {
  mutating func readChildren(_ level: inout Level) {
    for member in level.document.nodes {
      guard let place = member.value.subgraph, let path = place.string,
        member.value.component == nil, level.children[member.name] == nil
      else { continue }
      level.children[member.name] = child(member, path, place, level)
    }
  }

  mutating func child(
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
      reportExcess(
        place, nil, "sub-graphs lie more than \(Self.maximumDepth) deep in one another", nil)
      return nil
    }
    guard end + contents.bytes.count <= limits.bytes else {
      reportExcess(
        place, SyntaxRules.bytes,
        "the patch and its sub-graphs have more than \(Diagnostic.decimal(limits.bytes)) bytes "
          + "together", limits.help(.bytes, needed: 2 * (end + contents.bytes.count)))
      return nil
    }
    let text = SourceText(name: name, bytes: contents.bytes)
    // A file that is not a patch may hold a secret: only its name is shown.
    guard isPatch(text, contents.identity) else {
      refuse(place, PatchRecognition.message(name), .invalidFile)
      return nil
    }
    let reading = PatchReader.read(text, settings: member.value.settings, at: end, limits: limits)
    let start = end
    texts.append(reading.source)
    end += reading.source.bytes.count + 1
    diagnostics += reading.diagnostics
    var subgraph = PatchDocument.Subgraph(
      name: level.prefix + member.name, place: place, path: path,
      directory: FilePolicy.folder(of: path), textRange: start..<end,
      tree: reading.document?.root.tree)
    guard let document = reading.document else {
      // The diagnostics about the sub-graph refer to its text.
      result.add(subgraph)
      return nil
    }
    result.copies.add(document.copies)
    nodeCount += document.itemCount
    guard nodeCount <= limits.nodes else {
      reportExcess(
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

  /// Finds the output unit and the inputs of a sub-graph; `nil`, which is reported, where it has no
  /// valid output unit.
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
        // Reading has reported the missing component.
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
    // The nodes are not put in, so unknown components are reported here.
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

  /// Reports an output unit that a sub-graph must not have, or one too many.
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
          "the output unit of a sub-graph is a GenericOutput, not \(withArticle(unit))",
          at: place.range, pointer: place.pointer.description,
          notes: [.init("its output unit", at: component.markRange)],
          help: ["a device is for the whole patch: let the sub-graph end in a GenericOutput"]))
    }
  }

  // MARK: Files

  /// Whether a file is a patch. Each file is examined once.
  private mutating func isPatch(_ text: SourceText, _ file: FileIdentity) -> Bool {
    if let known = isPatchByFile[file] { return known }
    let isPatch = PatchRecognition.isPatch(text)
    isPatchByFile[file] = isPatch
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

  /// Reports a limit that the sub-graphs exceed, at the node of the patch itself that leads there.
  /// Then no sub-graph is put in.
  ///
  /// - Parameters:
  ///   - rule: The limit that is exceeded; `nil` for the depth.
  ///   - help: How to raise the limit.
  private mutating func reportExcess(
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

  /// A path for messages, without `.`, and with `..` resolved where it follows a folder.
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
