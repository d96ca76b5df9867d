import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchSyntax
import Testing

@testable import PatchGraph

/// Quoted numbers with units, and constants.
@Suite struct QuantityTests {
  private static func patch(
    constants: String = "{}", volume: String, amplitude: String = "0.5", at: String = "1",
    duration: String = "1", to: String = "0", more: String = ""
  ) -> String {
    """
    {
      "constants": \(constants),
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "tone": { "kind": "tone", "amplitude": \(amplitude) } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "parameters": { "volume": \(volume) } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "mixer:0" }, { "from": "mixer", "to": "io" } ],
      "timeline": [
        {
          "at": \(at),
          "ramp": {
            "path": "/nodes/mixer/inputs/0/parameters/volume", "to": \(to), "duration": \(duration)
          }
        }
      ]\(more)
    }
    """
  }

  private static func volume(of patch: BuiltPatch) throws -> Float {
    let node = try #require(patch.layout.nodes["mixer"])
    return try #require(try patch.graph?.unit(node).parameter(0, .input, 0))
  }

  @Test(arguments: [
    ("\"-6 dB\"", -6.0), ("\"-6dB\"", -6), ("\"+3.5 dB\"", 3.5), ("\"0 dB\"", 0),
    ("\"-60.25 dB\"", -60.25),
  ])
  func `decibels are the factor that they are`(text: String, decibels: Double) throws {
    let patch = PatchBuilder.build(Self.patch(volume: text))
    #expect(!patch.hasErrors, "\(patch.diagnostics)")
    #expect(try Self.volume(of: patch) == Float(pow(10, decibels / 20)))
  }

  @Test(arguments: [
    ("\"250 ms\"", 0.25), ("\"250ms\"", 0.25), ("\"1.5 s\"", 1.5), ("\"2s\"", 2), ("0.75", 0.75),
  ])
  func `a time is read with its unit`(text: String, seconds: Double) throws {
    let reading = PatchReader.read(
      SourceText(name: "p.json", text: Self.patch(volume: "1", at: text, duration: text)))
    #expect(reading.diagnostics.isEmpty)
    let step = try #require(reading.document?.timeline.first)
    #expect(step.at?.value == .seconds(seconds))
    #expect(step.ramp?.duration?.value == .seconds(seconds))
  }

  @Test(arguments: [
    "\"-6 db\"", "\"-6 Db\"", "\"6 ms\"", "\"dB\"", "\"- 6 dB\"", "\"1e1 dB\"", "\"-6  dB\"",
  ])
  func `other spellings and other units are refused`(text: String) {
    let errors = PatchBuilder.build(Self.patch(volume: text)).diagnostics.filter {
      $0.severity == .error
    }
    #expect(errors.map(\.code) == ["PR0552"])
  }

  @Test func `a misspelt unit is put right`() throws {
    let fixed = PatchFixer.fix(
      SourceText(name: "p.json", text: Self.patch(volume: "\"-6 db\"")), directory: "",
      device: .assumed(HardwareAssumption()))
    #expect(fixed.patch.diagnostics.isEmpty)
    #expect(try Self.volume(of: fixed.patch) == Float(pow(10, -6.0 / 20)))
  }

  @Test func `settings of callbacks and targets of ramps have units, too`() throws {
    let patch = PatchBuilder.build(
      Self.patch(volume: "1", amplitude: "\"-20 dB\"", to: "\"-40 dB\""))
    #expect(patch.diagnostics.isEmpty)
    let ramp = try #require(patch.graph?.ramps.first)
    #expect(ramp.target == Float(pow(10, -40.0 / 20)))
  }

  // MARK: Constants

  @Test func `a constant is what it names, wherever it stands`() throws {
    let patch = PatchBuilder.build(
      Self.patch(
        constants:
          "{ \"level\": \"-6 dB\", \"soon\": \"250 ms\", \"half\": 0.5, \"name\": \"tone\" }",
        volume: "\"$level\"", amplitude: "\"$half\"", at: "\"$soon\"", to: "\"$half\""
      ).replacing("\"kind\": \"tone\"", with: "\"kind\": \"$name\""))
    #expect(patch.diagnostics.isEmpty, "\(patch.diagnostics)")
    #expect(try Self.volume(of: patch) == Float(pow(10, -6.0 / 20)))
    #expect(patch.document?.timeline.first?.at?.value == .seconds(0.25))
  }

  @Test func `a constant that is not there is told once, with what was meant`() throws {
    let patch = PatchBuilder.build(
      Self.patch(constants: "{ \"level\": 1 }", volume: "\"$levl\""))
    #expect(patch.diagnostics.map(\.code) == ["PR0114"])
    let fixed = PatchFixer.fix(
      patch.source, directory: "", device: .assumed(HardwareAssumption()))
    #expect(fixed.patch.diagnostics.isEmpty)
    // The text keeps the constant.
    #expect(String(decoding: fixed.patch.source.bytes, as: UTF8.self).contains("\"$level\""))
  }

  @Test func `a mistake in a constant is shown where it is named`() throws {
    let text = Self.patch(constants: "{ \"pan\": 7 }", volume: "1")
      .replacing("\"volume\": 1", with: "\"pan\": \"$pan\"")
    let error = try #require(PatchBuilder.build(text).diagnostics.first)
    #expect(error.code == "PR0552")
    #expect(error.pointer == "/nodes/mixer/inputs/0/parameters/pan")
  }

  @Test func `a title, a comment and a constant are left as they are`() {
    let text = Self.patch(
      constants: "{ \"path\": \"$HOME\" }", volume: "1", more: ", \"title\": \"$title\"")
    let patch = PatchBuilder.build(
      text.replacing("\"kind\"", with: "\"comment\": \"$5\", \"kind\""))
    #expect(patch.diagnostics.isEmpty)
    #expect(patch.title == "$title")
  }

  @Test func `a change of a constant changes what names it`() throws {
    let text = Self.patch(constants: "{ \"level\": 0.5 }", volume: "\"$level\"")
    let reading = PatchReader.read(
      SourceText(name: "p.json", text: text), overrides: ["/constants/level=0.25"])
    let patch = PatchBuilder.build(reading)
    #expect(patch.diagnostics.isEmpty)
    #expect(try Self.volume(of: patch) == 0.25)
  }
}
