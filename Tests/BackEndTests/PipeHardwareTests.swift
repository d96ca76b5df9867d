import AudioTypes
import Glibc
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import BackEnds

@Suite(.serialized)
struct PipeHardwareTests {
  private func session(_ grant: HardwareGrant, capture: FrameRing? = nil) -> RenderSession {
    RenderSession(
      .init(
        client: .float32, device: grant.outputFormat, channelMap: [0, 1], capture: capture,
        sampleRate: grant.sampleRate))
  }

  @Test
  func `every frame is written once, and none behind the end`() throws {
    let pipe = try TestFIFO()
    let drain = try Drain(pipe)
    let hardware = try PipeBackEnd().open(
      HardwareRequest(sinkName: pipe.path, options: ["to-format": "f32le:48000"]))
    let session = session(hardware.grant)
    session.playNumbers()
    session.end(afterFrames: 100_001)
    try hardware.start(session)
    #expect(eventually { session.hasEnded })
    hardware.stop()
    #expect(eventually { drain.bytes.count >= 100_001 * 8 })
    let isWhole = floats(drain.bytes) == numbered(0..<100_001)
    #expect(isWhole)
    #expect(hardware.failure == nil)
    #expect(hardware.statistics.requestedFrames == 100_001)
    #expect(hardware.statistics.underruns == 0)
    drain.end()
  }

  @Test
  func `the head of a WAV file comes first, and once`() throws {
    let pipe = try TestFIFO()
    let drain = try Drain(pipe)
    let backEnd = PipeBackEnd()
    let request = HardwareRequest(
      preferredSampleRate: 32_000, sinkName: pipe.path, options: ["to-format": "wav:s16le"])
    var hardware = try backEnd.open(request)
    #expect(hardware.grant.outputFormat?.sampleType == .int16)
    #expect(hardware.grant.sampleRate == 32_000)
    for _ in 0..<2 {
      let session = session(hardware.grant)
      session.playNumbers()
      session.end(afterFrames: 1000)
      try hardware.start(session)
      #expect(eventually { session.hasEnded })
      hardware.stop()
      // If the pipe is opened again, the stream continues in its format, whatever the request
      // prefers.
      var other = request
      other.preferredSampleRate = 44_100
      hardware = try backEnd.open(other)
      #expect(hardware.grant.sampleRate == 32_000)
    }
    #expect(eventually { drain.bytes.count >= 44 + 2 * 4000 })
    let written = drain.bytes
    #expect(written.count == 44 + 2 * 4000)
    #expect(Array(written[..<4]) == Array("RIFF".utf8))
    #expect(Array(written[36..<44]) == Array("data".utf8) + [255, 255, 255, 255])
    drain.end()
  }

