import AudioGraphs
import Diagnostics
import PatchGraph
import RenderHost
import Testing

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
