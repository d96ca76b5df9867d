import AudioTypes
import Foundation
import SoundFiles
import TestSupport
import Testing

/// Changes callbacks through the control socket while a server plays them and a take is recorded.
@Suite(.enabled(if: PrivatePulse.isInstalled))
struct LiveCallbackCommandTests {
  private static let patch = """
    {
      "session": { "category": "playback", "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": {
        "count": { "kind": "file", "path": "count.wav", "loop": true, "gain": 0.5 },
        "low": { "kind": "tone", "frequency": 50, "amplitude": 0.2 },
        "echo": { "kind": "echo", "delay": 0.1, "feedback": 0.3, "mix": 0.5, "from": "low" }
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
        { "from": "counter", "to": "mixer" }, { "from": "main", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": {
        "counted": { "kind": "record", "at": "counter", "path": "counted.wav" },
        "heard": { "kind": "record", "at": "main", "path": "heard.wav" }
      }
    }
    """

  /// The channels of a stereo recording.
  private func channels(_ name: String, in place: Workplace) throws -> [[Float]] {
    let samples = try place.samples(name)
    return (0..<2).map { channel in
      stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
    }
  }

  @Test func `a take goes on through changes of callbacks, and so does what it is of`() throws {
    let pulse = try PrivatePulse()
    let place = try Workplace()
    place.environment = pulse.environment
    let length = 96_000
    let writer = try SoundFileWriter(
      path: place.path("count.wav"),
      format: StreamFormat(.float32, channels: 2, sampleRate: 48_000), sampleType: nil)
    var counts: [Double] = []
    for frame in 0..<length { counts += [Double(frame) / Double(2 * length), 0.5] }
    try writer.write(counts, frameCount: length)
    try writer.close()
    try place.write(Self.patch, to: "patch.json")
    let run = try place.start(["run", "patch.json"])
    #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    var random = SplitMix64(seed: 23)
    let settings: [(String, ClosedRange<Double>)] = [
      ("count/gain", 0.25...1), ("low/frequency", 30...90), ("low/amplitude", 0.1...0.3),
      ("echo/delay", 0.02...0.5), ("echo/feedback", -0.5...0.5), ("echo/mix", 0...1),
    ]
    for index in 0..<24 {
      let (key, range) = settings[index % settings.count]
      let value = Double.random(in: range, using: &random)
      let change = try place.run("ctl", "set", "/callbacks/\(key)", "\(value)")
      #expect(change.status == 0 && change.output.contains("it goes on"), "\(change.output)")
    }
    #expect(try place.run("ctl", "stop", "--wait").status == 0)
    #expect(try run.wait().status == 0)
    let heard = try channels("heard.wav", in: place)[0]
    let counted = try channels("counted.wav", in: place)
    #expect(heard.count == counted[0].count && heard.count > 4800)
    #expect(roughness(heard) < 0.01)
    for frame in counted[0].indices {
      let found = Double(counted[0][frame] / counted[1][frame])
      let expected = Double(frame % length) / Double(length)
      guard abs(found - expected) < 1e-5 else {
        Issue.record("frame \(frame) is \(found) of the file and not \(expected)")
        return
      }
    }
  }
}
