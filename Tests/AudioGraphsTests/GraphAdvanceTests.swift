import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// A graph whose first frames are rendered without being output.
struct GraphAdvanceTests {
  /// Counts the frames that it gets.
  private struct Listener: RenderTap {
    let heard = ControlBlock(count: 1)

    struct Kernel: RenderKernel {
      let heard: ControlAccess

      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        heard[word: 0] = heard[word: 0] &+ UInt32(context.frameCount)
        return .ok
      }
    }

    func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

    func makeSink(
      for format: StreamFormat, maximumFramesPerSlice: Int
    ) throws(CallbackProblem) -> RenderSink {
      RenderSink(kernel: .holding(Kernel(heard: heard.access), with: heard))
    }
  }

  /// A tone through an equalizer, which has a state, and a mixer with a volume ramp.
  private func graph(_ listener: Listener, closed: Bool, frames: Int = 512) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: frames))
    let io = try graph.addNode(remoteIO)
    let mixing = try graph.addNode(mixer)
    let eq = try graph.addNode(equalizer)
    try graph.unit(eq).setProperty(
      .presentPreset, to: .preset(#require(IPodEQ.preset(named: "Rock"))))
    try graph.setInputCallback(ToneCallback(frequency: 440), of: eq)
    try graph.connect(eq, to: mixing, 0)
    try graph.connect(mixing, to: io)
    try graph.addTap(listener, at: mixing, 0)
    try graph.addRamp(ParameterRamp(0, .input, 0, of: mixing, to: 0.1, at: 0.01, duration: 0.05))
    if closed { graph.closeTaps() }
    try graph.initialize()
    return graph
  }

  @Test(arguments: [1, 512, 777, 2000, 4096], [64, 512])
  func `a graph goes on where it has come to, to the bit`(first: Int, frames: Int) throws {
    let whole = try pulled(graph(Listener(), closed: false), 5000)
    let listener = Listener()
    let graph = try graph(listener, closed: true, frames: frames)
    #expect(try graph.advance(first) == first)
    #expect(listener.heard[word: 0] == 0)
    graph.openTaps()
    #expect(graph.session?.advancedFrames == first)
    let rest = try pulled(graph, 5000 - first)
    #expect(rest == Array(whole[(first * 8)...]))
    #expect(listener.heard[word: 0] == UInt32(5000 - first))
  }

  @Test func `what is skipped in a run is given to nobody`() throws {
    let whole = try pulled(graph(Listener(), closed: false), 5000)
    let listener = Listener()
    let graph = try graph(listener, closed: true)
    var bytes: [UInt8] = []
    var begun = 0
    let session = try #require(graph.session)
    let outcome = OfflineDevice(graph.grant).run(
      session, frameCount: 4000, services: graph.services, skipping: 1000,
      begin: {
        begun += 1
        #expect(session.renderedFrames == 1000)
        graph.openTaps()
      }, sink: { bytes += $0 })
    #expect(begun == 1)
    #expect(outcome.frameCount == 4000 && outcome.skippedFrames == 1000)
    #expect(bytes == Array(whole[8000...]))
    #expect(listener.heard[word: 0] == 4000)
  }

  @Test func `a graph that is not initialized, or is cancelled, does not advance`() throws {
    let graph = try openGraph()
    #expect(try graph.advance(100) == 0)
    let ready = try self.graph(Listener(), closed: false)
    #expect(
      try ready.advance(5000, isCancelled: { (ready.session?.renderedFrames ?? 0) > 900 }) == 1024)
  }
}
