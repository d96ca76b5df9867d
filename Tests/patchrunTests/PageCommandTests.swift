import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Each command in the README, the manual and the cookbook works in the root of the repository.
@Suite struct PageCommandTests {
  static let package = House.root

  /// The pages with commands: README, manual, cookbook, pictures, measurements and recipes.
  static let pages: [String] = {
    let folders = [".github", "Sources/patchrun-bench", "patches", "schema"]
    let below = folders.flatMap { folder -> [String] in
      let files = FileManager.default.enumerator(atPath: package.appending(path: folder).path)
      return (files?.allObjects ?? []).compactMap { $0 as? String }.map { "\(folder)/\($0)" }
    }
    return ["README.md"] + below.filter { $0.hasSuffix(".md") }.sorted()
  }()

  static let blocks: [CommandBlock] = pages.flatMap { page in
    let text = try? String(contentsOf: package.appending(path: page), encoding: .utf8)
    return CommandBlock.blocks(ofPage: page, text ?? "")
  }

  @Test func `the blocks are found`() {
    #expect(Self.blocks.count > 80)
    #expect(Self.blocks.contains { $0.background != nil })
    #expect(Self.blocks.contains { $0.reasonNotToRun == nil })
  }

  @Test func `a line is taken apart as a shell does`() {
    let line =
      #"A=1 patchrun run 'a b.json' --set "/x=y z" 2> log | jq . > "$(patchrun ctl socket)" # no"#
    #expect(
      CommandBlock.calls(in: line) == [["run", "a b.json", "--set", "/x=y z"], ["ctl", "socket"]])
    let text = "<!-- not run: why -->\n```sh\n# no\na \\\n  b\n```\n\n```console\n$ c\nsaid\n```\n"
    let blocks = CommandBlock.blocks(ofPage: "A.md", text)
    #expect(blocks.map(\.commands) == [["a   b"], ["c"]])
    #expect(blocks.map(\.reasonNotToRun) == ["why", "a transcript"])
  }

  // MARK: Without running them

  @Test(arguments: blocks)
  func `a call of the program is understood by the command that it names`(
    block: CommandBlock
  ) throws {
    for line in block.commands + [block.background].compactMap(\.self) {
      for call in CommandBlock.calls(in: line) {
        guard !["--version", "--generate-completion-script", "help"].contains(call.first) else {
          continue
        }
        do { _ = try Patchrun.command(of: call) } catch {
          // A request for help is not an error.
          #expect(
            Patchrun.exitCode(for: error) == .success,
            "\(block.testDescription): \(line): \(Patchrun.message(for: error))")
        }
      }
    }
  }

  /// Reports that a script, a measurement or a test of a command does not exist; `nil` if it does.
  static func mistake(in words: [String]) throws -> String? {
    let rest = Array(words.drop { $0.wholeMatch(of: /[A-Z_]+=.*/) != nil })
    if rest.first == "bash", rest.count > 1,
      !FileManager.default.fileExists(atPath: package.appending(path: rest[1]).path)
    {
      return "there is no \(rest[1])"
    }
    if let place = rest.firstIndex(of: "patchrun-bench"), place + 1 < rest.count {
      let file = package.appending(path: "Sources/patchrun-bench/main.swift")
      let known = try String(contentsOf: file, encoding: .utf8)
      let name = rest[place + 1]
      if !known.contains("\"\(name)\"") { return "there is no measurement '\(name)'" }
    }
    if rest.prefix(2) == ["swift", "test"], let place = rest.firstIndex(of: "--filter") {
      for name in rest[place + 1].split(separator: "|") where !suites.contains(String(name)) {
        let isPart = suites.contains { $0.contains(name) }
        if !isPart && name != "NAME" { return "no suite is called '\(name)'" }
      }
    }
    return nil
  }

  /// The names of the test targets and suites.
  private static let suites: Set<String> = {
    let folder = package.appending(path: "Tests")
    let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
    return Set(
      files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.flatMap {
        path -> [String] in
        let text = (try? String(contentsOf: folder.appending(path: path), encoding: .utf8)) ?? ""
        let target = path.prefix { $0 != "/" }
        return [String(target)]
          + text.matches(of: /(?:struct|class|actor) (\w+)/).map { String($0.output.1) }
      })
  }()

  @Test(arguments: blocks)
  func `a script, a test or a measurement that is named is there`(block: CommandBlock) throws {
    for line in block.commands {
      for words in CommandBlock.simpleCommands(in: line) {
        let mistake = try Self.mistake(in: words)
        #expect(mistake == nil, "\(block.testDescription): \(mistake ?? "")")
      }
    }
  }

  // MARK: Running them

  /// A copy of the parts of the repository that commands read, with the program in PATH.
  private static func root(environment: [String: String]) throws -> Workplace {
    let place = try Workplace()
    place.environment = environment
    try place.write("", to: "bin/.keep")
    try FileManager.default.createSymbolicLink(
      atPath: place.path("bin/patchrun"), withDestinationPath: CommandLineTool.path)
    place.environment["PATH"] = place.path("bin") + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    place.environment["MANPAGER"] = "cat"
    for (name, value) in ["HOME": "home", "XDG_CONFIG_HOME": "home/.config"] {
      place.environment[name] = place.path(value)
    }
    for folder in ["patches", "schema"] {
      try FileManager.default.copyItem(
        at: package.appending(path: folder), to: place.url.appending(path: folder))
    }
    for folder in ["Sources", ".github", "Tests"] {
      try FileManager.default.createSymbolicLink(
        at: place.url.appending(path: folder),
        withDestinationURL: package.appending(path: folder))
    }
    let library = place.path("patches/native/crusher.so")
    if !FileManager.default.fileExists(atPath: library) {
      _ = try place.shell(
        "cc -O2 -shared -fPIC -I Sources/CPatchrun/include -o \(library) patches/native/crusher.c -lm"
      ).wait()
    }
    return place
  }

  /// Whether a command plays, or needs a sound server otherwise.
  private static func needsServer(_ line: String) -> Bool {
    CommandBlock.calls(in: line).contains { call in
      guard let command = try? Patchrun.command(of: call) else { return false }
      return command is Run || command is Devices || command is Doctor
    }
  }

  private static func plays(_ line: String) -> Bool {
    CommandBlock.calls(in: line).contains { (try? Patchrun.command(of: $0)) is Run }
  }

  /// Runs the commands of a block in order, in the folder that the earlier blocks of the page have
  /// left.
  private static func run(_ block: CommandBlock, in place: Workplace) throws {
    let background = try block.background.map { line in
      let run = try place.shell("exec \(line)")
      #expect(run.waitForErrors("sink out"), "\(block.testDescription): \(run.errorsSoFar)")
      return run
    }
    for line in block.commands {
      let isSimple = CommandBlock.simpleCommands(in: line).count == 1
      let plays = Self.plays(line) && isSimple
      let run = try place.shell(plays ? "exec \(line)" : line)
      // A run is ended by Ctrl-C as soon as it prints the grant.
      if plays, run.waitForErrors("Hz, slice") {
        kill(run.process.processIdentifier, SIGINT)
      }
      let outcome = try run.wait()
      #expect(
        outcome.status == block.status,
        "\(block.testDescription): \(line): \(outcome.status) \(outcome.errors)\(outcome.output.suffix(2000))"
      )
    }
    guard let background else { return }
    if background.process.isRunning { kill(background.process.processIdentifier, SIGINT) }
    #expect(try background.wait().status == 0)
  }

  private static let pagesToRun = Set(
    blocks.filter { $0.reasonNotToRun == nil }.map(\.page)
  ).sorted()

  /// Whether any block of a page needs a sound server.
  private static func isLive(_ page: String) -> Bool {
    blocks.contains { block in
      guard block.page == page, block.reasonNotToRun == nil else { return false }
      return block.background != nil || block.commands.contains(where: needsServer)
    }
  }

  private static func runAll(of page: String, environment: [String: String]) throws {
    let place = try root(environment: environment)
    for block in blocks where block.page == page && block.reasonNotToRun == nil {
      try run(block, in: place)
    }
  }

  @Test(arguments: pagesToRun)
  func `the commands of a page without sound work as they stand there`(page: String) throws {
    guard !Self.isLive(page) else { return }
    try Self.runAll(of: page, environment: CommandLineTool.environment)
  }

  @Test(.enabled(if: PrivatePulse.isInstalled), arguments: pagesToRun)
  func `the commands of a page that plays work as they stand there`(page: String) throws {
    guard Self.isLive(page) else { return }
    // The microphone is the monitor of another sink, which is silent.
    let pulse = try PrivatePulse([.init("out"), .init("microphone")])
    var environment = pulse.environment
    environment["PULSE_SINK"] = "out"
    environment["PULSE_SOURCE"] = "microphone.monitor"
    try Self.runAll(of: page, environment: environment)
  }
}
