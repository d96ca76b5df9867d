import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import SoundFiles
import TestSupport
import Testing

/// Dithered integer buses in a graph.
struct DitheredBusTests {
  /// Where floats are converted to 16-bit integers.
  enum Place: CaseIterable {
    case callback, converter, rateConverter, mixer, output
  }

  private static let dithers: [Dither] = [.tpdf, .shaped]

  /// A callback, a Generic Output, and a 16-bit bus between them.
  private func graph(
    _ place: Place, _ dither: Dither, slices: Int = 512,
    _ sample: @escaping @Sendable (Int, Int) -> Float
  ) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: slices, output: nil, channels: 2), default: nil)
    let out = try graph.addNode(genericOutput, slice: 4096)
    let output = try graph.unit(out)
    let algorithm = PropertyValue.uint32(dither == .none ? 0 : dither == .tpdf ? 1 : 2)
    let short = PropertyValue.streamFormat(StreamFormat(.int16, channels: 2, sampleRate: 48_000))
    switch place {
    case .callback, .output:
      let isInput = place == .callback
      try output.setProperty(
        .streamFormat, .input, 0, to: isInput ? short : .streamFormat(float()))
      try output.setProperty(
        .streamFormat, .output, 0, to: isInput ? .streamFormat(float()) : short)
      try output.setProperty(.dither, isInput ? .input : .output, 0, to: algorithm)
      try graph.setInputCallback(counting(sample), of: out)
    case .converter, .rateConverter, .mixer:
      let node = try graph.addNode(
        place == .mixer ? mixer : FormatConverter.description.component)
      let unit = try graph.unit(node)
      try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
      try unit.setProperty(
        .streamFormat, .input, 0,
        to: .streamFormat(float(rate: place == .rateConverter ? 24_000 : 48_000)))
      try unit.setProperty(.streamFormat, .output, 0, to: short)
      try unit.setProperty(.dither, .output, 0, to: algorithm)
      try output.setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
      try graph.setInputCallback(counting(sample), of: node)
      try graph.connect(node, to: out)
    }
    try graph.initialize()
    return graph
  }

  /// The samples of the left channel.
  private func left(_ graph: AudioGraph, _ place: Place, frames: Int) throws -> [Double] {
    let bytes = try pulled(graph, frames)
    let all =
      place == .output
      ? words(bytes, as: Int16.self).map(Double.init)
      : words(bytes, as: Float.self).map { Double($0) * 32_768 }
    return stride(from: 0, to: all.count, by: 2).map { all[$0] }
  }

  /// A sine of 1000 Hz and -96 dBFS, half a bit: rounded, it is pulses with harmonics of the same
  /// level.
  @Test(arguments: Place.allCases)
  func `a sine of -96 dBFS has harmonics without dither, and none with it`(place: Place) throws {
    let rate = place == .rateConverter ? 24_000.0 : 48_000
    let bit = 32_768 * pow(10, -96.0 / 20)
    @Sendable func sine(_ channel: Int, _ frame: Int) -> Float {
      Float(bit / 32_768 * sin(2 * .pi * 1000 * Double(frame) / rate))
    }
    let frames = 2 * 48_000
    let plain = try left(
      try graph(place, .none, { sine($0, $1) }), place, frames: frames + 4800
    )
    .dropFirst(4800)
    #expect(amplitude(plain, 3000) > 0.5 * amplitude(plain, 1000))
    for dither in Self.dithers {
      let found = try left(
        try graph(place, dither, { sine($0, $1) }), place, frames: frames + 4800
      ).dropFirst(4800)
      #expect(found.allSatisfy { $0 == $0.rounded() })
      #expect(abs(20 * log10(amplitude(found, 1000) / bit)) < 0.5)
      for harmonic in [2000.0, 3000, 5000, 7000] {
        // The noise in a bin of half a hertz.
        #expect(amplitude(found, harmonic) < 0.04 * bit)
      }
    }
  }

  /// A tone, values that 16 bits represent exactly, silence, and a tone again.
  @Test(arguments: Place.allCases)
  func `the bytes are the same however the graph is cut`(place: Place) throws {
    @Sendable func sample(_ channel: Int, _ frame: Int) -> Float {
      switch frame {
      case 0..<700: hashed(channel, frame) / 3
      case 700..<1000: Float(frame) / 32_768
      case 1000..<26_500: 0
      default: hashed(channel, frame) / 30_000
      }
    }
    for dither in Self.dithers {
      let reference = try pulled(
        try graph(place, dither, { sample($0, $1) }), 27_000)
      #expect(reference != (try pulled(try graph(place, .none, { sample($0, $1) }), 27_000)))
      for slices in [1, 64, 333, 1024, 4096] {
        let found = try pulled(
          try graph(place, dither, slices: slices, { sample($0, $1) }), 27_000)
        #expect(found == reference)
      }
    }
  }

  @Test(arguments: Place.allCases.filter { $0 != .rateConverter })
  func `samples that the bus can hold are not touched`(place: Place) throws {
    @Sendable func exact(_ channel: Int, _ frame: Int) -> Float {
      (hashed(channel, frame) * 32_768).rounded() / 32_768
    }
    let plain = try pulled(try graph(place, .none, { exact($0, $1) }), 3000)
    for dither in Self.dithers {
      #expect(try pulled(try graph(place, dither, { exact($0, $1) }), 3000) == plain)
    }
  }

  @Test func `two buses have noise of their own`() throws {
    let graph = try openGraph(grant(frames: 512, output: nil), default: nil)
    let sum = try graph.addNode(mixer, slice: 4096)
    let out = try graph.addNode(genericOutput, slice: 4096)
    try graph.unit(sum).setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    let probes = [ProbeTap(), ProbeTap()]
    for (input, probe) in probes.enumerated() {
      let node = try graph.addNode(FormatConverter.description.component, slice: 4096)
      let unit = try graph.unit(node)
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
      try unit.setProperty(
        .streamFormat, .output, 0,
        to: .streamFormat(StreamFormat(.int16, channels: 2, sampleRate: 48_000)))
      try unit.setProperty(.dither, .output, 0, to: .uint32(1))
      try graph.setInputCallback(counting { _, _ in 0.1 }, of: node)
      try graph.connect(node, 0, to: sum, input)
      try graph.addTap(probe, at: node)
    }
    try graph.connect(sum, to: out)
    try graph.initialize()
    _ = try pulled(graph, 2000)
    #expect(probes[0].words[0].count == 2000)
    #expect(probes[0].words[0] != probes[0].words[1])
    #expect(probes[0].words[0] != probes[1].words[0])
  }

  @Test(arguments: Place.allCases)
  func `a pull of a dithered graph makes no heap calls`(place: Place) throws {
    // The closure does not allocate, although closures in Swift may.
    let graph = try graph(place, .shaped, { _, _ in 0.1 })
    let session = try #require(graph.session)
    var memory = [UInt8](repeating: 0, count: 512 * 8)
    unsafe memory.withUnsafeMutableBytes { memory in
      for _ in 0..<20 {
        let calls = allocations { _ = unsafe session.pull(512, into: memory.baseAddress) }
        #expect(calls == 0)
      }
    }
    #expect(session.failedSlices.count == 0)
  }

  /// Only dither without an effect has a warning.
  @Test func `dither on a bus that rounds nothing is a warning`() throws {
    let codes = { (graph: AudioGraph) in
      graph.violations().filter { $0.rule.code == "PR0425" }.map(\.message)
    }
    #expect(codes(try graph(.converter, .tpdf) { _, _ in 0 }) == [])
    #expect(codes(try graph(.output, .tpdf) { _, _ in 0 }) == [])
    let graph = try openGraph(grant(output: nil), default: float())
    let out = try graph.addNode(genericOutput, slice: 4096)
    try graph.unit(out).setProperty(.dither, .input, 0, to: .uint32(1))
    try graph.unit(out).setProperty(.dither, .output, 0, to: .uint32(0))
    try graph.setInputCallback(counting { _, _ in 0 }, of: out)
    #expect(
      codes(graph) == [
        "input 0 of GenericOutput carries floats: nothing is rounded there that dither could be added to"
      ])
    try graph.initialize()
    refused(.initialized) {
      try graph.unit(out).setProperty(.dither, .input, 0, to: .uint32(2))
    }
  }

  /// A file with a constant of 0.3 bits, then with whole bits.
  @Test func `a file of floats is dithered on its bus, and one that the bus can hold is not`()
    throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "dither-\(UUID()).wav").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let steps = (0..<48_000).map { $0 < 30_000 ? 0.3 : Double($0 % 100) }
    let samples = steps.map { $0 / 32_768 }
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.float32, channels: 1, sampleRate: 48_000), sampleType: nil)
    try writer.write(samples, frameCount: samples.count)
    try writer.close()
    for sample in [SampleType.int16, .fixed824] {
      for (algorithm, start) in [(0, 0), (1, 0), (2, 0), (1, 0.625), (2, 0.625)]
        as [(UInt32, Double)]
      {
        let graph = try openGraph(grant(output: nil, channels: 1), default: nil)
        let out = try graph.addNode(genericOutput, slice: 4096)
        let unit = try graph.unit(out)
        try unit.setProperty(
          .streamFormat, .input, 0,
          to: .streamFormat(StreamFormat(sample, channels: 1, sampleRate: 48_000)))
        try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1)))
        try unit.setProperty(.dither, .input, 0, to: .uint32(algorithm))
        try graph.setInputCallback(FileCallback(path: path, start: start), of: out)
        try graph.initialize()
        let floats = words(try pulled(graph, 18_000), as: Float.self)
        let found = floats.map { Double($0) * 32_768 }
        if start > 0 {
          // Whole bits are exact with and without dither.
          #expect(found == Array(steps[30_000...]))
        } else if sample == .int16 {
          let mean = found.reduce(0, +) / Double(found.count)
          #expect(algorithm == 0 ? found.allSatisfy { $0 == 0 } : abs(mean - 0.3) < 0.02)
        } else {
          #expect(found.allSatisfy { abs($0 - 0.3) < 0.05 })
          #expect((Set(found).count > 1) == (algorithm != 0))
        }
      }
    }
  }
}
