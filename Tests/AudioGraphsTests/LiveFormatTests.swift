import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// An initialized graph accepts and refuses the same formats as one that is not.
struct LiveFormatTests {
  /// A stereo input that plays, and no format for other inputs.
  private func playing(
    default format: StreamFormat? = nil
  ) throws -> (graph: AudioGraph, mix: NodeID) {
    let graph = try openGraph(default: format)
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    let unit = try graph.unit(mix)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try graph.setInputCallback(counting { _, _ in 0.25 }, of: mix, 0)
    try graph.connect(mix, to: io)
    try graph.initialize()
    graph.fadeDuration = 0
    return (graph, mix)
  }

  @Test func `a callback on a bus without a format is refused by the update, as by initialize`()
    throws
  {
    let (graph, mix) = try playing()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 5)
    let violation = refused(.formatNotSupported) { try graph.update() }
    #expect(violation?.rule.code == "PR0404")
    graph.discardPendingEdits()
    try graph.uninitialize()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 5)
    #expect(refused(.formatNotSupported) { try graph.initialize() }?.rule.code == "PR0404")
  }

  @Test func `a callback over a connection needs a format of its own, as before`() throws {
    let (graph, mix) = try playing()
    let second = try graph.addNode(mixer)
    let unit = try graph.unit(second)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: second)
    try graph.connect(second, to: mix, 1)
    try graph.update()
    // The format of input 1 came with the connection and is removed with it.
    try graph.uninitialize()
    try graph.initialize()
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 1)
    #expect(refused(.formatNotSupported) { try graph.update() }?.rule.code == "PR0404")
  }

  @Test func `a free bus of an initialized mixer is given no format without a rate`() throws {
    let (graph, mix) = try playing()
    let unit = try graph.unit(mix)
    let before = try unit.property(.sampleRate, .input, 3)
    #expect(
      refused(.formatNotSupported) {
        try unit.setProperty(.sampleRate, .input, 3, to: .float64(0))
      }?.rule.code == "PR0402")
    #expect(try unit.property(.sampleRate, .input, 3) == before)
    #expect(graph.violations().allSatisfy { $0.severity != .error })
  }

  @Test func `a free bus of an initialized mixer is given a format, and joined`() throws {
    let (graph, mix) = try playing()
    let unit = try graph.unit(mix)
    #expect(try unit.isWritable(.streamFormat, .input, 3))
    #expect(try !unit.isWritable(.streamFormat, .input, 0))
    refused(.propertyNotWritable) {
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    }
    try unit.setProperty(.streamFormat, .input, 3, to: .streamFormat(float(1)))
    try unit.setParameter(MultichannelMixer.Parameter.pan, .input, 3, to: -1)
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: mix, 3)
    try graph.update()
    let found = words(try pulled(graph, 100), as: Float.self)
    for frame in 0..<100 {
      #expect(found[2 * frame] == 0.75)
      #expect(abs(found[2 * frame + 1] - 0.25) < 1e-7)
    }
    try graph.uninitialize()
    try graph.initialize()
    let again = words(try pulled(graph, 100), as: Float.self)
    #expect(again == found)
  }

  @Test func `a mono unit joins a stereo mixer that plays, with the format that it puts out`()
    throws
  {
    let (graph, mix) = try playing()
    let effect = try graph.addNode(equalizer)
    let unit = try graph.unit(effect)
    for scope in [Scope.input, .output] {
      try unit.setProperty(.streamFormat, scope, 0, to: .streamFormat(float(1)))
    }
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: effect)
    try graph.unit(mix).setParameter(MultichannelMixer.Parameter.pan, .input, 2, to: 1)
    try graph.connect(effect, to: mix, 2)
    try graph.update()
    let found = words(try pulled(graph, 100), as: Float.self)
    #expect(found.indices.allSatisfy { abs(found[$0] - ($0 % 2 == 0 ? 0.25 : 0.75)) < 1e-6 })
    #expect(
      try graph.unit(mix).property(.streamFormat, .input, 2) == .streamFormat(float(1)))
    // A bus in use keeps its format.
    let other = try graph.addNode(equalizer)
    for scope in [Scope.input, .output] {
      try graph.unit(other).setProperty(.streamFormat, scope, 0, to: .streamFormat(float(1)))
    }
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: other)
    try graph.connect(other, to: mix, 0)
    refused(.propertyNotWritable) { try graph.update() }
  }

  @Test func `a free bus of a 3D mixer that plays is heard when it is joined`() throws {
    let graph = try openGraph(default: nil)
    let io = try graph.addNode(remoteIO)
    let space = try graph.addNode(Mixer3D.description.component)
    let unit = try graph.unit(space)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    let mono = StreamFormat(.int16, channels: 1, sampleRate: 48_000)
    for input in 0..<2 {
      try unit.setProperty(.streamFormat, .input, input, to: .streamFormat(mono))
    }
    try graph.setInputCallback(SilenceCallback(), of: space, 0)
    try graph.connect(space, to: io)
    try graph.initialize()
    _ = try pulled(graph, 2000)
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: space, 1)
    try graph.update()
    let found = words(try pulled(graph, 4800), as: Float.self)
    #expect(found.suffix(100).allSatisfy { $0 > 0.3 })
  }

  // MARK: The 3D Mixer's distances and algorithms

  private func scene(
    _ algorithm: UInt32 = 0
  ) throws -> (graph: AudioGraph, unit: UnitInstance) {
    let graph = try openGraph(default: nil)
    let io = try graph.addNode(remoteIO)
    let space = try graph.addNode(Mixer3D.description.component)
    let unit = try graph.unit(space)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try unit.setProperty(
      .streamFormat, .input, 0,
      to: .streamFormat(StreamFormat(.int16, channels: 1, sampleRate: 48_000)))
    try unit.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(algorithm))
    try unit.setParameter(Mixer3D.Parameter.distance, .input, 0, to: 10)
    try unit.setParameter(Mixer3D.Parameter.azimuth, .input, 0, to: 90)
    try graph.setInputCallback(counting { _, _ in 0.5 }, of: space, 0)
    try graph.connect(space, to: io)
    try graph.initialize()
    return (graph, unit)
  }

  private func channels(_ graph: AudioGraph, _ frames: Int) throws -> (
    left: [Float], right: [Float]
  ) {
    let found = words(try pulled(graph, frames), as: Float.self)
    return (
      stride(from: 0, to: found.count, by: 2).map { found[$0] },
      stride(from: 1, to: found.count, by: 2).map { found[$0] }
    )
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  @Test func `distance parameters change while it plays, in a glide`() throws {
    let (graph, unit) = try scene()
    let before = try channels(graph, 4800).right
    // Inverse distance from 1 m: a tenth at 10 m.
    #expect(abs((before.last ?? 0) - 0.05) < 1e-4)
    try unit.setProperty(.distanceParameters3DMixer, .input, 0, to: .floats([10, 100_000, 100]))
    let after = try channels(graph, 4800).right
    #expect(abs((after.last ?? 0) - 0.5) < 1e-4)
    #expect(largestStep(before.suffix(1) + after) < 0.002)
    for wrong in [[1, 100], [-1, 100, 3], [2, 1, 3], [1, 2, -3]] as [[Float]] {
      refused(.invalidPropertyValue) {
        try unit.setProperty(.distanceParameters3DMixer, .input, 0, to: .floats(wrong))
      }
    }
  }

  @Test(arguments: [(0, 3), (0, 1), (1, 0), (2, 0), (2, 1), (0, 5), (5, 4)] as [(UInt32, UInt32)])
  func `another algorithm takes over without a click`(from: UInt32, to: UInt32) throws {
    let (graph, unit) = try scene(from)
    let (reference, _) = try scene(to)
    let before = try channels(graph, 9600)
    try unit.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(to))
    let after = try channels(graph, 9600)
    let expected = try channels(reference, 19_200)
    for (old, new, wanted) in [
      (before.left, after.left, expected.left), (before.right, after.right, expected.right),
    ] {
      #expect(largestStep(old.suffix(1) + new) < 0.003)
      #expect(abs((new.last ?? 0) - (wanted.last ?? 9)) < 1e-3)
    }
  }

  @Test func `HRTF is taken up live only where there is a head already`() throws {
    let (_, unit) = try scene()
    refused(.invalidPropertyValue) {
      try unit.setProperty(.spatializationAlgorithm, .input, 0, to: .uint32(2))
    }
  }

  // MARK: The hardware sides

  @Test func `an I/O unit's hardware sides have the device's formats before initialization`() throws
  {
    let output = StreamFormat(.int16, channels: 2, sampleRate: 48_000, interleaved: true)
    let input = StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true)
    let graph = AudioGraph(
      assuming: HardwareGrant(outputFormat: output, inputFormat: input, ioBufferFrames: 512))
    let node = try graph.addNode(remoteIO)
    try graph.open()
    let io = try graph.unit(node)
    let startFrame = StreamFormat.platformCanonical(channels: 2, sampleRate: 44_100)
    for _ in 0..<2 {
      #expect(try io.property(.streamFormat, .output, 0) == .streamFormat(output))
      #expect(try io.property(.sampleRate, .output, 0) == .float64(48_000))
      #expect(try io.property(.streamFormat, .input, 1) == .streamFormat(input))
      // Setting the device's own format is accepted, and any other is refused, even the initial
      // one.
      try io.setProperty(.streamFormat, .output, 0, to: .streamFormat(output))
      try io.setProperty(.streamFormat, .input, 1, to: .streamFormat(input))
      try io.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
      for (scope, element) in [(Scope.output, 0), (.input, 1)] {
        for wrong in [startFrame, output.with(sampleRate: 44_100), float()] {
          refused(.propertyNotWritable) {
            try io.setProperty(.streamFormat, scope, element, to: .streamFormat(wrong))
          }
        }
        refused(.propertyNotWritable) {
          try io.setProperty(.sampleRate, scope, element, to: .float64(44_100))
        }
      }
      // The usual case: capture and playback at the device's rate.
      graph.defaultStreamFormat = float()
      try graph.setInputCallback(ToneCallback(), of: node)
      try graph.initialize()
      try graph.uninitialize()
    }
  }

  // MARK: The session's category

  @Test func `a category permits sides, in Swift as in a patch`() throws {
    let graph = try openGraph(grant(input: 2))
    let node = try graph.addNode(remoteIO)
    try graph.setInputCallback(counting(hashed), of: node)
    for category in SessionCategory.allCases {
      graph.sessionCategory = category
      let found = graph.violations().filter { $0.rule.code == "PR0516" }
      #expect(found.isEmpty == category.permitsOutput)
    }
    try graph.unit(node).setProperty(.enableIO, .input, 1, to: .uint32(1))
    graph.sessionCategory = .playback
    refused(.incompatibleCategory) { try graph.initialize() }
    graph.sessionCategory = .playAndRecord
    try graph.initialize()
  }
}
