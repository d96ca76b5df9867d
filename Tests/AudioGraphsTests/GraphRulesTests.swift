import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// The checks of initialization: formats along connections, and all errors.
struct GraphRulesTests {
  /// Expects `initialize` to fail with a status, and `violations()` to begin with the same error.
  @discardableResult
  private func refuses(
    _ graph: AudioGraph, _ number: Int32, _ code: Rule.Code,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Violation? {
    let errors = graph.violations().filter { $0.severity == .error }
    let found = refused(Status(rawValue: number), sourceLocation: sourceLocation) {
      try graph.initialize()
    }
    #expect(found == errors.first, sourceLocation: sourceLocation)
    #expect(found?.rule.code == code, sourceLocation: sourceLocation)
    #expect(!graph.isInitialized, sourceLocation: sourceLocation)
    return found
  }

  private func accepts(
    _ graph: AudioGraph, warnings: [Rule.Code] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(graph.violations().map(\.rule.code) == warnings, sourceLocation: sourceLocation)
    try graph.initialize()
  }

  @Test func `a bus that does not exist is found at initialize`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.setInputCallback(ToneCallback(), of: mix, 9)
    try graph.connect(mix, to: io)
    refuses(graph, -10877, "PR0503")
    // The feed is used once the bus exists.
    try graph.unit(mix).setProperty(.elementCount, .input, 0, to: .uint32(10))
    try accepts(graph)
    #expect(words(try pulled(graph, 64), as: Float.self).contains { $0 != 0 })
    try graph.uninitialize()
    try graph.disconnect(io)
    try graph.connect(mix, 1, to: io)
    refuses(graph, -10877, "PR0503")
  }

  @Test func `256 units may change the speed one behind another, and no more`() throws {
    func chain(_ count: Int) throws -> AudioGraph {
      let graph = try openGraph()
      var taker = try graph.addNode(remoteIO)
      for _ in 0..<count {
        let unit = try graph.addNode(Varispeed.description.component, slice: 4096)
        try graph.connect(unit, to: taker)
        taker = unit
      }
      try graph.setInputCallback(ToneCallback(), of: taker)
      return graph
    }
    let longest = try chain(256)
    try accepts(longest)
    #expect(words(try pulled(longest, 64), as: Float.self).contains { $0 != 0 })
    refuses(try chain(257), -10875, "PR0321")
  }

