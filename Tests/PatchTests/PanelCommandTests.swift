import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

/// The server of the control panel, with the requests of a browser.
@Suite(
  .enabled(
    if: PrivatePulse.isInstalled && FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct PanelCommandTests {
  /// A running patch in a temporary folder.
  private final class Stage {
    let pulse: PrivatePulse
    let place: Workplace
    let run: Workplace.Running
    let address: String

    /// - Parameter text: The patch, for the file `p.json`.
    init(_ text: String, _ options: String..., start: String = "exec \"$PATCHRUN\" \"$@\"") throws {
      pulse = try PrivatePulse()
      place = try Workplace()
      place.environment = pulse.environment
      try place.write(text, to: "p.json")
      run = try place.shell(start, ["run", "p.json", "--panel"] + options)
      #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
      let line = run.errorsSoFar.split(separator: "\n").first { $0.hasPrefix("panel: ") }
      address = String((line ?? "").dropFirst("panel: ".count).dropLast())
      #expect(address.hasPrefix("http://127.0.0.1:"))
    }

    deinit {
      if run.process.isRunning {
        kill(run.process.processIdentifier, SIGTERM)
        _ = run.process.wait()
      }
    }

    /// The status and the body of an answer.
    func ask(
      _ method: String, _ path: String, _ fields: [String] = [], body: String? = nil
    ) throws -> (status: Int, body: String) {
      var words = ["-s", "--max-time", "20", "-X", method, "-w", "\n%{http_code}"]
      for field in fields { words += ["-H", field] }
      if let body { words += ["-H", "Content-Type: application/json", "--data-binary", body] }
      let outcome = try place.shell(
        "exec /usr/bin/curl \"$@\"", words + [address + path]
      ).wait()
      let end = try #require(outcome.output.lastIndex(of: "\n"))
      return (
        Int(outcome.output[outcome.output.index(after: end)...]) ?? 0,
        String(outcome.output[..<end])
      )
    }

    func json(_ path: String) throws -> JSONValue {
      try Self.read(try ask("GET", path).body)
    }

    static func read(_ text: String) throws -> JSONValue {
      try #require(JSONReader.read(.init(name: "", text: text), dialect: .json).tree?.root)
    }

    func end() throws -> Workplace.Outcome {
      #expect(try ask("POST", "/stop").status == 202)
      return try run.wait()
    }
  }

  private static let volume = "/patch?pointer=/nodes/mixer/inputs/0/parameters/volume"

  @Test func `the page, the drawing and the controls of what plays are served`() throws {
    let text = try String(
      contentsOfFile: CommandLineTool.patches + "/eq-mixer.json", encoding: .utf8
    )
    .replacing("audio/", with: CommandLineTool.patches + "/audio/")
    let stage = try Stage(text)
    #expect(!stage.run.errorsSoFar.contains("note: control"))
    let page = try stage.ask("GET", "/", ["Accept: text/html"])
    #expect(page.status == 200 && page.body.hasPrefix("<!doctype html>"))
    for foreign in ["Host: panel.example", "Origin: http://panel.example"] {
      #expect(try stage.ask("GET", "/", ["Accept: text/html", foreign]).status == 403)
      #expect(try stage.ask("POST", "/save", [foreign]).status == 403)
    }
    let drawing = try stage.ask("GET", "/graph.svg").body
    #expect(drawing.contains("<circle class=\"bus\" data-node=\"mixer\""))
    let controls = try stage.json("/controls")
    let document = try stage.json("/status")["tag"]?.string
    #expect(controls["tag"]?.string == document)
    let list = Array(try #require(controls["controls"]).elements)
    // Each can be set to its default at its pointer.
    for control in list where control["isUsed"]?.bool == true {
      let pointer = try #require(control["pointer"]?.string)
      let value = JSONText(try #require(control["default"])).compact
      let answer = try stage.ask(
        "PUT", "/patch?pointer=\(pointer.replacing(" ", with: "%20"))", body: value)
      #expect(answer.status == 200, "\(pointer): \(answer.body)")
    }
    let after = Array(try #require(try stage.json("/controls")["controls"]).elements)
    for control in after where control["isUsed"]?.bool == true {
      let (value, initial) = (control["value"], control["default"])
      #expect(value.map { JSONText($0) } == initial.map { JSONText($0) })
      #expect(control["isInDocument"]?.bool == true)
    }
    let filter = try #require(list.first { $0["component"]?.string == "iPodEQ" }?["node"]?.string)
    let curve = try stage.json("/response?node=\(filter)")
    #expect(curve["frequencies"].map { Array($0.elements).count } == 200)
    #expect(curve["decibels"]?.elements.allSatisfy { $0.number == 0 } == true)
    #expect(try stage.end().status == 0)
  }

  @Test func `a pause holds everything where it is`() throws {
    let stage = try Stage(TestPatch.noise())
    let watch = try stage.place.watch()
    #expect(try stage.ask("POST", "/pause").status == 200)
    // Until the fade-out is over.
    var positions: [Double] = []
    while positions.count < 3 || Set(positions.suffix(2)).count > 1 {
      positions.append(try stage.json("/status")["position"]?.number ?? 0)
      try #require(positions.count < 200)
    }
    #expect(try stage.json("/status")["state"]?.string == "paused")
    // Changes during the pause take effect at once: another topology, and a value.
    let next = TestPatch.noise().replacing("\"mixer:0\"", with: "\"mixer:1\"")
      .replacing(
        "\"0\": {\n          \"streamFormat\"", with: "\"1\": {\n          \"streamFormat\"")
    let change = try stage.ask("PUT", "/patch", body: next)
    #expect(change.status == 200, "\(change.body)")
    #expect(try stage.json("/status")["pendingStages"]?.integer ?? 0 > 0)
    #expect(try stage.place.run("ctl", "start").status == 0)
    let position = positions.last ?? 0
    var isOver = false
    for _ in 0..<200 where !isOver {
      let status = try stage.json("/status")
      isOver =
        status["position"]?.number ?? 0 > position + 0.3 && status["pendingStages"]?.integer == 0
    }
    #expect(isOver)
    #expect(try stage.place.run("ctl", "pause").status == 0)
    // A paused run can be ended.
    #expect(try stage.end().status == 0)
    let seen = try watch.wait().output
    #expect(seen.contains(" state paused\n") && seen.contains(" state playing\n"), "\(seen)")
  }

  @Test func `a document is checked, and nothing changes`() throws {
    let stage = try Stage(TestPatch.noise())
    let tag = try stage.json("/status")["tag"]?.string
    let wrong = try stage.ask(
      "POST", "/validate", body: TestPatch.noise().replacing("\"volume\"", with: "\"volum\""))
    #expect(wrong.status == 200)
    let diagnostic = try Stage.read(wrong.body)["diagnostics"]?.elements.first { _ in true }
    #expect(diagnostic?["location"]?["start"]?["line"]?.integer == 11)
    #expect(try Stage.read(wrong.body)["text"]?.string?.contains("p.json:11:") == true)
    let broken = try stage.ask("POST", "/validate", body: "{ \"nodes\": ")
    #expect(try Stage.read(broken.body)["diagnostics"]?.elements.first { _ in true } != nil)
    // Warnings are reported too.
    let loud = try stage.ask(
      "POST", "/validate",
      body: TestPatch.noise().replacing("\"volume\": 0.5", with: "\"volume\": 2")
    )
    #expect(try Stage.read(loud.body)["text"]?.string?.hasPrefix("warning") == true)
    let right = try stage.ask("POST", "/validate", body: TestPatch.noise())
    #expect(right.status == 200 && !right.body.contains("\"error\""))
    #expect(try stage.json("/status")["tag"]?.string == tag)
    #expect(try stage.end().status == 0)
  }

  @Test func `what is set is saved, and is nobody else's change`() throws {
    let stage = try Stage(TestPatch.noise(), "--watch")
    #expect(try stage.json("/status")["saved"]?.bool == true)
    #expect(try stage.ask("PUT", Self.volume, body: "0.25").status == 200)
    let status = try stage.json("/status")
    #expect(status["saved"]?.bool == false && status["canSave"]?.bool == true)
    #expect(try stage.ask("POST", "/save", ["If-Match: \"another\""]).status == 412)
    let tag = try #require(status["tag"]?.string)
    let saved = try stage.ask("POST", "/save", ["If-Match: \"\(tag)\""])
    #expect(saved.status == 200)
    #expect(try Stage.read(saved.body)["file"]?.string == "p.json")
    #expect(try stage.json("/status")["saved"]?.bool == true)
    let expected = TestPatch.noise().replacing("\"volume\": 0.5", with: "\"volume\": 0.25")
    #expect(try stage.place.bytes("p.json") == Array(expected.utf8))
    // A change after the save is not undone by the notification about the file.
    #expect(try stage.ask("PUT", Self.volume, body: "0.125").status == 200)
    // A change of the file by another program is still applied.
    usleep(300_000)
    #expect(try stage.ask("GET", Self.volume).body == "0.125\n")
    #expect(!stage.run.errorsSoFar.contains("goes from"))
    try stage.place.write(
      expected.replacing("0.25", with: "0.75"), to: "p.json")
    #expect(stage.run.waitForErrors("goes from 0.125 to 0.75"))
    #expect(try stage.json("/status")["saved"]?.bool == true)
    #expect(try stage.place.run("ctl", "set", String(Self.volume.dropFirst(15)), "1").status == 0)
    #expect(try stage.place.run("ctl", "save").output == "saved p.json\n")
    #expect(try stage.end().status == 0)
  }

  @Test func `a file that is somebody else's by now is left alone`() throws {
    let stage = try Stage(TestPatch.noise())
    #expect(try stage.ask("PUT", Self.volume, body: "0.25").status == 200)
    let other = TestPatch.noise().replacing("0.5", with: "0.75")
    try stage.place.write(other, to: "p.json")
    let refused = try stage.ask("POST", "/save")
    #expect(refused.status == 409)
    #expect(
      try Stage.read(refused.body)["detail"]?.string
        == "somebody else has changed 'p.json' since it was read")
    #expect(try stage.place.bytes("p.json") == Array(other.utf8))
    try FileManager.default.removeItem(atPath: stage.place.path("p.json"))
    let gone = try stage.place.run("ctl", "save")
    #expect(gone.status == 1 && gone.errors.contains("there is no file 'p.json'"))
    #expect(try stage.json("/status")["canSave"]?.bool == false)
    #expect(!stage.place.exists("p.json"))
    #expect(try stage.end().status == 0)
  }

  @Test(.enabled(if: geteuid() != 0, "the system's own user may write everything"))
  func `a file that may not be written is left alone`() throws {
    let stage = try Stage(TestPatch.noise())
    let path = stage.place.path("p.json")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    #expect(try stage.json("/status")["canSave"]?.bool == false)
    #expect(try stage.ask("PUT", Self.volume, body: "0.25").status == 200)
    #expect(try stage.ask("POST", "/save").status == 409)
    #expect(try stage.end().status == 0)
  }

  @Test func `a patch from standard input has no file to be saved to`() throws {
    let stage = try Stage(
      TestPatch.noise(), start: "exec \"$PATCHRUN\" run - --panel < p.json")
    #expect(try stage.json("/status")["canSave"]?.bool == false)
    let refused = try stage.ask("POST", "/save")
    #expect(refused.status == 409 && refused.body.contains("standard input"))
    #expect(try stage.end().status == 0)
  }

  @Test func `a patch is saved with the whole of its timeline`() throws {
    let timeline = """
      "timeline": [ { "at": 0.01, "ramp": {
          "path": "/nodes/mixer/outputs/0/parameters/volume", "to": 0.5 } } ],
        "taps"
      """
    let text = TestPatch.noise().replacing("\"taps\"", with: timeline)
    let stage = try Stage(text)
    let watch = try stage.place.watch()
    // The step is removed from the playing document after it has happened.
    var isOver = false
    for _ in 0..<400 where !isOver {
      isOver = !(try stage.ask("GET", "/patch").body.contains("0.01"))
    }
    #expect(isOver)
    #expect(try stage.json("/status")["saved"]?.bool == true)
    #expect(try stage.ask("PUT", Self.volume, body: "0.25").status == 200)
    #expect(try stage.ask("POST", "/save").status == 200)
    #expect(
      try stage.place.bytes("p.json")
        == Array(text.replacing("\"volume\": 0.5", with: "\"volume\": 0.25").utf8))
    #expect(try stage.end().status == 0)
    let seen = try watch.wait().output
    #expect(seen.contains(" saved p.json, document "), "\(seen)")
  }

  @Test func `what the timeline has changed is told of`() throws {
    let timeline = """
      "timeline": [ { "at": 1.5, "ramp": { "duration": 0.1,
          "path": "/nodes/mixer/outputs/0/parameters/volume", "to": 0.5 } } ],
        "taps"
      """
    let stage = try Stage(TestPatch.noise().replacing("\"taps\"", with: timeline))
    let watch = try stage.place.watch()
    func volume() throws -> JSONValue? {
      try stage.json("/controls")["controls"]?.elements.first {
        $0["name"]?.string == "volume" && $0["scope"]?.string == "output"
      }
    }
    var isScheduled: Bool? = true
    for _ in 0..<400 where isScheduled == true { isScheduled = try volume()?["isScheduled"]?.bool }
    #expect(isScheduled == false)
    #expect(try volume()?["value"]?.number == 0.5)
    #expect(try volume()?["isInDocument"]?.bool == true)
    var isTold = false
    for _ in 0..<400 where !isTold {
      isTold =
        (try String(contentsOfFile: watch.output, encoding: .utf8)).contains("by timeline")
      usleep(5000)
    }
    #expect(isTold)
    #expect(try stage.end().status == 0)
    let seen = try watch.wait().output
    #expect(
      seen.contains("the timeline has come to it  (/nodes/mixer/outputs/0/parameters/volume)"))
  }

  @Test func `the panel is opened in a browser, where there is one`() throws {
    let start = """
      mkdir bin && printf '#!/bin/sh\\necho "$1" > opened' > bin/xdg-open && chmod +x bin/xdg-open \
      && PATH="$PWD/bin:$PATH" exec "$PATCHRUN" "$@"
      """
    let stage = try Stage(TestPatch.noise(), "--open", start: start)
    var opened = ""
    for _ in 0..<2000 where opened.isEmpty {
      opened = (try? String(contentsOfFile: stage.place.path("opened"), encoding: .utf8)) ?? ""
      usleep(5000)
    }
    #expect(opened == stage.address + "/\n")
    #expect(try stage.end().status == 0)
    let none = try Stage(
      TestPatch.noise(), "--open", start: "mkdir bin && PATH=\"$PWD/bin\" exec \"$PATCHRUN\" \"$@\""
    )
    #expect(none.run.errorsSoFar.contains("there is no 'xdg-open'"))
    #expect(try none.end().status == 0)
  }

  @Test(arguments: [
    ["--panel", "--no-control"], ["--open"], ["--panel", "--control-port", "70000"],
  ])
  func `options that go against one another are wrong usage`(options: [String]) throws {
    let place = try Workplace()
    #expect(try place.start(["run", "x.json"] + options).wait().status == 2)
  }
}
