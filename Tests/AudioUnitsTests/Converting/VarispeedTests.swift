import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Outputs samples from memory, then silence; refuses a time that does not continue the last one.
private struct Tape: RenderKernel, ~Copyable {
  let channels: SampleStorage
  let length: Int
  let played: ControlAccess
  var time = 0.0

  init(_ channels: [[Float]], played: ControlAccess) {
    self.channels = SampleStorage(channels.flatMap { $0 })
    length = channels[0].count
    self.played = played
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    if context.timeStamp.sampleTime == 0 { time = 0 }
    guard context.timeStamp.sampleTime == time else { return .failedInitialization }
    let output = context.output(0)
    let first = Int(time)
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        let place = first + frame
        output[channel][frame] = place < length ? channels[channel * length + place] : 0
      }
    }
    if first >= length { output.markSilent() }
    time += Double(context.frameCount)
    played.note(UInt32(time), at: 0)
    return .ok
  }
}

/// A Varispeed unit that plays samples.
private final class TapeMachine {
  let unit = UnitInstance(Varispeed.self)
  /// The number of frames that were pulled.
  let played = ControlBlock(count: 1)
  let plan: RenderPlan
  let channelCount: Int

  init(
    _ tape: [[Float]], rate: Float = 1, cents: Float = 0, sampleRate: Double = 48_000,
    limit: Int = 1024
  ) throws {
    let format = StreamFormat(.float32, channels: tape.count, sampleRate: sampleRate)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
    unit.setUse(.callback, .input, 0)
    try unit.setParameter(Varispeed.Parameter.playbackRate, .global, 0, to: rate)
    try unit.setParameter(Varispeed.Parameter.playbackCents, .global, 0, to: cents)
    channelCount = tape.count
    let pulled = PulledInput(
      RenderPlan(
        rows: [
          .init(
            kernel: .holding(Tape(tape, played: played.access), with: played), inputs: [],
            outputs: [0])
        ], busChannelCounts: [tape.count], maximumFramesPerSlice: limit), bus: 0)
    let kernel = try #require(unit.initialize(unit.configuration()).main)
    plan = RenderPlan(
      rows: [.init(kernel: kernel, inputs: [0], outputs: [1], pulled: [0: pulled])],
      busChannelCounts: [tape.count, tape.count], maximumFramesPerSlice: 4096)
  }

  /// Plays frames from a time on; slices end where a parameter changes.
  func play(
    _ frameCount: Int, slicing: Slicing = Slicing([512]), from start: Int = 0,
    turns: [Int: (UInt32, Float)] = [:], each: (Int) -> Void = { _ in }
  ) throws -> [[Float]] {
    var output = [[Float]](repeating: [], count: channelCount)
    let ends = slicing.cut(frameCount).reduce(into: [0]) { $0.append($0.last! + $1) }
    let cuts = Set(ends + turns.keys).sorted()
    for (first, last) in zip(cuts, cuts.dropFirst()) {
      if let (parameter, value) = turns[first] {
        try unit.setParameter(parameter, .global, 0, to: value)
      }
      var status = Status.ok
      let time = TimeStamp(sampleTime: Double(start + first))
      let heapCalls = allocations { status = plan.render(frameCount: last - first, at: time) }
      #expect(status == .ok)
      #expect(heapCalls == 0, "the render thread made heap calls")
      let bus = plan.bus(1, frameCount: last - first)
      for channel in output.indices {
        output[channel] += bus[channel].indices.map { bus[channel][$0] }
      }
      each(last)
    }
    return output
  }
}

private let rateID = Varispeed.Parameter.playbackRate
private let centsID = Varispeed.Parameter.playbackCents

struct VarispeedTests {
  @Test func `a rate that has always been 1 passes every bit`() throws {
    let tape = [noise(5000, seed: 1), noise(5000, seed: 2)]
    let output = try TapeMachine(tape).play(5000)
    expectSame(output, tape)
  }

