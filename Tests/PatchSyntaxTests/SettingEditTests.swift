import AudioTypes
import Diagnostics
import PatchSyntax
import Testing

/// Sets values at paths of a document.
@Suite struct SettingEditTests {
  private func made(
    _ edits: [(String, String)], in text: String = #"{"a":{"b":[1,2]},"c":{}}"#
  ) throws -> (change: DocumentChange, source: SourceText) {
    let tree = try #require(
      JSONReader.read(SourceText(name: "a.json", text: text), dialect: .json).tree)
    return SettingEdit.apply(
      try edits.map {
        SettingEdit(pointer: try #require(JSONPointer(parsing: $0.0)), value: $0.1)
      }, to: tree)
  }

  /// The resulting document without blanks.
  private func text(_ edits: [(String, String)]) throws -> String? {
    try made(edits).change.text.map {
      String(decoding: $0.bytes, as: UTF8.self).filter { $0 != " " }
    }
  }

  @Test func `values are put where they belong, each missing object made once`() throws {
    #expect(try text([("/a/x", "1")]) == #"{"a":{"b":[1,2],"x":1},"c":{}}"#)
    #expect(try text([("/a/b/1", "9")]) == #"{"a":{"b":[1,9]},"c":{}}"#)
    #expect(try text([("/a/b/2", "9")]) == #"{"a":{"b":[1,2,9]},"c":{}}"#)
    #expect(try text([("/a/b/-", "9")]) == #"{"a":{"b":[1,2,9]},"c":{}}"#)
    #expect(try text([("", "{}")]) == "{}")
    #expect(
      try text([("/c/x~1y/z", "1")])
        == #"{"a":{"b":[1,2]},"c":{"x/y":{"z":1}}}"#)
    #expect(
      try text([("/c/x/y/z", "1"), ("/c/x/y/w", "2"), ("/c/x/v/u", "3")])
        == #"{"a":{"b":[1,2]},"c":{"x":{"y":{"z":1,"w":2},"v":{"u":3}}}}"#)
  }

  @Test func `what is removed has to be there`() throws {
    let tree = try #require(
      JSONReader.read(SourceText(name: "a.json", text: #"{"a":[1,2],"b":{}}"#), dialect: .json)
        .tree)
    func made(_ places: [[String]]) -> (change: DocumentChange, source: SourceText) {
      SettingEdit.apply(
        places.map { SettingEdit(pointer: JSONPointer($0), value: nil) }, to: tree)
    }
    let text = made([["a", "1"], ["b"]]).change.text
    #expect(text.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"a":[1]}"#)
    let (change, source) = made([["b"], ["b"]])
    guard case .refused(let diagnostics) = change else {
      Issue.record("it is gone already")
      return
    }
    #expect(diagnostics.map(\.code) == [ChangeRules.place.code])
    #expect(String(decoding: source.bytes, as: UTF8.self) == #"[{"op":"remove","path":"/b"}]"#)
  }

  @Test func `what has no place changes nothing, and is told as an operation`() throws {
    for place in ["/a/b/7", "/a/b/7/q", "/a/b/0/q", "/a/b/x"] {
      let (change, source) = try made([("/a/x", "1"), (place, "1")])
      guard case .refused(let diagnostics) = change else {
        Issue.record("\(place) is no place")
        continue
      }
      #expect(diagnostics.count == 1)
      #expect(
        String(decoding: source.bytes, as: UTF8.self)
          == #"[{"op":"add","path":"\#(place)","value":1}]"#)
      #expect(source.bytes.indices.contains(diagnostics[0].range.lowerBound))
    }
    guard case .refused = try made([("/a/x", "one")]).change else {
      Issue.record("a value is JSON")
      return
    }
  }
}
