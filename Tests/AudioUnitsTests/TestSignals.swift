import AudioTypes
import Glibc
import TestSupport
import Testing

/// White noise between ±`amplitude`, from a seed.
func noise(_ count: Int, amplitude: Float = 0.5, seed: UInt64) -> [Float] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &generator) }
}

/// A sine with phase 0 at the beginning.
func sine(_ count: Int, frequency: Double, sampleRate: Double, amplitude: Double = 1) -> [Float] {
  (0..<count).map {
    Float(amplitude * sin(2 * Double.pi * frequency * Double($0) / sampleRate))
  }
}

/// A sine whose frequency rises exponentially from `low` to `high` hertz.
func sweep(
  _ count: Int, from low: Double, to high: Double, sampleRate: Double, amplitude: Double
) -> [Float] {
  let rate = log(high / low) / Double(count)
  return (0..<count).map {
    let phase = 2 * Double.pi * low / sampleRate * (exp(rate * Double($0)) - 1) / rate
    return Float(amplitude * sin(phase))
  }
}

/// The largest magnitude in dBFS.
func peakLevel(_ samples: [Double]) -> Double {
  20 * log10(samples.reduce(1e-30) { max($0, abs($1)) })
}

/// The gain of `response` at a frequency in hertz, in decibels.
func gain(of response: [Float], at frequency: Double, sampleRate: Double) -> Double {
  // One rotation of a phasor per sample: accurate enough over these lengths, and fast.
  let stepReal = cos(2 * Double.pi * frequency / sampleRate)
  let stepImaginary = -sin(2 * Double.pi * frequency / sampleRate)
  var (real, imaginary, sumReal, sumImaginary) = (1.0, 0.0, 0.0, 0.0)
  for sample in response {
    sumReal += Double(sample) * real
    sumImaginary += Double(sample) * imaginary
    (real, imaginary) = (
      real * stepReal - imaginary * stepImaginary, real * stepImaginary + imaginary * stepReal
    )
  }
  return 10 * log10(sumReal * sumReal + sumImaginary * sumImaginary)
}

/// Expects identical samples, and reports the first difference.
func expectSame(
  _ found: [[Float]], _ expected: [[Float]], sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(found.map(\.count) == expected.map(\.count), sourceLocation: sourceLocation)
  for (channel, pair) in zip(found, expected).enumerated() {
    let place = zip(pair.0, pair.1).enumerated().first { $1.0.bitPattern != $1.1.bitPattern }?
      .offset
    #expect(place == nil, "the first frame in channel \(channel)", sourceLocation: sourceLocation)
  }
}

/// Expects a call to be refused with a status, and returns the error.
@discardableResult
func expectRefused(
  _ status: Status, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> Violation? {
  do {
    try body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch let violation as Violation {
    #expect(violation.status == status, "\(violation.message)", sourceLocation: sourceLocation)
    return violation
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}