  @Test
  func `a reader that takes nothing holds the render up, and loses nothing`() throws {
    let pipe = try TestFIFO()
    let reader = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let hardware = try PipeBackEnd().open(
      HardwareRequest(sinkName: pipe.path, options: ["to-format": "f32le:48000"]))
    #expect(!hardware.keepsTime)
    let session = session(hardware.grant)
    session.playNumbers()
    session.end(afterFrames: 50_000)
    try hardware.start(session)
    usleep(100_000)
    // The pipe holds 64 KiB, and one slice waits.
    #expect(session.renderedFrames < 20_000)
    var all: [UInt8] = []
    // Reads pieces that do not end at frames.
    var buffer = [UInt8](repeating: 0, count: 4093)
    #expect(
      eventually {
        let count = unsafe read(reader, &buffer, buffer.count)
        if count > 0 { all += buffer[..<count] }
        return all.count >= 400_000
      })
    hardware.stop()
    close(reader)
    let isWhole = floats(all) == numbered(0..<50_000)
    #expect(isWhole)
    #expect(hardware.statistics.droppedFrames == 0)
  }

  @Test
  func `by the clock a reader that is late misses whole slices, which are counted`() throws {
    let pipe = try TestFIFO()
    let reader = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let hardware = try PipeBackEnd().open(
      HardwareRequest(
        sinkName: pipe.path, options: ["to-format": "f32le:192000", "pace": "realtime"]))
    #expect(hardware.keepsTime)
    let session = session(hardware.grant)
    session.playNumbers()
    try hardware.start(session)
    #expect(eventually { hardware.statistics.underruns > 3 })
    // The render has gone on.
    #expect(session.renderedFrames > 8192)
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let end = session.renderedFrames + 20_000
    #expect(
      eventually {
        let count = unsafe read(reader, &buffer, buffer.count)
        if count > 0 { all += buffer[..<count] }
        return session.renderedFrames > end
      })
    hardware.stop()
    close(reader)
    #expect(hardware.statistics.droppedFrames == 1024 * hardware.statistics.underruns)
    // The frames that arrived are in order, with gaps of whole slices.
    let heard = floats(all)
    let left = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }
    var gaps = 0
    for (before, after) in zip(left, left.dropFirst()) {
      let step = Int(((after - before) * 16_777_216).rounded())
      #expect(step == 1 || step % 1024 == 1)
      if step != 1 { gaps += 1 }
    }
    #expect(gaps > 0)
  }

  @Test(arguments: [false, true])
  func `what is read is heard frame for frame`(isWave: Bool) throws {
    let (input, output) = (try TestFIFO(), try TestFIFO())
    let drain = try Drain(output)
    let samples = numbered(0..<30_000)
    // Three bytes of an incomplete frame.
    let head: [UInt8] =
      isWave
      ? Array("RIFF".utf8) + [255, 255, 255, 255] + Array("WAVEfmt ".utf8) + [
        16, 0, 0, 0, 3, 0, 2, 0,
      ]
        + [0x80, 0xBB, 0, 0, 0, 0xDC, 5, 0, 8, 0, 32, 0] + Array("data".utf8) + [0, 0, 0, 0] : []
    let writer = try HostThread("writer") { [path = input.path] in
      let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
      var rest = (head + bytes(samples) + [1, 2, 3])[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(997))
        let count = unsafe write(descriptor, piece, piece.count)
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      close(descriptor)
    }
    var options = ["to-format": "f32le", "end-with-input": "true"]
    if !isWave { options["from-format"] = "f32le:48000:2" }
    let hardware = try PipeBackEnd().open(
      HardwareRequest(
        wantsInput: true, sinkName: output.path, sourceName: input.path, options: options))
    #expect(hardware.grant.sampleRate == 48_000)
    #expect(hardware.grant.inputFormat?.channelCount == 2)
    #expect(hardware.isSynchronous)
    let ring = FrameRing(channelCount: 2, minimumCapacity: 48_000)
    let session = session(hardware.grant, capture: ring)
    session.play(ring: ring)
    try hardware.start(session)
    var events: [HardwareEvent] = []
    #expect(
      eventually {
        events += hardware.takeEvents()
        return events.count >= 2
      })
    hardware.stop()
    writer.join()
    #expect(
      events == [
        .noted("'\(input.path)' has ended within a frame: its last 3 bytes are left out"),
        .ended("'\(input.path)' has ended"),
      ])
    #expect(eventually { drain.bytes.count >= samples.count * 4 })
    let isWhole = floats(drain.bytes) == samples
    #expect(isWhole)
    #expect(hardware.statistics.capturedFrames == 30_000)
    drain.end()
  }

  @Test
  func `by the clock a writer that is late is heard as silence, which is counted`() throws {
    let (input, output) = (try TestFIFO(), try TestFIFO())
    let drain = try Drain(output)
    let over = TestFlag()
    let writer = try HostThread("writer") { [path = input.path] in
      let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
      var rest = bytes(numbered(0..<20_000))[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(4096))
        let count = unsafe write(descriptor, piece, piece.count)
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      while !over.isSet { usleep(1000) }
      close(descriptor)
    }
    let hardware = try PipeBackEnd().open(
      HardwareRequest(
        wantsInput: true, sinkName: output.path, sourceName: input.path,
        options: [
          "from-format": "f32le:192000", "to-format": "f32le:192000", "pace": "realtime",
        ]))
    let ring = FrameRing(channelCount: 2, minimumCapacity: 48_000)
    let session = session(hardware.grant, capture: ring)
    session.play(ring: ring)
    try hardware.start(session)
    #expect(eventually { hardware.statistics.missingFrames > 20_000 })
    hardware.stop()
    over.set()
    writer.join()
    #expect(hardware.statistics.overruns > 0)
    #expect(hardware.statistics.capturedFrames == 20_000)
    drain.end()
    let isWhole = floats(drain.bytes).filter { $0 != 0 } == numbered(0..<20_000)
    #expect(isWhole || hardware.statistics.underruns > 0)
  }

  @Test
  func `at the end of what is read silence follows, unless that is to be the end`() throws {
    let (input, output) = (try TestFIFO(), try TestFIFO())
    let drain = try Drain(output)
    let writer = try HostThread("writer") { [path = input.path] in
      close(unsafe open(path, O_WRONLY | O_CLOEXEC))
    }
    let hardware = try PipeBackEnd().open(
      HardwareRequest(
        wantsInput: true, sinkName: output.path, sourceName: input.path,
        options: ["to-format": "f32le", "from-format": "s16le:48000"]))
    let ring = FrameRing(channelCount: 2, minimumCapacity: 48_000)
    let session = session(hardware.grant, capture: ring)
    session.play(ring: ring)
    session.end(afterFrames: 5000)
    try hardware.start(session)
    #expect(eventually { session.hasEnded })
    hardware.stop()
    writer.join()
    #expect(hardware.takeEvents() == [.noted("'\(input.path)' has ended: silence follows")])
    #expect(eventually { drain.bytes.count >= 40_000 })
    #expect(drain.bytes == [UInt8](repeating: 0, count: 40_000))
    drain.end()
  }

  @Test
  func `hardware that keeps no time goes no further than it is allowed to`() throws {
    let pipe = try TestFIFO()
    let drain = try Drain(pipe)
    let hardware = try PipeBackEnd().open(
      HardwareRequest(sinkName: pipe.path, options: ["to-format": "f32le:48000"]))
    let session = session(hardware.grant)
    session.playNumbers()
    hardware.allowPulls(upTo: 10_000)
    try hardware.start(session)
    #expect(hardware.waitForEvent(timeout: 60))
    #expect(session.nextFrame <= 10_000 && session.nextFrame > 8000)
    hardware.allowPulls(upTo: .max)
    #expect(eventually { session.nextFrame > 20_000 })
    hardware.stop()
    drain.end()
  }

  @Test
  func `somebody at the other end is waited for, as long as that is wanted`() throws {
    let pipe = try TestFIFO()
    for (request, whom) in [
      (HardwareRequest(sinkName: pipe.path), "somebody to read '\(pipe.path)'"),
      (
        HardwareRequest(wantsOutput: false, wantsInput: true, sourceName: pipe.path),
        "somebody to write to '\(pipe.path)'"
      ),
    ] {
      var asked: [String] = []
      let failure = failure { () throws(HardwareError) in
        _ = try PipeBackEnd().open(request) { whom in
          asked.append(whom)
          return asked.count < 3
        }
      }
      #expect(failure?.code == .cancelled)
      #expect(asked == [whom, whom, whom])
    }
  }

  @Test
  func `what makes no sense is refused before anything is opened`() throws {
    for options in [
      ["to-format": "s16"], ["pace": "slow"], ["from-format": "s16le"], ["bogus": "1"],
    ] {
      let failure = failure { () throws(HardwareError) in
        try PipeBackEnd().check(HardwareRequest(options: options))
      }
      #expect(failure?.code == .invalidRequest, "\(options)")
    }
  }
}
