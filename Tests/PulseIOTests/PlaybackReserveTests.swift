import AudioTypes
import Glibc
import RenderCore
import RenderHost
import TestSupport
import Testing

@testable import PulseIO

struct PlaybackReserveTests {
  /// A simulated device that stalls now and then, and has an underrun if the reserve does not last.
  private struct Machine {
    var reserve = PlaybackReserve(mostSlices: 5)
    var now: UInt64 = 1_000_000_000
    var underruns: [Double] = []
    /// When the reserve was lowered, in seconds.
    var lowered: [Double] = []
    var seconds: Double { Double(now) / 1e9 - 1 }

    /// Advances the time in steps of half a second. `slices` returns how many additional slices are
    /// needed at a time.
    mutating func live(_ duration: Double, needing slices: (Double) -> Int) {
      let end = seconds + duration
      while seconds < end {
        now += 500_000_000
        if slices(seconds) > reserve.slices {
          underruns.append(seconds)
          _ = reserve.noteUnderrun(at: now)
        } else if reserve.removeSlice(at: now) {
          lowered.append(seconds)
        }
      }
    }
  }

  @Test
  func `what was raised in a bad second is taken back, a slice a minute`() {
    var machine = Machine()
    machine.live(4) { _ in 5 }
    #expect(machine.reserve.slices == 5)
    let last = machine.underruns.last ?? 0
    machine.live(3600) { _ in 0 }
    #expect(machine.reserve.slices == 0)
    #expect(machine.lowered.count == 5)
    for (index, time) in machine.lowered.enumerated() {
      #expect(abs(time - last - 60 * Double(index + 1)) < 3)
    }
  }

  @Test
  func `there is never more than the most, nor less than was asked for`() {
    var reserve = PlaybackReserve(mostSlices: 2)
    let changes = [
      reserve.removeSlice(at: 1_000_000_000_000), reserve.noteUnderrun(at: 1),
      reserve.noteUnderrun(at: 2), reserve.noteUnderrun(at: 3),
    ]
    #expect(changes == [false, true, true, false])
    #expect(reserve.slices == 2)
    var none = PlaybackReserve(mostSlices: 0)
    let isMore = none.noteUnderrun(at: 1)
    #expect(!isMore && none.slices == 0)
  }

