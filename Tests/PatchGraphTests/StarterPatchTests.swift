import AudioGraphs
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import TestSupport
import Testing

@Suite struct StarterPatchTests {
  @Test func `there is one for each design pattern, by a name of its own`() {
    let names = StarterPatch.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(
      names == [
        "pass-through", "io-callback", "io-mixer", "one-callback", "mixer-host", "eq", "offline",
        "record", "voice-chat", "spatial",
      ])
  }

  @Test(arguments: StarterPatch.all.map(\.name), [44100.0, 48000.0])
  func `each validates without a warning and initializes`(name: String, rate: Double) throws {
    let patch = try #require(StarterPatch.named(name))
    var hardware = HardwareAssumption()
    hardware.sampleRate = rate
    // A folder without files that a recording could not replace.
    let folder = try TemporaryFolder()
    let built = PatchBuilder.build(
      patch.text, name: "new.json", directory: folder.path, hardware: hardware)
    // An iPod EQ supports 44.1 and 48 kHz.
    #expect(built.diagnostics.isEmpty, "\(built.diagnostics)")
    #expect(built.inputFiles.isEmpty)
    try #require(built.graph).initialize()
  }

  @Test(arguments: StarterPatch.all.map(\.name))
  func `each is commented, and formatted`(name: String) throws {
    let patch = try #require(StarterPatch.named(name))
    let source = SourceText(name: "new.json", text: patch.text)
    #expect(PatchFormatter.format(source).text == source.bytes)
    #expect(patch.text.contains("\"comment\""))
  }
}
