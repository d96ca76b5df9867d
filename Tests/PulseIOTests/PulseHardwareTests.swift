import AudioTypes
import Glibc
import PulseIO
import RenderCore
import RenderHost
import TestSupport
import Testing

@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct PulseHardwareTests {
  // MARK: Playback

  @Test(arguments: [(44_100, true), (48_000, true), (48_000, false)])
  func `what is rendered is heard bit for bit`(rate: Int, isQuick: Bool) throws {
    let server = try PrivatePulse([.init("out", sampleRate: rate, isQuick: isQuick)])
    let recording = try server.record(sampleRate: rate)
    let hardware = try PulseHardware.open(
      HardwareRequest(
        preferredSampleRate: Double(rate), preferredIOBufferDuration: 0.02,
        server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    session.end(afterFrames: 40_000)
    try hardware.start(session)
    #expect(eventually { session.hasEnded })
    hardware.stop()
    expectWhole(sound(in: try recording.stop()), 0..<40_000)
    #expect(hardware.failure == nil)
    #expect(hardware.statistics.underruns == 0)
    #expect(session.failedSlices.count == 0)
    #expect(hardware.schedulingDescription.isEmpty == false)
  }

  @Test
  func `stopping lets what has been rendered be heard`() throws {
    let server = try PrivatePulse()
    let recording = try server.record()
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    #expect(eventually { session.renderedFrames > 10_000 })
    hardware.stop()
    let count = session.renderedFrames
    expectWhole(sound(in: try recording.stop()), 0..<count)
    #expect(session.renderedFrames == count)
    #expect(hardware.statistics.requestedFrames == count)
    // The end of a run is not an underrun.
    #expect(hardware.statistics.underruns == 0)
  }

  @Test
  func `a render that takes too long is an underrun, and counted`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(preferredIOBufferDuration: 0.005, server: server.address))
    let session = session(for: hardware.grant)
    session.play(plan(of: .holding(DawdlingKernel())))
    try hardware.start(session)
    // A busy machine causes other underruns too.
    #expect(eventually { hardware.statistics.underrunCauses[.render] ?? 0 > 0 })
    hardware.stop()
    #expect(hardware.failure == nil)
    #expect(hardware.statistics.underrunCauses[.render] ?? 0 > 0)
    let told = hardware.takeEvents().compactMap {
      if case .ranDry(let underrun) = $0 { underrun } else { nil }
    }
    let first = try #require(told.first { $0.cause == .render })
    // The sleep, after a quarter of a second of sound.
    #expect(first.reason.hasPrefix("to render ") && first.time > 0.2, "\(first)")
  }

  @Test
  func `a server that stood still has an underrun of its own`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(preferredIOBufferDuration: 0.01, server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    #expect(eventually { session.renderedFrames > 20_000 })
    let before = hardware.statistics.underrunCauses[.server] ?? 0
    server.signal(SIGSTOP)
    usleep(1_000_000)
    server.signal(SIGCONT)
    let isTold = eventually { hardware.statistics.underrunCauses[.server] ?? 0 > before }
    #expect(isTold, "\(hardware.statistics), \(String(describing: hardware.failure))")
    hardware.stop()
    #expect(hardware.statistics.underrunCauses[.render] == nil)
  }

  @Test
  func `it can be started again`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(preferredIOBufferDuration: 0.005, server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    for _ in 0..<2 {
      let count = session.renderedFrames
      try hardware.start(session)
      #expect(session.renderedFrames > count, "start returns once a slice has been rendered")
      hardware.stop()
      hardware.stop()
    }
    #expect(hardware.failure == nil)
  }

  @Test
  func `hardware that is never started closes without a sound`() throws {
    let server = try PrivatePulse()
    _ = try PulseHardware.open(
      HardwareRequest(wantsInput: true, sourceName: "out.monitor", server: server.address))
    #expect(try server.control("list", "short", "sink-inputs") == "")
  }

  @Test
  func `a session without output plays silence`() throws {
    let server = try PrivatePulse()
    let recording = try server.record()
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = RenderSession(.init(client: nil, device: nil, sampleRate: 48_000))
    session.playNumbers()
    try hardware.start(session)
    #expect(eventually { session.renderedFrames > 5000 })
    hardware.stop()
    #expect(try recording.stop().allSatisfy { $0 == 0 })
  }

  // MARK: The grant

  @Test
  func `the device's own rate and channels are granted`() throws {
    let server = try PrivatePulse([
      .init("front"), .init("quad", sampleRate: 96_000, format: "s16le", channels: 4),
    ])
    // A sink in use keeps its rate.
    let recording = try server.record("quad.monitor", sampleRate: 96_000, channels: 4)
    let hardware = try PulseHardware.open(
      HardwareRequest(
        wantsInput: true, preferredSampleRate: 48_000, preferredIOBufferDuration: 0.01,
        sinkName: "quad", sourceName: "front.monitor", server: server.address))
    let grant = hardware.grant
    #expect(
      grant.outputFormat
        == StreamFormat(.float32, channels: 4, sampleRate: 96_000, interleaved: true))
    // Input and output have the same rate.
    #expect(
      grant.inputFormat
        == StreamFormat(.float32, channels: 2, sampleRate: 96_000, interleaved: true))
    #expect(grant.ioBufferFrames == 1024)
    #expect(grant.outputName == "quad")
    #expect(grant.inputName == "front.monitor")
    // With a microphone, at least one slice is buffered.
    #expect(grant.outputLatency > 0.01 && grant.outputLatency < 0.5)
    #expect(grant.inputLatency > 0.0025 && grant.inputLatency < 0.5)
    #expect(hardware.sink?.sampleFormat == shownFormat("s16le"))
    #expect(hardware.source?.monitorOf == "front")
    _ = try recording.stop(after: 0)
  }

  @Test
  func `other channel counts than the device's can be had`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(
        wantsInput: true, sourceName: "out.monitor", outputChannels: 6, inputChannels: 1,
        server: server.address))
    #expect(hardware.grant.outputFormat?.channelCount == 6)
    #expect(hardware.grant.inputFormat?.channelCount == 1)
    #expect(hardware.grant.ioBufferFrames == 1024)
  }

  @Test
  func `libpulse's own variables name a sink and a source`() throws {
    let server = try PrivatePulse([.init("first"), .init("second")])
    defer {
      unsafe unsetenv("PULSE_SINK")
      unsafe unsetenv("PULSE_SOURCE")
    }
    unsafe setenv("PULSE_SINK", "second", 1)
    unsafe setenv("PULSE_SOURCE", "second.monitor", 1)
    let named = try PulseHardware.open(HardwareRequest(wantsInput: true, server: server.address))
    #expect(named.grant.outputName == "second")
    #expect(named.grant.inputName == "second.monitor")
    let other = try PulseHardware.open(
      HardwareRequest(sinkName: "first", server: server.address))
    #expect(other.grant.outputName == "first")
    unsafe setenv("PULSE_SINK", "third", 1)
    #expect(
      failure { () throws(HardwareError) in
        _ = try PulseHardware.open(HardwareRequest(server: server.address))
      }?.message == "there is no sink 'third'")
  }

  @Test
  func `a sink goes by its index and by the server's own names too`() throws {
    let server = try PrivatePulse([.init("first"), .init("second")])
    let second = try #require(
      try PulseBackEnd(address: server.address).devices().first {
        $0.name == "second"
      })
    for (name, expected) in [(String(second.index), "second"), ("@DEFAULT_SINK@", "first")] {
      let hardware = try PulseHardware.open(
        HardwareRequest(sinkName: name, server: server.address))
      #expect(hardware.grant.outputName == expected)
    }
  }

  @Test
  func `a stream that cannot be is refused`() throws {
    let server = try PrivatePulse()
    for request in [
      HardwareRequest(outputChannels: 33, server: server.address),
      HardwareRequest(preferredSampleRate: 1e6, server: server.address),
    ] {
      #expect(throws: HardwareError.self) { try PulseHardware.open(request) }
      #expect(
        failure { () throws(HardwareError) in _ = try PulseHardware.open(request) }?.code
          == .formatNotSupported)
    }
  }

  // MARK: Capture

  @Test
  func `what a source delivers reaches the ring bit for bit`() throws {
    let server = try PrivatePulse([.init("in")])
    let (heard, _) = try undisturbed { () -> (heard: [Float], Void) in
      let hardware = try PulseHardware.open(
        HardwareRequest(
          wantsOutput: false, wantsInput: true, preferredIOBufferDuration: 0.005,
          sourceName: "in.monitor", server: server.address))
      #expect(hardware.grant.outputFormat == nil)
      #expect(hardware.captureFrames >= 256)
      let ring = FrameRing(channelCount: 2, minimumCapacity: 1 << 18)
      let session = session(for: hardware.grant, capture: ring)
      session.play(
        RenderPlan(rows: [], busChannelCounts: [2], maximumFramesPerSlice: 4096))
      try hardware.start(session)
      try server.play(numbered(0..<20_000), on: "in", sampleRate: 48_000, channels: 2)
      hardware.stop()
      let heard = sound(in: contents(of: ring))
      #expect(session.renderedFrames == ring.access.totalWritten, "the source drives the pulls")
      #expect(hardware.statistics.capturedFrames == ring.access.totalWritten)
      #expect(hardware.statistics.overruns == 0)
      return (heard, ())
    }
    expectWhole(heard, 0..<20_000)
  }

  /// The first of five attempts in which the numbers are recorded as played, or the last one. On a
  /// busy machine a server inserts silence.
  private func undisturbed<Attempt>(
    _ attempt: () throws -> (heard: [Float], Attempt)
  ) throws -> (heard: [Float], Attempt) {
    for _ in 1..<5 {
      let result = try attempt()
      if result.heard == numbered(0..<20_000) { return result }
    }
    return try attempt()
  }

  @Test
  func `frames that find no room are dropped and counted`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(wantsOutput: false, wantsInput: true, server: server.address))
    let ring = FrameRing(channelCount: 2, minimumCapacity: 256)
    let session = session(for: hardware.grant, capture: ring)
    try hardware.start(session)
    #expect(eventually { hardware.statistics.overruns > 0 })
    hardware.stop()
    #expect(ring.access.available == 256)
    let statistics = hardware.statistics
    #expect(statistics.droppedFrames == statistics.capturedFrames - 256)
  }

  @Test
  func `both at once: the loudspeaker plays what the microphone hears`() throws {
    let server = try PrivatePulse([.init("out"), .init("in")])
    let (heard, overruns) = try undisturbed { () -> (heard: [Float], Int) in
      let recording = try server.record("out.monitor")
      let hardware = try PulseHardware.open(
        HardwareRequest(
          wantsInput: true, preferredIOBufferDuration: 0.02, sinkName: "out",
          sourceName: "in.monitor", server: server.address))
      let ring = FrameRing(channelCount: 2, minimumCapacity: hardware.captureFrames)
      let session = session(for: hardware.grant, capture: ring)
      session.play(plan(of: .holding(ThroughKernel(ring: ring.access))))
      try hardware.start(session)
      try server.play(numbered(0..<20_000), on: "in", sampleRate: 48_000, channels: 2)
      usleep(100_000)
      hardware.stop()
      #expect(session.failedSlices.count == 0)
      return (sound(in: try recording.stop()), Int(hardware.statistics.overruns))
    }
    expectWhole(heard, 0..<20_000)
    #expect(overruns == 0)
  }

  @Test(arguments: [(true, "phone"), (false, "production")])
  func `a conversation says so to the server, which may duck others`(
    isConversation: Bool, role: String
  ) throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(
        wantsInput: true, sourceName: "out.monitor", server: server.address,
        isConversation: isConversation))
    let ring = FrameRing(channelCount: 2, minimumCapacity: hardware.captureFrames)
    let session = session(for: hardware.grant, capture: ring)
    session.play(plan(of: .holding(ThroughKernel(ring: ring.access))))
    try hardware.start(session)
    defer { hardware.stop() }
    for list in ["sink-inputs", "source-outputs"] {
      #expect(try server.control("list", list).contains("media.role = \"\(role)\""))
    }
  }

  // MARK: Errors

  @Test
  func `no server is said at once, with what to do`() throws {
    let begin = monotonicNanoseconds()
    let error = failure { () throws(HardwareError) in
      _ = try PulseHardware.open(HardwareRequest(server: "unix:/nonexistent/native"))
    }
    #expect(Double(monotonicNanoseconds() - begin) < 6e9)
    #expect(error?.code == .connectionRefused)
    #expect(error?.message.contains("unix:/nonexistent/native") == true)
    #expect(error?.help.contains("pulseaudio --start") == true)
    #expect(error?.help.contains("patchrun render") == true)
    #expect(
      failure { () throws(HardwareError) in
        _ = try PulseBackEnd(address: "unix:/nonexistent/native").devices()
      }?.code == .connectionRefused)
  }

  @Test
  func `a server that hangs is given up`() throws {
    let server = try PrivatePulse()
    server.signal(SIGSTOP)
    let error = failure { () throws(HardwareError) in
      _ = try PulseHardware.open(HardwareRequest(server: server.address, timeout: 0.5))
    }
    #expect(error?.code == .connectionRefused)
  }

  @Test
  func `an unknown sink is refused with the ones there are`() throws {
    let server = try PrivatePulse([.init("loudspeaker"), .init("headphones")])
    let error = failure { () throws(HardwareError) in
      _ = try PulseHardware.open(HardwareRequest(sinkName: "headphone", server: server.address))
    }
    #expect(error?.code == .noSuchDevice)
    #expect(error?.message == "there is no sink 'headphone'")
    #expect(
      error?.help
        == "did you mean 'headphones'? there are 'loudspeaker', 'headphones'; "
        + "'patchrun devices' lists them")
    let source = failure { () throws(HardwareError) in
      _ = try PulseHardware.open(
        HardwareRequest(wantsInput: true, sourceName: "microphone", server: server.address))
    }
    #expect(source?.code == .noSuchDevice)
    #expect(source?.message == "there is no source 'microphone'")
  }

  @Test
  func `a server without a sink says so`() throws {
    let server = try PrivatePulse([])
    for request in [
      HardwareRequest(server: server.address),
      HardwareRequest(wantsOutput: false, wantsInput: true, server: server.address),
    ] {
      let error = failure { () throws(HardwareError) in _ = try PulseHardware.open(request) }
      #expect(error?.code == .noDevice)
    }
  }

  @Test
  func `a server that dies is noticed, and nothing hangs`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(
      HardwareRequest(wantsInput: true, sourceName: "out.monitor", server: server.address))
    let ring = FrameRing(channelCount: 2, minimumCapacity: hardware.captureFrames)
    let session = session(for: hardware.grant, capture: ring)
    session.play(plan(of: .holding(ThroughKernel(ring: ring.access))))
    try hardware.start(session)
    #expect(!hardware.waitForEvent(timeout: 0.01))
    server.kill()
    #expect(hardware.waitForEvent(timeout: 2))
    #expect(hardware.failure?.code == .connectionLost)
    let frames = session.renderedFrames
    hardware.stop()
    #expect(session.renderedFrames == frames)
    // It cannot start again without the server.
    #expect(
      failure { () throws(HardwareError) in try hardware.start(session) }?.code
        == .connectionRefused)
  }

  @Test
  func `a sink that is taken away is noticed, and can be played on once it is back`() throws {
    let server = try PrivatePulse([.init("gone")])
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    try server.control("unload-module", "module-null-sink")
    #expect(hardware.waitForEvent(timeout: 2))
    #expect(hardware.failure?.code == .deviceLost)
    #expect(hardware.failure?.message.hasPrefix("the sink 'gone' is gone") == true)
    hardware.stop()
    #expect(
      failure { () throws(HardwareError) in try hardware.start(session) }?.code == .noDevice)
    try server.control(
      "load-module", "module-null-sink", "sink_name=gone", "format=float32le", "rate=48000",
      "channels=2", "norewinds=1")
    let frames = session.renderedFrames
    try hardware.start(session)
    #expect(session.renderedFrames > frames)
    #expect(hardware.failure == nil)
    hardware.stop()
  }

  @Test
  func `a stream that is moved goes on, and says where it is`() throws {
    let server = try PrivatePulse([.init("out"), .init("other", sampleRate: 44_100)])
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    let input = try server.control("list", "short", "sink-inputs").prefix { $0.isNumber }
    try server.control("move-sink-input", String(input), "other")
    #expect(hardware.waitForEvent(timeout: 2))
    #expect(hardware.takeEvents() == [.moved(.sink, to: "other")])
    #expect(hardware.takeEvents() == [])
    let frames = session.renderedFrames
    #expect(eventually { session.renderedFrames > frames + 10_000 })
    #expect(hardware.failure == nil)
    hardware.stop()
  }

  @Test
  func `a sink that stays suspended is lost, one that comes back is not`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    try server.control("suspend-sink", "out", "1")
    usleep(200_000)
    try server.control("suspend-sink", "out", "0")
    let frames = session.renderedFrames
    #expect(eventually { session.renderedFrames > frames + 10_000 })
    #expect(hardware.failure == nil)
    try server.control("suspend-sink", "out", "1")
    guard server.kind == .pulseAudio else {
      // PipeWire resumes a sink with a stream at once, and a new listener can record it.
      let recording = try server.record()
      #expect(!sound(in: try recording.stop()).isEmpty)
      #expect(hardware.failure == nil)
      #expect(hardware.takeEvents() == [])
      return
    }
    #expect(eventually { hardware.failure != nil })
    #expect(hardware.failure?.message == "the sink 'out' has been suspended")
    // Only a suspension is reported, since the stream has not resumed.
    let notes = hardware.takeEvents()
    #expect(!notes.isEmpty && notes.allSatisfy { $0 == .interrupted(.suspended(.sink)) })
    hardware.stop()
  }

  @Test
  func `a server that hangs while the graph is running is noticed`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address, timeout: 0.5))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    server.signal(SIGSTOP)
    #expect(hardware.waitForEvent(timeout: 10))
    #expect(hardware.failure?.code == .connectionLost)
    hardware.stop()
  }

  @Test
  func `stopping does not wait for a server that hangs`() throws {
    let server = try PrivatePulse()
    let hardware = try PulseHardware.open(HardwareRequest(server: server.address))
    let session = session(for: hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    server.signal(SIGSTOP)
    let begin = monotonicNanoseconds()
    hardware.stop()
    #expect(Double(monotonicNanoseconds() - begin) < 6e9)
  }

  // MARK: Devices

  @Test
  func `sinks and sources are listed with what they are`() throws {
    let server = try PrivatePulse([
      .init("out"), .init("small", sampleRate: 22_050, format: "s16le", channels: 1),
    ])
    let devices = try PulseBackEnd(address: server.address).devices()
    #expect(devices.map(\.name) == ["out", "small", "out.monitor", "small.monitor"])
    #expect(devices.map(\.direction) == [.sink, .sink, .source, .source])
    #expect(devices.map(\.isDefault) == [true, false, true, false])
    #expect(devices.map(\.monitorOf) == [nil, nil, "out", "small"])
    #expect(devices[0].channelMap == ["front-left", "front-right"])
    #expect(
      devices[0].streamFormat
        == StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true))
    #expect(devices[1].channelMap == ["mono"])
    #expect(devices[1].sampleFormat == shownFormat("s16le"))
    #expect(devices[1].sampleRate == 22_050)
    #expect(devices.allSatisfy { !$0.description.isEmpty && $0.state != .unknown })
  }
}

