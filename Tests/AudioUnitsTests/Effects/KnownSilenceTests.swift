import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Units skip silence that is marked as such: the bits are those of zeros that nobody has marked,
/// which are computed in full.
struct KnownSilenceTests {
  private static let rate = 8000.0
  private static let slicings = [
    Slicing([512]), Slicing([1, 127, 3, 253, 128]), Slicing.random(seed: 5),
  ]

  /// Settings that leave something to see, and let the sound end within the long silence.
  private static let settings: [String: [String: Float]] = [
    "Delay": ["delayTime": 0.005, "feedback": 10],
    "SampleDelay": ["delayFrames": 77],
    "Distortion": [
      "decimation": 37, "ringModMix": 60, "ringModFreq1": 123.4, "ringModFreq2": 1789,
    ],
    "PeakLimiter": ["ceiling": -12, "preGain": 3],
    "DynamicsProcessor": ["releaseTime": 0.02],
  ]

  private struct Turn {
    var parameters: [(UInt32, Float)] = []
    var isBypassed: Bool?
  }

  /// Random values of some parameters, and the bypass, at random frames.
  private func turns(of unit: UnitInstance, in count: Int, seed: UInt64) -> [Int: Turn] {
    var generator = SplitMix64(seed: seed)
    let parameters = unit.description.parameters.filter { !$0.isReadOnly && $0.scope == .global }
    var turns: [Int: Turn] = [:]
    for _ in 0..<16 {
      var turn = Turn()
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let info = parameters[Int.random(in: 0..<parameters.count, using: &generator)]
        let low = Swift.max(info.range.lowerBound, -96)
        let high = Swift.min(info.range.upperBound, 3000)
        guard low <= high else { continue }
        let value = Float.random(in: Float(low)...Float(high), using: &generator)
        let isStep = info.unit == .boolean || info.unit == .indexed
        turn.parameters.append((info.id, isStep ? value.rounded() : value))
      }
      if Bool.random(using: &generator) { turn.isBypassed = Bool.random(using: &generator) }
      turns[Int.random(in: 0..<count, using: &generator)] = turn
    }
    return turns
  }

  /// Renders patches with a new unit. Returns also its meters at each turn and at the end.
  private func render(
    _ name: String, _ patches: SoundPatches, marks: Bool, isInPlace: Bool = false,
    slicing: Slicing, turnSeed: UInt64?
  ) throws -> (result: PatchResult, meters: [Float]) {
    let component = try #require(UnitCatalog.standard.component(named: name))
    let bench = try EffectBench(component.unit, rate: Self.rate)
    try bench.set(Self.settings[name] ?? [:])
    let turns = turnSeed.map { self.turns(of: bench.unit, in: patches.count, seed: $0) } ?? [:]
    let meterIDs = bench.unit.description.parameters.filter {
      $0.isReadOnly && $0.scope == .global
    }.map(\.id)
    var meters: [Float] = []
    func readMeters() {
      for id in meterIDs { meters.append((try? bench.unit.parameter(id, .global, 0)) ?? .nan) }
    }
    let result = renderPatches(
      try bench.kernel(), inputs: [patches.channels], marks: marks, isInPlace: isInPlace,
      cuts: cuts(patches.count, slicing, at: turns.keys)
    ) { frame in
      guard let turn = turns[frame] else { return }
      readMeters()
      for (id, value) in turn.parameters {
        try? bench.unit.setParameter(id, .global, 0, to: value)
      }
      if let isBypassed = turn.isBypassed {
        try? bench.unit.setProperty(.bypassEffect, to: .uint32(isBypassed ? 1 : 0))
      }
    }
    readMeters()
    return (result, meters)
  }

  static let units = settings.keys.sorted()

  @Test(arguments: units)
  func `silence that is marked gives the bits of zeros that are not, however it is cut`(
    name: String
  ) throws {
    let patches = SoundPatches(channels: 2, seed: 11)
    let whole = try render(name, patches, marks: false, slicing: Slicing([4096]), turnSeed: nil)
    #expect(whole.result.silentFrames == 0)
    for slicing in Self.slicings {
      let found = try render(name, patches, marks: true, slicing: slicing, turnSeed: nil)
      expectSame(found.result.channels, whole.result.channels)
      #expect(found.result.silentFrames > 1000)
    }
    let inPlace = try render(
      name, patches, marks: true, isInPlace: true, slicing: Slicing([4096]), turnSeed: nil)
    expectSame(inPlace.result.channels, whole.result.channels)
  }

  @Test(arguments: units, [UInt64(1), 2, 3])
  func `so it does while everything is turned, the bypass too, and meters say the same`(
    name: String, seed: UInt64
  ) throws {
    let patches = SoundPatches(channels: 2, seed: 20 + seed, longSilence: 12_000)
    let whole = try render(name, patches, marks: false, slicing: Slicing([4096]), turnSeed: seed)
    let slicing = Self.slicings[Int(seed) % Self.slicings.count]
    for isInPlace in [false, true] {
      let found = try render(
        name, patches, marks: true, isInPlace: isInPlace, slicing: slicing, turnSeed: seed)
      expectSame(found.result.channels, whole.result.channels)
      #expect(found.meters.map(\.bitPattern) == whole.meters.map(\.bitPattern))
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `a key that sounds is followed while the sound is silent, and the other way around`(
    marksSound: Bool, marksKey: Bool
  ) throws {
    let sound = SoundPatches(channels: 2, seed: 31)
    let key = SoundPatches(channels: 1, seed: 32)
    let count = Swift.min(sound.count, key.count)
    func result(_ marks: Bool, _ slicing: Slicing) throws -> [[Float]] {
      let unit = UnitInstance(DynamicsProcessor.self)
      try unit.setProperty(.elementCount, .input, 0, to: .uint32(2))
      let stereo = StreamFormat(.float32, channels: 2, sampleRate: Self.rate)
      let mono = StreamFormat(.float32, channels: 1, sampleRate: Self.rate)
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(stereo))
      try unit.setProperty(.streamFormat, .input, 1, to: .streamFormat(mono))
      try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(stereo))
      let kernel = try #require(unit.initialize(unit.configuration()).main)
      // A negative zero is not marked.
      let unmarked: [Float] = [Float](repeating: -0.0, count: count)
      let silent = [Float](repeating: 0, count: count)
      return renderPatches(
        kernel,
        inputs: [
          marksSound ? sound.channels : [silent, silent], marksKey ? key.channels : [unmarked],
        ], marks: marks, cuts: cuts(count, slicing, at: [Int]())
      ).channels
    }
    let whole = try result(false, Slicing([4096]))
    for slicing in Self.slicings { expectSame(try result(true, slicing), whole) }
  }

  @Test(arguments: EveryEffectTests.effects)
  func `a bypass passes patches of sound late by the latency, however they are cut`(
    name: String
  ) throws {
    let patches = SoundPatches(channels: 2, seed: 41, longSilence: 16_400)
    let component = try #require(UnitCatalog.standard.component(named: name))
    for slicing in Self.slicings + [Slicing([7]), Slicing([4096])] {
      for isInPlace in [false, true] {
        let bench = try EffectBench(component.unit, rate: Self.rate)
        try bench.unit.setProperty(.bypassEffect, to: .uint32(1))
        guard case .float64(let latency) = try bench.unit.property(.latency) else { return }
        let delay = Int((latency * Self.rate).rounded())
        let result = renderPatches(
          try bench.kernel(), inputs: [patches.channels], marks: true, isInPlace: isInPlace,
          cuts: cuts(patches.count, slicing, at: [Int]()))
        expectSame(
          result.channels,
          patches.channels.map { [Float](repeating: 0, count: delay) + $0.dropLast(delay) })
        #expect(result.silentFrames > 0)
      }
    }
  }

  // MARK: Varispeed

  @Test(arguments: [[1, 1], [1, 1.37, 1], [0.5], [2.7, 1]] as [[Float]])
  func `a Varispeed plays patches with the same bits, at every speed`(rates: [Float]) throws {
    let patches = SoundPatches(channels: 2, seed: 51)
    let count = patches.count
    func result(_ marks: Bool, _ slicing: Slicing) throws -> PatchResult {
      let unit = UnitInstance(Varispeed.self)
      let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
      try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
      unit.setUse(.callback, .input, 0)
      let rateID = Varispeed.Parameter.playbackRate
      try unit.setParameter(rateID, .global, 0, to: rates[0])
      let pulled = PulledInput(
        RenderPlan(
          rows: [
            .init(kernel: .holding(PatchSource(patches, marks: marks)), inputs: [], outputs: [0])
          ], busChannelCounts: [2], maximumFramesPerSlice: 333), bus: 0)
      let kernel = try #require(unit.initialize(unit.configuration()).main)
      let plan = RenderPlan(
        rows: [.init(kernel: kernel, inputs: [0], outputs: [1], pulled: [0: pulled])],
        busChannelCounts: [2, 2], maximumFramesPerSlice: 4096)
      let changes = rates.indices.map { count * $0 / rates.count }
      var result = PatchResult(channels: [[], []])
      var first = 0
      for end in cuts(count, slicing, at: changes) {
        if let index = changes.firstIndex(of: first), index > 0 {
          try unit.setParameter(rateID, .global, 0, to: rates[index])
        }
        let status = plan.render(
          frameCount: end - first, at: TimeStamp(sampleTime: Double(first)))
        #expect(status == .ok)
        let bus = plan.bus(1, frameCount: end - first)
        if bus.isSilent { result.silentFrames += end - first }
        for channel in 0..<2 {
          result.channels[channel] += bus[channel].indices.map { bus[channel][$0] }
        }
        first = end
      }
      return result
    }
    let whole = try result(false, Slicing([1]))
    for slicing in Self.slicings { expectSame(try result(true, slicing).channels, whole.channels) }
  }

  // MARK: Runs of Delay

  /// The formula of Delay, frame by frame.
  private func echoes(
    _ input: [Float], delay: Double, feedback: Double, cutoff: Double
  ) -> [Float] {
    let whole = Int(delay)
    let part = delay - Double(whole)
    let pole = exp(-2 * Double.pi * (cutoff / 48_000))
    var line = [Float](repeating: 0, count: whole + 2)
    var echo = 0.0
    return input.indices.map { frame in
      func before(_ back: Int) -> Double { Double(line[line.count - back]) }
      var heard = before(whole)
      if part != 0 {
        let (up, down, far) = (part + 1, part - 1, part - 2)
        let first = -part * down * far / 6 * before(whole - 1)
        let second = up * down * far / 2 * before(whole)
        let third = up * part * far / 2 * before(whole + 1)
        let fourth = up * part * down / 6 * before(whole + 2)
        heard = first + second - third + fourth
      }
      echo = heard + pole * (echo - heard)
      let value = Double(input[frame]) + feedback * echo
      let sample = Float(echo)
      // Every 1024 frames the unit clears memory that is next to zero.
      if (frame + 1) % 1024 == 0, echo.magnitude < 1e-15 { echo = 0 }
      line.append(value.magnitude >= 1e-15 && value.magnitude <= 1e30 ? Float(value) : 0)
      return sample
    }
  }

  @Test(arguments: [1, 2, 31, 32, 33, 100, 511, 512, 513, 1000, 100.5, 32.25, 700.75] as [Double])
  func `the echoes are those of the formula to the bit, at every delay`(frames: Double) throws {
    let time = Float(frames / 48_000)
    // Rounded as the unit does it where it is close to a whole frame.
    let set = Double(time) * 48_000
    let delay = abs(set - set.rounded()) < 0.01 ? set.rounded() : set
    let input = SoundPatches(channels: 2, seed: 61, longSilence: 3000).channels
    let expected = input.map { echoes($0, delay: delay, feedback: -0.37, cutoff: 8000) }
    for slicing in Self.slicings + [Slicing([4096])] {
      let bench = try EffectBench(Delay.self)
      try bench.set([
        "wetDryMix": 100, "delayTime": time, "feedback": -37, "lopassCutoff": 8000,
      ])
      expectSame(try bench.render(input, slicing: slicing), expected)
    }
  }
}
