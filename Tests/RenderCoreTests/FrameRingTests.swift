import AudioTypes
import Foundation
import RenderCore
import TestSupport
import Testing

private func buffers(_ channelCount: Int, frames: Int) -> RenderPlan {
  RenderPlan(rows: [], busChannelCounts: [channelCount], maximumFramesPerSlice: frames)
}

@Suite struct FrameRingTests {
  @Test func `a ring has room for what was asked, rounded up to a power of two`() {
    #expect(FrameRing(channelCount: 1, minimumCapacity: 0).capacity == 1)
    #expect(FrameRing(channelCount: 1, minimumCapacity: 64).capacity == 64)
    #expect(FrameRing(channelCount: 1, minimumCapacity: 65).capacity == 128)
  }

  @Test func `interleaved frames come out a channel at a time, around the end as well`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16)
    let access = ring.access
    let plan = buffers(2, frames: 16)
    var (written, read) = (0, 0)
    for step in 1...60 {
      // An empty ring can begin at its start again.
      access.rewind()
      let count = min(step % 12 + 1, access.room)
      let samples = (0..<2 * count).map { Float($0 % 2 * 1000 + written + $0 / 2) }
      let largest = unsafe access.write(interleaved: samples, frameCount: count)
      #expect(largest == samples.max()?.bitPattern)
      access.commit(count)
      written += count
      let take = step % 5 == 0 ? access.available : min(step % 7 + 2, access.available)
      let isRight = areRight(take, after: read, from: access, plan.bus(0, frameCount: take))
      #expect(isRight)
      access.discard(take)
      read += take
    }
    #expect(access.totalRead == read && read > 200)
  }

  /// Reads two channels, and returns whether they contain the frames from number `read` on.
  private func areRight(
    _ count: Int, after read: Int, from access: FrameRingAccess, _ sink: RenderBus
  ) -> Bool {
    (0..<2).allSatisfy { channel in
      access.read(into: sink[channel], channel: channel)
      return (0..<count).allSatisfy { sink[channel][$0] == Float(channel * 1000 + read + $0) }
    }
  }

  @Test func `frames come out as they went in, around the end as well`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 16)
    let access = ring.access
    let plan = buffers(2, frames: 16)
    var (written, read) = (0, 0)
    for step in 1...40 {
      let count = min(step % 12 + 1, access.room)
      let bus = plan.bus(0, frameCount: count)
      for channel in 0..<2 {
        for frame in 0..<count {
          bus[channel][frame] = Float(channel * 1000 + written + frame)
        }
        access.write(bus[channel], channel: channel)
      }
      #expect(access.available == written - read)
      access.commit(count)
      written += count
      let take = min(step % 7 + 2, access.available)
      let isRight = areRight(take, after: read, from: access, plan.bus(0, frameCount: take))
      #expect(isRight)
      access.discard(take)
      read += take
      #expect(access.totalWritten == written)
      #expect(access.totalRead == read)
      #expect(access.available + access.room == ring.capacity)
    }
  }

  @Test func `both sides may work beyond what is committed or oldest`() {
    let ring = FrameRing(channelCount: 1, minimumCapacity: 8)
    let access = ring.access
    let plan = buffers(1, frames: 4)
    let bus = plan.bus(0, frameCount: 1)
    for frame in 0..<6 {
      bus[0][0] = Float(frame)
      access.write(bus[0], channel: 0, offset: frame)
    }
    #expect(access.available == 0)
    access.commit(6)
    access.read(into: bus[0], channel: 0, offset: 4)
    #expect(bus[0][0] == 4)
    #expect(access.available == 6)
  }

  @Test func `a full ring has no room, and an integer word passes whole`() {
    let ring = FrameRing(channelCount: 1, minimumCapacity: 4)
    let access = ring.access
    let plan = buffers(1, frames: 4)
    let bus = plan.bus(0, frameCount: 4)
    // Including the bit pattern of a signalling NaN.
    let words: [Int32] = [.max, .min, 0x7F80_0001, -1]
    for (frame, word) in words.enumerated() { bus[0][word: frame] = word }
    access.write(bus[0], channel: 0)
    access.commit(4)
    #expect(access.room == 0)
    bus[0].clear()
    access.read(into: bus[0], channel: 0)
    #expect((0..<4).map { bus[0][word: $0] } == words)
  }

  @Test func `what one thread writes another one reads, in order and whole`() {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 256)
    let total = 100_000
    Thread {
      let access = ring.access
      let plan = buffers(2, frames: 100)
      var written = 0
      while written < total {
        let count = min(written % 100 + 1, access.room, total - written)
        guard count > 0 else {
          sched_yield()
          continue
        }
        let bus = plan.bus(0, frameCount: count)
        for frame in 0..<count {
          bus[0][word: frame] = Int32(written + frame)
          bus[1][word: frame] = ~Int32(written + frame)
        }
        access.write(bus[0], channel: 0)
        access.write(bus[1], channel: 1)
        access.commit(count)
        written += count
      }
    }.start()
    let access = ring.access
    let plan = buffers(2, frames: 256)
    var (read, wrong) = (0, 0)
    while read < total {
      let count = min(access.available, read % 77 + 1)
      guard count > 0 else {
        sched_yield()
        continue
      }
      let bus = plan.bus(0, frameCount: count)
      access.read(into: bus[0], channel: 0)
      access.read(into: bus[1], channel: 1)
      access.discard(count)
      for frame in 0..<count {
        let value = Int32(read + frame)
        if bus[0][word: frame] != value || bus[1][word: frame] != ~value { wrong += 1 }
      }
      read += count
    }
    #expect(wrong == 0)
    #expect(access.available == 0)
  }

  @Test func `passing frames on makes no heap calls`() {
    let ring = FrameRing(channelCount: 1, minimumCapacity: 64)
    let access = ring.access
    let plan = buffers(1, frames: 64)
    let bus = plan.bus(0, frameCount: 48)
    let heapCalls = allocations {
      for _ in 0..<4 {
        access.write(bus[0], channel: 0)
        access.commit(48)
        access.read(into: bus[0], channel: 0)
        access.discard(48)
      }
    }
    #expect(heapCalls == 0)
  }
}
