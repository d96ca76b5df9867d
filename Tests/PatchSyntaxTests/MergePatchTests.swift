import AudioTypes
import Diagnostics
import PatchSyntax
import Testing

/// JSON Merge Patch: the examples of RFC 7386.
@Suite struct MergePatchTests {
  private func merged(_ document: String, _ patch: String) throws -> SourceText {
    let tree = try #require(
      JSONReader.readStrictly(SourceText(name: "doc.jsonc", text: document)).tree)
    let patch = try #require(
      JSONReader.readStrictly(SourceText(name: "body", text: patch)).tree)
    return try #require(MergePatch.apply(patch.root, to: tree).text)
  }

  @Test(arguments: [
    // The appendix.
    ("{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
    ("{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"),
    ("{\"a\":\"b\"}", "{\"a\":null}", "{}"),
    ("{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"),
    ("{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
    ("{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"),
    ("{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"),
    ("{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"),
    ("[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"),
    ("{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"),
    ("{\"a\":\"foo\"}", "null", "null"),
    ("{\"a\":\"foo\"}", "\"bar\"", "\"bar\""),
    ("{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"),
    ("[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"),
    ("{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"),
    // The example in section 3.
    (
      "{\"title\":\"Goodbye!\",\"author\":{\"givenName\":\"John\",\"familyName\":\"Doe\"},"
        + "\"tags\":[\"example\",\"sample\"],\"content\":\"x\"}",
      "{\"title\":\"Hello!\",\"phoneNumber\":\"+01\",\"author\":{\"familyName\":null},"
        + "\"tags\":[\"example\"]}",
      "{\"title\":\"Hello!\",\"author\":{\"givenName\":\"John\"},\"tags\":[\"example\"],"
        + "\"content\":\"x\",\"phoneNumber\":\"+01\"}"
    ),
  ])
  func `the RFC's examples come out as it says`(
    document: String, patch: String, expected: String
  ) throws {
    let text = try merged(document, patch)
    let found = text[0..<text.bytes.count]
    #expect(found.filter { $0 != " " } == expected)
  }

  @Test func `what is not changed keeps its text, and all of it its place`() throws {
    let text = try merged(
      "{\n  \"a\": 1, // one\n  \"b\": { \"c\": 2 }\n}\n", "{ \"b\": { \"d\": [3] }, \"e\": 4 }")
    #expect(
      text[0..<text.bytes.count]
        == "{\n  \"a\": 1, // one\n  \"b\": { \"c\": 2, \"d\": [3] },\n  \"e\": 4\n}\n")
    let root = try #require(JSONReader.readStrictly(text).tree).root
    let value = try #require(root["b"]?["d"])
    #expect(text.origin(of: value.range).text.name == "body")
    let kept = try #require(root["b"]?["c"])
    #expect(text.origin(of: kept.range).text.name == "doc.jsonc")
  }

  @Test func `a body with a key twice is no change`() {
    let reading = JSONReader.readStrictly(
      SourceText(name: "body", text: "{ \"a\": 1, \"a\": 2 }"))
    #expect(reading.tree == nil)
    #expect(reading.diagnostics.map(\.code) == ["PR0023"])
  }
}
