import AudioGraphs
public import AudioTypes
import AudioUnits
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderHost
public import Responses

/// Where a response is measured: the names of both ends in the patch, the path between them in the
/// graph, and the stream formats there.
public struct ResponsePlaces: Sendable {
  public var path: ResponsePath
  public var fromName: String
  public var toName: String
  public var input: StreamFormat
  public var output: StreamFormat
}

extension ResponseBench {
  /// Looks up both ends of the measurement and checks that a path leads from `from` to `to`.
  ///
  /// - Parameters:
  ///   - from: A node, a callback or an address such as `mixer:1`.
  ///   - to: A node or an address; `nil` for the output unit.
  ///
  /// - Throws: A misuse where a name is unknown or no path connects the two.
  public func places(from: String, to: String?) throws(ResponseFailure) -> ResponsePlaces {
    let (patch, graph) = try build()
    try initialize(graph, patch)
    let names = Names(patch, graph)
    let (entries, input) = try entries(from, names)
    let (exit, output, toName) = try exit(to, names)
    let path = ResponsePath(from: entries, to: exit)
    guard path.exists(in: graph) else { throw noPathFailure(path, from, toName, names) }
    return ResponsePlaces(
      path: path, fromName: from, toName: toName, input: input, output: output)
  }

  /// The nodes of the graph by their names, with their formats.
  private struct Names {
    let patch: BuiltPatch
    let graph: AudioGraph
    let document: PatchDocument?
    let nodes: [String: NodeID]
    let order: [String]
    let formats: [NodeID: UnitConfiguration]

    init(_ patch: BuiltPatch, _ graph: AudioGraph) {
      self.patch = patch
      self.graph = graph
      document = patch.document
      var nodes: [String: NodeID] = [:]
      var order: [String] = []
      for node in graph.nodes {
        guard let name = try? graph.nodeInfo(node).name else { continue }
        nodes[name] = node
        order.append(name)
      }
      self.nodes = nodes
      self.order = order
      formats = graph.configurations
    }

    func isCallback(_ name: String) -> Bool {
      document?.callbacks.contains { $0.name == name } ?? false
    }

    /// Where the patch file defines a node: `mix.json:12:3`; `nil` for the nodes of sub-graphs.
    func place(of name: String) -> String? {
      guard let json = document?.nodes.first(where: { $0.name == name })?.value.json,
        json.range.lowerBound < patch.ownLength
      else { return nil }
      let source = patch.ownSource
      let position = source.position(of: json.range.lowerBound)
      return "\(source.name):\(position.line):\(position.column)"
    }

    /// The quoted name with its place in the patch file: `'eq' (mix.json:12:3)`.
    func placed(_ name: String) -> String {
      quoted(name) + (place(of: name).map { " (\($0))" } ?? "")
    }
  }

  /// Splits an address into the name of a node or callback and the number of a bus.
  private func address(
    _ text: String, _ names: Names, candidates: [String], _ scope: ElementNames.Scope
  ) throws(ResponseFailure) -> (name: String, bus: Int?) {
    var (name, bus): (String, Int?) = (text, nil)
    if text.contains(":"), names.nodes[text] == nil {
      let address: PatchDocument.Address?
      do throws(ElementNames.Problem) { address = try names.document?.address(text, scope) } catch {
        throw ResponseFailure.misuse(error.message, help: error.help)
      }
      guard let address else {
        throw ResponseFailure.misuse(
          "\(quoted(text)) is no address",
          help: ["write a node and, behind a colon, its bus: mixer:1, or mixer:Voice"])
      }
      (name, bus) = (address.node, address.bus)
    }
    let inside = names.order.filter { $0.hasPrefix(name + "/") }
    if names.nodes[name] == nil, !names.isCallback(name), !inside.isEmpty {
      throw ResponseFailure.misuse(
        "\(quoted(name)) is a sub-graph: say which node in it is meant",
        help: ["in it there are: " + inside.prefix(20).joined(separator: ", ")])
    }
    guard names.nodes[name] != nil || names.isCallback(name) else {
      throw ResponseFailure.misuse(
        "the patch has no node or callback \(quoted(name))",
        help: [
          didYouMean(name, among: candidates)
            ?? "there are: " + candidates.prefix(20).joined(separator: ", ")
        ])
    }
    return (name, bus)
  }

  private func entries(
    _ text: String, _ names: Names
  ) throws(ResponseFailure) -> ([PathEntry], StreamFormat) {
    let callbacks = names.document?.callbacks.map(\.name) ?? []
    let (name, bus) = try address(text, names, candidates: names.order + callbacks, .input)
    guard let node = names.nodes[name] else {
      guard bus == nil else {
        throw ResponseFailure.misuse(
          "\(quoted(name)) is a callback, and has no buses",
          help: ["leave the number out"])
      }
      return try entries(ofCallback: name, names)
    }
    if names.graph.isOutputUnit(node), bus == 1 {
      guard let format = names.graph.grant.inputFormat,
        names.graph.session?.configuration.capture != nil
      else {
        throw ResponseFailure.misuse(
          "the microphone side of \(names.placed(name)) is off",
          help: [
            "turn it on: \"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } }"
          ])
      }
      return ([.microphone(node)], format)
    }
    let inputs = names.formats[node]?.inputs ?? []
    let number = bus ?? 0
    guard inputs.indices.contains(number) else {
      throw ResponseFailure.misuse(
        "\(names.placed(name)) has no input \(number)",
        help: [range(inputs.count, "input")])
    }
    return ([.input(node, number)], inputs[number].format)
  }

