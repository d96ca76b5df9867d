internal import Glibc

/// Samples under a Hann window, in double precision; time 0 is in the middle, in frames.
struct WindowedSamples {
  typealias Part = (angle: Double, cosine: Double, sine: Double)
  private typealias Lanes = SIMD8<Double>

  let count: Int
  /// The samples, eight to a vector, padded with zeros of weight 0.
  private var lanes: [Lanes]
  private let weights: [Lanes]
  /// Σ w t².
  let spread: Double

  /// Samples that are not finite become 0.
  init(_ samples: ArraySlice<Float>) {
    let frames = samples.count
    count = frames
    let vectors = (frames + 7) / 8
    var lanes = [Lanes](repeating: Lanes(), count: vectors)
    var weights = lanes
    var spread = 0.0
    for (frame, sample) in zip(0..., samples) {
      let time = Double(frame) - Double(frames - 1) / 2
      let weight = 0.5 + 0.5 * cos(2 * .pi * time / Double(frames))
      lanes[frame / 8][frame % 8] = sample.isFinite ? Double(sample) : 0
      weights[frame / 8][frame % 8] = weight
      spread += weight * time * time
    }
    self.lanes = lanes
    self.weights = weights
    self.spread = spread
  }

  var values: [Double] {
    (0..<count).map { lanes[$0 / 8][$0 % 8] }
  }

  private var firstTime: Double { -Double(count - 1) / 2 }

  /// Σ w cos(angle t).
  func kernel(_ angle: Double) -> Double {
    // Dirichlet's kernel; the window's cosine adds two more.
    func sum(_ angle: Double) -> Double {
      let half = sin(angle / 2)
      let length = Double(count)
      if abs(half) < 1e-12 { return length * cos(length * angle / 2) / cos(angle / 2) }
      return sin(length * angle / 2) / half
    }
    let step = 2 * Double.pi / Double(count)
    return sum(angle) / 2 + (sum(angle + step) + sum(angle - step)) / 4
  }

  /// Σ w x cos(angle t) and Σ w x sin(angle t).
  func project(angle: Double) -> (cosine: Double, sine: Double) {
    var (cosines, sines) = (Lanes(), Lanes())
    turn(angle) { index, cosine, sine in
      let weighted = lanes[index] * weights[index]
      cosines += weighted * cosine
      sines += weighted * sine
    }
    return (cosines.sum(), sines.sum())
  }

  /// Σ w t x cos(angle t) and Σ w t x sin(angle t).
  func projectTimes(angle: Double) -> (cosine: Double, sine: Double) {
    var (cosines, sines) = (Lanes(), Lanes())
    var times = Lanes(0, 1, 2, 3, 4, 5, 6, 7) + firstTime
    turn(angle) { index, cosine, sine in
      let weighted = lanes[index] * weights[index] * times
      cosines += weighted * cosine
      sines += weighted * sine
      times += 8
    }
    return (cosines.sum(), sines.sum())
  }

  /// The samples minus a mean and sines. Lanes beyond the last sample have weight 0.
  func subtracting(mean: Double, _ parts: [Part]) -> WindowedSamples {
    var result = self
    for index in result.lanes.indices { result.lanes[index] -= mean }
    for part in parts {
      turn(part.angle) { index, cosine, sine in
        result.lanes[index] -= part.cosine * cosine + part.sine * sine
      }
    }
    return result
  }

  /// Cosines and sines at each time, eight at a time: rotated from one vector to the next, and
  /// computed exactly every 512 frames against rounding errors.
  @inline(__always)
  private func turn(_ angle: Double, _ body: (Int, Lanes, Lanes) -> Void) {
    let (stepCosine, stepSine) = (cos(8 * angle), sin(8 * angle))
    var (cosine, sine) = (Lanes(), Lanes())
    for index in lanes.indices {
      if index % 64 == 0 {
        for lane in 0..<8 {
          let phase = angle * (firstTime + Double(8 * index + lane))
          cosine[lane] = cos(phase)
          sine[lane] = sin(phase)
        }
      }
      body(index, cosine, sine)
      (cosine, sine) = (
        cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine
      )
    }
  }
}
