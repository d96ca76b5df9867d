import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import RenderHost
import TestSupport
import Testing

/// Two devices with different clocks: one writes to a ring in pieces, the other pulls the kernel.
private struct TwoClocks: CustomTestStringConvertible, Sendable {
  var rate = 2000.0
  var clientRate = 2000.0
  /// How much faster the microphone's clock is than the loudspeaker's, in parts per million.
  var drift = 0.0
  var lump = 8
  var pulls = [8]
  /// In seconds of the loudspeaker's clock.
  var duration: Double
  /// After how many seconds the microphone pauses, and for how long.
  var pause = (after: Double.infinity, seconds: 0.0)
  /// Whether the frames of the pause are delivered at its end all at once.
  var catchesUp = false

  var testDescription: String { "\(drift) ppm, lumps of \(lump), pulls of \(pulls)" }

  struct Outcome {
    /// The samples of the client's only channel.
    var output: [Float] = []
    var underruns = 0
    var missing = 0
    var skipped = 0
    var dropped = 0
    /// The frames in the ring after a pull, in the last quarter of the time.
    var lowest = Int.max
    var highest = 0
    var heapCalls = 0
    var isEngaged = false
  }

  /// Frame n of the microphone is `signal(n)`.
  func run(_ signal: (Int) -> Float) -> Outcome {
    let largest = pulls.max()!
    let ring = FrameRing(
      channelCount: 1,
      minimumCapacity: InputElementKernel.ringFrames(
        ioBufferFrames: max(lump, largest), sampleRate: rate))
    let access = ring.access
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: .holding(
            InputElementKernel(
              ring: access, hardware: StreamFormat(.float32, channels: 1, sampleRate: rate),
              client: StreamFormat(.float32, channels: 1, sampleRate: clientRate),
              ioBufferFrames: max(lump, largest), isSynchronous: false, playedRate: nil),
            with: ring),
          inputs: [], outputs: [0])
      ],
      busChannelCounts: [1], maximumFramesPerSlice: 4096)
    var capture = FollowedCapture(ring, channelCount: 1, sampleRate: rate)
    let origin = monotonicNanoseconds()
    func nanoseconds(_ time: Double) -> UInt64 { origin + UInt64(time * 1e9) }
    var lumpOfSamples = [Float](repeating: 0, count: lump)
    var outcome = Outcome()
    var (time, index, delivered) = (0.0, 0, 0)
    while time < duration {
      let pull = pulls[index % pulls.count]
      index += 1
      time += Double(pull) / clientRate
      while true {
        // When the source has the next piece, and when it delivers it.
        var due = Double((delivered + 1) * lump) / (rate * (1 + drift * 1e-6))
        if due >= pause.after {
          due = catchesUp ? max(due, pause.after + pause.seconds) : due + pause.seconds
        }
        guard due <= time else { break }
        for frame in 0..<lump { lumpOfSamples[frame] = signal(delivered * lump + frame) }
        delivered += 1
        outcome.heapCalls += allocations {
          outcome.dropped += unsafe lumpOfSamples.withUnsafeBufferPointer {
            unsafe capture.deliver($0.baseAddress!, frameCount: lump, at: nanoseconds(due))
          }
        }
      }
      outcome.heapCalls += allocations {
        let requested = Int((Double(pull) * rate / clientRate).rounded())
        capture.beginPulls(requested, at: nanoseconds(time))
        _ = plan.render(frameCount: pull, at: TimeStamp(sampleTime: time))
        capture.endPulls()
      }
      let bus = plan.bus(0, frameCount: pull)
      for frame in 0..<pull { outcome.output.append(bus[0][frame]) }
      if time > duration * 0.75 {
        outcome.lowest = min(outcome.lowest, access.available)
        outcome.highest = max(outcome.highest, access.available)
      }
    }
    outcome.underruns = ring.underruns
    outcome.missing = ring.missingFrames
    outcome.skipped = ring.skippedFrames
    outcome.isEngaged = capture.follower.isEngaged
    return outcome
  }
}

/// Never 0, and different for 2^24 frames.
private func numbered(_ frame: Int) -> Float { Float(frame & 0xFF_FFFF) + 1 }

@Suite struct InputElementTests {
  // MARK: One clock

