import AudioTypes
import Foundation
import RenderCore
import Synchronization
import TestSupport
import Testing

/// Writes a constant to every frame.
private struct Constant: RenderKernel {
  let value: Float

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    for frame in 0..<context.frameCount { output[0][frame] = value }
    return .ok
  }
}

private final class Witness: Sendable {
  private let counts: Counts
  init(_ counts: Counts) { self.counts = counts }
  deinit { counts.note() }
}

private final class Counts: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }
  func note() { number.wrappingAdd(1, ordering: .relaxed) }
}

private func plan(_ value: Float, _ freed: Counts? = nil) -> RenderPlan {
  let kernel: KernelBox =
    freed.map { .holding(Constant(value: value), with: Witness($0)) }
    ?? .holding(Constant(value: value))
  return RenderPlan(
    rows: [.init(kernel: kernel, inputs: [], outputs: [0])], busChannelCounts: [1],
    maximumFramesPerSlice: 4096)
}

/// Plays a queue like a session and keeps the output.
@safe
private final class Player {
  let queue = PlanQueue()
  var current: PlanQueue.Handle?
  var frame = 0
  var played: [Float] = []

  func play(_ frameCount: Int) {
    var rest = frameCount
    while rest > 0 {
      let turn = unsafe queue.turn(after: current, at: frame, atMost: rest)
      unsafe current = turn.handle
      guard let node = unsafe current else {
        Issue.record("there is no plan")
        return
      }
      let length = unsafe node.cut(turn.frameCount, at: frame)
      #expect(
        unsafe node.render(frameCount: length, at: TimeStamp(sampleTime: Double(frame))) == .ok)
      let bus = unsafe node.clientBus(frameCount: length)
      played += (0..<length).map { bus[0][$0] }
      frame += length
      rest -= length
    }
  }

  deinit { unsafe queue.end(current) }
}

@Suite struct PlanQueueTests {
  @Test func `stages are played in order, each as long as it asks, at every slicing`() {
    for sizes in [[100], [1], [7, 30, 2], [64]] {
      let player = Player()
      player.queue.post(PlanStage(plan(1)))
      player.queue.post(PlanStage(plan(2), earliest: 10, minimumFrames: 25))
      player.queue.post(PlanStage(plan(3), earliest: 20))
      player.queue.post(PlanStage(plan(4), minimumFrames: 5))
      player.queue.post(PlanStage(plan(5), earliest: 60))
      var index = 0
      while player.frame < 100 {
        player.play(min(sizes[index % sizes.count], 100 - player.frame))
        index += 1
      }
      let expected =
        [Float](repeating: 1, count: 10) + [Float](repeating: 2, count: 25)
        + [Float](repeating: 4, count: 25) + [Float](repeating: 5, count: 40)
      #expect(player.played == expected)
      #expect(player.queue.begunStages == 5)
      #expect(player.queue.waitingStages == 0)
    }
  }

  @Test func `numbers are set in the frame that a stage begins with`() {
    let block = ControlBlock(count: 2)
    let player = Player()
    player.queue.post(PlanStage(plan(1)))
    player.queue.post(
      PlanStage(
        plan(2), earliest: 10,
        writes: [.init(block, 0, word: 5), .init(block, 1, word: 6), .init(block, 0, word: 7)]))
    player.play(10)
    #expect(block[word: 0] == 0)
    player.play(1)
    #expect(block[word: 0] == 7)
    #expect(block[word: 1] == 6)
  }

  @Test func `going on to the next stage takes nothing from the heap`() {
    let player = Player()
    player.queue.post(PlanStage(plan(1)))
    player.play(1)
    player.queue.post(PlanStage(plan(2)))
    player.queue.post(PlanStage(plan(3)))
    let before = unsafe player.current
    var turn = unsafe player.queue.turn(after: before, at: 1, atMost: 1)
    player.queue.post(PlanStage(plan(4)))
    let count = allocations {
      unsafe turn = player.queue.turn(after: turn.handle, at: 2, atMost: 8)
    }
    #expect(count == 0)
    #expect(unsafe turn.handle != before)
    unsafe player.current = turn.handle
  }

