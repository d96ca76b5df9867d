import Foundation
import TestSupport
import Testing

@testable import patchrun

/// `--start`: a patch begins in the state that it would have after that time.
struct StartCommandTests {
  let place: Workplace
  private static let rate = 48_000

  /// A looping file, a tone with a frequency ramp, an echo (which has a state), an update, and a
  /// recording.
  private static let patch = """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": {
        "file": { "kind": "file", "path": "in.wav", "loop": true },
        "echo": { "kind": "echo", "delay": 0.21, "feedback": 0.6, "from": "file" },
        "tone": { "kind": "tone", "frequency": 300, "amplitude": 0.1 },
        "wind": { "kind": "noise", "amplitude": 0.05 }
      },
      "nodes": {
        "eq": { "component": "iPodEQ", "properties": { "presentPreset": "Rock" } },
        "mixer": { "component": "MultichannelMixer", "inputCount": 3 },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "echo", "to": "eq" }, { "from": "eq", "to": "mixer:0" },
        { "from": "tone", "to": "mixer:1" }, { "from": "wind", "to": "mixer:2" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": { "take": { "kind": "record", "at": "mixer", "path": "take.wav" },
                "meter": { "kind": "meter", "at": "mixer" } },
      "timeline": [
        { "at": 0.2, "ramp": { "path": "/callbacks/tone/frequency", "to": 900, "duration": 1.5 } },
        { "at": 0.1, "repeat": { "every": "300 ms", "count": 6 },
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0.3, "duration": 0.1 } },
        { "at": 0.25, "repeat": { "every": "300 ms", "count": 6 },
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 1 } },
        { "at": 0.7, "update": [
          { "op": "replace", "path": "/nodes/eq/properties/presentPreset", "value": "Flat" } ] },
        { "at": 1.6, "update": [ { "op": "remove", "path": "/connections/3" } ] }
      ]
    }
    """

  init() throws {
    place = try Workplace()
    try place.write(TestPatch.noise(), to: "noise.json")
    try place.run("render", "noise.json", "--duration", "0.7", "-o", "in.wav", "-q")
    try place.write(Self.patch, to: "patch.json")
  }

  private func render(_ options: String..., to file: String) throws -> Workplace.Outcome {
    try place.start(["render", "patch.json", "--overwrite", "-o", file] + options).wait()
  }

  @Test(arguments: ["1.234", "0.7", "1", "1234 ms", "0:01.5"])
  func `a render from a start is the end of the whole, to the bit`(start: String) throws {
    #expect(try render("--duration", "2", to: "whole.wav").status == 0)
    let whole = try place.samples("whole.wav")
    let units: [String: Double] = ["1234 ms": 1.234, "0:01.5": 1.5]
    let seconds: Double = units[start] ?? Double(start) ?? 0
    let first = Int((seconds * Double(Self.rate)).rounded())
    let length = Double(2 * Self.rate - first) / Double(Self.rate)
    let outcome = try render("--start", start, "--duration", "\(length)", to: "rest.wav")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let rest = try place.samples("rest.wav")
    #expect(rest.count == whole.count - 2 * first)
    #expect(Array(whole[(2 * first)...]) == rest)
    // The recording of a tap begins at the same frame.
    #expect(try place.samples("take.wav") == rest)
  }

  @Test func `a start of 0 is the beginning`() throws {
    #expect(try render("--duration", "0.3", to: "whole.wav").status == 0)
    #expect(try render("--start", "0", "--duration", "0.3", to: "zero.wav").status == 0)
    #expect(try place.bytes("zero.wav") == place.bytes("whole.wav"))
  }

  @Test func `a run from a start fades in, and is the end of the whole from then on`() throws {
    #expect(try render("--duration", "2", to: "whole.wav").status == 0)
    let whole = try place.samples("whole.wav")
    let outcome = try place.shell(
      #""$PATCHRUN" run patch.json --start 1.25 --duration 0.5 --overwrite --to - | cat > run.wav"#
    ).wait()
    #expect(outcome.errors.contains("0.500 s, "), "\(outcome.errors)")
    let run = try place.samples("run.wav")
    #expect(run.count == Self.rate)
    let first = 2 * Self.rate * 5 / 4
    let faded = 2 * Self.rate / 50
    #expect(Array(run[faded...]) == Array(whole[(first + faded)..<(first + Self.rate)]))
    // A linear fade-in from silence.
    for index in 0..<faded {
      let share = Float(index / 2) / Float(faded / 2)
      #expect(abs(run[index] - whole[first + index] * share) < 0.01)
    }
    #expect(try place.samples("take.wav") == Array(whole[first..<(first + Self.rate)]))
  }

  @Test func `a start behind the end is refused, and one that is none is wrong usage`() throws {
    try place.write(
      Self.patch.replacing("\"loop\": true", with: "\"loop\": false")
        .replacing("\"timeline\": [", with: "\"timeline\": [ { \"at\": 1.9, \"stop\": true },"),
      to: "patch.json")
    let late = try render("--start", "5", to: "late.wav")
    #expect(late.status == 2)
    #expect(late.errors.contains("the patch is over after 1.900 s, and --start is behind that"))
    #expect(try render("--start", "1.4", to: "end.wav").status == 0)
    #expect(try place.samples("end.wav").count == Self.rate)
    for wrong in ["soon", "-1", "5 Hz", "1:2:3:4"] {
      #expect(try render("--start=\(wrong)", "--duration", "1", to: "no.wav").status != 0)
    }
  }
}
