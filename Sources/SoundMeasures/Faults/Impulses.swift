/// Wrong single samples in tones, which a step detector with linear prediction misses.
///
/// Each sample is compared with an interpolation from the six samples around it (Lagrange, degree
/// 5): (15 (x[-1] + x[1]) - 6 (x[-2] + x[2]) + x[-3] + x[3]) / 20. A sample that is off by h leaves
/// h there, and -0.75 h, 0.3 h and -0.05 h on either side. These are the shape.
enum Impulses {
  private static let shape = [-0.05, 0.3, -0.75, 1, -0.75, 0.3, -0.05]
  private static let shapeEnergy = shape.reduce(0) { $0 + $1 * $1 }

  /// The frames of samples that are off, and by how much. Such a sample:
  /// - explains 95 % of the residual within 8 frames on either side,
  /// - is twelve times the root mean square of the residual within 10 ms, without those frames,
  /// - is four times as high as any other residual within 60 ms,
  /// - has sound on both sides: the 10 ms before and after it are above -80 dBFS, within 12 dB of
  ///   each other, and at most 36 dB above it.
  static func places(in samples: [Float], rate: Double) -> [(frame: Int, size: Double)] {
    let count = samples.count
    let near = max(16, Int(rate * 0.01))
    let far = 6 * near
    guard count > 2 * near + 8 else { return [] }
    var rest = [Double](repeating: 0, count: count)
    for frame in 3..<(count - 3) {
      let beside = Double(samples[frame - 1]) + Double(samples[frame + 1])
      let next = Double(samples[frame - 2]) + Double(samples[frame + 2])
      let last = Double(samples[frame - 3]) + Double(samples[frame + 3])
      let value = Double(samples[frame]) - (15 * beside - 6 * next + last) / 20
      rest[frame] = value.isFinite ? value : 0
    }
    var energies = [0.0]
    energies.reserveCapacity(count + 1)
    var sum = 0.0
    for value in rest {
      sum += value * value
      energies.append(sum)
    }
    func energy(_ range: Range<Int>) -> Double {
      let range = range.clamped(to: 0..<count)
      return max(0, energies[range.upperBound] - energies[range.lowerBound])
    }
    var found: [(frame: Int, size: Double)] = []
    for frame in near..<(count - near) where rest[frame].magnitude > 0.000_316 {
      let height = rest[frame].magnitude
      let inner = energy(frame - 8..<frame + 9)
      let around = max(0, energy(frame - near..<frame + near + 1) - inner)
      let level = (around / Double(2 * near - 16)).squareRoot()
      // The cheap conditions first.
      guard height > 12 * level, height * height * shapeEnergy > 0.9 * inner else { continue }
      var match = 0.0
      for (index, weight) in shape.enumerated() { match += weight * rest[frame - 3 + index] }
      guard match * match / shapeEnergy > 0.95 * inner else { continue }
      let size = (match / shapeEnergy).magnitude
      let others =
        rest[max(0, frame - far)..<(frame - 8)].reduce(0) { max($0, $1.magnitude) }
      let later =
        rest[(frame + 9)..<min(count, frame + far)].reduce(0) { max($0, $1.magnitude) }
      guard size > 4 * max(others, later) else { continue }
      let before = power(samples[(frame - near)..<(frame - 3)])
      let behind = power(samples[(frame + 4)..<(frame + near)])
      // Not in silence, and not where a sound begins or ends.
      guard min(before, behind) > 1e-8, max(before, behind) < 16 * min(before, behind) else {
        continue
      }
      guard size * size > 0.000_225 * max(before, behind) else { continue }
      found.append((frame, size))
    }
    return found
  }

  private static func power(_ samples: ArraySlice<Float>) -> Double {
    samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
  }
}
