import Glibc

/// The largest second difference. It is at least the height of a step, and almost 0 for a sine.
public func roughness(_ samples: some Collection<Float>) -> Double {
  let samples = Array(samples)
  guard samples.count > 2 else { return 0 }
  var greatest = 0.0
  for index in 1..<samples.count - 1 {
    let before = Double(samples[index - 1])
    let after = Double(samples[index + 1])
    greatest = max(greatest, abs(before - 2 * Double(samples[index]) + after))
  }
  return greatest
}

/// The largest second difference of a sine at 48 kHz without a step.
public func smoothness(_ frequency: Double, _ amplitude: Double = 0.25) -> Double {
  let half = sin(Double.pi * frequency / 48_000)
  return amplitude * 4 * half * half
}

/// A ratio of amplitudes in decibels.
public func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-30)) }
