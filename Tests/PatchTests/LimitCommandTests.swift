import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

/// The output limit of a run, by the patch and by the command line.
@Suite struct LimitCommandTests {
  /// A tone at 26 dB above full scale.
  private static func patch(_ limits: String, device: String = "remoteIO") -> String {
    """
    {
      \(limits)
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "tone": { "kind": "tone", "frequency": 441 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "parameters": { "volume": 20 } } }
        },
        "io": { "component": "\(device)" }
      },
      "connections": [ { "from": "tone", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
    }
    """
  }

  @Test(
    arguments: [
      ("", ["--limit-peak", "-6"], -6), ("", ["--limit-peak=-6dB"], -6),
      ("", ["--limit-peak", "-6 dBFS"], -6),
      ("\"limits\": { \"outputPeak\": \"-12 dB\" },", [], -12),
      ("\"limits\": { \"outputPeak\": 0.25 },", [], -12.041),
      ("\"limits\": { \"outputPeak\": \"-12 dB\" },", ["--limit-peak", "-6"], -12),
      ("\"limits\": { \"outputPeak\": \"-3 dB\" },", ["--limit-peak", "-6"], -6),
      (
        "\"limits\": { \"outputPeak\": \"-3 dB\" },", ["--set", "/limits/outputPeak=\"-9 dB\""], -9
      ),
    ] as [(String, [String], Double)])
  func `a render is never above the lower of the two`(
    limits: String, options: [String], level: Double
  ) throws {
    let place = try Workplace()
    try place.write(Self.patch(limits), to: "loud.json")
    let outcome = try place.start(
      ["render", "loud.json", "--duration", "0.5", "-o", "out.wav", "--json"] + options
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let peak = try place.samples("out.wav").map(\.magnitude).max() ?? 0
    let limit = pow(10, level / 20)
    #expect(Double(peak) <= limit * 1.000_02 && Double(peak) > limit * 0.9999)
    #expect(outcome.errors.contains(", limited to "))
    #expect(outcome.errors.contains(" dBFS for 0.5"))
    #expect(outcome.output.contains("\"outputLimit\""))
  }

  @Test func `without a limit nothing is different, and a limit that is not met says nothing`()
    throws
  {
    let place = try Workplace()
    try place.write(
      Self.patch("").replacingOccurrences(of: "\"volume\": 20", with: "\"volume\": 0.25"),
      to: "soft.json")
    #expect(try place.run("render", "soft.json", "--duration", "0.5", "-o", "a.wav").status == 0)
    let outcome = try place.run(
      "render", "soft.json", "--duration", "0.5", "-o", "b.wav", "--limit-peak", "-6")
    #expect(outcome.status == 0 && !outcome.errors.contains("limited"))
    #expect(try place.samples("a.wav") == (try place.samples("b.wav")))
  }

  @Test(arguments: ["6", "-121", "loud", "", "-6 dBm", "0.5.1"])
  func `a level that is none is wrong usage`(level: String) throws {
    let place = try Workplace()
    try place.write(Self.patch(""), to: "loud.json")
    let outcome = try place.run(
      "render", "loud.json", "--duration", "0.5", "-o", "out.wav", "--limit-peak", level)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("is no level: it is -120 to 0 decibels"), "\(outcome.errors)")
  }

  @Test func `show and diff say the limit`() throws {
    let place = try Workplace()
    try place.write(Self.patch("\"limits\": { \"outputPeak\": \"-6 dB\" },"), to: "a.json")
    try place.write(Self.patch(""), to: "b.json")
    #expect(
      try place.run("show", "a.json").output.contains("  the output is never above -6 dBFS\n"))
    let diff = try place.run("diff", "a.json", "b.json").output
    #expect(
      diff.contains(
        "ramp: the output is not limited any more, and was limited to -6 dBFS  (/limits/outputPeak)"
      ),
      "\(diff)")
  }

  @Test func `an update of the timeline leaves the limits alone`() throws {
    let place = try Workplace()
    try place.write(
      Self.patch(
        "\"timeline\": [ { \"at\": 1, \"update\": [ { \"op\": \"add\", \"path\": \"/limits\", "
          + "\"value\": { \"outputPeak\": 1 } } ] } ],"), to: "a.json")
    let outcome = try place.run("validate", "a.json")
    #expect(outcome.status == 1 && outcome.output.contains("PR0805"), "\(outcome.output)")
  }

  @Test(.enabled(if: PrivatePulse.isInstalled))
  func `a run is never above it whatever a door asks for, and says so`() throws {
    let pulse = try PrivatePulse()
    let place = try Workplace()
    place.environment = pulse.environment
    try place.write(
      Self.patch("\"limits\": { \"outputPeak\": \"-3 dB\", \"requestedGain\": \"120 dB\" },"),
      to: "loud.json")
    let run = try place.start(["run", "loud.json", "--limit-peak", "-6", "--duration", "30"])
    #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    let volume = "/nodes/mixer/inputs/0/parameters/volume"
    #expect(try place.run("ctl", "set", volume, "100000").status == 0)
    let refused = try place.run("ctl", "set", volume, "1e30")
    #expect(refused.status == 1 && refused.errors.contains("error[PR0612]"), "\(refused.errors)")
    #expect(refused.errors.contains("would be 600 dB"))
    let lower = try place.run("ctl", "set", "/limits/outputPeak", "-12 dB")
    #expect(lower.output.contains("the output is limited to -12 dBFS"), "\(lower.output)")
    #expect(lower.output.contains(": ramp"))
    let status = try readStatus(place)
    #expect(status["outputLimit"]?["level"]?.number == -12)
    #expect((status["outputLimit"]?["seconds"]?.number ?? 0) > 0)
    // A request cannot exceed the limit of the command line.
    #expect(try place.run("ctl", "set", "/limits/outputPeak", "0 dB").status == 0)
    #expect(try readStatus(place)["outputLimit"]?["level"]?.number == -6)
    let text = try place.run("ctl", "status").output
    #expect(text.contains("output limited to -6.0 dBFS, turned down for "), "\(text)")
    // The samples that the sink gets.
    let samples = try pulse.record().stop(after: 1)
    #expect(samples.allSatisfy { $0.magnitude <= 0.501188 })
    #expect(samples.contains { $0.magnitude > 0.5 })
    #expect(try place.run("ctl", "stop", "--wait").status == 0)
    let ended = try run.wait()
    #expect(ended.status == 0 && ended.errors.contains(", limited to -6 dBFS for "))
  }

  private func readStatus(_ place: Workplace) throws -> JSONValue {
    let text = try place.run("ctl", "status", "--json").output
    return try #require(
      JSONReader.read(
        SourceText(name: "status", bytes: Array(text.utf8)), dialect: .json
      ).tree?.root)
  }
}