/// The sample format that the server reports for a device. PipeWire always reports floats.
private func shownFormat(_ format: String) -> String {
  PrivatePulse.Kind.chosen == .pipeWire ? "float32le" : format
}

/// A measurement that takes too long for every test run:
/// `PATCHRUN_MEASURE=30 swift test --filter PulseMeasurement`.
@Suite(.serialized, .enabled(if: measuredSeconds > 0, "PATCHRUN_MEASURE is not set"))
struct PulseMeasurement {
  @Test
  func `256 frames a slice do not run dry`() throws {
    let server = try PrivatePulse([
      .init("out", isQuick: false), .init("in", isQuick: false),
    ])
    let hardware = try PulseHardware.open(
      HardwareRequest(
        wantsInput: measuresDuplex, preferredIOBufferDuration: 0.005,
        sinkName: "out", server: server.address))
    let ring = hardware.grant.inputFormat.map { _ in
      FrameRing(channelCount: 2, minimumCapacity: hardware.captureFrames)
    }
    let session = session(for: hardware.grant, capture: ring)
    if let ring {
      session.play(plan(of: .holding(ThroughKernel(ring: ring.access))))
    } else {
      session.playNumbers()
    }
    try hardware.start(session)
    var peak: UInt64 = 0
    for _ in 0..<measuredSeconds {
      sleep(1)
      peak = max(peak, session.takePeakLoad())
    }
    let statistics = hardware.statistics
    let load = session.busyTime
    print(hardware.grant)
    print(statistics, hardware.schedulingDescription)
    print("frames a write:", statistics.requestedFrames / max(1, statistics.writeCount))
    print("load:", Double(load.spent) / Double(load.rendered) * 100, "%, peak", Double(peak) / 1e4)
    hardware.stop()
    #expect(statistics.underruns == 0)
    #expect(statistics.overruns == 0)
  }
}
