import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

/// The effect of unit properties in a graph that renders.
struct UnitPropertyTests {
  /// A callback that fails from a frame on.
  private func failing(from frame: Int, _ status: Status = .noConnection) -> ClosureCallback {
    ClosureCallback { _, time, _, _, buffers in
      buffers.silence()
      return Int(time.sampleTime) >= frame ? status : .ok
    }
  }

  private func pull(_ graph: AudioGraph, _ frames: Int) throws {
    let session = try #require(graph.session)
    var memory = [UInt8](repeating: 0, count: frames * 8)
    unsafe memory.withUnsafeMutableBytes {
      _ = unsafe session.pull(frames, into: $0.baseAddress)
    }
  }

  // MARK: LastRenderError

  @Test func `a render that fails is remembered where it failed and downstream, until it is read`()
    throws
  {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    let effect = try graph.addNode(equalizer, slice: 4096)
    let other = try graph.addNode(equalizer, slice: 4096)
    try graph.setInputCallback(failing(from: 512), of: effect)
    try graph.setInputCallback(counting(hashed), of: other)
    try graph.connect(effect, to: mix, 0)
    try graph.connect(other, to: mix, 1)
    try graph.connect(mix, to: io)
    try graph.initialize()
    try pull(graph, 512)
    for node in [effect, other, mix, io] {
      #expect(try graph.unit(node).property(.lastRenderError) == .status(.ok))
    }
    try pull(graph, 512)
    for node in [effect, mix, io] {
      #expect(try graph.unit(node).property(.lastRenderError) == .status(.noConnection))
      #expect(try graph.unit(node).property(.lastRenderError) == .status(.ok))
    }
    #expect(try graph.unit(other).property(.lastRenderError) == .status(.ok))
    #expect(graph.session?.failedSlices.status == .noConnection)
  }

  @Test func `an error upstream of a converter, which pulls at its own pace, comes through`() throws
  {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let converter = try graph.addNode(FormatConverter.description.component, slice: 4096)
    let effect = try graph.addNode(equalizer, slice: 4096)
    let slow = float(rate: 24_000)
    for scope in [Scope.input, .output] {
      try graph.unit(effect).setProperty(.streamFormat, scope, 0, to: .streamFormat(slow))
    }
    try graph.unit(converter).setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    try graph.setInputCallback(failing(from: 1000, .invalidFile), of: effect)
    try graph.connect(effect, to: converter)
    try graph.connect(converter, to: io)
    try graph.initialize()
    try pull(graph, 512)
    #expect(try graph.unit(io).property(.lastRenderError) == .status(.ok))
    try pull(graph, 4096)
    for node in [effect, converter, io] {
      #expect(try graph.unit(node).property(.lastRenderError) == .status(.invalidFile))
    }
  }

