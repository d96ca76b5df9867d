import AudioGraphs
import AudioTypes
import AudioUnits
import Glibc
import RenderCallbacks
import RenderCore
import RenderHost
import TestSupport
import Testing

/// Complete graphs, rendered offline.
struct GraphRenderTests {
  /// An initialized graph that ends in a Generic Output.
  private func offline(
    _ format: StreamFormat, client: StreamFormat? = nil, frames: Int = 512,
    _ callback: any RenderCallback
  ) throws -> AudioGraph {
    let graph = try openGraph(
      grant(rate: format.sampleRate, frames: frames, output: nil), default: format)
    let out = try graph.addNode(genericOutput, slice: 4096)
    if let client {
      try graph.unit(out).setProperty(.streamFormat, .output, 0, to: .streamFormat(client))
    }
    try graph.setInputCallback(callback, of: out)
    try graph.initialize()
    return graph
  }

  @Test func `a mix is the sum of what goes in, times its gains`() throws {
    let graph = try openGraph(grant(output: nil))
    let out = try graph.addNode(genericOutput, slice: 4096)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.unit(mix).setProperty(.streamFormat, .input, 1, to: .streamFormat(float(1)))
    // With a balance of 0.5, the left side has half of its volume. With equal power, hard right is
    // the right side alone.
    try graph.unit(mix).setParameter(0, .input, 0, to: 0.5)
    try graph.unit(mix).setParameter(2, .input, 0, to: 0.5)
    try graph.unit(mix).setParameter(0, .input, 1, to: 0.25)
    try graph.unit(mix).setParameter(2, .input, 1, to: 1)
    try graph.unit(mix).setParameter(1, .input, 2, to: 0)
    try graph.unit(mix).setParameter(0, .output, 0, to: 0.5)
    try graph.setInputCallback(counting(hashed), of: mix, 0)
    try graph.setInputCallback(counting { _, frame in hashed(7, frame) }, of: mix, 1)
    try graph.setInputCallback(counting { _, _ in 1 }, of: mix, 2)
    try graph.connect(mix, to: out)
    try graph.initialize()
    let found = words(try pulled(graph, 2000), as: Float.self)
    #expect(found.count == 4000)
    for frame in 0..<2000 {
      let left = 0.5 * (0.5 * 0.5 * hashed(0, frame))
      let right = 0.5 * (0.5 * hashed(1, frame) + 0.25 * hashed(7, frame))
      // -120 dBFS: the rounding of the equal-power law at its end.
      #expect(abs(found[2 * frame] - left) < 1e-6)
      #expect(abs(found[2 * frame + 1] - right) < 1e-6)
    }
  }

