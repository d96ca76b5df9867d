import AudioTypes
import TestSupport
import Testing

@testable import RenderCore

/// Lends a sound of one channel that counts, in every second slice; writes -1 in the others.
private struct LendingKernel: RenderKernel {
  let frames: StoredFramesAccess
  var slice = 0

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    slice += 1
    if slice.isMultiple(of: 2), output.canBorrow {
      frames.lend(from: slice, to: output)
    } else {
      for channel in 0..<output.channelCount {
        for frame in 0..<output.frameCount { output[channel][frame] = -1 }
      }
    }
    return .ok
  }
}

/// Copies its input to its output, or changes its only bus in place.
private struct NextKernel: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let (input, output) = (context.input(0), context.output(0))
    for channel in 0..<output.channelCount {
      for frame in 0..<output.frameCount { output[channel][frame] = input[channel][frame] + 0.5 }
    }
    return .ok
  }
}

@Suite struct BorrowingTests {
  private let frames = counting(64)

  private static func counting(_ count: Int) -> StoredFrames {
    unsafe StoredFrames(frameCount: count, channelCount: 1) { memory in
      for frame in 0..<count { unsafe memory[frame] = Float(frame) }
      return true
    }!
  }

  private var lender: KernelBox {
    .lending(LendingKernel(frames: frames.access), isNearlyFree: true, with: frames)
  }

  private var next: KernelBox { .holding(NextKernel()) }

  private func plan(
    _ rows: [RenderPlan.Row], buses: Int = 2, keeping kept: [Int]? = [1]
  ) -> RenderPlan {
    RenderPlan(
      rows: rows, busChannelCounts: [Int](repeating: 2, count: buses), maximumFramesPerSlice: 16,
      keeping: kept)
  }

  private var isUnchanged: Bool {
    var samples = [Float](repeating: -1, count: 64)
    unsafe samples.withUnsafeMutableBufferPointer { memory in
      unsafe frames.copy(0..<64, to: memory.baseAddress!)
    }
    return samples == (0..<64).map(Float.init)
  }

  @Test func `a bus shows lent memory for a slice, and its own after that`() {
    let plan = plan([
      .init(kernel: lender, inputs: [], outputs: [0]),
      .init(kernel: next, inputs: [0], outputs: [1]),
    ])
    for slice in 1...9 {
      let count = slice % 3 + 3
      #expect(plan.render(frameCount: count, at: TimeStamp(sampleTime: 0)) == .ok)
      let expected = (0..<count).map { slice % 2 == 0 ? Float(slice + $0) + 0.5 : -0.5 }
      for channel in 0..<2 {
        let bus = plan.bus(1, frameCount: count)
        #expect((0..<count).map { bus[channel][$0] } == expected)
      }
    }
    #expect(plan.bus(0, frameCount: 1).canBorrow && isUnchanged)
  }

  @Test func `a bus that another row writes to borrows nothing`() {
    let twice = plan([
      .init(kernel: lender, inputs: [], outputs: [0]),
      .init(kernel: next, inputs: [0], outputs: [0]),
    ])
    #expect(!twice.bus(0, frameCount: 1).canBorrow)
    for _ in 0..<4 { #expect(twice.render(frameCount: 8, at: TimeStamp(sampleTime: 0)) == .ok) }
    #expect(isUnchanged)
    let behind = plan([
      .init(kernel: next, inputs: [1], outputs: [0]),
      .init(kernel: lender, inputs: [], outputs: [0]),
    ])
    #expect(!behind.bus(0, frameCount: 1).canBorrow)
  }

  @Test func `a bus that is read before it is filled borrows nothing`() {
    // What is read is the last slice, which may have been shorter than this one.
    let plan = plan([
      .init(kernel: next, inputs: [0], outputs: [1]),
      .init(kernel: lender, inputs: [], outputs: [0]),
    ])
    #expect(!plan.bus(0, frameCount: 1).canBorrow)
  }

  @Test func `a bus that a client's code reads borrows nothing`() {
    let plan = plan([
      .init(kernel: lender, inputs: [], outputs: [0]),
      .init(kernel: .calling(NextKernel()), inputs: [0], outputs: [1]),
    ])
    #expect(!plan.bus(0, frameCount: 1).canBorrow)
  }

  @Test func `no bus borrows in a plan whose host may fill all of them`() {
    let plan = plan([.init(kernel: lender, inputs: [], outputs: [0])], keeping: nil)
    #expect(!plan.bus(0, frameCount: 1).canBorrow)
  }

  @Test func `rows that only lend are no work for a second thread`() {
    func plan(_ row: (Int) -> [RenderPlan.Row]) -> RenderPlan {
      RenderPlan(
        rows: (0..<16).flatMap(row), busChannelCounts: [Int](repeating: 2, count: 32),
        maximumFramesPerSlice: 4096, keeping: [31], threadCount: 2)
    }
    let work = plan { [.init(kernel: next, inputs: [$0], outputs: [16 + $0])] }
    let loans = plan { [.init(kernel: lender, inputs: [], outputs: [$0])] }
    #expect(work.isShared && !loans.isShared)
  }

  @Test func `a meter around a kernel lets it lend`() {
    let meter = RenderMeter()
    let plan = plan([
      .init(kernel: meter.measured(lender, as: .conversion), inputs: [], outputs: [0]),
      .init(kernel: next, inputs: [0], outputs: [1]),
    ])
    #expect(plan.bus(0, frameCount: 1).canBorrow)
  }

  @Test func `a ring lends frames in one piece, until its writer writes beside the reader`() {
    let plan = plan([
      .init(kernel: lender, inputs: [], outputs: [0]),
      .init(kernel: next, inputs: [0], outputs: [1]),
    ])
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16)
    let access = ring.access
    let samples = (0..<24).map { Float($0) }
    #expect(unsafe access.write(interleaved: samples, frameCount: 12) == Float(23).bitPattern)
    access.commit(12)
    let bus = plan.bus(0, frameCount: 10)
    #expect(access.lend(to: bus))
    #expect((0..<10).allSatisfy { bus[0][$0] == Float(2 * $0) && bus[1][$0] == Float(2 * $0 + 1) })
    access.discard(10)
    _ = unsafe access.write(interleaved: samples, frameCount: 8)
    access.commit(8)
    // Frames 10 to 15 are at the end of the memory, and the next four at its beginning.
    #expect(!access.lend(to: bus) && access.available == 10)
    #expect(access.canLend)
    access.stopLending()
    #expect(!ring.access.canLend)
  }

