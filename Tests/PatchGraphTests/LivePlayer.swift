import AudioGraphs
import Diagnostics
import PatchSyntax
import RenderCore
import RenderHost
import Testing

@testable import PatchGraph

/// Plays a patch into an array.
final class LivePlayer {
  let live: LivePatch
  let device: OfflineDevice
  /// The frames played so far, by channel.
  private(set) var heard: [[Float]] = []
  /// An object that must live as long as the patch plays, such as its folder.
  private let kept: AnyObject?

  var left: [Float] { heard.first ?? [] }

  init(
    _ text: String, frames: Int = 256, directory: String = "", keeping kept: AnyObject? = nil
  ) throws {
    self.kept = kept
    var assumption = HardwareAssumption()
    assumption.ioBufferFrames = frames
    assumption.inputChannels = 1
    let reading = Self.read(text)
    let patch = PatchBuilder.build(reading, directory: directory, hardware: assumption)
    #expect(patch.diagnostics.filter { $0.severity == .error }.map(\.message) == [])
    live = try #require(LivePatch(patch, from: reading, directory: directory))
    try live.graph.initialize()
    device = OfflineDevice(live.graph.grant)
  }

  static func read(_ text: String) -> PatchReader.Result {
    PatchReader.read(SourceText(name: "live.json", text: text))
  }

  /// - Parameter betweenSlices: Called after each slice.
  func pull(
    _ frameCount: Int,
    betweenSlices: (LivePatch) throws(ServiceError) -> Void = { _ in }
  ) throws {
    let session = try #require(live.graph.session)
    let channels = Int(session.configuration.device?.channelsPerFrame ?? 0)
    if heard.isEmpty { heard = Array(repeating: [], count: channels) }
    var bytes: [UInt8] = []
    let outcome = device.run(
      session, frameCount: frameCount, services: live.graph.services.map { Kept($0) },
      progress: { (_) throws(ServiceError) in
        live.graph.collect()
        try betweenSlices(live)
      }, sink: { bytes += $0 })
    #expect(outcome.errors == [])
    #expect(session.failedSlices.count == 0)
    let samples = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    for (index, sample) in samples.enumerated() { heard[index % channels].append(sample) }
  }

  @discardableResult
  func play(_ text: String, at time: Double? = nil) throws -> [PatchChange] {
    try live.play(Self.read(text), at: time)
  }
}

/// A service that is not finished between two pulls.
private final class Kept: RenderService {
  private let service: any RenderService
  init(_ service: any RenderService) { self.service = service }
  func service(atLeast frameCount: Int) throws(ServiceError) {
    try service.service(atLeast: frameCount)
  }
  func finish() throws(ServiceError) {}
  var lostFrames: Int { service.lostFrames }
}
