import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// Which edits are possible in which state, and the codes of refusals.
struct GraphEditTests {
  // MARK: Nodes and components

  @Test func `nodes are numbered from 1 and keep their order`() throws {
    let graph = AudioGraph(assuming: grant())
    let io = try graph.addNode(remoteIO, name: "io")
    let mix = try graph.addNode(mixer)
    #expect(graph.nodes.map(\.rawValue) == [1, 2])
    #expect(try graph.node(at: 1) == mix)
    #expect(try graph.nodeInfo(io).component == remoteIO)
    #expect(try graph.nodeInfo(io).name == "io")
    #expect(try graph.nodeInfo(mix).name == "node 2")
    try graph.removeNode(io)
    #expect(try graph.addNode(equalizer).rawValue == 3)
    #expect(graph.nodeCount == 2)
    refused(.nodeNotFound) { _ = try graph.node(at: 2) }
    refused(.nodeNotFound) { _ = try graph.nodeInfo(io) }
    refused(.nodeNotFound) { try graph.removeNode(io) }
  }

  @Test func `a node has a unit from open to close`() throws {
    let graph = AudioGraph(assuming: grant())
    let io = try graph.addNode(remoteIO)
    #expect(try graph.nodeInfo(io).unit == nil)
    refused(.uninitialized) { _ = try graph.unit(io) }
    try graph.open()
    let unit = try graph.unit(io)
    try graph.open()
    #expect(try graph.unit(io) === unit)
    let late = try graph.addNode(mixer)
    #expect(try graph.unit(late).elementCount(.input) == 8)
    graph.close()
    #expect(try graph.nodeInfo(io).unit == nil)
  }

  @Test func `a second output unit is refused when it is added`() throws {
    let graph = AudioGraph(assuming: grant())
    try graph.addNode(remoteIO, name: "io")
    let found = refused(.outputNode) { try graph.addNode(genericOutput) }
    #expect(found?.status.rawValue == -10862)
    #expect(found?.message.contains("'io'") == true)
    #expect(graph.nodeCount == 1)
  }

  @Test func `a wildcard must find exactly one component`() throws {
    let graph = AudioGraph(assuming: grant())
    let found = refused(.invalidAudioUnit) {
      try graph.addNode(ComponentDescription(type: .mixerType))
    }
    #expect(found?.rule.code == "PR0201")
    #expect(found?.message.contains("3DMixer, MultichannelMixer") == true)
    let none = refused(.invalidAudioUnit) { try graph.addNode(ComponentDescription(type: "aumu")) }
    #expect(none?.rule.code == "PR0201")
    let flagged = refused(.invalidAudioUnit) {
      var wanted = mixer
      wanted.flags = 1
      try graph.addNode(wanted)
    }
    #expect(flagged?.message.contains("flags") == true)
    let node = try graph.addNode(ComponentDescription(subtype: "ipeq"))
    #expect(try graph.nodeInfo(node).component == equalizer)
  }

  // MARK: Interactions

  @Test func `an unknown node is refused by every edit`() throws {
    for isInitialized in [false, true] {
      let graph = try openGraph()
      let io = try graph.addNode(remoteIO)
      try graph.setInputCallback(ToneCallback(), of: io)
      if isInitialized { try graph.initialize() }
      let ghost = NodeID(rawValue: 9)
      refused(.nodeNotFound) { try graph.connect(ghost, to: io) }
      refused(.nodeNotFound) { try graph.connect(io, 1, to: ghost) }
      refused(.nodeNotFound) { try graph.setInputCallback(ToneCallback(), of: ghost) }
      refused(.nodeNotFound) { try graph.disconnect(ghost) }
      refused(.nodeNotFound) { try graph.removeNode(ghost) }
      refused(.nodeNotFound) { _ = try graph.interactions(of: ghost) }
      #expect(graph.pendingEditCount == 0)
    }
  }

