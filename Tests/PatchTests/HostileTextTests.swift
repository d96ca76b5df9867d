import Foundation
import TerminalScreen
import TestSupport
import Testing

/// Texts of a patch, a file name or a running patch are displayed without control characters that a
/// terminal would interpret.
@Suite struct HostileTextTests {
  /// Every control character except NUL, bidirectional and invisible characters, and sequences that
  /// terminals execute.
  private static let hostile: String = {
    var text = "x"
    for value in Array(1...0x1F) + Array(0x7F...0x9F) as [UInt32] {
      text.unicodeScalars.append(Unicode.Scalar(value) ?? "?")
    }
    for value: UInt32 in [
      0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
      0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF, 0xE000, 0xE0041,
    ] { text.unicodeScalars.append(Unicode.Scalar(value) ?? "?") }
    return text + "\u{1B}[2J\u{1B}]0;owned\u{7}\u{9B}31m\rerror forged\n"
  }()

  /// As a JSON string in which only necessary characters are escaped.
  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func patch(
    title: String = hostile, volume: String = "0.5", comment: String = "", more: String = ""
  ) -> String {
    let (name, tone) = (json("n" + hostile), json("c" + hostile))
    return """
      {
        "title": \(json(title)), \(more)
        "streamFormats": { \(json("f" + hostile)): { "sample": "float32", "channels": 2, "sampleRate": 48000 } },
        "streamFormat": \(json("f" + hostile)),
        "callbacks": { \(tone): { "kind": "tone", "comment": \(json(hostile)) } },
        "nodes": {
          \(name): {
            "component": "MultichannelMixer", "comment": \(json(comment)),
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { "0": { "parameters": { "volume": \(volume) } } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": \(tone), "to": \(name) }, { "from": \(name), "to": "io" } ],
        "taps": { \(json("t" + hostile)): { "kind": "meter", "at": \(name) } }
      }
      """
  }

  /// The same with mistakes in many places.
  private static let wrong = """
    {
      "title": \(json(hostile)), \(json("k" + hostile)): 1,
      "session": { "category": \(json(hostile)), "onInterruption": \(json(hostile)) },
      "limits": { "outputPeak": \(json(hostile)) },
      "streamFormat": \(json("f" + hostile)),
      "callbacks": { \(json("c" + hostile)): { "kind": \(json(hostile)), \(json(hostile)): 1 },
        "file": { "kind": "file", "path": \(json(hostile)) },
        "formula": { "kind": "expression", "expression": \(json(hostile)) } },
      "nodes": {
        \(json("n" + hostile)): { "component": \(json(hostile)), "parameters": { \(json(hostile)): 1 } },
        \(json("s" + hostile)): { "subgraph": \(json(hostile)) },
        "eq": { "component": "iPodEQ", "properties": { "presentPreset": \(json(hostile)) } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": \(json(hostile)), "to": \(json("io:" + hostile)) },
        { "from": "eq", "to": "io" } ],
      "taps": { \(json(hostile)): { "kind": \(json(hostile)), "at": \(json(hostile)) } },
      "timeline": [ { "at": 1, "ramp": { "path": \(json("/nodes/n" + hostile)), "to": \(json(hostile)) } } ]
    }
    """

