import AudioTypes
import Foundation
import RenderHost
import SoundFiles
import TerminalScreen
import TestSupport
import Testing

@testable import patchrun

struct CommandTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  // MARK: validate

  @Test
  func `a right patch is a result on standard output, and exit 0`() throws {
    try place.write(TestPatch.noise(), to: "right.json")
    let outcome = try place.run("validate", "right.json")
    #expect(outcome.status == 0)
    #expect(outcome.output == "no errors in right.json\n")
    #expect(outcome.errors == "")
  }

  @Test
  func `a wrong patch is a result on standard output, and exit 1`() throws {
    try place.write(#"{ "nodes": { "io": { "component": "remotIO" } } }"#, to: "wrong.json")
    let outcome = try place.run("validate", "wrong.json")
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("error[PR"))
    #expect(outcome.output.contains("wrong.json:1:35  /nodes/io/component"))
    #expect(outcome.output.hasSuffix("1 error in wrong.json\n"))
    #expect(outcome.errors == "")
  }

  @Test(arguments: [
    ["validate"], ["--bogus"], ["validate", "--hardware", "rate=x", "a.json"],
    ["render", "a.json", "-o", "a.wav", "--duration", "0"],
    ["render", "a.json", "-o", "a.wav", "--format", "int7"],
    ["render", "a.json", "-o", "a.wav", "--quality", "2"],
    ["render", "a.json", "-o", "a.wav", "--threads", "0"], ["units", "iPodEqq"],
    ["explain", "PR9999"], ["explain", "--bogus"], ["explain", "PR0405", "PR0406"],
    ["explain", "--json", "--markdown"],
    ["units", "--json", "--markdown"], ["validate", "a.json", "--color", "sometimes"],
  ])
  func `wrong usage is said on standard error, and exit 2`(arguments: [String]) throws {
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("error: "))
  }

  @Test(arguments: ["run", "render", "validate", "show"])
  func `a file that is not there is exit 3`(command: String) throws {
    let outcome = try place.run(command, "gone.json")
    #expect(outcome.status == 3)
    #expect(outcome.output == "")
    #expect(outcome.errors == "error: there is no file 'gone.json'\n")
  }

  @Test
  func `a command that is misspelled is recognized`() throws {
    let outcome = try place.run("valdate")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("did you mean 'validate'?"))
  }

  @Test
  func `warnings fail only where they are denied`() throws {
    try place.write(TestPatch.noise(), to: "loud.json")
    let set = "/nodes/mixer/inputs/0/parameters/volume=1.5"
    let outcome = try place.run("validate", "loud.json", "--set", set)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("1 warning in loud.json"))
    #expect(try place.run("validate", "--deny-warnings", "loud.json", "--set", set).status == 1)
    #expect(try place.run("validate", "--deny-warnings", "loud.json").status == 0)
  }

  @Test
  func `of a folder every patch below is checked, by name`() throws {
    try place.write(TestPatch.noise(), to: "all/b.json")
    try place.write(TestPatch.noise() + "// the end\n", to: "all/deep/er/a.jsonc")
    try place.write("{", to: "all/z.json")
    try place.write("no patch", to: "all/README.md")
    try place.write("{", to: "all/.hidden/a.json")
    try FileManager.default.createSymbolicLink(
      atPath: place.path("all/deep/loop"), withDestinationPath: place.path("all"))
    let outcome = try place.run("validate", "all")
    #expect(outcome.status == 1)
    let heads = outcome.output.split(separator: "\n").filter { $0.contains(" in all/") }
    #expect(
      heads == [
        "no errors in all/b.json", "no errors in all/deep/er/a.jsonc", "1 error in all/z.json",
      ])
    #expect(outcome.output.hasSuffix("3 patches checked: 1 error\n"))
  }

  @Test
  func `an unreadable path outweighs findings, and the others are still checked`() throws {
    try place.write("{", to: "wrong.json")
    try place.write("", to: "empty/README.md")
    let outcome = try place.run("validate", "gone.json", "empty", "wrong.json")
    #expect(outcome.status == 3)
    #expect(outcome.output.contains("1 error in wrong.json"))
    #expect(outcome.errors.contains("there is no file 'gone.json'"))
    #expect(outcome.errors.contains("no file below 'empty' ends in .json or .jsonc"))
  }

  @Test
  func `a patch comes from standard input`() throws {
    try place.write(TestPatch.noise(), to: "right.json")
    let right = try place.shell("\"$PATCHRUN\" validate - < right.json").wait()
    #expect(right.status == 0)
    #expect(right.output == "no errors in <stdin>\n")
    let wrong = try place.shell("echo '{' | \"$PATCHRUN\" validate -").wait()
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("<stdin>:"))
  }

  @Test
  func `an override that is wrong is shown in the option`() throws {
    try place.write(TestPatch.noise(), to: "right.json")
    let outcome = try place.run(
      "validate", "right.json", "--set", "/nodes/mixer/inputs/0/parameters/volume=loud")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("--> --set:1:"))
  }

  // MARK: Colours and streams

  @Test
  func `colours are for terminals that want them`() {
    func colors(_ choice: ColorChoice, _ isTerminal: Bool, _ variables: [String: String]) -> Bool {
      choice.colors(isTerminal: isTerminal) { variables[$0] }
    }
    #expect(colors(.auto, true, [:]))
    #expect(colors(.auto, true, ["NO_COLOR": ""]))
    #expect(!colors(.auto, true, ["NO_COLOR": "1"]))
    #expect(!colors(.auto, true, ["TERM": "dumb"]))
    #expect(!colors(.auto, false, [:]))
    #expect(colors(.always, false, ["NO_COLOR": "1"]))
    for name in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
      #expect(
        colors(.auto, false, [name: "1"]) && colors(.auto, true, [name: "1", "TERM": "dumb"]))
      #expect(!colors(.auto, false, [name: "0"]) && !colors(.auto, false, [name: ""]))
      #expect(!colors(.auto, true, [name: "1", "NO_COLOR": "1"]))
      #expect(!colors(.never, true, [name: "1"]))
    }
    #expect(!colors(.never, true, [:]))
  }

  @Test
  func `a file gets colours only where they are asked for`() throws {
    try place.write("{", to: "wrong.json")
    #expect(try !place.run("validate", "wrong.json").output.contains("\u{1B}"))
    #expect(try place.run("validate", "wrong.json", "--color", "always").output.contains("\u{1B}"))
    #expect(
      try place.run("validate", "gone.json", "--color", "always").errors
        == "\u{1B}[1;31merror\u{1B}[0m: there is no file 'gone.json'\n")
  }

  @Test
  func `a reader that has gone, and a stream that is closed, are no crash`() throws {
    let line = "(\"$PATCHRUN\" schema; echo $? > status) | head -c 1"
    #expect(try place.shell(line).wait().output == "{")
    #expect(try place.bytes("status") == Array("0\n".utf8))
    #expect(try place.shell("\"$PATCHRUN\" schema >&- 2>&- <&-").wait().status == 3)
    try place.write(TestPatch.noise(), to: "noise.json")
    // A file that is opened later must not become standard output.
    let closed = try place.shell(
      "\"$PATCHRUN\" render noise.json --duration 1 -o closed.wav >&- 2>&-"
    ).wait()
    #expect(closed.status == 0)
    #expect(try place.samples("closed.wav").count == 96_000)
  }

  @Test
  func `help and version are results`() throws {
    let help = try place.run("--help")
    #expect(help.status == 0 && help.errors == "" && help.output.contains("EXIT STATUS"))
    let version = try place.run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("patchrun "))
    for command in Patchrun.commandNames {
      let outcome = try place.run("help", command)
      #expect(outcome.status == 0 && outcome.output.contains("USAGE: patchrun \(command)"))
    }
  }

  // MARK: render

  @Test
  func `two renders give the same bytes, as long as asked for`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    for name in ["one.wav", "two.wav"] {
      let outcome = try place.run("render", "noise.json", "--duration", "0.5", "-o", name)
      #expect(outcome.status == 0)
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("\(name): 24000 frames, 0.500 s, 2 ch, 48000 Hz, peak "))
    }
    #expect(try place.bytes("one.wav") == place.bytes("two.wav"))
    #expect(try place.samples("one.wav").count == 48_000)
    let piped = try place.shell(
      "\"$PATCHRUN\" render noise.json --duration 0.5 -q -o - > piped.wav"
    ).wait()
    #expect(piped.status == 0 && piped.errors == "")
    #expect(try place.samples("piped.wav") == place.samples("one.wav"))
  }

  @Test
  func `an override is heard`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    try place.run("render", "noise.json", "--duration", "0.1", "-o", "full.wav")
    try place.run(
      "render", "noise.json", "--duration", "0.1", "-o", "half.wav", "--set",
      "/nodes/mixer/inputs/0/parameters/volume=0.25")
    #expect(try place.samples("half.wav") == place.samples("full.wav").map { $0 / 2 })
  }

  @Test
  func `a file keeps the last stream format, or gets the one asked for`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "tone" }"#), to: "tone.json")
    func type(_ arguments: String...) throws -> FileSampleType? {
      let run = try place.start(
        ["render", "tone.json", "--duration", "0.01", "-o", "out.wav"] + arguments)
      #expect(try run.wait().status == 0)
      return try SoundFileReader(path: place.path("out.wav")).sampleType
    }
    #expect(try type() == .float32)
    #expect(try type("--format", "int24") == .int24)
    #expect(try type("--set", "/streamFormat/sample=int16") == .int16)
  }

  @Test
  func `what is clipped in an integer file is counted, placed and told`() throws {
    // 0 for a tenth of a second, then a sine at twice full scale.
    let sound = #"{ "kind": "expression", "value": "time < 0.1 ? 0 : 2 * sin(tau * 100 * time)" }"#
    try place.write(TestPatch.generic(sound), to: "loud.json")
    let loud = ["render", "loud.json", "--duration", "0.5", "-o", "out.wav"]
    let run = try place.start(loud + ["--format", "int16", "--json"]).wait()
    #expect(run.status == 0)
    // Two thirds of a sine of amplitude 2 are beyond 1: 48,000 x 0.4 x 2/3 frames of two channels.
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let count = try #require(report["clippedSamples"] as? Int)
    #expect(abs(count - 25_600) < 400)
    let first = try #require(report["firstClipped"] as? Double)
    // A twelfth of a cycle of 10 ms after the silence.
    #expect(abs(first - 0.10083) < 0.0001)
    #expect(
      run.errors.contains("\(count) samples clipped in 'out.wav', first at 0:00.101"),
      "\(run.errors)")
    #expect(run.errors.contains("--limit-peak"))
    let held = try place.start(loud).wait()
    #expect(held.status == 0 && !held.errors.contains("clipped"))
  }

  @Test
  func `a recording tells what has been clipped in it`() throws {
    let taps =
      #"{ "rec": { "kind": "record", "at": "mixer", "path": "rec.wav", "format": "int16" } }"#
    let loud = TestPatch.noise(taps: taps).replacing("\"volume\": 0.5", with: "\"volume\": 8")
    try place.write(loud, to: "loud.json")
    let run = try place.run("render", "loud.json", "--duration", "0.2")
    #expect(run.status == 0)
    #expect(
      run.errors.contains(/warning: 'rec.wav': \d+ samples clipped, first at 0:00\.000/),
      "\(run.errors)")
  }

  @Test
  func `dither is chosen, is the same each time, and leaves what is exact`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "tone", "amplitude": 1e-5 }"#), to: "soft.json")
    func samples(_ arguments: String...) throws -> [Float] {
      let run = try place.start(
        ["render", "soft.json", "--duration", "0.1", "-o", "out.wav", "--format", "int16"]
          + arguments
      ).wait()
      #expect(run.status == 0, "\(run.errors)")
      return try place.samples("out.wav")
    }
    #expect(try samples("--dither", "none").allSatisfy { $0 == 0 })
    let dithered = try samples()
    #expect(Set(dithered).count > 2)
    #expect(try samples("--dither", "tpdf") == dithered)
    #expect(try samples("--dither", "shaped") != dithered)
    let wrong = try place.run("render", "soft.json", "-o", "out.wav", "--dither", "some")
    #expect(wrong.status == 2 && wrong.errors.contains("none, tpdf, shaped"))
    // Playing the rendered file gives the same bits.
    try place.write(TestPatch.generic(#"{ "kind": "file", "path": "out.wav" }"#), to: "copy.json")
    let copied = try place.run("render", "copy.json", "-o", "copy.wav", "--format", "int16")
    #expect(copied.status == 0)
    #expect(try place.samples("copy.wav") == place.samples("out.wav"))
  }

  @Test
  func `the end of the sources is the end of the render`() throws {
    let first = TestPatch.generic(#"{ "kind": "noise" }"#)
    try place.write(first, to: "noise.json")
    try place.run("render", "noise.json", "--duration", "0.25", "-o", "sound.wav")
    let second = TestPatch.generic(#"{ "kind": "file", "path": "sound.wav" }"#)
    try place.write(second, to: "file.json")
    #expect(try place.run("render", "file.json", "-o", "copy.wav").status == 0)
    #expect(try place.samples("copy.wav") == place.samples("sound.wav"))
  }

  @Test
  func `a patch without an end asks for one, and leaves files as they are`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    try place.write("kept", to: "rec.wav")
    try place.write("kept", to: "out.wav")
    let outcome = try place.run("render", "noise.json", "--overwrite", "-o", "out.wav")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--duration"))
    #expect(try place.bytes("rec.wav") == Array("kept".utf8))
    #expect(try place.bytes("out.wav") == Array("kept".utf8))
  }

  @Test
  func `what is read is not overwritten`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "noise" }"#), to: "noise.json")
    try place.run("render", "noise.json", "--duration", "0.1", "-o", "sound.wav")
    let before = try place.bytes("sound.wav")
    try place.write(
      TestPatch.generic(#"{ "kind": "file", "path": "sound.wav" }"#), to: "file.json")
    try FileManager.default.linkItem(
      atPath: place.path("sound.wav"), toPath: place.path("other.wav"))
    for name in ["sound.wav", "./sound.wav", "other.wav"] {
      let outcome = try place.run("render", "file.json", "-o", name)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("would be overwritten"))
    }
    try place.write(TestPatch.passThrough, to: "through.json")
    let input = try place.run("render", "through.json", "--input", "sound.wav", "-o", "sound.wav")
    #expect(input.status == 2)
    #expect(try place.bytes("sound.wav") == before)
  }

  @Test
  func `silence is a failure unless it is allowed`() throws {
    try place.write(TestPatch.generic(#"{ "kind": "silence" }"#), to: "silence.json")
    let refused = try place.run("render", "silence.json", "--duration", "0.1", "-o", "out.wav")
    #expect(refused.status == 4)
    #expect(refused.errors.contains("the result is all silence"))
    let allowed = try place.run(
      "render", "silence.json", "--duration", "0.1", "-o", "out.wav", "--allow-silence")
    #expect(allowed.status == 0)
  }

  @Test
  func `an output that cannot be written is said before anything is rendered`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    func status(_ arguments: String...) throws -> Int32 {
      try place.start(["render", "noise.json", "--duration", "0.1"] + arguments).wait().status
    }
    #expect(try status("-o", "out.what") == 2)
    #expect(try status() == 2)
    #expect(try status("-o", "nowhere/out.wav") == 3)
    #expect(try status("-o", "out.wav", "--input", "gone.wav") == 3)
  }

  @Test
  func `a microphone that is a file is heard bit for bit, and ends the render`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    try place.run("render", "noise.json", "--duration", "0.3", "-o", "said.wav")
    try place.write(TestPatch.passThrough, to: "through.json")
    let outcome = try place.run("render", "through.json", "--input", "said.wav", "-o", "heard.wav")
    #expect(outcome.status == 0)
    #expect(try place.samples("heard.wav") == place.samples("said.wav"))
    // At another rate it has the same duration.
    try place.write(
      TestPatch.passThrough.replacingOccurrences(of: "48000", with: "44100"), to: "slow.json")
    try place.run("render", "slow.json", "--input", "said.wav", "-o", "slow.wav")
    let slow = try SoundFileReader(path: place.path("slow.wav"))
    #expect(slow.sampleRate == 44_100)
    #expect(slow.frameCount == 13_230)
    let unheard = try place.run(
      "render", "noise.json", "--duration", "1", "--input", "said.wav", "-o", "out.wav")
    #expect(unheard.status == 2)
  }

  @Test
  func `recordings alone are a result`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    let outcome = try place.run("render", "noise.json", "--duration", "0.1")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("recordings: 4800 frames"))
    #expect(try place.samples("rec.wav").count == 9600)
    let both = try place.run("render", "noise.json", "--duration", "0.1", "-o", "rec.wav")
    #expect(both.status == 2)
  }

  @Test
  func `measurements alone are a result, a line for each tap, and JSON on demand`() throws {
    let taps = """
      "level": { "kind": "meter", "at": "mixer" },
      "loud": { "kind": "loudness", "at": "mixer" },
      "bins": { "kind": "spectrum", "at": "mixer", "size": 480 }
      """
    let patch = TestPatch.noise(taps: "{ \(taps) }").replacingOccurrences(
      of: "\"noise\", \"seed\": 7",
      with: "\"tone\", \"frequency\": 1000, \"amplitude\": 0.1415891568")
    try place.write(patch, to: "tone.json")
    let outcome = try place.run("render", "tone.json", "--duration", "4")
    #expect(outcome.status == 0)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("measured: 192000 frames"))
    #expect(
      lines[1...] == [
        "level: peak -23.0 -23.0 dBFS, RMS -26.0 -26.0 dBFS",
        "loud: -23.0 LUFS, range 0.0 LU, true peak -23.0 dBTP, up to -23.0 LUFS momentary and "
          + "-23.0 LUFS short-term",
        "bins: strongest at 1000.0 Hz, -23.0 dBFS (799 spectra, bins of 100.0 Hz)",
      ])
    let json = try place.run("render", "tone.json", "--duration", "4", "--json", "-q")
    #expect(json.status == 0 && json.errors.isEmpty)
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let found = try #require(report["taps"] as? [String: [String: Any]])
    #expect(report["frames"] as? Int == 192_000)
    let integrated = try #require(found["loud"]?["integratedLUFS"] as? Double)
    #expect((integrated + 23).magnitude < 0.02)
    #expect((found["level"]?["channels"] as? [[String: Double]])?[1]["rms"] == -26.01)
    #expect((found["bins"]?["overall"] as? [String: Any])?["peakFrequency"] as? Double == 1000)
    let both = try place.run("render", "tone.json", "--duration", "1", "--json", "-o", "-")
    #expect(both.status == 2)
  }

  @Test
  func `an interrupted render finishes its file and says so`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    let run = try place.start(["render", "noise.json", "--duration", "10000", "-o", "long.wav"])
    // The file contains more than a header.
    let unfinished = "long.unfinished.wav"
    while run.process.isRunning,
      try !place.exists(unfinished) || place.bytes(unfinished).count < 4096
    {
      usleep(5000)
    }
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 130)
    #expect(outcome.errors.contains("interrupted"))
    #expect(try SoundFileReader(path: place.path("long.wav")).frameCount > 0)
    #expect(!place.exists(unfinished))
  }

  // MARK: show, units, schema, devices

  @Test
  func `show prints what CAShow prints, and records nothing`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    let outcome = try place.run("show", "noise.json")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        AudioUnitGraph:
          Member Nodes:
            node 1: 'aumx' 'mcmx' 'appl', instance mixer OI
            node 2: 'auou' 'rioc' 'appl', instance io OI
          Connections:
            node    1 bus    0 => node    2 bus    0  [ 2 ch,  48000 Hz, 'lpcm' (0x00000029) 32-bit little-endian float, deinterleaved]
          Input Callbacks:
            {noise, noise} => node    1 bus    0  [2 ch, 48000 Hz]
          CurrentState:
            mLastUpdateError=0, eventsToProcess=F, isInitialized=T, isRunning=F
          Stream Formats:
            mixer input 0: 2 ch, 48000 Hz, float32  (set here)
            mixer output 0: 2 ch, 48000 Hz, float32  (the rate set here)
            io input 0: 2 ch, 48000 Hz, float32  (from mixer)
            io input 1: 1 ch, 48000 Hz, float32  (the device's)
            io output 0: 2 ch, 48000 Hz, float32, interleaved  (the device's)
          Taps:
            {record, rec} at mixer  [rec.wav]

        """)
    #expect(!place.exists("rec.wav"))
    #expect(
      try place.run("show", "noise.json", "--hardware", "rate=44100").output.contains(
        "44100 Hz, 'lpcm'"))
  }

  @Test
  func `show draws, to standard output or to a file`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    for (format, beginning) in [
      ("json", "{\n  \"version\": 1,"), ("dot", "digraph patch {\n"),
      ("mermaid", "---\ntitle: \"All connections: 2 ch, 48000 Hz, float32\"\n---\nflowchart LR\n"),
      ("svg", "<svg xmlns="), ("patch", "{\n  \""),
    ] {
      let outcome = try place.run("show", "noise.json", "--format", format)
      #expect(outcome.status == 0 && outcome.errors == "")
      #expect(outcome.output.hasPrefix(beginning))
      #expect(outcome.output.contains("rec"))
      let file = try place.run("show", "noise.json", "--format", format, "-o", "drawn")
      #expect(file.status == 0 && file.output == "" && file.errors == "")
      #expect(String(decoding: try place.bytes("drawn"), as: UTF8.self) == outcome.output)
      #expect(
        try place.run("show", "noise.json", "--format", format, "-o", "-").output == outcome.output)
    }
    #expect(!place.exists("rec.wav"))
  }

  @Test
  func `show writes over nothing that it reads, and says where it cannot write`() throws {
    try place.write(TestPatch.noise(), to: "noise.json")
    let same = try place.run("show", "noise.json", "-o", "./noise.json")
    #expect(same.status == 2)
    #expect(
      same.errors == """
        error: './noise.json' would be overwritten: the patch is made of it
          = help: it is the same file as 'noise.json'

        """)
    #expect(String(decoding: try place.bytes("noise.json"), as: UTF8.self) == TestPatch.noise())
    let nowhere = try place.run("show", "noise.json", "-o", "nowhere/drawn.svg")
    #expect(nowhere.status == 3)
    #expect(
      nowhere.errors == "error: 'nowhere/drawn.svg' cannot be written: no such file or directory\n")
    let unknown = try place.run("show", "noise.json", "--format", "pdf")
    #expect(unknown.status == 2 && unknown.errors.contains("pdf"))
    // A patch with errors does not change an existing file.
    try place.write("before", to: "drawn.svg")
    try place.write("{", to: "wrong.json")
    #expect(try place.run("show", "wrong.json", "-o", "drawn.svg").status == 1)
    #expect(try place.bytes("drawn.svg") == [UInt8]("before".utf8))
  }

  @Test
  func `units and schema are printed without a server`() throws {
    let units = try place.run("units")
    #expect(units.status == 0 && units.output.contains("MultichannelMixer"))
    let json = try place.run("units", "iPodEQ", "--json")
    #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
    let schema = try place.run("schema")
    #expect(try JSONSerialization.jsonObject(with: Data(schema.output.utf8)) is [String: Any])
  }

  @Test
  func `without a server there is exit 3, and a way out`() throws {
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
    for arguments in [["noise.json", "--wait-device=0"], ["devices"]] {
      let outcome = try place.start(arguments).wait()
      #expect(outcome.status == 3)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("pulseaudio --start"))
      #expect(outcome.errors.contains("patchrun render"))
    }
    #expect(!place.exists("rec.wav"))
  }

  @Test
  func `a wrong patch needs no server to be wrong, and one without a device is sent to render`()
    throws
  {
    try place.write("{", to: "wrong.json")
    let wrong = try place.run("wrong.json")
    #expect(wrong.status == 1)
    #expect(wrong.output == "" && wrong.errors.contains("error[PR"))
    try place.write(TestPatch.generic(#"{ "kind": "tone" }"#), to: "tone.json")
    let generic = try place.run("tone.json")
    #expect(generic.status == 2)
    #expect(generic.errors.contains("patchrun render tone.json -o out.wav"))
  }

  // MARK: Small parts

  @Test
  func `numbers are rounded and padded`() {
    #expect(fixed(-0.04, 1) == "0.0")
    #expect(fixed(-1.05, 1) == "-1.1" || fixed(-1.05, 1) == "-1.0")
    #expect(fixed(0.996, 2) == "1.00")
    #expect(fixed(12.5, 0) == "13")
    #expect(fixed(.infinity, 1) == "inf")
    #expect(clock(65.29) == "1:05.2")
    #expect(clock(3723) == "1:02:03.0")
  }

  @Test
  func `a duration is seconds, or minutes and seconds`() {
    #expect(Seconds(argument: "1:30")?.value == 90)
    #expect(Seconds(argument: "0.5")?.frames(at: 44_100) == 22_050)
    for text in ["", "0", "-1", "1:", "nan", "inf", "1e99", "1:2:3:4"] {
      #expect(Seconds(argument: text) == nil)
    }
  }

  @Test(arguments: [0, 1, 10, 20, 40, 60, 80, 200])
  func `lines of a terminal keep within its width`(width: Int) {
    let line = LiveLine(position: 3.25, total: 5, peak: 0.5, held: -3, load: 0.031, xruns: 2)
    let bar = ProgressBar(done: 480, total: 960, sampleRate: 48, seconds: 2)
    for set in [DrawingSet.unicode, .ascii] {
      for grid in [line.grid(width: width, set), bar.grid(width: width, set)] {
        #expect(grid.columns == width && grid.rows == 1)
        #expect(width < 5 || grid.text(row: 0).contains(width < 40 ? ":" : "0:"))
      }
    }
  }

  @Test
  func `a line says position, level, load and xruns`() {
    let line = LiveLine(position: 3.25, total: 5, peak: 0.5, held: -3, load: 0.031, xruns: 2)
    #expect(
      line.grid(width: 79, .unicode).text(row: 0)
        == "0:03.2 of 0:05.0  ████████████████████████▋·┃··  -6.0 dBFS  load 3.1 %  xruns 2")
    #expect(
      line.grid(width: 50, .ascii).text(row: 0)
        == "0:03.2 of 0:05.0   -6.0 dBFS  load 3.1 %  xruns 2")
    let bar = ProgressBar(done: 480, total: 960, sampleRate: 48, seconds: 2)
    #expect(
      bar.grid(width: 59, .ascii).text(row: 0)
        == "#########......... 50 %  0:10.0 of 0:20.0  5 x  0:02.0 left")
  }

  @Test
  func `a peak is held for a second and then falls`() {
    var hold = PeakHold()
    #expect(hold.take(1, at: 10) == 0)
    #expect(hold.take(0.1, at: 10.9) == 0)
    #expect(abs(hold.take(0, at: 11.5) + 10) < 1e-9)
    #expect(abs(hold.take(0, at: 12) + 20) < 1e-9)
    #expect(hold.take(0.5, at: 12.1) > -6.1)
  }

  @Test(arguments: [SampleType.float32, .int16, .int24, .int32, .fixed824])
  func `device bytes become numbers exactly`(sample: SampleType) {
    var decoder = DeviceDecoder(
      StreamFormat(sample, channels: 1, sampleRate: 48_000, interleaved: true))
    let bytes: [UInt8] =
      switch sample {
      case .float32: [0, 0, 0, 0xBF, 0, 0, 0x80, 0x3E]
      case .int16: [0, 0xC0, 0, 0x20]
      case .int24: [0, 0, 0xC0, 0, 0, 0x20]
      case .int32: [0, 0, 0, 0xC0, 0, 0, 0, 0x20]
      case .fixed824: [0, 0, 0x80, 0xFF, 0, 0, 0x40, 0]
      }
    var samples: [Double] = []
    decoder.decode(bytes.span, into: &samples)
    #expect(samples == [-0.5, 0.25])
    #expect(decoder.peak == 0.5)
  }
}

/// Tests with a private sound server.
@Suite(.serialized, .enabled(if: PrivatePulse.isInstalled))
struct LiveCommandTests {
  let place: Workplace
  let server: PrivatePulse

  init() throws {
    server = try PrivatePulse([.init("out"), .init("other")])
    place = try Workplace(on: server)
    try place.write(TestPatch.noise(taps: TestPatch.recording), to: "noise.json")
  }

  @Test
  func `a run says at the end what its taps have measured`() throws {
    try place.write(
      TestPatch.noise(taps: #"{ "level": { "kind": "meter", "at": "mixer" } }"#), to: "meter.json")
    let outcome = try place.run("meter.json", "--duration", "0.5")
    #expect(outcome.status == 0)
    let offline = try place.run("render", "meter.json", "--duration", "0.5")
    let last = try #require(offline.errors.split(separator: "\n").last)
    #expect(last.hasPrefix("level: peak -18"))
    #expect(outcome.errors.split(separator: "\n").last == last)
  }

  @Test
  func `what is played is what is rendered, bit for bit`() throws {
    let recording = try server.record()
    let outcome = try place.run("noise.json", "--duration", "1")
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("sink out (2 ch), 48000 Hz, slice 1024 frames (21.3 ms), "))
    let heard = try recording.stop()
    let live = try place.samples("rec.wav")
    try place.run("render", "noise.json", "--duration", "1", "-o", "offline.wav")
    let offline = try place.samples("offline.wav")
    #expect(offline.count == 96_000)
    #expect(live == offline)
    let begin = try #require(heard.firstIndex { $0 != 0 })
    // The first frame of the noise may be zero on one channel.
    let first = try #require(offline.firstIndex { $0 != 0 })
    #expect(Array(heard[begin...].prefix(offline.count - first)) == Array(offline[first...]))
    #expect(heard[(begin + offline.count - first)...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal ends a run with exit 0 and a recording that is whole`(signal: Int32) throws {
    let run = try place.start(["noise.json"])
    #expect(run.waitForErrors("sink out"))
    run.process.signal(SIGHUP)
    #expect(run.waitForErrors("the patch was read again, and says the same"))
    run.process.signal(signal)
    #expect(try run.wait().status == 0)
    #expect(try SoundFileReader(path: place.path("rec.wav")).frameCount > 0)
  }

  @Test
  func `a patch that is edited while it plays is heard without a gap or a step`() throws {
    func patch(_ callbacks: [String], _ nodes: [String], _ connections: [String]) -> String {
      let io = [#""io": { "component": "remoteIO" }"#]
      let mixer = [
        #""mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } }"#
      ]
      let ends = [#"{ "from": "mixer", "to": "io" }"#]
      return """
        { "session": { "category": "playback", "preferredSampleRate": 48000 },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "callbacks": { \(callbacks.joined(separator: ", ")) },
          "nodes": { \((nodes + mixer + io).joined(separator: ", ")) },
          "connections": [ \((connections + ends).joined(separator: ", ")) ] }
        """
    }
    let low = #""low": { "kind": "tone", "frequency": 50, "amplitude": 0.2 }"#
    let other = #""low": { "kind": "tone", "frequency": 70, "amplitude": 0.2 }"#
    let high = #""high": { "kind": "tone", "frequency": 90, "amplitude": 0.1 }"#
    let equalizer =
      #""eq": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" } }"#
    let plain = [#"{ "from": "low", "to": "mixer" }"#]
    let equalized = [#"{ "from": "low", "to": "eq" }"#, #"{ "from": "eq", "to": "mixer" }"#]
    let added = [#"{ "from": "high", "to": "mixer:1" }"#]
    try place.write(patch([low], [], plain), to: "edited.json")
    let recording = try server.record()
    let run = try place.start(["edited.json", "--watch"])
    #expect(run.waitForErrors("sink out"))
    for (text, note) in [
      (patch([low], [equalizer], equalized), "'eq', an iPodEQ, comes (crossfade)"),
      (
        patch([other], [equalizer], equalized),
        "'frequency' of 'low' goes from 50 to 70: it goes on"
      ),
      (patch([other, high], [equalizer], equalized + added), "'mixer:1' is fed by 'high'"),
      (patch([other], [], plain), "'eq' goes (crossfade)"),
    ] {
      usleep(200_000)
      try place.write(text, to: "edited.json")
      #expect(run.waitForErrors(note))
    }
    usleep(300_000)
    run.process.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains(", 0 xruns"))
    let heard = try recording.stop()
    let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
    let begin = try #require(left.firstIndex { $0 != 0 })
    let end = try #require(left.lastIndex { $0 != 0 })
    #expect(end - begin > 48_000)
    // Without its beginning and the fade at its end.
    let sound = Array(left[(begin + 100)..<(end - 2000)])
    var silent = 0
    for index in 1..<(sound.count - 1) {
      silent = sound[index] == 0 ? silent + 1 : 0
      #expect(silent < 100)
    }
    // The tones have 0.00003; a step of 0.01 would have 0.01.
    #expect(roughness(sound) < 0.001)
  }

  @Test
  func `a server that goes away is exit 4 where it is not waited for, and the recording is whole`()
    throws
  {
    let run = try place.start(["noise.json", "--wait-device=0"])
    #expect(run.waitForErrors("sink out"))
    server.kill()
    let outcome = try run.wait()
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("the sound server went away"))
    #expect(try SoundFileReader(path: place.path("rec.wav")).frameCount > 0)
  }

  @Test
  func `a sink that goes away is left for another, and the last one is exit 4`() throws {
    let run = try place.start(["noise.json", "--sink", "other", "--wait-device=0"])
    #expect(run.waitForErrors("sink other"))
    try server.unload("other")
    #expect(run.waitForErrors("note: the sink is now 'out'\n"))
    try server.unload("out")
    let outcome = try run.wait()
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("error: the sink ") && outcome.errors.contains(" is gone"))
    #expect(try SoundFileReader(path: place.path("rec.wav")).frameCount > 0)
  }

  @Test
  func `a second signal is the end, even where the server hangs`() throws {
    let run = try place.start(["noise.json"])
    #expect(run.waitForErrors("sink out"))
    server.signal(SIGSTOP)
    run.process.signal(SIGINT)
    usleep(200_000)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 130)
    server.signal(SIGCONT)
    #expect(try SoundFileReader(path: place.path("rec.unfinished.wav")).frameCount >= 0)
  }

  @Test
  func `a signal that comes twice at once, as from timeout, is one`() throws {
    let run = try place.start(["noise.json"])
    #expect(run.waitForErrors("sink out"))
    run.process.signal(SIGTERM)
    run.process.signal(SIGINT)
    #expect(try run.wait().status == 0)
  }

  @Test
  func `devices are listed, and named`() throws {
    let text = try place.run("devices")
    #expect(text.status == 0)
    #expect(text.output.contains("* out "))
    let json = try place.run("devices", "--json")
    let root = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    let sinks = try #require(root?["sinks"] as? [[String: Any]])
    #expect(sinks.map { $0["name"] as? String } == ["out", "other"])
    let other = try place.run("noise.json", "--duration", "0.1", "--sink", "other")
    #expect(other.status == 0 && other.errors.contains("sink other"))
    let none = try place.run("noise.json", "--sink", "othr", "--wait-device=0")
    #expect(none.status == 3 && none.errors.contains("othr"))
    #expect(try place.run("noise.json", "--source", "out.monitor").status == 2)
    let quiet = try place.run("noise.json", "--duration", "0.1", "-q")
    #expect(quiet.status == 0 && quiet.errors == "")
  }
}