  /// Renders `frameCount` frames for the client from the beginning of a ring.
  private func heard(
    _ channels: [[Float]], hardwareRate: Double = 48_000, client: StreamFormat,
    dither: BusDither = .none, isAhead: Bool = true, frameCount: Int,
    slicing: Slicing = Slicing([1024])
  ) -> (output: [[Float]], ring: FrameRing) {
    let ring = FrameRing(channelCount: channels.count, minimumCapacity: 16_384)
    let kernel = InputElementKernel(
      ring: ring.access,
      hardware: StreamFormat(.float32, channels: channels.count, sampleRate: hardwareRate),
      client: client, dither: dither, ioBufferFrames: 4096, isSynchronous: true, isAhead: isAhead,
      playedRate: client.sampleRate)
    for (channel, samples) in channels.enumerated() {
      let storage = SampleStorage(samples)
      ring.access.write(storage.buffer(at: 0, count: samples.count), channel: channel)
    }
    ring.access.commit(channels[0].count)
    let output = render(
      .holding(kernel, with: ring), outputChannelCounts: [client.channelCount],
      frameCount: frameCount, slicing: slicing)
    return (output[0], ring)
  }

  /// 0.3 bits become 0 without dither, and 0.3 bits on average with it.
  @Test(arguments: Slicing.every)
  func `what is heard is dithered where its bus is`(slicing: Slicing) {
    let samples = [Float](repeating: 0.3 / 32_768, count: 10_000)
    let client = StreamFormat(.int16, channels: 2, sampleRate: 48_000)
    func words(_ dither: Dither, _ slicing: Slicing) -> [[Float]] {
      heard(
        [samples], client: client, dither: BusDither(dither, seed: 3), frameCount: 10_000,
        slicing: slicing
      ).output.map { $0.map { $0 * 32_768 } }
    }
    #expect(Set(words(.none, slicing).joined()) == [0])
    for dither in [Dither.tpdf, .shaped] {
      let found = words(dither, slicing)
      #expect(found == words(dither, Slicing([1024])))
      #expect(found[0] != found[1])
      for channel in found {
        #expect(channel.allSatisfy { $0 == $0.rounded() })
        let mean = channel.reduce(0, +) / 10_000
        #expect(abs(mean - 0.3) < 0.03)
      }
    }
  }

  @Test(arguments: Slicing.every)
  func `at one rate and on one clock every bit gets through`(slicing: Slicing) {
    let samples: [Float] = [-0.0, .leastNonzeroMagnitude, 1e30, 0.1] + noise(5000, seed: 1)
    let client = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let (output, ring) = heard(
      [samples, samples.reversed()], client: client, frameCount: 5004, slicing: slicing)
    expectSame(output, [samples, samples.reversed()])
    #expect(ring.underruns == 0 && ring.access.lead == 0)
  }

  @Test
  func `a mono microphone is heard everywhere, other channels where they are`() {
    let mono = heard(
      [[0.5, 0.25]], client: StreamFormat(.float32, channels: 3, sampleRate: 48_000),
      frameCount: 2)
    #expect(mono.output == [[0.5, 0.25], [0.5, 0.25], [0.5, 0.25]])
    let stereo = heard(
      [[0.5, 0.25], [-1, 1]], client: StreamFormat(.float32, channels: 3, sampleRate: 48_000),
      frameCount: 2)
    #expect(stereo.output == [[0.5, 0.25], [-1, 1], [0, 0]])
    let left = heard(
      [[0.5, 0.25], [-1, 1]], client: StreamFormat(.float32, channels: 1, sampleRate: 48_000),
      frameCount: 2)
    #expect(left.output == [[0.5, 0.25]])
  }

  @Test(arguments: [48_000, 44_100] as [Double])
  func `integers are what the client's format holds`(rate: Double) {
    let samples = [Float](repeating: 0.3, count: 4096)
    for sample in [SampleType.int16, .int24, .int32, .fixed824] {
      let client = StreamFormat(sample, channels: 2, sampleRate: rate)
      let output = heard([samples], client: client, frameCount: 2000).output
      for channel in output {
        let last = channel[1999]
        let value =
          sample.fitsFloat
          ? Double(last)
          : SampleCoding.value(Int32(bitPattern: last.bitPattern), of: sample)
        let step = 1 / SampleCoding.scale(sample)
        // Half a step of the format; at another rate, plus the rounding of a sum.
        #expect(abs(value - Double(Float(0.3))) <= step / 2 + (rate == 48_000 ? 0 : 1e-7))
        #expect((value / step).rounded() == value / step)
      }
    }
  }

