import Foundation
import TestSupport
import Testing

/// A run that is queried and changed by the program and by the curl commands of the manual.
@Suite(.enabled(if: PrivatePulse.isInstalled))
struct ControlCommandTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A running patch, and a folder for client commands.
  private struct Stage {
    let pulse: PrivatePulse
    let place: Workplace
    let run: Workplace.Running

    init(_ options: String...) throws {
      pulse = try PrivatePulse()
      place = try Workplace()
      place.environment = pulse.environment
      let patch = CommandLineTool.patches + "/mixer-host.json"
      run = try place.start(["run", patch] + options)
      #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    }
  }

  @Test func `what plays is read, changed and stopped`() throws {
    let stage = try Stage()
    let volume = "/nodes/mixer/inputs/0/parameters/volume"
    let watch = try stage.place.watch()
    #expect(try stage.place.run("ctl", "status").output.contains("0 xruns"))
    let change = try stage.place.run("ctl", "set", volume, "0.25")
    #expect(change.status == 0)
    #expect(change.output.contains("(\(volume)): ramp"), "\(change.output)")
    #expect(try stage.place.run("ctl", "get", volume).output == "0.25\n")
    #expect(try stage.place.run("ctl", "set", volume, "0.25").output == "nothing is different\n")
    let pan = "/nodes/mixer/inputs/1/parameters/pan"
    #expect(try stage.place.run("ctl", "set", pan, "-0.5").status == 0)
    #expect(try stage.place.run("ctl", "get", pan).output == "-0.5\n")
    let wrong = try stage.place.run("ctl", "set", pan, "7")
    #expect(wrong.status == 1 && wrong.output.isEmpty)
    #expect(
      wrong.errors.hasPrefix("error[PR0552]: 'pan' is a number from -1 to 1, not 7\n"),
      "\(wrong.errors)")
    #expect(wrong.errors.hasSuffix("the patch would be wrong: it plays on as it was\n"))
    #expect(try stage.place.run("ctl", "get", "/nodes/mixr").status == 1)
    try stage.place.write(#"{ "title": "another" }"#, to: "merge.json")
    #expect(try stage.place.run("ctl", "patch", "merge.json").status == 0)
    #expect(try stage.place.run("ctl", "get", "/title").output == "\"another\"\n")
    let late = try stage.place.run("ctl", "patch", "merge.json", "--if-match", "another")
    #expect(late.status == 1 && late.errors.contains("another document plays by now"))
    #expect(try stage.place.run("ctl", "stop", "--wait").status == 0)
    #expect(try stage.run.wait().status == 0)
    let seen = try watch.wait()
    #expect(seen.status == 0)
    #expect(seen.output.contains("changed by http") && seen.output.hasSuffix("ended stopped\n"))
    let gone = try stage.place.run("ctl", "status")
    #expect(gone.status == 3 && gone.errors.hasPrefix("error: no patch is running\n"))
  }

  @Test func `what was changed is listed, taken back and done again`() throws {
    let stage = try Stage()
    func ctl(_ words: String...) throws -> (output: String, errors: String, status: Int32) {
      let result = try stage.place.start(["ctl"] + words).wait()
      return (result.output, result.errors, result.status)
    }
    #expect(try ctl("history").output == "nothing has been changed since the run began\n")
    let nothing = try ctl("undo")
    #expect(nothing.status == 1 && nothing.errors.contains("there is nothing to take back"))
    let (volume, pan) = (
      "/nodes/mixer/inputs/0/parameters/volume", "/nodes/mixer/inputs/1/parameters/pan"
    )
    let first = try ctl("get").output
    #expect(try ctl("set", volume, "0.25").status == 0)
    #expect(try ctl("set", pan, "-0.5").status == 0)
    #expect(try ctl("set", "/nodes/mixer/inputCount", "4").status == 0)
    let last = try ctl("get").output
    let history = try ctl("history").output
    #expect(
      history.contains("1  ") && history.contains("3  ") && history.contains(pan), "\(history)")
    // An undo is applied like any change, also if it makes a unit anew.
    let undone = try ctl("undo")
    #expect(undone.status == 0 && undone.output.contains("inputCount"), "\(undone)")
    #expect(try ctl("undo").output.contains("(\(pan)): ramp"))
    #expect(try ctl("history").output.split(separator: "undone").count == 3)
    #expect(try ctl("redo").output.contains("(\(pan)): ramp"))
    #expect(try ctl("get", pan).output == "-0.5\n")
    #expect(try ctl("undo", "--to", "0").status == 0)
    #expect(try ctl("get").output == first)
    #expect(try ctl("undo", "--to", "3").status == 0)
    #expect(try ctl("get").output == last)
    #expect(try ctl("redo").errors.contains("there is nothing to do again"))
    #expect(try ctl("undo", "--to", "9").errors.contains("there are the steps 0 to 3"))
    // A change after an undo replaces the undone steps.
    #expect(try ctl("undo", "--to", "1").status == 0)
    #expect(try ctl("set", pan, "0.5").status == 0)
    #expect(try !ctl("history").output.contains("undone"))
    #expect(try ctl("redo").status == 1)
    #expect(try ctl("stop", "--wait").status == 0)
    #expect(try stage.run.wait().status == 0)
  }

  @Test func `of several runs one has to be named`() throws {
    let stage = try Stage()
    let patch = CommandLineTool.patches + "/mixer-host.json"
    let second = try stage.place.start(["run", patch])
    #expect(second.waitForErrors("sink out"))
    let which = try stage.place.run("ctl", "status")
    #expect(which.status == 2)
    #expect(which.errors.contains("several patches are running: mixer-host and mixer-host-2"))
    #expect(try stage.place.run("ctl", "status", "--name", "mixer-host-2").status == 0)
    #expect(try stage.place.run("ctl", "status", "--name", "mixer-hots").errors.contains("did you"))
    let taken = try stage.place.run("run", patch, "--name", "mixer-host")
    #expect(taken.status == 3 && taken.errors.contains("is running under the name 'mixer-host'"))
    for name in ["mixer-host", "mixer-host-2"] {
      #expect(try stage.place.run("ctl", "stop", "--name", name).status == 0)
    }
    #expect(try stage.run.wait().status == 0)
    #expect(try second.wait().status == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
  func `the manual's commands for curl work as they stand there`() throws {
    let text = try String(
      contentsOf: Self.package.appending(path: ".github/manual/http.md"), encoding: .utf8)
    let begin = try #require(text.range(of: "```sh\ncurl --unix-socket")).lowerBound
    let commands = text[begin...].dropFirst(6)
    let end = try #require(commands.range(of: "```\n")).lowerBound
    let stage = try Stage()
    // The time limit ends the stream, which curl reports by its status.
    let script = commands[..<end].replacing("--max-time 5", with: "--max-time 2")
      .replacing("meters=2'\n", with: "meters=2' || test $? = 28\n")
    try stage.place.write(
      "set -e\npatchrun() { \"$PATCHRUN\" \"$@\"; }\n" + script, to: "commands.sh")
    let outcome = try stage.place.shell("sh commands.sh").wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    for part in [
      "\"state\": \"playing\"", "\"streamFormat\": \"stereo\"", "goes from 0.75 to 0.5",
      "goes from 0.5 to 0.8", "event: meters", "\"state\": \"stopping\"",
    ] {
      #expect(outcome.output.contains(part), "\(part) is not in \(outcome.output)")
    }
    #expect(try stage.run.wait().status == 0)
  }

  @Test func `OSC is heard, and asked for in vain without a port`() throws {
    let stage = try Stage("--osc", "0", "--control-port", "0")
    #expect(stage.run.errorsSoFar.contains("OSC on port "))
    #expect(stage.run.errorsSoFar.contains("http://127.0.0.1:"))
    #expect(try stage.place.run("ctl", "stop").status == 0)
    #expect(try stage.run.wait().status == 0)
    for options in [
      ["--osc-address", "0.0.0.0"], ["--no-control", "--name", "a"], ["--osc", "70000"],
    ] {
      #expect(try stage.place.start(["run", "x.json"] + options).wait().status == 2)
    }
  }

  @Test func `without control there is no socket`() throws {
    let stage = try Stage("--no-control")
    #expect(try stage.place.run("ctl", "status").status == 3)
    kill(stage.run.process.processIdentifier, SIGTERM)
    #expect(try stage.run.wait().status == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
  func `a document that comes by a port names no new file outside the patch's folder`() throws {
    let stage = try Stage("--control-port", "0")
    let said = stage.run.errorsSoFar
    let address = try #require(said.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)).output
    let outside = stage.place.path("outside.wav")
    try FileManager.default.copyItem(
      atPath: CommandLineTool.patches + "/audio/beats.wav", toPath: outside)
    func merge(_ path: String) -> String {
      #"{ "callbacks": { "guitar": { "path": "\#(path)" } } }"#
    }
    func send(_ path: String) throws -> String {
      try stage.place.write(merge(path), to: "merge.json")
      return try stage.place.shell(
        "curl -sS -X PATCH -H 'Content-Type: application/merge-patch+json' "
          + "--data @merge.json \(address)/patch"
      ).wait().output
    }
    let refused = try send(outside)
    #expect(refused.contains("PR0707") && refused.contains("--allow-path"), "\(refused)")
    #expect(try send("/dev/zero").contains("PR0707"))
    try stage.place.write(
      #"[{ "op": "add", "path": "/taps", "value": "#
        + #"{ "t": { "kind": "record", "at": "mixer", "path": "\#(stage.place.path("t.wav"))" } } }]"#,
      to: "tap.json")
    let tap = try stage.place.shell(
      "curl -sS -X PATCH -H 'Content-Type: application/json-patch+json' "
        + "--data @tap.json \(address)/patch"
    ).wait().output
    #expect(tap.contains("PR0708"), "\(tap)")
    let inside = try send("audio/beats.wav")
    #expect(inside.contains("\"tag\""), "\(inside)")
    // The owner's socket has the owner's rights, and any client may name files that the patch
    // already plays.
    try stage.place.write(merge(outside), to: "merge.json")
    let own = try stage.place.run("ctl", "patch", "merge.json")
    #expect(own.status == 0, "\(own.errors)")
    let again = try send(outside)
    #expect(again.contains("\"tag\""), "\(again)")
    #expect(try stage.place.run("ctl", "stop").status == 0)
    #expect(try stage.run.wait().status == 0)
  }
}
