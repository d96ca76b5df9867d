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
