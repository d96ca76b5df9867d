import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import SoundExpectations

/// The changes of a test to its patch, as arguments of `--set`: `POINTER=VALUE`.
struct TestSettings {
  /// The changes in the order in which they apply.
  private(set) var overrides: [String] = []
  /// For each override, the value of the test file that it comes from.
  private(set) var places: [JSONValue] = []

  private mutating func add(_ pointer: JSONPointer, _ value: String, _ place: JSONValue) {
    overrides.append("\(pointer)=\(value)")
    places.append(place)
  }

  /// - Throws: ``TestProblem`` where a pointer or a feed is wrong.
  init(
    _ test: TestDocument.Test, of patch: TestFile.TestedSource,
    assuming assumption: HardwareAssumption
  ) throws(TestProblem) {
    for setting in test.settings {
      guard let pointer = JSONPointer(parsing: setting.name), !pointer.tokens.isEmpty else {
        throw TestProblem(
          ExpectationRules.input, "\(quoted(setting.name)) is no JSON Pointer", setting.key.json,
          help: ["write \"/nodes/mixer/inputs/0/parameters/volume\", for example"])
      }
      add(pointer, JSONText(setting.value).compact, setting.key.json)
    }
    guard !test.feeds.isEmpty else { return }
    let reading = patch.reading(overrides)
    guard let document = reading.document else { return }
    for (number, feed) in test.feeds.enumerated() {
      try add(feed, number, document, reading, patch, assumption)
    }
  }

  /// Replaces a callback, or the feed of an input, with the callback of a feed.
  private mutating func add(
    _ feed: PatchDocument.Field, _ number: Int, _ document: PatchDocument,
    _ reading: PatchReader.Result, _ patch: TestFile.TestedSource, _ assumption: HardwareAssumption
  ) throws(TestProblem) {
    let value = JSONText(feed.value).compact
    if document.callbacks.contains(where: { $0.name == feed.name }) {
      return add(JSONPointer(["callbacks", feed.name]), value, feed.key.json)
    }
    let parts = feed.name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let node = document.nodes.first { $0.name == name }
    var bus = parts.count == 2 ? Int(parts[1]) : 0
    if bus == nil, node != nil {
      do throws(ElementNames.Problem) {
        let address = PatchDocument.Address(node: name, element: String(parts[1]))
        bus = try document.resolved(address, .input).bus
      } catch {
        throw TestProblem(ExpectationRules.input, error.message, feed.key.json, help: error.help)
      }
    }
    guard let bus, let node else {
      let names = document.callbacks.map(\.name) + document.nodes.map(\.name)
      throw TestProblem(
        ExpectationRules.input, "the patch has no callback or node \(quoted(name)) to feed",
        feed.key.json,
        help: [
          didYouMean(name, among: names) ?? "there are: " + names.prefix(20).joined(separator: ", ")
        ])
    }
    let connections = document.root["connections"].map { Array($0.elements) } ?? []
    let index = document.connections.firstIndex { connection in
      connection.to.map { $0.value.node == name && ($0.value.bus ?? 0) == bus } ?? false
    }
    let source = "feed \(number + 1)"
    if document.root["callbacks"] == nil {
      add(JSONPointer(["callbacks"]), "{}", feed.key.json)
    }
    add(JSONPointer(["callbacks", source]), value, feed.key.json)
    let quotedSource = JSONText.string(source).compact
    if let index,
      let json = connections.firstIndex(where: {
        $0.range == document.connections[index].json.range
      })
    {
      // A bus that took its format from the replaced connection would have none.
      let wasConnected = document.connections[index].from.map { from in
        document.nodes.contains { $0.name == from.value.node }
      }
      if wasConnected == true {
        try addFormat(name, bus, node.value, feed, reading, patch, assumption)
      }
      add(JSONPointer(["connections", "\(json)", "from"]), quotedSource, feed.key.json)
    } else {
      if document.root["connections"] == nil {
        add(JSONPointer(["connections"]), "[]", feed.key.json)
      }
      let address = JSONText.string("\(name):\(bus)").compact
      add(
        JSONPointer(["connections", "-"]), "{ \"from\": \(quotedSource), \"to\": \(address) }",
        feed.key.json)
    }
  }

  private mutating func addFormat(
    _ name: String, _ bus: Int, _ node: PatchDocument.Node, _ feed: PatchDocument.Field,
    _ reading: PatchReader.Result, _ patch: TestFile.TestedSource, _ assumption: HardwareAssumption
  ) throws(TestProblem) {
    let input = node.json["inputs"]?["\(bus)"]
    guard input?["streamFormat"] == nil else { return }
    let built = PatchBuilder.build(reading, in: patch.surroundings, device: .assumed(assumption))
    guard !built.hasErrors, let graph = built.graph, (try? graph.initialize()) != nil,
      let id = graph.nodes.first(where: { (try? graph.nodeInfo($0))?.name == name }),
      let inputs = graph.configurations[id]?.inputs, inputs.indices.contains(bus)
    else { return }
    let format = inputs[bus].format
    guard let sample = format.sampleType else { return }
    if node.json["inputs"] == nil {
      add(JSONPointer(["nodes", name, "inputs"]), "{}", feed.key.json)
    }
    if input == nil { add(JSONPointer(["nodes", name, "inputs", "\(bus)"]), "{}", feed.key.json) }
    let text: JSONText = [
      "sample": .string(sample.rawValue), "channels": .number(format.channelCount),
      "sampleRate": .number(format.sampleRate),
    ]
    add(
      JSONPointer(["nodes", name, "inputs", "\(bus)", "streamFormat"]), text.compact, feed.key.json)
  }

  /// The place in the test file of the override that caused a finding of the patch; `nil` where
  /// no override did.
  func place(of diagnostic: Diagnostic, in source: SourceText) -> JSONValue? {
    let (text, _) = source.origin(of: diagnostic.range)
    guard text.name == DocumentOverride.sourceName else { return nil }
    let option = String(decoding: text.bytes, as: UTF8.self)
    return overrides.firstIndex { option.hasPrefix($0) || $0.hasPrefix(option) }.map { places[$0] }
  }
}

/// Why a test or an expectation could not be checked, with its place in the test file.
struct TestProblem: Error {
  var rule: Rule
  var message: String
  var place: JSONValue
  var label: String?
  var help: [String]

  init(
    _ rule: Rule, _ message: String, _ place: JSONValue, label: String? = nil, help: [String] = []
  ) {
    self.rule = rule
    self.message = message
    self.place = place
    self.label = label
    self.help = help
  }

  var diagnostic: Diagnostic {
    rule.diagnostic(
      .init(message), at: place.markRange, pointer: place.pointer.description,
      label: label.map { .init($0) }, help: help)
  }
}
