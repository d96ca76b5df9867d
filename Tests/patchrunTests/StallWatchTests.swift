import Testing

@testable import patchrun

/// What counts as time without samples, for the marks in recordings.
@Suite struct StallWatchTests {
  private static let rate = 48_000.0

  /// Looks every 0.1 s at a device that requests blocks, at the times that `advance` gives for each second of the
  /// clock. Returns what was lost.
  private static func losses(
    seconds: Double, block: Int = 1024, _ frames: (_ time: Double) -> Double
  ) -> [Double] {
    var watch = StallWatch()
    var found: [Double] = []
    for step in 0...Int(seconds * 10) {
      let time = Double(step) / 10
      let count = Int(frames(time) * rate) / block * block
      if let lost = watch.update(
        at: count, nanoseconds: UInt64(time * 1e9), sampleRate: rate, isExpected: false)
      {
        found.append(lost)
      }
    }
    return found
  }

  @Test(arguments: [64, 1024, 16_384, 48_000])
  func `a device that keeps up loses nothing, however large its blocks are`(block: Int) {
    #expect(Self.losses(seconds: 600, block: block) { $0 } == [])
  }

  @Test(arguments: [-0.001, 0.001])
  func `a clock that is off by a thousandth loses nothing in an hour`(deviation: Double) {
    #expect(Self.losses(seconds: 3600) { $0 * (1 + deviation) } == [])
  }

  @Test func `a stop is told once, as long as it was`() {
    let losses = Self.losses(seconds: 20) { $0 < 5 ? $0 : max(5, $0 - 3) }
    #expect(losses.count == 1)
    #expect(abs((losses.first ?? 0) - 3) < 0.11)
  }

  @Test func `stops that are too short to tell are told where they add up`() {
    // 0.2 s are lost in each of ten seconds.
    let losses = Self.losses(seconds: 10) {
      $0.rounded(.down) * 0.8 + min(0.8, $0 - $0.rounded(.down))
    }
    let sum = losses.reduce(0, +)
    #expect(losses.count >= 3)
    #expect(sum > 1.4 && sum < 2.1)
  }

  @Test func `what is made up for is not lost`() {
    // 0.3 s late, and then twice as fast until it has caught up.
    #expect(
      Self.losses(seconds: 20) { time in
        let inside = time.truncatingRemainder(dividingBy: 2)
        let done = inside < 1 ? inside : inside < 1.3 ? 1 : min(inside, 1 + (inside - 1.3) * 2)
        return time - inside + done
      } == [])
  }

  @Test func `a pause is no loss`() {
    var watch = StallWatch()
    for step in 0...100 {
      let isPaused = (30..<60).contains(step)
      let frames = min(step, 30) * 4800 + max(0, step - 60) * 4800
      #expect(
        watch.update(
          at: frames, nanoseconds: UInt64(step) * 100_000_000, sampleRate: Self.rate,
          isExpected: isPaused) == nil)
    }
  }
}
