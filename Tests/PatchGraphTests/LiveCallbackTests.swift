import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import RenderCore
import RenderHost
import SoundFiles
import TestSupport
import Testing

@testable import PatchGraph
@testable import PatchReference

extension LivePlayer {
  /// Plays a patch of a folder, which the player keeps.
  fileprivate convenience init(_ text: String, in folder: TemporaryFolder, frames: Int = 256) throws
  {
    try self.init(text, frames: frames, directory: folder.path, keeping: folder)
  }
}

private func patch(
  _ callbacks: String, from: String, input: String = "", nodes: String = "", rest: String = ""
) -> String {
  """
  {
    "schemaVersion": 1,
    "session": { "category": "playback", "preferredSampleRate": 48000 },
    "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
    "callbacks": { \(callbacks) },
    "nodes": {
      "mixer": {
        "component": "MultichannelMixer",
        "properties": { "maximumFramesPerSlice": 4096 }\(input)
      },
      "io": { "component": "remoteIO" }\(nodes)
    },
    "connections": [ { "from": "\(from)", "to": "mixer" }, { "from": "mixer", "to": "io" } ]\(rest)
  }
  """
}

private let music = #""music": { "kind": "file", "path": "music.wav" }"#
private let low = #""low": { "kind": "tone", "frequency": 60, "amplitude": 0.2 }"#

