import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderHost

/// Formulas. One without problems must compile, and all its samples must be finite.
final class ExpressionFuzzer: Fuzzer {
  private static let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
  private static let grant = HardwareGrant(
    outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
    inputFormat: nil, ioBufferFrames: 61)

  func take(_ bytes: [UInt8]) {
    let callback = ExpressionCallback(
      value: String(decoding: bytes, as: UTF8.self), constants: ["depth": 0.3, "x": -1e300])
    let needsInput = callback.input == .required
    guard callback.problems(for: Self.format).isEmpty, !needsInput else { return }
    let graph = AudioGraph(assuming: Self.grant)
    defer { graph.close() }
    do {
      let io = try graph.addNode(RemoteIO.description.component)
      try graph.open()
      graph.defaultStreamFormat = Self.format
      try graph.setInputCallback(callback, of: io)
      try graph.initialize()
    } catch {
      fatalError("a formula without problems does not become a graph: \(error)")
    }
    guard let session = graph.session else { fatalError("an initialized graph has no session") }
    var sound: [UInt8] = []
    let outcome = OfflineDevice(Self.grant).run(
      session, frameCount: 150, services: graph.services,
      sink: { (bytes) throws(ServiceError) in sound += bytes })
    demand(outcome.errors.isEmpty && session.failedSlices.count == 0, "a slice fails")
    for index in stride(from: 0, to: sound.count, by: 4) {
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(sound[index + $1]) << (8 * $1) }
      demand(Float(bitPattern: word).isFinite, "a sample is not finite")
    }
  }
}
