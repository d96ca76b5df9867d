import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Compares NBandEQ with its formulas in double precision.
struct NBandEQTests {
  typealias Parameter = NBandEQ.Parameter

  struct Band {
    var type: Int
    var frequency: Double
    var gain = 0.0
    var bandwidth = 0.5
  }

  static func bench(
    _ bands: [Band], channels: Int = 1, rate: Double = 48_000, isMatched: Bool = false
  ) throws -> EffectBench {
    let bench = try EffectBench(NBandEQ.self, channels: channels, rate: rate)
    try bench.set(.property(.numberOfBands, .uint32(UInt32(bands.count))))
    if isMatched { try bench.set(.property(.filterDesign, .uint32(1))) }
    for (index, band) in bands.enumerated() {
      let index = UInt32(index)
      try bench.set(.number(Parameter.bypassBand + index, 0))
      try bench.set(.number(Parameter.filterType + index, Float(band.type)))
      try bench.set(.number(Parameter.frequency + index, Float(band.frequency)))
      try bench.set(.number(Parameter.gain + index, Float(band.gain)))
      try bench.set(.number(Parameter.bandwidth + index, Float(band.bandwidth)))
    }
    return bench
  }

  static func coefficients(_ bench: EffectBench) throws -> [[Double]] {
    guard case .doubles(let all) = try bench.unit.property(.biquadCoefficients) else { return [] }
    return stride(from: 0, to: all.count, by: 5).map { Array(all[$0..<$0 + 5]) }
  }

  /// Expects what a unit makes of an input to be within -140 dBFS of its filters in doubles.
  private static func expectDoubles(of input: [[Float]], _ bench: EffectBench) throws {
    let found = try bench.render(input)
    let filters = try coefficients(bench)
    for (channel, samples) in input.enumerated() {
      var reference = samples.map(Double.init)
      for c in filters {
        var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
        for index in reference.indices {
          let x = reference[index]
          let y = c[2] * x + c[3] * x1 + c[4] * x2 - c[0] * y1 - c[1] * y2
          (x2, x1, y2, y1) = (x1, x, y1, y)
          reference[index] = y
        }
      }
      let error = zip(found[channel], reference).map { abs(Double($0) - $1) }.max() ?? 1
      #expect(20 * log10(error) < -140)
    }
  }

  /// The a1, a2, b0, b1, b2 at 48 kHz of the analogue prototypes, by scipy.signal.bilinear (SciPy
  /// 1.x) with pre-warped frequency. Q = 1/(2 sinh(N ln 2/2)), and 1/√2 for types without a width.
  static let figures: [(Int, Double, Double, Double, [Double])] = [
    (
      0, 1000, 6, 1,
      [
        -1.9201576605325714, 0.9367266252929856, 1.031486802693398, -1.9201576605325714,
        0.9052398225995872,
      ]
    ),
    (
      1, 200, 0, 0,
      [
        -1.9629800893893394, 0.9636529842237054, 0.00016822370859146958, 0.00033644741718293915,
        0.00016822370859146958,
      ]
    ),
    (
      2, 200, 0, 0,
      [
        -1.9629800893893394, 0.9636529842237054, 0.9816582684032612, -1.9633165368065224,
        0.9816582684032612,
      ]
    ),
    (
      3, 6900, 0, 1.9,
      [
        -0.7961018727695123, 0.28591447817735366, 0.12245315135196036, 0.24490630270392072,
        0.12245315135196036,
      ]
    ),
    (
      4, 3000, 0, 0.5,
      [
        -1.7323070907977745, 0.8750356835907188, 0.9018356935971233, -1.8036713871942467,
        0.9018356935971233,
      ]
    ),
    (
      5, 5000, 0, 0.5,
      [-1.4346106124712765, 0.8082871018664142, 0.09585644906679294, 0.0, -0.09585644906679294]
    ),
    (
      6, 1000, 0, 2,
      [
        -1.8060837925442572, 0.8216684183945744, 0.9108342091972873, -1.8060837925442572,
        0.9108342091972873,
      ]
    ),
    (
      7, 105, -4.5, 0,
      [
        -1.9778754992108505, 0.9781175826420002, 0.9974786524757879, -1.9779244409586696,
        0.9805899884183934,
      ]
    ),
    (
      8, 10000, 3, 0,
      [
        -0.20828366244926214, 0.1792522416996017, 1.2204590540451536, -0.49448898993600515,
        0.2449985151411908,
      ]
    ),
    (
      9, 80, 12, 1,
      [
        -1.9947167101019712, 0.9947715279990708, 1.0026427045941975, -1.994635002060971,
        0.9922105314458735,
      ]
    ),
    (
      10, 12000, -9, 2,
      [
        -0.29370617037431845, 0.15906984687892237, 0.5956621435290105, 0.1749496470128631,
        0.09475188596273032,
      ]
    ),
  ]

