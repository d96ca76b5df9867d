import AudioTypes
import Glibc
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

/// A sine with a phase from the time stamp, which identifies each frame.
struct SineKernel: RenderKernel {
  var cyclesPerFrame: Double
  var amplitude = 0.5

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    for frame in 0..<context.frameCount {
      let angle = 2 * Double.pi * cyclesPerFrame * Double(first + frame)
      output[0][frame] = Float(amplitude * renderSine(angle))
      // The second channel leads by 90 degrees.
      if output.channelCount > 1 {
        output[1][frame] = Float(amplitude * renderSine(angle + Double.pi / 2))
      }
    }
    return .ok
  }
}

/// A session on a device of `rate`, for plans of `clientRate`.
private func convertingSession(
  from clientRate: Double, to rate: Double, client: SampleType = .float32,
  device: SampleType = .float32, map: [Int] = [0, 1]
) -> RenderSession {
  RenderSession(
    .init(
      client: client,
      device: StreamFormat(device, channels: map.count, sampleRate: rate, interleaved: true),
      channelMap: map, sampleRate: rate, clientSampleRate: clientRate))
}

/// The slices that a plan was called for.
private final class Slices: Sendable {
  private let seen = Mutex<[(time: TimeStamp, frameCount: Int)]>([])
  var all: [(time: TimeStamp, frameCount: Int)] { seen.withLock { $0 } }

  var observer: RenderObserver {
    RenderObserver { flags, time, frameCount in
      if flags.contains(.preRender) { self.seen.withLock { $0.append((time, frameCount)) } }
    }
  }

  func plan(_ kernel: KernelBox, maximumFramesPerSlice: Int) -> RenderPlan {
    RenderPlan(
      rows: [.init(kernel: kernel, inputs: [], outputs: [RenderPlan.clientBus])],
      busChannelCounts: [2], maximumFramesPerSlice: maximumFramesPerSlice, observers: [observer])
  }
}

@Suite struct RateConversionTests {
  @Test(
    arguments: [
      (44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 44_100), (44_100.5, 48_000),
    ] as [(Double, Double)])
  func `a sine comes out in phase, at the device's rate`(clientRate: Double, rate: Double) {
    let session = convertingSession(from: clientRate, to: rate)
    session.play(plan(.holding(SineKernel(cyclesPerFrame: 997 / clientRate))))
    let samples = values(pull(session, [512, 300, 3188]), as: Float.self)
    // The sine starts abruptly. The filter's response to that ends after half its length.
    var worst = 0.0
    for frame in 800..<4000 {
      let angle = 2 * Double.pi * 997 / rate * Double(frame)
      worst = max(worst, abs(Double(samples[2 * frame]) - 0.5 * sin(angle)))
      worst = max(worst, abs(Double(samples[2 * frame + 1]) - 0.5 * cos(angle)))
    }
    #expect(20 * log10(worst / 0.5) < -120)  // The filter has 130 dB.
    #expect(session.renderedFrames == 4000)
    #expect(session.failedSlices.count == 0)
  }

  @Test(arguments: Slicing.every)
  func `the bytes depend neither on the pulls nor on the plan's slices`(slicing: Slicing) {
    for (clientRate, rate) in [(44_100.0, 48_000.0), (48_000, 16_000)] {
      let whole = convertingSession(from: clientRate, to: rate)
      whole.play(plan(.holding(CountingKernel()), maximumFramesPerSlice: 4096))
      let cut = convertingSession(from: clientRate, to: rate)
      cut.play(plan(.holding(CountingKernel()), maximumFramesPerSlice: 100))
      #expect(pull(whole, [4500]) == pull(cut, slicing.cut(4500)))
    }
  }

  @Test(arguments: [SampleType.float32, .int24, .int32, .fixed824])
  func `equal rates stay bit for bit what they were`(sample: SampleType) {
    let words: [Int32] = [0, 1, -1, .max, .min, 0x1234_5678, -0x1234_5679]
    let converted = convertingSession(
      from: 48_000, to: 48_000, client: sample, device: sample, map: [0])
    let plain = session(client: sample, device: sample, channels: 1)
    for session in [converted, plain] {
      session.play(plan(.holding(WordKernel(words)), channels: 1))
    }
    #expect(pull(converted, [5, 300]) == pull(plain, [5, 300]))
  }

  @Test
  func `words are converted at their value`() {
    for (sample, word) in [(SampleType.fixed824, Int32(0x0180_0000)), (.int32, 0x6000_0000)] {
      let session = convertingSession(from: 44_100, to: 48_000, client: sample, map: [0])
      session.play(plan(.holding(WordKernel([word])), channels: 1))
      let samples = values(pull(session, [1000]), as: Float.self)
      let value = SampleCoding.value(word, of: sample)
      let worst = samples[500...].map { abs(Double($0) - value) }.max()!
      #expect(worst < value * 1e-6)  // -120 dB, for a sum of 200 floats.
    }
  }

