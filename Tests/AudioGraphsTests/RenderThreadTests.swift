import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Graphs that several threads render.
@Suite struct RenderThreadTests {
  ///     noise -> eq -> mixer:n -> io, for each input; every third one has two equalizers
  private func graph(threads: Int, branches: Int = 12) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: 1024))
    graph.renderThreadCount = threads
    let io = try graph.addNode(remoteIO, name: "io")
    let mix = try graph.addNode(mixer, name: "mix")
    try graph.unit(mix).setProperty(.elementCount, .input, to: .uint32(UInt32(branches)))
    for branch in 0..<branches {
      var last = try graph.addNode(equalizer, name: "eq \(branch)")
      try graph.unit(last).setProperty(
        .presentPreset, to: .preset(IPodEQ.presets[1 + branch % (IPodEQ.presets.count - 1)]))
      try graph.setInputCallback(
        NoiseCallback(amplitude: 0.05, seed: UInt64(branch + 1)), of: last)
      if branch.isMultiple(of: 3) {
        let second = try graph.addNode(equalizer, name: "second \(branch)")
        try graph.connect(last, to: second)
        last = second
      }
      try graph.connect(last, to: mix, branch)
    }
    try graph.connect(mix, to: io)
    try graph.initialize()
    return graph
  }

  @Test(arguments: [2, 3, 7])
  func `the samples are the same with any number of threads`(threads: Int) throws {
    let expected = try pulled(graph(threads: 1), 20_000)
    #expect(expected.contains { $0 != 0 })
    #expect(try pulled(graph(threads: threads), 20_000) == expected)
  }

  @Test func `what changes on the way changes with any number of threads`() throws {
    func changed(_ threads: Int) throws -> [UInt8] {
      let graph = try graph(threads: threads)
      let nodes = graph.nodes
      let head = try pulled(graph, 4096)
      // One branch is removed and fades out.
      try graph.disconnect(nodes[1], 2)
      try graph.update()
      return head + (try pulled(graph, 8192))
    }
    #expect(try changed(1) == changed(4))
  }

  @Test func `a closure is called by the thread that pulls alone`() throws {
    let graph = try openGraph(grant(frames: 1024))
    graph.renderThreadCount = 4
    let io = try graph.addNode(remoteIO, name: "io")
    let mix = try graph.addNode(mixer, name: "mix")
    try graph.unit(mix).setProperty(.elementCount, .input, to: .uint32(32))
    let threads = Mutex<Set<UInt>>([])
    for input in 0..<32 {
      try graph.setInputCallback(
        ClosureCallback { _, _, _, _, _ in
          threads.withLock { _ = $0.insert(pthread_self()) }
          return .ok
        }, of: mix, input)
    }
    try graph.connect(mix, to: io)
    try graph.initialize()
    _ = try pulled(graph, 16_384)
    #expect(threads.withLock { $0 } == [pthread_self()])
  }
}
