import RenderHost
import TestSupport
import Testing

struct LoadTrialTests {
  /// Slices of 5 ms.
  private let slice = 0.005

  /// Plays for some seconds. Returns the seconds of them that one thread rendered.
  private func play(
    _ trial: inout LoadTrial, seconds: Double, alone: Double, shared: Double
  ) -> Double {
    var secondsAlone = 0.0
    for _ in 0..<Int((seconds / slice).rounded()) {
      if !trial.isShared { secondsAlone += slice }
      trial.note((trial.isShared ? shared : alone) * slice, of: slice)
    }
    return secondsAlone
  }

  @Test func `a light patch is soon rendered by one thread, and stays so`() {
    var trial = LoadTrial(threadCount: 2)
    #expect((0.25...0.35).contains(play(&trial, seconds: 1, alone: 0.02, shared: 0.03)))
    #expect(play(&trial, seconds: 60, alone: 0.02, shared: 0.03) > 59.9)
  }

  @Test func `a patch that is too much for one thread is never rendered by one`() {
    var trial = LoadTrial(threadCount: 2)
    #expect(play(&trial, seconds: 60, alone: 1.4, shared: 0.75) == 0)
  }

  @Test func `one thread that turns out to be too few is tried for a single slice`() {
    var trial = LoadTrial(threadCount: 2)
    #expect(play(&trial, seconds: 60, alone: 1.1, shared: 0.57) <= 1.5 * slice)
  }

  @Test func `several threads that are faster render, once that is known`() {
    var trial = LoadTrial(threadCount: 2)
    #expect((0.09...0.12).contains(play(&trial, seconds: 60, alone: 0.5, shared: 0.27)))
  }

  @Test func `several threads that are not faster are tried ever more seldom`() {
    var trial = LoadTrial(threadCount: 4)
    _ = play(&trial, seconds: 10, alone: 0.5, shared: 0.5)
    // Each trial takes 0.1 s.
    #expect(play(&trial, seconds: 60, alone: 0.5, shared: 0.5) > 59.5)
  }

  @Test func `a part that is suddenly heavy gets its threads after one slice`() {
    var trial = LoadTrial(threadCount: 2)
    _ = play(&trial, seconds: 10, alone: 0.05, shared: 0.05)
    #expect(!trial.isShared)
    #expect(play(&trial, seconds: 10, alone: 1.4, shared: 0.75) <= 1.5 * slice)
  }

  @Test func `threads that other programs hold up are left, and found again`() {
    var trial = LoadTrial(threadCount: 2)
    _ = play(&trial, seconds: 10, alone: 0.4, shared: 0.25)
    #expect(trial.isShared)
    #expect(play(&trial, seconds: 30, alone: 0.4, shared: 0.5) > 25)
    _ = play(&trial, seconds: 40, alone: 0.4, shared: 0.25)
    #expect(trial.isShared)
  }

  @Test func `a plan that takes longer is not tried with one thread by what the last one took`() {
    var trial = LoadTrial(threadCount: 2)
    _ = play(&trial, seconds: 10, alone: 0.4, shared: 0.25)
    trial.forgetPlan()
    #expect(play(&trial, seconds: 10, alone: 1.3, shared: 0.7) == 0)
  }

  @Test func `with one thread there is nothing to try`() {
    var trial = LoadTrial(threadCount: 1)
    #expect(!trial.isShared)
    #expect(play(&trial, seconds: 10, alone: 2, shared: 1) > 9.99)
  }

  /// Loads that are random and change at random times: one thread is never left alone with too much
  /// for two slices in a row where several are fast enough.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever the loads are, one thread is not left with too much`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var trial = LoadTrial(threadCount: 2)
    var (alone, shared) = (0.5, 0.3)
    var late = 0
    for number in 0..<40_000 {
      if Int.random(in: 0..<400, using: &random) == 0 {
        alone = Double.random(in: 0.01...1.8, using: &random)
        shared = min(0.95, alone * Double.random(in: 0.51...1, using: &random))
      }
      let isLate = !trial.isShared && alone > 1
      late = isLate ? late + 1 : 0
      #expect(late <= 1, "slice \(number): \(alone) alone, \(shared) shared")
      trial.note((trial.isShared ? shared : alone) * slice, of: slice)
    }
  }
}
