import Foundation
import TestSupport
import Testing

/// `patchrun ctl top` and the status line of `run`, in a terminal.
@Suite(.serialized, .enabled(if: PrivatePulse.isInstalled))
struct TopCommandTests {
  private static let volume = "/nodes/mixer/inputs/0/parameters/volume"
  private static let patch = CommandLineTool.patches + "/mixer-host.json"

  /// A running patch, and a folder for `ctl top`.
  private struct Stage {
    let pulse: PrivatePulse
    let place: Workplace
    var run: Workplace.Running

    init() throws {
      pulse = try PrivatePulse()
      place = try Workplace()
      place.environment = pulse.environment
      place.environment["TERM"] = "xterm-256color"
      place.environment["LC_ALL"] = "C.UTF-8"
      place.environment["PATCHRUN"] = CommandLineTool.path
      run = try place.start(["run", TopCommandTests.patch])
      #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    }

    func terminal(
      _ arguments: [String] = ["ctl", "top"], columns: Int = 100, rows: Int = 30,
      _ changes: [String: String] = [:]
    ) throws -> PseudoTerminal {
      try PseudoTerminal(
        CommandLineTool.path, arguments,
        environment: place.environment.merging(changes) { $1 }, columns: columns, rows: rows)
    }

    /// A value of the playing document.
    func value(_ pointer: String) throws -> String {
      try place.run("ctl", "get", pointer).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func end() throws {
      #expect(try place.run("ctl", "stop").status == 0)
      #expect(try run.wait().status == 0)
    }
  }

  @Test func `keys turn what plays, and quitting leaves the terminal as it was`() throws {
    let stage = try Stage()
    let top = try stage.terminal()
    let before = top.settings
    #expect(top.waitFor("Volume"), "\(top.screen.text)")
    #expect(top.screen.isAlternate && !top.screen.isCursorShown && top.settings != before)
    #expect(top.screen.text.contains("playing") && top.screen.text.contains("mixer in 0"))
    top.send("/input 0 volume\r")
    #expect(top.waitFor("1 control of"), "\(top.screen.text)")
    // From -2.5 dB to -3 dB, with the escape sequence in two pieces.
    top.send("\u{1B}")
    top.send("[D")
    #expect(try top.wait { try stage.value(Self.volume) == "0.7079" })
    top.send("0.5\r")
    #expect(try top.wait { try stage.value(Self.volume) == "0.5" })
    #expect(top.waitFor("goes from 0.7079 to 0.5"), "\(top.screen.text)")
    top.send("uu")
    #expect(try top.wait { try stage.value(Self.volume) == "0.75" })
    // Changes by other clients are shown.
    #expect(try stage.place.run("ctl", "set", Self.volume, "0.25").status == 0)
    #expect(top.waitFor("0.25  -12.0 dB"), "\(top.screen.text)")
    // A refusal is shown.
    top.send("\u{1B}[200~pasted q\u{1B}[201~")
    #expect(top.waitFor("pasted q"), "\(top.screen.text)")
    top.send("\u{1B}")
    #expect(top.wait { !top.screen.text.contains("pasted q") }, "\(top.screen.text)")
    top.send("/input 1 pan\r")
    #expect(top.waitFor("-0.25"), "\(top.screen.text)")
    top.send("7\r")
    #expect(top.waitFor("'pan' is a number from -1 to 1, not 7"), "\(top.screen.text)")
    #expect(top.waitFor("refused"), "\(top.screen.text)")
    top.resize(columns: 60, rows: 10)
    #expect(top.wait { top.screen.text(row: 0).contains("playing") && top.screen.rows == 10 })
    #expect(top.waitFor("Controls"), "\(top.screen.text)")
    top.resize(columns: 8, rows: 1)
    #expect(top.wait { top.screen.text(row: 0).contains(":") }, "\(top.screen.text)")
    top.send("q")
    #expect(top.waitForEnd() == 0)
    #expect(top.settings == before)
    #expect(!top.screen.isAlternate && top.screen.isCursorShown && !top.screen.isPasteBracketed)
    #expect(top.screen.strangers.isEmpty)
    try stage.end()
  }

  @Test func `the end of the run is said, and the next run is found`() throws {
    var stage = try Stage()
    let top = try stage.terminal()
    let before = top.settings
    #expect(top.waitFor("Volume"), "\(top.screen.text)")
    top.send("sn")
    top.send("sy")
    #expect(try stage.run.wait().status == 0)
    #expect(top.waitFor("The patch has ended"), "\(top.screen.text)")
    stage.run = try stage.place.start(["run", Self.patch])
    #expect(stage.run.waitForErrors("sink out"))
    #expect(
      top.wait { !top.screen.text.contains("has ended") && top.screen.text.contains("playing") })
    top.process.signal(SIGTERM)
    #expect(top.waitForEnd() == 128 + SIGTERM)
    #expect(top.settings == before && !top.screen.isAlternate && top.screen.isCursorShown)
    // After a server dies without a message, `ctl top` looks for it again.
    let next = try stage.terminal()
    #expect(next.waitFor("Volume"))
    stage.run.process.signal(SIGKILL)
    #expect(next.waitFor("does not answer any more"), "\(next.screen.text)")
    next.send("\u{03}")
    #expect(next.waitForEnd() == 0)
    #expect(next.settings == before && !next.screen.isAlternate)
  }

