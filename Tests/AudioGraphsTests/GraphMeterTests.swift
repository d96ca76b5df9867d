import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import TestSupport
import Testing

///     tone ──> eq ──> mixer ──> io       a tap at the mixer; eq's bus has 16 bits
///     hashed ───────> mixer:1
struct GraphMeterTests {
  /// A tap that ignores its samples.
  private struct Listener: RenderTap {
    struct Kernel: RenderKernel {
      @_noLocks
      mutating func render(_ context: RenderContext) -> Status { .ok }
    }

    func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

    func makeSink(
      for format: StreamFormat, maximumFramesPerSlice: Int
    ) throws(CallbackProblem) -> RenderSink {
      RenderSink(kernel: .holding(Kernel()))
    }
  }

  private func graph(_ meter: RenderMeter?) throws -> AudioGraph {
    let graph = try openGraph(default: StreamFormat(.int16, channels: 2, sampleRate: 48_000))
    graph.setMeter(meter)
    let io = try graph.addNode(remoteIO, name: "io")
    let mixing = try graph.addNode(mixer, name: "mixer")
    let eq = try graph.addNode(equalizer, name: "eq")
    try graph.setInputCallback(ToneCallback(frequency: 440), of: eq)
    try graph.connect(eq, to: mixing, 0)
    try graph.setInputCallback(counting(hashed), of: mixing, 1)
    try graph.connect(mixing, to: io)
    try graph.addTap(Listener(), at: mixing, 0, name: "ear")
    try graph.initialize()
    return graph
  }

  @Test func `a graph that is measured renders the same`() throws {
    let plain = try pulled(graph(nil), 5000)
    let measured = try pulled(graph(RenderMeter(eventCount: 8)), 5000)
    #expect(plain == measured)
    #expect(plain.contains { $0 != 0 })
  }

  @Test func `each part is measured under its name, as often as it runs`() throws {
    let meter = RenderMeter()
    _ = try pulled(graph(meter), 5120)
    let readings = Dictionary(
      uniqueKeysWithValues: meter.readings.map { ($0.part, $0) })
    let parts: [RenderMeter.Part] = [
      .unit("eq"), .unit("mixer"), .callback(node: "eq", input: 0, behind: 0),
      .callback(node: "mixer", input: 1, behind: 0), .tap("ear"),
    ]
    for part in parts { #expect(readings[part]?.count == 10, "\(part)") }
    #expect(try #require(readings[.unit("eq")]).nanoseconds > 0)
    // The conversion to 16-bit samples.
    #expect(try #require(readings[.conversion]).count >= 10)
    #expect(Set(readings.keys) == Set(parts + [.conversion]))
  }

  @Test func `what a part pulls is not its own time`() throws {
    let meter = RenderMeter(eventCount: 1000)
    let graph = try openGraph()
    graph.setMeter(meter)
    let io = try graph.addNode(remoteIO, name: "io")
    let converter = try graph.addNode(FormatConverter.description.component, name: "converter")
    let unit = try graph.unit(converter)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(rate: 44_100)))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    // A slow callback.
    let slow = ClosureCallback { _, _, _, _, _ in
      var sum = 0.0
      for index in 1...200_000 { sum += 1 / Double(index) }
      return sum > 0 ? .ok : .noConnection
    }
    try graph.setInputCallback(slow, of: converter)
    try graph.connect(converter, to: io)
    try graph.initialize()
    _ = try pulled(graph, 5120)
    let readings = meter.readings
    let pulls = try #require(
      readings.first { $0.part == .callback(node: "converter", input: 0, behind: 0) })
    let own = try #require(readings.first { $0.part == .unit("converter") })
    let events = meter.keptEvents.filter { $0.part == .unit("converter") }
    let whole = events.reduce(0) { $0 + $1.end - $1.begin }
    #expect(events.count == own.count)
    #expect(own.nanoseconds + pulls.nanoseconds <= whole)
    #expect(pulls.nanoseconds * 2 > whole)
  }

  @Test func `so many runs are kept as were asked for, and all are counted`() throws {
    let meter = RenderMeter(eventCount: 7)
    _ = try pulled(graph(meter), 5120)
    let events = meter.keptEvents
    #expect(events.count == 7)
    #expect(events.allSatisfy { $0.begin <= $0.end })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.end <= $1.end })
    #expect(meter.readings.reduce(0) { $0 + $1.count } > 50)
  }

  @Test func `measuring calls no heap`() throws {
    let graph = try graph(RenderMeter(eventCount: 100))
    let session = try #require(graph.session)
    var memory = [UInt8](repeating: 0, count: 8 * 512)
    unsafe memory.withUnsafeMutableBytes { memory in
      _ = unsafe session.pull(512, into: memory.baseAddress)
      #expect(
        allocations {
          for _ in 0..<20 { _ = unsafe session.pull(512, into: memory.baseAddress) }
        } == 0)
    }
  }
}