  private func entries(
    ofCallback name: String, _ names: Names
  ) throws(ResponseFailure) -> ([PathEntry], StreamFormat) {
    var entries: [PathEntry] = []
    var formats: [StreamFormat] = []
    let chains = names.document.map { ResponseChains.chains(of: $0) }
    for (address, chain) in chains ?? [] {
      guard let behind = chain.firstIndex(of: name), let node = names.nodes[address.node],
        let inputs = names.formats[node]?.inputs, inputs.indices.contains(address.bus ?? 0)
      else { continue }
      entries.append(.input(node, address.bus ?? 0, behind: behind))
      formats.append(inputs[address.bus ?? 0].format)
    }
    guard let first = formats.first else {
      throw ResponseFailure.misuse("the callback \(quoted(name)) feeds nothing that is rendered")
    }
    guard formats.allSatisfy({ $0.sampleRate == first.sampleRate }) else {
      throw ResponseFailure.misuse(
        "the callback \(quoted(name)) feeds inputs of different rates",
        help: ["name one of the inputs"])
    }
    return (entries, formats.min { $0.channelCount < $1.channelCount } ?? first)
  }

  private func exit(
    _ text: String?, _ names: Names
  ) throws(ResponseFailure) -> (PathExit, StreamFormat, String) {
    guard let text else {
      guard let name = names.order.first(where: { isEnd($0, names) }) else {
        throw ResponseFailure.misuse("the patch has no output unit: say --to")
      }
      return try deviceExit(name, names)
    }
    let (name, bus) = try address(
      subgraphEnd(text, names), names, candidates: names.order, .output)
    guard let node = names.nodes[name] else {
      throw ResponseFailure.misuse(
        "\(quoted(name)) is a callback: what it puts out cannot be watched",
        help: ["take the output of the node that it feeds"])
    }
    if isEnd(name, names), (bus ?? 0) == 0 { return try deviceExit(name, names) }
    let outputs = names.formats[node]?.outputs ?? []
    guard outputs.indices.contains(bus ?? 0) else {
      throw ResponseFailure.misuse(
        "\(names.placed(name)) has no output \(bus ?? 0)",
        help: [range(outputs.count, "output")])
    }
    return (.output(node, bus ?? 0), outputs[bus ?? 0].format, text)
  }

  /// The node that gives a sub-graph its output, where `text` names a sub-graph; otherwise `text`.
  private func subgraphEnd(_ text: String, _ names: Names) -> String {
    let ends = names.document?.nodes.filter { $0.value.endsSubgraph }.map(\.name) ?? []
    let name = text.hasSuffix(":0") ? String(text.dropLast(2)) : text
    guard names.nodes[name] == nil else { return text }
    return ends.first { end in
      end.hasPrefix(name + "/") && !end.dropFirst(name.count + 1).contains("/")
    } ?? text
  }

  private func isEnd(_ name: String, _ names: Names) -> Bool {
    names.nodes[name].map { names.graph.isOutputUnit($0) } ?? false
  }

  private func deviceExit(
    _ name: String, _ names: Names
  ) throws(ResponseFailure) -> (PathExit, StreamFormat, String) {
    guard names.graph.session?.configuration.client != nil,
      let format = names.graph.session?.configuration.device
    else {
      throw ResponseFailure.misuse(
        "nothing feeds the output of \(names.placed(name))",
        help: ["say where to look: --to"])
    }
    return (.device, format, name)
  }

  func range(_ count: Int, _ word: String) -> String {
    count == 0
      ? "it has no \(word)s"
      : count == 1 ? "its only \(word) is 0" : "its \(word)s are 0 to \(count - 1)"
  }

  private func noPathFailure(
    _ path: ResponsePath, _ from: String, _ to: String, _ names: Names
  ) -> ResponseFailure {
    let (nodes, _) = path.reached(in: names.graph)
    let entered = Set(path.entries.map(\.node))
    let reached = names.order.filter { name in
      names.nodes[name].map { nodes.contains($0) && !entered.contains($0) } ?? false
    }
    let name = to.split(separator: ":").first.map(String.init) ?? to
    var help = [
      reached.isEmpty
        ? "what goes in at \(quoted(from)) reaches no other node"
        : "what goes in at \(quoted(from)) reaches: " + reached.prefix(20).joined(separator: ", ")
    ]
    if let place = names.place(of: name) { help.append("\(quoted(name)) is at \(place)") }
    return ResponseFailure.misuse("no sound gets from \(quoted(from)) to \(quoted(to))", help: help)
  }
}

/// The callbacks that feed each input of a document.
enum ResponseChains {
  /// For each input that a callback feeds: that callback, the one that it pulls, and so on.
  static func chains(
    of document: PatchDocument
  ) -> [(address: PatchDocument.Address, chain: [String])] {
    let callbacks = Dictionary(
      document.callbacks.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    return document.connections.compactMap { connection in
      guard let from = connection.from?.value, let to = connection.to?.value else { return nil }
      var chain: [String] = []
      var next: String? = from.node
      while let name = next, chain.count <= callbacks.count, let callback = callbacks[name] {
        chain.append(name)
        next =
          callback.pulled?.value.node
          ?? callback.fields.first { $0.name == "from" }?.value.string
      }
      return chain.isEmpty ? nil : (to, chain)
    }
  }
}
