import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import TestSupport
import Testing

@Suite struct PatchFilesTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../patches").standardized

  static let files =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".test.json") }) ?? []

  /// A copy of the patches' folder, since a patch may record there: without test files and their sounds.
  private final class Copy: TemporaryFolder {
    init() throws {
      try super.init()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where !name.hasSuffix(".test.json") && !name.hasSuffix(".golden.flac") {
        try FileManager.default.copyItem(
          at: folder.appending(path: name), to: url.appending(path: name))
      }
    }

    func build(_ file: String, frames: Int? = nil) throws -> BuiltPatch {
      var hardware = HardwareAssumption()
      hardware.ioBufferFrames = frames
      return PatchBuilder.build(
        PatchReader.read(bytes: try bytes(file), name: file), directory: path, hardware: hardware)
    }
  }

  private func render(_ patch: BuiltPatch, frameCount: Int) throws -> [UInt8] {
    let graph = try #require(patch.graph)
    try graph.initialize()
    let session = try #require(graph.session)
    let device = OfflineDevice(
      graph.grant,
      microphone: { (position, buffer) throws(ServiceError) in
        for frame in buffer.indices { buffer[frame] = Float((position + frame) % 100) / 200 }
      })
    var bytes: [UInt8] = []
    let outcome = device.run(
      session, frameCount: frameCount, services: graph.services,
      sink: { (slice) throws(ServiceError) in bytes += slice })
    #expect(outcome.errors.isEmpty)
    #expect(outcome.frameCount == frameCount)
    #expect(session.failedSlices.count == 0)
    return bytes
  }

  @Test(arguments: files)
  func `each patch builds without a word, renders, and sounds`(file: String) throws {
    let copy = try Copy()
    let patch = try copy.build(file)
    let text = TextRenderer(source: patch.source).render(patch.diagnostics)
    #expect(patch.diagnostics.isEmpty, "\(text)")
    let bytes = try render(patch, frameCount: 44_100)
    if patch.graph?.session?.configuration.device != nil {
      let isSounding = bytes.contains { $0 != 0 }
      #expect(isSounding)
    }
  }

  @Test(arguments: files)
  func `each patch gives the same bytes however it is sliced, and every time`(file: String) throws {
    let copy = try Copy()
    let expected = try render(copy.build(file), frameCount: 6000)
    for frames in [1, 64, 333, 1024, 4096] {
      let patch = try copy.build(file, frames: frames)
      // With a microphone, 4096 frames may exceed the units' maximum, which another test checks.
      guard !patch.hasErrors else {
        #expect(frames == 4096)
        continue
      }
      let isSame = try render(patch, frameCount: 6000) == expected
      #expect(isSame, "slices of \(frames)")
    }
  }

  @Test(arguments: files)
  func `the render thread makes no heap call in any patch`(file: String) throws {
    let copy = try Copy()
    let graph = try #require(try copy.build(file).graph)
    try graph.initialize()
    let session = try #require(graph.session)
    let services = graph.services
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024 * 64, alignment: 64)
    defer { unsafe bytes.deallocate() }
    for service in services { try service.service(atLeast: 1024) }
    for _ in 0..<20 {
      for service in services { try service.service(atLeast: 1024) }
      let memory = session.configuration.device == nil ? nil : bytes.baseAddress
      let calls = allocations { unsafe session.pull(1024, into: memory) }
      #expect(calls == 0)
    }
    for service in services { try service.finish() }
  }
}
