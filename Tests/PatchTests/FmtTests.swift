import Foundation
import TestSupport
import Testing

@Suite struct FmtTests {
  @Test func `fmt writes files that are not formatted, and leaves the others alone`() throws {
    let place = try Workplace()
    try place.write("{\"nodes\":1}", to: "all/one.json")
    try place.write("{ // why\n}\n", to: "all/two.jsonc")
    try place.write("{ \"a\" 1 }", to: "wrong.json")
    let check = try place.run("fmt", "--check", "all")
    #expect(check.status == 1)
    #expect(check.output == "all/one.json\n")
    #expect(try place.bytes("all/one.json") == Array("{\"nodes\":1}".utf8))
    let format = try place.run("fmt", "all")
    #expect(format.status == 0)
    #expect(format.output == "formatted all/one.json\n")
    #expect(try place.bytes("all/one.json") == Array("{\n  \"nodes\": 1\n}\n".utf8))
    #expect(try place.run("fmt", "--check", "all").status == 0)
    let wrong = try place.run("fmt", "wrong.json", "all")
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("PR0008"))
    #expect(try place.bytes("wrong.json") == Array("{ \"a\" 1 }".utf8))
    #expect(try place.run("fmt", "missing.json").status == 3)
  }

  @Test func `fmt keeps a file's permissions and follows links`() throws {
    let place = try Workplace()
    try place.write("[1,2]", to: "file.json")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: place.path("file.json"))
    try FileManager.default.createSymbolicLink(
      atPath: place.path("link.json"), withDestinationPath: "file.json")
    #expect(try place.run("fmt", "link.json").status == 0)
    #expect(try place.bytes("file.json") == Array("[1, 2]\n".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: place.path("file.json"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: place.path("link.json"))
        == "file.json")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    #expect(names.filter { !$0.hasPrefix(".") }.sorted() == ["file.json", "link.json"])
  }

  @Test func `fmt writes to standard output where it is asked to`() throws {
    let place = try Workplace()
    try place.write("[1,2]", to: "file.json")
    #expect(try place.run("fmt", "--stdout", "file.json").output == "[1, 2]\n")
    #expect(try place.bytes("file.json") == Array("[1,2]".utf8))
    let piped = try place.shell("\"$PATCHRUN\" fmt - < file.json").wait()
    #expect(piped.output == "[1, 2]\n")
    #expect(piped.status == 0)
    #expect(try place.run("fmt", "--stdout", "--check", "file.json").status == 2)
  }
}
