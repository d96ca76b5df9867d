import Diagnostics
import PatchSyntax
import TerminalScreen
import TestSupport
import Testing

@testable import patchrun

/// The screen of `patchrun ctl top` and the effects of keys, without a terminal.
@Suite struct TopScreenTests {
  static func json(_ text: String) -> JSONValue {
    let reading = JSONReader.read(
      SourceText(name: "", bytes: Array(text.utf8)), dialect: .json)
    return reading.tree!.root
  }

  static func level(_ name: String, _ levels: [(Double, Double)]) -> TopMeter {
    var meter = TopMeter(name: name)
    meter.levels = levels.map { TopMeter.Level(average: $0.0, peak: $0.1) }
    return meter
  }

  static let controls = TopControl.all(
    json(
      """
      {"tag":"a","controls":[
        {"pointer":"/nodes/eq/properties/presentPreset","node":"eq","component":"iPodEQ","scope":"global",
         "element":0,"isUsed":true,"name":"presentPreset","title":"Present Preset","kind":"list",
         "unit":"indexed","symbol":"","default":"Flat","value":"Flat","isWritable":true,
         "isInDocument":false,"isProperty":true,"isScheduled":false,
         "choices":[{"value":"Flat","title":"Flat"},{"value":"Rock","title":"Rock"}]},
        {"pointer":"/nodes/mixer/inputs/0/parameters/volume","node":"mixer",
         "component":"MultichannelMixer","scope":"input","element":0,"elementName":"guitar",
         "isUsed":true,"name":"volume","title":"Volume","summary":"The gain of the input.",
         "kind":"gain","unit":"linearGain","symbol":"","minimum":0,"maximum":1,"default":1,
         "value":0.5,"isWritable":true,"isInDocument":true,"isScheduled":false,"choices":[]},
        {"pointer":"/nodes/mixer/inputs/0/parameters/pan","node":"mixer",
         "component":"MultichannelMixer","scope":"input","element":0,"elementName":"guitar",
         "isUsed":true,"name":"pan","title":"Pan","kind":"pan","unit":"pan","symbol":"",
         "minimum":-1,"maximum":1,"default":0,"value":-0.3,"isWritable":true,"isInDocument":true,
         "isScheduled":true,"choices":[]},
        {"pointer":"/nodes/mixer/inputs/0/parameters/enable","node":"mixer",
         "component":"MultichannelMixer","scope":"input","element":0,"elementName":"guitar",
         "isUsed":true,"name":"enable","title":"Enable","kind":"switch","unit":"boolean",
         "symbol":"","default":true,"value":true,"isWritable":true,"isInDocument":false,
         "isScheduled":false,"choices":[]},
        {"pointer":"/nodes/mixer/inputs/7/parameters/volume","node":"mixer",
         "component":"MultichannelMixer","scope":"input","element":7,"isUsed":false,
         "name":"volume","title":"Volume","kind":"gain","unit":"linearGain","symbol":"",
         "minimum":0,"maximum":1,"default":1,"value":1,"isWritable":true,"isInDocument":false,
         "isScheduled":false,"choices":[]}
      ]}
      """))

  static func model(title: String = "A guitar and a beat") -> TopModel {
    var model = TopModel()
    model.take(
      TopStatus(
        json(
          """
          {"title":\(JSONText.string(title).compact),"file":"a.json","state":"playing","position":12.3,
           "duration":30,"tag":"a","grant":{"sink":{"name":"out","channels":2,"latency":0.021},
           "source":null,"sampleRate":48000,"sliceFrames":256,"scheduling":""},"load":0.031,
           "peakLoad":0.052,"underruns":2,"overruns":0,"failedSlices":0,"lostFrames":0,
           "pendingStages":0}
          """)), at: 100)
    var loud = TopMeter(name: "programme")
    loud.loudness = TopMeter.Loudness(
      momentary: -23.1, shortTerm: -22.8, integrated: -23, range: 4.5, truePeaks: [-1.2, -3.4])
    model.take([
      level("mixer in 0", [(-20, -10), (-.infinity, -.infinity)]),
      level("mixer out 0", [(-6, 0.5)]), loud,
    ])
    model.take(controls)
    model.take(TopModel.Event(time: "12:03:59", name: "started", words: "", weight: .good))
    return model
  }

