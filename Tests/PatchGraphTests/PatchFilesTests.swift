import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import Testing

@Suite struct PatchFilesTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../patches").standardized

  static let files =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".json") }) ?? []

  @Test(arguments: files)
  func `each patch builds without a word, renders, and sounds`(file: String) throws {
    let bytes = try [UInt8](Data(contentsOf: Self.folder.appending(path: file)))
    // A copy, since a patch may record beside itself.
    let copy = FileManager.default.temporaryDirectory.appending(
      path: "patches-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: Self.folder, to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    let reading = PatchReader.read(bytes: bytes, name: file)
    let patch = PatchBuilder.build(
      reading, directory: copy.path, device: .assumed(HardwareAssumption()))
    let text = TextRenderer(source: patch.source).render(patch.diagnostics)
    #expect(patch.diagnostics.isEmpty, "\(text)")
    let graph = try #require(patch.graph)
    try graph.initialize()
    let session = try #require(graph.session)
    let device = OfflineDevice(
      graph.grant,
      microphone: { (position, buffer) throws(ServiceError) in
        for frame in buffer.indices { buffer[frame] = Float((position + frame) % 100) / 200 }
      })
    var isSounding = false
    let outcome = device.run(
      session, frameCount: 44_100, services: graph.services,
      sink: { (slice) throws(ServiceError) in
        if !isSounding { isSounding = slice.contains { $0 != 0 } }
      })
    #expect(outcome.errors.isEmpty)
    #expect(outcome.frameCount == 44_100)
    #expect(session.failedSlices.count == 0)
    if session.configuration.device != nil { #expect(isSounding) }
  }
}
