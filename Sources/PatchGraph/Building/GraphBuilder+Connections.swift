import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderTaps

extension GraphBuilder {
  // MARK: Connections

  /// Makes a connection between two nodes, where that is no mistake: most connections of a large
  /// patch. Returns `false` for any other, and has changed nothing then.
  ///
  /// By index, as a copy of a connection counts the references in it.
  mutating func connectNodes(_ connections: [PatchDocument.Connection], at index: Int) -> Bool {
    guard let sourceName = connections[index].from?.value.node,
      let source = node(named: sourceName), let name = connections[index].to?.value.node,
      let destination = node(named: name)
    else { return false }
    let output = connections[index].from?.value.bus ?? 0
    let input = connections[index].to?.value.bus ?? 0
    guard (try? graph.connectOnce(source, output, to: destination, input)) != nil else {
      return false
    }
    layout.setFeed(.output(.init(node: sourceName, bus: output)), of: destination, input)
    places.record(connection: index, from: source, to: destination)
    return true
  }

  /// Makes a connection of the document.
  ///
  /// - Parameter index: Its index there; `nil` where its places are not needed.
  mutating func connect(_ connection: PatchDocument.Connection, at index: Int? = nil) {
    // The source first, as it is often the destination of the connection before.
    let (from, to) = (connection.from, connection.to)
    let source = from.flatMap { node(named: $0.value.node) }
    let destination = to.flatMap { destinationNode($0) }
    let isSourceKnown = source != nil || from.map { checkSource($0) } ?? false
    guard let destination, let to, let from, isSourceKnown else {
      doubts.raise(.gaps)
      if destination == nil { doubts.raise(.destination) }
      if let destination { doubts.raise(.feeds, about: destination) }
      if let source { doubts.raise(.feeds, about: source) }
      return
    }
    let input = to.value.bus ?? 0
    let place = Violation.Place(node: destination, .feed(input))
    var taken: JSONValue?
    do throws(Violation) {
      if let source {
        do throws(Violation) {
          let output = from.value.bus ?? 0
          try graph.connectOnce(source, output, to: destination, input)
          layout.setFeed(
            .output(.init(node: from.value.node, bus: output)), of: destination, input)
        } catch {
          doubts.raise(.feeds, about: source)
          throw error
        }
      } else if let callback = callbacks[from.value.node] {
        let chain = chain(of: from.value.node)
        // If the output feeds something else already, the error is at the "from" of the callback
        // for the first connection of the callback, and at the connection itself for every further
        // one.
        if !callback.isUsed { taken = chain.last?.from?.json }
        callback.isUsed = true
        if let second = graph.secondFeed(of: destination, input) { throw second }
        guard countLinks(of: chain, from) else {
          doubts.raise(.gaps)
          doubts.raise(.feeds, about: destination)
          return
        }
        let feed = PatchLayout.Chain(links: chain.map(\.link), source: self.source(of: chain))
        try feed.feed(
          input, of: destination, in: graph, by: feed.links.map(\.callback), nodes)
        layout.setFeed(.chain(feed), of: destination, input)
        for (behind, link) in chain.enumerated() {
          let part = Violation.Part.callback(input, behind: behind)
          places.callbacks[behind == 0 ? place : .init(node: destination, part)] = link.json
        }
        if let source = chain.last?.from, let node = nodes[source.value.node] {
          places.recordFirst(
            source.json, for: .init(node: node, .bus(.output, source.value.bus ?? 0)))
        }
      }
      if let source {
        if let index { places.record(connection: index, from: source, to: destination) }
      } else {
        places.record(to.json, for: place)
      }
    } catch {
      doubts.raise(.feeds, about: destination)
      var error = error
      if error.rule == InputsFedOnce.rule, let unit = try? graph.unit(destination),
        input >= unit.elementCount(.input)
      {
        // The first feed of this input has been reported: the input does not exist.
        return
      }
      if error.rule == InputsFedOnce.rule, isFed(to.value, by: from.value) {
        error.message = "this connection is there already"
        error.help = ["remove one of the two"]
        error.remedies = [Remedy("remove this one", [.removeFeed(input)])]
      }
      let takesTwice = error.rule == OutputsFeedOne.rule
      report(error, at: takesTwice ? taken ?? from.json : to.json)
    }
  }

  /// Whether the input is fed by this source already.
  func isFed(_ to: PatchDocument.Address, by from: PatchDocument.Address) -> Bool {
    switch layout[feedOf: .init(node: to.node, bus: to.bus ?? 0)] {
    case .output(let output)?: output == .init(node: from.node, bus: from.bus ?? 0)
    case .chain(let chain)?: chain.name == from.node
    case nil: false
    }
  }

  /// The node of a name; `nil` for none.
  private mutating func node(named name: String) -> NodeID? {
    if let lastNode, lastNode.name == name { return lastNode.id }
    guard let id = layout.nodes[name] else { return nil }
    lastNode = (name, id)
    return id
  }

  mutating func destinationNode(_ to: Located<PatchDocument.Address>) -> NodeID? {
    let name = to.value.node
    if let id = node(named: name) { return id }
    guard !doubts.names.contains(name) else { return nil }
    if callbackNames.contains(name) {
      report(
        NameRules.destination.diagnostic(
          "a connection ends at a node, and \(quoted(name)) is a callback", at: to.range,
          pointer: to.pointer,
          help: [
            "a callback feeds: write it after \"from\"; what it pulls is written as the \"from\" "
              + "of the callback itself"
          ]))
      return nil
    }
    reportUnknown(to, amongCallbacks: false)
    return nil
  }

