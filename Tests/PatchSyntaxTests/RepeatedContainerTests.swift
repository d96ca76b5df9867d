import AudioTypes
import Diagnostics
import TestSupport
import Testing

@testable import PatchSyntax

/// Objects and arrays that are written with the same bytes as the one before are not read again: their
/// rows are copied.
@Suite struct RepeatedContainerTests {
  private static func read(_ text: String, _ dialect: JSONReader.Dialect = .json)
    -> JSONReader.Result
  {
    JSONReader.read(SourceText(name: "x.json", text: text), dialect: dialect)
  }

  /// A value with blanks and line ends anywhere.
  private static func value(
    _ random: inout SplitMix64, depth: Int, mustContain: Bool = false
  ) -> String {
    func blank(_ random: inout SplitMix64) -> String {
      ["", "", " ", "  ", "\n", "\n  ", "\r\n\t"].randomElement(using: &random) ?? ""
    }
    let kind = Int.random(in: mustContain || depth > 0 ? 0...7 : 2...7, using: &random)
    let count = depth > 0 ? Int.random(in: 0...4, using: &random) : 0
    let members = (0..<count).map { number in
      let key = ["a", "volume", "b\\n", "ä", "k\(number)", ""].randomElement(using: &random) ?? ""
      let inside = value(&random, depth: depth - 1)
      return (key, blank(&random) + inside + blank(&random))
    }
    switch (kind, mustContain) {
    case (0, _), (2...4, true):
      let all = members.map { "\(blank(&random))\"\($0.0)\":\($0.1)" }
      return "{" + all.joined(separator: ",") + blank(&random) + "}"
    case (1, _), (5..., true):
      return "[" + members.map(\.1).joined(separator: ",") + blank(&random) + "]"
    default:
      return ["1", "-2.5e3", "\"text\"", "\"\\u00e9\"", "true", "null"]
        .randomElement(using: &random) ?? ""
    }
  }

  /// A row without the mark of a repeated container, moved by bytes and rows.
  private static func text(_ node: JSONTree.Node, _ bytes: Int, _ rows: Int) -> String {
    let flags = node.flags & ~JSONTree.Node.repeated
    return "\(Int(node.start) + bytes) \(Int(node.end) + bytes) \(Int(node.next) + rows) "
      + "\(node.kind) \(flags) \(node.isEscaped) \(node.isKey)"
  }

