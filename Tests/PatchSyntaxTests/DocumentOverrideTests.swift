import AudioTypes
import Diagnostics
import PatchSyntax
import Testing

struct DocumentOverrideTests {
  private static let text = """
    {
      "title": "a",
      "nodes": {
        "mixer": { "component": "multichannelMixer", "inputs": { "0": { "parameters": { "volume": 1 } } } },
        "a/b": { "component": "remoteIO", "properties": {} }
      },
      "connections": [ { "from": "mixer", "to": "io" } ],
      "timeline": []
    }
    """

  private func read(_ overrides: String...) -> PatchReader.Result {
    PatchReader.read(bytes: Array(Self.text.utf8), name: "x.json", overrides: overrides)
  }

  private func value(_ pointer: String, in result: PatchReader.Result) -> String? {
    guard let pointer = JSONPointer(parsing: pointer),
      let value = result.document?.root[pointer]
    else { return nil }
    return result.source[value.range]
  }

  @Test(arguments: [
    (
      "/nodes/mixer/inputs/0/parameters/volume=0.5", "/nodes/mixer/inputs/0/parameters/volume",
      "0.5"
    ),
    ("/nodes/mixer/inputs/0/parameters/pan=-1", "/nodes/mixer/inputs/0/parameters/pan", "-1"),
    ("/nodes/a~1b/properties/x={\"y\": [1]}", "/nodes/a~1b/properties/x/y/0", "1"),
    ("/title=Hello world", "/title", "\"Hello world\""),
    ("/title=a=b \"c\" \\", "/title", #""a=b \"c\" \\""#),
    ("/title=\"quoted\"", "/title", "\"quoted\""),
    ("/title=", "/title", "\"\""),
    ("/comment=é", "/comment", "\"é\""),
    ("/connections/0/to=mixer:1", "/connections/0/to", "\"mixer:1\""),
    ("/connections/1={ \"from\": \"a\", \"to\": \"b\" }", "/connections/1/to", "\"b\""),
    ("/timeline/-={\"at\": 1, \"stop\": true}", "/timeline/0/at", "1"),
    ("/timeline/0={\"at\": 2, \"stop\": true}", "/timeline/0/at", "2"),
  ])
  func `a value is replaced or added`(option: String, pointer: String, expected: String) {
    let result = read(option)
    #expect(result.diagnostics.isEmpty)
    #expect(value(pointer, in: result) == expected)
  }

  @Test func `several are made one after the other`() {
    let result = read("/nodes/b={}", "/nodes/b/component=remoteIO", "/title=x", "/title=y")
    #expect(result.diagnostics.isEmpty)
    #expect(value("/nodes/b/component", in: result) == "\"remoteIO\"")
    #expect(value("/title", in: result) == "\"y\"")
  }

  @Test func `the whole document can be replaced`() {
    let result = read("={\"nodes\": {\"io\": {\"component\": \"remoteIO\"}}}")
    #expect(result.diagnostics.isEmpty)
    #expect(result.document?.nodes.map(\.name) == ["io"])
  }

  @Test func `a mistake in the value is shown in the option`() {
    let result = read("/title=5")
    #expect(
      TextRenderer(source: result.source).render(result.diagnostics) == """
        error[PR0101]: 'title' is a string, not the number 5
         --> --set:1:8  /title
          |
        1 | /title=5
          |        ^ expected a string
          |
          = help: write "5" in quotes


        """)
  }

  @Test func `mistakes elsewhere keep their lines in the document`() {
    let broken = Self.text.replacing("\"timeline\": []", "\"timeline\": 7")
    let result = PatchReader.read(
      bytes: Array(broken.utf8), name: "x.json", overrides: ["/title=a much longer title"])
    #expect(
      TextRenderer(source: result.source).render(result.diagnostics).contains(
        " --> x.json:8:15  /timeline\n"))
  }

  @Test func `a place the patch does not have is refused with the one that was meant`() {
    let result = read("/nodes/mixr/inputs/0/parameters/volume=0.5", "/title=b")
    #expect(
      TextRenderer(source: result.source).render(result.diagnostics) == """
        error[PR0111]: '/nodes' has no 'mixr'
         --> --set:1:8  /nodes
          |
        1 | /nodes/mixr/inputs/0/parameters/volume=0.5
          |        ^^^^ did you mean 'mixer'?
          |
          = help: '/nodes' has 'mixer', 'a/b'


        """)
    // The other overrides are applied.
    #expect(value("/title", in: result) == "\"b\"")
  }

  @Test(arguments: [
    "title", "/title", "title=1", "/~5=1", "/title/x=1", "/connections/5=1", "/nodes/x/y=1",
    "/title=[1,", "/title=\"x", "/connections/x/from=a",
  ])
  func `what cannot be applied is refused`(option: String) {
    let result = read(option)
    #expect(result.hasErrors)
    #expect(result.diagnostics.count == 1)
    #expect(
      TextRenderer(source: result.source).render(result.diagnostics).contains(" --> --set:1:"))
    #expect(result.document?.title?.value == "a")
  }
}

extension String {
  fileprivate func replacing(_ part: String, _ other: String) -> String {
    guard let range = firstRange(of: part) else { return self }
    return String(self[..<range.lowerBound]) + other + self[range.upperBound...]
  }
}

extension DocumentOverrideTests {
  @Test func `a value is added behind comments, trailing commas and CRLF`() {
    let text =
      "{\r\n  // the patch\r\n  \"nodes\": { \"io\": { \"component\": \"remoteIO\", }, }, // end\r\n}"
    let result = PatchReader.read(
      bytes: Array(text.utf8), name: "x.jsonc",
      overrides: ["/nodes/io/properties={}", "/nodes/io/properties/enableIO=true", "/title=x"])
    #expect(result.diagnostics.isEmpty)
    #expect(result.document?.title?.value == "x")
    #expect(result.document?.nodes.first?.value.properties.map(\.name) == ["enableIO"])
  }

  @Test func `a document that is no JSON keeps its own mistakes only`() {
    let result = PatchReader.read(bytes: Array("{".utf8), name: "x.json", overrides: ["/a=1"])
    #expect(result.diagnostics.map(\.code) == ["PR0018"])
  }
}
