import Glibc
import RenderCore

/// The spectrum of a period: the tones of the test signal, and the power of everything else.
struct PeriodSpectrum: Sendable {
  /// For each bin, twice the mean of the samples times exp(-i angle t).
  var tones: [ComplexNumber]
  /// The mean square of the samples, and in `rest` that without the tones.
  var power: Double
  var rest: Double
}

/// Computes some bins of the spectrum of a period.
final class ToneAnalyzer {
  private let length: Int
  private let bins: [Int]
  /// `nil` where the length has prime factors for which the transform is slow.
  private let transform: Transform?

  private final class Transform {
    var transform: RealFFT
    let samples: SampleStorage
    let spectrum: SpectrumStorage

    init(_ length: Int) {
      transform = RealFFT(length: length)
      samples = SampleStorage(repeating: 0, count: length)
      spectrum = SpectrumStorage(rowCount: 1, binCount: length / 2 + 1)
    }
  }

  init(length: Int, bins: [Int]) {
    self.length = length
    self.bins = bins
    transform = RealFFT.hasSmallFactors(length) ? Transform(length) : nil
  }

  func analyze(_ samples: [Double]) -> PeriodSpectrum {
    let power = samples.reduce(0) { $0 + $1 * $1 } / Double(length)
    let tones = transform.map { transformed(samples, $0) } ?? bins.map { tone($0, samples) }
    let found = tones.reduce(0) { $0 + $1.power / 2 }
    return PeriodSpectrum(tones: tones, power: power, rest: max(0, power - found))
  }

  private func transformed(_ samples: [Double], _ work: Transform) -> [ComplexNumber] {
    // Scaled to full scale, where floats are most exact.
    let highest = samples.reduce(0) { max($0, $1.magnitude) }
    guard highest > 0, highest.isFinite else { return bins.map { _ in .zero } }
    for (index, sample) in samples.enumerated() { work.samples[index] = Float(sample / highest) }
    let spectrum = work.spectrum[0]
    work.transform.forward(work.samples.buffer(at: 0, count: length), into: spectrum)
    let scale = 2 * highest / Double(length)
    return bins.map { bin in
      ComplexNumber(
        real: Double(spectrum.real[bin]) * scale, imaginary: Double(spectrum.imaginary[bin]) * scale
      )
    }
  }

  /// One bin of a transform, by Goertzel's recurrence (G. Goertzel, 1958).
  private func tone(_ bin: Int, _ samples: [Double]) -> ComplexNumber {
    let angle = 2 * Double.pi * Double(bin) / Double(length)
    let factor = 2 * cos(angle)
    var (last, beforeLast) = (0.0, 0.0)
    for sample in samples { (last, beforeLast) = (sample + factor * last - beforeLast, last) }
    let scale = 2 / Double(length)
    return ComplexNumber(
      real: (last * cos(angle) - beforeLast) * scale, imaginary: last * sin(angle) * scale)
  }
}