  @Test(arguments: 1...200)
  func `a container that stands several times is what it is alone`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let one = Self.value(&random, depth: 3, mustContain: true)
    let alone = try #require(Self.read(one).tree)
    let separators = [",", ", ", ",\n", " ,\n\n    "]
    var (text, expected, rows) = ("[", [String](), 1)
    let count = Int.random(in: 2...5, using: &random)
    for number in 0..<count {
      if number > 0 { text += separators.randomElement(using: &random) ?? "" }
      expected += alone.nodes.map { Self.text($0, text.utf8.count, rows) }
      text += one
      rows += alone.nodes.count
    }
    let result = Self.read(text + "]")
    let tree = try #require(result.tree)
    #expect(result.diagnostics.isEmpty)
    #expect(tree.nodes.dropFirst().map { Self.text($0, 0, 0) } == expected)
    // Without line ends it does not matter where its lines begin.
    if !one.utf8.contains(0x0A) {
      let last = tree.nodes.count - alone.nodes.count
      #expect(tree.nodes[last].isRepeated)
    }
  }

  @Test(arguments: [
    (#"{ "a": "\q" }"#, 2), (#"{ "a": nul }"#, 2), (#"{ "a" 1 }"#, 2), (#"{ "a": 01 }"#, 2),
  ])
  func `a mistake in it is told each time`(text: String, count: Int) {
    let result = Self.read("[\(text), \(text)]")
    #expect(result.diagnostics.count == count)
    #expect(Set(result.diagnostics.map(\.range)).count == count)
    #expect(result.tree?.nodes.contains(where: \.isRepeated) == false)
  }

  @Test func `a comment in it is found each time`() {
    let result = Self.read("[{ /* one */ }, { /* one */ }]", .jsonc)
    #expect(result.comments.count == 2)
  }

  @Test func `repeated keys in it are told each time`() {
    let text = #"{ "a": 1, "b": 2, "a": 3 }"#
    let reading = JSONReader.readStrictly(SourceText(name: "x.json", text: "[\(text), \(text)]"))
    #expect(reading.diagnostics.map(\.code.rawValue) == ["PR0023", "PR0023"])
  }

  /// Lines of a patch, of which some bracket is missing: what is said of it must not depend on whether
  /// its containers were read or copied. Every second value differs, so that none is copied.
  @Test(arguments: 1...100)
  func `a missing bracket is told the same`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let indentation = ["", " ", "  ", "    "].randomElement(using: &random) ?? ""
    func lines(_ values: [String]) -> [String] {
      ["{"]
        + values.enumerated().flatMap { number, value in
          [
            "\(indentation)\"n\(number)\": {",
            "\(indentation)\(indentation)\"in\": {",
            "\(indentation)\(indentation)\(indentation)\"volume\": \(value)",
            "\(indentation)\(indentation)}",
            "\(indentation)}" + (number < values.count - 1 ? "," : ""),
          ]
        } + ["}"]
    }
    let count = Int.random(in: 2...6, using: &random)
    let same = lines(Array(repeating: "0.5", count: count))
    let other = lines((0..<count).map { $0 % 2 == 0 ? "0.5" : "0.6" })
    let gone = Int.random(in: 1..<same.count, using: &random)
    func findings(_ lines: [String]) -> [String] {
      var lines = lines
      lines[gone] = lines[gone].replacing(/[{}]/, with: "")
      let text = lines.joined(separator: "\n")
      return Self.read(text).diagnostics.map { "\($0.range) \($0.code) \($0.message) \($0.notes)" }
    }
    #expect(findings(same) == findings(other))
  }

  @Test func `a node that is written as the one before has its own places`() throws {
    let node =
      #"{ "component": "MultichannelMixer", "inputCount": 1, "properties": { "p": 1 }, "inputs": { "0": { "sampleRate": 8, "parameters": { "volume": 0.5 } } } }"#
    let text = #"{ "nodes": { "a": \#(node), "b": \#(node), "c": \#(node) } }"#
    let source = SourceText(name: "x.json", text: text)
    var document = try #require(PatchReader.read(source).document)
    #expect(document.nodes.map(\.value.isAsBefore) == [false, true, true])
    for member in document.nodes {
      let (value, range) = (member.value, member.value.json.range)
      let input = try #require(value.inputs.first)
      let places = [
        try #require(value.component).json, try #require(value.inputCount).json,
        value.properties[0].key.json, value.properties[0].value, input.json, input.bus.json,
        try #require(input.sampleRate).json, input.parameters[0].key.json,
        input.parameters[0].value,
      ]
      #expect(
        places.map { source[$0.range] } == [
          #""MultichannelMixer""#, "1", #""p""#, "1",
          #"{ "sampleRate": 8, "parameters": { "volume": 0.5 } }"#, #""0""#, "8", #""volume""#,
          "0.5",
        ])
      #expect(places.allSatisfy { range.contains($0.range.lowerBound) })
    }
    // A change of one leaves the others.
    document.nodes[1].value.parameters = document.nodes[1].value.properties
    #expect(document.nodes.map(\.value.parameters.count) == [0, 1, 0])
    #expect(document.nodes.map(\.value.properties.count) == [1, 1, 1])
    #expect(!document.nodes[1].value.isAsBefore)
    let moved = document.nodes[1].value.inputs[0].parameters[0].value
    #expect(document.nodes[1].value.json.range.contains(moved.range.lowerBound))
  }
}
