import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Libraries loaded on first use that are damaged or missing.
struct LoadedLibraryTests {
  struct Case: CustomTestStringConvertible {
    var library: String
    /// The Debian package.
    var package: String
    var arguments: [String]
    var status: Int32 = 3
    /// The message before the reason.
    var message: String

    var testDescription: String { library }
  }

  private static func render(_ patch: String, _ options: String...) -> [String] {
    ["render", "\(CommandLineTool.patches)/\(patch).json", "--duration", "0.1"] + options
  }

  static let cases = [
    Case(
      library: "libpulse.so.0", package: "libpulse0", arguments: ["devices"],
      message: "error: libpulse cannot be loaded ("),
    Case(
      library: "libcairo.so.2", package: "libcairo2",
      arguments: render("eq-mixer", "--picture", "waveform=a.png"),
      message:
        "error: the picture 'a.png' cannot be written: cairo, which draws it, cannot be loaded ("),
    Case(
      library: "libebur128.so.1", package: "libebur128-1",
      arguments: render("measure", "-o", "a.wav"),
      message: "error[PR0702]: libebur128, which measures loudness, cannot be loaded ("),
    Case(
      library: "libmysofa.so.1", package: "libmysofa1",
      arguments: ["validate", "\(CommandLineTool.patches)/around-the-head.json"],
      message: "libmysofa, which reads it, cannot be loaded ("),
    Case(
      library: "libyaml-0.so.2", package: "libyaml-0-2",
      arguments: ["import", "\(CommandLineTool.dialects)/camilladsp/02-passes.yml"],
      message: "libyaml, which reads YAML, cannot be loaded ("),
    Case(
      library: "libcrypto.so.3", package: "libssl3",
      arguments: ["batch", "run", "jobs.jsonl", "--out", "out"],
      message: "libcrypto, which makes keys, cannot be loaded ("),
    Case(
      library: "libsndfile.so.1", package: "libsndfile1",
      arguments: ["render", "noise.json", "--duration", "0.1", "-o", "a.flac"],
      message: "'a.flac' cannot be written: libsndfile, which reads and writes sound files, cannot "
        + "be loaded ("),
    Case(
      library: "libsoxr.so.0", package: "libsoxr0",
      arguments: ["render", "pass.json", "--input", "in.wav", "-o", "a.wav"],
      message: "libsoxr, which converts rates, cannot be loaded ("),
  ]

  private func place() throws -> Workplace {
    let place = try Workplace()
    try place.write(TestPatch.noise(), to: "noise.json")
    try place.write(TestPatch.passThrough, to: "pass.json")
    let other = TestPatch.noise().replacing("48000", with: "44100")
    try place.write(other, to: "other.json")
    try place.run("render", "other.json", "--duration", "0.1", "-o", "in.wav")
    _ = try place.shell(#""$PATCHRUN" batch plan noise.json --duration 0.1 > jobs.jsonl"#).wait()
    return place
  }

  @Test(arguments: cases)
  func `a library that cannot be loaded is named, and the package that has it`(
    example: Case
  ) throws {
    let place = try place()
    try place.write("", to: "libraries/\(example.library)")
    place.environment["LD_LIBRARY_PATH"] = place.path("libraries")
    let outcome = try place.start(example.arguments).wait()
    #expect(outcome.status == example.status, "\(outcome)")
    let said = outcome.output + outcome.errors
    #expect(
      said.contains(
        example.message + example.library + " cannot be used: file too short; the Debian package "
          + example.package + " has a whole one)"), "\(outcome)")
    #expect(!place.exists("a.wav") && !place.exists("a.flac") && !place.exists("a.png"))
  }

  /// A shim with which the loader does not find the library in `MISSING_LIBRARY`.
  private static let missing = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <string.h>
    void *dlopen(const char *file, int mode) {
      void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
      const char *name = getenv("MISSING_LIBRARY");
      if (!file || !name || strcmp(file, name)) return next(file, mode);
      char path[256] = "/nowhere/";
      strncat(path, name, 200);
      return next(path, mode);
    }
    """

  @Test func `a library that is not there is named, and the package that has it`() throws {
    let shim = try NativeLibrary.build(Self.missing, flags: ["-shared", "-fPIC", "-ldl"])
    for example in Self.cases {
      let place = try place()
      place.environment["LD_PRELOAD"] = shim
      place.environment["MISSING_LIBRARY"] = example.library
      let outcome = try place.start(example.arguments).wait()
      #expect(outcome.status == example.status, "\(example): \(outcome)")
      #expect(
        (outcome.output + outcome.errors).contains(
          example.message + example.library + " is not installed; the Debian package "
            + example.package + " has it)"), "\(example): \(outcome)")
      #expect(!outcome.errors.contains("/nowhere"), "\(example): \(outcome)")
    }
  }

  @Test func `a library that nobody asks for beforehand is named, too, and nothing crashes`()
    throws
  {
    let place = try place()
    try place.write("", to: "libraries/libkissfft-float.so.131")
    place.environment["LD_LIBRARY_PATH"] = place.path("libraries")
    // Our own code transforms powers of two; other lengths need kissfft.
    let spectrum = #"{ "spectrum": { "kind": "spectrum", "at": "mixer", "size": 3000 } }"#
    try place.write(TestPatch.noise(taps: spectrum), to: "noise.json")
    let outcome = try place.run("render", "noise.json", "--duration", "1", "-o", "a.wav")
    #expect(outcome.status == 3, "\(outcome)")
    #expect(
      outcome.errors.contains("the Debian package libkissfft-float131 has a whole one"),
      "\(outcome)")
  }

  @Test(arguments: cases.filter { !["libsndfile.so.1", "libsoxr.so.0"].contains($0.library) })
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
    // Neither do commands about the language.
    for words in [["schema"], ["explain", "PR0305"], ["validate", "noise.json"]] {
      let outcome = try place.start(words).wait()
      #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(words): \(outcome.errors)")
    }
    guard library == "libsndfile.so.1" else { return }
    // A command that needs it reports that, and leaves no file.
    let other = try place.start(render + ["a.flac"]).wait()
    #expect(other.status == 3 && other.errors.contains("libsndfile.so.1"), "\(other.errors)")
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
          // Parsing help throws its text, also when it runs as a command.
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
