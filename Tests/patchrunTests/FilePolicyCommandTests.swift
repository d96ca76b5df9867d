import Foundation
import Glibc
import TestSupport
import Testing

@testable import patchrun

/// The options about files, and the commands that change the user's files.
@Suite struct FilePolicyCommandTests {
  /// A patch with a record tap and a Generic Output.
  private static func patch(
    sound: String = #"{ "kind": "tone" }"#, taps: String = "{}", nodes: String = ""
  ) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 48000 },
      "callbacks": { "sound": \(sound) },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputCount": 1,
          "outputs": { "0": { "sampleRate": 48000 } }
        },
        "out": {
          "component": "GenericOutput",
          "properties": { "maximumFramesPerSlice": 4096 }
        }\(nodes)
      },
      "connections": [ { "from": "sound", "to": "mixer:0" }, { "from": "mixer", "to": "out" } ],
      "taps": \(taps)
    }
    """
  }

  private static func recording(_ path: String) -> String {
    patch(taps: #"{ "t": { "kind": "record", "at": "mixer", "path": "\#(path)" } }"#)
  }

  private static let render = ["-o", "mix.wav", "--duration", "0.1"]

  private static func ends(_ place: Workplace, _ arguments: [String]) throws -> Workplace.Outcome {
    try place.start(arguments).wait()
  }

  private static func link(_ place: Workplace, _ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: place.path(name), withDestinationPath: target)
  }

  // MARK: Writing

  @Test func `a recording does not go through a link that came with the patch`() throws {
    let place = try Workplace()
    try place.write("precious", to: "outside/victim.txt")
    try place.write(Self.recording("take.wav"), to: "patch/a.json")
    try Self.link(place, "patch/take.wav", to: "../outside/victim.txt")
    for command in [["validate"], ["render"] + Self.render] {
      let outcome = try Self.ends(place, command + ["patch/a.json"])
      #expect(outcome.status == 1)
      #expect(
        (outcome.output + outcome.errors).contains(
          "error[PR0708]: 'patch/take.wav' is a symbolic link"))
    }
    #expect(String(decoding: try place.bytes("outside/victim.txt"), as: UTF8.self) == "precious")
  }

  @Test func `what is refused says which option allows it, and the option does`() throws {
    let place = try Workplace()
    try place.write(Self.recording("../elsewhere/take.wav"), to: "a/patch.json")
    try FileManager.default.createDirectory(
      atPath: place.path("elsewhere"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: place.path("work"), withIntermediateDirectories: true)
    func run(_ options: String) throws -> Workplace.Outcome {
      try place.shell(
        "cd work && exec \"$PATCHRUN\" render ../a/patch.json -o mix.wav --duration 0.1 \(options)"
      ).wait()
    }
    let refused = try run("")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("PR0708") && refused.errors.contains("--allow-path"))
    #expect(!place.exists("elsewhere/take.wav"))
    #expect(try run("--allow-path ../elsewhere").status == 0)
    #expect(place.exists("elsewhere/take.wav"))
  }

  @Test func `--output-dir is where relative paths of taps lead`() throws {
    let place = try Workplace()
    try place.write(Self.recording("take.wav"), to: "a/patch.json")
    try FileManager.default.createDirectory(
      atPath: place.path("out"), withIntermediateDirectories: true)
    let outcome = try Self.ends(
      place, ["render", "a/patch.json", "--output-dir", "out"] + Self.render)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(place.exists("out/take.wav") && !place.exists("a/take.wav"))
    // Confined or not.
    #expect(
      try Self.ends(
        place, ["render", "a/patch.json", "--confined", "--output-dir", "out"] + Self.render
      ).status == 0)
  }

  @Test(arguments: ["x.wav", "./x.wav", "in/../x.wav", "hard.wav"])
  func `what render writes is no tap's file, however it is spelt`(output: String) throws {
    let place = try Workplace()
    try place.write(Self.recording("x.wav"), to: "a.json")
    try place.write("", to: "in/nothing")
    if output == "hard.wav" {
      try place.write("", to: "x.wav")
      #expect(unsafe Glibc.link(place.path("x.wav"), place.path("hard.wav")) == 0)
    }
    let outcome = try Self.ends(place, ["render", "a.json", "-o", output, "--duration", "0.1"])
    #expect(outcome.status == 2 && outcome.errors.contains("is written by a tap"))
  }

  // MARK: Reading

  @Test func `a file that is no patch is named and not quoted, in each shape of a report`() throws {
    let place = try Workplace()
    try place.write("PASSWORD=hunter2\n", to: "secret.env")
    try place.write(#"{ "token": "hunter2", "nodes": 1, "user": "hunter2" }"#, to: "secret.json")
    for (name, path) in [("env", "secret.env"), ("json", "secret.json"), ("etc", "/etc/passwd")] {
      let node = ", \"part\": { \"subgraph\": \"\(path)\" }"
      try place.write(Self.patch(nodes: node), to: "\(name).json")
      for format in OutputFormat.allValueStrings {
        let outcome = try Self.ends(
          place, ["validate", "\(name).json", "--output-format", format])
        let said = outcome.output + outcome.errors
        #expect(outcome.status == 1)
        #expect(!said.contains("hunter2") && !said.contains("root:"))
        #expect(said.contains("is no patch"), "\(said)")
      }
    }
  }

  @Test func `a sub-graph with mistakes is shown with them`() throws {
    let place = try Workplace()
    try place.write(
      #"{ "nodes": { "out": { "component": "GenericOutput", "propertys": {} } } }"#,
      to: "wrong.json")
    try place.write(#"{ "nodes": { "out": { "component": "GenericOutput" }, }"#, to: "broken.json")
    for (part, words) in [("wrong.json", "propertys"), ("broken.json", "PR00")] {
      try place.write(
        Self.patch(nodes: ", \"part\": { \"subgraph\": \"\(part)\" }"), to: "a.json")
      let outcome = try Self.ends(place, ["validate", "a.json"])
      #expect(outcome.status == 1 && outcome.output.contains(words), "\(outcome.output)")
      #expect(!outcome.output.contains("is no patch"))
    }
  }

  @Test func `--confined keeps a patch in its folder, and --allow-path widens it`() throws {
    let place = try Workplace()
    try FileManager.default.copyItem(
      atPath: CommandLineTool.patches + "/audio/caller.wav", toPath: place.path("caller.wav"))
    try place.write(
      Self.patch(sound: #"{ "kind": "file", "path": "../caller.wav" }"#), to: "a/patch.json")
    #expect(try place.run("validate", "a/patch.json").status == 0)
    try place.write(Self.patch(), to: "a/other.json")
    for command in ["validate", "show", "render -o out.wav", "diff a/other.json"] {
      let words = command.split(separator: " ").map(String.init)
      let outcome = try Self.ends(place, words + ["a/patch.json", "--confined"])
      #expect(outcome.status != 0 || command.hasPrefix("diff"), "\(command)")
      let said = outcome.output + outcome.errors
      #expect(said.contains(command.hasPrefix("diff") ? "cannot be said" : "PR0707"), "\(said)")
    }
    let help = try place.run("validate", "a/patch.json", "--confined").output
    #expect(help.contains("--allow-path"))
    #expect(
      try place.run("validate", "a/patch.json", "--confined", "--allow-path", ".").status == 0)
    #expect(try place.run("validate", "a/patch.json", "--no-confined").status == 0)
    // All files of a named folder may be read, including test files.
    try place.write(
      #"{ "patch": "patch.json", "tests": { "ends": { "duration": 1, "expect": [{ "finite": true }] } } }"#,
      to: "a/patch.test.json")
    #expect(try place.run("validate", ".", "--confined").status == 0)
    #expect(try place.run("validate", "*/*.json", "--confined").status == 0)
    #expect(try place.run("validate", "a", "--confined").status == 1)
  }

  @Test func `a confined patch is not read through a link out of its folder`() throws {
    let place = try Workplace()
    try place.write("hunter2", to: "secret")
    try place.write("{}", to: "a/patch.json")
    try Self.link(place, "a/link.json", to: "../secret")
    let outcome = try place.run("validate", "--confined", "a/link.json")
    #expect(outcome.status == 3 && !(outcome.output + outcome.errors).contains("hunter2"))
    // Without confinement, it may read the user's files.
    #expect(try place.run("validate", "a/link.json").status == 1)
  }

  // MARK: The user's own files

  @Test func `a folder is walked without following links out, and without waiting`() throws {
    let place = try Workplace()
    try place.write(Self.patch(), to: "tree/good.json")
    try place.write("hunter2", to: "outside/secret.json")
    try Self.link(place, "tree/link.json", to: "../outside/secret.json")
    try Self.link(place, "tree/zero.json", to: "/dev/zero")
    try Self.link(place, "tree/inner.json", to: "good.json")
    try Self.link(place, "tree/folder", to: "../outside")
    #expect(unsafe mkfifo(place.path("tree/fifo.json"), 0o600) == 0)
    for arguments in [
      ["validate", "tree"], ["fmt", "--check", "tree"], ["validate", "tree/*.json"],
    ] {
      let outcome = try Self.ends(place, arguments)
      #expect(outcome.status < 3, "\(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains("hunter2"))
      #expect(outcome.errors.contains("'tree/link.json' is a link that leads out of its folder"))
      #expect(outcome.errors.contains("'tree/zero.json'"))
      #expect(outcome.errors.contains("'tree/fifo.json' is a pipe, not a regular file"))
    }
    #expect(try place.run("validate", "tree").output.contains("2 patches"))
  }

  @Test func `--fix and fmt change nothing that a link leads to elsewhere`() throws {
    let place = try Workplace()
    let text = Self.patch().replacing("\"mixer:0\"", with: "\"mixr:0\"")
      .replacing("\n", with: "\n  ")
    try place.write(text, to: "outside/victim.json")
    try place.write(text, to: "tree/own.json")
    try Self.link(place, "tree/link.json", to: "../outside/victim.json")
    _ = try place.run("validate", "--fix", "tree")
    _ = try place.run("fmt", "tree")
    #expect(String(decoding: try place.bytes("outside/victim.json"), as: UTF8.self) == text)
    #expect(String(decoding: try place.bytes("tree/own.json"), as: UTF8.self) != text)
  }

  @Test func `a pipe that is named is refused, and one that is handed over is read`() throws {
    let place = try Workplace()
    #expect(unsafe mkfifo(place.path("a.json"), 0o600) == 0)
    for arguments in [["validate", "a.json"], ["fmt", "a.json"], ["show", "/dev/zero"]] {
      let outcome = try Self.ends(place, arguments)
      #expect(outcome.status == 3 && outcome.errors.contains("not a regular file"))
    }
    try place.write(Self.patch(), to: "b.json")
    #expect(try place.shell("cat b.json | \"$PATCHRUN\" validate -").wait().status == 0)
    #expect(try place.shell("cat b.json | \"$PATCHRUN\" validate /dev/fd/0").wait().status == 0)
  }

  @Test func `a file whose name is not UTF-8 is checked, formatted and rendered`() throws {
    let place = try Workplace()
    try place.write(Self.patch(), to: "b.json")
    let outcome = try place.shell(
      """
      name=$(printf 'caf\\351.json'); mkdir in; cp b.json "in/$name"; cp b.json "$name"
      "$PATCHRUN" validate "$name" && "$PATCHRUN" fmt "$name" && "$PATCHRUN" validate in \\
      && "$PATCHRUN" render "$name" -o mix.wav --duration 0.1
      """
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let missing = try place.shell("\"$PATCHRUN\" validate \"$(printf 'no\\351.json')\"").wait()
    #expect(missing.status == 3 && missing.errors.contains(#"there is no file 'no\xE9.json'"#))
  }
}