  @Test func `listeners hear of a render that failed when the graph is asked`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(failing(from: 0, .invalidElement), of: io)
    try graph.initialize()
    let notes = Notes()
    _ = try graph.unit(io).addListener(.lastRenderError) { id, _, _ in
      notes.note(Int(id.rawValue))
    }
    graph.collectRenderErrors()
    #expect(notes.all == [])
    try pull(graph, 64)
    graph.collectRenderErrors()
    graph.collectRenderErrors()
    #expect(notes.all == [22])
    #expect(try graph.unit(io).property(.lastRenderError) == .status(.invalidElement))
  }

  @Test func `the load of the graph is its output unit's`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let unit = try graph.unit(io)
    #expect(try unit.property(.cpuLoad) == .float64(0))
    try graph.setInputCallback(counting(hashed), of: io)
    try graph.initialize()
    _ = try pulled(graph, 4096)
    guard case .float64(let load) = try unit.property(.cpuLoad) else {
      Issue.record("no load")
      return
    }
    #expect(load > 0)
    #expect(Float(load) == graph.cpuLoad)
    refused(.invalidProperty) { _ = try UnitInstance(MultichannelMixer.self).property(.cpuLoad) }
  }

  // MARK: Connections by property

  @Test func `a connection and a callback that are set as properties are the graph's`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let effect = try graph.addNode(equalizer, slice: 4096)
    try graph.unit(io).setProperty(
      .makeConnection, .input, 0,
      to: .connection(UnitConnection(from: graph.unit(effect), to: 0)))
    try graph.unit(effect).setProperty(
      .setRenderCallback, .input, 0, to: .renderCallback(counting(hashed)))
    #expect(graph.interactions.count == 2)
    #expect(graph.interactions.first?.connection == Connection(from: effect, to: io))
    try graph.initialize()
    let wanted = (0..<600).flatMap { [hashed(0, $0), hashed(1, $0)] }
    #expect(words(try pulled(graph, 600), as: Float.self) == wanted)
    // In an initialized graph the change waits for `update`, like any edit.
    try graph.unit(effect).setProperty(.setRenderCallback, .input, 0, to: .renderCallback(nil))
    #expect(graph.pendingEditCount == 1)
    #expect(graph.interactions.count == 2)
    graph.discardPendingEdits()
    try graph.uninitialize()
    try graph.unit(effect).setProperty(.setRenderCallback, .input, 0, to: .renderCallback(nil))
    try graph.unit(io).setProperty(
      .makeConnection, .global, 0, to: .connection(UnitConnection(from: nil, to: 0)))
    #expect(graph.interactions.isEmpty)
    // Removing a feed that does not exist has no effect.
    try graph.unit(io).setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: nil, to: 0)))
  }

  @Test func `a connection is refused as the graph refuses it, and outside of a graph`() throws {
    let graph = try openGraph()
    let io = try graph.unit(graph.addNode(remoteIO))
    let effect = try graph.unit(graph.addNode(equalizer))
    try effect.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(counting(hashed)))
    // The second replaces the first.
    try effect.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(counting(hashed)))
    #expect(graph.interactions.count == 1)
    refused(.cannotDoInCurrentContext) {
      try io.setProperty(
        .makeConnection, .input, 0,
        to: .connection(UnitConnection(from: UnitInstance(IPodEQ.self), to: 0)))
    }
    // Outside of a graph, the unit keeps the feed itself.
    try UnitInstance(IPodEQ.self).setProperty(
      .setRenderCallback, .input, 0, to: .renderCallback(nil))
    refused(.invalidPropertyValue) {
      try io.setProperty(.makeConnection, .input, 0, to: .renderCallback(counting(hashed)))
    }
    refused(.invalidProperty) { _ = try io.property(.makeConnection, .input, 0) }
    // When the graph is closed, its units are independent of it.
    graph.close()
    try effect.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(nil))
  }

  // MARK: Channel maps

  private func io(
    _ grant: HardwareGrant, map: [Int32], element: Int = 0, scope: Scope = .output,
    channels: Int = 2
  ) throws -> (AudioGraph, NodeID) {
    let graph = try openGraph(grant, default: float(channels))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.channelMap, scope, element, to: .integers(map))
    return (graph, io)
  }

  @Test(arguments: [Scope.output, .input])
  func `a channel map sends the graph's channels where it says`(scope: Scope) throws {
    let (graph, node) = try io(grant(channels: 4), map: [1, -1, 0, 1], scope: scope)
    try graph.setInputCallback(counting(hashed), of: node)
    try graph.initialize()
    let found = words(try pulled(graph, 700), as: Float.self)
    for frame in 0..<700 {
      let wanted = [hashed(1, frame), 0, hashed(0, frame), hashed(1, frame)]
      #expect(Array(found[4 * frame..<4 * frame + 4]) == wanted)
    }
    for scope in [Scope.input, .output] {
      #expect(
        try graph.unit(node).property(.channelMap, scope, 0) == .integers([1, -1, 0, 1]))
    }
    refused(.initialized) {
      try graph.unit(node).setProperty(.channelMap, scope, 0, to: .integers([0, 0, 0, 0]))
    }
  }

  @Test func `until it is set, a channel map reads what holds`() throws {
    let (graph, node) = try io(grant(channels: 3), map: [])
    let plain = try openGraph(grant(channels: 3), default: float(2))
    let other = try plain.addNode(remoteIO)
    try plain.setInputCallback(counting(hashed), of: other)
    try plain.initialize()
    #expect(try plain.unit(other).property(.channelMap, .output, 0) == .integers([0, 1, -1]))
    // An empty map fits no device.
    try graph.setInputCallback(counting(hashed), of: node)
    refused(.invalidPropertyValue) { try graph.initialize() }
  }

  @Test(arguments: [
    ([0, 1] as [Int32], true), ([0, 2], false), ([0], false), ([0, 1, -1], false),
  ])
  func `a channel map fits both sides of its element, or initialize refuses it`(
    map: [Int32], fits: Bool
  ) throws {
    let (graph, node) = try io(grant(), map: map)
    refused(.invalidPropertyValue) {
      try graph.unit(node).setProperty(.channelMap, .output, 0, to: .integers([-2, 0]))
    }
    try graph.setInputCallback(counting(hashed), of: node)
    #expect(graph.violations().contains { $0.rule == UnitRules.channelMap } == !fits)
    if fits {
      try graph.initialize()
    } else {
      refused(.invalidPropertyValue) { try graph.initialize() }
    }
  }

  @Test(arguments: [SampleType.float32, .int16, .fixed824])
  func `a channel map chooses among the microphone's channels`(sample: SampleType) throws {
    let graph = try openGraph(
      grant(input: 4), default: StreamFormat(sample, channels: 2, sampleRate: 48_000))
    let io = try graph.addNode(remoteIO)
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try unit.setProperty(.channelMap, .output, 1, to: .integers([3, -1]))
    try graph.connect(io, 1, to: io, 0)
    try graph.initialize()
    let bytes = try pulled(graph, 900) { first, buffer in
      for frame in 0..<buffer.count / 4 {
        for channel in 0..<4 { buffer[4 * frame + channel] = 2 * hashed(channel, first + frame) }
      }
    }
    let found = words(bytes, as: Float.self)
    for frame in 0..<900 {
      #expect(found[2 * frame] == 2 * hashed(3, frame))
      #expect(found[2 * frame + 1] == 0)
    }
  }

  @Test func `the Voice-Processing I/O maps the microphone's channels too`() throws {
    let graph = try openGraph(grant(input: 3), default: float(1))
    let io = try graph.addNode(VoiceProcessingIO.description.component)
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try unit.setProperty(.bypassVoiceProcessing, to: .uint32(1))
    try unit.setProperty(.channelMap, .output, 1, to: .integers([2]))
    try unit.setProperty(.channelMap, .output, 0, to: .integers([-1, 0]))
    try graph.connect(io, 1, to: io, 0)
    try graph.initialize()
    let bytes = try pulled(graph, 900) { first, buffer in
      for frame in 0..<buffer.count / 3 {
        for channel in 0..<3 { buffer[3 * frame + channel] = hashed(channel, first + frame) }
      }
    }
    let found = words(bytes, as: Float.self)
    // The change to bypass takes 10 ms.
    for frame in 480..<900 {
      #expect(found[2 * frame] == 0)
      #expect(found[2 * frame + 1] == hashed(2, frame))
    }
  }

  @Test func `a Generic Output maps the graph's channels to its client's`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput, slice: 4096)
    let unit = try graph.unit(out)
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float(3)))
    try unit.setProperty(.channelMap, .output, 0, to: .integers([-1, 1, 0]))
    try graph.setInputCallback(counting(hashed), of: out)
    try graph.initialize()
    let found = words(try pulled(graph, 300), as: Float.self)
    for frame in 0..<300 {
      #expect(
        Array(found[3 * frame..<3 * frame + 3]) == [0, hashed(1, frame), hashed(0, frame)])
    }
    refused(.invalidElement) { _ = try unit.property(.channelMap, .output, 1) }
  }

  // MARK: In place

  /// Three equalizers one behind the other in an initialized graph, with a tap at the first.
  private func chain(
    inPlace: Bool, allocates: Bool = true
  ) throws -> (AudioGraph, [NodeID], ProbeTap) {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let effects = try (0..<3).map { _ in try graph.addNode(equalizer, slice: 4096) }
    for (index, node) in effects.enumerated() {
      let unit = try graph.unit(node)
      try unit.setProperty(
        .presentPreset, to: .preset(Preset(number: Int32(2 + 5 * index), name: "")))
      try unit.setProperty(.inPlaceProcessing, to: .uint32(inPlace ? 1 : 0))
      if !allocates { try unit.setProperty(.shouldAllocateBuffer, .output, 0, to: .uint32(0)) }
      try graph.connect(node, to: index == 2 ? io : effects[index + 1])
    }
    try graph.setInputCallback(counting(hashed), of: effects[0])
    let tap = ProbeTap()
    try graph.addTap(tap, at: effects[0])
    try graph.initialize()
    return (graph, effects, tap)
  }

  @Test(arguments: [true, false])
  func `an effect sounds the same in place and apart, also when that changes while it renders`(
    startsInPlace: Bool
  ) throws {
    func run(changes: Bool) throws -> [Float] {
      let (graph, effects, tap) = try chain(inPlace: startsInPlace)
      var result = words(try pulled(graph, 1024), as: Float.self)
      if changes {
        for node in effects {
          try graph.unit(node).setProperty(
            .inPlaceProcessing, to: .uint32(startsInPlace ? 0 : 1))
        }
      }
      result += words(try pulled(graph, 1024), as: Float.self)
      return result + tap.floats[0] + tap.floats[1]
    }
    let wanted = try run(changes: false)
    #expect(wanted.contains { $0 != 0 })
    #expect(try run(changes: true) == wanted)
    #expect(try UnitPropertyTests().inPlaceReference() == wanted)
  }

  /// The expected output: the same with separate buffers for inputs and outputs.
  private func inPlaceReference() throws -> [Float] {
    let (graph, effects, tap) = try chain(inPlace: false, allocates: false)
    let result = words(try pulled(graph, 2048), as: Float.self)
    refused(.initialized) {
      try graph.unit(effects[0]).setProperty(.shouldAllocateBuffer, .output, 0, to: .uint32(1))
    }
    return result + tap.floats[0] + tap.floats[1]
  }

  // MARK: The microphone's callback

  private final class Heard: Sendable {
    let samples = Mutex<[Float]>([])
  }

  @Test func `an input callback is told what the microphone side has heard`() throws {
    let graph = try openGraph(grant(input: 1), default: float(1))
    let io = try graph.addNode(remoteIO)
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    #expect(try unit.property(.setInputCallback) == .object(.none))
    let heard = Heard()
    let callback = InputCallbackReference { _, bus in
      heard.samples.withLock { $0 += bus[0].indices.map { bus[0][$0] } }
    }
    try unit.setProperty(.setInputCallback, to: .inputCallback(callback))
    #expect(try unit.property(.setInputCallback) == .inputCallback(callback))
    try graph.setInputCallback(counting(hashed), of: io)
    try graph.initialize()
    let microphone: Microphone = { first, buffer in
      for frame in buffer.indices { buffer[frame] = hashed(0, first + frame) }
    }
    _ = try pulled(graph, 1000, microphone: microphone)
    #expect(heard.samples.withLock { $0 } == (0..<1000).map { hashed(0, $0) })
    // It may be removed while the graph is initialized.
    try unit.setProperty(.setInputCallback, to: .inputCallback(nil))
    _ = try pulled(graph, 100, microphone: microphone)
    #expect(heard.samples.withLock { $0.count } == 1000)
  }

  // MARK: Starting

  @Test func `a start waits for its time once, and time goes on where it is asked to`() throws {
    let host = PacedHost(grant(frames: 64), speed: 50, collects: true)
    let graph = AudioGraph(hardware: host)
    graph.defaultStreamFormat = float()
    let io = try graph.addNode(remoteIO)
    try graph.open()
    let first = Mutex<[Int]>([])
    try graph.setInputCallback(
      ClosureCallback { _, time, _, count, buffers in
        first.withLock { $0.append(Int(time.sampleTime)) }
        for channel in 0..<2 { for frame in 0..<count { buffers[channel][frame] = 1 } }
        return .ok
      }, of: io)
    let unit = try graph.unit(io)
    try graph.initialize()
    try unit.setProperty(
      .startTime, to: .startTime(StartTime(timeStamp: TimeStamp(sampleTime: 150))))
    try graph.start()
    while (graph.session?.renderedFrames ?? 0) < 640 {}
    graph.stop()
    let samples = words(host.collected, as: Float.self)
    #expect(samples[..<300].allSatisfy { $0 == 0 })
    #expect(samples[300..<640].allSatisfy { $0 == 1 })
    let rendered = try #require(graph.session).renderedFrames - 150
    // A second start without waiting, with continuing time.
    try unit.setProperty(.startTimestampsAtZero, to: .uint32(0))
    first.withLock { $0 = [] }
    try graph.start()
    graph.stop()
    #expect(first.withLock { $0.first } == rendered)
    #expect(try #require(graph.session).waitedFrames == 0)
    try unit.setProperty(.startTimestampsAtZero, to: .uint32(1))
    first.withLock { $0 = [] }
    try graph.start()
    graph.stop()
    #expect(first.withLock { $0.first } == 0)
    refused(.invalidPropertyValue) {
      try unit.setProperty(
        .startTime, to: .startTime(StartTime(timeStamp: TimeStamp(sampleTime: -1))))
    }
    refused(.invalidProperty) { _ = try unit.property(.startTime) }
  }
}
