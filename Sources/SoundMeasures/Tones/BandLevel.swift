internal import Glibc
internal import RenderCore

extension Sound {
  /// The root mean square of each channel between two frequencies, in dBFS; minus infinity for
  /// silence.
  ///
  /// Welch's method (P. D. Welch, IEEE Trans. Audio Electroacoust. 15, 1967), so that a tone that
  /// begins or ends in the sound does not spread over all other bands:
  /// - A transform has L samples, the smallest power of two of at least a quarter of a second.
  /// - Its window is a periodic Hann window of W = min(L, frames), filled up with zeros.
  /// - There are ⌈4 (frames - W) / W⌉ + 1 windows, spread evenly from the first frame to the last:
  ///   window i of n begins at ⌊i (frames - W) / (n - 1)⌋.
  /// - Bin k is the mean over the windows of |X[k]|² / (L Σw²), doubled except for k = 0 and k = L
  ///   / 2. It spans k ± ½ times rate / L, within 0 and half the rate. A bin at an edge of the band
  ///   counts by its share.
  ///
  /// The window makes an edge 4 bins wide: 12 Hz at 48 kHz. Sound within W of the first or the last
  /// frame counts less than the rest. Samples that are not finite are silence.
  ///
  /// - Parameters:
  ///   - low: In Hz, from 0.
  ///   - high: In Hz, above `low`; above half the rate there is nothing.
  public func band(from low: Double, to high: Double) -> [SoundReading] {
    precondition(low >= 0 && high > low, "a band reaches from a frequency to a higher one")
    return zip(0..., PowerSpectrum.of(self)).map { number, spectrum in
      SoundReading(
        10 * log10(spectrum.power(from: low, to: high)), at: SoundPlace(channel: number))
    }
  }
}

/// Power by frequency, as `Sound.band(from:to:)` defines it.
struct PowerSpectrum {
  /// The power of each bin: they add up to the mean square of the samples.
  let bins: [Double]
  let rate: Double
  /// In Hz.
  var binWidth: Double { rate / Double(2 * (bins.count - 1)) }

  /// The spectrum of each channel.
  static func of(_ sound: Sound) -> [PowerSpectrum] {
    var length = 4
    while Double(length) < sound.sampleRate / 4 && length < 1 << 24 { length *= 2 }
    var transform = RealFFT(length: length)
    let window = hann(min(length, sound.frameCount))
    return sound.channels.map {
      PowerSpectrum(
        bins: bins(of: $0, window: window, transform: &transform), rate: sound.sampleRate)
    }
  }

  /// One period of a Hann window.
  static func hann(_ count: Int) -> [Double] {
    (0..<count).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(count)) }
  }

  private static func bins(
    of samples: [Float], window: [Double], transform: inout RealFFT
  ) -> [Double] {
    var sums = [Double](repeating: 0, count: transform.binCount)
    let energy = window.reduce(0) { $0 + $1 * $1 }
    guard energy > 0 else { return sums }
    let input = SampleStorage(repeating: 0, count: transform.length)
    let spectrum = SpectrumStorage(rowCount: 1, binCount: transform.binCount)
    let room = samples.count - window.count
    let count = (4 * room + window.count - 1) / window.count + 1
    let weights = window.map(Float.init)
    for number in 0..<count {
      let start = count == 1 ? 0 : number * room / (count - 1)
      for index in weights.indices {
        let sample = samples[start + index]
        input[index] = sample.isFinite ? sample * weights[index] : 0
      }
      transform.forward(input.buffer(at: 0, count: input.count), into: spectrum[0])
      let (real, imaginary) = (spectrum[0].real, spectrum[0].imaginary)
      for bin in sums.indices {
        let (x, y) = (Double(real[bin]), Double(imaginary[bin]))
        sums[bin] += x * x + y * y
      }
    }
    let scale = 1 / (Double(transform.length) * energy * Double(count))
    for bin in sums.indices {
      sums[bin] *= bin == 0 || bin == sums.count - 1 ? scale : 2 * scale
    }
    return sums
  }

  /// The power between two frequencies in Hz.
  func power(from low: Double, to high: Double) -> Double {
    let width = binWidth
    var sum = 0.0
    for (bin, power) in bins.enumerated() {
      let first = max(0, (Double(bin) - 0.5) * width)
      let last = min(rate / 2, (Double(bin) + 0.5) * width)
      let inside = min(last, high) - max(first, low)
      if inside > 0 { sum += power * min(1, inside / (last - first)) }
    }
    return sum
  }
}
