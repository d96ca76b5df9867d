import RenderHost
import TestSupport
import Testing

@Suite struct ClockFollowerTests {
  @Test(arguments: [
    ClockScene(hours: 24, lump: 4096, pull: 4096),
    ClockScene(hours: 3, lump: 960, pull: 4096, lateness: 0.005),
    ClockScene(hours: 0.3, lump: 256, pull: 256),
    ClockScene(sampleRate: 44_100, hours: 1, lump: 441, pull: 1024),
    ClockScene(hours: 2, lump: 2048, pull: 1024, stall: .thread),
    ClockScene(hours: 2, lump: 2048, pull: 1024, stall: .delivery),
  ])
  func `clocks that agree are left alone, to the bit`(scene: ClockScene) {
    let outcome = scene.run()
    #expect(!outcome.follower.isEngaged && outcome.wasRatioOne)
    #expect(outcome.worstLatency < 0.0005)
  }

  @Test(arguments: [
    ClockScene(drift: 500, hours: 24, lump: 4096, pull: 4096),
    ClockScene(drift: -500, hours: 6, lump: 4096, pull: 4096, seed: 2),
    ClockScene(drift: 100, hours: 3, lump: 2048, pull: 2048, seed: 3),
    ClockScene(drift: -100, hours: 3, lump: 960, pull: 4096, seed: 4),
    ClockScene(drift: 1, hours: 6, lump: 2048, pull: 2048),
    ClockScene(drift: 500, hours: 0.5, lump: 256, pull: 256),
    ClockScene(drift: -500, hours: 0.5, lump: 1024, pull: 256),
    ClockScene(drift: 100, hours: 0.2, lump: 64, pull: 64),
    ClockScene(sampleRate: 8000, drift: -500, hours: 3, lump: 256, pull: 256),
    ClockScene(sampleRate: 192_000, drift: 500, hours: 0.5, lump: 4096, pull: 4096),
    ClockScene(drift: 500, hours: 3, lump: 2048, pull: 2048, lateness: 0.005, oddity: 0),
  ])
  func `clocks that differ are followed: the way stays as long as it is, the pitch what it is`(
    scene: ClockScene
  ) {
    let outcome = scene.run()
    #expect(outcome.follower.isEngaged)
    #expect(outcome.worstLatency < 0.001)
    #expect(outcome.usualLatency < 0.0005)
    #expect(outcome.worstPitch < 0.2)
    #expect(outcome.usualPitch < 0.05)
    #expect(outcome.settledAfter < 30)
    // The target is raised only a few times, at the start.
    #expect(outcome.raises <= 5)
    #expect(outcome.missing < Int(scene.sampleRate / 10))
  }

  @Test(
    arguments: [ClockScene.Stall.delivery, .source, .sink, .thread], [0, 100, -500] as [Double])
  func `after something stood still the way is as long as before`(
    stall: ClockScene.Stall, drift: Double
  ) {
    for length in [0.1, 0.3, 0.7] {
      let scene = ClockScene(
        drift: drift, hours: 0.7, lump: 1024, pull: 1024, stall: stall, stallLength: length)
      let outcome = scene.run(settling: 10)
      #expect(outcome.worstLatency < 0.001, "\(length) s")
      #expect(outcome.worstPitch < 1)
      // The loss is limited to the stall itself and one slice before and after.
      let most = Int(4 * (length + 0.05) * 48_000) + 4000
      #expect(outcome.missing <= most && outcome.skipped <= most)
    }
  }

  @Test(arguments: [0, 200, -500] as [Double], [0.0053, 0.0107, 0.0213])
  func `what waits because the sink keeps less is given up unheard`(drift: Double, length: Double) {
    // There is one stall, after ten minutes. Less than 4 ms is within the error of the notes, and
    // may go on waiting.
    let scene = ClockScene(
      drift: drift, hours: 0.32, lump: 512, pull: 512, stall: .buffer, stallLength: length)
    let outcome = scene.run(settling: 10)
    #expect(outcome.skipped == 0)
    // The latency rises first, and returns to its earlier value.
    #expect(abs(outcome.latency - outcome.earlyLatency) < 0.0015)
    #expect(outcome.worstPitch < 0.4)
    if drift == 0 { #expect(outcome.follower.ratio == 1) }
  }

  @Test(arguments: [0, 200, -500] as [Double], [0.015, 0.018])
  func `what waits since a bad second is given up once it was of no use`(
    drift: Double, length: Double
  ) {
    // One late delivery raises the latency by twice the frames that were missing.
    var scene = ClockScene(
      drift: drift, hours: 0.55, lump: 256, pull: 256, oddity: 0, stall: .delivery,
      stallLength: length)
    scene.stallInterval = 1000
    let outcome = scene.run(settling: 10)
    #expect(outcome.raises == 1 && outcome.padded > 96, "\(outcome)")
    #expect(outcome.missing > 96 && outcome.missing < 1100 && outcome.skipped == 0, "\(outcome)")
    // The earlier latency plus up to 4 ms may remain.
    #expect(abs(outcome.latency - outcome.earlyLatency) < 0.0065, "\(outcome)")
    #expect(outcome.worstPitch < 0.4)
    if drift == 0 { #expect(outcome.follower.ratio == 1) }
  }

  @Test
  func `what is of use now and then is kept`() {
    // Deliveries are late every ten minutes for a day. Each time that frames are missing because
    // the latency was lowered, it is lowered later.
    var scene = ClockScene(
      hours: 24, lump: 1024, pull: 1024, oddity: 0, stall: .delivery, stallLength: 0.035)
    scene.stallInterval = 600
    let outcome = scene.run(settling: 10)
    #expect(outcome.raises >= 1 && outcome.raises <= 10, "\(outcome)")
    #expect(outcome.missing < 10 * 1024, "\(outcome)")
  }

  @Test
  func `nothing is heard before both clocks have been seen`() {
    var follower = ClockFollower(sampleRate: 48_000)
    #expect(follower.ratio == 0)
    for note in 0..<4 {
      let time = Double(note) * 1024 / 48_000
      follower.note(delivered: 1024, at: time)
      follower.note(requested: 1024, at: time)
      #expect(follower.open(ahead: 1024 * (note + 1), pull: 1024) == nil)
      #expect(follower.follow(ahead: 1024 * (note + 1), missing: 0) == .none)
    }
    #expect(follower.ratio == 0 && !follower.isEngaged)
  }

  @Test
  func `following makes no heap calls`() {
    var follower = ClockFollower(sampleRate: 48_000)
    var (ahead, wasOpen) = (0, false)
    let heapCalls = allocations {
      for note in 0..<4000 {
        let time = Double(note) * 1024 / 48_000
        follower.note(delivered: 1024, at: time * 0.9995)
        ahead += 1024
        follower.note(requested: 1024, at: time)
        if !wasOpen, let correction = follower.open(ahead: ahead, pull: 1024) {
          wasOpen = true
          if case .skip(let frames) = correction { ahead -= frames }
        }
        if wasOpen { ahead -= 1024 }
        _ = follower.follow(ahead: ahead, missing: 0)
      }
    }
    #expect(heapCalls == 0)
    #expect(wasOpen)
    #expect(follower.isEngaged)
  }
}
