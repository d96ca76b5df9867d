import RenderHost
import TestSupport
import Testing

@Suite struct DeviceTimelineTests {
  /// A line from notes that are up to `lateness` seconds late, of a clock that is `off` ppm fast.
  private func line(
    off: Double, lateness: Double, notes: Int, lump: Int = 1024, rate: Double = 48_000
  ) -> DeviceTimeline {
    var generator = SplitMix64(seed: 7)
    var line = DeviceTimeline(sampleRate: rate)
    for note in 1...notes {
      let late = Double(generator.next() >> 11) * 0x1p-53 * lateness
      line.advance(by: lump, at: Double(note * lump) / (rate * (1 + off * 1e-6)) + late)
    }
    return line
  }

  @Test(arguments: [0, 100, -500] as [Double])
  func `notes that are never late give the rate and the time of every frame`(off: Double) {
    let line = line(off: off, lateness: 0, notes: 4000)
    #expect(abs((line.speed - 1) * 1e6 - off) < 0.01)
    #expect(line.jitter < 1e-6)
    // The first note is frame 0 of the line, and was made after one delivery.
    let expected = 10 * 48_000 * (1 + off * 1e-6) - 1024
    #expect(abs(line.position(at: 10) - expected) < 0.2)
  }

  @Test(arguments: [0.001, 0.005, 0.02])
  func `late notes hardly move the line`(lateness: Double) {
    let line = line(off: 200, lateness: lateness, notes: 8000)
    #expect(line.breaks == 0)
    // A quarter of the range of the lateness.
    #expect(abs(line.jitter - lateness / 4) < lateness / 20)
    #expect(abs((line.speed - 1) * 1e6 - 200) < lateness * 10_000)
    let truth = 8000 * 1024 / (48_000 * (1 + 200e-6))
    // The average lateness is half the largest, plus a small part of the range.
    #expect(abs(line.newestTime - truth - lateness / 2) < lateness / 10)
  }

  @Test
  func `a device that stood still is found again, at the rate that it had`() {
    var line = line(off: 50, lateness: 0, notes: 4000)
    let rate = 48_000 * (1 + 50e-6)
    for note in 4001...4030 { line.advance(by: 1024, at: Double(note * 1024) / rate + 0.3) }
    #expect(line.breaks == 1 && line.isNear)
    #expect(abs(line.newestTime - Double(4030 * 1024) / rate - 0.3) < 1e-5)
    #expect(abs((line.speed - 1) * 1e6 - 50) < 0.1)
  }

  // A null sink of a busy machine does this: its requests jump by a block, earlier or later.
  @Test(arguments: [0.005, -0.005, 0.002])
  func `a server that asks some milliseconds later from some time on has the same rate`(
    step: Double
  ) {
    var generator = SplitMix64(seed: 3)
    var line = DeviceTimeline(sampleRate: 48_000)
    let rate = 48_000 * (1 + 50e-6)
    for note in 1...4000 {
      let late = Double(generator.next() >> 11) * 0x1p-53 * 0.0002
      line.advance(by: 256, at: Double(note * 256) / rate + late + (note > 2000 ? step : 0))
      // A second later, the line agrees with the notes.
      guard note > 2190 else { continue }
      #expect(abs(line.newestTime - Double(note * 256) / rate - 0.0001 - step) < 0.0002)
      #expect(abs((line.speed - 1) * 1e6 - 50) < 10)
    }
    #expect(line.breaks == 0)
  }

  @Test
  func `a thread that stood still has changed nothing`() {
    var line = line(off: 50, lateness: 0, notes: 4000)
    let rate = 48_000 * (1 + 50e-6)
    // Everything due during half a second is noted at its end.
    let end = Double(4000 * 1024) / rate + 0.5
    var note = 4001
    while Double(note * 1024) / rate < end {
      line.advance(by: 1024, at: end)
      note += 1
    }
    let before = line.isNear
    for late in note..<note + 50 { line.advance(by: 1024, at: Double(late * 1024) / rate) }
    #expect(before && line.breaks == 0)
    #expect(abs(line.newestTime - Double((note + 49) * 1024) / rate) < 1e-4)
  }

  @Test
  func `notes of any length lie on one line`() {
    var line = DeviceTimeline(sampleRate: 44_100)
    var frames = 0
    for note in 0..<6000 {
      let lump = [64, 1, 333, 4096, 1024][note % 5]
      frames += lump
      line.advance(by: lump, at: Double(frames) / (44_100 * (1 - 120e-6)))
    }
    #expect(abs((line.speed - 1) * 1e6 + 120) < 0.1)
  }
}
