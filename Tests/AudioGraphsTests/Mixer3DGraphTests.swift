import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

private let space = Mixer3D.description.component

private func source(_ rate: Double) -> StreamFormat {
  StreamFormat(.int16, channels: 1, sampleRate: rate)
}

/// Noise that 16 bits represent exactly.
private func coarse(_ frame: Int) -> Float { (hashed(0, frame) * 32_768).rounded() / 32_768 }

/// The 3D Mixer in a graph.
struct Mixer3DGraphTests {
  /// A mixer with callbacks at different rates, and a Generic Output at 48 kHz.
  private func graph(
    _ rates: [Double], duration: Double? = nil, slices: Int = 512,
    _ configure: (UnitInstance) throws -> Void = { _ in }
  ) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: slices, output: nil), default: nil)
    let node = try graph.addNode(space)
    let out = try graph.addNode(genericOutput)
    let unit = try graph.unit(node)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(UInt32(rates.count)))
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    for (element, rate) in rates.enumerated() {
      try unit.setProperty(.streamFormat, .input, element, to: .streamFormat(source(rate)))
    }
    try configure(unit)
    for id in [node, out] {
      try graph.unit(id).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    }
    for element in rates.indices {
      try graph.setInputCallback(
        counting(duration: duration) { _, frame in coarse(frame + 1000 * element) }, of: node,
        element)
    }
    try graph.connect(node, to: out)
    try graph.initialize()
    return graph
  }

  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `the bytes are the same however the graph is cut`(slices: Int) throws {
    func bytes(_ slices: Int) throws -> [UInt8] {
      let graph = try graph([48_000, 22_050, 44_100], slices: slices) { unit in
        for element in 0..<3 {
          try unit.setProperty(
            .spatializationAlgorithm, .input, element, to: .uint32(UInt32(element)))
          try unit.setParameter(Mixer3D.Parameter.distance, .input, element, to: 2)
          try unit.setParameter(Mixer3D.Parameter.azimuth, .input, element, to: 50)
        }
        try unit.setParameter(Mixer3D.Parameter.reverbBlend, .input, 0, to: 40)
      }
      return try pulled(graph, 3000)
    }
    let found = try bytes(slices)
    #expect(found == (try bytes(512)))
    #expect(words(found, as: Float.self).contains { abs($0) > 0.1 })
  }

  @Test func `a graph goes on until the room is silent`() throws {
    func duration(_ configure: (UnitInstance) throws -> Void) throws -> Int? {
      try graph([24_000], duration: 1, configure).duration
    }
    #expect(try duration { _ in } == 48_000)
    #expect(
      try duration { try $0.setParameter(Mixer3D.Parameter.playbackRate, .input, 0, to: 2) }
        == 24_000)
    // 512 taps at 44.1 kHz.
    #expect(
      try duration {
        try $0.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(2))
      } == 48_000 + 558)
    // The cathedral begins after 30 ms and falls by 60 dB in 5 s.
    let echoing: (UnitInstance) throws -> Void = { unit in
      try unit.setParameter(Mixer3D.Parameter.reverbBlend, .input, 0, to: 10)
      try unit.setProperty(.reverbPreset, .global, 0, to: .uint32(8))
    }
    #expect(try duration(echoing) == 48_000 + 5 * 48_000 + 1440)
    #expect(
      try duration { unit in
        try echoing(unit)
        try unit.setProperty(.usesInternalReverb, .global, 0, to: .uint32(0))
      } == 48_000)
  }

  @Test func `an input takes what another unit puts out, at that unit's rate`() throws {
    let graph = try openGraph(grant(output: nil), default: nil)
    let eq = try graph.addNode(equalizer)
    let node = try graph.addNode(space)
    let out = try graph.addNode(genericOutput)
    let unit = try graph.unit(node)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try unit.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(5))
    for scope in [Scope.input, .output] {
      try graph.unit(eq).setProperty(.streamFormat, scope, 0, to: .streamFormat(source(44_100)))
    }
    for id in [eq, node, out] {
      try graph.unit(id).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    }
    try graph.setInputCallback(
      counting { _, frame in Float(0.5 * sin(2 * Double.pi * 500 * Double(frame) / 44_100)) },
      of: eq)
    try graph.connect(eq, to: node)
    try graph.connect(node, to: out)
    try graph.initialize()
    let found = words(try pulled(graph, 4000), as: Float.self)
    for frame in 1000..<4000 {
      let expected = 0.5 * sin(2 * Double.pi * 500 * Double(frame) / 48_000)
      // The rounding to 16 bits.
      #expect(abs(Double(found[2 * frame]) - expected) < 6e-5)
    }
  }

  @Test func `a microphone is heard where it belongs in time`() throws {
    let graph = try openGraph(grant(rate: 48_000, frames: 256, input: 1), default: nil)
    let io = try graph.addNode(remoteIO)
    let node = try graph.addNode(space, slice: 4096)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.unit(io).setProperty(.streamFormat, .output, 1, to: .streamFormat(source(48_000)))
    let unit = try graph.unit(node)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try unit.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(5))
    try graph.connect(io, 1, to: node, 0)
    try graph.connect(node, to: io)
    try graph.initialize()
    let microphone: Microphone = { (position, buffer) throws(ServiceError) in
      for frame in buffer.indices { buffer[frame] = coarse(position + frame) }
    }
    let found = words(try pulled(graph, 3000, microphone: microphone), as: Float.self)
    for frame in 0..<3000 { #expect(found[2 * frame] == coarse(frame)) }
  }
}
