import RenderHost
import Testing

/// The causes of underruns with a simulated clock in milliseconds, for a device with slices of 1000
/// frames in 20 ms.
struct UnderrunWatchTests {
  private struct Bench {
    let watch = UnderrunWatch(sampleRate: 50_000, bufferDuration: 0.04, readsSchedulerDelay: false)
    /// The time that the thread has waited for a processor, as the system reports it.
    var delay: UInt64 = 0
    var now: UInt64 = 1_000_000_000

    private func nanoseconds(_ milliseconds: Double) -> UInt64 { UInt64(milliseconds * 1e6) }

    mutating func sleep(_ milliseconds: Double, waiting: Double = 0) {
      watch.willSleep(atMost: 0.05, now: now, delay: delay)
      now += nanoseconds(milliseconds)
      delay += nanoseconds(waiting)
      watch.hasWoken(now: now, delay: delay)
    }

    mutating func render(_ milliseconds: Double, waiting: Double = 0) {
      watch.willRender(now: now, delay: delay)
      now += nanoseconds(milliseconds)
      delay += nanoseconds(waiting)
      watch.hasRendered(frameCount: 1000, now: now, delay: delay)
    }

    func underrun() -> Underrun { watch.underrun(at: 1.5, now: now) }
  }

  @Test func `a slice that takes too long is the patch's own`() {
    var bench = Bench()
    for _ in 0..<50 {
      bench.sleep(15)
      bench.render(5)
    }
    bench.render(70)
    let found = bench.underrun()
    #expect(found.cause == .render && found.time == 1.5)
    #expect(found.reason == "to render 1000 frames took 70.0 ms, and they last 20.0 ms")
    #expect(
      found.message
        == "an underrun at 0:01.500, the patch's own: to render 1000 frames took 70.0 ms, and they last "
        + "20.0 ms")
  }

  @Test func `slices that are all a little too long are, too`() {
    var bench = Bench()
    for _ in 0..<20 {
      bench.sleep(0)
      bench.render(22)
    }
    #expect(bench.underrun().cause == .render)
  }

  @Test func `a thread that waited for a processor was not run, asleep or in a render`() {
    var bench = Bench()
    bench.sleep(40, waiting: 30)
    bench.render(5)
    #expect(bench.underrun().reason == "the render thread was not run for 30.0 ms")
    var other = Bench()
    other.sleep(15)
    other.render(60, waiting: 55)
    #expect(other.underrun().cause == .machine)
  }

  @Test func `a process that was stopped overslept`() {
    var bench = Bench()
    bench.sleep(1050)
    bench.render(5)
    #expect(bench.underrun().reason == "the render thread was not run for 1000.0 ms")
  }

  @Test func `where nothing was slow here nobody asked in time`() {
    var bench = Bench()
    for _ in 0..<20 { bench.sleep(50) }
    bench.sleep(30)
    bench.render(5, waiting: 0.2)
    #expect(bench.underrun().cause == .server)
    #expect(bench.underrun().reason == "the server asked too late, or not at all")
  }

  @Test func `what was made good long ago is no reason`() {
    var bench = Bench()
    bench.render(70)
    for _ in 0..<20 {
      bench.sleep(50)
      bench.render(1)
    }
    #expect(bench.underrun().cause == .server)
  }
}
