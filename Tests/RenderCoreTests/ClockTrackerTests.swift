import AudioTypes
import Foundation
import RenderCore
import TestSupport
import Testing

/// Two devices and the ring between them, a pull at a time, without any audio.
private struct Duplex: CustomTestStringConvertible, Sendable {
  /// How much faster the source's clock is than the sink's, in millionths.
  var drift = 0.0
  var hours = 1.0
  /// Frames that the source delivers at a time.
  var lump: Int
  /// Frames that the sink takes at a time, over and over.
  var pulls: [Int]
  /// Seconds by which a lump may be late.
  var lateness: Double
  /// Seconds without a lump once an hour; what has piled up comes in one go.
  var stall = 0.0
  /// Millionths by which the drift swings up and down in four hours.
  var swing = 0.0

  var testDescription: String {
    "\(drift) ppm, lumps of \(lump), pulls of \(pulls), \(lateness * 1000) ms late"
  }

  static let rate = 48000.0

  var headroom: Int {
    ClockTracker.headroom(
      lump: lump + Int(lateness * Self.rate), pull: pulls.max() ?? 0, sampleRate: Self.rate)
  }

  struct Outcome {
    var tracker: ClockTracker
    /// Frames in the ring after the last pull.
    var fill = 0
    /// After a pull, and before one: frames off the fill that the ring began with.
    var lowest = 0
    var highest = 0
    /// Over the last quarter, less 1, in millionths.
    var ratios = (lowest: Double.infinity, mean: 0.0, highest: -Double.infinity)
    /// In millionths a second.
    var fastestChange = 0.0
  }

  func run() -> Outcome {
    var generator = SplitMix64(seed: 3)
    func late() -> Double {
      Double(generator.next() >> 11) * 0x1p-53 * lateness
    }
    var outcome = Outcome(tracker: ClockTracker(sampleRate: Self.rate))
    let interval = Double(lump) / (Self.rate * (1 + drift * 1e-6))
    var (fill, lumps, time, part, index) = (0, 1.0, 0.0, 0.0, 0)
    var next = interval + late()
    var (sum, total) = (0.0, 0.0)
    let end = hours * 3600
    let lateStage = end * 0.75
    while time < end {
      let pull = pulls[index]
      index = index + 1 == pulls.count ? 0 : index + 1
      time += Double(pull) / Self.rate
      if stall == 0 || time.truncatingRemainder(dividingBy: 3600) < 3600 - stall {
        while next <= time {
          fill += lump
          lumps += 1
          var due = lumps * interval
          // A swing of the clock shows in when lumps are due, as the integral of its deviation.
          if swing != 0 {
            let speed = 2 * Double.pi / 14_400
            due -= swing * 1e-6 * (1 - cos(speed * due)) / speed
          }
          next = due + late()
        }
      }
      if fill > outcome.highest { outcome.highest = fill }
      part += Double(pull) * outcome.tracker.ratio
      let taken = Int(part)
      part -= Double(taken)
      fill -= taken
      if fill < outcome.lowest { outcome.lowest = fill }
      let before = outcome.tracker.ratio
      outcome.tracker.update(fill: headroom + fill, pulled: taken)
      let ratio = outcome.tracker.ratio
      let change = abs(ratio - before) * Self.rate / Double(pull)
      if change > outcome.fastestChange { outcome.fastestChange = change }
      if time > lateStage {
        if ratio < outcome.ratios.lowest { outcome.ratios.lowest = ratio }
        if ratio > outcome.ratios.highest { outcome.ratios.highest = ratio }
        sum += (ratio - 1) * Double(pull)
        total += Double(pull)
      }
    }
    outcome.fill = headroom + fill
    outcome.fastestChange *= 1e6
    outcome.ratios.lowest = (outcome.ratios.lowest - 1) * 1e6
    outcome.ratios.highest = (outcome.ratios.highest - 1) * 1e6
    outcome.ratios.mean = sum / total * 1e6
    return outcome
  }
}