  /// A tone of 1 kHz, which is in the pass band at every rate.
  @Test(
    arguments: [
      (0.25, 0), (0.5, 0), (0.77, 0), (1.001, 0), (1.0595, 0), (1.25, 0), (1.3333, 0), (2, 0),
      (2.9, 0), (4, 0), (1, -2400), (1, -1200), (1, -100), (1, 7), (1, 702), (1, 2400), (2, -700),
      (0.5, 1200.5),
    ] as [(Float, Float)])
  func `a tone comes out at its new pitch, to less than a tenth of a cent, and nothing beside it`(
    rate: Float, cents: Float
  ) throws {
    let speed = Double(rate) * pow(2, Double(cents) / 1200)
    let tape = sine(
      Int(20_000 * speed) + 2000, frequency: 1000, sampleRate: 48_000, amplitude: 0.9)
    let output = try TapeMachine([tape], rate: rate, cents: cents).play(20_000)[0]
    // The phases at both ends give the pitch.
    let early = SineFit(output[1000..<3000], frequency: 1000 * speed, rate: 48_000)
    let late = SineFit(output[17_000..<19_000], frequency: 1000 * speed, rate: 48_000)
    var drift = atan2(late.cosine, late.sine) - atan2(early.cosine, early.sine)
    drift -= (drift / (2 * Double.pi)).rounded() * 2 * Double.pi
    let found = 1000 * speed + drift / (2 * Double.pi) * 48_000 / 16_000
    #expect(abs(1200 * log2(found / (1000 * speed))) < 0.1)
    let fit = SineFit(output[1000..<19_000], frequency: 1000 * speed, rate: 48_000)
    #expect(abs(decibels(fit.amplitude / 0.9)) < 0.001)
    // The images at lower speeds, and the linear interpolation between the filter's rows.
    #expect(decibels(fit.rest * 2.0.squareRoot() / 0.9) < -100)
  }

  @Test(arguments: [1.005, 1.02, 1.0443, 1.1, 1.1892, 1.3, 1.5, 2, 2.7, 3.3, 4] as [Float])
  func `what would be beyond half the rate is 100 dB down, and what is well below it passes`(
    rate: Float
  ) throws {
    for part in [1.001, 1.01, 1.05, 1.2, 1.6] {
      let frequency = 24_000 / Double(rate) * part
      guard frequency < 23_999 else { continue }
      let tape = sine(
        Int(4000 * rate) + 2000, frequency: frequency, sampleRate: 48_000, amplitude: 1)
      let output = try TapeMachine([tape], rate: rate).play(4000)[0]
      // The abrupt beginning contains all frequencies.
      let rest = output[1000..<3000].map { Double($0) }
      #expect(peakLevel(rest) < -100, "\(frequency) Hz")
    }
    // Two steps of a sixteenth of an octave are 9%.
    let frequency = 24_000 / Double(rate) * 0.88 / 1.0906
    let tape = sine(
      Int(4000 * rate) + 2000, frequency: frequency, sampleRate: 48_000, amplitude: 1)
    let output = try TapeMachine([tape], rate: rate).play(4000)[0]
    let fit = SineFit(
      output[1000..<3000], frequency: frequency * Double(rate), rate: 48_000)
    #expect(abs(decibels(fit.amplitude)) < 0.01)
  }

  /// The input is a straight line, so that each sample shows its position.
  @Test func `a rate on its way gives the integral of it, and cents that of their power of two`()
    throws
  {
    let slope = 1.0 / 16_384
    let tape = (0..<16_000).map { Float(Double($0) * slope) }
    let turned = try TapeMachine([tape]).play(6000, turns: [1000: (rateID, 3)])[0]
    // The rate goes from 1 to 3 in 480 frames. Frame 1000 is the first on the way.
    func place(_ frame: Int) -> Double {
      let n = Double(min(480, max(0, frame - 999)))
      return Double(min(frame, 999)) + n + n * n / 480 + 3 * Double(max(0, frame - 1479))
    }
    for frame in stride(from: 900, to: 4000, by: 7) {
      // The rounding of floats near 1 is 2^-24, a thousandth of a frame, and the pass band is flat
      // to a tenth of that.
      #expect(abs(Double(turned[frame]) / slope - place(frame)) < 0.005, "frame \(frame)")
    }
    let bent = try TapeMachine([tape]).play(6000, turns: [1000: (centsID, -1200)])[0]
    var expected = 999.0
    var pace = 1.0
    for frame in 1000..<4000 {
      let next = pow(2, -Double(min(480, frame - 999)) / 480)
      expected += (pace + next) / 2
      pace = next
      #expect(abs(Double(bent[frame]) / slope - expected) < 0.005, "frame \(frame)")
    }
  }

  @Test func `over minutes it plays exactly as much of the tape as the rate says`() throws {
    let machine = try TapeMachine([[0]], rate: 1.5)
    var frames = 0
    for _ in 0..<2000 {
      _ = machine.plan.render(frameCount: 4096, at: TimeStamp(sampleTime: Double(frames)))
      frames += 4096
    }
    let ahead = Int(machine.played[word: 0]) - (frames - 1) * 3 / 2
    _ = machine.plan.render(frameCount: 2, at: TimeStamp(sampleTime: Double(frames)))
    #expect(Int(machine.played[word: 0]) - (frames + 1) * 3 / 2 == ahead)
    // At most half the longest filter, about 260 frames.
    #expect((1...300).contains(ahead))
  }