  @Test func `a node does not feed itself, the sides of an I/O unit apart`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    refused(.invalidConnection) { try graph.connect(mix, to: mix, 3) }
    refused(.invalidConnection) { try graph.connect(io, 0, to: io, 0) }
    refused(.invalidConnection) { try graph.connect(io, 1, to: io, 1) }
    try graph.connect(io, 1, to: io, 0)
  }

  @Test func `an output feeds one input, and a second feed of an input replaces the first`() throws
  {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    let one = try graph.addNode(equalizer)
    let two = try graph.addNode(equalizer)
    try graph.connect(one, to: mix, 0)
    refused(.invalidConnection) { try graph.connect(one, to: mix, 1) }
    try graph.setInputCallback(ToneCallback(), of: one)
    try graph.connect(two, to: mix, 0)
    // The output that was replaced is free again.
    try graph.connect(one, to: mix, 1)
    try graph.disconnect(mix, 1)
    try graph.connect(two, to: mix, 0)
    try graph.connect(mix, to: io)
    #expect(graph.interactions.count == 3)
    #expect(try graph.interactions(of: mix).count == 2)
    #expect(graph.interactions.map(\.destination) == [one, mix, io])
    #expect(graph.interactions[1].connection == Connection(from: two, to: mix))
  }

  @Test func `where nothing is connected, disconnect is refused`() throws {
    let graph = try openGraph()
    let mix = try graph.addNode(mixer)
    refused(.invalidConnection) { try graph.disconnect(mix) }
    try graph.setInputCallback(ToneCallback(), of: mix, 2)
    try graph.disconnect(mix, 2)
    refused(.invalidConnection) { try graph.disconnect(mix, 2) }
    try graph.clearConnections()
    #expect(graph.interactions.isEmpty)
  }

  @Test func `a node that is removed takes its interactions along`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    let one = try graph.addNode(equalizer)
    try graph.setInputCallback(ToneCallback(), of: one)
    try graph.connect(one, to: mix)
    try graph.connect(mix, to: io)
    try graph.removeNode(mix)
    #expect(graph.interactions.count == 1)
    // Both ends are free again.
    try graph.connect(one, to: io)
    try graph.initialize()
  }

  // MARK: States

  @Test func `each call is refused in the states that do not permit it`() throws {
    let graph = AudioGraph(assuming: grant())
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    graph.defaultStreamFormat = float()
    #expect(refused(.uninitialized) { try graph.initialize() }?.status.rawValue == -10867)
    #expect(graph.violations().map(\.status) == [.uninitialized])
    #expect(refused(.badComponentInstance) { try graph.uninitialize() } != nil)
    try graph.open()
    #expect(graph.isOpen)
    do {
      try graph.start()
      Issue.record("it started")
    } catch {
      guard case .refused(let violation) = error else {
        Issue.record("another error")
        return
      }
      #expect(violation.status.rawValue == -10863)
    }
    try graph.initialize()
    #expect(graph.isInitialized)
    #expect(try graph.unit(io).isInitialized)
    try graph.initialize()
    try graph.start()
    try graph.start()
    #expect(graph.isRunning)
    #expect(try graph.unit(io).property(.isRunning) == .uint32(1))
    refused(.outputNode) { try graph.removeNode(io) }
    graph.stop()
    graph.stop()
    #expect(!graph.isRunning)
    #expect(try graph.unit(io).property(.isRunning) == .uint32(0))
    try graph.uninitialize()
    #expect(!graph.isInitialized)
    #expect(try !graph.unit(io).isInitialized)
    try graph.uninitialize()
    graph.close()
    #expect(!graph.isOpen)
    #expect(
      refused(.badComponentInstance) { try graph.uninitialize() }?.status.rawValue == -2_147_450_879
    )
  }

  @Test func `close stops and uninitializes, and everything can be had again`() throws {
    let graph = AudioGraph(assuming: grant())
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    graph.defaultStreamFormat = float()
    try graph.setInputCallback(counting(hashed), of: mix, 0)
    try graph.connect(mix, to: io)
    var renders: [[UInt8]] = []
    for _ in 0..<2 {
      try graph.open()
      try graph.unit(mix).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
      for _ in 0..<2 {
        try graph.initialize()
        renders.append(try pulled(graph, 3000))
        try graph.uninitialize()
      }
      try graph.initialize()
      try graph.start()
      graph.close()
      #expect(!graph.isRunning && !graph.isInitialized && !graph.isOpen)
      #expect(graph.interactions.count == 2)
    }
    #expect(renders.count == 4)
    #expect(renders.allSatisfy { $0 == renders[0] })
    #expect(renders[0].contains { $0 != 0 })
  }

  @Test func `a listener of the output unit may ask the graph`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    try graph.initialize()
    let calls = Notes()
    _ = try graph.unit(io).addListener(.isRunning) { _, _, _ in
      calls.note(graph.isRunning ? 1 : 0)
    }
    try graph.start()
    graph.stop()
    #expect(calls.all == [1, 0])
  }

  // MARK: Update

  /// Tone -> mixer:0, mixer -> io, initialized.
  private func mixing() throws -> (graph: AudioGraph, io: NodeID, mix: NodeID) {
    let graph = try openGraph()
    graph.fadeDuration = 0
    let io = try graph.addNode(remoteIO, name: "io")
    let mix = try graph.addNode(mixer, name: "mix", slice: 4096)
    try graph.setInputCallback(counting { _, _ in 0.25 }, of: mix, 0)
    try graph.connect(mix, to: io)
    try graph.initialize()
    return (graph, io, mix)
  }

  @Test func `edits of an initialized graph wait for update`() throws {
    let (graph, _, mix) = try mixing()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 1)
    #expect(graph.pendingEditCount == 1)
    #expect(graph.interactions.count == 2)
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.25, count: 8))
    #expect(try graph.update())
    #expect(graph.pendingEditCount == 0)
    #expect(graph.interactions.count == 3)
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.75, count: 8))
    try graph.disconnect(mix, 0)
    try graph.update()
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.5, count: 8))
    #expect(try graph.update())
  }

  @Test func `a callback that replaces another is heard in its place`() throws {
    let (graph, _, mix) = try mixing()
    try graph.disconnect(mix, 0)
    try graph.setInputCallback(counting { _, _ in -1 }, of: mix, 0)
    try graph.update()
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: -1, count: 8))
  }

  @Test func `a node that is added live joins with update`() throws {
    let (graph, _, mix) = try mixing()
    let late = try graph.addNode(equalizer, slice: 4096)
    #expect(try !graph.unit(late).isInitialized)
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.25, count: 8))
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: late)
    try graph.connect(late, to: mix, 1)
    try graph.update()
    #expect(try graph.unit(late).isInitialized)
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.75, count: 8))
    let unit = try graph.unit(late)
    try graph.removeNode(late)
    #expect(graph.nodeCount == 3)
    try graph.update()
    #expect(graph.nodeCount == 2)
    #expect(!unit.isInitialized)
    #expect(words(try pulled(graph, 4), as: Float.self) == Array(repeating: 0.25, count: 8))
  }

  @Test func `the edit that fails is named, those before it are done, those after it wait`() throws
  {
    let (graph, _, mix) = try mixing()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 1)
    try graph.disconnect(mix, 5)
    try graph.setInputCallback(counting { _, _ in 2 }, of: mix, 2)
    do {
      try graph.update()
      Issue.record("the update did not stop")
    } catch {
      #expect(error.editIndex == 1)
      #expect(error.violation.status == .invalidConnection)
    }
    #expect(graph.pendingEditCount == 1)
    #expect(words(try pulled(graph, 2), as: Float.self) == Array(repeating: 0.75, count: 4))
    try graph.update()
    #expect(words(try pulled(graph, 2), as: Float.self) == Array(repeating: 2.75, count: 4))
  }

  @Test func `edits that lead to a graph that cannot be are not carried out`() throws {
    let (graph, io, mix) = try mixing()
    try graph.disconnect(io)
    do {
      try graph.update()
      Issue.record("the update did not stop")
    } catch {
      #expect(error.editIndex == nil)
      #expect(error.violation.status == .noConnection)
    }
    #expect(graph.pendingEditCount == 1)
    #expect(words(try pulled(graph, 2), as: Float.self) == Array(repeating: 0.25, count: 4))
    // The mixer's output is in use as before.
    #expect(try graph.unit(io).configuration().inputs[0].use == .connection)
    try graph.connect(mix, to: io)
    try graph.update()
    #expect(words(try pulled(graph, 2), as: Float.self) == Array(repeating: 0.25, count: 4))
    try graph.clearConnections()
    graph.discardPendingEdits()
    #expect(try graph.update())
    #expect(graph.interactions.count == 2)
  }

  @Test func `an input that is initialized takes only the format it has`() throws {
    let (graph, _, mix) = try mixing()
    let late = try graph.addNode(equalizer, slice: 4096)
    let unit = try graph.unit(late)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1)))
    try graph.setInputCallback(ToneCallback(), of: late)
    // The input is playing. A free one would take the format: see `LiveFormatTests`.
    try graph.connect(late, to: mix, 0)
    refused(.propertyNotWritable) { try graph.update() }
  }

  @Test func `what is pending at uninitialize is carried out`() throws {
    let (graph, io, mix) = try mixing()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 1)
    try graph.uninitialize()
    #expect(graph.pendingEditCount == 0)
    #expect(graph.interactions.count == 3)
    try graph.initialize()
    #expect(words(try pulled(graph, 2), as: Float.self) == Array(repeating: 0.75, count: 4))
    try graph.removeNode(io)
    refused(.outputNode) { try graph.update() }
  }
}