  @Test(arguments: [SIGSEGV, SIGILL, SIGABRT, SIGHUP])
  func `a program that dies leaves the terminal as it was`(signal: Int32) throws {
    let stage = try Stage()
    // Without Swift's own crash handler, which is interactive.
    let top = try stage.terminal(["ctl", "top"], ["SWIFT_BACKTRACE": "enable=no"])
    let before = top.settings
    #expect(top.waitFor("Volume"), "\(top.screen.text)")
    top.process.signal(signal)
    #expect(top.waitForEnd() == 128 + signal)
    #expect(top.settings == before)
    #expect(!top.screen.isAlternate && top.screen.isCursorShown && !top.screen.isPasteBracketed)
    try stage.end()
  }

  @Test func `it is suspended and goes on as a shell expects`() throws {
    let stage = try Stage()
    let shell = try PseudoTerminal(
      "/bin/sh",
      ["-c", "set -m; \"$PATCHRUN\" ctl top; echo STOPPED; read answer; fg; echo DONE"],
      environment: stage.place.environment, columns: 80, rows: 24)
    let before = shell.settings
    #expect(shell.waitFor("Volume"), "\(shell.screen.text)")
    shell.send("\u{1A}")
    #expect(shell.waitFor("STOPPED"), "\(shell.screen.text)")
    #expect(shell.settings == before && !shell.screen.isAlternate && shell.screen.isCursorShown)
    shell.send("\n")
    #expect(shell.wait { shell.screen.isAlternate && shell.screen.text.contains("Volume") })
    shell.send("q")
    #expect(shell.waitFor("DONE"), "\(shell.screen.text)")
    #expect(shell.waitForEnd() == 0)
    #expect(shell.settings == before && !shell.screen.isAlternate)
    try stage.end()
  }

  @Test func `where there is no such terminal it prints lines`() throws {
    let stage = try Stage()
    for (arguments, changes) in [
      (["ctl", "top", "--plain", "--interval", "0.1"], [:]),
      (["ctl", "top", "--interval", "0.1"], ["TERM": "dumb"]),
    ] {
      let top = try stage.terminal(arguments, changes)
      #expect(top.waitFor("xruns "), "\(top.screen.text)")
      #expect(!top.written.contains(0x1B))
      top.process.signal(SIGTERM)
      _ = top.waitForEnd()
    }
    let lines = try stage.place.start(["ctl", "top", "--interval", "0.1"])
    let output = lines.output
    for _ in 0..<500 where ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").isEmpty {
      usleep(10_000)
    }
    try stage.end()
    #expect(try lines.wait().status == 0)
    let text = try String(contentsOfFile: output, encoding: .utf8)
    #expect(text.contains("playing  load ") && !text.contains("\u{1B}"))
  }

  @Test func `without colours and without UTF-8 the screen has neither`() throws {
    let stage = try Stage()
    let top = try stage.terminal(["ctl", "top"], ["NO_COLOR": "1", "LC_ALL": "C"])
    #expect(top.waitFor("Volume"), "\(top.screen.text)")
    top.send("q")
    #expect(top.waitForEnd() == 0)
    #expect(top.written.allSatisfy { $0 < 0x80 })
    #expect(top.screen.looks.joined().joined().allSatisfy { $0 < 30 })
    try stage.end()
  }

  @Test func `a run has a live line, which is gone at its end`() throws {
    let pulse = try PrivatePulse()
    var environment = pulse.environment
    environment["TERM"] = "xterm"
    environment["NO_COLOR"] = nil
    let run = try PseudoTerminal(
      CommandLineTool.path, ["run", Self.patch, "--duration", "1.5"], environment: environment,
      columns: 80, rows: 24)
    #expect(run.wait { run.screen.text.contains("dBFS  load ") }, "\(run.screen.text)")
    #expect(run.screen.text.contains(" of 0:01.5  "))
    #expect(run.waitForEnd() == 0)
    #expect(!run.screen.text.contains("dBFS"), "\(run.screen.text)")
    #expect(run.screen.text.contains("1.500 s, load "), "\(run.screen.text)")
    #expect(run.screen.strangers.isEmpty)
  }
}