  /// The forbidden parts of a text that is sent to a terminal; empty for none.
  private func harm(_ text: String, isTerminal: Bool = false) -> [String] {
    var found: [String] = []
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\t" {
        if scalar == "\n", before == "\r", !isTerminal { found.append("CR") }
      } else if scalar == "\r" {
        // The terminal driver inserts one before each line feed.
        if !isTerminal { found.append("CR") }
      } else if terminalWidth(of: scalar) == nil {
        found.append(scalar.escaped(asASCII: true))
      }
      before = scalar
    }
    // No forged text begins a line.
    if text.split(whereSeparator: \.isNewline).contains(where: { $0.hasPrefix("error forged") }) {
      found.append("a line")
    }
    return found
  }

  private func stage() throws -> (place: Workplace, file: String) {
    let place = try Workplace()
    let file = "p\u{1B}[31m\u{9B}2J\u{202E}\u{7}\n.json"
    try place.write(Self.patch(), to: file)
    try place.write(Self.patch(), to: "right.json")
    try place.write(
      Self.patch(
        title: "other" + Self.hostile, volume: "0.25", comment: Self.hostile,
        more: "\"limits\": { \"outputPeak\": \"-6 dB\" },"), to: "other.json")
    try place.write(
      Self.patch().replacingOccurrences(of: "\"c" + "x", with: "\"d" + "x"), to: "renamed.json")
    try place.write(Self.wrong, to: "wrong.json")
    try place.write("{ \"a\": \u{9B}31m", to: "broken.json")
    return (place, file)
  }

  @Test func `what is printed of hostile texts is text`() throws {
    let (place, file) = try stage()
    for (arguments, isText) in [
      (["validate", "right.json"], true), (["validate", "wrong.json"], true),
      (["validate", file], true), (["validate", "broken.json", "no" + file], true),
      (["validate", "--output-format", "concise", "wrong.json"], true),
      (["validate", "--output-format", "github", "wrong.json"], true),
      (["validate", "--fix", "wrong.json"], true),
      (["fmt", "--check", "right.json", file], true), (["fmt", "broken.json"], true),
      (["show", "right.json"], true), (["show", "wrong.json"], true),
      (["diff", "right.json", "other.json"], true), (["diff", "right.json", "wrong.json"], true),
      (["diff", "other.json", "right.json"], true), (["diff", "right.json", "renamed.json"], true),
      (["diff", "broken.json", file], true),
      (["render", "right.json", "--duration", "0.1", "-o", "out\(file).wav"], true),
      (["render", "wrong.json", "--duration", "0.1", "-o", "out.wav"], true),
      (["render", "right.json", "--duration", "0.1", "-o", "a.wav", "--set", "/x\(file)=1"], true),
      (["render", "--json", "right.json", "--duration", "0.1", "-o", "b\(file).wav"], false),
      (["bench", "right.json", "--duration", "0.1", "--max-load", "0.0001"], true),
      (["bench", "wrong.json"], true), (["bench", file, "--duration", "0.1"], true),
      (["doctor", "--no-sound", "--sink", file], true),
      (["response", "right.json", "--node", file], true), (["explain", file], true),
      (["units", file], true), (["new", file], true), ([file, "x"], true), (["--" + file], true),
      (["ctl", "status", "--name", file], true), (["ctl", "status", "--socket", file], true),
      (["run", "right.json", "--wait-device=0", "--sink", file], true),
      (["run", "wrong.json"], true),
      (["render", "right.json", "--limit-peak", file, "-o", "c.wav"], true),
    ] as [([String], Bool)] {
      let outcome = try place.start(arguments).wait()
      #expect(harm(outcome.errors).isEmpty, "\(arguments): \(harm(outcome.errors))")
      if isText { #expect(harm(outcome.output).isEmpty, "\(arguments): \(harm(outcome.output))") }
    }
  }

  /// The output of a command on a terminal.
  private func onTerminal(_ place: Workplace, _ arguments: [String]) throws -> String {
    let terminal = try PseudoTerminal(
      "/bin/sh",
      ["-c", "cd '\(place.url.path)' && exec '\(CommandLineTool.path)' \"$@\"", "sh"] + arguments,
      environment: place.environment.merging(["TERM": "xterm"]) { $1 }, columns: 200, rows: 50)
    for _ in 0..<4000 where terminal.process.isRunning {
      terminal.take()
      usleep(5000)
    }
    #expect(!terminal.process.isRunning, "\(arguments)")
    while terminal.take() {}
    return String(decoding: terminal.written, as: UTF8.self)
  }

  @Test func `on a terminal results for programs are shown, too`() throws {
    let (place, file) = try stage()
    for arguments in [
      ["diff", "--format", "json", "right.json", "other.json"],
      ["diff", "--json", "right.json", "other.json"],
      ["show", "--format", "json", "right.json"], ["show", "--format", "dot", "right.json"],
      ["show", "--format", "mermaid", "right.json"], ["show", "--format", "svg", "right.json"],
      ["fmt", "--stdout", "right.json"], ["validate", "--output-format", "json", "wrong.json"],
      ["validate", "--output-format", "sarif", "wrong.json"],
      ["validate", "--output-format", "junit", "wrong.json"],
      // Without the progress line, which moves the cursor.
      ["render", "--json", "--quiet", "right.json", "--duration", "0.1", "-o", "b\(file).wav"],
    ] {
      let text = try onTerminal(place, arguments + ["--color", "never"])
      #expect(!text.isEmpty)
      #expect(harm(text, isTerminal: true).isEmpty, "\(arguments): \(harm(text, isTerminal: true))")
    }
    // A pipe gets them unchanged.
    let raw = try place.run("fmt", "--stdout", "right.json")
    #expect(raw.output.unicodeScalars.contains("\u{9B}"))
    // With colours, these are the only sequences.
    let colored = try onTerminal(place, ["validate", "wrong.json", "--color", "always"])
    #expect(colored.contains("\u{1B}[1;31m"))
    let plain = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    #expect(harm(plain, isTerminal: true).isEmpty)
    #expect(!colored.contains("\u{1B}[2J") && !colored.contains("\u{1B}]"))
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `what a running patch says is text`() throws {
    let (place, file) = try stage()
    let pulse = try PrivatePulse()
    place.environment = pulse.environment
    let run = try place.start(["run", file, "--name", "run", "--watch", "--duration", "60"])
    #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    let watch = try place.watch("--meters", "5")
    let pointer = "/nodes/n\(Self.hostile.replacingOccurrences(of: "~", with: "~0"))/inputs/0"
    // A tap with a hostile name is added, which `ctl watch` reports.
    try place.write(
      #"""
      { "title": \#(Self.json("merged" + Self.hostile)), "taps": {
        \#(Self.json("merged" + Self.hostile)): { "kind": "meter", "at": \#(Self.json("n" + Self.hostile)) }
      } }
      """#, to: "merge.json")
    for arguments in [
      ["ctl", "status"], ["ctl", "get", pointer + "/parametrs" + Self.hostile],
      ["ctl", "set", pointer + "/parameters/volume", "0.75"],
      ["ctl", "set", pointer + "/parameters/volume", Self.hostile],
      ["ctl", "set", pointer + "/parameters/volume", "1e30"],
      ["ctl", "patch", "merge.json"], ["ctl", "patch", "wrong.json"],
      ["ctl", "socket"], ["ctl", "save"], ["ctl", "status"],
    ] {
      let outcome = try place.start(arguments).wait()
      #expect(harm(outcome.output).isEmpty, "\(arguments): \(harm(outcome.output))")
      #expect(harm(outcome.errors).isEmpty, "\(arguments): \(harm(outcome.errors))")
    }
    for arguments in [
      ["ctl", "get"], ["ctl", "status", "--json"], ["ctl", "get", pointer],
    ] {
      let text = try onTerminal(place, arguments)
      #expect(!text.isEmpty && harm(text, isTerminal: true).isEmpty, "\(arguments)")
    }
    try place.write(Self.patch(title: "saved", volume: "0.1"), to: file)
    #expect(run.waitForErrors("goes from"), "\(run.errorsSoFar)")
    #expect(try place.run("ctl", "stop", "--wait").status == 0)
    let (played, watched) = (try run.wait(), try watch.wait())
    #expect(harm(played.errors).isEmpty, "\(harm(played.errors))")
    #expect(harm(watched.output).isEmpty, "\(harm(watched.output))")
    #expect(watched.output.contains("merged"), "\(watched.output.suffix(500))")
    #expect(watched.output.contains("ended stopped"), "\(watched.output.suffix(500))")
  }
}