@Suite struct ClockTrackerTests {
  @Test(arguments: [
    Duplex(hours: 24, lump: 4800, pulls: [4096], lateness: 0.05),
    Duplex(hours: 24, lump: 4096, pulls: [4096], lateness: 0),
    Duplex(hours: 24, lump: 2400, pulls: [4096], lateness: 0.01, stall: 0.3),
    Duplex(hours: 4, lump: 240, pulls: [2048], lateness: 0.002),
    Duplex(hours: 3, lump: 1000, pulls: [4096, 333, 3072, 1024, 64], lateness: 0.005),
  ])
  private func `clocks that agree are left alone`(duplex: Duplex) {
    let outcome = duplex.run()
    #expect(!outcome.tracker.isEngaged)
    #expect(outcome.tracker.ratio == 1)
  }

  @Test(arguments: [
    Duplex(drift: 20, hours: 24, lump: 1200, pulls: [4096], lateness: 0.005),
    Duplex(drift: -20, hours: 24, lump: 4800, pulls: [4096], lateness: 0.05),
    Duplex(drift: 100, hours: 24, lump: 4800, pulls: [4096], lateness: 0.05),
    Duplex(drift: -100, hours: 24, lump: 1200, pulls: [4096], lateness: 0.005),
    Duplex(drift: 500, hours: 24, lump: 1200, pulls: [4096], lateness: 0.005),
    Duplex(drift: -500, hours: 24, lump: 4800, pulls: [4096], lateness: 0.05),
    Duplex(drift: 500, hours: 4, lump: 4800, pulls: [1024], lateness: 0.01),
    Duplex(drift: -100, hours: 3, lump: 1000, pulls: [4096, 333, 3072, 1, 64], lateness: 0.005),
  ])
  private func `clocks that differ are followed`(duplex: Duplex) {
    let outcome = duplex.run()
    #expect(outcome.tracker.isEngaged)
    #expect(outcome.lowest > -duplex.headroom)
    #expect(outcome.highest < duplex.headroom)
    #expect(abs(outcome.ratios.mean - duplex.drift) < 0.2)
    #expect(outcome.ratios.lowest > duplex.drift - 2)
    #expect(outcome.ratios.highest < duplex.drift + 2)
    #expect(outcome.fastestChange < 51)  // 50, and a frame's rounding in the length of a pull.
  }

  @Test(arguments: [
    Duplex(drift: 100, hours: 0.5, lump: 256, pulls: [256], lateness: 0.001),
    Duplex(drift: -500, hours: 0.2, lump: 240, pulls: [64], lateness: 0.002),
    Duplex(drift: 500, hours: 0.3, lump: 1024, pulls: [1, 64, 333], lateness: 0.005),
  ])
  private func `small slices are followed as well`(duplex: Duplex) {
    let outcome = duplex.run()
    #expect(outcome.tracker.isEngaged)
    #expect(outcome.lowest > -duplex.headroom)
    #expect(outcome.highest < duplex.headroom)
    #expect(abs(outcome.ratios.mean - duplex.drift) < 20)  // A few minutes after the start.
  }

  @Test func `lumps as long as pulls and never late are the hardest case`() {
    // The fill stands still for minutes and then jumps by a whole lump.
    let duplex = Duplex(drift: 20, hours: 24, lump: 4096, pulls: [4096], lateness: 0)
    let outcome = duplex.run()
    #expect(outcome.lowest > -duplex.headroom)
    #expect(outcome.highest < duplex.headroom)
    #expect(outcome.ratios.lowest > 20 - 6)
    #expect(outcome.ratios.highest < 20 + 6)
  }

  @Test func `a drift that itself drifts is followed`() {
    let duplex = Duplex(drift: 50, hours: 24, lump: 1000, pulls: [4096], lateness: 0.005, swing: 10)
    let outcome = duplex.run()
    #expect(outcome.lowest > -duplex.headroom)
    #expect(outcome.highest < duplex.headroom)
  }

