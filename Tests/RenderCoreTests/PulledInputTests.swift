import AudioTypes
import RenderCore
import TestSupport
import Testing

/// Counts frames from 0, and checks that the time stamps agree.
private struct Counter: RenderKernel {
  var value = 0

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard context.timeStamp.sampleTime == Double(value) else { return .failedInitialization }
    let output = context.output(0)
    for frame in 0..<context.frameCount {
      output[0][frame] = Float(value)
      value += 1
    }
    return .ok
  }
}

/// Outputs every third frame of its input.
private struct Thinner: RenderKernel {
  var time = 0.0

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var due = context.frameCount * 3
    var written = 0
    while due > 0 {
      // A multiple of three, so that each pull corresponds to whole output frames.
      let limit = context.pullLimit(0) / 3 * 3
      let length = due < limit ? due : limit
      let status = context.pull(0, frameCount: length, at: TimeStamp(sampleTime: time))
      guard status == .ok else { return status }
      let input = context.pulled(0, frameCount: length)
      for frame in 0..<length / 3 { output[0][written + frame] = input[0][3 * frame] }
      written += length / 3
      due -= length
      time += Double(length)
    }
    return .ok
  }
}

private struct Failure: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { .cannotDoInCurrentContext }
}

private func upstream(
  _ kernel: consuming some RenderKernel & ~Copyable, limit: Int = 48
) -> PulledInput {
  PulledInput(
    RenderPlan(
      rows: [.init(kernel: .holding(kernel), inputs: [], outputs: [1])], busChannelCounts: [1, 1],
      maximumFramesPerSlice: limit), bus: 1)
}

private func plan(
  _ kernel: consuming some RenderKernel & ~Copyable, pulling input: PulledInput?
) -> RenderPlan {
  RenderPlan(
    rows: [
      .init(
        kernel: .holding(kernel), inputs: [0], outputs: [1],
        pulled: input.map { [0: $0] } ?? [:])
    ], busChannelCounts: [1, 1], maximumFramesPerSlice: 4096)
}

struct PulledInputTests {
  @Test(arguments: Slicing.every)
  func `a unit pulls as many frames as it needs`(slicing: Slicing) {
    let plan = plan(Thinner(), pulling: upstream(Counter()))
    var found: [Float] = []
    for slice in slicing.cut(3000) {
      var status = Status.ok
      let heapCalls = allocations {
        status = plan.render(frameCount: slice, at: TimeStamp(sampleTime: Double(found.count)))
      }
      #expect(status == .ok)
      #expect(heapCalls == 0)
      let bus = plan.bus(1, frameCount: slice)
      found += bus[0].indices.map { bus[0][$0] }
    }
    let expected: [Float] = (0..<3000).map { Float(3 * $0) }
    #expect(found == expected)
  }

  @Test func `what fails upstream fails the slice`() {
    let plan = plan(Thinner(), pulling: upstream(Failure()))
    #expect(
      plan.render(frameCount: 8, at: TimeStamp(sampleTime: 0)) == .cannotDoInCurrentContext)
  }

  @Test func `an input that is not pulled has no limit and no frames`() {
    struct Curious: RenderKernel {
      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        guard context.pullLimit(0) == 0 else { return .ok }
        return context.pull(0, frameCount: 1, at: context.timeStamp)
      }
    }
    #expect(
      plan(Curious(), pulling: nil).render(frameCount: 8, at: TimeStamp(sampleTime: 0))
        == .noConnection)
  }

  @Test func `more than the limit is refused upstream`() {
    struct Greedy: RenderKernel {
      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        context.pull(0, frameCount: context.pullLimit(0) + 1, at: context.timeStamp)
      }
    }
    #expect(
      plan(Greedy(), pulling: upstream(Counter())).render(
        frameCount: 8, at: TimeStamp(sampleTime: 0)) == .tooManyFramesToProcess)
  }

  @Test func `a plan frees what its rows pull`() {
    weak var input: PulledInput?
    do {
      let held = upstream(Counter())
      input = held
      let plan = plan(Thinner(), pulling: held)
      #expect(plan.render(frameCount: 1, at: TimeStamp(sampleTime: 0)) == .ok)
    }
    #expect(input == nil)
  }

  @Test(arguments: Slicing.every)
  func `what is only watched runs in step at its own rate`(slicing: Slicing) {
    let counted = ControlBlock(count: 1)
    struct Tally: RenderKernel {
      let control: ControlAccess

      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        guard context.timeStamp.sampleTime == Double(control[0]) else {
          return .failedInitialization
        }
        control[0] += Float(context.frameCount)
        return .ok
      }
    }
    let watched = PulledInput(
      RenderPlan(
        rows: [
          .init(
            kernel: .holding(Tally(control: counted.access), with: counted), inputs: [], outputs: []
          )
        ], busChannelCounts: [1], maximumFramesPerSlice: 100), bus: 0)
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: .holding(PacedPull(ratio: 44_100.0 / 48_000)), inputs: [0], outputs: [],
          pulled: [0: watched])
      ], busChannelCounts: [1], maximumFramesPerSlice: 4096)
    var position = 0
    for slice in slicing.cut(4800) {
      #expect(plan.render(frameCount: slice, at: TimeStamp(sampleTime: Double(position))) == .ok)
      position += slice
      #expect(counted[0] == Float(Int(Double(position) * (44_100.0 / 48_000))))
    }
    #expect(counted[0] == 4410)
  }

  @Test func `a demand is the ratio of the frames, what the filter looks ahead, and one`() {
    #expect(PullDemand(framesPerFrame: 1).frames(for: 512) == 513)
    #expect(PullDemand(framesPerFrame: 44_100.0 / 48_000, ahead: 30).frames(for: 480) == 472)
    #expect(PullDemand(framesPerFrame: 4).frames(for: 100) == 401)
    #expect(PullDemand(framesPerFrame: 1e300).frames(for: 4096) > 1_000_000_000)
  }
}
