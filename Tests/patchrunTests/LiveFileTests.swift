import Diagnostics
import PatchSyntax
import TestSupport
import Testing

@testable import patchrun

/// The file that is saved from a playing patch.
@Suite struct LiveFileTests {
  private static let text = """
    {
      // Loud, and then not.
      "nodes": { "a": { "parameters": { "volume": 1, } }, "b": {} },
      "timeline": [
        { "at": 1, "ramp": { "path": "/nodes/a/parameters/volume", "to": 0.5 } },
        { "at": 9, "ramp": { "path": "/nodes/b/parameters/volume", "to": 0.5 } },
      ],
    }

    """

  /// The same after the first step.
  private static let played = text.replacing("\"volume\": 1", with: "\"volume\": 0.5")
    .replacing(
      "    { \"at\": 1, \"ramp\": { \"path\": \"/nodes/a/parameters/volume\", \"to\": 0.5 } },\n",
      with: "")

  private let place: Workplace
  private let path: String
  private let file: LiveFile

  init() throws {
    place = try Workplace()
    try place.write(Self.text, to: "a.jsonc")
    path = place.path("a.jsonc")
    let contents = try PatchFile(path)
    file = LiveFile(path, contents, PatchReader.read(contents.source))
  }

  private func source(_ text: String) -> SourceText { SourceText(name: path, text: text) }

  private func follow(from old: String, to new: String) {
    file.follow(
      from: PatchReader.read(source(old)), to: source(new), read: PatchReader.read(source(new)))
  }

  /// Changes from a document to another, and saves it.
  private func saved(
    _ old: String, _ new: String, isValid: Bool = true
  ) throws -> String {
    follow(from: old, to: new)
    #expect(!file.isSaved)
    #expect(try file.save(playing: source(new)) { _ in isValid } == path)
    #expect(file.isSaved)
    #expect(file.isOwn(try place.bytes("a.jsonc")))
    return String(decoding: try place.bytes("a.jsonc"), as: UTF8.self)
  }

  @Test func `before a step of the timeline what plays is saved to the blank`() throws {
    let next = Self.text.replacing("1, }", with: "2 ,  }")
    #expect(try saved(Self.text, next) == next)
  }

  @Test func `after a step a change is made on the document with the whole timeline`() throws {
    let next = Self.played.replacing("\"b\": {}", with: "\"b\": { \"x\": 1 }")
    #expect(
      try saved(Self.played, next)
        == Self.text.replacing("\"b\": {}", with: "\"b\": { \"x\": 1 }"))
  }

  @Test func `a change of the timeline is one of what is left of it`() throws {
    let next = Self.played.replacing("\"at\": 9", with: "\"at\": 8")
    #expect(try saved(Self.played, next) == next)
  }

  @Test func `where the whole is no patch any more what plays is saved`() throws {
    // The step in the past refers to a removed node.
    let next = Self.played.replacing("\"a\": { \"parameters\": { \"volume\": 0.5, } }, ", with: "")
    #expect(try saved(Self.played, next, isValid: false) == next)
  }

  @Test func `what comes back is saved already`() throws {
    let next = Self.text.replacing("1, }", with: "2, }")
    follow(from: Self.text, to: next)
    follow(from: next, to: Self.text)
    #expect(file.isSaved)
    #expect(!file.isOwn(try place.bytes("a.jsonc")))
  }

  @Test func `somebody else's file is left alone, and taken up when it is read`() throws {
    let other = Self.text.replacing("Loud", with: "Soft")
    try place.write(other, to: "a.jsonc")
    let next = Self.text.replacing("1, }", with: "2, }")
    follow(from: Self.text, to: next)
    #expect(throws: CommandFailure.self) { try file.save(playing: source(next)) { _ in true } }
    #expect(try place.bytes("a.jsonc") == Array(other.utf8))
    let contents = try PatchFile(path)
    file.follow(contents, PatchReader.read(contents.source))
    #expect(file.isSaved && file.canSave)
    #expect(try saved(other, next) == next)
  }
}
