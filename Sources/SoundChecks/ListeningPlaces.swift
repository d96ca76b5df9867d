import AudioGraphs
import AudioTypes
import Diagnostics
import PatchRendering
import PatchSyntax
import RenderHost
import Responses
import SoundExpectations

/// The buses of a graph where expectations can listen.
struct ListeningPlaces {
  private let graph: AudioGraph
  private let document: PatchDocument?
  private let nodes: [String: NodeID]
  private let ends: [String]
  private let outputs: Set<String>

  init(_ graph: AudioGraph, _ document: PatchDocument?) {
    self.graph = graph
    self.document = document
    nodes = Dictionary(
      graph.nodes.compactMap { node in (try? graph.nodeInfo(node).name).map { ($0, node) } },
      uniquingKeysWith: { first, _ in first })
    ends = document?.nodes.filter { $0.value.endsSubgraph }.map(\.name) ?? []
    outputs = Self.outputUnits(graph)
  }

  /// The names of the output units of a graph.
  static func outputUnits(_ graph: AudioGraph?) -> Set<String> {
    guard let graph else { return [] }
    return Set(
      graph.nodes.compactMap { node in
        graph.isOutputUnit(node) ? try? graph.nodeInfo(node).name : nil
      })
  }

  /// The place that an address names: for a sub-graph the output of its end node, for an output
  /// unit the signal to the device.
  static func place(
    _ at: PatchDocument.Address, ends: [String], outputUnits: Set<String>,
    in document: PatchDocument?
  ) throws(ElementNames.Problem) -> PatchRender.Place {
    let end = ends.first { end in
      end.hasPrefix(at.node + "/") && !end.dropFirst(at.node.count + 1).contains("/")
    }
    var address = at
    address.node = end ?? at.node
    address = try document?.resolved(address, .output) ?? address
    let bus = address.bus ?? 0
    if outputUnits.contains(at.node), bus == 0 { return .device }
    return .output(address.node, bus)
  }

  /// Why an expectation has no sound to listen to; `nil` where it has.
  func problem(of expectation: Expectation, duration: Double?) -> TestProblem? {
    if let during = expectation.during, let duration, during.value.lowerBound >= duration {
      return TestProblem(
        ExpectationRules.place,
        "the test is over after \(BoundUnit.seconds.text(duration))", during.json,
        label: "begins behind the end", help: ["make the test longer, or look earlier"])
    }
    guard expectation.kind.subject == .sound else { return nil }
    guard let at = expectation.at else { return problemOfDevice(expectation) }
    let place: PatchRender.Place
    do throws(ElementNames.Problem) {
      place = try Self.place(at.value, ends: ends, outputUnits: outputs, in: document)
    } catch {
      return TestProblem(ExpectationRules.place, error.message, at.json, help: error.help)
    }
    guard case .output(let name, let bus) = place else { return problemOfDevice(expectation) }
    guard let node = nodes[name] else {
      let known = nodes.keys.sorted()
      return TestProblem(
        ExpectationRules.place, "the patch has no node \(quoted(at.value.node))", at.json,
        label: didYouMean(at.value.node, among: known),
        help: ["the nodes are: " + known.prefix(20).joined(separator: ", ")])
    }
    let formats = graph.configurations[node]?.outputs ?? []
    guard formats.indices.contains(bus) else {
      return TestProblem(
        ExpectationRules.place, "\(quoted(at.value.node)) has no output \(bus)", at.json,
        help: [
          formats.count == 1
            ? "its only output is 0"
            : formats.isEmpty ? "it has no outputs" : "its outputs are 0 to \(formats.count - 1)"
        ])
    }
    return problem(of: expectation.channel, formats[bus].format.channelCount)
  }

  private func problemOfDevice(_ expectation: Expectation) -> TestProblem? {
    guard let session = graph.session, session.configuration.client != nil,
      let format = session.configuration.device
    else {
      return TestProblem(
        ExpectationRules.place, "nothing feeds the output of the patch",
        expectation.at?.json ?? expectation.key, label: "nothing to listen to",
        help: ["say where to listen: \"at\": \"mixer\", for example"])
    }
    return problem(of: expectation.channel, format.channelCount)
  }

  private func problem(of channel: Located<Int>?, _ count: Int) -> TestProblem? {
    guard let channel, channel.value >= count else { return nil }
    return TestProblem(
      ExpectationRules.place, "there is no channel \(channel.value)", channel.json,
      help: [count == 1 ? "the only channel is 0" : "the channels are 0 to \(count - 1)"])
  }
}
