import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCore
import RenderHost
import TestSupport
import Testing

struct TimelineTests {
  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `a volume ramps in a straight line, however it is sliced`(frames: Int) throws {
    let (graph, mix) = try volumeGraph(frames: frames)
    try graph.addRamp(ParameterRamp(0, .input, 0, of: mix, to: 0, at: 0.01, duration: 0.05))
    try graph.initialize()
    let left = try pulledLeft(graph, 4800)
    for frame in 0..<4800 {
      let progress = min(max(Double(frame - 479) / 2400, 0), 1)
      // -100 dBFS: the line is computed in pieces with floats.
      #expect(abs(Double(left[frame]) - (1 - progress)) < 1e-5)
    }
  }

  @Test func `an exponential fade is a straight line in decibels, however it is sliced`() throws {
    var first: [UInt8]?
    for frames in [1, 64, 333, 1024, 4096] {
      let (graph, mix) = try volumeGraph(frames: frames)
      try graph.addRamp(
        ParameterRamp(
          0, .input, 0, of: mix, to: 0.001, at: 0.01, duration: 0.05, curve: .exponential))
      try graph.initialize()
      let bytes = try pulled(graph, 4800)
      if first == nil { first = bytes }
      #expect(bytes == first)
      let found = words(bytes, as: Float.self)
      for frame in 0..<4800 {
        let progress = min(max(Double(frame - 479) / 2400, 0), 1)
        let decibels = 20 * log10(Double(found[2 * frame]))
        #expect(abs(decibels + 60 * progress) < 0.001)
      }
    }
  }

  @Test(arguments: [1, 333, 4096])
  func `a pan keeps its power on its way`(frames: Int) throws {
    let (graph, mix) = try volumeGraph(frames: frames)
    try graph.addRamp(ParameterRamp(2, .input, 0, of: mix, to: 1, at: 0, duration: 0.1))
    try graph.initialize()
    let found = words(try pulled(graph, 4800), as: Float.self)
    for frame in 0..<4800 {
      let (left, right) = (Double(found[2 * frame]), Double(found[2 * frame + 1]))
      // Between two points of the circle 64 frames apart, the chord is 0.001 dB below it.
      #expect(abs(left * left + right * right - 1) < 2.5e-4)
    }
    #expect(abs(found[4800] - found[4801]) < 0.02)
    #expect(found[9598] == 0 && found[9599] == 1)
  }

  @Test func `times are those of the graph where the device runs at another rate`() throws {
    let graph = try openGraph(grant(rate: 48_000), default: float(rate: 16_000))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 0)
    try graph.connect(mix, to: io)
    try graph.addRamp(ParameterRamp(0, .output, 0, of: mix, to: 0, at: 0.1, duration: 0.1))
    try graph.initialize()
    let found = words(try pulled(graph, 14_400), as: Float.self)
    // The converter's filter is shorter than 10 ms on each side.
    #expect(abs(found[2 * 4300] - 0.5) < 1e-4)
    #expect(abs(found[2 * 7200] - 0.25) < 1e-3)
    #expect(abs(found[2 * 10_100]) < 1e-4)
  }

  @Test func `a graph that is started again plays the same`() throws {
    let (graph, mix) = try volumeGraph()
    try graph.addRamp(ParameterRamp(0, .input, 0, of: mix, to: 0, at: 0.01, duration: 0.02))
    try graph.initialize()
    let first = try pulled(graph, 2400)
    try graph.uninitialize()
    #expect(try graph.unit(mix).parameter(0, .input, 0) == 1)
    try graph.initialize()
    #expect(try pulled(graph, 2400) == first)
    // Without an end, the mixer returns to its initial value in 10 ms, without a click.
    try #require(graph.session).restart()
    let again = try pulled(graph, 2400)
    #expect(abs(words(again, as: Float.self)[0] - 1.0 / 480) < 1e-8)
    #expect(again[(8 * 1440)...] == first[(8 * 1440)...])
  }

  @Test func `a stop ends what never does, and what would end later`() throws {
    let (graph, _) = try volumeGraph()
    graph.stopTime = 0.25
    try graph.initialize()
    #expect(graph.duration == 12_000)
  }

  @Test func `a ramp is refused where it cannot be`() throws {
    let (graph, mix) = try volumeGraph()
    func ramp(
      _ parameter: UInt32 = 0, _ element: Int = 0, to target: Float = 0.5, at start: Double = 1,
      duration: Double = 1
    ) -> ParameterRamp {
      ParameterRamp(
        parameter, .input, element, of: mix, to: target, at: start, duration: duration)
    }
    refused(.invalidParameter) { try graph.addRamp(ramp(77)) }
    refused(.invalidParameter) { try graph.addRamp(ramp(1000)) }
    refused(.invalidParameter) { try graph.addRamp(ramp(1)) }
    refused(.invalidParameter) { try graph.addRamp(ramp(2, to: 2)) }
    refused(.invalidParameter) { try graph.addRamp(ramp(to: .nan)) }
    refused(.invalidElement) { try graph.addRamp(ramp(0, 8)) }
    refused(.parameterError) { try graph.addRamp(ramp(at: -1)) }
    refused(.parameterError) { try graph.addRamp(ramp(at: .nan)) }
    refused(.parameterError) { try graph.addRamp(ramp(duration: .infinity)) }
    refused(.nodeNotFound) {
      var lost = ramp()
      lost.node = NodeID(rawValue: 99)
      try graph.addRamp(lost)
    }
    try graph.addRamp(ramp())
    refused(.parameterError) { try graph.addRamp(ramp(at: 1.5)) }
    refused(.parameterError) { try graph.addRamp(ramp(at: 0.5)) }
    try graph.addRamp(ramp(at: 2))
    try graph.addRamp(ramp(0, 1))
    try graph.addRamp(ramp(2))
    try graph.initialize()
    refused(.initialized) { try graph.addRamp(ramp(at: 7)) }
  }

  @Test func `a ramp of a bus that has gone is a violation`() throws {
    let (graph, mix) = try volumeGraph()
    try graph.addRamp(ParameterRamp(0, .input, 7, of: mix, to: 0, at: 1))
    try graph.unit(mix).setProperty(.elementCount, .input, 0, to: .uint32(4))
    #expect(graph.violations().map(\.status) == [.invalidElement])
    refused(.invalidElement) { try graph.initialize() }
  }
}