  @Test func `a circle is found at initialize`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO, name: "io")
    let one = try graph.addNode(mixer, name: "one")
    let two = try graph.addNode(mixer, name: "two")
    try graph.connect(one, to: two)
    try graph.connect(two, to: one)
    try graph.setInputCallback(ToneCallback(), of: io)
    let found = refuses(graph, -10861, "PR0306")
    #expect(found?.message.contains("'one'") == true)
  }

  @Test func `a graph without an output unit is refused`() throws {
    let graph = try openGraph()
    refuses(graph, -10862, "PR0302")
    let mix = try graph.addNode(mixer)
    try graph.setInputCallback(ToneCallback(), of: mix)
    refuses(graph, -10862, "PR0302")
  }

  @Test func `what is pulled and needs an input is fed`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    refuses(graph, -10876, "PR0307")
    let effect = try graph.addNode(equalizer, slice: 4096)
    try graph.unit(effect).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    try graph.connect(effect, to: io)
    refuses(graph, -10876, "PR0307")
    try graph.setInputCallback(ToneCallback(), of: effect)
    try accepts(graph)
  }

  @Test func `a mixer without inputs plays silence`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.connect(mix, to: io)
    try accepts(graph, warnings: ["PR0316"])
    #expect(try pulled(graph, 100).allSatisfy { $0 == 0 })
  }

  // MARK: Formats

  @Test func `formats travel along connections, from source to destination`() throws {
    let graph = try openGraph(grant(), default: nil)
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    let effect = try graph.addNode(equalizer, slice: 4096)
    try graph.unit(effect).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    let format = StreamFormat(.fixed824, channels: 1, sampleRate: 48_000)
    let unit = try graph.unit(effect)
    for (scope, node) in [(Scope.input, unit), (.output, unit)] {
      try node.setProperty(.streamFormat, scope, 0, to: .streamFormat(format))
    }
    try graph.unit(mix).setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try graph.setInputCallback(ToneCallback(), of: effect)
    try graph.connect(effect, to: mix, 3)
    try graph.connect(mix, to: io)
    // The configuration shows it before initialization,
    #expect(try graph.configuration(mix).inputs[3].format == format)
    try accepts(graph)
    // and the property after it.
    #expect(try graph.unit(mix).property(.streamFormat, .input, 3) == .streamFormat(format))
    #expect(
      try graph.configuration(mix).inputs[3].origin == .propagated(from: effect, output: 0))
    #expect(try graph.unit(io).property(.streamFormat, .input, 0) == .streamFormat(float()))
    refused(.propertyNotWritable) {
      try graph.unit(mix).setProperty(.streamFormat, .input, 3, to: .streamFormat(float()))
    }
    try graph.uninitialize()
    refused(.propertyNotWritable) {
      try graph.unit(mix).setProperty(.streamFormat, .input, 3, to: .streamFormat(float()))
    }
  }

  @Test func `a destination that does not take its source's format refuses it`() throws {
    let graph = try openGraph(grant(input: 4), default: float(4))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try graph.connect(io, 1, to: mix)
    try graph.connect(mix, to: io)
    refuses(graph, -10868, "PR0409")
  }

  @Test func `the buses that must have a format are refused without one`() throws {
    let graph = try openGraph(grant(input: 1), default: nil)
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    refuses(graph, -10868, "PR0404")
    try graph.unit(io).setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try accepts(graph)
    try graph.uninitialize()
    // The application side of an input element that is enabled, used or not.
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    refuses(graph, -10868, "PR0404")
    try graph.unit(io).setProperty(.streamFormat, .output, 1, to: .streamFormat(float(1)))
    try accepts(graph)
    try graph.uninitialize()
    // The output of an effect.
    let effect = try graph.addNode(equalizer)
    try graph.unit(effect).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    try graph.unit(effect).setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try graph.disconnect(io)
    try graph.setInputCallback(ToneCallback(), of: effect)
    try graph.connect(effect, to: io)
    refuses(graph, -10868, "PR0404")
    graph.defaultStreamFormat = float(1)
    refuses(graph, -10868, "PR0407")
    graph.defaultStreamFormat = float()
    try accepts(graph)
    #expect(try graph.configuration(effect).outputs[0].origin == .graphDefault)
  }

  @Test func `a rate alone is filled up by the graph's format`() throws {
    let graph = try openGraph(grant(rate: 44_100))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.sampleRate, .input, 0, to: .float64(44_100))
    graph.defaultStreamFormat = StreamFormat(.int16, channels: 1, sampleRate: 48_000)
    try graph.setInputCallback(ToneCallback(), of: io)
    try accepts(graph)
    #expect(
      try graph.configuration(io).inputs[0].format
        == StreamFormat(.int16, channels: 1, sampleRate: 44_100))
  }

  @Test func `a rate of 0 ends at initialize`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.connect(mix, to: io)
    try graph.unit(mix).setProperty(.sampleRate, .output, 0, to: .float64(0))
    refuses(graph, -10868, "PR0404")
  }

  @Test func `the mixer's output takes the rate of the graph's format, else 44100`() throws {
    let graph = try openGraph(grant(), default: nil)
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.connect(mix, to: io)
    #expect(graph.violations().map(\.rule.code).contains("PR0406"))
    #expect(try graph.configuration(mix).outputs[0].format.sampleRate == 44_100)
    graph.defaultStreamFormat = float()
    try accepts(graph, warnings: ["PR0316"])
    #expect(try graph.configuration(mix).outputs[0].format == float())
  }

  @Test func `unequal rates at a mixer are refused, and the help says who converts`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.unit(mix).setProperty(
      .streamFormat, .input, 1, to: .streamFormat(float(1, rate: 44_100)))
    try graph.setInputCallback(ToneCallback(), of: mix, 0)
    try graph.connect(mix, to: io)
    try accepts(graph)
    try graph.uninitialize()
    try graph.setInputCallback(ToneCallback(), of: mix, 1)
    let found = refuses(graph, -10868, "PR0405")
    #expect(found?.help.first?.contains("a file callback plays a file at its bus's rate") == true)
  }

  @Test func `an equalizer at another rate works, with a warning`() throws {
    let graph = try openGraph(grant(rate: 32_000), default: float(rate: 32_000))
    let io = try graph.addNode(remoteIO)
    let effect = try graph.addNode(equalizer, slice: 4096)
    try graph.unit(effect).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    try graph.setInputCallback(ToneCallback(), of: effect)
    try graph.connect(effect, to: io)
    try accepts(graph, warnings: ["PR0408"])
  }

  @Test func `a callback that cannot feed its bus is refused`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(frequency: 30_000), of: io)
    refuses(graph, -50, "PR0701")
  }

  // MARK: Slices

  @Test func `a slice larger than a unit takes is refused, but on I/O units`() throws {
    let graph = try openGraph(grant(frames: 2048))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.unit(io).setProperty(.maximumFramesPerSlice, to: .uint32(512))
    try graph.connect(mix, to: io)
    refuses(graph, -10874, "PR0310")
    try graph.unit(mix).setProperty(.maximumFramesPerSlice, to: .uint32(2048))
    try accepts(graph, warnings: ["PR0316", "PR0311"])
  }

  @Test func `below 4096 frames there is a warning while no input is active`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer)
    try graph.connect(mix, to: io)
    #expect(graph.violations().map(\.rule.code) == ["PR0316", "PR0311"])
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try accepts(graph, warnings: ["PR0316"])
  }

  @Test func `a generic output needs its slices set and warns of none`() throws {
    let graph = try openGraph(grant(frames: 4096))
    let out = try graph.addNode(genericOutput)
    try graph.setInputCallback(ToneCallback(), of: out)
    refuses(graph, -10874, "PR0310")
    try graph.unit(out).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try accepts(graph)
  }

  // MARK: The two sides of an I/O unit

  @Test func `an input element that is used is on`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.connect(io, 1, to: mix)
    try graph.connect(mix, to: io)
    refuses(graph, -10876, "PR0601")
    graph.defaultStreamFormat = nil
    // The error is reported once, with or without a format.
    #expect(graph.violations().filter { $0.severity == .error }.map(\.rule.code) == ["PR0601"])
    graph.defaultStreamFormat = float()
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try accepts(graph)
  }

  @Test func `an output element that is off is not fed, and one side is on`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .output, 0, to: .uint32(0))
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    refuses(graph, -10876, "PR0602")
    try graph.disconnect(io)
    try accepts(graph)
    try graph.uninitialize()
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(0))
    refuses(graph, -10875, "PR0605")
  }

  @Test func `a side without a device is refused`() throws {
    let graph = try openGraph(grant(output: nil))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    refuses(graph, -10851, "PR0604")
    try graph.disconnect(io)
    try graph.unit(io).setProperty(.enableIO, .output, 0, to: .uint32(0))
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    refuses(graph, -10851, "PR0603")
  }

  @Test func `the device's own sides are not connected`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    let effect = try graph.addNode(equalizer)
    try graph.unit(effect).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    try graph.setInputCallback(ToneCallback(), of: io)
    try graph.setInputCallback(ToneCallback(), of: io, 1)
    refuses(graph, -10865, "PR0313")
    try graph.disconnect(io, 1)
    try graph.connect(io, 0, to: effect)
    refuses(graph, -10861, "PR0313")
  }

  // MARK: Unused nodes

  @Test func `a node that nothing pulls is a warning`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let lone = try graph.addNode(mixer, name: "lone")
    let deaf = try graph.addNode(equalizer, name: "deaf")
    try graph.unit(deaf).setProperty(.presentPreset, to: .preset(IPodEQ.presets[1]))
    try graph.setInputCallback(ToneCallback(), of: io)
    try graph.setInputCallback(ToneCallback(), of: deaf)
    #expect(graph.violations().map(\.severity) == [.warning, .warning])
    try accepts(graph, warnings: ["PR0308", "PR0308"])
    // It is in no interaction, so it is not initialized.
    #expect(try !graph.unit(lone).isInitialized)
    #expect(try graph.unit(deaf).isInitialized)
  }

  @Test func `a tap is where it can watch`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    try graph.addTap(ProbeTap(), at: io, 0)
    refuses(graph, -10877, "PR0702")
    let other = try openGraph(grant(input: 2))
    let head = try other.addNode(remoteIO)
    try other.setInputCallback(ToneCallback(), of: head)
    try other.addTap(ProbeTap(), at: head, 1)
    refuses(other, -10876, "PR0601")
    try other.unit(head).setProperty(.enableIO, .input, 1, to: .uint32(1))
    try accepts(other)
  }

  // MARK: Agreement

  @Test(arguments: 0..<8)
  func `initialize succeeds exactly where no violation is an error`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var succeeded = 0
    for _ in 0..<40 {
      let graph = try randomGraph(&random)
      let errors = graph.violations().filter { $0.severity == .error }
      do {
        try graph.initialize()
        succeeded += 1
        #expect(errors == [])
        // A graph that initializes can be pulled in slices of any length.
        _ = try pulled(graph, 300)
        #expect(graph.violations().allSatisfy { $0.severity == .warning })
        try graph.uninitialize()
        try graph.initialize()
      } catch let violation as Violation {
        #expect(errors.first == violation)
      }
    }
    #expect(succeeded > 0)
  }

  private func randomGraph(_ random: inout SplitMix64) throws -> AudioGraph {
    let graph = AudioGraph(
      assuming: grant(
        rate: [48_000.0, 44_100].randomElement(using: &random)!,
        frames: [64, 512, 2048].randomElement(using: &random)!,
        output: Int.random(in: 0..<8, using: &random) == 0 ? nil : .float32,
        input: Int.random(in: 0..<3, using: &random) == 0 ? nil : 2))
    if Int.random(in: 0..<4, using: &random) > 0 {
      graph.defaultStreamFormat = StreamFormat(
        SampleType.allCases.randomElement(using: &random)!,
        channels: Int.random(in: 0..<9, using: &random) == 0 ? 3 : 2, sampleRate: 48_000)
    }
    if Bool.random(using: &random) { try graph.open() }
    var nodes: [NodeID] = []
    if Int.random(in: 0..<9, using: &random) > 0 {
      nodes.append(
        try graph.addNode(
          Int.random(in: 0..<3, using: &random) == 0 ? genericOutput : remoteIO))
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      nodes.append(try graph.addNode(Bool.random(using: &random) ? mixer : equalizer))
    }
    guard !nodes.isEmpty else { return graph }
    // A chain to the head, since random connections rarely form one.
    for (destination, source) in zip(nodes, nodes.dropFirst())
    where Int.random(in: 0..<6, using: &random) > 0 {
      try? graph.connect(source, to: destination)
    }
    try? graph.setInputCallback(counting(hashed), of: nodes[nodes.count - 1], 0)
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let node = nodes.randomElement(using: &random)!
      let bus = Int.random(in: -1...2, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try? graph.setInputCallback(ToneCallback(), of: node, bus)
      case 1:
        try? graph.connect(
          nodes.randomElement(using: &random)!, Int.random(in: 0...1, using: &random), to: node, bus
        )
      case 2: try? graph.disconnect(node, bus)
      default: _ = try? graph.addTap(ProbeTap(), at: node, bus)
      }
    }
    try graph.open()
    for node in nodes {
      let unit = try graph.unit(node)
      if Int.random(in: 0..<3, using: &random) > 0 {
        try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
      }
      for scope in [Scope.input, .output] where Int.random(in: 0..<4, using: &random) == 0 {
        let element = Int.random(in: 0...1, using: &random)
        let rate = [0.0, 44_100, 48_000].randomElement(using: &random)!
        if Bool.random(using: &random) {
          try? unit.setProperty(
            .streamFormat, scope, element,
            to: .streamFormat(
              StreamFormat(
                SampleType.allCases.randomElement(using: &random)!,
                channels: Int.random(in: 1...2, using: &random), sampleRate: rate,
                interleaved: Bool.random(using: &random))))
        } else {
          try? unit.setProperty(.sampleRate, scope, element, to: .float64(rate))
        }
        try? unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
        try? unit.setProperty(
          .elementCount, .input, 0, to: .uint32(UInt32.random(in: 1...3, using: &random)))
      }
    }
    return graph
  }
}
