import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

@testable import AudioGraphs

/// Calls that must not wait while another thread holds the graph's lock, as when plans compile and
/// files open.
@Suite struct GraphPresentTests {
  private let remoteIO = RemoteIO.description.component

  private func playing() throws -> AudioGraph {
    let graph = AudioGraph(
      assuming: HardwareGrant(
        outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
        inputFormat: nil, ioBufferFrames: 512))
    let io = try graph.addNode(remoteIO, name: "io")
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
    try graph.setInputCallback(ToneCallback(), of: mixer, 0)
    try graph.setInputCallback(ToneCallback(), of: mixer, 1)
    try graph.connect(mixer, to: io)
    return graph
  }

  /// Calls `body` while a thread holds the graph's lock. Returns the result, or `nil` if `body`
  /// waits for the lock.
  ///
  /// - Parameter everything: Whether the thread also holds the lock for reading the state.
  private func whileLocked<Result: Sendable>(
    _ graph: AudioGraph, everything: Bool = false, _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let (held, free, over) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let result = Box<Result?>(nil)
    Thread.detachNewThread {
      func hold() {
        held.signal()
        free.wait()
      }
      graph.state.withLock { _ in
        if everything { graph.present.withLock { _ in hold() } } else { hold() }
      }
    }
    held.wait()
    Thread.detachNewThread {
      let value = body()
      result.value.withLock { $0 = value }
      over.signal()
    }
    let isDone = over.wait(timeout: .now() + 20) == .success
    free.signal()
    if !isDone { over.wait() }
    return isDone ? result.value.withLock { $0 } : nil
  }

  private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  @Test func `a render notification leaves its wish while another thread changes the graph`() throws
  {
    let graph = try playing()
    let answers = Box<[Bool]>([])
    let token = graph.addRenderNotification { _, _, _ in
      let isDone = try? graph.updateWithoutWaiting()
      answers.value.withLock { $0.append(isDone ?? true) }
    }
    try graph.initialize()
    let session = try #require(graph.session)
    let mixer = try #require(graph.nodes.last)
    try graph.disconnect(mixer, 1)
    #expect(graph.pendingEditCount == 1)
    // It takes neither of the locks, not even the one that is only held briefly.
    let status = whileLocked(graph, everything: true) { () -> Status in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 512 * 8, alignment: 16)
      defer { unsafe memory.deallocate() }
      return unsafe session.pull(512, into: memory)
    }
    #expect(status == .ok)
    #expect(answers.value.withLock { $0 } == [false, false])
    graph.collect()
    #expect(graph.pendingEditCount == 0)
    graph.removeRenderNotification(token)
  }

  @Test func `who looks on waits for nobody who changes the graph`() throws {
    let graph = try playing()
    try graph.initialize()
    let seen = whileLocked(graph) { () -> Bool in
      graph.outputPeakLimit = 0.5
      graph.outputPeakCeiling = 0.25
      return graph.session != nil && graph.pendingEditCount == 0 && graph.lostFrames == 0
        && graph.cpuLoad == 0 && graph.takeMaximumCPULoad() == 0 && graph.serviceErrors.isEmpty
        && graph.reading(of: TapID(rawValue: 1)) == nil && graph.readings.isEmpty
        && graph.playing.nodes.map(\.name) == ["io", "mixer"] && graph.playing.ramps.isEmpty
    }
    #expect(seen == true)
    #expect(graph.session?.outputPeakLimit == 0.25)
  }

  @Test func `the lower of two limits holds, in every session that begins`() throws {
    let graph = try playing()
    graph.outputPeakLimit = 0.5
    try graph.initialize()
    #expect(graph.session?.outputPeakLimit == 0.5)
    graph.outputPeakCeiling = 0.75
    #expect(graph.session?.outputPeakLimit == 0.5)
    graph.outputPeakLimit = nil
    #expect(graph.session?.outputPeakLimit == 0.75)
    try graph.uninitialize()
    #expect(graph.session == nil)
    graph.outputPeakCeiling = 0.125
    try graph.initialize()
    #expect(graph.session?.outputPeakLimit == 0.125)
    graph.outputPeakCeiling = nil
    #expect(graph.session?.outputPeakLimit == nil)
  }
}
