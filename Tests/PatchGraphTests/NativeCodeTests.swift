import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCore
import TestSupport
import Testing

@testable import PatchGraph

/// The libraries that a patch may load, at the start and during playback.
@Suite struct NativeCodeTests {
  private static let source = """
    #include "patchrun.h"
    OSStatus steady(void *refCon, AudioUnitRenderActionFlags *flags, const AudioTimeStamp *time,
                    UInt32 bus, UInt32 frames, AudioBufferList *data) {
      for (UInt32 f = 0; f < frames; f++) ((Float32 *)data->mBuffers[0].mData)[f] = bus + 0.25;
      return noErr;
    }
    """
  private static let first = Result { try NativeLibrary.build(source) }
  private static let second = Result { try NativeLibrary.build(source) }

  private func read(_ library: String, input: Int = 0) -> PatchReader.Result {
    PatchReader.read(
      SourceText(
        name: "native.json",
        text: """
          {
            "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 },
            "callbacks": { "c": { "kind": "native", "path": "\(library)", "symbol": "steady" } },
            "nodes": {
              "mixer": { "component": "MultichannelMixer",
                         "properties": { "maximumFramesPerSlice": 4096 } },
              "io": { "component": "remoteIO" }
            },
            "connections": [ { "from": "c", "to": "mixer:\(input)" }, { "from": "mixer", "to": "io" } ]
          }
          """))
  }

  private func build(_ library: String, _ code: NativeCode) -> BuiltPatch {
    PatchBuilder.build(
      read(library), directory: "", device: .assumed(HardwareAssumption()), nativeCode: code)
  }

  @Test func `a library that is not allowed is refused when the graph is initialized`() throws {
    let path = try Self.first.get()
    let patch = build(path, .refused)
    #expect(patch.diagnostics.isEmpty)
    #expect(patch.libraries == [.init(path: path, symbol: "steady")])
    let violation = #expect(throws: Violation.self) { try patch.graph?.initialize() }
    let diagnostic = try #require(violation.flatMap(patch.diagnostic))
    #expect(diagnostic.pointer == "/callbacks/c/path")
    #expect(diagnostic.message == "the library '\(path)' may not be loaded")
    #expect(throws: Never.self) { try build(path, .allowed).graph?.initialize() }
    #expect(throws: Never.self) { try build(path, .only([path])).graph?.initialize() }
    #expect(throws: Violation.self) { try build(path, .only(["/other"])).graph?.initialize() }
  }

  @Test func `a patch that was released finds the place of a violation by being built again`()
    throws
  {
    let path = try Self.first.get()
    let whole = build(path, .refused)
    var released = whole
    released.release { build(path, .refused) }
    #expect(released.document == nil)
    let violation = #expect(throws: Violation.self) { try released.graph?.initialize() }
    let diagnostic = try #require(violation.flatMap(released.diagnostic))
    #expect(diagnostic == violation.flatMap(whole.diagnostic))
  }

  @Test func `a change while it plays loads what was there at the start, and nothing else`() throws
  {
    let (path, other) = (try Self.first.get(), try Self.second.get())
    let reading = read(path)
    let patch = build(path, .allowed)
    let live = try #require(LivePatch(patch, from: reading, directory: ""))
    try live.graph.initialize()
    let refusal = #expect(throws: LivePatch.Refusal.self) { try live.play(read(other)) }
    guard case .wrong(let wrong)? = refusal else {
      Issue.record("not refused as wrong")
      return
    }
    #expect(wrong.diagnostics.map(\.pointer) == ["/callbacks/c/path"])
    #expect(throws: Never.self) { try live.play(read(path, input: 3)) }
  }
}
