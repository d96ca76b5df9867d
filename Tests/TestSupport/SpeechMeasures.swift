import RenderCore

/// Measures of how well a voice is preserved and how well an echo is removed.
public enum SpeechMeasures {
  /// Short-time objective intelligibility: from 0 to 1 (C. H. Taal, R. C. Hendriks, R. Heusdens and
  /// J. Jensen, "An algorithm for intelligibility prediction of time-frequency weighted noisy speech",
  /// IEEE Trans. ASLP 19, 2011).
  public static func intelligibility(
    of degraded: [Float], clean: [Float], sampleRate: Double
  ) -> Double {
    let count = min(degraded.count, clean.count)
    let (x, y) = loudFrames(
      converted(Array(clean.prefix(count)), from: sampleRate, to: 10_000),
      converted(Array(degraded.prefix(count)), from: sampleRate, to: 10_000))
    let (cleanBands, bands) = (thirdOctaves(x), thirdOctaves(y))
    let length = 30
    guard cleanBands.count >= length else { return 0 }
    // The error of a degraded band is limited to 15 dB above the signal.
    let clip = 1 + 5.623413
    var sum = 0.0
    var total = 0
    for last in (length - 1)..<cleanBands.count {
      for band in 0..<15 {
        let range = (last - length + 1)...last
        let a = range.map { cleanBands[$0][band] }
        let b = range.map { bands[$0][band] }
        let energies = (a.reduce(0) { $0 + $1 * $1 }, b.reduce(0) { $0 + $1 * $1 })
        let scale = (energies.0 / (energies.1 + 1e-20)).squareRoot()
        let clipped = zip(a, b).map { min($1 * scale, $0 * clip) }
        sum += correlation(a, clipped)
        total += 1
      }
    }
    return sum / Double(total)
  }

  /// The mean signal-to-error ratio of frames of 32 ms in which the clean signal is above -50 dBFS,
  /// in decibels. Each is limited to -10 to 35.
  public static func segmentalRatio(
    of degraded: [Float], clean: [Float], sampleRate: Double
  ) -> Double {
    let length = Int(0.032 * sampleRate)
    var ratios: [Double] = []
    var start = 0
    while start + length < min(degraded.count, clean.count) {
      var (signal, error) = (0.0, 0.0)
      for index in start..<(start + length) {
        signal += Double(clean[index] * clean[index])
        let difference = Double(clean[index] - degraded[index])
        error += difference * difference
      }
      signal /= Double(length)
      error /= Double(length)
      if signal > 1e-5 {
        ratios.append(min(max(10 * renderLog10(signal / (error + 1e-12)), -10), 35))
      }
      start += length
    }
    return ratios.isEmpty ? 0 : ratios.reduce(0, +) / Double(ratios.count)
  }

  /// The echo return loss enhancement during a time: the level of the microphone minus that of the
  /// output, in decibels.
  public static func enhancement(
    _ microphone: [Float], _ output: [Float], seconds: Range<Double>, sampleRate: Double
  ) -> Double {
    let range = Int(seconds.lowerBound * sampleRate)..<Int(seconds.upperBound * sampleRate)
    return 10 * renderLog10((power(microphone[range]) + 1e-14) / (power(output[range]) + 1e-14))
  }

  /// When the enhancement over the last 250 ms first reaches a level, in seconds after `start`;
  /// `nil` if it does not. Stretches with an echo below -50 dBFS are left out.
  public static func timeToReach(
    _ level: Double, _ microphone: [Float], _ output: [Float], after start: Double,
    sampleRate: Double
  ) -> Double? {
    var end = start + 0.25
    while Int(end * sampleRate) <= microphone.count {
      let range = Int((end - 0.25) * sampleRate)..<Int(end * sampleRate)
      if power(microphone[range]) > 1e-5,
        enhancement(microphone, output, seconds: (end - 0.25)..<end, sampleRate: sampleRate)
          >= level
      {
        return end - start
      }
      end += 0.05
    }
    return nil
  }

  public static func power(_ samples: ArraySlice<Float>) -> Double {
    samples.isEmpty ? 0 : samples.reduce(0.0) { $0 + Double($1 * $1) } / Double(samples.count)
  }

