internal import Glibc
internal import RenderCore

/// Measures peaks between the samples.
///
/// It computes four points per frame, as in ITU-R BS.1770, with 48 taps under a Kaiser window, flat
/// to 0.46 of the rate; at a local maximum, the amplitude of the sine through three points. With
/// each frame, the largest magnitude within one frame of the frame `delay` frames earlier is known.
struct TruePeakDetector: ~Copyable {
  /// In frames.
  static var delay: Int { @_noLocks get { 24 } }
  private static var tapCount: Int { @_noLocks get { 48 } }
  /// After so many frames of zeros, further ones change nothing: its history is zero, and so are
  /// the points, which are samples by then.
  static var memory: Int { @_noLocks get { tapCount + 4 } }
  private static var history: Int { @_noLocks get { 47 } }

  /// A row of taps for each of the three points between two frames.
  private let rows: SampleStorage
  /// For each channel its history, and the frames of one piece.
  private let windows: SampleStorage
  private let windowLength: Int
  /// For each channel the magnitudes of the last two points, and for how many frames it has been
  /// low.
  private let points: DoubleStorage
  /// The most by which a point can exceed the largest of its samples.
  private let bound: Double

  // MARK: Control thread

  /// - Parameter longest: The most frames of one piece.
  init(channelCount: Int, longest: Int) {
    var taps: [Float] = []
    var bound = 1.0
    for point in 1...3 {
      var row: [Double] = []
      for tap in 0..<Self.tapCount {
        let distance = Double(Self.delay - 1) + Double(point) / 4 - Double(tap)
        row.append(sin(.pi * distance) / (.pi * distance) * Self.window(distance))
      }
      let sum = row.reduce(0, +)
      row = row.map { $0 / sum }
      bound = max(bound, row.reduce(0) { $0 + abs($1) })
      taps += row.map(Float.init)
    }
    self.bound = bound
    rows = SampleStorage(taps)
    windowLength = Self.history + longest
    windows = SampleStorage(repeating: 0, count: channelCount * windowLength)
    points = DoubleStorage(repeating: 0, count: channelCount * 3)
  }

  /// Kaiser's window, of the parameter 5.65: 60 dB (Kaiser 1974).
  private static func window(_ distance: Double) -> Double {
    let place = distance / Double(tapCount / 2)
    guard abs(place) < 1 else { return 0 }
    return bessel(5.65 * (1 - place * place).squareRoot()) / bessel(5.65)
  }

  /// The modified Bessel function of the first kind, of order 0.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var index = 1.0
    while term > 1e-17 * sum {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }

  // MARK: Render thread

  /// The buffer for the frames to be measured.
  @_noLocks
  func frames(_ channel: Int, _ count: Int) -> ChannelBuffer {
    windows.buffer(at: channel * windowLength + Self.history, count: count)
  }

  /// The peak that is known with the frame at `place` of those written.
  ///
  /// - Parameter level: A peak below it need not be exact.
  @_noLocks
  func peak(_ channel: Int, at place: Int, above level: Double) -> Double {
    let first = channel * 3
    let start = channel * windowLength + place
    let newest = Double(windows[start + Self.history].magnitude)
    points[first + 2] = newest * bound < level ? points[first + 2] + 1 : 0
    let sample = Double(windows[start + Self.history - Self.delay].magnitude)
    guard points[first + 2] <= Double(Self.tapCount + 2) else {
      points[first] = sample
      points[first + 1] = sample
      return sample
    }
    let samples = windows.buffer(at: start, count: Self.tapCount)
    var before = points[first]
    var last = points[first + 1]
    var peak = 0.0
    for point in 0..<4 {
      let next =
        point == 0
        ? sample
        : Double(
          VectorMath.dot(
            rows.buffer(at: (point - 1) * Self.tapCount, count: Self.tapCount), samples
          ).magnitude)
      if last >= before, last >= next {
        let top = Self.top(before, last, next)
        if top > peak { peak = top }
      }
      if next > peak { peak = next }
      before = last
      last = next
    }
    points[first] = before
    points[first + 1] = last
    return peak
  }

  /// The amplitude of the sine that goes through three points, the second of which is the largest.
  @_noLocks
  private static func top(_ before: Double, _ middle: Double, _ after: Double) -> Double {
    guard middle > 0 else { return 0 }
    let cosine = (before + after) / (2 * middle)
    let square = 1 - cosine * cosine
    guard square > 1e-4 else { return middle }
    let slope = after - before
    let found = renderSquareRoot(middle * middle + slope * slope / (4 * square))
    // The top is at most half the way to the next point away: an eighth of a frame, which at half
    // the rate is a sixteenth of a turn, and 1 / cos(22.5°) = 1.0824.
    return found < 1.0824 * middle ? found : 1.0824 * middle
  }

  /// Ends a piece of `count` frames.
  @_noLocks
  func advance(_ channel: Int, _ count: Int) {
    let start = channel * windowLength
    for frame in 0..<Self.history { windows[start + frame] = windows[start + count + frame] }
  }

  /// Forgets all frames.
  @_noLocks
  func clear() {
    windows.buffer(at: 0, count: windows.count).clear()
    for index in 0..<points.count { points[index] = 0 }
  }
}
