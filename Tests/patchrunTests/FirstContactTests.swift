import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Typical first inputs of a new user.
@Suite struct FirstContactTests {
  @Test func `a new patch names the schema that lies beside or above it`() throws {
    let place = try Workplace()
    func schema(_ arguments: [String]) throws -> String? {
      let outcome = try place.start(["new", "mixer-host", "-o"] + arguments).wait()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try place.run("validate", arguments[0]).status == 0)
      let text = String(decoding: try place.bytes(arguments[0]), as: UTF8.self)
      return text.firstMatch(of: /"\$schema": "([^"]*)"/).map { String($0.output.1) }
    }
    #expect(try schema(["a.json"]) == nil)
    #expect(try schema(["b.json", "--schema", "https://a.b/cé.json"]) == "https://a.b/cé.json")
    try place.write("{}", to: "schema/patch.schema.json")
    #expect(try schema(["c.json"]) == "./schema/patch.schema.json")
    try place.write("", to: "deep/down/here")
    #expect(try schema(["deep/down/d.json"]) == "../../schema/patch.schema.json")
    try place.write("{}", to: "deep/patch.schema.json")
    #expect(try schema(["deep/down/e.json"]) == "../patch.schema.json")
  }

  @Test func `a word that is no command and no file is told as such`() throws {
    let place = try Workplace()
    for (word, help) in [
      ("validat", "did you mean 'validate'?"), ("rendr", "did you mean 'render'?"),
      ("version", "the version: patchrun --version"), ("play", "did you mean 'run'?"),
      ("halp", "did you mean 'help'?"), ("check", "did you mean 'validate'?"),
      ("record", "did you mean 'new' or 'run'?"), ("frobnicate", "the commands are: run"),
    ] {
      let outcome = try place.run(word)
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("there is no command '\(word)', and no file of that name"),
        "\(outcome.errors)")
      #expect(outcome.errors.contains(help), "\(outcome.errors)")
    }
    #expect(try place.run("validat", "x.json").errors.contains("did you mean 'validate'?"))
    // If a file has that name, it is a patch.
    try place.write(TestPatch.noise(), to: "frobnicate")
    let outcome = try place.run("frobnicate", "--wait-device=0")
    #expect(outcome.errors.contains("no command") == false)
    // A name without its ending is suggested.
    try place.write(TestPatch.noise(), to: "mine.json")
    let mine = try place.run("mine")
    #expect(mine.status == 2 && mine.errors.contains("did you mean 'mine.json'?"))
  }

  @Test func `a file that is not there is looked for nearby`() throws {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "patches/eq-mixer.json")
    for (path, help) in [
      ("patches/eq-mixer", "did you mean 'patches/eq-mixer.json'?"),
      ("eq-mixer.json", "did you mean 'patches/eq-mixer.json'?"),
      ("patches/eq_mixer.json", "did you mean 'patches/eq-mixer.json'?"),
      ("patch/eq-mixer.json", "there is no folder 'patch'"),
    ] {
      for arguments in [[path], ["validate", path], ["render", path, "-o", "a.wav"]] {
        let outcome = try place.start(arguments).wait()
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("there is no file '\(path)'"), "\(outcome.errors)")
        #expect(outcome.errors.contains(help), "\(outcome.errors)")
      }
    }
    // Three of five letters and a common ending are not enough for a suggestion.
    try place.write(TestPatch.noise(), to: "wrong.json")
    #expect(try place.run("gone.json").errors == "error: there is no file 'gone.json'\n")
    let outcome = try place.run("patches/something-else.json")
    #expect(outcome.errors == "error: there is no file 'patches/something-else.json'\n")
  }

  @Test(arguments: [false, true])
  func `help is broken between words, and only for a terminal`(isColored: Bool) {
    let bold = isColored ? ("\u{1B}[1m", "\u{1B}[0m") : ("", "")
    let text =
      "  = \(bold.0)help\(bold.1): did you mean 'MultichannelMixer' or 'MatrixMixer'?\n"
      + "7 |       \"component\": \"a line of the patch that stays as it is\"\n"
    #expect(WrappedHelp.wrapped(text, to: nil) == text)
    #expect(WrappedHelp.wrapped(text, to: 200) == text)
    let lines = WrappedHelp.wrapped(text, to: 30).split(separator: "\n")
    #expect(
      lines.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
        == [
          "  = help: did you mean", "    'MultichannelMixer' or", "    'MatrixMixer'?",
          "7 |       \"component\": \"a line of the patch that stays as it is\"",
        ])
  }

  @Test func `a duration may have its unit`() throws {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "a.json")
    for (text, frames) in [("100ms", 4410), ("0.1", 4410), ("0.1 s", 4410), ("0:0.1", 4410)] {
      let outcome = try place.run(
        "render", "a.json", "-o", "a.wav", "--duration", text, "--json", "--hardware", "rate=44100")
      #expect(outcome.status == 0, "\(text): \(outcome.errors)")
      let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      #expect((json as? [String: Any])?["frames"] as? Int == frames, "\(text)")
    }
    for text in ["10 Hz", "-1", "0 s", "soon"] {
      #expect(try place.run("render", "a.json", "-o", "a.wav", "--duration", text).status == 2)
    }
  }

  @Test func `a misspelt option of the program is told`() throws {
    let place = try Workplace()
    for option in ["--verison", "--versoin"] {
      let outcome = try place.run(option)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("did you mean '--version'?"), "\(outcome.errors)")
    }
    #expect(try place.run("-v").errors.contains("the version: patchrun -V"))
  }

  @Test func `both options print the version, which the changelog has`() throws {
    let place = try Workplace()
    for option in ["-V", "--version"] {
      let outcome = try place.run(option)
      #expect(outcome.status == 0 && outcome.output == "patchrun \(Program.version)\n")
    }
    let long = try place.run("-V", "--verbose")
    let same = try place.run("--version", "--verbose")
    #expect(long.status == 0 && long.output == same.output)
    let file = House.root.appending(path: ".github/CHANGELOG.md")
    let changes = try String(contentsOf: file, encoding: .utf8)
    #expect(changes.contains("\n## \(Program.version) - "))
  }

  @Test func `a setting that is none is wrong usage`() throws {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "noise.json")
    for setting in ["nonsense", "nodes/x=1"] {
      for command in [["validate"], ["render", "--duration", "1", "-o", "x.wav"]] {
        let outcome = try place.start(command + ["noise.json", "--set", setting]).wait()
        #expect(outcome.status == 2, "\(outcome.errors)")
      }
    }
    // A setting that the patch does not have is an error of the patch.
    #expect(try place.run("validate", "noise.json", "--set", "/nodes/none/x=1").status == 1)
  }

  @Test func `a sound file is told what to do with it, and that does it`() throws {
    let place = try Workplace()
    let guitar = CommandLineTool.patches + "/audio/guitar.wav"
    try FileManager.default.copyItem(atPath: guitar, toPath: place.path("song.wav"))
    for command in [
      ["song.wav"], ["validate", "song.wav"], ["render", "song.wav", "-o", "x.wav"],
    ] {
      let outcome = try place.start(command).wait()
      #expect(outcome.status == 1)
      let said = outcome.errors + outcome.output
      #expect(said.contains("this is a sound file (WAV), and no patch"), "\(said)")
    }
    let said = try place.run("validate", "song.wav").output
    let line = try #require(
      said.split(separator: "\n").first { $0.contains("patchrun new one-callback |") })
    let command = line.split(separator: "to hear it: ", maxSplits: 1)[1]
      .replacing("patchrun new", with: "\"$PATCHRUN\" new")
      .replacing("patchrun -", with: "\"$PATCHRUN\" render -")
    let outcome = try place.shell(command + " --duration 1 -o heard.wav").wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try place.samples("heard.wav").contains { $0 != 0 })
  }

  @Test func `a render that is silent says why`() throws {
    let place = try Workplace()
    try place.write(
      """
      { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
        "nodes": { "m": { "component": "MultichannelMixer" }, "io": { "component": "remoteIO" } },
        "connections": [ { "from": "m", "to": "io" } ] }
      """, to: "silent.json")
    let outcome = try place.run("render", "silent.json", "--duration", "1", "-o", "x.wav")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains("help: nothing feeds the mixer 'm': it puts out silence"),
      "\(outcome.errors)")
    #expect(try place.run("validate", "--deny-warnings", "silent.json").status == 1)
  }
}

