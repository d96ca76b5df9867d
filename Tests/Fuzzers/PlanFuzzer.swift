import AudioGraphs
import Diagnostics
import FileAccess
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import RenderTaps

/// Patches from text to sound. A patch that `validate` accepts must initialize, apply all its
/// updates and render, and its output must not depend on the slices.
final class PlanFuzzer: Fuzzer {
  private let folder: String
  private let limits: PatchLimits

  init() {
    folder = NSTemporaryDirectory() + "patchrun-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var limits = PatchLimits.standard
    // The sanitizer's memory counts too.
    limits[.memory] = 64 << 20
    limits[.seconds] = 2
    self.limits = limits
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? { bytes.indices }

  func take(_ bytes: [UInt8]) {
    let reading = PatchReader.read(bytes: bytes, name: "patch.json", limits: limits)
    let surroundings = PatchSurroundings(
      directory: folder, files: FilePolicy(patchIn: folder, isConfined: true), takes: Takes(),
      limits: limits)
    func build() -> BuiltPatch {
      PatchBuilder.build(reading, in: surroundings, device: .assumed(HardwareAssumption()))
    }
    let patch = build()
    _ = TextRenderer(source: patch.source).render(patch.diagnostics)
    guard let graph = patch.graph, !patch.hasErrors else {
      demand(patch.hasErrors, "there is no graph, and no error")
      return
    }
    let whole = render(graph, patch, reading, surroundings, slice: 512)
    let other = build()
    guard let graph = other.graph else { fatalError("the second time it is no patch") }
    let cut = render(graph, other, reading, surroundings, slice: 97)
    guard let whole, let cut else { return }
    demand(whole == cut, "it sounds otherwise in other slices")
  }

  /// The bytes of 1,200 rendered frames; `nil` if a file could not be opened, read or closed.
  private func render(
    _ graph: AudioGraph, _ patch: BuiltPatch, _ reading: PatchReader.Result,
    _ surroundings: PatchSurroundings, slice: Int
  ) -> [UInt8]? {
    defer { graph.close() }
    do throws(Violation) {
      try graph.initialize()
    } catch {
      fatalError("validate finds nothing, and initialize: \(error.message)")
    }
    if !patch.updates.isEmpty {
      let live = LivePatch(patch, from: reading, in: surroundings)
      do throws(LivePatch.Refusal) {
        try live?.planUpdates(upTo: .infinity)
      } catch {
        fatalError("validate finds nothing, and an update: \(error)")
      }
    }
    guard let session = graph.session else { fatalError("an initialized graph has no session") }
    var grant = graph.grant
    grant.ioBufferFrames = min(slice, grant.ioBufferFrames)
    var sound: [UInt8] = []
    let outcome = OfflineDevice(grant).run(
      session, frameCount: 1200, services: graph.services, progress: { _ in graph.collect() },
      sink: { (bytes) throws(ServiceError) in sound += bytes })
    guard outcome.errors.isEmpty else { return nil }
    demand(session.failedSlices.count == 0, "a slice fails: \(session.failedSlices.status)")
    return sound
  }
}
