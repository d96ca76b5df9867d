internal import Glibc
internal import HeadData
internal import RenderCore
internal import Synchronization

/// The measured responses of a head at one sample rate, ready to filter with: the filters as
/// spectra, their initial delays apart, and the directions in rings of one elevation each.
final class HeadTable: Sendable {
  let filters: FilterPairTable
  /// The index of the filter pair without a direction: a pulse at both ears, with the delay and the
  /// energy of the response to a source ahead.
  let plain: Int
  /// For each ring three numbers: its elevation in degrees (ascending), its first point, and its
  /// number of points.
  let rings: [Double]
  /// For each point of each ring two numbers: its azimuth in degrees (0 to 360, ascending), and the
  /// index of its pair.
  let points: [Double]

  private init(_ set: HeadDataSet, blockLength: Int) {
    var left = set.left
    var right = set.right
    var leftDelays = left.map(Self.onset)
    var rightDelays = right.map(Self.onset)
    let ahead =
      set.directions.indices.min {
        abs(set.directions[$0].azimuth) + abs(set.directions[$0].elevation)
          < abs(set.directions[$1].azimuth) + abs(set.directions[$1].elevation)
      } ?? 0
    let energy = (left[ahead] + right[ahead]).reduce(0.0) { $0 + Double($1) * Double($1) } / 2
    let delay = ((leftDelays[ahead] + rightDelays[ahead]) / 2).rounded()
    let impulse = Self.pulse(
      at: min(Double(left[0].count - 1), delay), energy: energy, count: left[0].count)
    plain = left.count
    left.append(impulse)
    right.append(impulse)
    leftDelays.append(delay)
    rightDelays.append(delay)

    // Rounded, because elevations are measured in whole degrees or simple fractions: equal ones
    // compare equal.
    let byElevation = Dictionary(grouping: set.directions.indices) {
      (set.directions[$0].elevation * 100).rounded()
    }
    var rings: [Double] = []
    var points: [Double] = []
    for (elevation, members) in byElevation.sorted(by: { $0.key < $1.key }) {
      rings += [elevation / 100, Double(points.count / 2), Double(members.count)]
      let around = members.map { index -> (azimuth: Double, pair: Int) in
        let azimuth = set.directions[index].azimuth
        return (azimuth < 0 ? azimuth + 360 : azimuth, index)
      }
      for point in around.sorted(by: { $0.azimuth < $1.azimuth }) {
        points += [point.azimuth, Double(point.pair)]
      }
    }
    self.rings = rings
    self.points = points
    let numbers =
      [
        Double(left.count), Double(impulse.count), Double(blockLength), Double(plain),
        Double(rings.count), Double(points.count),
      ] + rings + points
    filters = FilterPairTable(
      left: left, right: right, leftDelays: leftDelays, rightDelays: rightDelays,
      blockLength: blockLength, lead: 8 * numbers.count)
    filters.bytes.put(numbers, at: 0)
  }

  /// The table that `bytes` hold; `nil` where they are not those of such a table.
  private init?(_ bytes: PreparedBytes, blockLength: Int) {
    guard let fixed = bytes.numbers(6, at: 0),
      fixed.allSatisfy({ $0 >= 0 && $0 <= Double(bytes.count) && $0 == $0.rounded() })
    else { return nil }
    let counts = fixed.map { Int($0) }
    let (ringNumbers, pointNumbers) = (counts[4], counts[5])
    guard counts[2] == blockLength, counts[3] < counts[0], ringNumbers > 0, ringNumbers % 3 == 0,
      pointNumbers % 2 == 0,
      let rings = bytes.numbers(ringNumbers, at: 48),
      let points = bytes.numbers(pointNumbers, at: 48 + 8 * ringNumbers),
      let filters = FilterPairTable(
        bytes, lead: 48 + 8 * (ringNumbers + pointNumbers), pairCount: counts[0],
        tapCount: counts[1], blockLength: blockLength)
    else { return nil }
    plain = counts[3]
    self.rings = rings
    self.points = points
    self.filters = filters
  }

  /// An impulse without the topmost tenth of the spectrum, which would ring on and on between two
  /// frames: a sinc under a Hann window of 64 frames.
  private static func pulse(at place: Double, energy: Double, count: Int) -> [Float] {
    let values = (0..<count).map { frame -> Double in
      let time = Double(frame) - place
      guard abs(time) < 32 else { return 0 }
      let angle = Double.pi * 0.9 * time
      return (angle == 0 ? 1 : sin(angle) / angle) * (0.5 + 0.5 * cos(Double.pi * time / 32))
    }
    let scale = (energy / values.reduce(0) { $0 + $1 * $1 }).squareRoot()
    return values.map { Float($0 * scale) }
  }

  /// The onset of a response, in frames: where it first reaches 5% of its peak.
  private static func onset(_ response: [Float]) -> Double {
    let threshold = (response.map(abs).max() ?? 0) * 0.05
    guard threshold > 0, let first = response.firstIndex(where: { abs($0) >= threshold }) else {
      return 0
    }
    guard first > 0 else { return 0 }
    let before = abs(response[first - 1])
    return Double(first) - 1 + Double((threshold - before) / (abs(response[first]) - before))
  }

  // MARK: Shared tables

  private static let made = Mutex<[Double: HeadTable]>([:])
  private static let read = Mutex<HeadDataSet?>(nil)
  private static let known = Mutex<Measurement?>(nil)

