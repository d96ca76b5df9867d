import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Checks that the help of each command is complete and that its examples work.
struct HelpTests {
  /// A line in the examples of a command.
  struct Example: CustomTestStringConvertible {
    var command: String
    var line: String
    var testDescription: String { line }
  }

  static let commands = CommandInfo.root.family

  static func examples(of command: CommandInfo) -> [Example] {
    (command.help.section("EXAMPLES")?.entries ?? []).map {
      Example(
        command: command.path.joined(separator: " "), line: $0.lines.joined(separator: "\n"))
    }
  }

  // MARK: Contents

  @Test(arguments: commands.map(\.path))
  func `a command says what it does, with examples and exit statuses`(path: [String]) throws {
    let command = try #require(Self.commands.first { $0.path == path })
    #expect(command.abstract.hasSuffix("."))
    #expect(!command.help.paragraphs.isEmpty)
    #expect(!Self.examples(of: command).isEmpty)
    let statuses = try #require(command.help.section("EXIT STATUS"))
    #expect(statuses.entries.first?.term == "0")
    #expect(statuses.entries.contains { $0.term == "2" })
    for section in command.help.sections where section.title != "EXAMPLES" {
      for entry in section.entries { #expect(!entry.text.isEmpty, "\(entry.term)") }
    }
    for argument in command.arguments { #expect(!argument.abstract.isEmpty, "\(argument.names)") }
  }

  @Test(arguments: commands.map(\.path))
  func `a help text fits a terminal of 80 columns`(path: [String]) throws {
    let command = try #require(Self.commands.first { $0.path == path })
    for entry in command.help.sections.flatMap(\.entries) {
      for line in entry.lines { #expect(line.count <= 78, "\(line)") }
    }
    let place = try Workplace()
    let outcome = try place.start(["help"] + path.dropFirst()).wait()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("EXAMPLES:\n  ") && outcome.output.contains("EXIT STATUS:\n"))
  }

  @Test
  func `a help text is taken apart`() {
    let help = HelpText(
      "One,\nand on.\n\nTwo.\n\nEXIT STATUS:\n  0  fine\n  2  wrong\n     usage\n\nEXAMPLES:\n  a  b"
    )
    #expect(help.paragraphs == ["One, and on.", "Two."])
    #expect(help.sections.map(\.title) == ["EXIT STATUS", "EXAMPLES"])
    let statuses = help.sections[0].entries
    #expect(statuses.map(\.term) == ["0", "2"] && statuses.map(\.text) == ["fine", "wrong usage"])
    #expect(help.sections[1].entries[0].lines == ["a  b"])
  }

  @Test
  func `every variable of the environment that is read is in the help`() throws {
    let known = Self.commands.flatMap { $0.help.section("ENVIRONMENT")?.entries ?? [] }.map(\.term)
    let calls = try Regex(#"(?:getenv|environment|environmentVariable)\("([A-Z_]+)"\)"#)
    var seen: Set<String> = []
    for file in House.sources where file.room != "patchrun-bench" {
      for line in file.lines {
        for match in line.matches(of: calls) {
          let name = String(try #require(match.output[1].substring))
          seen.insert(name)
          #expect(known.contains(name), "\(file.path) reads \(name)")
        }
      }
    }
    #expect(seen.isSuperset(of: ["NO_COLOR", "PULSE_SERVER", "XDG_RUNTIME_DIR"]))
  }

  // MARK: Names

  @Test func `the names of the commands are those that there are`() {
    #expect(Program.commandNames == Patchrun.commandNames)
  }

  @Test(arguments: [
    (["help", "rendr"], "did you mean 'render'?"),
    (["help", "ctl", "wacth"], "did you mean 'watch'?"),
    (["ctl", "wacth"], "did you mean 'watch'?"), (["ctl", "help", "gte"], "did you mean 'get'?"),
    (["help", "zzzzzz"], "they are: run, render"),
    (["help", "run", "it"], "'run' has no commands of its own"),
  ])
  func `a command that is not there is said, with what was meant`(
    arguments: [String], words: String
  ) throws {
    let place = try Workplace()
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.contains(words))
  }

  @Test(arguments: [["help", "ctl", "set"], ["ctl", "help", "set"], ["ctl", "set", "--help"]])
  func `the help of a command is found each way`(arguments: [String]) throws {
    let place = try Workplace()
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == 0 && outcome.output.hasPrefix("OVERVIEW: Changes a value"))
  }

  // MARK: Examples

  /// The arguments of each call of the program in a line, split by a shell.
  static func calls(in line: String) throws -> [[String]] {
    let place = try Workplace()
    for name in ["mix.json", "old.json", "new.json"] { try place.write("{}", to: name) }
    let recorder = """
      patchrun() { for word; do printf '%s\\0' "$word"; done > "$(mktemp call.XXXXXX)"; }
      MANPAGER=cat
      """
    try place.write(recorder + "\n" + line + "\n", to: "line.sh")
    _ = try place.shell("sh line.sh").wait()
    let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    return try names.filter { $0.hasPrefix("call.") }.map { name in
      try place.bytes(name).split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test(arguments: commands.flatMap(examples(of:)))
  func `an example is understood by the command that it is for`(example: Example) throws {
    let calls = try Self.calls(in: example.line)
    #expect(!calls.isEmpty)
    var names: Set<String> = []
    for call in calls {
      let command = try Patchrun.parseAsRoot(call)
      // The command must be the same when it is looked up alone.
      let same = try Patchrun.command(of: call)
      #expect(type(of: same) == type(of: command))
      // Dictionaries in it have no order, so characters are compared sorted.
      #expect("\(same)".sorted() == "\(command)".sorted())
      names.insert(type(of: command).configuration.commandName ?? "")
    }
    // The example of a command with subcommands, or of the program, shows one of those. It may also
    // contain a command that makes a patch first.
    let info = try #require(
      Self.commands.first { $0.path.joined(separator: " ") == example.command })
    #expect(
      names.contains(info.name) || names == ["new"] || !info.subcommands.isEmpty, "\(names)")
  }

  /// What an example needs to run.
  enum Need { case nothing, server, running, editor }

  static func need(_ line: String) throws -> Need {
    var need = Need.nothing
    for call in try calls(in: line) {
      let command = try Patchrun.parseAsRoot(call)
      if command is Lsp { return .editor }
      if call.first == "ctl" { return .running }
      if command is Run || command is Devices { need = .server }
    }
    return need
  }

  /// A folder with the program in PATH, and the patches that the examples of a command read but do
  /// not write.
  static func stage(_ command: CommandInfo, environment: [String: String]) throws -> Workplace {
    let place = try Workplace()
    place.environment = environment
    try FileManager.default.createDirectory(
      at: place.url.appending(path: "bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.path("bin/patchrun"), withDestinationPath: CommandLineTool.path)
    place.environment["PATH"] = place.path("bin") + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    place.environment["MANPAGER"] = "cat"
    let words = examples(of: command).flatMap { $0.line.split(separator: " ").map(String.init) }
    let written = zip(words, words.dropFirst()).filter { $0.0 == "-o" }.map(\.1)
    for name in ["mix.json", "old.json", "new.json"] where !written.contains(name) {
      let made = try place.run("new", "mixer-host", "-o", name)
      #expect(made.status == 0)
      guard name == "new.json" else { continue }
      let text = String(decoding: try place.bytes(name), as: UTF8.self)
      try place.write(text.replacing("Mixer host", with: "Another"), to: name)
    }
    if words.contains("trigger") {
      try place.write(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "callbacks": { "beats": { "kind": "impulse", "period": 24000 } },
          "nodes": { "io": { "component": "remoteIO" } },
          "connections": [ { "from": "beats", "to": "io" } ]
        }
        """, to: "mix.json")
    }
    if words.contains("recover") {
      let made = try place.run(
        "render", "mix.json", "--duration", "0.5", "-o", "take.unfinished.wav")
      #expect(made.status == 0)
    }
    if words.contains("import") || words.contains("export") {
      let list = "Preamp: -3 dB\nFilter 1: ON PK Fc 100 Hz Gain 3.0 dB Q 1.00\n"
      for name in ["ParametricEQ.txt", "config.txt", "filters.txt"] where !written.contains(name) {
        try place.write(list, to: name)
      }
      if !written.contains("headphone.json") {
        let made = try place.run("import", "ParametricEQ.txt", "-o", "headphone.json")
        #expect(made.status == 0)
      }
    }
    let git = "git init -q . && git add *.json && git -c user.name=a -c user.email=a@b commit -qm a"
    if words.contains("git") { #expect(try place.shell(git).wait().status == 0) }
    return place
  }

  @Test(arguments: commands.map(\.path))
  func `an example that needs no server works as it stands there`(path: [String]) throws {
    let command = try #require(Self.commands.first { $0.path == path })
    let place = try Self.stage(command, environment: CommandLineTool.environment)
    for example in Self.examples(of: command) where try Self.need(example.line) == .nothing {
      let outcome = try place.shell(example.line).wait()
      // `diff` ends with 1 if the patches differ.
      let isFine = outcome.status == 0 || command.name == "diff" && outcome.status == 1
      #expect(isFine, "\(example.line): \(outcome.status) \(outcome.errors)")
      #expect(!"\n\(outcome.errors)".contains("\nerror"), "\(example.line): \(outcome.errors)")
    }
  }

  @Test(.enabled(if: PrivatePulse.isInstalled), arguments: commands.map(\.path))
  func `an example that plays works as it stands there`(path: [String]) throws {
    let command = try #require(Self.commands.first { $0.path == path })
    let examples = try Self.examples(of: command).filter { try Self.need($0.line) == .server }
    guard !examples.isEmpty else { return }
    let pulse = try PrivatePulse()
    let place = try Self.stage(command, environment: pulse.environment)
    if !place.exists("mix.json") {
      #expect(try place.run("new", "mixer-host", "-o", "mix.json").status == 0)
    }
    for example in examples where !example.line.contains("--open") {
      let run = try place.shell("exec \(example.line)")
      // A run is ended by Ctrl-C as soon as it plays.
      if run.waitForErrors("sink out") { kill(run.process.processIdentifier, SIGINT) }
      let outcome = try run.wait()
      #expect(outcome.status == 0, "\(example.line): \(outcome.status) \(outcome.errors)")
    }
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `the examples of 'ctl' work as they stand there`() throws {
    let pulse = try PrivatePulse()
    let commands = Self.commands.filter { $0.path.dropFirst().first == "ctl" }
    for command in commands {
      let examples = Self.examples(of: command).map(\.line)
      // Commands that run until the patch ends are started first, and those that end it come last,
      // each with its own run.
      let lasting = try examples.filter { line in
        try Self.calls(in: line).contains {
          $0.prefix(2) == ["ctl", "watch"] || $0.prefix(2) == ["ctl", "top"]
        }
      }
      let ending = examples.filter { $0.contains("ctl stop") }
      let others = examples.filter { !lasting.contains($0) && !ending.contains($0) }
      for last in ending.isEmpty ? ["patchrun ctl stop"] : ending {
        let place = try Self.stage(command, environment: pulse.environment)
        let run = try place.start(["run", "mix.json"])
        #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
        let watched = try lasting.map { try place.shell($0) }
        for line in others {
          let outcome = try place.shell(line).wait()
          #expect(outcome.status == 0, "\(line): \(outcome.status) \(outcome.errors)")
        }
        let outcome = try place.shell(last).wait()
        #expect(outcome.status == 0, "\(last): \(outcome.errors)")
        #expect(try run.wait().status == 0)
        for one in watched {
          let outcome = try one.wait()
          // A command that had not connected when the patch ended says so.
          #expect(outcome.status == 0 || outcome.status == 3, "\(outcome.errors)")
        }
      }
    }
  }
}
