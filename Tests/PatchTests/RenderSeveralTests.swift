import Foundation
import TestSupport
import Testing

/// Rendering several patches with one command.
struct RenderSeveralTests {
  let place: Workplace

  init() throws {
    place = try Workplace()
    for (name, seed) in [("one", 1), ("two", 2), ("three", 3)] {
      try place.write(
        TestPatch.generic(#"{ "kind": "noise", "seed": \#(seed) }"#), to: "patches/\(name).json")
    }
  }

  @Test
  func `each patch of a folder is rendered to the bytes that it has for itself`() throws {
    try place.write(#"{ "tests": {} }"#, to: "patches/one.test.json")
    let made = try place.run("render", "patches", "--duration", "0.5", "-o", "new/sounds")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.hasSuffix("3 patches rendered\n"), "\(made.errors)")
    for name in ["one", "two", "three"] {
      _ = try place.run("render", "patches/\(name).json", "--duration", "0.5", "-o", "alone.wav")
      #expect(try place.bytes("alone.wav") == place.bytes("new/sounds/\(name).wav"))
    }
    // In the order of the names, however long each took.
    let lines = made.errors.split(separator: "\n").map { $0.prefix { $0 != ":" } }
    #expect(
      lines.prefix(3) == ["new/sounds/one.wav", "new/sounds/three.wav", "new/sounds/two.wav"])
  }

  @Test
  func `a path with the name in it says the folder and the kind of file`() throws {
    let made = try place.run(
      "render", "patches/one.json", "patches/two.json", "--duration", "0.1", "-q",
      "-o", "out/{name}.flac", "--picture", "levels=out/{name}.svg")
    #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
    for name in ["one.flac", "two.flac", "one.svg", "two.svg"] {
      #expect(place.exists("out/\(name)"), "\(name)")
    }
  }

  @Test
  func `a patch that fails does not end the others, and is told with its file`() throws {
    try place.write("{ \"nodes\": 5 }", to: "patches/bad.json")
    try place.write(TestPatch.generic(#"{ "kind": "silence" }"#), to: "patches/silent.json")
    let made = try place.run(
      "render", "patches", "--duration", "0.1", "-o", "out/", "--json")
    #expect(made.status == 4)
    #expect(made.errors.contains("patches/silent.json: the result is all silence"))
    #expect(made.errors.contains("--> ") && made.errors.contains("bad.json"))
    #expect(made.errors.hasSuffix("3 patches rendered, 2 failed\n"), "\(made.errors)")
    let lines = try made.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["status"] as? Int } == [1, 0, 4, 0, 0])
    #expect(lines[1]["frames"] as? Int == 4800)
    #expect(!place.exists("out/bad.wav"))
  }

  @Test
  func `that there is nothing to render to is said once for all`() throws {
    let made = try place.run("render", "patches", "--duration", "0.1")
    #expect(made.status == 2)
    let words = "error: there is no file to render 'patches/one.json' and 2 more to\n"
    #expect(made.errors.hasPrefix(words), "\(made.errors)")
    #expect(
      made.errors.contains("'-o sounds/'")
        && made.errors.hasSuffix("0 patches rendered, 3 failed\n"))
  }

  @Test
  func `a patch that reads what another writes is refused before anything is written`() throws {
    // The sound exists from an earlier render, so that both patches are valid.
    _ = try place.run("render", "patches/one.json", "--duration", "0.1", "-o", "patches/one.wav")
    let before = try place.bytes("patches/one.wav")
    try place.write(
      TestPatch.generic(#"{ "kind": "file", "path": "one.wav" }"#), to: "patches/reader.json")
    for names in [["one", "reader"], ["reader", "two", "one"]] {
      let made = try place.start(
        ["render"] + names.map { "patches/\($0).json" } + ["--duration", "0.2", "-o", "patches/"]
      ).wait()
      #expect(made.status == 2)
      #expect(
        made.errors.contains(
          "'patches/reader.json' reads 'patches/one.wav', which 'patches/one.json' writes"),
        "\(made.errors)")
      #expect(made.errors.contains("render 'patches/one.json' first"))
      #expect(try place.bytes("patches/one.wav") == before && !place.exists("patches/two.wav"))
    }
    // With another output folder there is no conflict.
    let made = try place.run("render", "patches", "--duration", "0.1", "-o", "out/")
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test(arguments: [
    (["-o", "out.wav"], "is one file, and several patches are rendered"),
    (["-o", "-"], "standard output is one file"),
    (["-o", "out/", "--picture", "levels=same.svg"], "would both be rendered to 'same.svg'"),
    (["-o", "out/", "patches/deeper/one.json"], "would both be rendered to 'out/one.wav'"),
    (["-o", "out/", "-"], "standard input is one patch"),
  ])
  func `what cannot be meant is wrong usage before anything is written`(
    arguments: [String], words: String
  ) throws {
    try place.write(TestPatch.generic(#"{ "kind": "noise" }"#), to: "patches/deeper/one.json")
    let made = try place.start(
      ["render", "patches/one.json", "patches/two.json", "--duration", "0.1"] + arguments
    ).wait()
    #expect(made.status == 2 && made.errors.contains(words), "\(made.errors)")
    #expect(!place.exists("out") && !place.exists("same.svg"))
  }

  @Test
  func `a folder without patches says so`() throws {
    try place.write(#"{ "tests": {} }"#, to: "tests/one.test.json")
    let made = try place.run("render", "tests", "--duration", "0.1", "-o", "out/")
    #expect(made.status == 3 && made.errors.contains("there is no patch to render"))
  }
}
