import Foundation
import RenderCore
import TestSupport
import Testing

struct RenderTimelineTests {
  /// The value of a control at each frame, for a unit that follows it linearly. The slices of a
  /// device are cut further by the timeline.
  private func followed(
    _ timeline: RenderTimeline, _ block: ControlBlock, _ index: Int = 0, frameCount: Int,
    slicing: Slicing = Slicing([512])
  ) -> [Float] {
    var found: [Float] = []
    var value = block[index]
    var (from, target, length, done) = (value, value, 0, 0)
    for slice in slicing.cut(frameCount) {
      var rest = slice
      while rest > 0 {
        var piece = 0
        let frame = found.count
        let heapCalls = allocations { piece = timeline.cut(rest, at: frame) }
        #expect(heapCalls == 0)
        #expect(piece >= 1 && piece <= rest)
        if block[index] != target {
          (from, target, length, done) = (value, block[index], block.access.glide(index), 0)
        }
        for _ in 0..<piece {
          done += 1
          value = done < length ? from + (target - from) * Float(done) / Float(length) : target
          found.append(value)
        }
        rest -= piece
      }
    }
    return found
  }

  @Test(arguments: Slicing.every)
  func `a ramp is a straight line from where the control is`(slicing: Slicing) {
    let block = ControlBlock(count: 2)
    block[1] = -1
    let timeline = RenderTimeline([
      .init(block: block, index: 1, start: 100, length: 1000, target: 3)
    ])
    let found = followed(timeline, block, 1, frameCount: 2000, slicing: slicing)
    for frame in 0..<2000 {
      let progress = min(max(Double(frame - 99) / 1000, 0), 1)
      #expect(abs(Double(found[frame]) - (-1 + 4 * progress)) < 1e-5)
    }
    #expect(block.access.glide(1) == 0)
    #expect(block[0] == 0)
  }

  @Test(arguments: Slicing.every)
  func `an exponential ramp goes by the same factor in each frame`(slicing: Slicing) {
    for (origin, target, length) in [
      (Float(1), Float(0.0001), 1000), (-0.001, -4, 37), (0.5, 0.5, 500), (2, 2.5, 1200),
    ] {
      let block = ControlBlock(count: 1)
      block[0] = origin
      let timeline = RenderTimeline([
        .init(
          block: block, index: 0, start: 100, length: length, target: target, isExponential: true)
      ])
      let found = followed(timeline, block, frameCount: 1500, slicing: slicing)
      for frame in 0..<1500 {
        let progress = min(max(Double(frame - 99) / Double(length), 0), 1)
        let expected = Double(origin) * pow(Double(target) / Double(origin), progress)
        // 0.0005 dB.
        #expect(abs(Double(found[frame]) / expected - 1) < 5.5e-5)
      }
      #expect(found[99 + length] == target && block.access.glide(0) == 0)
    }
  }

  @Test(arguments: [(Float(0), Float(1)), (1, 0), (-1, 1), (.nan, 1)])
  func `where no factor leads from one end to the other, it is a straight line`(
    origin: Float, target: Float
  ) {
    let found = [false, true].map { isExponential in
      let block = ControlBlock(count: 1)
      block[0] = origin
      let timeline = RenderTimeline([
        .init(
          block: block, index: 0, start: 10, length: 300, target: target,
          isExponential: isExponential)
      ])
      return followed(timeline, block, frameCount: 400).map(\.bitPattern)
    }
    #expect(found[0] == found[1])
  }

  @Test(arguments: [0, 1, 63, 64, 65, 128])
  func `a ramp of any length ends where it is to`(length: Int) {
    let block = ControlBlock(count: 1)
    let timeline = RenderTimeline([
      .init(block: block, index: 0, start: 10, length: length, target: 1)
    ])
    let found = followed(timeline, block, frameCount: 300)
    #expect(found[9] == 0)
    #expect(found[10 + max(0, length - 1)] == 1)
    #expect(found[299] == 1)
  }

  @Test func `ramps follow each other and run side by side`() {
    let block = ControlBlock(count: 2)
    let timeline = RenderTimeline([
      .init(block: block, index: 0, start: 300, length: 100, target: 0),
      .init(block: block, index: 1, start: 50, length: 500, target: 5),
      .init(block: block, index: 0, start: 100, length: 200, target: 2),
    ])
    let found = followed(timeline, block, frameCount: 700)
    #expect(found[199] == 1 && found[299] == 2 && abs(found[349] - 1) < 1e-6 && found[399] == 0)
    #expect(block[1] == 5)
  }

  @Test func `a restart begins with every control where it was`() {
    let block = ControlBlock(count: 1)
    block[0] = 0.5
    let timeline = RenderTimeline([
      .init(block: block, index: 0, start: 0, length: 100, target: 1),
      .init(block: block, index: 0, start: 200, length: 100, target: 2),
    ])
    let first = followed(timeline, block, frameCount: 150)
    timeline.restart()
    #expect(block[0] == 0.5 && block.access.glide(0) == 0)
    #expect(followed(timeline, block, frameCount: 150) == first)
  }

  @Test func `a ramp begins where its control has been set in the meantime`() {
    let block = ControlBlock(count: 1)
    let timeline = RenderTimeline([
      .init(block: block, index: 0, start: 200, length: 100, target: 1)
    ])
    _ = followed(timeline, block, frameCount: 100)
    block[0] = 9
    var piece = timeline.cut(500, at: 100)
    #expect(piece == 100)
    piece = timeline.cut(500, at: 200)
    #expect(piece == 64)
    #expect(abs(block[0] - (9 - 8 * 0.64)) < 1e-5)
  }
}