  @Test
  func `what the host has not put down is silence, and counted`() {
    let (output, ring) = heard(
      [[1, 2, 3]], client: StreamFormat(.float32, channels: 1, sampleRate: 48_000),
      frameCount: 8, slicing: Slicing([2, 2, 4]))
    #expect(output == [[1, 2, 3, 0, 0, 0, 0, 0]])
    #expect(ring.underruns == 2 && ring.missingFrames == 5)
  }

  @Test(arguments: Slicing.every)
  func `without a lead the sound comes later by as much`(slicing: Slicing) {
    let client = StreamFormat(.float32, channels: 1, sampleRate: 44_100)
    let lead = DeviceConversion.captureLead(
      heardRate: 44_100, hardwareRate: 48_000, playedRate: 44_100)
    let signal = sine(6000, frequency: 997, sampleRate: 48_000)
    let (output, ring) = heard(
      [signal], client: client, isAhead: false, frameCount: 4000, slicing: slicing)
    #expect(ring.access.lead == 0 && ring.underruns == 0)
    let worst = (1000..<4000).map { frame in
      let time = Double(frame) / 44_100 - Double(lead) / 48_000
      return Double(output[0][frame]) - sin(2 * Double.pi * 997 * time)
    }
    #expect(peakLevel(worst) < -120)
    // The same with other slices.
    let whole = heard([signal], client: client, isAhead: false, frameCount: 4000)
    expectSame(output, whole.output)
  }