  @Test(arguments: Slicing.every, [1, 2, 5])
  func `what comes out, and how much is pulled, does not depend on how it was cut`(
    slicing: Slicing, channels: Int
  ) throws {
    let tape = (0..<channels).map { noise(16_000, seed: UInt64(20 + $0)) }
    let turns: [Int: (UInt32, Float)] = [
      700: (rateID, 1.5), 705: (centsID, -200), 1500: (rateID, 0.3), 2222: (centsID, 2400),
      2800: (rateID, 4), 4000: (rateID, 1), 4001: (centsID, 0),
    ]
    func result(_ slicing: Slicing, limit: Int) throws -> ([[Float]], [Int: UInt32]) {
      let machine = try TapeMachine(tape, limit: limit)
      var pulled: [Int: UInt32] = [:]
      let output = try machine.play(5000, slicing: slicing, turns: turns) {
        pulled[$0] = machine.played[word: 0]
      }
      return (output, pulled)
    }
    let (whole, pulled) = try result(Slicing([1]), limit: 1024)
    #expect(whole.allSatisfy { $0.allSatisfy(\.isFinite) })
    let (cut, cutPulled) = try result(slicing, limit: 100)
    expectSame(cut, whole)
    for (frame, count) in cutPulled { #expect(count == pulled[frame]) }
  }

  @Test(arguments: [44_100, 48_000, 96_000] as [Double])
  func `a rate that is turned does not click`(sampleRate: Double) throws {
    let tape = sine(60_000, frequency: 440, sampleRate: sampleRate, amplitude: 0.9)
    let output = try TapeMachine([tape], sampleRate: sampleRate).play(
      20_000,
      turns: [
        2000: (rateID, 1.5), 4000: (rateID, 0.7), 6000: (centsID, 1200), 8000: (centsID, -37),
        8100: (rateID, 1), 12_000: (rateID, 2), 16_000: (centsID, 0),
      ])[0]
    // A sine at the highest of these pitches, 880 Hz, has the largest second difference. A jump of
    // the position would make one of the size of a first difference, 20 times as large. The
    // beginning has a corner.
    let turn = 2 * Double.pi * 880 / sampleRate
    #expect(roughness(output[1000...]) < 0.9 * turn * turn * 1.05)
  }

  @Test func `silence is marked as such, and sound that follows a pause is heard`() throws {
    let tape = [Float](repeating: 0, count: 3000) + noise(500, seed: 5)
    let machine = try TapeMachine([tape], rate: 0.5)
    var marks: [Bool] = []
    let output = try machine.play(14_000, slicing: Slicing([1000])) { _ in
      marks.append(machine.plan.bus(1, frameCount: 1000).isSilent)
    }[0]
    for (index, isSilent) in marks.enumerated() {
      let slice = output[1000 * index..<1000 * (index + 1)]
      let isZero = slice.allSatisfy { $0 == 0 }
      #expect(isSilent == isZero)
    }
    // 1000 frames of sound, plus half a filter on either side at half the speed.
    let sounding = marks.filter { !$0 }.count
    #expect((2...3).contains(sounding))
  }

  @Test func `what is no number does not stay`() throws {
    var tape = noise(3000, seed: 5)
    tape[100] = .nan
    tape[200] = .infinity
    let output = try TapeMachine([tape], rate: 1.2).play(2000)[0]
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test func `started again, it plays from the beginning`() throws {
    let machine = try TapeMachine([noise(9000, seed: 5)], rate: 1.3)
    let first = try machine.play(3000)
    let second = try machine.play(3000)
    expectSame(second, first)
  }

  @Test func `it says what it does to formats, speeds and times`() throws {
    let unit = UnitInstance(Varispeed.self)
    unit.setUse(.callback, .input, 0)
    func rules() -> [Rule] { Varispeed.violations(in: unit.configuration()).map(\.rule) }
    #expect(rules().isEmpty)
    try unit.setParameter(rateID, .global, 0, to: 2)
    var demand = try #require(Varispeed.pulledInputs(in: unit.configuration())[0])
    #expect(demand.speed == 2)
    #expect(demand.framesPerFrame == 4)
    #expect(demand.hasVariableSpeed)
    try unit.setParameter(centsID, .global, 0, to: 1200)
    #expect(rules().isEmpty)
    demand = try #require(Varispeed.pulledInputs(in: unit.configuration())[0])
    #expect(demand.speed == 4)
    try unit.setParameter(centsID, .global, 0, to: 1201)
    #expect(rules() == [UnitRules.parameterUsualRange])
    guard case .float64(let tail) = try unit.property(.tailTime) else {
      Issue.record("no tail")
      return
    }
    // The longest filter is about 11 ms long at 44.1 kHz, of which a quarter counts at this speed.
    #expect((0.001...0.002).contains(tail))
    for (parameter, value) in [
      (rateID, Float(4.1)), (rateID, 0.2), (centsID, 2401), (rateID, .nan),
    ] {
      #expect(throws: Violation.self) {
        try unit.setParameter(parameter, .global, 0, to: value)
      }
    }
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    #expect(rules() == [UnitRules.followingFormats])
  }
}
