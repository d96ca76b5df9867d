import Glibc

/// The frequency response of a path: magnitude, phase and group delay.
public struct Response: Sendable {
  /// The response at a channel of the output.
  public struct Channel: Sendable {
    /// From 0.
    public var number: Int
    /// The magnitude at each frequency, in dB; minus infinity for no output.
    public var magnitude: [Double]
    /// The phase at each frequency, in degrees from -180 to 180, without the latency; NaN where
    /// next to nothing passes.
    public var phase: [Double]
    /// The group delay at each frequency, in seconds, including the latency; NaN where the phase
    /// is.
    public var groupDelay: [Double]
  }

  /// The range below the greatest magnitude in which the phase is usable, in dB.
  static let usableRange = 80.0

  /// Why a response does not describe a path fully.
  public enum Warning: Hashable, Sendable {
    /// The output still changed by this share of the greatest amplitude from one period to the
    /// next.
    case changes(Double)
    /// Between the level and one 20 dB below, the magnitude at a frequency differs by this many dB.
    case dependsOnLevel(decibels: Double, frequency: Double)
    /// The path adds other frequencies, at this many dB over the whole output. It is distortion
    /// where it is less at a lower level.
    case adds(decibels: Double, isDistortion: Bool)
  }

  /// In Hz.
  public var frequencies: [Double]
  public var channels: [Channel]
  /// The latency in seconds: `latencyFrames` at the output's rate.
  public var latency: Double
  public var latencyFrames: Int
  public var warnings: [Warning]

  /// Whether there was no output at all.
  public var isSilent: Bool {
    channels.allSatisfy { $0.magnitude.allSatisfy { $0 == -.infinity } }
  }

  /// - Parameters:
  ///   - loud: The output at the measured level.
  ///   - soft: The output at a level 20 dB below it.
  ///   - peak: The peak of the louder signal; full scale is 1.
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
    // Where next to nothing passes, the phase is that of noise.
    let least = (found.flatMap(\.magnitude).max() ?? 0) - Self.usableRange
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

  /// Computed from the phase difference of the two sines of a pair. Delays from minus a quarter of
  /// a period are possible.
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

  /// The median delay over the band, among frequencies within 40 dB of the greatest, in whole
  /// frames.
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

  /// The power at other frequencies, in dB over the whole.
  private static func rest(_ outcome: PeriodCollector.Outcome) -> Double? {
    let all = outcome.channels.reduce(0) { $0 + $1.power }
    let rest = outcome.channels.reduce(0) { $0 + $1.rest }
    return all > 0 ? 10 * log10(rest / all) : nil
  }
}
