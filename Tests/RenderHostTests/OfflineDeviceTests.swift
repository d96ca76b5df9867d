import AudioTypes
import Glibc
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

struct OfflineDeviceTests {
  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `the bytes do not depend on the slices`(frames: Int) {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    var bytes: [UInt8] = []
    var positions: [Int] = []
    let outcome = OfflineDevice(stereoGrant(frames)).run(
      session, frameCount: 5000, progress: { positions.append($0) }, sink: { bytes += $0 })
    #expect(values(bytes, as: Float.self) == counted(0..<5000))
    #expect(outcome == OfflineDevice.Outcome(frameCount: 5000))
    #expect(positions == Array(stride(from: frames, to: 5000, by: frames)) + [5000])
  }

  @Test(arguments: [1, 64, 333, 1024, 4096])
  func `frame n of the microphone is heard with frame n of the output`(frames: Int) {
    let ring = FrameRing(channelCount: 2, minimumCapacity: frames)
    let session = session(capture: ring)
    session.play(plan(.holding(RingKernel(ring: ring.access)), maximumFramesPerSlice: 4096))
    var bytes: [UInt8] = []
    let outcome = OfflineDevice(stereoGrant(frames, input: 2)) { position, interleaved in
      for index in interleaved.indices {
        interleaved[index] = countedSample(index % 2, position + index / 2)
      }
    }.run(session, frameCount: 5000, sink: { bytes += $0 })
    #expect(values(bytes, as: Float.self) == counted(0..<5000))
    #expect(outcome.droppedFrames == 0)
  }

  @Test
  func `what nothing reads is dropped and counted`() {
    let session = session(capture: FrameRing(channelCount: 1, minimumCapacity: 256))
    session.play(plan(.holding(CountingKernel())))
    let outcome = OfflineDevice(stereoGrant(100, input: 1)).run(session, frameCount: 1000)
    #expect(outcome.frameCount == 1000)
    #expect(outcome.droppedFrames == 1000 - 256)
  }

  @Test
  func `it ends with the session, at the frame`() {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    session.end(afterFrames: 1000)
    var bytes: [UInt8] = []
    let outcome = OfflineDevice(stereoGrant(333)).run(session, sink: { bytes += $0 })
    #expect(outcome.frameCount == 1000)
    #expect(values(bytes, as: Float.self) == counted(0..<1000))
  }

  @Test
  func `a session without output is pulled all the same`() {
    let session = RenderSession(.init(client: nil, device: nil, sampleRate: 48_000))
    session.play(plan(.holding(CountingKernel())))
    let outcome = OfflineDevice(stereoGrant(256)).run(session, frameCount: 1000)
    #expect(outcome.frameCount == 1000)
    #expect(session.renderedFrames == 1000)
  }

  @Test
  func `services are called ahead of each slice and finished at the end`() {
    let service = RecordingService()
    service.lost = 3
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    let outcome = OfflineDevice(stereoGrant(400)).run(
      session, frameCount: 1000, services: [service])
    #expect(service.calls == [400, 400, 200])
    #expect(service.finishes == 1)
    #expect(outcome.lostFrames == 3)
  }

  @Test
  func `a cancelled run still finishes its services`() {
    let service = RecordingService()
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    var slices = 0
    let outcome = OfflineDevice(stereoGrant(100)).run(
      session, services: [service], isCancelled: { slices == 4 }, progress: { _ in slices += 1 })
    #expect(outcome.wasCancelled)
    #expect(outcome.frameCount == 400)
    #expect(service.finishes == 1)
  }

  @Test
  func `the first failure ends the run and is told once`() {
    let service = RecordingService()
    service.failure = ServiceError("'x.wav' cannot be read")
    let other = RecordingService()
    let outcome = OfflineDevice(stereoGrant(100)).run(
      session(), services: [service, other])
    #expect(outcome.frameCount == 0)
    #expect(outcome.errors == [ServiceError("'x.wav' cannot be read")])
    #expect(other.finishes == 1)
  }

  @Test
  func `a sink is given several short slices at once, a long one alone, and the rest at the end`() {
    func pieces(_ slice: Int, _ frameCount: Int) -> [Int] {
      let session = session()
      session.play(plan(.holding(CountingKernel()), maximumFramesPerSlice: 20_000))
      var pieces: [Int] = []
      let outcome = OfflineDevice(stereoGrant(slice)).run(
        session, frameCount: frameCount, sink: { pieces.append($0.count / 8) })
      #expect(outcome.frameCount == frameCount)
      return pieces
    }
    // 128 KiB are 16,384 frames.
    #expect(pieces(1000, 40_500) == [16_000, 16_000, 8500])
    #expect(pieces(20_000, 40_500) == [20_000, 20_000, 500])
  }