  /// The rate and the length of the distribution's data set, for checks and tails.
  struct Measurement: Sendable {
    /// In hertz.
    fileprivate var sampleRate: Double
    /// The length of a response, in frames.
    fileprivate var frameCount: Int

    /// The length of the responses in frames at a sample rate, in hertz.
    func length(at rate: Double) -> Int {
      HeadDataSet.length(of: frameCount, from: sampleRate, at: rate)
    }
  }

  /// The rate and the length of the distribution's data set, read once. Control thread.
  static func measurement() throws(HeadDataError) -> Measurement {
    try known.withLock { known throws(HeadDataError) in
      if let measurement = known { return measurement }
      let kept = HeadStore.current
      let key = kept?.key("measurement", rate: 0)
      if let key, let bytes = kept?.folder.contents(key), let numbers = bytes.numbers(2, at: 0),
        let frameCount = Int(exactly: numbers[1]), frameCount > 0, numbers[0] > 0
      {
        let measurement = Measurement(sampleRate: numbers[0], frameCount: frameCount)
        known = measurement
        return measurement
      }
      let set = try measured()
      let measurement = Measurement(sampleRate: set.sampleRate, frameCount: set.left[0].count)
      known = measurement
      if let key {
        let bytes = PreparedBytes(count: 16)
        bytes.put([measurement.sampleRate, Double(measurement.frameCount)], at: 0)
        kept?.folder.keep(bytes, as: key)
      }
      return measurement
    }
  }

  /// The distribution's data set as it was measured, read once. Control thread.
  private static func measured() throws(HeadDataError) -> HeadDataSet {
    try read.withLock { read throws(HeadDataError) in
      if let set = read { return set }
      let set = try HeadDataSet(path: HeadDataSet.defaultPath)
      read = set
      return set
    }
  }

  /// The table of the distribution's data set for a sample rate, made or loaded once. Control
  /// thread.
  static func standard(sampleRate: Double) throws(HeadDataError) -> HeadTable {
    try made.withLock { made throws(HeadDataError) in
      if let table = made[sampleRate] { return table }
      let blockLength = SpatialKernel.blockLength(sampleRate: sampleRate)
      let kept = HeadStore.current
      let key = kept?.key("head", rate: sampleRate)
      if let key, let bytes = kept?.folder.contents(key),
        let table = HeadTable(bytes, blockLength: blockLength)
      {
        made[sampleRate] = table
        return table
      }
      let set = try measured().converted(to: sampleRate)
      let table = HeadTable(set, blockLength: blockLength)
      made[sampleRate] = table
      if let key { kept?.folder.keep(table.filters.bytes, as: key) }
      return table
    }
  }
}

/// The directions of a head table, for the render thread.
struct HeadDirections: ~Copyable {
  private let rings: DoubleStorage
  private let points: DoubleStorage
  private let ringCount: Int
  private let plain: Int

  /// The arguments are the properties of a `HeadTable` with these names.
  init(rings: [Double], points: [Double], plain: Int) {
    ringCount = rings.count / 3
    self.rings = DoubleStorage(rings)
    self.points = DoubleStorage(points)
    self.plain = plain
  }

  /// The filters for a direction: at a measured direction its own; else interpolated linearly along
  /// the two nearest rings and between them. Below the lowest ring the lowest holds.
  ///
  /// - Parameters:
  ///   - azimuth: In degrees, 90 to the right.
  ///   - elevation: In degrees.
  ///   - focus: 1 for the whole direction, 0 for none.
  @_noLocks
  mutating func mixture(azimuth: Double, elevation: Double, focus: Double) -> FilterMixture {
    var upper = 0
    while upper < ringCount - 1 && rings[3 * upper] < elevation { upper += 1 }
    let lower = upper > 0 && rings[3 * upper] > elevation ? upper - 1 : upper
    var share = 0.0
    if lower != upper {
      share = (elevation - rings[3 * lower]) / (rings[3 * upper] - rings[3 * lower])
    }
    let around = azimuth < 0 ? azimuth + 360 : azimuth
    var mixture = FilterMixture(plain)
    add(to: &mixture, 0, ring: lower, around, (1 - share) * focus)
    add(to: &mixture, 2, ring: upper, around, share * focus)
    mixture.set(4, plain, Float(1 - focus))
    return mixture
  }

  @_noLocks
  private mutating func add(
    to mixture: inout FilterMixture, _ entry: Int, ring: Int, _ azimuth: Double, _ weight: Double
  ) {
    let first = Int(rings[3 * ring + 1])
    let count = Int(rings[3 * ring + 2])
    // The last point at or before the azimuth, and the one after it, around the circle.
    var low = 0
    var high = count
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[2 * (first + middle)] <= azimuth { low = middle } else { high = middle }
    }
    let isBefore = points[2 * first] > azimuth
    let before = isBefore ? count - 1 : low
    let after = isBefore ? 0 : low + 1 < count ? low + 1 : 0
    let start = points[2 * (first + before)]
    var way = points[2 * (first + after)] - start
    if way <= 0 { way += 360 }
    var offset = azimuth - start
    if offset < 0 { offset += 360 }
    let share = before == after ? 0 : offset / way
    mixture.set(entry, Int(points[2 * (first + before) + 1]), Float((1 - share) * weight))
    mixture.set(entry + 1, Int(points[2 * (first + after) + 1]), Float(share * weight))
  }
}