/// A callback's sound continues when its settings change: the faults D1.
struct LiveCallbackTests {
  /// A folder with a file whose samples show the position.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write((0..<96_000).map { Double($0) / 192_000 }, to: "music.wav")
    try folder.write((0..<96_000).map { 0.5 - Double($0) / 192_000 }, to: "other.wav")
    return folder
  }

  /// Plays a patch, and another from frame 20,000 on.
  private func heard(
    _ old: String, _ new: String, frames: Int = 256, in folder: TemporaryFolder
  ) throws -> (heard: [Float], changes: [PatchChange]) {
    let player = try LivePlayer(old, in: folder, frames: frames)
    try player.pull(20_000)
    let changes = try player.play(new)
    try player.pull(30_000)
    return (player.left, changes)
  }

  private func place(_ frame: Int) -> Double { Double(frame) / 192_000 }

  @Test(arguments: [
    (#""music": { "kind": "file", "path": "music.wav", "gain": 0.5 }"#, 0.5, "ramp"),
    (#""music": { "kind": "file", "path": "music.wav", "loop": true }"#, 1, "live"),
  ])
  func `a file whose gain or loop is changed goes on`(
    changed: String, factor: Double, how: String
  ) throws {
    let (found, changes) = try heard(
      patch(music, from: "music"), patch(changed, from: "music"), in: folder())
    #expect(changes.map(\.heard.rawValue) == [how])
    #expect(changes.allSatisfy { $0.text.contains("goes on") })
    for frame in 0..<20_000 { #expect(abs(Double(found[frame]) - place(frame)) < 1e-6) }
    for frame in 20_480..<50_000 {
      #expect(abs(Double(found[frame]) - factor * place(frame)) < 1e-6, "frame \(frame)")
    }
    #expect(roughness(found) < 1e-3)
  }

  @Test func `a gain callback whose gain is changed lets its file go on`() throws {
    func text(_ gain: String) -> String {
      patch(
        music + #", "gain": { "kind": "gain", "gain": \#(gain), "from": "music" }"#, from: "gain")
    }
    let (found, changes) = try heard(text("1"), text("0.999"), in: folder())
    #expect(changes.map(\.heard) == [.ramp])
    for frame in 20_480..<50_000 {
      #expect(abs(Double(found[frame]) - 0.999 * place(frame)) < 1e-6)
    }
    #expect(roughness(found) < 1e-5)
  }

  @Test func `a file goes on when a callback is put before it, and when it is taken away`() throws {
    let plain = patch(music, from: "music")
    let soft = patch(
      music + #", "soft": { "kind": "gain", "gain": 0.5, "from": "music" }"#, from: "soft")
    let softer = patch(
      music
        + #", "more": { "kind": "gain", "gain": 0.5, "from": "music" },"#
        + #" "soft": { "kind": "gain", "gain": 0.5, "from": "more" }"#, from: "soft")
    for (old, new, before, after) in [
      (plain, soft, 1.0, 0.5), (soft, plain, 0.5, 1), (soft, softer, 0.5, 0.25),
      (softer, soft, 0.25, 0.5),
    ] {
      for frames in [64, 1024] {
        let (found, changes) = try heard(old, new, frames: frames, in: folder())
        #expect(changes.map(\.heard) == [.crossfade])
        #expect(changes.allSatisfy { $0.text.contains("'music'") && $0.text.contains("on") })
        for frame in 0..<20_000 {
          #expect(abs(Double(found[frame]) - before * place(frame)) < 1e-6)
        }
        for frame in 20_960..<50_000 {
          #expect(abs(Double(found[frame]) - after * place(frame)) < 1e-6, "frame \(frame)")
        }
        #expect(roughness(found) < 1e-3)
      }
    }
  }

  @Test(arguments: [
    #"{ "sample": "int16", "channels": 2, "sampleRate": "session" }"#,
    #"{ "sample": "float32", "channels": 1, "sampleRate": "session" }"#,
  ])
  func `a file goes on when its bus becomes another format`(format: String) throws {
    let plain = patch(music, from: "music")
    let input =
      #", "inputs": { "0": { "parameters": { "pan": -1 }, "streamFormat": \#(format) } }"#
    let (found, changes) = try heard(
      patch(music, from: "music", input: #", "inputs": { "0": { "parameters": { "pan": -1 } } }"#),
      patch(music, from: "music", input: input), in: folder())
    #expect(!plain.isEmpty && changes.contains { $0.heard == .reinitialize })
    for frame in 20_000..<50_000 {
      #expect(abs(Double(found[frame]) - place(frame)) < 1e-4, "frame \(frame)")
    }
  }

  @Test func `a file goes on when its bus has another rate`() throws {
    func text(_ rate: Int) -> String {
      """
      {
        "session": { "category": "playback", "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": { \(music) },
        "nodes": {
          "rate": {
            "component": "FormatConverter",
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": {
              "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": \(rate) } }
            }
          },
          "mixer": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "music", "to": "rate" }, { "from": "rate", "to": "mixer" },
          { "from": "mixer", "to": "io" }
        ]
      }
      """
    }
    let (found, _) = try heard(text(44_100), text(32_000), in: folder())
    // Each converter has a latency of some frames; an error of a slice would be larger.
    for frame in 21_500..<50_000 {
      #expect(abs(Double(found[frame]) - place(frame)) < place(400), "frame \(frame)")
    }
  }

  @Test func `an expression with another text goes on in time`() throws {
    func text(_ value: String) -> String {
      patch(#""wave": { "kind": "expression", "value": "\#(value)" }"#, from: "wave")
    }
    let (found, changes) = try heard(
      text("0.2 * sin(tau * 60 * time)"), text("0.4 * sin(tau * 60 * time)"), in: folder())
    #expect(changes.map(\.heard) == [.continuation])
    for frame in 20_960..<50_000 {
      let expected = 0.4 * sin(2 * .pi * 60 * Double(frame) / 48_000)
      #expect(abs(Double(found[frame]) - expected) < 1e-5, "frame \(frame)")
    }
    #expect(roughness(found) < 1e-3)
  }

  @Test func `a tone keeps its phase whatever is changed of it`() throws {
    for change in [
      #""frequency": 60, "amplitude": 0.1"#, #""frequency": 90, "amplitude": 0.2"#,
      #""frequency": 60, "amplitude": 0.2, "waveform": "triangle""#,
    ] {
      let (found, _) = try heard(
        patch(low, from: "low"), patch(#""low": { "kind": "tone", \#(change) }"#, from: "low"),
        in: folder())
      // A triangle has corners.
      #expect(roughness(found) < 2e-3, "\(change)")
    }
  }

  @Test func `an echo keeps its tail when its mix is changed, and when what it pulls is`() throws {
    func text(_ echo: String, _ source: String = "") -> String {
      patch(
        music + #", "echo": { "kind": "echo", "delay": 0.25, "feedback": 0, \#(echo) }"# + source,
        from: "echo")
    }
    let folder = try folder()
    let (found, changes) = try heard(
      text(#""mix": 0, "from": "music""#), text(#""mix": 1, "from": "music""#), in: folder)
    #expect(changes.map(\.heard) == [.ramp])
    for frame in 20_480..<50_000 {
      #expect(abs(Double(found[frame]) - place(frame - 12_000)) < 1e-6, "frame \(frame)")
    }
    // The echo still contains the earlier input.
    let (fed, _) = try heard(
      text(#""mix": 1, "from": "music""#),
      text(
        #""mix": 1, "from": "off""#, #", "off": { "kind": "gain", "gain": 0, "from": "music" }"#),
      in: folder)
    for frame in 20_000..<32_000 {
      #expect(abs(Double(fed[frame]) - place(frame - 12_000)) < 1e-6, "frame \(frame)")
    }
    #expect(fed[33_000...].allSatisfy { $0 == 0 })
  }

  @Test func `another file begins, and what is said beforehand says so`() throws {
    let (found, changes) = try heard(
      patch(music, from: "music"),
      patch(#""music": { "kind": "file", "path": "other.wav" }"#, from: "music"), in: folder())
    #expect(changes.map(\.heard) == [.beginning])
    #expect(changes.first?.text.contains("begins again at 0:00") == true)
    for frame in 20_960..<50_000 {
      #expect(abs(Double(found[frame]) - (0.5 - place(frame - 20_000))) < 1e-6, "frame \(frame)")
    }
  }

  @Test func `a callback that feeds several inputs is turned at all of them`() throws {
    func text(_ gain: String) -> String {
      patch(
        #""music": { "kind": "file", "path": "music.wav", "gain": \#(gain) }"#, from: "music"
      ).replacing(
        #"{ "from": "mixer""#, with: #"{ "from": "music", "to": "mixer:1" }, { "from": "mixer""#)
    }
    let (found, changes) = try heard(text("0.5"), text("0.25"), in: folder())
    #expect(changes.map(\.pointer) == ["/callbacks/music/gain"])
    for frame in 20_480..<50_000 {
      #expect(abs(Double(found[frame]) - 0.5 * place(frame)) < 1e-6)
    }
  }

  // MARK: The timeline

  private let ramped = """
    , "timeline": [
      { "at": 0.1, "ramp": { "path": "/callbacks/music/gain", "to": 0.25, "duration": 0.2 } }
    ]
    """

  @Test func `a live setting ramps by the timeline, the same with slices of every size`() throws {
    var first: [Float]?
    for frames in [1, 64, 333, 1024, 4096] {
      let player = try LivePlayer(
        patch(music, from: "music", rest: ramped), in: try folder(), frames: frames)
      try player.pull(20_000)
      if first == nil { first = player.left }
      #expect(player.left == first)
      for frame in 0..<20_000 {
        let share = min(max(Double(frame - 4799) / 9600, 0), 1)
        #expect(abs(Double(player.left[frame]) - (1 - 0.75 * share) * place(frame)) < 1e-5)
      }
      // The document contains the value after the ramp, which is not a change.
      #expect(player.live.reading.source.bytes.contains(UInt8(ascii: "2")))
      #expect(
        player.live.reading.document?.root["callbacks"]?["music"]?["gain"]?.number == 0.25)
    }
  }

  @Test func `what can be turned is among the controls`() throws {
    let player = try LivePlayer(
      patch(
        music + #", "echo": { "kind": "echo", "from": "music", "mix": 0.5 }"#, from: "echo",
        rest: ramped), in: try folder())
    try player.pull(500)
    let controls = player.live.controls.controls.filter {
      $0.pointer.description.hasPrefix("/callbacks")
    }
    #expect(
      controls.map(\.pointer.description) == [
        "/callbacks/music/loop", "/callbacks/music/gain", "/callbacks/echo/delay",
        "/callbacks/echo/feedback", "/callbacks/echo/mix",
      ])
    #expect(controls.map(\.isScheduled) == [false, true, false, false, false])
    #expect(controls.map(\.isInDocument) == [false, false, false, false, true])
    #expect(controls.map(\.kind) == [.switch, .gain, .number, .number, .number])
    #expect(controls[4].range == 0...1 && controls[4].value == .number(0.5))
  }

  @Test func `a callback of a sub-graph is turned and ramped by its place`() throws {
    let folder = try folder()
    let strip = """
      {
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": { "music": { "kind": "file", "path": "music.wav", "gain": 1 } },
        "nodes": { "out": { "component": "GenericOutput" } },
        "connections": [ { "from": "music", "to": "out" } ]
      }
      """
    try folder.write(strip, to: "strip.json")
    func text(_ settings: String, _ rest: String = "") -> String {
      patch(
        low, from: "strip", nodes: #", "strip": { "subgraph": "strip.json"\#(settings) }"#,
        rest: rest
      ).replacing(low, with: "")
    }
    let player = try LivePlayer(
      text(
        "",
        """
        , "timeline": [
          { "at": 0.1,
            "ramp": { "path": "/nodes/strip/callbacks/music/gain", "to": 0.5, "duration": 0.1 } }
        ]
        """), in: folder)
    try player.pull(20_000)
    for frame in 9700..<20_000 {
      #expect(abs(Double(player.left[frame]) - 0.5 * place(frame)) < 1e-5)
    }
    let control = try #require(player.live.controls.controls.first { $0.key == "gain" })
    #expect(control.pointer.description == "/nodes/strip/settings/~1callbacks~1music~1gain")
    let changes = try player.play(
      text(#", "settings": { "/callbacks/music/gain": 0.25 }"#))
    #expect(changes.map(\.heard).contains(.ramp))
    try player.pull(20_000)
    for frame in 20_480..<40_000 {
      #expect(abs(Double(player.left[frame]) - 0.25 * place(frame)) < 1e-5)
    }
  }
}

/// Changes settings of callbacks repeatedly and records the output.
///
/// `PATCHRUN_LONG=1 swift test --filter CallbackChangesTests` makes a thousand changes.
struct CallbackChangesTests {
  private static let changeCount =
    ProcessInfo.processInfo.environment["PATCHRUN_LONG"] == nil ? 80 : 1000

  /// The settings to change, and the ranges of their values.
  private static let settings: [(callback: String, key: String, range: ClosedRange<Double>)] = [
    ("count", "gain", 0.25...1), ("low", "frequency", 30...90), ("low", "amplitude", 0...0.3),
    ("wave", "a", -0.1...0.1), ("wave", "b", -0.1...0.1), ("tremolo", "rate", 0.5...8),
    ("tremolo", "depth", 0...1), ("ring", "frequency", 1...50), ("ring", "mix", 0...1),
    ("gain", "gain", -1...1), ("echo", "delay", 0.01...1), ("echo", "feedback", -0.7...0.7),
    ("echo", "mix", 0...1), ("room", "gain", 0...1), ("room", "mix", 0...1),
  ]

  private static func text(_ values: [String: Double]) -> String {
    func value(_ name: String) -> String { "\(values[name] ?? 0)" }
    return """
      {
        "session": { "category": "playback", "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
        "callbacks": {
          "count": {
            "kind": "file", "path": "count.wav", "loop": true, "gain": \(value("count.gain"))
          },
          "low": {
            "kind": "tone", "frequency": \(value("low.frequency")),
            "amplitude": \(value("low.amplitude"))
          },
          "wave": {
            "kind": "expression", "value": "a * sin(tau * 40 * time) + b",
            "constants": { "a": \(value("wave.a")), "b": \(value("wave.b")) }
          },
          "tremolo": {
            "kind": "tremolo", "rate": \(value("tremolo.rate")),
            "depth": \(value("tremolo.depth")), "from": "low"
          },
          "ring": {
            "kind": "ringModulator", "frequency": \(value("ring.frequency")),
            "mix": \(value("ring.mix")), "from": "tremolo"
          },
          "gain": { "kind": "gain", "gain": \(value("gain.gain")), "from": "ring" },
          "echo": {
            "kind": "echo", "delay": \(value("echo.delay")),
            "feedback": \(value("echo.feedback")), "mix": \(value("echo.mix")), "from": "gain"
          },
          "room": {
            "kind": "convolution", "path": "room.wav", "gain": \(value("room.gain")),
            "mix": \(value("room.mix")), "from": "wave"
          }
        },
        "nodes": {
          "counter": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "main": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "mixer": {
            "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "count", "to": "counter" }, { "from": "echo", "to": "main" },
          { "from": "room", "to": "main:1" }, { "from": "counter", "to": "mixer" },
          { "from": "main", "to": "mixer:1" }, { "from": "mixer", "to": "io" }
        ],
        "taps": {
          "counted": { "kind": "record", "at": "counter", "path": "counted.wav" },
          "heard": { "kind": "record", "at": "main", "path": "heard.wav" }
        }
      }
      """
  }

  @Test func `nothing begins again, nothing clicks, and the take is as long as the time`() throws {
    let folder = try TemporaryFolder()
    let length = 96_000
    // The position on the left channel, and a constant on the right: their ratio gives the position
    // whatever the gain is.
    var counts: [Double] = []
    for frame in 0..<length { counts += [Double(frame) / Double(2 * length), 0.5] }
    try folder.write(counts, to: "count.wav", channels: 2)
    let room: [Double] = (0..<2000).map { 1e-3 * (1 - Double($0) / 2000) }
    try folder.write(room, to: "room.wav")
    var random = SplitMix64(seed: 17)
    var values: [String: Double] = [:]
    for setting in Self.settings {
      values["\(setting.callback).\(setting.key)"] = .random(in: setting.range, using: &random)
    }
    let player = try LivePlayer(Self.text(values), in: folder)
    try player.pull(4800)
    for _ in 0..<Self.changeCount {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let setting = Self.settings.randomElement(using: &random) else { continue }
        values["\(setting.callback).\(setting.key)"] = .random(in: setting.range, using: &random)
      }
      let changes = try player.play(Self.text(values))
      #expect(changes.allSatisfy { $0.heard == .ramp }, "\(changes.map(\.text))")
      try player.pull(Int.random(in: 100...3000, using: &random))
    }
    for service in player.live.graph.services { try service.finish() }
    #expect(try folder.fileNames() == ["count.wav", "counted.wav", "heard.wav", "room.wav"])
    let heard = try Self.read(folder.path + "/heard.wav")
    #expect(heard[0].count == player.left.count)
    #expect(roughness(heard[0]) < 0.012)
    let counted = try Self.read(folder.path + "/counted.wav")
    #expect(counted[0].count == player.left.count)
    for frame in counted[0].indices {
      let place = Double(counted[0][frame] / counted[1][frame])
      let expected = Double(frame % length) / Double(length)
      guard abs(place - expected) < 1e-5 else {
        Issue.record("frame \(frame) is \(place) of the file and not \(expected)")
        return
      }
    }
  }

  private static func read(_ path: String) throws -> [[Float]] {
    let reader = try SoundFileReader(path: path)
    var samples = [Double](repeating: 0, count: reader.frameCount * reader.channelCount)
    _ = try reader.read(into: &samples, at: 0, frameCount: reader.frameCount)
    return (0..<reader.channelCount).map { channel in
      stride(from: channel, to: samples.count, by: reader.channelCount).map { Float(samples[$0]) }
    }
  }
}
