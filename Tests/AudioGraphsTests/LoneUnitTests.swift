import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

/// Units without a graph: the guide's direct access to one audio unit.
struct LoneUnitTests {
  private func equalizer(_ preset: String? = nil, rate: Double = 48_000) throws -> UnitInstance {
    let unit = UnitInstance(IPodEQ.self)
    for scope in [Scope.input, .output] {
      try unit.setProperty(.streamFormat, scope, 0, to: .streamFormat(float(rate: rate)))
    }
    try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    if let preset, let found = IPodEQ.preset(named: preset) {
      try unit.setProperty(.presentPreset, to: .preset(found))
    }
    return unit
  }

  private func feed(_ unit: UnitInstance, _ callback: some RenderCallback, _ input: Int = 0) throws
  {
    try unit.setProperty(.setRenderCallback, .input, input, to: .renderCallback(callback))
  }

  private func connect(_ source: UnitInstance, to unit: UnitInstance, _ input: Int = 0) throws {
    try unit.setProperty(
      .makeConnection, .input, input, to: .connection(UnitConnection(from: source, to: input)))
  }

  private func mixer(_ rate: Double = 48_000) throws -> UnitInstance {
    let unit = UnitInstance(MultichannelMixer.self)
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(rate))
    try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    return unit
  }

  // MARK: Rendering

  @Test func `a mixer by itself mixes what its callbacks give, as in a graph`() throws {
    let unit = try mixer()
    for input in 0..<2 {
      try unit.setProperty(.streamFormat, .input, input, to: .streamFormat(float()))
      try feed(unit, counting { hashed($0, $1 + 10 * input) }, input)
    }
    try unit.setParameter(MultichannelMixer.Parameter.volume, .input, 1, to: 0.5)
    try unit.initialize()
    var found = [[Float]](repeating: [], count: 2)
    for frames in [1, 512, 333, 4096, 64] {
      for (channel, samples) in try unit.render(frames).enumerated() { found[channel] += samples }
    }
    for channel in 0..<2 {
      #expect(
        found[channel] == (0..<5006).map { hashed(channel, $0) + hashed(channel, $0 + 10) * 0.5 })
    }
  }

  @Test(arguments: [false, true])
  func `units are connected to one another, and pull one another`(isInterleaved: Bool) throws {
    let source = try equalizer("Bass Booster")
    try feed(source, counting(hashed))
    let last = UnitInstance(FormatConverter.self)
    let wanted = StreamFormat(
      .int16, channels: 2, sampleRate: 48_000, interleaved: isInterleaved)
    try last.setProperty(.streamFormat, .output, 0, to: .streamFormat(wanted))
    try last.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try connect(source, to: last)
    // The format is propagated along the connection.
    #expect(try last.property(.streamFormat, .input, 0) == .streamFormat(float()))
    refused(.propertyNotWritable) {
      try last.setProperty(.streamFormat, .input, 0, to: .streamFormat(float(1)))
    }
    try source.initialize()
    try last.initialize()

    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let node = try graph.addNode(IPodEQ.description.component, slice: 4096)
    let other = try graph.unit(node)
    if let preset = IPodEQ.preset(named: "Bass Booster") {
      try other.setProperty(.presentPreset, to: .preset(preset))
    }
    try graph.unit(out).setProperty(
      .streamFormat, .output, 0,
      to: .streamFormat(StreamFormat(.int16, channels: 2, sampleRate: 48_000)))
    try graph.setInputCallback(counting(hashed), of: node)
    try graph.connect(node, to: out)
    try graph.initialize()
    let expected = words(try pulled(graph, 2000), as: Int16.self)

    let memory = SampleMemory(wanted, capacity: 512)
    var samples: [Int16] = []
    for slice in stride(from: 0, to: 2000, by: 400) {
      var flags: RenderActionFlags = []
      let buffers = memory.buffers(400)
      #expect(
        last.render(&flags, TimeStamp(sampleTime: Double(slice)), into: buffers) == .ok)
      for frame in 0..<400 {
        for channel in 0..<2 {
          let (buffer, first) = buffers.place(ofChannel: channel)
          samples.append(
            Int16(buffers[buffer][word: frame * buffers.channelsPerBuffer + first]))
        }
      }
    }
    #expect(samples == expected)
  }

  @Test func `a callback that is set over another is heard from the next slice on`() throws {
    let unit = try mixer()
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try feed(unit, counting { _, _ in 0.25 })
    try unit.initialize()
    #expect(try unit.render(100)[0].allSatisfy { $0 == 0.25 })
    try feed(unit, counting { _, frame in Float(frame) })
    // The callback gets the time of the unit.
    #expect(try unit.render(3)[0] == [100, 101, 102])
    let source = try mixer()
    try source.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try feed(source, counting { _, _ in 0.5 })
    try source.initialize()
    try connect(source, to: unit)
    #expect(try unit.render(100)[0].allSatisfy { $0 == 0.5 })
    try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(nil))
    var flags: RenderActionFlags = []
    let memory = SampleMemory(float(), capacity: 64)
    #expect(unit.render(&flags, TimeStamp(sampleTime: 203), into: memory.buffers(64)) == .ok)
    #expect(flags.contains(.outputIsSilence))
    #expect(memory.floats(ofChannel: 1, frameCount: 64).allSatisfy { $0 == 0 })
  }

  @Test func `a Generic Output is pulled by its client, and converts`() throws {
    let out = UnitInstance(GenericOutput.self)
    try out.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try out.setProperty(
      .streamFormat, .output, 0,
      to: .streamFormat(StreamFormat(.int16, channels: 2, sampleRate: 48_000)))
    try feed(out, counting { _, frame in Float(frame) / 1024 })
    try out.initialize()
    #expect(try out.render(100)[0] == (0..<100).map { Float($0) / 1024 })
    var states: [PropertyValue] = []
    try out.start()
    states.append(try out.property(.isRunning))
    try out.stop()
    states.append(try out.property(.isRunning))
    #expect(states == [.uint32(1), .uint32(0)])
  }

  // MARK: Refusals

  /// The pitfalls of rendering (facts, sections 7.5 and 9).
  @Test func `a render is refused with Core Audio's status, in its order`() throws {
    let unit = try equalizer()
    let memory = SampleMemory(float(), capacity: 8192)
    func render(
      _ memory: SampleMemory, _ frames: Int = 64, output: Int = 0
    ) -> Status {
      var flags: RenderActionFlags = []
      return unit.render(
        &flags, TimeStamp(sampleTime: 0), output: output, into: memory.buffers(frames))
    }
    #expect(render(memory) == .uninitialized)
    try unit.initialize()
    #expect(render(memory, 5000) == .tooManyFramesToProcess)
    #expect(render(memory, output: 1) == .invalidElement)
    #expect(
      render(SampleMemory(float(rate: 48_000).interleavedTwin, capacity: 64)) == .parameterError)
    #expect(render(SampleMemory(float(1), capacity: 64)) == .parameterError)
    #expect(render(memory) == .noConnection)
    #expect(try unit.property(.lastRenderError) == .status(.noConnection))
    #expect(try unit.property(.lastRenderError) == .status(.ok))
    let source = try equalizer()
    try connect(source, to: unit)
    #expect(render(memory) == .uninitialized)
    try source.initialize()
    #expect(render(memory) == .noConnection)
    try feed(source, ClosureCallback { _, _, _, _, _ in Status(rawValue: -77) })
    #expect(render(memory) == Status(rawValue: -77))
    #expect(try unit.property(.lastRenderError) == .status(Status(rawValue: -77)))
    try feed(source, counting(hashed))
    #expect(render(memory) == .ok)
    #expect(memory.floats(ofChannel: 1, frameCount: 64) == (0..<64).map { hashed(1, $0) })
    try unit.uninitialize()
    #expect(render(memory) == .uninitialized)
    #expect(source.isInitialized)
  }

  @Test func `an output feeds one input, and no unit feeds itself`() throws {
    let (one, two, three) = (try equalizer(), try equalizer(), try equalizer())
    try connect(one, to: two)
    refused(.invalidConnection) { try connect(one, to: three) }
    try connect(two, to: three)
    refused(.invalidConnection) { try connect(three, to: one) }
    refused(.invalidConnection) { try connect(one, to: one) }
    refused(.invalidElement) { try connect(one, to: two, 1) }
    // The same connection again is accepted, and a removed one frees both ends.
    try connect(one, to: two)
    try two.setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: nil, to: 0)))
    try connect(one, to: two)
    refused(.noConnection) { try feed(two, GainCallback(gain: 1)) }
    let stereo = try mixer(44_100)
    let mono = UnitInstance(FormatConverter.self)
    try mono.setProperty(.streamFormat, .output, 0, to: .streamFormat(float(3)))
    refused(.formatNotSupported) { try connect(mono, to: stereo) }
    try two.initialize()
    let other = try equalizer(rate: 44_100)
    refused(.propertyNotWritable) { try connect(other, to: two) }
  }

  @Test func `a unit of a graph is the graph's`() throws {
    let graph = try openGraph()
    let node = try graph.addNode(IPodEQ.description.component)
    let unit = try graph.unit(node)
    var flags: RenderActionFlags = []
    let memory = SampleMemory(float(), capacity: 64)
    #expect(
      unit.render(&flags, TimeStamp(sampleTime: 0), into: memory.buffers(64))
        == .cannotDoInCurrentContext)
    refused(.cannotDoInCurrentContext) { try unit.uninitialize() }
    refused(.cannotDoInCurrentContext) { try unit.stop() }
    #expect(throws: GraphStartError.self) { try unit.start() }
    let alone = try equalizer()
    refused(.cannotDoInCurrentContext) { try connect(unit, to: alone) }
    // Initialized before, as in the guide.
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(counting(hashed), of: io)
    try graph.initialize()
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    try unit.initialize()
    #expect(unit.isInitialized)
  }

  // MARK: Beginning anew

  @Test func `a unit that is reset begins as a new one does`() throws {
    let unit = try equalizer("Bass Booster")
    let impulse = counting { _, frame in frame % 1000 == 0 ? 1 : 0 }
    try feed(unit, impulse)
    try unit.initialize()
    let first = try unit.render(1000)
    let ringing = try unit.render(1000)
    #expect(first != ringing)
    try unit.reset()
    #expect(try unit.render(1000) == first)
    refused(.invalidElement) { try unit.reset(.input, 4) }
    // Properties keep their values.
    #expect(try unit.property(.presentPreset) != .preset(Preset(number: 0, name: "Disabled")))
  }

  @Test func `a unit of a graph is reset, too`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput)
    let node = try graph.addNode(IPodEQ.description.component)
    let unit = try graph.unit(node)
    if let preset = IPodEQ.preset(named: "Bass Booster") {
      try unit.setProperty(.presentPreset, to: .preset(preset))
    }
    try graph.setInputCallback(
      counting { _, frame in frame % 1000 == 0 ? 1 : 0 }, of: node)
    try graph.connect(node, to: out)
    try graph.initialize()
    let first = try pulled(graph, 1000)
    #expect(try pulled(graph, 1000) != first)
    try unit.reset()
    #expect(try pulled(graph, 1000) == first)
  }

  // MARK: Looking on

  @Test func `who looks on is told before and after each render, and of a failure`() throws {
    let unit = try equalizer()
    let source = try equalizer()
    try connect(source, to: unit)
    let broken = Flag()
    try feed(
      source,
      ClosureCallback { flags, _, _, _, _ in
        flags = .outputIsSilence
        return broken.isSet ? .unimplemented : .ok
      })
    let notes = Notes()
    let token = unit.addRenderNotification { flags, time, frames in
      notes.note(Int(flags.rawValue) * 100_000 + Int(time.sampleTime) * 100 + frames)
    }
    let upstream = Notes()
    _ = source.addRenderNotification { flags, _, _ in upstream.note(Int(flags.rawValue)) }
    try source.initialize()
    try unit.initialize()
    _ = try unit.render(16)
    _ = try unit.render(8)
    #expect(notes.all == [400_016, 800_016, 401_608, 801_608])
    #expect(upstream.all == [4, 8, 4, 8])
    broken.set()
    let errors = Notes()
    _ = unit.addListener(.lastRenderError) { _, _, _ in errors.note(1) }
    refused(.unimplemented) { _ = try unit.render(8) }
    let afterFailure = 8 | 256
    #expect(notes.all.last == afterFailure * 100_000 + 2408)
    #expect(errors.all == [1])
    unit.removeRenderNotification(token)
    let count = notes.all.count
    refused(.unimplemented) { _ = try unit.render(8) }
    #expect(notes.all.count == count)
  }

  @Test func `who looks on at a unit of a graph is told, too`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(MultichannelMixer.description.component)
    try graph.connect(mix, to: io)
    try graph.setInputCallback(counting(hashed), of: mix)
    let (notes, last) = (Notes(), Notes())
    _ = try graph.unit(mix).addRenderNotification { flags, _, _ in notes.note(Int(flags.rawValue)) }
    try graph.initialize()
    _ = try graph.unit(io).addRenderNotification { flags, _, _ in last.note(Int(flags.rawValue)) }
    _ = try pulled(graph, 1024)
    #expect(notes.all == [4, 8, 4, 8])
    #expect(last.all == [4, 8, 4, 8])
  }

  // MARK: I/O units

  @Test func `an I/O unit starts on its device, and plays what it is fed`() throws {
    let device = PacedHost(grant(frames: 256), speed: 50, collects: true)
    let io = UnitInstance(RemoteIO.self)
    refused(.failedInitialization) { try io.initialize() }
    try io.useDevice(device)
    // Its hardware side has the device's format after that.
    #expect(
      try io.property(.streamFormat, .output, 0)
        == .streamFormat(StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true))
    )
    let mix = try mixer()
    try mix.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try feed(mix, counting { _, _ in 0.25 })
    try connect(mix, to: io)
    do throws(GraphStartError) {
      try io.start()
      Issue.record("it has started without having been initialized")
    } catch {
      guard case .refused(let violation) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(violation.status == .uninitialized)
    }
    try io.initialize()
    refused(.initialized) { try io.useDevice(device) }
    #expect(throws: GraphStartError.self) { try io.start() }
    try mix.initialize()
    let states = Notes()
    _ = io.addListener(.isRunning) { _, _, _ in states.note(1) }
    let slices = Notes()
    _ = io.addRenderNotification { flags, _, _ in
      if flags == .preRender { slices.note(1) }
    }
    try io.start()
    #expect(try io.property(.isRunning) == .uint32(1))
    for _ in 0..<5000 where slices.all.count < 3 { usleep(1000) }
    try feed(mix, counting { _, _ in 0.75 })
    let count = slices.all.count
    for _ in 0..<5000 where slices.all.count < count + 5 { usleep(1000) }
    try io.stop()
    #expect(try io.property(.isRunning) == .uint32(0))
    #expect(states.all.count == 2)
    let samples = Set(words(device.collected, as: Float.self))
    #expect(samples == [0.25, 0.75])
    try io.uninitialize()
    #expect(mix.isInitialized && !io.isInitialized)
    // The mixer can be rendered alone again.
    try io.setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: nil, to: 0)))
    #expect(try mix.render(10)[0].allSatisfy { $0 == 0.75 })
  }

  @Test func `the two sides of an I/O unit are connected by Listing 2-6`() throws {
    let device = PacedHost(
      grant(frames: 256, input: 2), speed: 50, collects: true,
      microphone: { _, interleaved in
        for index in interleaved.indices { interleaved[index] = 0.5 }
      })
    let io = UnitInstance(RemoteIO.self)
    try io.useDevice(device)
    try io.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try io.setProperty(.streamFormat, .output, 1, to: .streamFormat(float()))
    try io.setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: io, 1, to: 0)))
    try io.initialize()
    let slices = Notes()
    _ = io.addRenderNotification { flags, _, _ in
      if flags == .preRender { slices.note(1) }
    }
    try io.start()
    for _ in 0..<5000 where slices.all.count < 50 { usleep(1000) }
    try io.stop()
    #expect(words(device.collected, as: Float.self).contains(0.5))
    var flags: RenderActionFlags = []
    #expect(
      io.render(
        &flags, TimeStamp(sampleTime: 0), output: 1,
        into: SampleMemory(float(), capacity: 64).buffers(64)) == .cannotDoInCurrentContext)
  }
}

/// Set by one thread and read by another.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

extension StreamFormat {
  /// The same format with all channels in one buffer.
  fileprivate var interleavedTwin: StreamFormat {
    StreamFormat(.float32, channels: channelCount, sampleRate: sampleRate, interleaved: true)
  }
}