  static func text(_ model: TopModel, _ columns: Int, _ rows: Int) -> String {
    TopScreen.draw(model, columns: columns, rows: rows, .unicode, at: 100).text
  }

  @Test func `a screen of 80 by 24 has everything at its place`() {
    #expect(
      Self.text(Self.model(), 80, 24) == """
        A guitar and a beat                                    playing  0:12.3 of 0:30.0
        sink out (2 ch), 48000 Hz, slice 256 frames (5.3 ms), latency out 21.0 ms
        load ▎········· 3.1 %  peak 5.2 %                                 █  underruns 2
        ─ Levels ───────────────────────────────────────────────────────────────────────
                       -50 -40    -30       -20         -10            0   peak    max
         mixer in 0  L ████████████████████████▌···········┃············  -10.0  -10.0
                     R ·················································   -inf   -inf
         mixer out 0   █████████████████████████████████████████▋······┃    0.5    0.5
         programme   M █████████████████████┃···························    -23.1 LUFS
                       S -22.8  I -23.0  true peak -1.2 -3.4  range 4.5 LU
        ─ Controls ─ 4 controls ────────────────────────────────────────────────────────
         eq  iPodEQ
        ▌ Present Preset ┃··································· Flat
         mixer input 0, guitar  MultichannelMixer
          Volume         ██████████████████████████████▋····· 0.5  -6.0 dB      0 … 1
          Pan            ············███████················· -0.3 ~            -1 … 1
          Enable         ████                                 on


        ─ Events ───────────────────────────────────────────────────────────────────────
         12:03:59 started


        ←→ turn  PgUp PgDn by more  Tab pane  / filter  0-9 type  ? help  q quit

        """)
  }

  @Test(arguments: [
    (0, 0), (1, 1), (5, 2), (12, 3), (16, 4), (20, 5), (30, 8), (40, 10), (60, 15), (80, 24),
    (100, 30), (119, 26), (120, 40), (200, 60), (500, 100),
  ])
  func `every size can be drawn, and shows what it has room for`(columns: Int, rows: Int) {
    for pane in TopModel.Pane.allCases {
      for isHelp in [false, true] {
        var model = Self.model(
          title: "漢字 e\u{301} \u{1B}[2J and more of a title than there is room")
        model.focus = pane
        model.showsHelp = isHelp
        for set in [DrawingSet.unicode, .ascii] {
          let grid = TopScreen.draw(model, columns: columns, rows: rows, set, at: 100)
          #expect(grid.columns == columns && grid.rows == rows)
          #expect(!grid.text.contains("\u{1B}"))
          for row in 0..<rows {
            #expect(terminalWidth(of: grid.text(row: row)) <= columns)
          }
          guard columns >= 60, rows >= 20, !isHelp else { continue }
          #expect(grid.text(row: 0).contains("playing  0:12.3 of 0:30.0"))
          #expect(grid.text.contains("mixer input 0, guitar"))
          #expect(grid.text.contains(rows > 20 ? "started" : "Controls"))
        }
      }
    }
  }

  @Test func `without UTF-8 what is drawn is ASCII`() {
    for help in [false, true] {
      var model = Self.model()
      model.showsHelp = help
      let grid = TopScreen.draw(model, columns: 140, rows: 40, .ascii, at: 100)
      #expect(grid.text.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test func `the chosen line is seen without colours`() {
    let grid = TopScreen.draw(Self.model(), columns: 80, rows: 24, .ascii, at: 100)
    var writer = ScreenWriter(hasColors: false, isUTF8: false)
    var terminal = TerminalEmulator(columns: 80, rows: 24)
    terminal.write(writer.update(to: grid))
    let row = (0..<24).first { terminal.text(row: $0).contains("> Present Preset") }
    #expect(row.map { terminal.looks[$0][4].contains(7) } == true)
    #expect(terminal.looks.joined().joined().allSatisfy { $0 < 30 })
  }

  @Test func `of 64 meters all can be reached`() {
    var model = Self.model()
    model.take((0..<64).map { Self.level("bus \($0) ", [(-20, -10), (-30, -20)]) })
    model.focus = .levels
    // Large enough for all of them, in columns.
    let large = Self.text(model, 300, 80)
    #expect((0..<64).allSatisfy { large.contains("bus \($0) ") })
    let layout = TopLayout(model, columns: 80, rows: 24)
    #expect(layout.levelLines < 128)
    var seen = ""
    for _ in 0..<64 {
      seen += Self.text(model, 80, 24)
      _ = model.press(KeyPress(.pageDown), layout, at: 100)
    }
    #expect((0..<64).allSatisfy { seen.contains("bus \($0) ") })
    #expect(seen.contains(" of 128"))
    _ = model.press(KeyPress(.home), layout, at: 100)
    #expect(model.levelsTop == 0)
  }

  @Test func `a spectrum and the highest peaks are kept and let go`() {
    var model = Self.model()
    var spectrum = TopMeter(name: "spectrum")
    spectrum.spectrum = (0..<1025).map { $0 == 21 ? -6 : -100 }
    spectrum.peakFrequency = 984.4
    model.take([Self.level("a", [(-20, -3)]), spectrum])
    model.take([Self.level("a", [(-20, -30)]), spectrum])
    let text = Self.text(model, 100, 30)
    #expect(text.contains("984.4 Hz") && text.contains("1k") && text.contains("10k"))
    #expect(text.contains("-30.0   -3.0"))
    _ = model.press(
      KeyPress(.character("r")), TopLayout(model, columns: 100, rows: 30), at: 100)
    #expect(!Self.text(model, 100, 30).contains(" -3.0"))
  }

  @Test func `time goes on by itself while it plays, up to the end`() {
    var model = Self.model()
    #expect(model.position(at: 101) == 13.3)
    #expect(model.position(at: 1000) == 17.3)
    model.status.duration = 13
    #expect(model.position(at: 102) == 13)
    model.status.state = "interrupted"
    #expect(model.position(at: 102) == 12.3)
    model.link = .ended("reached")
    #expect(Self.text(model, 80, 24).contains("The patch has ended: reached"))
  }

  @Test func `a matrix's crosspoints and its master have names of their own`() {
    let meters = TopMeter.all(
      Self.json(
        """
        {"meters":[
          {"node":"desk","scope":"global","element":196609,"input":3,"output":1,"levels":[]},
          {"node":"desk","scope":"global","element":4294967295,"levels":[]},
          {"node":"desk","scope":"output","element":0,"levels":[]}]}
        """))
    #expect(meters.map(\.name) == ["desk 3 to 1", "desk master", "desk out 0"])
  }

  @Test func `several events about one thing are one`() {
    var model = TopModel()
    for count in 1...3 {
      model.take(
        TopModel.Event("xrun", Self.json(#"{"underruns":\#(count),"overruns":0}"#)))
    }
    let change =
      #"{"tag":"a","by":"http","changes":[{"pointer":"/a","summary":"x","heard":"ramp"}]}"#
    for _ in 0..<3 { model.take(TopModel.Event("changed", Self.json(change))) }
    #expect(model.events.map(\.words) == ["3 underruns, 0 overruns so far", "by http: x, ramp"])
    model.take(
      TopModel.Event(
        "refused", Self.json(##"{"by":"osc","diagnostics":[],"text":"error: no\n  = help\n"}"##)))
    #expect(model.events.last?.words == "a change by osc: error: no")
    #expect(model.events.last?.lines == ["    = help"])
    #expect(model.events.last?.weight == .bad)
    for number in 0..<500 {
      model.take(TopModel.Event(time: "", name: "warning", words: "\(number)"))
    }
    #expect(model.events.count == TopModel.eventCount && model.events.last?.words == "499")
  }
}
