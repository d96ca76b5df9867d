import Glibc

/// A sine with an amplitude in dBFS.
public func sine(
  _ frequency: Double, _ level: Double, seconds: Double, rate: Double = 48_000,
  phase: Double = 0
) -> [Float] {
  let amplitude = pow(10, level / 20)
  return (0..<Int((seconds * rate).rounded())).map {
    Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate + phase))
  }
}

/// White noise between ±`amplitude`, from a seed.
public func noise(_ count: Int, amplitude: Float = 1, seed: UInt64) -> [Float] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &generator) }
}

/// A sine with phase 0 at the beginning.
public func sine(_ count: Int, frequency: Double, sampleRate: Double, amplitude: Double = 1)
  -> [Float]
{
  (0..<count).map {
    Float(amplitude * sin(2 * Double.pi * frequency * Double($0) / sampleRate))
  }
}

/// A sine whose frequency rises exponentially from `low` to `high` hertz.
public func sweep(
  _ count: Int, from low: Double, to high: Double, sampleRate: Double, amplitude: Double
) -> [Float] {
  let rate = log(high / low) / Double(count)
  return (0..<count).map {
    let phase = 2 * Double.pi * low / sampleRate * (exp(rate * Double($0)) - 1) / rate
    return Float(amplitude * sin(phase))
  }
}

/// The gain of `response` at a frequency in hertz, in decibels.
public func gain(of response: [Float], at frequency: Double, sampleRate: Double) -> Double {
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

/// The first place where two sounds have different bits.
public func firstDifference(_ one: [Float], _ other: [Float]) -> Int? {
  zip(one, other).enumerated().first { $1.0.bitPattern != $1.1.bitPattern }?.offset
}

/// Whether two numbers differ by at most `tolerance`.
public func near(_ value: Double, _ expected: Double, within tolerance: Double) -> Bool {
  value == expected || (value - expected).magnitude <= tolerance
}

/// The amplitude of a frequency over all samples: a bin of a discrete Fourier transform.
public func amplitude(
  _ samples: some Collection<Double>, _ frequency: Double, rate: Double = 48_000
) -> Double {
  var (real, imaginary) = (0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let angle = 2 * Double.pi * frequency * Double(index) / rate
    real += sample * cos(angle)
    imaginary += sample * sin(angle)
  }
  return 2 * hypot(real, imaginary) / Double(samples.count)
}
