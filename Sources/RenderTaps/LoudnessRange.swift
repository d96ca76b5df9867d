internal import Glibc

/// The loudness range of EBU Tech 3342 (2016): the distance between the 10th and the 95th
/// percentile of the short-term loudness, sampled ten times a second and gated twice.
///
/// libebur128 1.2 samples once a second, which reads up to 3 LU low where the level changes faster.
/// Here the samples are counted by level, so that memory and reading time do not grow with the
/// programme.
struct LoudnessRange {
  /// The absolute gate, in LUFS: lower samples do not count.
  private static let floor = -70.0
  /// The relative gate: so many LU below the mean of the samples above the absolute gate.
  private static let gate = 20.0
  /// Levels per LU.
  private static let resolution = 100.0
  /// Samples above 30 LUFS count as 30 LUFS.
  private static let levels = Int((30 - floor) * resolution) + 1

  private var counts = [Int](repeating: 0, count: levels)
  private var sampleCount = 0
  /// The sum of the samples' powers.
  private var power = 0.0

  /// Counts the loudness of the last 3 s, in LUFS. Must be called ten times a second, once there
  /// are 3 s.
  mutating func count(_ shortTerm: Double) {
    guard shortTerm >= Self.floor else { return }
    let level = min(Self.levels - 1, Int(((shortTerm - Self.floor) * Self.resolution).rounded()))
    counts[level] += 1
    sampleCount += 1
    power += pow(10, shortTerm / 10)
  }

  /// In LU; 0 before the first sample.
  var range: Double {
    guard sampleCount > 0 else { return 0 }
    let threshold = 10 * log10(power / Double(sampleCount)) - Self.gate
    // The tolerance of 1e-9 puts a level that equals the threshold, except for rounding, above it.
    let first = max(0, Int(((threshold - Self.floor) * Self.resolution - 1e-9).rounded(.up)))
    guard first < counts.count else { return 0 }
    let counted = counts[first...]
    let total = counted.reduce(0, +)
    guard total > 0 else { return 0 }
    return level(of: 0.95, in: counted, total) - level(of: 0.1, in: counted, total)
  }

  /// The level at or below which a share of the samples lies, in LU above the absolute gate.
  private func level(of share: Double, in counted: ArraySlice<Int>, _ total: Int) -> Double {
    let rank = Int((Double(total - 1) * share).rounded())
    var below = 0
    for level in counted.indices {
      below += counted[level]
      if below > rank { return Double(level) / Self.resolution }
    }
    return Double(counted.endIndex - 1) / Self.resolution
  }
}
