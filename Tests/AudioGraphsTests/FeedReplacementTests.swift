import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import TestSupport
import Testing

/// Setting a feed on an input that has one replaces it, as in Core Audio's units; the old one fades
/// out.
struct FeedReplacementTests {
  /// A graph that plays a callback with this level.
  private func playing(
    _ level: Float
  ) throws -> (graph: AudioGraph, mix: NodeID) {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.connect(mix, to: io)
    try graph.setInputCallback(counting { _, _ in level }, of: mix, 0)
    try graph.initialize()
    #expect(words(try pulled(graph, 100), as: Float.self).allSatisfy { $0 == level })
    return (graph, mix)
  }

  /// Checks that the left channel goes from one level to another without a step.
  private func fades(
    _ graph: AudioGraph, from first: Float, to last: Float
  ) throws {
    let frames = words(try pulled(graph, 2400), as: Float.self)
    let left = stride(from: 0, to: frames.count, by: 2).map { frames[$0] }
    #expect(left.last == last)
    let steps = zip([first] + left, left).map { abs($0 - $1) }
    // A fade of 20 ms is 960 frames at 48 kHz, with 1.5 times the mean slope in the middle.
    #expect(steps.max() ?? 1 <= abs(last - first) / 960 * 1.51 + 1e-6)
    #expect(left.contains { $0 > min(first, last) && $0 < max(first, last) })
  }

  @Test func `a callback over a callback, within one edit`() throws {
    let (graph, mix) = try playing(0.25)
    try graph.setInputCallback(counting { _, _ in 0.75 }, of: mix, 0)
    #expect(graph.pendingEditCount == 1)
    try graph.update()
    try fades(graph, from: 0.25, to: 0.75)
    #expect(try graph.interactions(of: mix).count == 2)
  }

  @Test func `a connection over a callback, and a callback over a connection`() throws {
    let (graph, mix) = try playing(0.25)
    let second = try graph.addNode(mixer)
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: second, 0)
    try graph.connect(second, to: mix, 0)
    try graph.update()
    try fades(graph, from: 0.25, to: 0.5)
    try graph.setInputCallback(counting { _, _ in 1 }, of: mix, 0)
    try graph.update()
    try fades(graph, from: 0.5, to: 1)
    // The output is free again.
    try graph.connect(second, to: mix, 1)
    try graph.update()
    try fades(graph, from: 1, to: 1.5)
  }

  @Test func `a property set over what feeds a unit does the same`() throws {
    let (graph, mix) = try playing(0.25)
    let unit = try graph.unit(mix)
    try unit.setProperty(
      .setRenderCallback, .input, 0, to: .renderCallback(counting { _, _ in 0.5 }))
    try graph.update()
    try fades(graph, from: 0.25, to: 0.5)
    let second = try graph.addNode(mixer)
    try graph.setInputCallback(counting { _, _ in 0.125 }, of: second, 0)
    try unit.setProperty(
      .makeConnection, .input, 0,
      to: .connection(UnitConnection(from: graph.unit(second), to: 0)))
    try graph.update()
    try fades(graph, from: 0.5, to: 0.125)
  }

  @Test func `a connection that is there already goes on as it is`() throws {
    let (graph, mix) = try playing(0.25)
    let io = graph.nodes[0]
    try graph.connect(mix, to: io)
    try graph.update()
    let frames = words(try pulled(graph, 100), as: Float.self)
    #expect(frames.allSatisfy { $0 == 0.25 })
  }

  @Test func `a replacement that is refused leaves what is there`() throws {
    let (graph, mix) = try playing(0.25)
    let second = try graph.addNode(mixer)
    let third = try graph.addNode(mixer)
    try graph.connect(second, to: third)
    try graph.update()
    try graph.connect(second, to: mix, 0)
    #expect(throws: GraphUpdateError.self) { try graph.update() }
    #expect(words(try pulled(graph, 100), as: Float.self).allSatisfy { $0 == 0.25 })
  }
}