/// Folders with patches and other files.
@Suite struct MixedFolderTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    for path in ["web/mix.json", "web/old/mix.json", "web/old/keep.json", "web/build/out.json"] {
      #expect(try place.run("new", "mixer-host").output.isEmpty == false)
      try place.write(try place.run("new", "mixer-host").output, to: path)
    }
    try place.write(#"{ "name": "web", "version": "1.0.0" }"#, to: "web/package.json")
    try place.write("[1, 2]", to: "web/list.json")
  }

  @Test func `JSON of another kind in a folder is left out, and said`() throws {
    let outcome = try place.run("validate", "web")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(
      outcome.output.hasSuffix("4 patches checked: no errors\n"), "\(outcome.output)")
    #expect(outcome.errors.contains("note: 'web/package.json' is JSON and no patch"))
    #expect(outcome.errors.contains("note: 'web/list.json' is JSON and no patch"))
    // A file that was named explicitly is checked.
    #expect(try place.run("validate", "web/package.json").status == 1)
    // A file that may be a patch with a mistake is checked.
    for text in [#"{ "node": {} }"#, "{ \"name\": ", "{}", #"{ "connexions": [] }"#] {
      try place.write(text, to: "web/wrong.json")
      #expect(try place.run("validate", "web").status == 1, "\(text)")
    }
  }

  @Test func `only patches of a folder are formatted`() throws {
    let before = try place.bytes("web/package.json")
    #expect(try place.run("fmt", "web").status == 0)
    #expect(try place.bytes("web/package.json") == before)
  }

  @Test(arguments: [
    ("package.json\nlist.json\n", 4), ("*.json\n!old\n", 0), ("*.json\n!keep.json\n", 1),
    ("# a comment\n\nold/\nlist.json\npackage.json  \n", 2),
    ("/old/mix.json\npackage.json\nlist.json", 3), ("**/mix.json\n[lp]*.json\n", 2),
    ("build\nlist.json\npackage.json\n", 3), ("mix.json/\nlist.json\npackage.json\n", 4),
    ("/mix.json\nlist.json\npackage.json\n", 3),
  ])
  func `a .patchrunignore leaves out what its lines fit`(text: String, count: Int) throws {
    try place.write(text, to: "web/.patchrunignore")
    let outcome = try place.run("validate", "web", "--output-format", "json")
    let data = Data(outcome.output.utf8)
    if count == 0 {
      #expect(outcome.status == 3 && outcome.errors.contains("no file below 'web'"))
      return
    }
    #expect(outcome.status == 0 && !outcome.errors.contains("no patch"), "\(outcome.errors)")
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect((report["patches"] as? [Any])?.count == count, "\(outcome.output.prefix(400))")
    // A named file is checked whatever the lines exclude.
    #expect(try place.run("validate", "web/mix.json").status == 0)
  }

  @Test func `the rules of a folder add to those above it`() throws {
    try place.write("list.json\npackage.json\nmix.json\n", to: "web/.patchrunignore")
    try place.write("!mix.json\nkeep.json\n", to: "web/old/.patchrunignore")
    let outcome = try place.run("validate", "web")
    #expect(outcome.output.contains("2 patches checked"), "\(outcome.output)")
  }
}
