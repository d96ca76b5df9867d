import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Graphs that several threads render.
@Suite struct RenderThreadTests {
  ///     noise -> eq -> mixer:n -> io, for each input; every third one has two equalizers
  private func graph(
    threads: Int, branches: Int = 12, on host: PacedHost? = nil, meter: RenderMeter? = nil
  ) throws -> AudioGraph {
    let graph =
      if let host { AudioGraph(hardware: host) } else { AudioGraph(assuming: grant(frames: 1024)) }
    graph.defaultStreamFormat = float()
    try graph.open()
    graph.renderThreadCount = threads
    if let meter { graph.setMeter(meter) }
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

  @Test(arguments: [2, 4])
  func `a live graph puts out the same samples with several threads`(threads: Int) throws {
    // Faster than one thread is, so that all of them are called.
    let host = PacedHost(grant(frames: 1024), speed: 1000, collects: true)
    let live = try graph(threads: threads, branches: 24, on: host)
    try live.start()
    let session = try #require(live.session)
    var most = 1
    let begin = ContinuousClock.now
    while session.renderedFrames < 96_000 || most == 1,
      ContinuousClock.now < begin + .seconds(20)
    {
      most = max(most, session.renderingThreads)
      usleep(1000)
    }
    live.stop()
    #expect(most > 1)
    let heard = host.collected
    let offline = try graph(threads: 1, branches: 24)
    #expect(try pulled(offline, heard.count / 8) == heard)
  }

  @Test func `a meter counts all runs, whichever thread they are on`() throws {
    func counted(_ threads: Int) throws -> [RenderMeter.Reading] {
      let meter = RenderMeter(eventCount: 100_000)
      _ = try pulled(graph(threads: threads, meter: meter), 40_960)
      let readings = meter.readings
      #expect(meter.keptEvents.count == readings.reduce(0) { $0 + $1.count })
      #expect(readings.allSatisfy { $0.nanoseconds > 0 })
      return readings
    }
    let (alone, shared) = (try counted(1), try counted(3))
    #expect(alone.map(\.part) == shared.map(\.part))
    #expect(alone.map(\.count) == shared.map(\.count))
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

  /// Events that are random in time, kind and value, for the next slice of a mixer.
  private func events(
    _ inputCount: Int, within frameCount: Int, _ random: inout SplitMix64
  ) -> [ParameterEvent] {
    (0..<Int.random(in: 0...8, using: &random)).map { _ in
      let input = Int.random(in: 0..<inputCount, using: &random)
      let frame = Int.random(in: 0..<frameCount, using: &random)
      let value = Float.random(in: 0...1, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        return ParameterEvent(
          MultichannelMixer.Parameter.enable, .input, input,
          .immediate(bufferOffset: UInt32(frame), value: value.rounded()))
      case 1:
        return ParameterEvent(
          MultichannelMixer.Parameter.pan, .input, input,
          .immediate(bufferOffset: UInt32(frame), value: 2 * value - 1))
      case 2:
        return ParameterEvent(
          MultichannelMixer.Parameter.volume, .output, 0,
          .immediate(bufferOffset: UInt32(frame), value: value))
      default:
        return ParameterEvent(
          MultichannelMixer.Parameter.volume, .input, input,
          .ramp(
            startBufferOffset: Int32(frame),
            durationInFrames: UInt32.random(in: 0...2000, using: &random), startValue: value,
            endValue: Float.random(in: 0...1, using: &random)))
      }
    }
  }

  /// Random mixes of 16 to 48 inputs, whose controls move at random frames, in slices of 1 to 4096
  /// frames. Some inputs have noise in mono or stereo, some have silence, some have nothing.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a mix whose controls move is the same with any number of threads`(seed: UInt64) throws {
    func mixed(_ threads: Int) throws -> [UInt8] {
      var random = SplitMix64(seed: seed)
      let graph = try openGraph(grant(frames: 4096))
      graph.renderThreadCount = threads
      let io = try graph.addNode(remoteIO, slice: 4096)
      let mix = try graph.addNode(mixer, slice: 4096)
      let inputCount = Int.random(in: 16...48, using: &random)
      try graph.unit(mix).setProperty(.elementCount, .input, to: .uint32(UInt32(inputCount)))
      for input in 0..<inputCount {
        switch Int.random(in: 0...9, using: &random) {
        case 0: continue
        case 1: try graph.setInputCallback(NoiseCallback(amplitude: 0), of: mix, input)
        case let kind:
          try graph.unit(mix).setProperty(
            .streamFormat, .input, input,
            to: .streamFormat(float(kind.isMultiple(of: 2) ? 1 : 2)))
          try graph.setInputCallback(
            NoiseCallback(amplitude: 0.05, seed: UInt64(input)), of: mix, input)
        }
      }
      try graph.connect(mix, to: io)
      try graph.initialize()
      return try (0..<24).flatMap { _ in
        let frameCount = Int.random(in: 1...4096, using: &random)
        try graph.scheduleParameters(
          events(inputCount, within: frameCount, &random), of: mix)
        return try pulled(graph, frameCount)
      }
    }
    let expected = try mixed(1)
    #expect(expected.contains { $0 != 0 })
    #expect(try mixed(2) == expected)
    #expect(try mixed(4) == expected)
  }
}
