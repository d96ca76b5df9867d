import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderHost
import SoundFiles
import TestSupport
import Testing

extension PatchBuilder {
  /// The patch of a text, on the hardware that is assumed.
  static func build(
    _ text: String, name: String = "patch.json", overrides: [String] = [],
    limits: PatchLimits = .standard, directory: String = "",
    hardware: HardwareAssumption = HardwareAssumption(), notes: Bool = false
  ) -> BuiltPatch {
    build(
      PatchReader.read(
        SourceText(name: name, text: text), overrides: overrides, limits: limits),
      directory: directory, hardware: hardware, notes: notes)
  }

  /// The patch of what has been read, on the hardware that is assumed.
  static func build(
    _ reading: PatchReader.Result, directory: String = "",
    hardware: HardwareAssumption = HardwareAssumption(), notes: Bool = false
  ) -> BuiltPatch {
    build(reading, directory: directory, device: .assumed(hardware), notes: notes)
  }
}

extension TemporaryFolder {
  /// The patch of a text whose files are in the folder, on hardware at 44.1 kHz.
  func build(_ text: String, overrides: [String] = [], frames: Int? = nil) -> BuiltPatch {
    var hardware = HardwareAssumption()
    hardware.sampleRate = 44_100
    hardware.ioBufferFrames = frames
    return PatchBuilder.build(text, overrides: overrides, directory: path, hardware: hardware)
  }

  /// Writes a sound file of floats.
  func write(
    _ samples: [Double], to name: String, channels: Int = 1, rate: Double = 48_000
  ) throws {
    let writer = try SoundFileWriter(
      path: path(name), format: StreamFormat(.float32, channels: channels, sampleRate: rate),
      sampleType: nil)
    try writer.write(samples, frameCount: samples.count / channels)
    try writer.close()
  }
}

extension BuiltPatch {
  /// Renders a patch that must have no errors, and returns its output, which must not be silent.
  func played(frameCount: Int) throws -> [UInt8] {
    let words = TextRenderer(source: source).render(diagnostics)
    #expect(!hasErrors, "\(words)")
    let graph = try #require(self.graph)
    try graph.initialize()
    let session = try #require(graph.session)
    var bytes: [UInt8] = []
    let outcome = OfflineDevice(graph.grant).run(
      session, frameCount: frameCount, services: graph.services,
      sink: { (slice) throws(ServiceError) in bytes += slice })
    #expect(outcome.errors.isEmpty && session.failedSlices.count == 0)
    #expect(bytes.contains { $0 != 0 })
    return bytes
  }
}