  /// An I/O unit in a graph that connects its microphone to its loudspeaker.
  private func passThrough(
    clientRate: Double, hardwareRate: Double, ioBufferFrames: Int, frameCount: Int,
    ringFrames: Int? = nil
  ) -> (samples: [Float], ring: FrameRing, outcome: OfflineDevice.Outcome) {
    let device = StreamFormat(.float32, channels: 1, sampleRate: hardwareRate, interleaved: true)
    let client = StreamFormat(.float32, channels: 1, sampleRate: clientRate)
    let ring = FrameRing(
      channelCount: 1,
      minimumCapacity: ringFrames
        ?? InputElementKernel.ringFrames(
          ioBufferFrames: ioBufferFrames, sampleRate: hardwareRate))
    let kernel = InputElementKernel(
      ring: ring.access, hardware: device, client: client, ioBufferFrames: ioBufferFrames,
      isSynchronous: true, playedRate: clientRate)
    let session = RenderSession(
      .init(
        client: .float32, device: device, channelMap: [0], capture: ring,
        sampleRate: hardwareRate, clientSampleRate: clientRate))
    session.play(
      RenderPlan(
        rows: [.init(kernel: .holding(kernel, with: ring), inputs: [], outputs: [0])],
        busChannelCounts: [1], maximumFramesPerSlice: 4096))
    var samples: [Float] = []
    let grant = HardwareGrant(
      outputFormat: device, inputFormat: device, ioBufferFrames: ioBufferFrames)
    let outcome = OfflineDevice(grant) { position, buffer in
      for frame in buffer.indices {
        buffer[frame] = Float(
          sin(2 * Double.pi * 997 / hardwareRate * Double(position + frame)))
      }
    }.run(
      session, frameCount: frameCount,
      sink: { bytes in
        unsafe bytes.withUnsafeBytes { bytes in
          for index in 0..<bytes.count / 4 {
            unsafe samples.append(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
          }
        }
      })
    return (samples, ring, outcome)
  }

  @Test(
    arguments: [
      (44_100, 48_000), (48_000, 44_100), (8000, 48_000), (96_000, 48_000), (44_100.5, 48_000),
      (48_000, 48_000),
    ] as [(Double, Double)])
  func `offline, frame n of the microphone is frame n of the output at any rate of the graph`(
    clientRate: Double, hardwareRate: Double
  ) {
    let whole = passThrough(
      clientRate: clientRate, hardwareRate: hardwareRate, ioBufferFrames: 1024, frameCount: 4000)
    let margin = clientRate == hardwareRate ? 0 : 1400
    let errors = (margin..<4000).map { frame in
      Double(whole.samples[frame]) - sin(2 * Double.pi * 997 / hardwareRate * Double(frame))
    }
    #expect(peakLevel(errors) < -114)  // Two filters of 130 dB, which may add up.
    for frames in [1, 64, 333, 4096] {
      let cut = passThrough(
        clientRate: clientRate, hardwareRate: hardwareRate, ioBufferFrames: frames,
        frameCount: 4000)
      expectSame([cut.samples], [whole.samples])
      #expect(cut.ring.underruns == 0)
      #expect(cut.outcome.droppedFrames == 0)
    }
  }

  @Test
  func `a ring too small for the lead makes up for it with a delay`() {
    let small = passThrough(
      clientRate: 44_100, hardwareRate: 48_000, ioBufferFrames: 64, frameCount: 3000,
      ringFrames: 128)
    #expect(small.ring.underruns == 0 && small.outcome.droppedFrames == 0)
    let lead = DeviceConversion.captureLead(
      heardRate: 44_100, hardwareRate: 48_000, playedRate: 44_100)
    let delay = lead - small.ring.access.lead
    #expect(small.ring.access.lead == 61 && delay > 0)
    let errors = (1000..<3000).map { frame in
      Double(small.samples[frame]) - sin(2 * Double.pi * 997 / 48_000 * Double(frame - delay))
    }
    #expect(peakLevel(errors) < -114)
  }

  @Test(arguments: [true, false], [1, 64, 333, 1024])
  func `a graph that only listens gets what it needs at any rate`(isAhead: Bool, frames: Int) {
    for clientRate in [44_100.0, 8000, 96_000] {
      let device = StreamFormat(.float32, channels: 1, sampleRate: 48_000, interleaved: true)
      let ring = FrameRing(
        channelCount: 1,
        minimumCapacity: InputElementKernel.ringFrames(ioBufferFrames: frames, sampleRate: 48_000))
      let kernel = InputElementKernel(
        ring: ring.access, hardware: device,
        client: StreamFormat(.float32, channels: 1, sampleRate: clientRate),
        ioBufferFrames: frames, isSynchronous: true, isAhead: isAhead,
        playedRate: nil)
      let session = RenderSession(
        .init(
          client: nil, device: nil, capture: ring, sampleRate: 48_000,
          clientSampleRate: clientRate))
      session.play(
        RenderPlan(
          rows: [.init(kernel: .holding(kernel, with: ring), inputs: [], outputs: [0])],
          busChannelCounts: [1], maximumFramesPerSlice: 4096))
      let grant = HardwareGrant(outputFormat: nil, inputFormat: device, ioBufferFrames: frames)
      let outcome = OfflineDevice(grant).run(session, frameCount: 3000)
      #expect(outcome.frameCount == 3000 && outcome.droppedFrames == 0)
      #expect(ring.underruns == 0)
      // Nothing accumulates: the lead, the input for one frame of the graph, and one frame more.
      #expect(ring.access.available <= ring.access.lead + 7)
    }
  }

  // MARK: Two clocks

  @Test(arguments: [
    TwoClocks(duration: 60), TwoClocks(lump: 20, pulls: [8, 1, 16, 5], duration: 60),
    TwoClocks(rate: 48_000, clientRate: 48_000, lump: 480, pulls: [256], duration: 12),
  ])
  private func `clocks that agree get every frame, bit for bit`(clocks: TwoClocks) {
    let outcome = clocks.run(numbered)
    let start = outcome.output.firstIndex { $0 != 0 }!
    let sounding = outcome.output[start...]
    let first = Int(sounding.first!) - 1
    #expect(sounding.enumerated().allSatisfy { $0.element == numbered(first + $0.offset) })
    #expect(outcome.underruns == 0 && outcome.dropped == 0 && outcome.heapCalls == 0)
    #expect(!outcome.isEngaged)
    #expect(Double(start) < 0.1 * clocks.rate, "it is heard soon")
    // A delivery, 2 ms, and half a filter.
    #expect(Double(start - first) < Double(clocks.lump) + 0.004 * clocks.rate + 70)
  }

  @Test(arguments: [
    TwoClocks(drift: 500, duration: 75), TwoClocks(drift: -500, duration: 75),
    TwoClocks(clientRate: 1000, drift: -500, lump: 20, pulls: [8, 1, 16, 5], duration: 75),
  ])
  private func `clocks that differ are brought together before anything is lost`(
    clocks: TwoClocks
  ) {
    let frequency = 25.0
    let outcome = clocks.run {
      Float(sin(2 * Double.pi * frequency / (clocks.rate * (1 + clocks.drift * 1e-6)) * Double($0)))
    }
    #expect(outcome.isEngaged)
    #expect(outcome.underruns == 0 && outcome.missing == 0)
    #expect(outcome.dropped == 0 && outcome.heapCalls == 0)
    #expect(outcome.skipped == 0)
    // Each sample of a sine follows from the two before it.
    let start = outcome.output.firstIndex { $0 != 0 }! + 400
    let factor = 2 * cos(2 * Double.pi * frequency / clocks.clientRate)
    var worst = 0.0
    for frame in (start + 2)..<outcome.output.count {
      let next =
        factor * Double(outcome.output[frame - 1]) - Double(outcome.output[frame - 2])
      worst = max(worst, abs(Double(outcome.output[frame]) - next))
    }
    // A pitch error of 500 ppm deviates from that by (2 pi 25 / 1000)^2 * 1e-3.
    #expect(20 * log10(worst) < -90)
  }

  @Test(arguments: [997, 9973] as [Double], [500, -100] as [Double])
  func `a tone stays clean while the clocks drift apart`(frequency: Double, drift: Double) {
    let clocks = TwoClocks(
      rate: 48_000, clientRate: 48_000, drift: drift, lump: 480, pulls: [1024], duration: 40)
    let outcome = clocks.run {
      // The phase is reduced to one cycle, so that the sine is exact to float precision.
      let turns = frequency / (48_000 * (1 + drift * 1e-6)) * Double($0)
      return Float(sin(2 * Double.pi * (turns - turns.rounded(.down))))
    }
    #expect(outcome.isEngaged && outcome.missing == 0)
    // The residual of 85 ms after removing a sine whose pitch and level may change a little, like a
    // notch filter: harmonics, aliases, and the effects of changes of the ratio.
    let settled = outcome.output.suffix(4096).map(Double.init)
    let rest = leftOver(settled, frequency: frequency / 48_000)
    #expect(20 * log10(rest / 0.5.squareRoot()) < -110)
  }

  @Test
  func `a microphone that stops is silence, and comes back as late as before`() {
    let calm = TwoClocks(duration: 10).run(numbered)
    let outcome = TwoClocks(duration: 10, pause: (after: 3, seconds: 2)).run(numbered)
    #expect(outcome.dropped == 0 && outcome.skipped == 0)
    // Every frame is heard in order, with a gap.
    let start = outcome.output.firstIndex { $0 != 0 }!
    let sounding = outcome.output.filter { $0 != 0 }
    let first = Int(sounding.first!) - 1
    #expect(sounding.enumerated().allSatisfy { $0.element == numbered(first + $0.offset) })
    let silent = outcome.output.count - start - sounding.count
    #expect(abs(silent - 4000) < 20)
    #expect(abs(outcome.lowest - calm.lowest) <= 2 && abs(outcome.highest - calm.highest) <= 2)
  }

  @Test
  func `a ring that overflowed is emptied to what it held before`() {
    let calm = TwoClocks(duration: 10).run(numbered)
    let outcome = TwoClocks(duration: 10, pause: (after: 3, seconds: 2), catchesUp: true)
      .run(numbered)
    #expect(outcome.dropped > 0 && outcome.skipped > 0)
    #expect(abs(outcome.lowest - calm.lowest) <= 2 && abs(outcome.highest - calm.highest) <= 2)
    #expect(abs(outcome.output.last! - calm.output.last!) <= 2)
  }
}

/// The root mean square of the residual after a least-squares fit of a sine and a cosine, each
/// times a parabola.
private func leftOver(_ signal: [Double], frequency: Double) -> Double {
  let count = Double(signal.count)
  let basis: [[Double]] = (0..<6).map { term in
    signal.indices.map { index in
      let angle = 2 * Double.pi * frequency * Double(index)
      let place = 2 * Double(index) / count - 1
      return (term < 3 ? cos(angle) : sin(angle)) * [1, place, place * place][term % 3]
    }
  }
  // Gram-Schmidt orthogonalization.
  var rest = signal
  var done: [[Double]] = []
  for vector in basis {
    var vector = vector
    for other in done {
      let share = zip(vector, other).reduce(0) { $0 + $1.0 * $1.1 }
      for index in vector.indices { vector[index] -= share * other[index] }
    }
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    for index in vector.indices { vector[index] /= length }
    done.append(vector)
    let share = zip(rest, vector).reduce(0) { $0 + $1.0 * $1.1 }
    for index in rest.indices { rest[index] -= share * vector[index] }
  }
  return (rest.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
}