  /// A signal converted to another rate, beginning with the same frame.
  public static func converted(_ signal: [Float], from: Double, to: Double) -> [Float] {
    guard from != to else { return signal }
    let total = Int(Double(signal.count) * to / from)
    // A windowed sinc, 32 samples of the slower rate on each side. Its phase repeats after the
    // numerator of the ratio in lowest terms.
    let ratio = min(1, to / from)
    let reach = 32 / ratio
    var (period, rest) = (Int(to), Int(from))
    while rest != 0 { (period, rest) = (rest, period % rest) }
    period = Int(to) / period
    let side = Int(reach.rounded(.up))
    let taps: [[Float]] = (0..<period).map { phase in
      let center = Double(phase) * from / to
      let share = center - center.rounded(.down)
      return (-side...(side + 1)).map { place in
        let distance = Double(place) - share
        guard abs(distance) <= reach else { return 0 }
        let offset = distance * ratio * 0.95
        let window = 0.5 * (1 + renderCosine(Double.pi * distance / reach))
        let sinc = offset == 0 ? 1 : renderSine(Double.pi * offset) / (Double.pi * offset)
        return Float(sinc * window * ratio * 0.95)
      }
    }
    let padded =
      [Float](repeating: 0, count: side) + signal + [Float](repeating: 0, count: side + 2)
    return (0..<total).map { index in
      let row = taps[index % period]
      // The first tap is `side` samples before the sample at or before the centre.
      let first = Int((Double(index) * from / to + 1e-9).rounded(.down))
      var sum: Float = 0
      for place in row.indices where first + place < padded.count {
        sum += padded[first + place] * row[place]
      }
      return sum
    }
  }

  // MARK: Intelligibility

  private static let frameLength = 256
  private static let frameStep = 128

  private static let window: [Double] = (1...frameLength).map {
    0.5 * (1 - renderCosine(2 * Double.pi * Double($0) / Double(frameLength + 1)))
  }

  /// Both signals without the frames in which the clean one is more than 40 dB below its loudest
  /// frame.
  private static func loudFrames(_ clean: [Float], _ degraded: [Float]) -> ([Float], [Float]) {
    let starts = Array(stride(from: 0, to: clean.count - frameLength, by: frameStep))
    let energies = starts.map { start in
      (0..<frameLength).reduce(0.0) { sum, index in
        let sample = Double(clean[start + index]) * window[index]
        return sum + sample * sample
      }
    }
    let threshold = (energies.max() ?? 0) * 1e-4
    var kept = 0
    var x = [Float](repeating: 0, count: clean.count + frameLength)
    var y = x
    for (start, energy) in zip(starts, energies) where energy > threshold {
      for index in 0..<frameLength {
        x[kept + index] += Float(Double(clean[start + index]) * window[index])
        y[kept + index] += Float(Double(degraded[start + index]) * window[index])
      }
      kept += frameStep
    }
    let length = kept == 0 ? 0 : kept + frameStep
    return (Array(x.prefix(length)), Array(y.prefix(length)))
  }

  /// The magnitudes of 15 third-octave bands from 150 Hz in each frame.
  private static func thirdOctaves(_ signal: [Float]) -> [[Double]] {
    let size = 512
    let width = 10_000.0 / Double(size)
    let edges: [(Int, Int)] = (0..<15).map { band in
      let center = 150 * renderExp(Double(band) / 3 * 0.6931471805599453)
      let half = renderExp(0.6931471805599453 / 6)
      return (
        Int((center / half / width).rounded()), Int((center * half / width).rounded())
      )
    }
    var fft = RealFFT(length: size)
    let frame = SampleStorage(repeating: 0, count: size)
    let spectrum = SpectrumStorage(rowCount: 1, binCount: size / 2 + 1)
    let power = SampleStorage(repeating: 0, count: size / 2 + 1)
    return stride(from: 0, to: signal.count - frameLength, by: frameStep).map { start in
      for index in 0..<frameLength {
        frame[index] = Float(Double(signal[start + index]) * window[index])
      }
      fft.forward(frame.buffer(at: 0, count: size), into: spectrum[0])
      spectrum[0].power(into: power.buffer(at: 0, count: size / 2 + 1))
      return edges.map { edge in
        (edge.0..<edge.1).reduce(0.0) { $0 + Double(power[$1]) }.squareRoot()
      }
    }
  }

  private static func correlation(_ a: [Double], _ b: [Double]) -> Double {
    let (meanA, meanB) = (
      a.reduce(0, +) / Double(a.count), b.reduce(0, +) / Double(b.count)
    )
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    for (x, y) in zip(a, b) {
      ab += (x - meanA) * (y - meanB)
      aa += (x - meanA) * (x - meanA)
      bb += (y - meanB) * (y - meanB)
    }
    return ab / ((aa * bb).squareRoot() + 1e-20)
  }
}