  @Test func `what has been played is freed, and the last stage stays`() {
    let freed = Counts()
    do {
      let player = Player()
      for value in 1...4 { player.queue.post(PlanStage(plan(Float(value), freed))) }
      player.play(1)
      #expect(freed.count == 0)
      player.queue.collect()
      #expect(freed.count == 3)
      player.play(1)
      #expect(player.played == [4, 4])
    }
    #expect(freed.count == 4)
    do {
      let queue = PlanQueue()
      for value in 1...4 { queue.post(PlanStage(plan(Float(value), freed))) }
    }
    #expect(freed.count == 8)
  }

  @Test func `counting from the beginning again leaves nothing waiting for a fade`() {
    let player = Player()
    player.queue.post(PlanStage(plan(1), minimumFrames: 1000))
    player.queue.post(PlanStage(plan(2), earliest: 3))
    player.play(10)
    player.frame = 0
    unsafe player.queue.rewind(player.current)
    player.play(5)
    #expect(player.played.suffix(5) == [1, 1, 1, 2, 2])
  }

  @Test func `no plan is lost or freed twice between two threads`() {
    final class Box: Sendable {
      let queue = PlanQueue()
      let isDone = Atomic(false)
      let rendered = Atomic(0)
      let finished = DispatchSemaphore(value: 0)
    }
    let (box, freed) = (Box(), Counts())
    let count = 500
    Thread {
      var current: PlanQueue.Handle?
      var frame = 0
      while !box.isDone.load(ordering: .acquiring) {
        let turn = unsafe box.queue.turn(after: current, at: frame, atMost: 8)
        unsafe current = turn.handle
        guard let node = unsafe current else { continue }
        if unsafe node.render(frameCount: turn.frameCount, at: TimeStamp(sampleTime: 0)) == .ok {
          box.rendered.add(1, ordering: .relaxed)
        }
        frame += turn.frameCount
      }
      unsafe box.queue.end(current)
      box.finished.signal()
    }.start()
    for index in 0..<count {
      box.queue.post(PlanStage(plan(1, freed), minimumFrames: index % 3))
    }
    while box.queue.waitingStages > 0 { sched_yield() }
    box.isDone.store(true, ordering: .releasing)
    box.finished.wait()
    box.queue.collect()
    #expect(box.rendered.load(ordering: .relaxed) > 0)
    #expect(freed.count == count)
  }
}

@Suite struct CrossfadeTests {
  private func faded(_ old: Float, _ new: Float, length: Int, _ slicing: Slicing) -> [Float] {
    render(
      .holding(CrossfadeKernel(length: length)),
      inputs: [
        [[Float](repeating: old, count: 3000)], [[Float](repeating: new, count: 3000)],
      ], outputChannelCounts: [1], frameCount: 3000, slicing: slicing)[0][0]
  }

  @Test func `a fade has a closed form, and none of it depends on slices`() {
    let whole = faded(1, -0.5, length: 1000, .every[0])
    for slices in Slicing.every { #expect(faded(1, -0.5, length: 1000, slices) == whole) }
    for frame in 0..<1000 {
      let x = Double(frame) / 1000
      let exact = 1 - 1.5 * (3 * x * x - 2 * x * x * x)
      // Three roundings of 2^-24.
      #expect(abs(Double(whole[frame]) - exact) < 5e-7)
    }
    #expect(whole[1000...].allSatisfy { $0 == -0.5 })
  }

  @Test func `what is the same on both sides stays as it is`() {
    #expect(faded(0.3, 0.3, length: 480, .every[2]).allSatisfy { $0 == 0.3 })
  }

  @Test func `what leaves may be anything once it has left`() {
    let samples = faded(.infinity, 0.25, length: 10, .every[1])
    #expect(samples[10...].allSatisfy { $0 == 0.25 })
  }
}
