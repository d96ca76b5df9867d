import RenderHost
import Testing

struct CrewTrialTests {
  private var now: UInt64 = 5_000_000_000

  /// Plays for a second. Returns the seconds of it that are rendered alone.
  private mutating func play(
    _ trial: inout CrewTrial, together: UInt64, alone: UInt64
  ) -> Double {
    var spentAlone: UInt64 = 0
    let end = now + 1_000_000_000
    while now < end {
      trial.begin(at: now, frameCount: 512)
      let time = trial.isAlone ? alone : together
      if trial.isAlone { spentAlone += time }
      now += time
    }
    return Double(spentAlone) / 1e9
  }

  @Test mutating func `the faster way is taken, and the other tried now and then`() {
    var trial = CrewTrial()
    let gains = play(&trial, together: 30_000, alone: 50_000)
    #expect((0.01...0.04).contains(gains))
    // Another program begins, and ends.
    _ = play(&trial, together: 90_000, alone: 50_000)
    let loses = play(&trial, together: 90_000, alone: 50_000)
    #expect((0.95...0.99).contains(loses))
    _ = play(&trial, together: 30_000, alone: 50_000)
    let gainsAgain = play(&trial, together: 30_000, alone: 50_000)
    #expect((0.01...0.04).contains(gainsAgain))
  }

  @Test mutating func `a trial that was disturbed once is soon made again`() {
    var trial = CrewTrial()
    var spentAlone: UInt64 = 0
    let begin = now
    while now < begin + 400_000_000 {
      trial.begin(at: now, frameCount: 512)
      // From 20 to 30 ms two threads are tried first.
      let isDisturbed = (20_000_000..<30_000_000).contains(now - begin)
      let time: UInt64 = trial.isAlone ? 50_000 : isDisturbed ? 90_000 : 30_000
      if trial.isAlone { spentAlone += time }
      now += time
    }
    // Two trials of 10 ms, and 25 ms of the wrong answer.
    #expect((40_000_000...50_000_000).contains(spentAlone))
  }

  @Test func `nothing is tried in a short render`() {
    var trial = CrewTrial()
    // 20 ms until the caches are warm, and 10 ms of several threads.
    for time in stride(from: 1_000_000 as UInt64, to: 30_000_000, by: 1_000_000) {
      trial.begin(at: time, frameCount: 4096)
      #expect(!trial.isAlone)
    }
  }
}
