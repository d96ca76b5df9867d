internal import Glibc

/// The loudness range of EBU Tech 3342 (2016): how far the short-term loudness, looked at ten times a
/// second, spreads between its 10th and its 95th percentile, behind two gates.
///
/// libebur128 1.2 looks once a second, which reads up to 3 LU low where the level changes faster. Here
/// the looks are counted by level, so that memory and the time of a reading are the same however long
/// the programme is.
struct LoudnessRange {
  /// The absolute gate, in LUFS: what is softer does not count.
  private static let floor = -70.0
  /// The relative gate: so many LU below the mean of what the absolute gate lets through.
  private static let gate = 20.0
  /// Counts for each LU.
  private static let resolution = 100.0
  /// What is louder than 30 LUFS counts as that.
  private static let levels = Int((30 - floor) * resolution) + 1

  private var counts = [Int](repeating: 0, count: levels)
  private var looks = 0
  /// The sum of the powers that the looks stand for.
  private var power = 0.0

  /// Counts the loudness of the last 3 s, in LUFS; to be called ten times a second once there are 3 s.
  mutating func count(_ shortTerm: Double) {
    guard shortTerm >= Self.floor else { return }
    let level = min(Self.levels - 1, Int(((shortTerm - Self.floor) * Self.resolution).rounded()))
    counts[level] += 1
    looks += 1
    power += pow(10, shortTerm / 10)
  }

  /// In LU; 0 where nothing has counted yet.
  var range: Double {
    guard looks > 0 else { return 0 }
    let threshold = 10 * log10(power / Double(looks)) - Self.gate
    // 1e-9: a level that is the threshold but for rounding is on its loud side.
    let first = max(0, Int(((threshold - Self.floor) * Self.resolution - 1e-9).rounded(.up)))
    guard first < counts.count else { return 0 }
    let counted = counts[first...]
    let total = counted.reduce(0, +)
    guard total > 0 else { return 0 }
    return level(of: 0.95, in: counted, total) - level(of: 0.1, in: counted, total)
  }

  /// The level at or below which a share of the looks is, in LU above the absolute gate.
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
