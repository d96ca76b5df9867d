import AudioTypes
import RenderCore
import RenderHost
import TestSupport
import Testing

struct RenderSessionTests {
  @Test(arguments: Slicing.every)
  func `what is pulled does not depend on how it is asked for`(slicing: Slicing) {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    let bytes = pull(session, slicing.cut(6000))
    #expect(values(bytes, as: Float.self) == counted(0..<6000))
    #expect(session.renderedFrames == 6000)
    #expect(session.failedSlices.count == 0)
  }

  @Test
  func `a pull longer than the plan's slices is cut`() {
    let session = session()
    session.play(plan(.holding(CountingKernel()), maximumFramesPerSlice: 7))
    #expect(values(pull(session, [1000]), as: Float.self) == counted(0..<1000))
    #expect(session.sliceCount == 1)
  }

  @Test
  func `16-bit devices get what they can hold, rounded and clipped`() {
    let session = session(device: .int16, channels: 1)
    let step: Float = 1 / 32_768
    session.play(
      plan(
        .holding(
          CyclingKernel([0, 1, -1, 0.5, step, 1.5 * step, 2.5 * step, 2, -2, .nan, .infinity])),
        channels: 1))
    #expect(
      values(pull(session, [11]), as: Int16.self)
        == [0, 32_767, -32_768, 16_384, 1, 2, 2, 32_767, -32_768, 0, 32_767])
  }

  @Test
  func `24-bit devices get three bytes a sample`() {
    let session = session(device: .int24, channels: 1)
    session.play(plan(.holding(CyclingKernel([0.5, -1, 1, -1 / 8_388_608])), channels: 1))
    #expect(
      pull(session, [4]) == [0, 0, 0x40, 0, 0, 0x80, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
  }

  @Test(arguments: [true, false])
  func `24 bits in four bytes stand high or low`(isHigh: Bool) {
    var format = StreamFormat(.int24, channels: 1, sampleRate: 48_000, interleaved: true)
    format.bytesPerFrame = 4
    format.bytesPerPacket = 4
    format.flags.remove(.isPacked)
    if isHigh { format.flags.insert(.isAlignedHigh) }
    let session = RenderSession(
      .init(client: .float32, device: format, channelMap: [0], sampleRate: 48_000))
    session.play(plan(.holding(CyclingKernel([0.5, -1 / 8_388_608])), channels: 1))
    #expect(
      values(pull(session, [2]), as: Int32.self)
        == (isHigh ? [0x4000_0000, -256] : [0x40_0000, -1]))
  }

  @Test(arguments: [SampleType.int32, .fixed824])
  func `words reach a device of their own type untouched`(sample: SampleType) {
    let session = session(client: sample, device: sample, channels: 1)
    let words: [Int32] = [0, 1, -1, .max, .min, 0x1234_5678, -0x1234_5679, 0x7FC0_0001]
    session.play(plan(.holding(WordKernel(words)), channels: 1))
    #expect(values(pull(session, [8]), as: Int32.self) == words)
  }

  @Test
  func `8.24 words reach float devices at their value, and 32-bit ones clipped`() {
    let words: [Int32] = [0x0100_0000, -0x0080_0000, 0x0280_0000, 1]
    let floats = session(client: .fixed824, device: .float32, channels: 1)
    floats.play(plan(.holding(WordKernel(words)), channels: 1))
    #expect(values(pull(floats, [4]), as: Float.self) == [1, -0.5, 2.5, 0x1p-24])
    let integers = session(client: .fixed824, device: .int32, channels: 1)
    integers.play(plan(.holding(WordKernel(words)), channels: 1))
    #expect(values(pull(integers, [4]), as: Int32.self) == [.max, -0x4000_0000, .max, 128])
  }

  @Test
  func `float samples keep every bit`() {
    let samples: [Float] = [.leastNonzeroMagnitude, -0.0, 1e30, 0.1, .leastNormalMagnitude]
    let session = session(channels: 1)
    session.play(plan(.holding(CyclingKernel(samples)), channels: 1))
    let bits = values(pull(session, [5]), as: UInt32.self)
    #expect(bits == samples.map(\.bitPattern))
  }

  @Test
  func `a channel map picks channels and leaves others silent`() {
    let session = session(map: [1, -1, 0, 1])
    session.play(plan(.holding(CountingKernel())))
    let expected: [Float] = (0..<4).flatMap { frame -> [Float] in
      [countedSample(1, frame), 0, countedSample(0, frame), countedSample(1, frame)]
    }
    #expect(values(pull(session, [4]), as: Float.self) == expected)
  }

  @Test
  func `without a plan there is silence, and it is counted`() {
    let session = session(device: .int16)
    #expect(pull(session, [100]).allSatisfy { $0 == 0 })
    #expect(session.failedSlices == (1, .uninitialized))
  }

  @Test
  func `a slice that fails is silent and counted, the ones before it are not`() {
    let session = session()
    session.play(plan(.holding(CountingKernel(failsFrom: 200)), maximumFramesPerSlice: 100))
    let samples = values(pull(session, [450]), as: Float.self)
    #expect(Array(samples[..<400]) == counted(0..<200))
    #expect(samples[400...].allSatisfy { $0 == 0 })
    #expect(session.failedSlices == (3, .noConnection))
    #expect(session.renderedFrames == 450)
  }

  @Test(arguments: Slicing.every)
  func `the end cuts the sound at its frame`(slicing: Slicing) {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    session.end(afterFrames: 1234)
    let samples = values(pull(session, slicing.cut(5000)), as: Float.self)
    #expect(Array(samples[..<2468]) == counted(0..<1234))
    #expect(samples[2468...].allSatisfy { $0 == 0 })
    #expect(session.renderedFrames == 1234)
    #expect(session.hasEnded)
  }

  @Test(arguments: Slicing.every)
  func `a fade takes 960 frames without a click`(slicing: Slicing) {
    let session = session(channels: 1)
    session.play(plan(.holding(CyclingKernel([1])), channels: 1))
    _ = pull(session, [100])
    session.fadeOut()
    #expect(!session.hasEnded)
    let samples = values(pull(session, slicing.cut(4096)), as: Float.self)
    #expect(samples[959] == 0)
    #expect(samples[960...].allSatisfy { $0 == 0 })
    for frame in 1..<960 {
      let step = samples[frame - 1] - samples[frame]
      // Even steps, up to the rounding of a sum of 960 of them.
      #expect(abs(step - 1 / 960) < 1e-4)
    }
    #expect(session.hasEnded)
  }

  @Test
  func `what is not a number fades to silence too`() {
    let session = session(channels: 1)
    session.play(plan(.holding(CyclingKernel([.nan, .infinity])), channels: 1))
    session.fadeOut()
    _ = pull(session, [960])
    #expect(pull(session, [100]).allSatisfy { $0 == 0 })
  }

  @Test
  func `a fade ends where nothing is put out or every slice fails`() {
    let silent = RenderSession(.init(client: nil, device: nil, sampleRate: 48_000))
    silent.play(plan(.holding(CountingKernel())))
    silent.fadeOut()
    unsafe silent.pull(959, into: nil)
    #expect(!silent.hasEnded)
    unsafe silent.pull(1, into: nil)
    #expect(silent.hasEnded)
    let failing = session()
    failing.fadeOut()
    _ = pull(failing, [960])
    #expect(failing.hasEnded)
  }

  @Test
  func `pulls leave the heap alone`() {
    let session = session(device: .int24)
    session.play(plan(.holding(CountingKernel())))
    session.end(afterFrames: 5000)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 6 * 4096, alignment: 64)
    defer { unsafe memory.deallocate() }
    for step in 0..<4 {
      if step == 1 { session.fadeOut() }
      if step == 2 { session.play(plan(.holding(CountingKernel(failsFrom: 0)))) }
      let calls = allocations { _ = unsafe session.pull(2000, into: memory) }
      #expect(calls == 0)
    }
  }

  @Test
  func `load is what was spent over what was rendered`() {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    #expect(session.takePeakLoad() == 0)
    unsafe session.pull(0, into: nil)
    #expect(session.takePeakLoad() == 0, "nothing was asked for")
    _ = pull(session, [48_000])
    let load = session.busyTime
    #expect(load.rendered == 1_000_000_000)
    #expect(load.spent > 0)
    // There was one pull, so its share is the largest.
    let share = Double(load.spent) / 1e9 * 1e6
    #expect(abs(Double(session.takePeakLoad()) - share) <= 1)
    #expect(session.takePeakLoad() == 0)
  }

  @Test
  func `a posted plan takes over at the next slice`() {
    let session = session(channels: 1)
    session.play(plan(.holding(CyclingKernel([0.25])), channels: 1))
    let before = values(pull(session, [10]), as: Float.self)
    session.play(plan(.holding(CyclingKernel([0.5])), channels: 1))
    let after = values(pull(session, [10]), as: Float.self)
    #expect(before.allSatisfy { $0 == 0.25 } && after.allSatisfy { $0 == 0.5 })
    session.collect()
  }

  @Test(
    arguments: [
      (nil, 48_000, 1024), (0, 48_000, 1024), (0.005, 48_000, 256), (0.005, 44_100, 256),
      (0.0001, 44_100, 64), (0.002, 48_000, 128), (0.006, 48_000, 512),
      (1024.0 / 44_100, 44_100, 1024),
      (1025.0 / 44_100, 44_100, 2048), (0.093, 44_100, 4096), (60, 44_100, 4096),
    ] as [(Double?, Double, Int)])
  func `an I/O buffer is the power of two that lasts as long as preferred`(
    duration: Double?, rate: Double, frames: Int
  ) {
    #expect(HardwareGrant.ioBufferFrames(forDuration: duration, sampleRate: rate) == frames)
  }
}
