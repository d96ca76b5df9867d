import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Native callbacks on the command line, with the example of the distribution.
struct NativeCommandTests {
  let place: Workplace

  init() throws {
    place = try Workplace()
    // A copy of the example in another folder, so that `patches/` stays unchanged.
    let folder = CommandLineTool.patches
    try FileManager.default.createDirectory(
      atPath: place.path("native"), withIntermediateDirectories: true)
    for name in ["bit-crusher.json", "crusher.c"] {
      try FileManager.default.copyItem(
        atPath: "\(folder)/native/\(name)", toPath: place.path("native/\(name)"))
    }
    try FileManager.default.copyItem(atPath: "\(folder)/audio", toPath: place.path("audio"))
  }

  private func build() throws {
    try NativeLibrary.build(
      file: "patches/native/crusher.c", to: place.path("native/crusher.so"))
  }

  @Test func `the example is rendered where that is allowed, and named`() throws {
    try build()
    #expect(try place.run("validate", "--deny-warnings", "native").status == 0)
    #expect(try place.run("fmt", "--check", "native").status == 0)
    let refused = try place.run(
      "render", "native/bit-crusher.json", "--duration", "1", "-o", "out.wav")
    #expect(refused.status == 2)
    #expect(
      refused.errors
        == """
        error: the patch calls native code, which has not been allowed: 'native/crusher.so' (crusher_render)
          = help: '--allow-native' allows it, if you trust whoever wrote it: it can do all that you can

        """)
    #expect(!place.exists("out.wav"))
    let live = try place.run("native/bit-crusher.json")
    #expect(live.status == 2 && live.errors == refused.errors)
    let outcome = try place.run(
      "render", "native/bit-crusher.json", "--duration", "1", "-o", "out.wav", "--allow-native")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.hasPrefix(
        "note: the patch calls native code: 'native/crusher.so' (crusher_render)\n"))
    let samples = try place.samples("out.wav")
    #expect(samples.count == 88_200)
    #expect(samples.contains { $0 != 0 })
    // Samples have five bits, and each value is held for six frames.
    #expect(samples.allSatisfy { ($0 * 16).rounded() == $0 * 16 })
    let areHeld = stride(from: 0, to: 88_188, by: 12).allSatisfy { samples[$0] == samples[$0 + 10] }
    #expect(areHeld)
  }

  @Test func `a library that is not built yet is an error that says how`() throws {
    let outcome = try place.run("validate", "native/bit-crusher.json")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("there is no library 'native/crusher.so'"))
    #expect(
      outcome.output.contains(
        "cc -O2 -shared -fPIC -I Sources/CPatchrun/include -o native/crusher.so native/crusher.c -lm"
      ))
  }

  @Test func `a function that is missing, and a refusal, are shown in the patch`() throws {
    try build()
    let missing = try place.run(
      "render", "native/bit-crusher.json", "--duration", "1", "-o", "out.wav", "--allow-native",
      "--set", "/callbacks/crushed/symbol=crusher_rendr")
    #expect(missing.status == 3)
    #expect(
      missing.errors.contains(
        "error[PR0701]: the library 'native/crusher.so' has no function 'crusher_rendr'"))
    #expect(missing.errors.contains("/callbacks/crushed/symbol"))
    let refused = try place.run(
      "render", "native/bit-crusher.json", "--duration", "1", "-o", "out.wav", "--allow-native",
      "--set", "/callbacks/crushed/refCon=bits=99 hold=1")
    #expect(refused.status == 3)
    #expect(refused.errors.contains("'crusher_prepare' refuses to be prepared"))
    #expect(refused.errors.contains("/callbacks/crushed/prepare"))
    #expect(!place.exists("out.wav"))
  }

  /// Writes a patch with a library that creates a file when it is loaded, and fails when it is
  /// called.
  private func writeFailing() throws {
    let library = try NativeLibrary.build(
      """
      #include <stdio.h>
      #include "patchrun.h"
      __attribute__((constructor)) static void loaded(void) {
        fclose(fopen("\(place.path("loaded"))", "w"));
      }
      OSStatus fail(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                    UInt32 bus, UInt32 frames, AudioBufferList *data) {
        return kAudioUnitErr_CannotDoInCurrentContext;
      }
      """)
    try place.write(
      TestPatch.generic(#"{ "kind": "native", "path": "\#(library)", "symbol": "fail" }"#),
      to: "fail.json")
  }

  @Test func `nothing but a run or a render loads a library`() throws {
    try writeFailing()
    try place.run("validate", "fail.json")
    try place.run("validate", "--fix", "fail.json")
    try place.run("show", "fail.json")
    try place.run("show", "fail.json", "--format", "json")
    try place.run("diff", "fail.json", "fail.json")
    try place.run("render", "fail.json", "--duration", "1", "-o", "out.wav")
    #expect(!place.exists("loaded"))
    try place.run(
      "render", "fail.json", "--duration", "1", "-o", "out.wav", "--allow-native",
      "--allow-silence")
    #expect(place.exists("loaded"))
  }

  @Test func `a function that fails is silence, and the render is a failure that says so`() throws {
    try writeFailing()
    let outcome = try place.run(
      "render", "fail.json", "--duration", "0.1", "-o", "out.wav", "--allow-native",
      "--allow-silence")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors.contains(
        "could not be rendered: kAUGraphErr_CannotDoInCurrentContext (-10863)"))
    #expect(try place.samples("out.wav").allSatisfy { $0 == 0 })
  }
}
