import Glibc

/// How a path passes sound on: magnitude, phase and group delay over frequency.
public struct Response: Sendable {
  /// A channel of the output.
  public struct Channel: Sendable {
    /// From 0.
    public var number: Int
    /// In dB, minus infinity for nothing.
    public var magnitude: [Double]
    /// In degrees, from -180 to 180, the latency taken out; not a number where hardly anything gets
    /// through.
    public var phase: [Double]
    /// In seconds, the latency left in; not a number in the same places.
    public var groupDelay: [Double]
  }

  /// What gets through by more dB less than the best has no phase worth showing.
  static let depth = 80.0

  /// Why a response is not the whole truth about a path.
  public enum Warning: Hashable, Sendable {
    /// It still changed by so much (a share of the greatest amplitude) from one second to the next.
    case changes(Double)
    /// By so many dB, at a frequency, between one level and one 20 dB below.
    case dependsOnLevel(decibels: Double, frequency: Double)
    /// So many dB beside what came out of the sines is at other frequencies; whether that is less at a
    /// lower level, as distortion is.
    case adds(decibels: Double, isDistortion: Bool)
  }

  /// In Hz.
  public var frequencies: [Double]
  public var channels: [Channel]
  /// In seconds: whole frames of the output that all frequencies are late by.
  public var latency: Double
  public var latencyFrames: Int
  public var warnings: [Warning]

  /// Whether nothing at all came out.
  public var isSilent: Bool {
    channels.allSatisfy { $0.magnitude.allSatisfy { $0 == -.infinity } }
  }

  /// - Parameters:
  ///   - loud: What came out at the level that counts.
  ///   - soft: What came out 20 dB below it.
  /// - Returns: `nil` where either has no whole period.
  public init?(
    _ tones: ToneSet, channels: [Int], loud: PeriodCollector, soft: PeriodCollector, peak: Double
  ) {
    guard let outcome = loud.outcome, let check = soft.outcome else { return nil }
    let bins = tones.bins.flatMap { [$0, $0 + 1] }
    let analyzer = ToneAnalyzer(length: tones.inputPeriod, bins: bins)
    let given = analyzer.analyze(tones.samples(peak: peak).map(Double.init)).tones
    let less = analyzer.analyze(tones.samples(peak: peak / 10).map(Double.init)).tones
    frequencies = tones.frequencies
    let values = outcome.channels.map { zip($0.tones, given).map { $0 / $1 } }
    let softer = check.channels.map { zip($0.tones, less).map { $0 / $1 } }
    let delays = values.map { Self.groupDelay($0, period: tones.period) }
    latencyFrames = Self.latency(values, delays, frequencies, rate: tones.outputRate)
    latency = Double(latencyFrames) / tones.outputRate
    var found: [Channel] = []
    for (row, number) in channels.enumerated() {
      let pairs = frequencies.indices.map { values[row][2 * $0] }
      found.append(
        Channel(
          number: number, magnitude: pairs.map { $0.power > 0 ? 10 * log10($0.power) : -.infinity },
          phase: Self.phase(pairs, frequencies, latency: latency), groupDelay: delays[row]))
    }
    // What hardly gets through has noise for a phase.
    let least = (found.flatMap(\.magnitude).max() ?? 0) - Self.depth
    for row in found.indices {
      for index in frequencies.indices where !(found[row].magnitude[index] > least) {
        found[row].phase[index] = .nan
        found[row].groupDelay[index] = .nan
      }
    }
    self.channels = found
    warnings = Self.warnings(outcome, check, values, softer, frequencies)
  }

  // MARK: Reading the sines

  /// From the turn between the two sines of a pair; a quarter of a period may be negative.
  private static func groupDelay(_ values: [ComplexNumber], period: Double) -> [Double] {
    stride(from: 0, to: values.count, by: 2).map { index in
      let (first, second) = (values[index], values[index + 1])
      guard first.power > 0, second.power > 0 else { return .nan }
      let turn = -(second / first).angle / (2 * .pi)
      return (turn < -0.25 ? turn + 1 : turn) * period
    }
  }

  private static func phase(
    _ values: [ComplexNumber], _ frequencies: [Double], latency: Double
  ) -> [Double] {
    zip(values, frequencies).map { value, frequency in
      guard value.power > 0 else { return .nan }
      let turns = value.angle / (2 * .pi) + frequency * latency
      return (turns - turns.rounded()) * 360
    }
  }

  /// The delay that half of the band has no more than, among what gets through, in whole frames.
  private static func latency(
    _ values: [[ComplexNumber]], _ delays: [[Double]], _ frequencies: [Double], rate: Double
  ) -> Int {
    let greatest = values.flatMap { $0 }.reduce(0) { max($0, $1.power) }
    var weighted: [(delay: Double, width: Double)] = []
    for (row, delays) in delays.enumerated() {
      for (index, delay) in delays.enumerated()
      where delay.isFinite && values[row][2 * index].power > greatest * 1e-4 {
        let low = index > 0 ? frequencies[index - 1] : 0
        weighted.append((delay, frequencies[index] - low))
      }
    }
    weighted.sort { $0.delay < $1.delay }
    let half = weighted.reduce(0) { $0 + $1.width } / 2
    var sum = 0.0
    for entry in weighted {
      sum += entry.width
      if sum >= half { return max(0, Int((entry.delay * rate).rounded())) }
    }
    return 0
  }

  private static func warnings(
    _ loud: PeriodCollector.Outcome, _ soft: PeriodCollector.Outcome, _ values: [[ComplexNumber]],
    _ softer: [[ComplexNumber]], _ frequencies: [Double]
  ) -> [Warning] {
    if loud.change > 0.01 { return [.changes(loud.change)] }
    var warnings: [Warning] = []
    let greatest = values.flatMap { $0 }.reduce(0) { max($0, $1.power) }
    var worst = (decibels: 0.0, frequency: 0.0)
    for (row, channel) in values.enumerated() {
      for (index, value) in channel.enumerated() where value.power > greatest * 1e-3 {
        let difference = 10 * log10(softer[row][index].power / value.power)
        if difference.magnitude > worst.decibels.magnitude {
          worst = (difference, frequencies[index / 2])
        }
      }
    }
    if worst.decibels.magnitude > 0.1 {
      warnings.append(.dependsOnLevel(decibels: worst.decibels, frequency: worst.frequency))
    }
    if let added = rest(loud), added > -50 {
      let below = rest(soft) ?? -.infinity
      warnings.append(.adds(decibels: added, isDistortion: below < added - 6))
    }
    return warnings
  }

  /// What is at other frequencies, in dB beside all.
  private static func rest(_ outcome: PeriodCollector.Outcome) -> Double? {
    let all = outcome.channels.reduce(0) { $0 + $1.power }
    let rest = outcome.channels.reduce(0) { $0 + $1.rest }
    return all > 0 ? 10 * log10(rest / all) : nil
  }
}
