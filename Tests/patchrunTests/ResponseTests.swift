import AudioUnits
import Foundation
import TestSupport
import Testing

@testable import Responses
@testable import patchrun

struct ResponseTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  // MARK: Reading the output

  private struct Sheet {
    struct Channel {
      var magnitude: [Double]
      var phase: [Double?]
      var delay: [Double?]
    }
    var frequencies: [Double]
    var channels: [Channel]
    var latency: Int
    var warnings: [String]
  }

  private func measure(_ arguments: String...) throws -> Sheet {
    let outcome = try place.start(["response"] + arguments + ["--format", "json"]).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let channels = try #require(json["channels"] as? [[String: Any]])
    return Sheet(
      frequencies: try #require(json["frequencies"] as? [Double]),
      channels: try channels.map { channel in
        .init(
          magnitude: (try #require(channel["magnitudeDB"] as? [Any])).map {
            $0 as? Double ?? -.infinity
          },
          phase: (try #require(channel["phaseDegrees"] as? [Any])).map { $0 as? Double },
          delay: (try #require(channel["groupDelay"] as? [Any])).map { $0 as? Double })
      }, latency: try #require(json["latencyFrames"] as? Int),
      warnings: try #require(json["warnings"] as? [String]))
  }

  /// Writes a patch with a chain of callbacks, an equalizer and a mixer, whose input 1 has noise.
  private func write(
    sample: String = "float32", preset: String = "Flat", callbacks: String = "",
    feed: String = "tone",
    more: String = ""
  ) throws {
    try place.write(
      """
      {
        "session": { "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "\(sample)", "channels": 2, "sampleRate": "session" },
        "callbacks": {
          "tone": { "kind": "tone", "amplitude": 0.5 },
          "noise": { "kind": "noise", "amplitude": 0.3 }\(callbacks)
        },
        "nodes": {
          "eq": {
            "component": "iPodEQ",
            "properties": { "presentPreset": "\(preset)", "maximumFramesPerSlice": 4096 }
          },
          "mixer": {
            "component": "MultichannelMixer", "inputCount": 2,
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { "0": { "parameters": { "volume": 0.5 } } },
            "outputs": { "0": { "sampleRate": "session" } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "\(feed)", "to": "eq" }, { "from": "eq", "to": "mixer:0" },
          { "from": "noise", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
        ]\(more)
      }
      """, to: "mix.json")
  }

  // MARK: Measurements

  @Test(arguments: ["Bass Booster", "Rock", "Spoken Word"])
  func `a preset of the iPod EQ has the response of its cascade`(name: String) throws {
    try write(preset: name)
    let preset = try #require(EqualizerPresets.all.first { $0.name == name })
    let design = GraphicEqualizerDesign(gains: preset.gains, sampleRate: 48_000)
    let sheet = try measure("mix.json", "--from", "eq", "--to", "eq")
    #expect(sheet.frequencies.count > 200)
    #expect(sheet.frequencies[0] >= 20 && sheet.frequencies[sheet.frequencies.count - 1] > 23_900)
    for (frequency, magnitude) in zip(sheet.frequencies, sheet.channels[1].magnitude) {
      #expect((magnitude - design.response(at: frequency)).magnitude < 0.001, "\(frequency) Hz")
    }
    #expect(sheet.warnings.isEmpty)
    // Minimum phase: the phase is that of the same filters in double precision.
    #expect(sheet.latency == 0)
  }

  @Test(arguments: ["float32", "int16", "fixed8.24"])
  func `a mixer's gain is exact, and no other source is heard`(sample: String) throws {
    try write(sample: sample)
    let sheet = try measure("mix.json", "--from", "mixer:0", "--to", "mixer", "--points", "6")
    let slack = sample == "int16" ? 0.01 : 0.0001
    for channel in sheet.channels {
      #expect(channel.magnitude.allSatisfy { ($0 + 6.0206).magnitude < slack })
      #expect(channel.phase.allSatisfy { ($0 ?? 99).magnitude < 0.1 })
      #expect(channel.delay.allSatisfy { ($0 ?? 99).magnitude < 0.0005 })
    }
    #expect(sheet.latency == 0 && sheet.warnings.isEmpty)
  }

  @Test
  func `a delay is a latency, and the phase is without it`() throws {
    try write(
      callbacks: """
        , "late": { "kind": "echo", "delay": 0.01, "feedback": 0, "mix": 1, "from": "tone" }
        """, feed: "late")
    let sheet = try measure("mix.json", "--from", "tone", "--to", "eq", "--points", "6")
    #expect(sheet.latency == 480)
    for channel in sheet.channels {
      #expect(channel.magnitude.allSatisfy { $0.magnitude < 0.0001 })
      #expect(channel.phase.allSatisfy { ($0 ?? 99).magnitude < 0.01 })
      #expect(channel.delay.allSatisfy { (($0 ?? 99) - 0.01).magnitude < 1e-5 })
    }
  }

  @Test
  func `a comb is the one of its echo`() throws {
    try write(
      callbacks: """
        , "comb": { "kind": "echo", "delay": 0.001, "feedback": 0, "mix": 0.25, "from": "tone" }
        """, feed: "comb")
    let sheet = try measure("mix.json", "--from", "tone", "--to", "eq", "--points", "12")
    for (frequency, magnitude) in zip(sheet.frequencies, sheet.channels[0].magnitude) {
      let angle = 2 * Double.pi * frequency * 0.001
      let power = 0.75 * 0.75 + 0.25 * 0.25 + 2 * 0.75 * 0.25 * cos(angle)
      #expect((magnitude - 10 * log10(power)).magnitude < 0.001, "\(frequency) Hz")
    }
  }

  @Test
  func `a Format Converter is flat in its pass band, across rates`() throws {
    try place.write(
      """
      {
        "session": { "preferredSampleRate": 48000 },
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": {
          "converter": {
            "component": "FormatConverter",
            "properties": {
              "maximumFramesPerSlice": 4096, "sampleRateConverterComplexity": "mastering"
            },
            "inputs": { "0": { "streamFormat": {
              "sample": "float32", "channels": 1, "sampleRate": 32000 } } },
            "outputs": { "0": { "streamFormat": {
              "sample": "float32", "channels": 1, "sampleRate": 48000 } } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "tone", "to": "converter" }, { "from": "converter", "to": "io" } ]
      }
      """, to: "convert.json")
    let sheet = try measure(
      "convert.json", "--from", "converter", "--to", "converter", "--points", "6")
    #expect(sheet.frequencies.allSatisfy { $0 < 16_000 })
    for (frequency, magnitude) in zip(sheet.frequencies, sheet.channels[0].magnitude)
    where frequency < 14_500 {
      #expect(magnitude.magnitude < 0.0002, "\(frequency) Hz")
    }
    #expect(sheet.latency == 0 && sheet.warnings.isEmpty)
  }

  @Test
  func `a microphone is an end as well`() throws {
    try place.write(TestPatch.passThrough, to: "through.json")
    let sheet = try measure("through.json", "--from", "io:1", "--points", "3")
    #expect(sheet.channels.allSatisfy { $0.magnitude.allSatisfy { $0.magnitude < 0.001 } })
  }

  @Test
  func `channels are picked, and what is not on the way is silent`() throws {
    try write()
    let left = try measure(
      "mix.json", "--from", "mixer:0", "--to", "mixer", "--from-channel", "0", "--points", "3")
    #expect(left.channels[0].magnitude.allSatisfy { ($0 + 6.0206).magnitude < 0.001 })
    #expect(left.channels[1].magnitude.allSatisfy { $0 == -.infinity })
    let outcome = try place.run(
      "response", "mix.json", "--from", "mixer:0", "--to", "mixer", "--from-channel", "0",
      "--to-channel", "1", "--points", "3")
    #expect(outcome.status == 4)
    #expect(outcome.errors.contains("of what goes in at 'mixer:0' nothing comes out at 'mixer'"))
    #expect(
      try place.run("response", "mix.json", "--from", "eq", "--from-channel", "2").status == 2)
  }

  @Test
  func `the timeline is played up to the time that is measured, and taps write nothing`() throws {
    try write(
      more: """
        , "timeline": [
          { "at": 1, "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0.25,
                               "duration": 1 } },
          { "at": 3, "update": [ { "op": "replace", "path": "/nodes/eq/properties/presentPreset",
                                   "value": "Rock" } ] },
          { "at": 0.01, "stop": true }
        ],
        "taps": {
          "mix": { "kind": "picture", "of": "levels", "at": "mixer", "path": "levels.svg" },
          "rec": { "kind": "record", "at": "mixer", "path": "rec.wav" }
        }
        """)
    let first = try measure("mix.json", "--from", "eq", "--points", "3")
    #expect(first.channels[0].magnitude.allSatisfy { ($0 + 6.0206).magnitude < 0.001 })
    let later = try measure("mix.json", "--from", "eq", "--points", "3", "--at", "2")
    #expect(later.channels[0].magnitude.allSatisfy { ($0 + 12.0412).magnitude < 0.001 })
    let last = try measure("mix.json", "--from", "eq", "--points", "3", "--at", "4")
    #expect(last.channels[0].magnitude.contains { ($0 + 12.0412).magnitude > 2 })
    #expect(!place.exists("levels.svg") && !place.exists("rec.wav"))
  }

  // MARK: Warnings

  @Test
  func `what is not linear, and what changes with time, is said`() throws {
    let kinds = [
      (
        "{ \"kind\": \"expression\", \"value\": \"tanh(3 * input)\", \"from\": \"tone\" }",
        "not linear"
      ),
      ("{ \"kind\": \"tremolo\", \"rate\": 3.3, \"depth\": 1, \"from\": \"tone\" }", "with time"),
      ("{ \"kind\": \"tremolo\", \"rate\": 5, \"depth\": 1, \"from\": \"tone\" }", "with time"),
      (
        "{ \"kind\": \"expression\", \"value\": \"input + 0.01 * noise(frame)\", \"from\": \"tone\" }",
        "with time"
      ),
    ]
    for (kind, warning) in kinds {
      try write(callbacks: ", \"odd\": \(kind)", feed: "odd")
      let sheet = try measure(
        "mix.json", "--from", "tone", "--to", "eq", "--points", "6", "--level", "-6")
      #expect(sheet.warnings.contains { $0.contains(warning) }, "\(kind): \(sheet.warnings)")
      let outcome = try place.run("response", "mix.json", "--from", "tone", "--to", "eq")
      #expect(outcome.status == 0 && outcome.errors.hasPrefix("warning: "))
    }
  }

  // MARK: Errors

  @Test(arguments: [
    (["--from", "eqq"], "no node or callback 'eqq'", "did you mean 'eq'?"),
    (["--from", "eq:1"], "'eq' (mix.json:", "its only input is 0"),
    (["--from", "eq", "--to", "mixer:3"], "no output 3", "its only output is 0"),
    (
      ["--from", "mixer", "--to", "eq"], "no sound gets from 'mixer' to 'eq'",
      "'eq' is at mix.json:"
    ),
    (["--from", "tone:1"], "'tone' is a callback", "leave the number out"),
    (["--from", "eq", "--to", "tone"], "'tone' is a callback", "the node that it feeds"),
    (["--from", "io:1"], "the microphone side of 'io'", "enableIO"),
    (["--from", "eq:x"], "'eq' has no input of the name 'x'", "eq:0"),
    (["--from", "eq:-"], "'eq:-' is no address", "mixer:1"),
    (["--from", "eq", "-o", "a.wav"], "its ending does not say", "--format csv"),
    (["--from", "eq", "-o", "mix.json"], "would be overwritten", "mix.json"),
  ])
  func `what cannot be measured is said, with the place and the cure`(
    arguments: [String], message: String, help: String
  ) throws {
    try write()
    let outcome = try place.start(["response", "mix.json"] + arguments).wait()
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(message) && outcome.errors.contains(help), "\(outcome.errors)")
  }

  @Test(arguments: [
    ["--points", "0"], ["--level", "30"], ["--width", "10"], ["--theme", "blue"],
  ])
  func `options out of range are wrong usage`(arguments: [String]) throws {
    try write()
    #expect(
      try place.start(["response", "mix.json", "--from", "eq"] + arguments).wait().status == 2)
  }

  // MARK: Files

  @Test
  func `tables and pictures are what their endings say`() throws {
    try write(preset: "Rock")
    for name in ["a.svg", "a.png", "a.csv", "a.json", "a.txt"] {
      let outcome = try place.run(
        "response", "mix.json", "--from", "eq", "--points", "6", "-o", name)
      #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
    }
    #expect(
      try place.shell("xmllint --noout a.svg && python3 -m json.tool a.json").wait().status == 0)
    #expect(try place.bytes("a.png").prefix(8) == [137, 80, 78, 71, 13, 10, 26, 10])
    let table = String(decoding: try place.bytes("a.csv"), as: UTF8.self).split(separator: "\n")
    #expect(table[0] == "frequency Hz,magnitude dB,phase degrees,group delay s")
    #expect(table.count > 50 && table[1].split(separator: ",").count == 4)
    let text = String(decoding: try place.bytes("a.txt"), as: UTF8.self)
    #expect(
      text.hasPrefix("from eq (48 kHz, 2 channels) to io (48 kHz, 2 channels), peak -20 dBFS\n"))
    #expect(text.contains("no latency"))
    let dark = try place.run(
      "response", "mix.json", "--from", "eq", "--points", "3", "--format", "svg", "--theme", "dark")
    #expect(dark.output.hasPrefix("<svg") && dark.output.contains("#0d1117"))
  }

  // MARK: Parts

  @Test func `a tone set's pairs do not touch, and its peak is the one that was asked for`() throws
  {
    for (input, output) in [
      (48_000.0, 48_000.0), (44_100, 48_000), (8000, 44_100), (44_100.5, 44_100.5),
    ] {
      let tones = try #require(ToneSet(from: input, to: output, pointsPerOctave: 96))
      #expect(zip(tones.bins, tones.bins.dropFirst()).allSatisfy { $1 > $0 + 1 })
      #expect(
        (Double(tones.inputPeriod) / input - Double(tones.outputPeriod) / output).magnitude < 1e-12)
      #expect((0.9...2.2).contains(tones.period))
    }
    let tones = try #require(ToneSet(from: 8000, to: 8000, pointsPerOctave: 6))
    #expect((tones.samples(peak: 0.1).map(\.magnitude).max() ?? 0) == 0.1)
    #expect(ToneSet(from: 44_100.5, to: 48_000, pointsPerOctave: 6) == nil)
  }

  @Test func `the two ways to find a sine agree`() throws {
    func tone(_ bin: Int, _ frame: Int, _ length: Int, phase: Double = 0) -> Double {
      let turn = Double(bin * frame) / Double(length)
      return sin(2 * Double.pi * turn + phase)
    }
    let samples = (0..<3150).map { (frame: Int) -> Double in
      0.3 * tone(7, frame, 3150, phase: 0.4) + 0.01 * tone(900, frame, 3150)
    }
    let angle = 0.4 - Double.pi / 2
    // 3150 has a factor of 7, for which the transform is not fast; 3125 * 2 has none.
    let slow = ToneAnalyzer(length: 3150, bins: [7, 900]).analyze(samples)
    #expect((slow.tones[0].magnitude - 0.3).magnitude < 1e-9)
    #expect((slow.tones[0].angle - angle).magnitude < 1e-9)
    #expect((slow.tones[1].magnitude - 0.01).magnitude < 1e-9)
    #expect(slow.rest < 1e-12)
    let short = (0..<3000).map { (frame: Int) -> Double in 0.3 * tone(7, frame, 3000, phase: 0.4) }
    let fast = ToneAnalyzer(length: 3000, bins: [7, 900]).analyze(short)
    #expect((fast.tones[0].magnitude - 0.3).magnitude < 1e-6)
    #expect((fast.tones[0].angle - angle).magnitude < 1e-5)
  }
}