  @Test func `a bus takes interleaved frames where one row reads it, and reads such frames`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16, isInterleaved: true)
    func takes(
      _ readers: [KernelBox], kept: [Int] = [1], interleaved: [Int] = [], channels: Int = 2
    ) -> Bool {
      let plan = RenderPlan(
        rows: [
          .init(
            kernel: .lending(RingForward(ring.access), isNearlyFree: true, with: ring),
            inputs: [], outputs: [0])
        ] + readers.map { .init(kernel: $0, inputs: [0], outputs: [1]) },
        busChannelCounts: [channels, 2], maximumFramesPerSlice: 16, keeping: kept,
        interleaved: interleaved)
      return plan.bus(0, frameCount: 1).takesInterleaved
    }
    let reader = KernelBox.holding(FrameReader())
    #expect(takes([reader]))
    #expect(!takes([next]) && !takes([reader, next]) && !takes([reader, reader]))
    #expect(!takes([reader], channels: 1))
    // The host is a reader, too.
    #expect(takes([], kept: [0], interleaved: [0]) && !takes([], kept: [0]))
    #expect(!takes([reader], kept: [0, 1], interleaved: [0]))
    let meter = RenderMeter()
    #expect(takes([meter.measured(reader, as: .conversion)]))
  }

  @Test func `an interleaved ring shows its frames as they lie, and its bus takes them apart`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16, isInterleaved: true)
    let access = ring.access
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: .lending(RingForward(access), isNearlyFree: true, with: ring),
          inputs: [], outputs: [0]),
        .init(kernel: .holding(FrameReader()), inputs: [0], outputs: [1]),
      ], busChannelCounts: [2, 2], maximumFramesPerSlice: 16, keeping: [1])
    let memory = StoredFloats((0..<80).map(Float.init))
    // In the ring, around its end, and outside of it.
    var sample = 0
    for slice in 0..<20 {
      let count = slice % 3 * 3 + 1
      access.takeIn()
      if slice % 4 == 3 {
        unsafe ring.commit(
          outside: memory.samples.baseAddress!, frameCount: count, owner: memory)
        sample = 0
      } else {
        if slice % 4 == 0 { sample = 100 * slice }
        var first = sample
        var left = count
        while left > 0 {
          let space = unsafe access.space(for: left)
          for index in space.indices { unsafe space[index] = Float(first + index) }
          first += space.count
          left -= space.count / 2
          access.commit(space.count / 2)
        }
      }
      #expect(plan.render(frameCount: count, at: TimeStamp(sampleTime: 0)) == .ok)
      let bus = plan.bus(1, frameCount: count)
      for channel in 0..<2 {
        let expected = (0..<count).map { Float(sample + 2 * $0 + channel) }
        #expect((0..<count).map { bus[channel][$0] } == expected, "slice \(slice)")
      }
      sample += 2 * count
      let source = plan.bus(0, frameCount: count)
      if source.isInterleaved {
        let before = (0..<2 * count).map { source.interleaved[$0] }
        source.separate()
        #expect(!source.isInterleaved)
        #expect((0..<count).flatMap { [source[0][$0], source[1][$0]] } == before)
      }
    }
  }

  @Test func `frames that were outside and not read come in, and others follow`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16, isInterleaved: true)
    let access = ring.access
    let memory = StoredFloats((0..<80).map(Float.init))
    unsafe ring.commit(outside: memory.samples.baseAddress!, frameCount: 10, owner: memory)
    access.discard(4)
    access.takeIn()
    let space = unsafe access.space(for: 3)
    for index in space.indices { unsafe space[index] = Float(20 + index) }
    access.commit(space.count / 2)
    let plan = RenderPlan(rows: [], busChannelCounts: [2], maximumFramesPerSlice: 16)
    let count = access.available
    let bus = plan.bus(0, frameCount: count)
    access.read(count, into: bus, at: 0)
    #expect(count == 9)
    #expect((0..<9).flatMap { [bus[0][$0], bus[1][$0]] } == (8..<26).map(Float.init))
    #expect(ring.finiteFrames == 0)
  }
}