  /// Whether the source of an address exists; reports where it does not.
  mutating func checkSource(_ from: Located<PatchDocument.Address>) -> Bool {
    let name = from.value.node
    if nodes[name] != nil { return true }
    guard !doubts.names.contains(name) else { return false }
    if let callback = callbacks[name] {
      guard from.value.isFirst else {
        callback.isUsed = true
        report(
          NameRules.callbackBus.diagnostic(
            "\(quoted(name)) is a callback, which has no buses", at: from.range,
            pointer: from.pointer, help: ["write \"from\": \"\(name)\""]))
        return false
      }
      return true
    }
    reportUnknown(from, amongCallbacks: true)
    return false
  }

  /// Reports a name that the patch does not have. Each name is reported once; further uses become
  /// notes.
  ///
  /// - Parameter includesCallbacks: Whether the name may have been meant for a callback, too.
  mutating func reportUnknown(
    _ address: Located<PatchDocument.Address>, amongCallbacks includesCallbacks: Bool
  ) {
    let document = document
    let name = document.local(address.value.node, around: address.json)
    func candidates() -> [String] {
      let names =
        document.nodes.map(\.name) + (includesCallbacks ? document.callbacks.map(\.name) : [])
      return document.locals(names, around: address.json)
        + document.localSubgraphs(around: address.json)
    }
    func corrections(_ names: [String]) -> [Diagnostic.Fix] {
      address.json.correction(of: name, among: names, part: 0..<name.utf8.count)
    }
    if let known = unknownNames[address.value.node] {
      guard let first = known else { return }
      findings.change(first) {
        $0.add("and here", at: address.range, $0.fixes.isEmpty ? [] : corrections(candidates()))
      }
      return
    }
    let hasDetails = details.spend(on: NameRules.unknownName.code, at: address.json)
    let place = findings.append(NameRules.unknownName, at: address.range) {
      let names = hasDetails ? candidates() : []
      var help = [
        Self.meant(name, in: document, amongCallbacks: includesCallbacks, names)
          ?? didYouMean(name, among: names)
      ].compactMap(\.self)
      if names.count <= 20, !names.isEmpty {
        help.append("there are: " + names.joined(separator: ", "))
      }
      return NameRules.unknownName.diagnostic(
        "the patch has no node or callback \(quoted(name))", at: address.range,
        pointer: address.pointer, help: help, fixes: corrections(names))
    }
    unknownNames.updateValue(place, forKey: address.value.node)
  }

  /// Help for a name that most likely means a microphone, a loudspeaker, or a bus with a wrong
  /// separator; `nil` for any other name.
  private static func meant(
    _ name: String, in document: PatchDocument, amongCallbacks isSource: Bool, _ names: [String]
  ) -> String? {
    if let match = name.wholeMatch(of: /(.+?)[.\/#\[ ](\d+)\]?/),
      names.contains(String(match.output.1))
    {
      return "a bus stands behind a colon: \"\(match.output.1):\(match.output.2)\""
    }
    guard isSource ? Synonyms.isMicrophone(name) : Synonyms.isLoudspeaker(name) else {
      return nil
    }
    let unit = document.nodes.first {
      guard case .name(let component)? = $0.value.component?.value else { return false }
      return ["remoteio", "voiceprocessingio"].contains(component.lowercased())
    }
    guard let unit, names.contains(unit.name) else {
      return isSource
        ? nil : "add an output unit of that name, with the component 'remoteIO'"
    }
    return isSource
      ? "the microphone is output 1 of the I/O unit: \"\(unit.name):1\""
      : "the loudspeaker is the I/O unit: \"\(unit.name)\""
  }

  /// Counts the links of a chain before it feeds an input. Returns whether the length of the chain
  /// and the links of all chains are within their limits, and reports where they are not.
  mutating func countLinks(
    of chain: [BuiltCallback], _ from: Located<PatchDocument.Address>
  ) -> Bool {
    let (limits, count) = (limits, document.callbacks.count)
    guard chain.count <= limits.callbacks else {
      findings.append(CostRules.chain, at: from.range) {
        CostRules.chain.diagnostic(
          .init(
            "\(quoted(from.value.node)) pulls a chain of more than "
              + "\(Diagnostic.decimal(limits.callbacks)) callbacks"), at: from.range,
          pointer: from.pointer,
          help: [limits.help(.callbacks, needed: count)])
      }
      return false
    }
    linkCount += chain.count
    let needed = linkCount * MemoryFits.bytesOfCallback
    guard needed <= limits.memory else {
      if !hasTooManyLinks {
        report(
          MemoryFits.rule.diagnostic(
            .init(
              "the callbacks feed inputs more than \(Diagnostic.decimal(linkCount - 1)) times, "
                + "and take more than \(Diagnostic.decimal(limits.memory >> 20)) MB by that"),
            at: from.range, pointer: from.pointer, help: [limits.help(.memory, needed: 2 * needed)]
          ))
      }
      hasTooManyLinks = true
      return false
    }
    return true
  }
}