  @Test(arguments: ["Flat", "Disabled"])
  func `an equalizer that is flat passes every bit`(preset: String) throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let effect = try graph.addNode(equalizer, slice: 4096)
    let unit = try graph.unit(effect)
    try unit.setProperty(.presentPreset, to: .preset(#require(IPodEQ.preset(named: preset))))
    try graph.setInputCallback(counting(hashed), of: effect)
    try graph.connect(effect, to: io)
    try graph.initialize()
    #expect(words(try pulled(graph, 1500), as: Float.self) == expected(1500))
  }

  private func expected(_ frames: Int) -> [Float] {
    (0..<frames).flatMap { [hashed(0, $0), hashed(1, $0)] }
  }

  // MARK: Sample types of buses

  @Test(arguments: [SampleType.int16, .int24, .fixed824, .int32])
  func `a bus carries what its format can hold, rounded`(sample: SampleType) throws {
    let wave: @Sendable (Int) -> Float = { Float(0.9 * sin(Double($0) * 0.1)) }
    let graph = try offline(
      StreamFormat(sample, channels: 1, sampleRate: 48_000),
      client: StreamFormat(.float32, channels: 1, sampleRate: 48_000),
      counting { _, frame in wave(frame) })
    let scale: Double
    switch sample {
    case .int16: scale = 32_768
    case .int24: scale = 8_388_608
    case .int32: scale = 2_147_483_648
    default: scale = 16_777_216
    }
    let found = words(try pulled(graph, 1000), as: Float.self)
    let wanted = (0..<1000).map { frame in
      Float((Double(wave(frame)) * scale).rounded(.toNearestOrEven) / scale)
    }
    #expect(found == wanted)
  }

  @Test func `a bus clips at its ends and never wraps`() throws {
    let graph = try offline(
      StreamFormat(.int16, channels: 1, sampleRate: 48_000),
      counting { _, frame in frame == 0 ? 2 : frame == 1 ? -2 : frame == 2 ? .nan : 1 })
    #expect(words(try pulled(graph, 4), as: Int16.self) == [32_767, -32_768, 0, 32_767])
    let fixed = try offline(
      StreamFormat(.fixed824, channels: 1, sampleRate: 48_000),
      counting { _, frame in frame == 0 ? 127.5 : frame == 1 ? -200 : 1 })
    #expect(words(try pulled(fixed, 3), as: Int32.self) == [0x7F80_0000, .min, 0x0100_0000])
  }

  @Test(arguments: [SampleType.int32, .fixed824])
  func `words of 32 bits go through bit for bit`(sample: SampleType) throws {
    let word: @Sendable (Int) -> Int32 = {
      Int32(truncatingIfNeeded: ($0 &+ 1) &* 2_654_435_761)
    }
    let callback = ClosureCallback(writesBusWords: true) { _, time, _, frameCount, buffers in
      let buffer = buffers[0]
      for frame in 0..<frameCount { buffer[word: frame] = word(Int(time.sampleTime) + frame) }
      return .ok
    }
    let graph = try offline(StreamFormat(sample, channels: 1, sampleRate: 48_000), callback)
    #expect(words(try pulled(graph, 2000), as: Int32.self) == (0..<2000).map(word))
  }

  @Test func `a client of 24 bits in four bytes gets them where it wants them`() throws {
    var client = StreamFormat(.int24, channels: 1, sampleRate: 48_000)
    client.bytesPerFrame = 4
    client.bytesPerPacket = 4
    client.flags = [.isSignedInteger, .isAlignedHigh, .isNonInterleaved]
    let graph = try offline(
      StreamFormat(.int24, channels: 1, sampleRate: 48_000), client: client,
      counting { _, frame in Float(frame) / 8_388_608 })
    #expect(words(try pulled(graph, 300), as: Int32.self) == (0..<300).map { Int32($0) << 8 })
  }

  @Test func `a mono stream plays on every channel of the device`() throws {
    let graph = try openGraph(grant(channels: 3), default: float(1))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(counting { _, frame in Float(frame) }, of: io)
    try graph.initialize()
    #expect(
      words(try pulled(graph, 3), as: Float.self) == [0, 0, 0, 1, 1, 1, 2, 2, 2])
  }

  // MARK: The microphone

