import AudioTypes
import Dispatch
import TestSupport
import Testing

@testable import RenderCore

@Suite struct ControlBlockTests {
  @Test func `a control is a word of its own, as a number or as bits`() {
    let block = ControlBlock(count: 3)
    #expect((0..<3).allSatisfy { block[$0] == 0 })
    block[1] = 0.25
    #expect(block[word: 1] == Float(0.25).bitPattern)
    #expect(block[0] == 0 && block[2] == 0)
    block[word: 2] = .max
    #expect(block[word: 2] == .max)
  }

  @Test func `a kernel's view and the block are the same words`() {
    let block = ControlBlock(count: 2)
    let access = block.access
    access[0] = 3
    #expect(block[0] == 3)
    block[word: 1] = 7
    #expect(access[word: 1] == 7)
    #expect(access.count == 2)
  }

  @Test func `a block of nothing can be made`() {
    #expect(ControlBlock(count: 0).count == 0)
  }

  @Test func `a change that is scheduled is read before it applies, and others are their own`() {
    let block = ControlBlock([1, 2, 3].map { Float($0).bitPattern })
    #expect((0..<3).map(block.stored) == [1, 2, 3])
    #expect(block.access.glide(1) == 0)
    block.makeSchedule()
    // Once is enough.
    block.makeSchedule()
    #expect((0..<3).map(block.stored) == [1, 2, 3])
    let access = block.access
    access.noteScheduled(1, 5)
    access.noteScheduled(1, 6)
    #expect(block.stored(1) == 6 && block[1] == 2)
    access.set(1, to: 5, glide: 64)
    access.settleScheduled(1)
    #expect(block.stored(1) == 6 && block[1] == 5 && access.glide(1) == 64)
    // A client's change is the last one, though another is pending.
    block[1] = 7
    #expect(block.stored(1) == 7 && access.glide(1) == 0)
    access.settleScheduled(1)
    #expect((0..<3).map(block.stored) == [1, 7, 3])
  }

  @Test(arguments: [false, true], [false, true])
  func `a block takes over the numbers and glides of another`(isOwn: Bool, isOther: Bool) {
    let (own, other) = (ControlBlock(count: 2), ControlBlock([7, 8]))
    if isOwn {
      own.makeSchedule()
      own.access.set(0, to: 1, glide: 32)
    }
    if isOther {
      other.makeSchedule()
      other.access.set(1, to: 9, glide: 16)
    }
    let version = own.access.version
    own.copy(other)
    #expect((0..<2).map { own[word: $0] } == (0..<2).map { other[word: $0] })
    #expect((0..<2).map(own.access.glide) == [0, isOther ? 16 : 0])
    #expect((0..<2).map(own.stored) == (0..<2).map { own[$0] })
    #expect(own.access.version != version)
  }

  @Test func `a schedule that several threads make at once is made once`() {
    for _ in 0..<200 {
      let block = ControlBlock(count: 4)
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        block.makeSchedule()
        block.access.noteScheduled(index, Float(index))
      }
      #expect((0..<4).map(block.stored) == [0, 1, 2, 3])
    }
  }

  @Test func `reading and writing controls makes no heap calls`() {
    let block = ControlBlock(count: 1)
    let access = block.access
    let heapCalls = allocations {
      for index in 0..<10 {
        access[0] = Float(index)
        access[word: 0] += 1
      }
    }
    #expect(heapCalls == 0)
  }
}

@Suite struct StateStorageTests {
  private struct Strip: BitwiseCopyable {
    var volume: Float = 1
    var isMuted = false
    var position = 0
  }

  @Test func `storage of structs changes one property of one element, and copies nothing`() {
    let strips = StateStorage(repeating: Strip(), count: 3)
    let heapCalls = allocations {
      for frame in 0..<10 {
        strips[1].position += frame
        strips[2].isMuted = true
      }
    }
    #expect(heapCalls == 0)
    let positions = (0..<3).map { strips[$0].position }
    #expect(positions == [0, 45, 0])
    let muted = (0..<3).map { strips[$0].isMuted }
    #expect(muted == [false, false, true])
    let volumes = (0..<3).map { strips[$0].volume }
    #expect(volumes == [1, 1, 1])
  }

  @Test func `storage holds what it was made with until it is changed`() {
    let samples = SampleStorage(repeating: 0.5, count: 3)
    let count = samples.count
    #expect(count == 3)
    samples[1] = -1
    let values = (0..<3).map { samples[$0] }
    #expect(values == [0.5, -1, 0.5])
    let listed = SampleStorage([1, 2, 3])
    let copies = (0..<3).map { listed[$0] }
    #expect(copies == [1, 2, 3])
  }

  @Test func `storage of doubles is as that of floats`() {
    let numbers = DoubleStorage(repeating: 0.1, count: 2)
    numbers[1] = 1e-300
    let values = (0..<2).map { numbers[$0] }
    #expect(values == [0.1, 1e-300])
    let listed = DoubleStorage([1, 2, 3])
    let copies = (0..<listed.count).map { listed[$0] }
    #expect(copies == [1, 2, 3])
  }

  @Test func `an index out of range stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let samples = SampleStorage(repeating: 0, count: 3)
      samples[3] = 1
    }
    await #expect(processExitsWith: .failure) {
      let samples = SampleStorage(repeating: 0, count: 3)
      samples[-1] = 1
    }
  }
}

@Suite struct ChannelBufferTests {
  @Test func `a buffer is cut without being copied`() {
    let plan = RenderPlan(rows: [], busChannelCounts: [2], maximumFramesPerSlice: 8)
    let buffer = plan.bus(0, frameCount: 8)[0]
    for frame in buffer.indices { buffer[frame] = Float(frame) }
    #expect(buffer.dropping(5).count == 3)
    #expect(buffer.dropping(5)[0] == 5)
    #expect(buffer.prefix(2).count == 2)
    #expect(buffer.dropping(8).count == 0)
    buffer.dropping(2).prefix(3).clear()
    #expect(buffer.indices.map { buffer[$0] } == [0, 1, 0, 0, 0, 5, 6, 7])
    let other = plan.bus(0, frameCount: 8)[1]
    other.prefix(7).copy(from: buffer)
    #expect(other[6] == 6 && other[7] == 0)
  }

  @Test func `a frame out of range stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let plan = RenderPlan(rows: [], busChannelCounts: [1], maximumFramesPerSlice: 8)
      plan.bus(0, frameCount: 4)[0][4] = 1
    }
  }
}
