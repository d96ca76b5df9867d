import AudioTypes
import Foundation
import RenderCore
import Synchronization
import TestSupport
import Testing

/// Counts frames.
private struct Counter: RenderKernel {
  var value: Float = 0

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    for frame in 0..<context.frameCount {
      output[0][frame] = value
      value += 1
    }
    return .ok
  }
}

/// Adds a constant to its input; silence stays silence.
private struct Adder: RenderKernel {
  let amount: Float

  @_noLocks
  init(_ amount: Float) { self.amount = amount }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let (input, output) = (context.input(0), context.output(0))
    if input.isSilent {
      output.silence()
      return .ok
    }
    for frame in 0..<context.frameCount { output[0][frame] = input[0][frame] + amount }
    return .ok
  }
}

/// Fails, and counts its calls.
private struct Failure: RenderKernel {
  let control: ControlAccess

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    control[0] += 1
    return .noConnection
  }
}

private struct Silence: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    context.output(0).silence()
    return .ok
  }
}

/// Allocates memory in `render`, which a kernel must not do.
private struct Hoarder: RenderKernel {
  var values: [Float] = []

  mutating func render(_ context: RenderContext) -> Status {
    values.append(1)
    return .ok
  }
}

/// Counts when it is freed.
private final class Witness: Sendable {
  let freed: Counts
  init(_ freed: Counts) { self.freed = freed }
  deinit { freed.value.add(1, ordering: .relaxed) }
}

private final class Counts: Sendable {
  let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
}

private func plan(_ kernel: consuming some RenderKernel & ~Copyable) -> RenderPlan {
  RenderPlan(
    rows: [.init(kernel: .holding(kernel), inputs: [], outputs: [0])], busChannelCounts: [1],
    maximumFramesPerSlice: 64)
}

private let start = TimeStamp(sampleTime: 0)

@Suite struct RenderPlanTests {
  @Test func `rows run in the order given`() {
    let plan = RenderPlan(
      rows: [
        .init(kernel: .holding(Counter()), inputs: [], outputs: [2]),
        .init(kernel: .holding(Adder(10)), inputs: [2], outputs: [0]),
        .init(kernel: .holding(Adder(100)), inputs: [0], outputs: [1]),
      ], busChannelCounts: [1, 1, 1], maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 4, at: start) == .ok)
    let bus = plan.bus(1, frameCount: 4)
    #expect((0..<4).map { bus[0][$0] } == [110, 111, 112, 113])
    #expect(plan.render(frameCount: 2, at: start) == .ok)
    #expect(bus[0][0] == 114)
  }

  @Test func `rendering makes no heap calls`() {
    let plan = plan(Counter())
    let heapCalls = allocations { _ = plan.render(frameCount: 64, at: start) }
    #expect(heapCalls == 0)
  }

  @Test(.enabled(if: countsAllocations, "a sanitizer has an allocator of its own"))
  func `a kernel that allocates is caught`() {
    let plan = plan(Hoarder())
    let heapCalls = allocations { _ = plan.render(frameCount: 64, at: start) }
    #expect(heapCalls > 0)
  }

  @Test func `a slice over the maximum is refused and none of it rendered`() {
    let plan = plan(Counter())
    let status = plan.render(frameCount: 65, at: start)
    #expect(status.rawValue == -10874)
    #expect(plan.render(frameCount: 64, at: start) == .ok)
    #expect(plan.bus(0, frameCount: 64)[0][0] == 0)
  }

  @Test func `a slice of no frames runs nothing`() {
    let control = ControlBlock(count: 1)
    let plan = plan(Failure(control: control.access))
    #expect(plan.render(frameCount: 0, at: start) == .ok)
    #expect(control[0] == 0)
  }

  @Test func `the first failure ends the slice`() {
    let control = ControlBlock(count: 1)
    let plan = RenderPlan(
      rows: [
        .init(kernel: .holding(Failure(control: control.access)), inputs: [], outputs: [0]),
        .init(kernel: .holding(Counter()), inputs: [], outputs: [1]),
      ], busChannelCounts: [1, 1], maximumFramesPerSlice: 64)
    let status = plan.render(frameCount: 64, at: start)
    #expect(status == .noConnection)
    #expect(control[0] == 1)
    #expect(plan.bus(1, frameCount: 64)[0][63] == 0)
  }

  @Test func `a bus that nothing writes is silent until a host fills it`() {
    let plan = RenderPlan(
      rows: [.init(kernel: .holding(Adder(1)), inputs: [0], outputs: [1])],
      busChannelCounts: [1, 1], maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 8, at: start) == .ok)
    #expect(plan.bus(1, frameCount: 8).isSilent)
    let input = plan.bus(0, frameCount: 8)
    #expect(input.isSilent && input[0][0] == 0)
    input.markSounding()
    #expect(plan.render(frameCount: 8, at: start) == .ok)
    #expect(!plan.bus(1, frameCount: 8).isSilent)
    #expect(plan.bus(1, frameCount: 8)[0][7] == 1)
  }

  @Test func `silence is said anew in each slice`() {
    let plan = RenderPlan(
      rows: [
        .init(kernel: .holding(Silence()), inputs: [], outputs: [0]),
        .init(kernel: .holding(Counter()), inputs: [], outputs: [1]),
      ], busChannelCounts: [1, 1], maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 64, at: start) == .ok)
    #expect(plan.bus(0, frameCount: 64).isSilent)
    plan.bus(1, frameCount: 64).markSilent()
    #expect(plan.render(frameCount: 64, at: start) == .ok)
    #expect(!plan.bus(1, frameCount: 64).isSilent)
  }

  @Test func `observers are told before and after a slice, and of a failure`() {
    struct Call: Equatable {
      var flags: UInt32
      var time: Double
      var frames: Int
    }
    final class Log: Sendable {
      let calls = Mutex<[Call]>([])
    }
    let log = Log()
    let observer = RenderObserver { flags, time, frames in
      log.calls.withLock {
        $0.append(Call(flags: flags.rawValue, time: time.sampleTime, frames: frames))
      }
    }
    let good = RenderPlan(
      rows: [.init(kernel: .holding(Counter()), inputs: [], outputs: [0])], busChannelCounts: [1],
      maximumFramesPerSlice: 64, observers: [observer])
    #expect(good.render(frameCount: 32, at: TimeStamp(sampleTime: 7)) == .ok)
    let control = ControlBlock(count: 1)
    let bad = RenderPlan(
      rows: [
        .init(kernel: .holding(Failure(control: control.access)), inputs: [], outputs: [0])
      ], busChannelCounts: [1], maximumFramesPerSlice: 64, observers: [observer])
    _ = bad.render(frameCount: 16, at: start)
    let expected = [
      Call(flags: 4, time: 7, frames: 32), Call(flags: 8, time: 7, frames: 32),
      Call(flags: 4, time: 0, frames: 16), Call(flags: 8 | 256, time: 0, frames: 16),
    ]
    #expect(log.calls.withLock { $0 } == expected)
  }

  @Test func `a plan frees its kernels and their company`() {
    let freed = Counts()
    do {
      let plan = RenderPlan(
        rows: [
          .init(kernel: .holding(Counter(), with: Witness(freed)), inputs: [], outputs: [0])
        ], busChannelCounts: [1], maximumFramesPerSlice: 64)
      #expect(plan.render(frameCount: 1, at: start) == .ok)
      #expect(freed.count == 0)
    }
    #expect(freed.count == 1)
  }
}