  @Test
  func `what was rendered before a service fails or the run is cancelled reaches the sink`() {
    let service = RecordingService()
    var bytes: [UInt8] = []
    func run(_ isCancelled: @escaping () -> Bool, _ progress: (Int) -> Void) -> Int {
      let session = session()
      session.play(plan(.holding(CountingKernel())))
      bytes = []
      return OfflineDevice(stereoGrant(100)).run(
        session, frameCount: 1000, services: [service], isCancelled: isCancelled,
        progress: progress, sink: { bytes += $0 }
      ).frameCount
    }
    var pulled = 0
    #expect(run({ pulled == 300 }, { pulled = $0 }) == 300)
    #expect(values(bytes, as: Float.self) == counted(0..<300))
    let failed = run(
      { false }, { if $0 == 500 { service.failure = ServiceError("it fails") } })
    #expect(failed == 500)
    #expect(values(bytes, as: Float.self) == counted(0..<500))
  }

  @Test
  func `a sink or a microphone that fails ends the run`() {
    let failing = ServiceError("'out.wav': no space left")
    let sink = OfflineDevice(stereoGrant(100)).run(
      session(), frameCount: 1000,
      sink: { (_: ArraySlice<UInt8>) throws(ServiceError) in throw failing })
    #expect(sink.errors == [failing])
    #expect(sink.frameCount == 0, "no frame has reached the sink")
    let device = OfflineDevice(stereoGrant(100, input: 1)) {
      (_, _) throws(ServiceError) in throw failing
    }
    #expect(device.run(session(), frameCount: 1000).errors == [failing])
  }
}

/// Collects what it is given; fails at one piece.
private final class CollectingSink: FrameSink, @unchecked Sendable {
  // `@unchecked Sendable`: one thread at a time uses it.
  private(set) var bytes: [UInt8] = []
  private(set) var pieces: [Int] = []
  /// The peaks of the pieces as given, and as found in their bytes.
  private(set) var peaks: [Float?] = []
  private(set) var foundPeaks: [Float] = []
  private(set) var threads: Set<UInt> = []
  /// Whether denormal numbers were taken for zero.
  private(set) var hasFlushed = false
  private let failsAt: Int?
  static let failure = ServiceError("'out.wav': no space left")

  init(failsAt: Int? = nil) { self.failsAt = failsAt }

  func take(_ bytes: Span<UInt8>, peak: Float?) throws(ServiceError) {
    pieces.append(bytes.count / 8)
    peaks.append(peak)
    foundPeaks.append(Float(bitPattern: VectorMath.largest(of: bytes)))
    threads.insert(UInt(pthread_self()))
    if (Float.leastNormalMagnitude / Float(pieces.count + 1)).isZero { hasFlushed = true }
    guard pieces.count - 1 != failsAt else { throw Self.failure }
    for index in bytes.indices { self.bytes.append(bytes[index]) }
  }
}

/// The peak that a sink is given with the frames.
struct SinkPeakTests {
  private func run(
    _ session: RenderSession, _ kernel: KernelBox, slice: Int = 512, frameCount: Int? = 40_000,
    progress: (Int) -> Void = { _ in }
  ) -> CollectingSink {
    session.play(plan(kernel, maximumFramesPerSlice: 4096))
    let sink = CollectingSink()
    _ = OfflineDevice(stereoGrant(slice)).run(
      session, frameCount: frameCount, progress: progress, to: sink)
    return sink
  }

  /// The same number, or both not a number.
  private func areSame(_ one: Float?, _ other: Float) -> Bool {
    one == other || (one?.isNaN == true && other.isNaN)
  }

  @Test(arguments: [1, 100, 4096, 20_000])
  func `it is exact where floats are copied, whatever they are`(slice: Int) {
    for last in [0.5, -3, -Float.infinity, .nan, 0] {
      // One loud sample in the last piece, behind quieter ones.
      var samples = [Float](repeating: -0.25, count: 40_000)
      samples[39_000] = last
      let sink = run(session(), .holding(CyclingKernel(samples)), slice: slice)
      #expect(sink.peaks.count > 1)
      for (peak, found) in zip(sink.peaks, sink.foundPeaks) { #expect(areSame(peak, found)) }
    }
  }

  @Test func `where frames are not copied it is right or not known`() {
    let loud = (0..<40_000).map { Float($0 % 1999) / 1000 - 1 }
    let limited = session()
    limited.limitOutput(to: 0.5)
    let ending = session()
    ending.end(afterFrames: 30_000)
    let pausing = session()
    var slices = 0
    let sinks = [
      run(limited, .holding(CyclingKernel(loud))),
      run(ending, .holding(CyclingKernel(loud)), frameCount: nil),
      // Its fade turns down a part of a piece that begins and ends unchanged.
      run(pausing, .holding(CyclingKernel(loud))) { _ in
        slices += 1
        if slices == 40 { pausing.pause() }
        if slices == 50 { pausing.resume() }
      },
    ]
    for sink in sinks {
      #expect(!sink.peaks.isEmpty)
      for (peak, found) in zip(sink.peaks, sink.foundPeaks) where peak != nil {
        #expect(peak == found)
      }
    }
    #expect(sinks[0].peaks.allSatisfy { $0 == nil }, "the limiter has changed each piece")
    for sink in sinks[1...] {
      #expect(sink.peaks.contains { $0 != nil }, "pieces without the end or the pause are known")
      #expect(sink.peaks.contains { $0 == nil })
    }
    let words = run(session(device: .int16), .holding(CyclingKernel(loud)))
    #expect(words.peaks.allSatisfy { $0 == nil }, "integers are not measured")
  }
}

/// A device whose sink a helper may call.
struct SharedOfflineDeviceTests {
  /// Plays numbers beside rows that are enough work for two threads.
  private func sharedSession() -> RenderSession {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true)
    let session = RenderSession(
      .init(
        client: .float32, device: format, channelMap: [0, 1], sampleRate: 48_000, threadCount: 2))
    let plan = RenderPlan(
      rows: (0..<20).map { bus in
        .init(kernel: .holding(CountingKernel()), inputs: [], outputs: [bus])
      }, busChannelCounts: [Int](repeating: 2, count: 20), maximumFramesPerSlice: 4096,
      threadCount: 2)
    let isShared = plan.isShared
    #expect(isShared)
    session.play(plan)
    return session
  }