  @Test
  func `time stamps count the plan's frames, ahead of the device by half the filter`() {
    let slices = Slices()
    let session = convertingSession(from: 44_100, to: 48_000)
    session.play(slices.plan(.holding(CountingKernel()), maximumFramesPerSlice: 64))
    _ = pull(session, [960])
    var next = 0
    var hostTime: UInt64 = 0
    for slice in slices.all {
      #expect(Int(slice.time.sampleTime) == next)
      #expect(slice.frameCount <= 64)
      #expect(slice.time.hostTime > hostTime)
      next += slice.frameCount
      hostTime = slice.time.hostTime
    }
    let lookAhead = PolyphaseResampler.lookAhead(
      inputRate: 44_100, outputRate: 48_000, quality: DeviceConversion.quality)
    #expect(abs(next - 882 - lookAhead) <= 1)
    // The host time of the second slice is later by the length of the first.
    let first = slices.all[0].time.hostTime
    let second = slices.all[1].time.hostTime
    let length = 64 / 44_100 * 1e9
    #expect(abs(Double(second - first) - length) < 2)
  }

  @Test
  func `without an output the plan keeps up with the device`() {
    let slices = Slices()
    let session = RenderSession(
      .init(client: nil, device: nil, sampleRate: 48_000, clientSampleRate: 44_100))
    session.play(slices.plan(.holding(CountingKernel()), maximumFramesPerSlice: 512))
    for length in [1, 479, 4320, 43_200] { unsafe session.pull(length, into: nil) }
    #expect(session.renderedFrames == 48_000)
    #expect(slices.all.reduce(0) { $0 + $1.frameCount } == 44_100)
  }

  @Test
  func `a slice that fails is silence, and counted`() {
    let session = convertingSession(from: 24_000, to: 48_000)
    session.play(plan(.holding(CountingKernel(failsFrom: 400)), maximumFramesPerSlice: 100))
    let samples = values(pull(session, [3000]), as: Float.self)
    #expect(samples[2 * 600..<2 * 700].contains { $0 != 0 })
    #expect(samples[(2 * 1100)...].allSatisfy { $0 == 0 })
    #expect(session.failedSlices.status == .noConnection)
    #expect(session.failedSlices.count >= 11)
    let empty = convertingSession(from: 24_000, to: 48_000)
    #expect(pull(empty, [100]).allSatisfy { $0 == 0 })
    #expect(empty.failedSlices == (1, .uninitialized))
  }

  @Test
  func `ends and fades count the device's frames`() {
    let session = convertingSession(from: 24_000, to: 48_000, map: [0])
    session.play(plan(.holding(CyclingKernel([1])), channels: 1))
    session.end(afterFrames: 3000)
    _ = pull(session, [1000])
    session.fadeOut()
    let samples = values(pull(session, [959, 1]), as: Float.self)
    for frame in 0..<960 {
      #expect(abs(samples[frame] - Float(959 - frame) / 960) < 1e-4)
    }
    #expect(session.hasEnded)
    let other = convertingSession(from: 24_000, to: 48_000, map: [0])
    other.play(plan(.holding(CyclingKernel([1])), channels: 1))
    other.end(afterFrames: 1501)
    let cut = values(pull(other, [1000, 1000]), as: Float.self)
    #expect(cut[1500] != 0 && cut[1501...].allSatisfy { $0 == 0 })
    #expect(other.renderedFrames == 1501 && other.hasEnded)
  }

  @Test(arguments: [SampleType.float32, .fixed824])
  func `converting leaves the heap alone`(client: SampleType) {
    let session = convertingSession(from: 44_100, to: 48_000, client: client, device: .int16)
    session.play(plan(.holding(CountingKernel())))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * 4096, alignment: 64)
    defer { unsafe memory.deallocate() }
    for length in [1, 64, 333, 1024, 4096] {
      let calls = allocations { _ = unsafe session.pull(length, into: memory) }
      #expect(calls == 0)
    }
  }
}

extension OfflineDeviceTests {
  @Test(arguments: [1, 64, 333, 1024])
  func `a microphone is as far ahead as the ring's reader wants it`(frames: Int) {
    let ring = FrameRing(channelCount: 2, minimumCapacity: frames + 500)
    ring.access.lead = 500
    let session = session(capture: ring)
    session.play(plan(.holding(RingKernel(ring: ring.access)), maximumFramesPerSlice: 4096))
    var bytes: [UInt8] = []
    var fills: [Int] = []
    let outcome = OfflineDevice(stereoGrant(frames, input: 2)) { position, interleaved in
      for index in interleaved.indices {
        interleaved[index] = countedSample(index % 2, position + index / 2)
      }
    }.run(
      session, frameCount: 2500, progress: { _ in fills.append(ring.access.available) },
      sink: { bytes += $0 })
    #expect(values(bytes, as: Float.self) == counted(0..<2500))
    #expect(outcome.droppedFrames == 0)
    #expect(fills.allSatisfy { $0 == 500 })
  }
}
