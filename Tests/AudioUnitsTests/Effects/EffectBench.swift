import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Renders an effect, and changes its parameters and properties at given frames.
struct EffectBench {
  enum Turn {
    case parameter(String, Float)
    /// A parameter by its number, for example of a band.
    case number(UInt32, Float)
    case property(PropertyID, PropertyValue)
  }

  let unit: UnitInstance
  let format: StreamFormat

  init(_ kind: any AudioUnit.Type, channels: Int = 2, rate: Double = 48_000) throws {
    unit = UnitInstance(kind)
    format = StreamFormat(.float32, channels: channels, sampleRate: rate)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
  }

  func set(_ turn: Turn) throws {
    switch turn {
    case .parameter(let key, let value):
      let info = try #require(unit.parameterInfo(named: key, .global), "\(key)")
      try unit.setParameter(info.id, .global, 0, to: value)
    case .number(let id, let value): try unit.setParameter(id, .global, 0, to: value)
    case .property(let id, let value): try unit.setProperty(id, to: value)
    }
  }

  func set(_ turns: [String: Float]) throws {
    for (key, value) in turns { try set(.parameter(key, value)) }
  }

  func kernel() throws -> KernelBox {
    try #require(unit.initialize(unit.configuration()).main)
  }

  /// Renders channels; slices end at each change.
  func render(
    _ channels: [[Float]], slicing: Slicing = Slicing([512]), turns: [Int: [Turn]] = [:]
  ) throws -> [[Float]] {
    for turn in turns[0] ?? [] { try set(turn) }
    let count = channels[0].count
    let ends = slicing.cut(count).reduce(into: [0]) { $0.append($0.last! + $1) }
    let cuts = Set(ends + turns.keys).sorted()
    return TestSupport.render(
      try kernel(), inputs: [channels], outputChannelCounts: [channels.count], frameCount: count,
      slicing: Slicing(zip(cuts.dropFirst(), cuts).map { $0 - $1 })
    ) { frame in
      guard frame > 0 else { return }
      for turn in turns[frame] ?? [] { try? set(turn) }
    }[0]
  }

  /// The impulse response of one channel.
  func impulseResponse(_ count: Int) throws -> [Float] {
    var impulse = [Float](repeating: 0, count: count)
    impulse[0] = 1
    return try render([[Float]](repeating: impulse, count: format.channelCount))[0]
  }
}

/// Properties of all effects in the catalogue.
struct EveryEffectTests {
  static let effects = UnitCatalog.standard.units.filter {
    $0.description.component.type == .effectType && $0 is any EffectUnit.Type
  }.map { $0.description.name }

  private func bench(_ name: String, channels: Int = 2, rate: Double = 48_000) throws
    -> EffectBench
  {
    let component = try #require(UnitCatalog.standard.component(named: name))
    return try EffectBench(component.unit, channels: channels, rate: rate)
  }

  /// Sets each parameter to a random value in its range at each of some frames.
  private func turns(of unit: UnitInstance, at frames: [Int], seed: UInt64) -> [Int:
    [EffectBench.Turn]]
  {
    var generator = SplitMix64(seed: seed)
    var turns: [Int: [EffectBench.Turn]] = [:]
    let parameters = unit.description.parameters.filter { !$0.isReadOnly && $0.scope == .global }
    for frame in frames {
      // Of a unit with hundreds of parameters, only a random selection.
      let chosen =
        parameters.count > 40
        ? parameters.filter { _ in Int.random(in: 0..<parameters.count, using: &generator) < 40 }
        : parameters
      turns[frame] = chosen.map { info in
        let low = Swift.max(info.range.lowerBound, -96)
        let high = Swift.min(info.range.upperBound, 20_000)
        let isStep = info.unit == .boolean || info.unit == .indexed
        let value = Float.random(in: low...high, using: &generator)
        return .number(info.id, isStep ? value.rounded() : value)
      }
    }
    return turns
  }