  private func heard(_ frames: Int) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: frames, input: 2))
    let io = try graph.addNode(remoteIO)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    return graph
  }

  private let microphone: Microphone = { position, interleaved in
    for index in interleaved.indices {
      interleaved[index] = hashed(index % 2, position + index / 2)
    }
  }

  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `pass-through plays what is heard, frame for frame`(frames: Int) throws {
    let graph = try heard(frames)
    try graph.connect(graph.nodes[0], 1, to: graph.nodes[0], 0)
    try graph.initialize()
    #expect(
      words(try pulled(graph, 5000, microphone: microphone), as: Float.self) == expected(5000))
  }

  @Test func `an input-only graph is heard by its tap`() throws {
    let graph = try heard(256)
    let io = graph.nodes[0]
    try graph.unit(io).setProperty(.enableIO, .output, 0, to: .uint32(0))
    let tap = ProbeTap()
    try graph.addTap(tap, at: io, 1)
    try graph.initialize()
    #expect(try pulled(graph, 1000, microphone: microphone).isEmpty)
    #expect(tap.floats == (0..<2).map { channel in (0..<1000).map { hashed(channel, $0) } })
  }

  // MARK: Slices, the heap, notifications, load

  /// A mix of two callbacks, one through an equalizer and an 8.24 bus.
  private func mixerHost(_ frames: Int) throws -> AudioGraph {
    let graph = try openGraph(grant(frames: frames))
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    let effect = try graph.addNode(equalizer, slice: 4096)
    let mono = StreamFormat(.fixed824, channels: 1, sampleRate: 48_000)
    let unit = try graph.unit(effect)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(mono))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(mono))
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: 17, name: "")))
    try graph.unit(mix).setParameter(2, .input, 1, to: -0.3)
    try graph.unit(mix).setProperty(.meteringMode, .output, 0, to: .uint32(1))
    try graph.setInputCallback(
      ToneCallback(waveform: .sawtooth, frequency: 331), of: mix, 0)
    try graph.setInputCallback(counting(hashed), of: effect)
    try graph.connect(effect, to: mix, 1)
    try graph.connect(mix, to: io)
    try graph.initialize()
    return graph
  }

  @Test func `the same bytes come out however the render is cut`() throws {
    let reference = try pulled(mixerHost(1024), 6000)
    #expect(reference.contains { $0 != 0 })
    for frames in [1, 64, 333, 4096] {
      #expect(try pulled(mixerHost(frames), 6000) == reference)
    }
  }

  @Test func `a pull of a whole graph makes no heap calls`() throws {
    let graph = try mixerHost(512)
    let session = try #require(graph.session)
    var memory = [UInt8](repeating: 0, count: 512 * 8)
    unsafe memory.withUnsafeMutableBytes { memory in
      for _ in 0..<20 {
        let calls = allocations {
          _ = unsafe session.pull(512, into: memory.baseAddress)
        }
        #expect(calls == 0)
      }
    }
    #expect(session.failedSlices.count == 0)
  }

  @Test func `render notifications come before and after each slice`() throws {
    let graph = try openGraph(grant(frames: 100))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(), of: io)
    let notes = Notes()
    let token = graph.addRenderNotification { flags, time, frameCount in
      notes.note(Int(flags.rawValue))
      notes.note(Int(time.sampleTime))
      notes.note(frameCount)
    }
    try graph.initialize()
    _ = try pulled(graph, 250)
    #expect(
      notes.all == [
        4, 0, 100, 8, 0, 100, 4, 100, 100, 8, 100, 100, 4, 200, 50, 8, 200, 50,
      ])
    graph.removeRenderNotification(token)
    let session = try #require(graph.session)
    unsafe session.pull(100, into: nil)
    #expect(notes.all.count == 18)
  }

  @Test func `a slice that fails is told with the error flag, and is silent`() throws {
    let graph = try openGraph(grant(frames: 64))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(
      ClosureCallback { _, _, _, _, _ in .noConnection }, of: io)
    let notes = Notes()
    _ = graph.addRenderNotification { flags, _, _ in notes.note(Int(flags.rawValue)) }
    try graph.initialize()
    try graph.start()
    let session = try #require(graph.session)
    #expect(unsafe session.pull(64, into: nil) == .noConnection)
    #expect(notes.all == [4, 8 | 256])
    graph.stop()
    #expect(try graph.unit(io).property(.lastRenderError) == .status(.noConnection))
  }

  @Test func `the load is a share, and its maximum starts anew when it is read`() throws {
    let graph = try mixerHost(512)
    #expect(graph.cpuLoad == 0)
    _ = try pulled(graph, 4096)
    #expect(graph.cpuLoad > 0)
    #expect(graph.takeMaximumCPULoad() > 0)
    #expect(graph.takeMaximumCPULoad() == 0)
    try graph.uninitialize()
    #expect(graph.cpuLoad == 0)
  }

  @Test func `an update takes effect between two slices and loses no frame`() throws {
    let graph = try openGraph(grant(frames: 100))
    graph.fadeDuration = 0
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.setInputCallback(counting { _, frame in Float(frame) }, of: mix, 0)
    try graph.connect(mix, to: io)
    try graph.initialize()
    try graph.start()
    #expect(words(try pulled(graph, 150), as: Float.self).last == 149)
    try graph.setInputCallback(counting { _, _ in 10_000 }, of: mix, 1)
    #expect(words(try pulled(graph, 50), as: Float.self).last == 199)
    try graph.update()
    let expected: [Float] = (10_200..<10_300).flatMap { [Float($0), Float($0)] }
    #expect(words(try pulled(graph, 100), as: Float.self) == expected)
    #expect(graph.session?.renderedFrames == 300)
  }

  @Test func `a graph runs on hardware, stops, and starts from the beginning`() throws {
    let host = PacedHost(grant(frames: 64), speed: 50, collects: true)
    let graph = AudioGraph(hardware: host)
    graph.defaultStreamFormat = float()
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(counting(hashed), of: io)
    try graph.open()
    try graph.initialize()
    try graph.start()
    #expect(graph.isRunning)
    graph.stop()
    let first = words(host.collected, as: Float.self)
    #expect(first.count >= 128)
    #expect(first == expected(first.count / 2))
    try graph.start()
    graph.stop()
    // Facts, rule of start: the time stamps begin at zero again.
    let second = Array(words(host.collected, as: Float.self).dropFirst(first.count))
    #expect(second.count >= 128)
    #expect(second == expected(second.count / 2))
    let session = try #require(graph.session)
    graph.close()
    // The session can still be read after the graph is closed.
    #expect(session.load > 0)
  }

  // MARK: Rates and ends

  @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (22_050, 48_000)])
  func `a client's tone has its pitch and level on a device of another rate`(
    client: Double, device: Double
  ) throws {
    let graph = try openGraph(grant(rate: device, frames: 480), default: float(1, rate: client))
    let io = try graph.addNode(remoteIO)
    try graph.setInputCallback(ToneCallback(frequency: 1000, amplitude: 0.5), of: io)
    try graph.initialize()
    let length = Int(device)
    let found = words(try pulled(graph, length), as: Float.self)
    let left = stride(from: 0, to: found.count, by: 2).map { Double(found[$0]) }
    // Whole periods of half a second from the middle. The residual is more than 100 dB below the
    // tone.
    let window = Array(left[(length / 4)..<(length / 4 + length / 2)])
    let step = 2 * Double.pi * 1000 / device
    var (real, imaginary) = (0.0, 0.0)
    for (frame, sample) in window.enumerated() {
      real += sample * cos(step * Double(frame))
      imaginary += sample * sin(step * Double(frame))
    }
    real *= 2 / Double(window.count)
    imaginary *= 2 / Double(window.count)
    #expect(abs((real * real + imaginary * imaginary).squareRoot() - 0.5) < 1e-4)
    var rest = 0.0
    for (frame, sample) in window.enumerated() {
      let tone = real * cos(step * Double(frame)) + imaginary * sin(step * Double(frame))
      rest += (sample - tone) * (sample - tone)
    }
    #expect(10 * log10(rest / Double(window.count) / 0.125) < -100)
  }

  @Test func `the duration is that of the longest source, at the device's rate`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(remoteIO)
    let mix = try graph.addNode(mixer, slice: 4096)
    try graph.setInputCallback(counting(duration: 0.5, hashed), of: mix, 0)
    try graph.setInputCallback(counting(duration: 1.25, hashed), of: mix, 1)
    try graph.connect(mix, to: io)
    try graph.initialize()
    #expect(graph.duration == 60_000)
    try graph.setInputCallback(ToneCallback(), of: mix, 2)
    try graph.update()
    #expect(graph.duration == nil)
  }
}