  @Test func `a tracker that begins again keeps to the drift and takes the new fill as its target`()
  {
    let rate = Duplex.rate
    var tracker = Duplex(drift: 200, lump: 480, pulls: [480], lateness: 0.002).run().tracker
    let ratio = tracker.ratio
    tracker.restart()
    #expect(tracker.isEngaged && tracker.ratio == ratio)
    // The ring is now 5000 frames fuller than before, and stays so.
    var (fill, part) = (20_000.0, 0.0)
    for _ in 0..<Int(600 * rate / 480) {
      part += 480 * tracker.ratio
      let taken = Int(part)
      part -= Double(taken)
      fill += 480 * 1.0002 - Double(taken)
      tracker.update(fill: Int(fill), pulled: taken)
    }
    #expect(abs(fill - 20_000) < 1000)
    #expect(abs(tracker.ratio - 1.0002) < 20e-6)
  }

  @Test func `a pull of no frames changes nothing`() {
    var tracker = ClockTracker(sampleRate: 48000)
    for fill in 0..<100_000 { tracker.update(fill: fill, pulled: 0) }
    #expect(!tracker.isEngaged)
  }

  @Test func `tracking makes no heap calls`() {
    var tracker = ClockTracker(sampleRate: 48000)
    let heapCalls = allocations {
      for index in 0..<2000 { tracker.update(fill: 1000 + index * 10, pulled: 1024) }
    }
    #expect(heapCalls == 0)
    #expect(tracker.isEngaged)
  }

  @Test func `a sine stays clean while the clocks drift apart`() {
    // After an hour in which only the tracker runs: 997 Hz as a source hears it whose clock is 100
    // millionths fast, in slices of 256 and lumps of 512.
    let duplex = Duplex(drift: 100, lump: 480, pulls: [1024], lateness: 0.002)
    let hour = duplex.run()
    var tracker = hour.tracker
    var resampler = PolyphaseResampler(
      inputRate: 48000, outputRate: 48000, channelCount: 1, alignment: .causal, isAdjustable: true,
      maximumInputFrames: 512, maximumOutputFrames: 256)
    let plan = RenderPlan(rows: [], busChannelCounts: [1, 1], maximumFramesPerSlice: 512)
    var (fill, pushed, output) = (hour.fill, 0, [Float]())
    for slice in 0..<60 {
      resampler.adjust(ratio: tracker.ratio)
      let need = resampler.inputFramesNeeded(forOutput: 256)
      let source = plan.bus(0, frameCount: need)
      source.markSounding()
      for frame in 0..<need {
        source[0][frame] = Float(
          sin(2 * Double.pi * 997 / (48000 * 1.0001) * Double(pushed + frame)))
      }
      pushed += need
      if slice % 2 == 0 { fill += 512 }
      fill -= need
      tracker.update(fill: fill, pulled: need)
      let sink = plan.bus(1, frameCount: 256)
      resampler.push(source, frameCount: need)
      resampler.pull(into: sink, frameCount: 256)
      output += (0..<256).map { sink[0][$0] }
    }
    // What is left over once a sine has been taken out whose pitch and level may change a little
    // and slowly, as a notch would.
    let settled = output[8192...].map(Double.init)
    let rest = leftOver(settled, frequency: 997.0 / 48000)
    #expect(20 * log10(rest / 0.5.squareRoot()) < -115)
  }
}

/// The root mean square of what least squares leave of a signal under a sine times a parabola, in
/// both phases.
private func leftOver(_ signal: [Double], frequency: Double) -> Double {
  let count = Double(signal.count)
  let basis: [[Double]] = (0..<6).map { term in
    signal.indices.map { index in
      let angle = 2 * Double.pi * frequency * Double(index)
      let place = 2 * Double(index) / count - 1
      return (term < 3 ? cos(angle) : sin(angle)) * [1, place, place * place][term % 3]
    }
  }
  // Gram and Schmidt.
  var rest = signal
  var done: [[Double]] = []
  for vector in basis {
    var vector = vector
    for other in done {
      let share = zip(vector, other).reduce(0) { $0 + $1.0 * $1.1 }
      for index in vector.indices { vector[index] -= share * other[index] }
    }
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    for index in vector.indices { vector[index] /= length }
    done.append(vector)
    let share = zip(rest, vector).reduce(0) { $0 + $1.0 * $1.1 }
    for index in rest.indices { rest[index] -= share * vector[index] }
  }
  return (rest.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
}