  @Test
  func `a machine that stalls every ten minutes is left what it needs`() {
    var machine = Machine()
    let period = 600.0
    machine.live(48 * 3600) { time in
      time.truncatingRemainder(dividingBy: period) < 0.5 ? 2 : 0
    }
    // There are 288 stalls. Each underrun after a lowering doubles the wait, up to eight hours.
    #expect(machine.underruns.count <= 20, "\(machine.underruns)")
    let late = machine.underruns.filter { $0 > 24 * 3600 }
    #expect(late.count <= 3, "\(late)")
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func `stalls at random for a week lead to ever fewer underruns`(seed: UInt64) {
    var machine = Machine()
    var words = SplitMix64(seed: seed)
    var next = 0.0
    var need = 0
    var stalls = 0
    machine.live(7 * 24 * 3600) { time in
      guard time >= next else { return 0 }
      need = 1 + Int(words.next() % 5)
      // Every 5 minutes on average.
      next = time + Double(words.next() % 600_000) / 1000
      stalls += 1
      return need
    }
    #expect(stalls > 1500)
    #expect(machine.underruns.count < 60, "\(machine.underruns.count) of \(stalls)")
    let late = machine.underruns.filter { $0 > 3.5 * 24 * 3600 }
    #expect(late.count <= 15, "\(late.count)")
  }

  @Test
  func `a burst doubles the wait once, up to eight hours, and a long calm ends that`() {
    var reserve = PlaybackReserve(mostSlices: 5)
    var now: UInt64 = 1_000_000_000
    _ = reserve.noteUnderrun(at: now)
    for round in 1...12 {
      now += UInt64(reserve.wait * 1e9)
      let isLess = reserve.removeSlice(at: now)
      #expect(isLess)
      now += 1
      for _ in 0..<2 { _ = reserve.noteUnderrun(at: now) }
      let doubled = 60 * Double(1 << round)
      #expect(reserve.wait == min(doubled, 8 * 3600))
    }
    now += UInt64(reserve.wait * 1e9) + 1
    let isLess = reserve.removeSlice(at: now)
    #expect(isLess)
    _ = reserve.noteUnderrun(at: now + UInt64(11 * reserve.wait * 1e9))
    #expect(reserve.wait == 60)
  }

  @Test
  func `a pause is no time without an underrun`() {
    var reserve = PlaybackReserve(mostSlices: 2)
    _ = reserve.noteUnderrun(at: 1)
    reserve.noteSilence(at: 3_600_000_000_000)
    let changes = [
      reserve.removeSlice(at: 3_601_000_000_000), reserve.removeSlice(at: 3_661_000_000_000),
    ]
    #expect(changes == [false, true])
  }

  @Test
  func `it is said since when there is more, and when there will be less`() {
    let second: UInt64 = 1_000_000_000
    var reserve = PlaybackReserve(mostSlices: 2)
    #expect(reserve.raisedSince == nil && reserve.nextLoweringTime == nil)
    for time in [10, 12, 13] { _ = reserve.noteUnderrun(at: UInt64(time) * second) }
    #expect(reserve.raisedSince == 10 * second && reserve.nextLoweringTime == 73 * second)
    reserve.noteSilence(at: 20 * second)
    #expect(reserve.raisedSince == 10 * second && reserve.nextLoweringTime == nil)
    let changes = [21, 80, 139, 140].map { reserve.removeSlice(at: UInt64($0) * second) }
    #expect(changes == [false, true, false, true])
    #expect(reserve.raisedSince == nil && reserve.nextLoweringTime == nil)
    _ = reserve.noteUnderrun(at: 900 * second)
    // An underrun soon after a lowering would double the wait.
    #expect(reserve.raisedSince == 900 * second && reserve.nextLoweringTime == 960 * second)
  }
}

@Suite(
  .serialized, .enabled(if: PrivatePulse.isInstalled, "pulseaudio and parec are not installed"))
struct PlaybackReserveLiveTests {
  @Test
  func `what the server keeps grows and shrinks without a frame lost or repeated`() throws {
    let server = try PrivatePulse()
    let recording = try server.record()
    let hardware = try PulseHardware.open(
      HardwareRequest(preferredIOBufferDuration: 0.005, server: server.address))
    hardware.reserveWait = 0.3
    let session = session(for: hardware.grant)
    session.play(plan(of: .holding(NappingKernel())))
    try hardware.start(session)
    var notes: [String] = []
    var raised: [RaisedLatency] = []
    #expect(
      eventually {
        if let latency = hardware.raisedLatency, latency != raised.last { raised.append(latency) }
        for case .noted(let text) in hardware.takeEvents() { notes.append(text) }
        return notes.last?.hasSuffix("asked for, and no more") ?? false
      })
    #expect(hardware.raisedLatency == nil)
    hardware.stop()
    #expect(!raised.isEmpty)
    #expect(raised.contains { $0.surplus > 0 }, "\(raised)")
    #expect(raised.allSatisfy { $0.asked > 0.005 && $0.since == raised[0].since })
    #expect(raised.contains { ($0.nextLoweringTime ?? 0) > $0.since }, "\(raised)")
    #expect(notes.first?.hasSuffix("frames more than it was asked for") ?? false, "\(notes)")
    // Underruns are recorded as silence.
    let heard = try recording.stop().filter { $0 != 0 }
    expectWhole(heard, 0..<session.renderedFrames)
  }
}

/// Outputs frame numbers, and once takes half a second.
private struct NappingKernel: RenderKernel {
  private var numbers = NumberingKernel()

  // Breaks the rules of the render thread on purpose: no `@_noLocks` here.
  mutating func render(_ context: RenderContext) -> Status {
    let time = Int(context.timeStamp.sampleTime)
    if time < 12_000, time + context.frameCount >= 12_000 { usleep(500_000) }
    return numbers.render(context)
  }
}
