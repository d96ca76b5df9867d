import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import AudioGraphs

/// Splitters and mergers in graphs that are rendered offline.
struct RoutingTests {
  private static let splitter = Splitter.description.component
  private static let multiSplitter = MultiSplitter.description.component
  private static let merger = Merger.description.component

  private func add(
    _ component: ComponentDescription, to graph: AudioGraph, outputs: Int? = nil
  ) throws -> NodeID {
    let node = try graph.addNode(component, slice: 4096)
    let unit = try graph.unit(node)
    if let outputs {
      try unit.setProperty(.elementCount, .output, 0, to: .uint32(UInt32(outputs)))
    }
    return node
  }

  /// Notes the first frame of each pull.
  private func counted(_ notes: Notes) -> ClosureCallback {
    ClosureCallback(duration: nil) { _, time, _, frameCount, buffers in
      notes.note(Int(time.sampleTime))
      for channel in 0..<buffers.channelCount {
        let buffer = buffers[channel]
        for frame in 0..<frameCount {
          buffer[frame] = hashed(channel, Int(time.sampleTime) + frame)
        }
      }
      return .ok
    }
  }

  @Test(arguments: SampleType.allCases)
  func `every output of a splitter is its input to the bit, in every sample type`(
    sample: SampleType
  ) throws {
    let format = StreamFormat(sample, channels: 2, sampleRate: 48_000)
    let graph = try openGraph(grant(), default: format)
    let io = try graph.addNode(remoteIO)
    let split = try add(Self.multiSplitter, to: graph, outputs: 5)
    let mix = try add(mixer, to: graph)
    try graph.setInputCallback(counting(hashed), of: split)
    var probes: [ProbeTap] = []
    for output in 0..<5 {
      try graph.connect(split, output, to: mix, output)
      let probe = ProbeTap()
      try graph.addTap(probe, at: split, output)
      probes.append(probe)
    }
    let direct = ProbeTap()
    // The samples that a bus of that format carries.
    let other = try add(Self.splitter, to: graph)
    try graph.setInputCallback(counting(hashed), of: other)
    try graph.connect(other, 1, to: mix, 5)
    try graph.addTap(direct, at: other, 1)
    try graph.connect(mix, to: io)
    try graph.initialize()
    _ = try pulled(graph, 3000)
    #expect(probes[0].words.count == 2)
    #expect(probes[0].words[0].count == 3000)
    #expect(Set(probes[0].words[0]).count > 2000)
    for probe in probes { #expect(probe.words == direct.words) }
  }

  @Test func `what feeds a splitter is rendered once in a cycle, however many outputs are taken`()
    throws
  {
    for outputs in [1, 2, 7] {
      let graph = try openGraph()
      let io = try graph.addNode(remoteIO)
      let split = try add(Self.multiSplitter, to: graph, outputs: max(2, outputs))
      let mix = try add(mixer, to: graph)
      let notes = Notes()
      try graph.setInputCallback(counted(notes), of: split)
      for output in 0..<outputs { try graph.connect(split, output, to: mix, output) }
      try graph.connect(mix, to: io)
      try graph.initialize()
      let found = words(try pulled(graph, 2048), as: Float.self)
      #expect(notes.all == [0, 512, 1024, 1536])
      // The sum of up to 7 equal samples of 16 bits is exact in 24 bits.
      let wanted = (0..<2048).flatMap { frame in
        (0..<2).map { hashed($0, frame) * Float(outputs) }
      }
      #expect(found == wanted)
    }
  }

  @Test func `a merger puts the channels of its inputs side by side`() throws {
    let graph = try openGraph(grant(channels: 3), default: nil)
    let io = try graph.addNode(remoteIO)
    let merge = try add(Self.merger, to: graph)
    try graph.unit(merge).setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    try graph.unit(merge).setProperty(.streamFormat, .input, 1, to: .streamFormat(float(2)))
    try graph.setInputCallback(counting { _, frame in hashed(9, frame) }, of: merge, 0)
    try graph.setInputCallback(counting(hashed), of: merge, 1)
    try graph.connect(merge, to: io)
    let probe = ProbeTap()
    try graph.addTap(probe, at: merge)
    try graph.initialize()
    #expect(try graph.unit(merge).configuration().outputs[0].format == float(3))
    _ = try pulled(graph, 1000)
    #expect(probe.floats.count == 3)
    #expect(probe.floats[0] == (0..<1000).map { hashed(9, $0) })
    #expect(probe.floats[1] == (0..<1000).map { hashed(0, $0) })
    #expect(probe.floats[2] == (0..<1000).map { hashed(1, $0) })
  }

  @Test func `a merger converts nothing, and needs both of its inputs`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let merge = try add(Self.merger, to: graph)
    try graph.setInputCallback(counting(hashed), of: merge, 0)
    try graph.connect(merge, to: io)
    refused(.noConnection) { try graph.initialize() }
    try graph.unit(merge).setProperty(
      .streamFormat, .input, 1, to: .streamFormat(float(rate: 44_100)))
    try graph.setInputCallback(counting(hashed), of: merge, 1)
    let found = refused(.formatNotSupported) { try graph.initialize() }
    #expect(found?.rule == UnitRules.followingFormats)
  }

  @Test func `outputs are not pulled at two paces`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let split = try add(Self.splitter, to: graph)
    let mix = try add(mixer, to: graph)
    let conv = FormatConverter.description.component
    let there = try add(conv, to: graph)
    let back = try add(conv, to: graph)
    try graph.unit(there).setProperty(
      .streamFormat, .output, 0, to: .streamFormat(float(rate: 44_100)))
    try graph.setInputCallback(counting(hashed), of: split)
    try graph.connect(split, 0, to: mix, 0)
    try graph.connect(split, 1, to: there)
    try graph.connect(there, to: back)
    try graph.connect(back, to: mix, 1)
    try graph.connect(mix, to: io)
    #expect(refused(.parameterError) { try graph.initialize() }?.rule == OutputsInStep.rule)
    // After a common converter, both outputs have the same pace.
    try graph.disconnect(there)
    try graph.disconnect(mix, 0)
    try graph.disconnect(mix, 1)
    try graph.disconnect(back)
    let inner = try add(mixer, to: graph)
    try graph.unit(inner).setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try graph.connect(split, 0, to: inner, 0)
    try graph.connect(split, 1, to: inner, 1)
    try graph.connect(inner, to: there)
    try graph.connect(there, to: back)
    try graph.connect(back, to: mix, 0)
    try graph.initialize()
    _ = try pulled(graph, 2000)
  }

  @Test func `a splitter takes another branch while it plays`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let split = try add(Self.multiSplitter, to: graph, outputs: 3)
    let mix = try add(mixer, to: graph)
    try graph.setInputCallback(counting(hashed), of: split)
    try graph.connect(split, 0, to: mix, 0)
    try graph.connect(mix, to: io)
    try graph.initialize()
    graph.fadeDuration = 0
    var found = words(try pulled(graph, 1024), as: Float.self)
    try graph.connect(split, 2, to: mix, 1)
    try graph.update()
    found += words(try pulled(graph, 1024), as: Float.self)
    let wanted = (0..<2048).flatMap { frame in
      (0..<2).map { hashed($0, frame) * (frame < 1024 ? 1 : 2) }
    }
    #expect(found == wanted)
  }
}