  @Test(arguments: 0..<11)
  func `the coefficients are those of the bilinear transform`(type: Int) throws {
    let (_, frequency, gain, bandwidth, wanted) = Self.figures[type]
    let bench = try Self.bench([
      Band(
        type: type, frequency: frequency, gain: gain, bandwidth: bandwidth > 0 ? bandwidth : 0.5)
    ])
    for (found, figure) in zip(try Self.coefficients(bench)[0], wanted) {
      // Parameters are floats: 0.5, 12 and -4.5 are exact, 1.9 is not.
      #expect(abs(found - figure) < 1e-7, "\(found) and \(figure)")
    }
  }

  /// The gain of a1, a2, b0, b1, b2 in decibels.
  static func level(_ c: [Double], _ frequency: Double, _ rate: Double) -> Double {
    let w = 2 * Double.pi * frequency / rate
    func power(_ x0: Double, _ x1: Double, _ x2: Double) -> Double {
      let re = x0 + x1 * cos(w) + x2 * cos(2 * w)
      let im = x1 * sin(w) + x2 * sin(2 * w)
      return re * re + im * im
    }
    return 10 * log10(power(c[2], c[3], c[4]) / power(1, c[0], c[1]))
  }

  @Test(arguments: [44_100.0, 48_000, 96_000, 192_000], [1, 11, 64])
  func `what is heard is the closed form, from 20 Hz to 0.45 of the rate`(
    rate: Double, count: Int
  ) throws {
    var random = SplitMix64(seed: UInt64(count))
    let bands = (0..<count).map { index in
      Band(
        type: index % 11,
        frequency: 20 * pow(0.4 * rate / 20, Double.random(in: 0...1, using: &random)),
        gain: count > 11 ? [-3, 3][index % 2] : Double.random(in: -24...24, using: &random),
        bandwidth: Double.random(in: 0.3...4, using: &random))
    }.map { band -> Band in
      // A low or high pass lets little through. Many in series would leave no signal to measure.
      [1, 2, 3, 4, 5].contains(band.type) && count > 11
        ? Band(type: 0, frequency: band.frequency, gain: band.gain, bandwidth: band.bandwidth)
        : band
    }
    let bench = try Self.bench(bands, rate: rate)
    let closed = try Self.coefficients(bench)
    let response = try bench.impulseResponse(Int(2 * rate))
    let frequencies = (0...60).map { 20 * pow(0.45 * rate / 20, Double($0) / 60) }
    let said = try #require(bench.unit.gains(at: frequencies))
    var compared = 0
    for (frequency, said) in zip(frequencies, said) {
      let wanted = closed.reduce(0) { $0 + Self.level($1, frequency, rate) }
      guard wanted > -80 else { continue }
      compared += 1
      #expect(abs(said - wanted) < 1e-6)
      #expect(
        abs(gain(of: response, at: frequency, sampleRate: rate) - wanted) < 0.01,
        "\(frequency) Hz")
    }
    #expect(compared > 10)
  }

  @Test func `samples are within -140 dBFS of a reference in double precision`() throws {
    let bands = (0..<10).map {
      Band(
        type: [0, 7, 8, 6, 9][$0 % 5], frequency: 40 * pow(1.8, Double($0)),
        gain: $0 % 2 == 0 ? 3 : -5, bandwidth: 1)
    }
    let bench = try Self.bench(bands, channels: 2)
    let input = [noise(24_000, amplitude: 0.2, seed: 1), noise(24_000, amplitude: 0.2, seed: 2)]
    try Self.expectDoubles(of: input, bench)
  }

  @Test func `a band that is bypassed is not there, and the gain behind all is`() throws {
    let bench = try EffectBench(NBandEQ.self)
    let input = [noise(4000, seed: 3), noise(4000, seed: 4)]
    // All bands are bypassed initially.
    expectSame(try bench.render(input), input)
    let louder = try EffectBench(NBandEQ.self)
    try louder.set(["globalGain": 6])
    let factor = pow(10, Double(6) / 20)
    expectSame(
      try louder.render(input), input.map { $0.map { Float(Double($0) * factor) } })
  }

  @Test func `a frequency beyond the rate is that of 0.49, and warned of`() throws {
    let high = try Self.bench([Band(type: 0, frequency: 40_000, gain: 6)])
    let edge = try Self.bench([Band(type: 0, frequency: 0.49 * 48_000, gain: 6)])
    for (one, other) in zip(try Self.coefficients(high)[0], try Self.coefficients(edge)[0]) {
      #expect(abs(one - other) < 1e-6)
    }
    #expect(
      NBandEQ.violations(in: high.unit.configuration()).map(\.rule)
        == [UnitRules.parameterUsualRange])
    #expect(NBandEQ.violations(in: edge.unit.configuration()).isEmpty)
  }

  // MARK: Changes

  /// Every parameter alternates between two values 20 times a second during a low tone. A step of
  /// the coefficients would make a second difference as large as the amplitude.
  @Test(arguments: [0, 3, 4, 5, 6, 9, 10])
  func `parameters that are swept 20 times a second make no click`(type: Int) throws {
    let bench = try Self.bench(
      (0..<4).map { Band(type: type, frequency: 300 * Double($0 + 1), gain: 3, bandwidth: 2) })
    let count = 48_000
    let tone = sine(count, frequency: 110, sampleRate: 48_000, amplitude: 0.1)
    var turns: [Int: [EffectBench.Turn]] = [:]
    for step in 1..<20 {
      let isOdd = Float(step % 2)
      turns[step * 2400] =
        (0..<4).flatMap { band -> [EffectBench.Turn] in
          let number = UInt32(band)
          return [
            .number(Parameter.frequency + number, 300 * Float(band + 1) * (1 + 0.5 * isOdd)),
            .number(Parameter.gain + number, 3 - 6 * isOdd),
            .number(Parameter.bandwidth + number, 2 - isOdd),
          ]
        } + [.parameter("globalGain", -6 * isOdd)]
    }
    let result = try bench.render([tone], turns: turns)[0]
    // Changes of up to 30 dB within 10 ms: the linear gain ramp has corners of 7e-4. A step that is
    // heard as a click would be 0.1.
    #expect(roughness(result.dropFirst(100)) < 1e-3)
  }

  @Test func `a change of type and a switch of a band fade`() throws {
    let bench = try Self.bench([Band(type: 7, frequency: 400, gain: 12)])
    let tone = sine(24_000, frequency: 110, sampleRate: 48_000, amplitude: 0.1)
    let result = try bench.render(
      [tone],
      turns: [
        5000: [.number(Parameter.filterType, 6)], 10_000: [.number(Parameter.bypassBand, 1)],
        15_000: [.number(Parameter.bypassBand, 0)],
      ])[0]
    #expect(roughness(result.dropFirst(100)) < 1e-3)
    // 10 ms after it has been switched off, the band has no effect.
    expectSame([Array(result[10_500..<15_000])], [Array(tone[10_500..<15_000])])
  }

  /// A change to almost the same value: a section must keep its memory when the change begins and
  /// ends.
  @Test(arguments: [1, 2, 3], [0, 1, 4, 6, 9])
  func `a band that hardly changes is heard as one that does not`(channels: Int, type: Int) throws {
    let bands = (0..<5).map {
      Band(type: type, frequency: 40 * pow(3, Double($0)), gain: -6, bandwidth: 1)
    }
    let input = (0..<channels).map { noise(12_000, amplitude: 0.2, seed: UInt64(20 + $0)) }
    var turns: [Int: [EffectBench.Turn]] = [:]
    for (index, frame) in [1000, 1003, 2000, 5000].enumerated() {
      let band = [3, 1, 0, 4][index]
      let place = Float(bands[band].frequency)
      turns[frame] = [.number(Parameter.frequency + UInt32(band), place.nextUp)]
    }
    let steady = try Self.bench(bands, channels: channels).render(input)
    let turned = try Self.bench(bands, channels: channels).render(input, turns: turns)
    #expect(turned != steady)
    for (one, other) in zip(turned, steady) {
      let error = zip(one, other).map { abs(Double($0) - Double($1)) }.max() ?? 1
      // The frequency differs by a relative 2^-23, and floats are rounded to 2^-24.
      #expect(20 * log10(error) < -115)
    }
  }

  /// Bands are switched between others, whose memory must move with them.
  @Test func `a band that is switched leaves the others as they are`() throws {
    let bands = (0..<7).map { Band(type: 7, frequency: 60 * pow(2, Double($0)), gain: 2) }
    let input = (0..<3).map { noise(12_000, amplitude: 0.2, seed: UInt64(30 + $0)) }
    // Bands with a gain of 0 dB, which change nothing.
    func result(_ turns: [Int: [EffectBench.Turn]]) throws -> [[Float]] {
      let bench = try Self.bench(bands, channels: 3)
      for band: UInt32 in [0, 3, 6] { try bench.set(.number(Parameter.gain + band, 0)) }
      return try bench.render(input, turns: turns)
    }
    var turns: [Int: [EffectBench.Turn]] = [:]
    for (index, frame) in [700, 1500, 1510, 3000, 4000, 4001, 6000].enumerated() {
      let band: UInt32 = [0, 3, 6, 3, 0, 3, 6][index]
      turns[frame] = [.number(Parameter.bypassBand + band, index < 3 ? 1 : 0)]
    }
    for (one, other) in zip(try result(turns), try result([:])) {
      let error = zip(one, other).map { abs(Double($0) - Double($1)) }.max() ?? 1
      #expect(20 * log10(error) < -140)
    }
  }

  @Test func `at 192 kHz and 20 Hz samples are within -140 dBFS of doubles all the same`() throws {
    let bands = [2, 7, 4, 6].map { Band(type: $0, frequency: 20, gain: 6, bandwidth: 1) }
    let bench = try Self.bench(bands, channels: 2, rate: 192_000)
    let input = [noise(48_000, amplitude: 0.2, seed: 1), noise(48_000, amplitude: 0.2, seed: 2)]
    try Self.expectDoubles(of: input, bench)
  }

  @Test func `a change begins at its frame, and is over 10 ms later`() throws {
    let input = [Float](repeating: 0.5, count: 4000)
    let bench = try EffectBench(NBandEQ.self, channels: 1)
    let result = try bench.render([input], turns: [1000: [.parameter("globalGain", -20)]])[0]
    #expect(result[999] == 0.5)
    #expect(result[1000] < 0.5)
    #expect(abs(result[1500] - 0.05) < 1e-7)
    #expect(result[1240] > 0.06 && result[1240] < 0.4)
  }

  // MARK: Matched

  /// The gain of an analogue peaking filter in decibels.
  private static func analogPeak(_ f: Double, _ f0: Double, _ q: Double, _ gain: Double) -> Double {
    let (a, x) = (pow(10, gain / 40), f / f0)
    func power(_ width: Double) -> Double { (1 - x * x) * (1 - x * x) + width * width * x * x }
    return 10 * log10(power(a / q) / power(1 / (a * q)))
  }

  @Test(arguments: [9.0, -9])
  func `a matched peak follows the analogue one up to half the rate`(gain: Double) throws {
    let q = 0.71
    let octaves = 2 * asinh(1 / (2 * q)) / log(2)
    func error(_ isMatched: Bool, _ limit: Double) throws -> Double {
      let bench = try Self.bench(
        [Band(type: 0, frequency: 12_000, gain: gain, bandwidth: octaves)], isMatched: isMatched)
      let frequencies = Array(stride(from: 100.0, through: limit, by: 100))
      let found = try #require(bench.unit.gains(at: frequencies))
      return zip(frequencies, found).map {
        abs($1 - Self.analogPeak($0, 12_000, q, gain))
      }.max() ?? 0
    }
    // Published measurements: 0.04 dB up to 8 kHz, 0.5 dB at 20 kHz; 4.2 dB for the bilinear
    // transform.
    let (low, high, plain) = (
      try error(true, 8000), try error(true, 20_000), try error(false, 20_000)
    )
    #expect(low < 0.06)
    #expect(high < 0.6)
    #expect(plain > 3)
  }

  @Test(arguments: 0..<11)
  func `every matched filter is stable, and near the cookbook's at low frequencies`(type: Int)
    throws
  {
    for gain in [-24.0, -6, 6, 24] {
      for frequency in [30.0, 400, 5000, 20_000] {
        for bandwidth in [0.05, 1, 5] {
          let band = Band(type: type, frequency: frequency, gain: gain, bandwidth: bandwidth)
          let bench = try Self.bench([band], isMatched: true)
          let c = try Self.coefficients(bench)[0]
          #expect(!c.contains { !$0.isFinite })
          #expect(abs(c[1]) < 1 && abs(c[0]) < 1 + c[1], "\(band)")
          // A shelf of Q 29 has a second resonance that three points do not determine; the error
          // there is 2.6 dB. The widest shelf has one pole beyond half the rate.
          guard frequency < 1000, type < 9 || bandwidth == 1 else { continue }
          let plain = try Self.coefficients(Self.bench([band]))[0]
          for probe in [20.0, frequency / 2, frequency, 2 * frequency, 1500] {
            let wanted = Self.level(plain, probe, 48_000)
            guard wanted > -40 else { continue }
            #expect(
              abs(Self.level(c, probe, 48_000) - wanted) < 0.1, "\(band) at \(probe)")
          }
        }
      }
    }
  }
}