  @Test(arguments: effects, [1, 2, 5])
  func `what comes out does not depend on how it was cut, whatever is turned`(
    name: String, channels: Int
  ) throws {
    let component = try #require(UnitCatalog.standard.component(named: name))
    let format = StreamFormat(.float32, channels: channels, sampleRate: 48_000)
    // A reverberation unit is mono or stereo.
    guard component.unit.refusal(of: format, scope: .input, element: 0) == nil else { return }
    let count = 6000
    let input = (0..<channels).map { noise(count, seed: UInt64(7 + $0)) }
    func result(_ slicing: Slicing) throws -> [[Float]] {
      let bench = try bench(name, channels: channels)
      var turns = turns(of: bench.unit, at: [0, 777, 1000, 1005, 2500], seed: 3)
      turns[1700, default: []].append(.property(.bypassEffect, .uint32(1)))
      turns[1900, default: []].append(.property(.bypassEffect, .uint32(0)))
      turns[2500, default: []].append(.property(.bypassEffect, .uint32(1)))
      turns[4000, default: []].append(.property(.bypassEffect, .uint32(0)))
      turns[4100] = self.turns(of: bench.unit, at: [4100], seed: 4)[4100]
      return try bench.render(input, slicing: slicing, turns: turns)
    }
    let whole = try result(Slicing([4096]))
    #expect(whole.allSatisfy { $0.allSatisfy(\.isFinite) })
    for slicing in Slicing.every { expectSame(try result(slicing), whole) }
  }

  @Test(arguments: effects)
  func `bypassed from the start every bit passes, as late as the unit says`(name: String) throws {
    let bench = try bench(name)
    guard case .float64(let latency) = try bench.unit.property(.latency) else { return }
    let delay = Int((latency * 48_000).rounded())
    let input = [noise(4000, seed: 1), noise(4000, seed: 2)]
    let result = try bench.render(
      input, turns: [0: [.property(.bypassEffect, .uint32(1))]])
    expectSame(
      result,
      input.map { [Float](repeating: 0, count: delay) + $0.dropLast(delay) })
  }

  @Test(arguments: effects)
  func `silence in is silence out at last, to the bit`(name: String) throws {
    let bench = try bench(name)
    // With initial values. A tail of 40 s or more is skipped.
    guard case .float64(let tail) = try bench.unit.property(.tailTime), tail < 40 else { return }
    let count = 48_000 * Int(3 * tail + 2)
    let input = noise(1000, seed: 9) + [Float](repeating: 0, count: count)
    let result = try bench.render([input, input], slicing: Slicing([4096]))
    #expect(result.allSatisfy { $0.suffix(4096).allSatisfy { $0 == 0 } })
  }

  @Test(arguments: effects)
  func `what is no number does not stay in an effect`(name: String) throws {
    let bench = try bench(name)
    guard case .float64(let tail) = try bench.unit.property(.tailTime), tail < 40 else { return }
    var input = noise(48_000 * Int(3 * tail + 2), seed: 9)
    input[100] = .nan
    input[101] = .infinity
    let result = try bench.render([input, input], slicing: Slicing([4096]))
    #expect(result.allSatisfy { $0.suffix(4096).allSatisfy(\.isFinite) })
  }

  @Test(arguments: effects)
  func `both sides have one format, or initialize refuses`(name: String) throws {
    let bench = try bench(name)
    try bench.unit.setProperty(
      .streamFormat, .output, 0,
      to: .streamFormat(StreamFormat(.float32, channels: 1, sampleRate: 48_000)))
    bench.unit.setUse(.callback, .input, 0)
    let component = try #require(UnitCatalog.standard.component(named: name))
    let found = component.unit.violations(in: bench.unit.configuration())
    #expect(found.map(\.rule) == [UnitRules.effectFormats])
    #expect(found.map(\.status) == [.formatNotSupported])
  }

  @Test func `all the effects are asked`() {
    #expect(Self.effects.contains("LowPassFilter"))
  }
}