  @Test(arguments: [1000, 4096, 20_000])
  func `a sink gets the same pieces from whatever thread`(frames: Int) {
    var threads: Set<UInt> = []
    // A helper takes part sooner or later; how soon is the system's choice.
    for _ in 0..<100 where threads.count < 2 {
      let sink = CollectingSink()
      let outcome = OfflineDevice(stereoGrant(frames)).run(
        sharedSession(), frameCount: 100_500, to: sink)
      #expect(outcome == OfflineDevice.Outcome(frameCount: 100_500))
      #expect(values(sink.bytes, as: Float.self) == counted(0..<100_500))
      let whole = max(1, 16_384 / frames) * frames
      #expect(sink.pieces == [Int](repeating: whole, count: 100_500 / whole) + [100_500 % whole])
      #expect(sink.peaks == sink.foundPeaks)
      #expect(!sink.hasFlushed)
      threads.formUnion(sink.threads)
    }
    #expect(threads.count >= 2)
  }

  @Test(arguments: 0...6)
  func `a sink that fails ends the run, and only what it took is counted`(piece: Int) {
    for _ in 0..<20 {
      let sink = CollectingSink(failsAt: piece)
      let outcome = OfflineDevice(stereoGrant(4096)).run(
        sharedSession(), frameCount: 6 * 16_384 + 500, to: sink)
      #expect(outcome.errors == [CollectingSink.failure])
      #expect(outcome.frameCount == piece * 16_384)
      #expect(sink.pieces.count == piece + 1, "it is given nothing more")
    }
  }

  @Test
  func `what was rendered before the run is cancelled reaches the sink`() {
    for end in stride(from: 4096, through: 20 * 4096, by: 4096) {
      let sink = CollectingSink()
      var pulled = 0
      let outcome = OfflineDevice(stereoGrant(4096)).run(
        sharedSession(), frameCount: 1_000_000, isCancelled: { pulled == end },
        progress: { pulled = $0 }, to: sink)
      #expect(outcome.frameCount == end && outcome.wasCancelled)
      #expect(values(sink.bytes, as: Float.self) == counted(0..<end))
    }
  }

  @Test
  func `without a sink frames are counted all the same`() {
    let outcome = OfflineDevice(stereoGrant(512)).run(
      sharedSession(), frameCount: 10_000, to: nil)
    #expect(outcome == OfflineDevice.Outcome(frameCount: 10_000))
  }
}

/// Records its calls.
final class RecordingService: RenderService {
  private struct State {
    var calls: [Int] = []
    var finishes = 0
    var lost = 0
    var spare = 0.0
    var failure: ServiceError?
    var finishFailure: ServiceError?
  }

  private let state = Mutex(State())

  var calls: [Int] { state.withLock { $0.calls } }
  var finishes: Int { state.withLock { $0.finishes } }
  var lost: Int {
    get { state.withLock { $0.lost } }
    set { state.withLock { $0.lost = newValue } }
  }
  var spare: Double {
    get { state.withLock { $0.spare } }
    set { state.withLock { $0.spare = newValue } }
  }
  var failure: ServiceError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }
  var finishFailure: ServiceError? {
    get { state.withLock { $0.finishFailure } }
    set { state.withLock { $0.finishFailure = newValue } }
  }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    let failure = state.withLock { state in
      state.calls.append(frameCount)
      return state.failure
    }
    if let failure { throw failure }
  }

  func secondsToSpare(atLeast frameCount: Int) -> Double { spare }

  func finish() throws(ServiceError) {
    let failure = state.withLock { state in
      state.finishes += 1
      return state.finishFailure
    }
    if let failure { throw failure }
  }

  var lostFrames: Int { lost }
}
