import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCore
import RenderHost
import TestSupport
import Testing

/// A glide belongs to one change: a value that is set after a ramp takes as long as one that is set
/// without a ramp before.
struct GlideTests {
  private static let volume = MultichannelMixer.Parameter.volume
  private static let pan = MultichannelMixer.Parameter.pan

  /// Expects a straight line of 480 frames from one value to another.
  private func expectLine(
    _ found: [Float], from first: Float, to last: Float,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for frame in found.indices {
      let expected = frame < 479 ? first + (last - first) / 480 * Float(frame + 1) : last
      #expect(abs(found[frame] - expected) < 2e-5, "frame \(frame)", sourceLocation: sourceLocation)
    }
  }

  /// Ramps that end within a slice, at its end, or after it, and are not scheduled again.
  @Test(arguments: [300, 512, 1024])
  func `a volume that is set after a scheduled ramp takes 480 frames`(length: UInt32) throws {
    let (graph, mix) = try volumeGraph()
    try graph.initialize()
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters(
      [
        ParameterEvent(
          Self.volume, .input, 0,
          .ramp(startBufferOffset: 0, durationInFrames: length, startValue: 1, endValue: 0.5))
      ], of: mix)
    let before = try #require(try pulledLeft(graph, 1024).last)
    try graph.unit(mix).setParameter(Self.volume, .input, 0, to: 1)
    expectLine(try pulledLeft(graph, 1024), from: before, to: 1)
  }

  @Test func `a pan that is set after a scheduled ramp of the volume takes 480 frames`() throws {
    let (graph, mix) = try volumeGraph()
    try graph.initialize()
    _ = try pulledLeft(graph, 512)
    try graph.scheduleParameters(
      [
        ParameterEvent(
          Self.volume, .input, 0,
          .ramp(startBufferOffset: 0, durationInFrames: 300, startValue: 1, endValue: 0.5))
      ], of: mix)
    _ = try pulledLeft(graph, 512)
    try graph.unit(mix).setParameter(Self.pan, .input, 0, to: 1)
    expectLine(try pulledLeft(graph, 1024), from: 0.5, to: 0)
  }

  /// With another timeline, and with none.
  @Test(arguments: [true, false])
  func `a volume that is set after its ramp was taken out takes 480 frames`(isReplaced: Bool) throws
  {
    let (graph, mix) = try volumeGraph()
    let ramp = ParameterRamp(Self.volume, .input, 0, of: mix, to: 0, at: 0, duration: 1)
    try graph.addRamp(ramp)
    try graph.initialize()
    _ = try pulledLeft(graph, 10_000)
    var other = ramp
    other.start = 5
    try graph.setTimeline(isReplaced ? [other] : [])
    try graph.update()
    let before = try #require(try pulledLeft(graph, 1024).last)
    try graph.unit(mix).setParameter(Self.volume, .input, 0, to: 1)
    expectLine(try pulledLeft(graph, 1024), from: before, to: 1)
  }

  @Test func `a pan that is set after a ramp of the volume was taken out takes 480 frames`() throws
  {
    let (graph, mix) = try volumeGraph()
    try graph.addRamp(ParameterRamp(Self.volume, .input, 0, of: mix, to: 0, at: 0, duration: 1))
    try graph.initialize()
    _ = try pulledLeft(graph, 24_000)
    try graph.setTimeline([])
    try graph.update()
    let before = try #require(try pulledLeft(graph, 1024).last)
    try graph.unit(mix).setParameter(Self.pan, .input, 0, to: 1)
    expectLine(try pulledLeft(graph, 1024), from: before, to: 0)
  }
}
