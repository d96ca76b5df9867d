import Glibc
import RenderCore

/// Converts channels to a multiple of their rate and back, with linear-phase filters.
///
/// Each conversion is a windowed sinc (Kaiser, 90 dB) of 32 frames, which passes frequencies below
/// 0.41 of the rate, and delays by `delay` frames.
struct Oversampler: ~Copyable {
  /// The delay of each conversion, in frames.
  static let delay = 16

  private let factor: Int
  private let upLength: Int
  private let downLength: Int
  // A row of taps for each phase upwards, newest sample last; then the row downwards.
  private let up: SampleStorage
  private let down: SampleStorage
  // Each sample is written twice, so that reading never wraps around.
  private let before: SampleStorage
  private let behind: SampleStorage
  private var beforePlace = 0
  private var behindPlace = 0

  /// - Parameter factor: 1 for none, without a delay.
  init(factor: Int, channelCount: Int) {
    self.factor = factor
    let taps = 2 * Self.delay * factor
    upLength = VectorMath.rowLength(2 * Self.delay + 1)
    downLength = VectorMath.rowLength(taps + 1)
    let prototype = Self.prototype(taps: taps, factor: factor)
    var rows = [Float](repeating: 0, count: upLength * factor)
    for phase in 0..<factor {
      for tap in stride(from: phase, through: taps, by: factor) {
        rows[phase * upLength + upLength - 1 - tap / factor] = Float(
          prototype[tap] * Double(factor))
      }
    }
    up = SampleStorage(rows)
    var row = [Float](repeating: 0, count: downLength)
    for tap in 0...taps { row[downLength - 1 - tap] = Float(prototype[tap]) }
    down = SampleStorage(row)
    before = SampleStorage(repeating: 0, count: 2 * upLength * channelCount)
    behind = SampleStorage(repeating: 0, count: 2 * downLength * channelCount)
  }

  /// A low pass at half the lower rate whose taps sum to 1.
  private static func prototype(taps: Int, factor: Int) -> [Double] {
    let beta = 0.1102 * (90 - 8.7)
    func bessel(_ x: Double) -> Double {
      var (sum, term, k) = (1.0, 1.0, 1.0)
      while term > 1e-18 * sum {
        term *= x * x / (4 * k * k)
        sum += term
        k += 1
      }
      return sum
    }
    let values = (0...taps).map { tap -> Double in
      let place = Double(tap) - Double(taps) / 2
      let x = place / Double(factor)
      let sinc = x == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x)
      let ratio = place / (Double(taps) / 2)
      return sinc * bessel(beta * max(0, 1 - ratio * ratio).squareRoot()) / bessel(beta)
    }
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }

  // MARK: Render thread

  /// After so many frames of zeros, all that it remembers is zero.
  var memory: Int { @_noLocks get { upLength + downLength / factor + 1 } }

  /// Takes a finite sample at the lower rate.
  @_noLocks
  mutating func push(_ channel: Int, _ sample: Double) {
    let first = 2 * channel * upLength + beforePlace
    before[first] = Float(sample)
    before[first + upLength] = Float(sample)
  }

  /// One of the `factor` samples at the higher rate for the sample pushed last.
  @_noLocks
  func raised(_ channel: Int, _ phase: Int) -> Double {
    let first = 2 * channel * upLength + beforePlace
    if factor == 1 { return Double(before[first]) }
    return Double(
      VectorMath.dot(
        up.buffer(at: phase * upLength, count: upLength),
        before.buffer(at: first + 1, count: upLength)))
  }

  /// Takes a finite sample at the higher rate.
  @_noLocks
  mutating func put(_ channel: Int, _ sample: Double) {
    let first = 2 * channel * downLength + behindPlace
    behind[first] = Float(sample)
    behind[first + downLength] = Float(sample)
  }

  /// Advances to the next sample at the higher rate, after a `put` for every channel.
  @_noLocks
  mutating func step() { behindPlace = behindPlace + 1 == downLength ? 0 : behindPlace + 1 }

  /// The sample at the lower rate at the time of the first one at the higher rate. Call it before
  /// the others are put.
  @_noLocks
  func lowered(_ channel: Int) -> Double {
    let first = 2 * channel * downLength + behindPlace
    if factor == 1 { return Double(behind[first]) }
    return Double(
      VectorMath.dot(
        down.buffer(at: 0, count: downLength), behind.buffer(at: first + 1, count: downLength)))
  }

  /// Advances to the next frame.
  @_noLocks
  mutating func advance() { beforePlace = beforePlace + 1 == upLength ? 0 : beforePlace + 1 }

  @_noLocks
  mutating func clear() {
    for index in 0..<before.count { before[index] = 0 }
    for index in 0..<behind.count { behind[index] = 0 }
  }
}
