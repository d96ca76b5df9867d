import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Libraries that are loaded when they are first needed, where they are not whole.
struct LoadedLibraryTests {
  struct Case: CustomTestStringConvertible {
    var library: String
    var arguments: [String]
    var status: Int32
    var message: String

    var testDescription: String { library }
  }

  static let cases = [
    Case(
      library: "libpulse.so.0", arguments: ["devices"], status: 3,
      message: "error: libpulse cannot be loaded ("),
    Case(
      library: "libcairo.so.2",
      arguments: [
        "render", "\(CommandLineTool.patches)/eq-mixer.json", "--duration", "0.1", "--picture",
        "waveform=a.png",
      ], status: 3,
      message:
        "error: the picture 'a.png' cannot be written: cairo, which draws it, cannot be loaded ("),
    Case(
      library: "libebur128.so.1",
      arguments: ["render", "\(CommandLineTool.patches)/measure.json", "-o", "a.wav"], status: 3,
      message: "error[PR0702]: libebur128, which measures loudness, cannot be loaded ("),
    Case(
      library: "libmysofa.so.1",
      arguments: ["validate", "\(CommandLineTool.patches)/around-the-head.json"], status: 1,
      message: "libmysofa, which reads it, cannot be loaded ("),
    Case(
      library: "libyaml-0.so.2",
      arguments: ["import", "\(ImportCommandTests.examples)/camilladsp/02-passes.yml"], status: 1,
      message: "libyaml, which reads YAML, cannot be loaded ("),
  ]

  @Test(arguments: cases)
  func `a library that cannot be loaded is named`(example: Case) throws {
    let place = try Workplace()
    try place.write("", to: "libraries/\(example.library)")
    place.environment["LD_LIBRARY_PATH"] = place.path("libraries")
    let outcome = try place.start(example.arguments).wait()
    #expect(outcome.status == example.status)
    #expect((outcome.output + outcome.errors).contains(example.message), "\(outcome)")
    #expect(outcome.errors.contains(example.library) || outcome.output.contains(example.library))
  }

  @Test(arguments: cases)
  func `what does not need a library does not load it`(example: Case) throws {
    let place = try Workplace()
    try place.write("", to: "libraries/\(example.library)")
    place.environment["LD_LIBRARY_PATH"] = place.path("libraries")
    let outcome = try place.start([
      "render", "\(CommandLineTool.patches)/eq-mixer.json", "--duration", "0.1", "-o", "a.wav",
    ]).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(arguments: ["libsndfile.so.1", "libsoxr.so.0", "libkissfft-float.so.131"])
  func `a sound of the program's own and a WAVE file need no library`(library: String) throws {
    let place = try Workplace()
    try place.write("", to: "libraries/\(library)")
    place.environment["LD_LIBRARY_PATH"] = place.path("libraries")
    try place.write(TestPatch.noise(), to: "noise.json")
    let render = ["render", "noise.json", "--duration", "0.1", "-o"]
    let wave = try place.start(render + ["a.wav"]).wait()
    #expect(wave.status == 0, "\(wave.errors)")
    #expect(try place.samples("a.wav").contains { abs($0) > 0.01 })
    // Nor does what is only said of the language.
    for words in [["schema"], ["explain", "PR0305"], ["validate", "noise.json"]] {
      let outcome = try place.start(words).wait()
      #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome.errors)")
    }
    guard library == "libsndfile.so.1" else { return }
    // What needs it says so, and leaves nothing.
    let other = try place.start(render + ["a.flac"]).wait()
    #expect(other.status != 0 && other.errors.contains("libsndfile.so.1"), "\(other.errors)")
    #expect(!place.exists("a.flac"))
  }

  @Test func `arguments that a command refuses are refused as the program refuses them`() {
    for arguments in [
      ["render", "--nonsense", "a.json"], ["validate", "--help"], ["render"],
      ["show", "--version"],
      ["explain", "a", "b", "c"],
    ] {
      let answers = [Patchrun.command(of:), { try Patchrun.parseAsRoot($0) }].map { parse in
        do {
          // Help is a command that throws what it says.
          var command = try parse(arguments)
          try command.run()
          return "done"
        } catch {
          return Patchrun.fullMessage(for: error)
        }
      }
      #expect(answers[0] == answers[1] && answers[0] != "done", "\(arguments)")
    }
  }
}
