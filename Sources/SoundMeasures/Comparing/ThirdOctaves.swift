import Glibc
import RenderCore

/// The mean square in each third of an octave.
struct ThirdOctaves {
  /// The centre frequencies, in Hz.
  let middles: [Double]
  private let length: Int
  /// The edges of each band, in bins; a bin at an edge counts by its share.
  private let edges: [(low: Double, high: Double)]
  private let window: [Float]

  /// - Parameter frameCount: The frames of the sound: with more of them the bands begin lower.
  init(sampleRate: Double, frameCount: Int) {
    // Long enough that a bin is narrower than the band at 20 Hz, where the sound is that long.
    var length = 256
    while length < 1 << 18, Double(length) < sampleRate / 2.5, length < frameCount { length *= 2 }
    self.length = length
    // Hann windows a quarter of their length apart: their squares add up to 1.5.
    window = (0..<length).map {
      Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)))
    }
    let binWidth = sampleRate / Double(length)
    var middles: [Double] = []
    var edges: [(low: Double, high: Double)] = []
    // IEC 61260: centres at powers of 10^(1/10).
    for tenth in 10...53 {
      let middle = pow(10, Double(tenth) / 10)
      let low = pow(10, Double(tenth) / 10 - 0.05) / binWidth
      let high = min(pow(10, Double(tenth) / 10 + 0.05) / binWidth, Double(length / 2) + 0.5)
      guard low < Double(length / 2), high > low, tenth >= 13 || binWidth < middle * 0.2 else {
        continue
      }
      // The lowest band includes everything below it.
      middles.append(middle)
      edges.append((edges.isEmpty ? -0.5 : low, high))
    }
    if let first = edges.firstIndex(where: { $0.high >= 1.5 }), first > 0 {
      // Bands without a bin of their own.
      middles.removeFirst(first)
      edges.removeFirst(first)
      edges[0].low = -0.5
    }
    self.middles = middles
    self.edges = edges
  }

  /// The mean square of each band, for a range of frames of a channel.
  func powers(of samples: [Float], _ frames: Range<Int>) -> [Double] {
    var sums = [Double](repeating: 0, count: middles.count)
    // Scaled by the peak: floats would lose small samples.
    var peak: Float = 0
    for frame in frames where samples[frame].magnitude > peak { peak = samples[frame].magnitude }
    guard peak > 0, peak.isFinite, !frames.isEmpty else { return sums }
    var transform = RealFFT(length: length)
    let bins = transform.binCount
    let time = SampleStorage(repeating: 0, count: length)
    let spectrum = SampleStorage(repeating: 0, count: 2 * bins)
    let real = spectrum.buffer(at: 0, count: bins)
    let imaginary = spectrum.buffer(at: bins, count: bins)
    var power = [Double](repeating: 0, count: bins)
    let hop = length / 4
    for start in stride(from: frames.lowerBound - length + hop, to: frames.upperBound, by: hop) {
      time.buffer(at: 0, count: length).clear()
      for frame in (start..<(start + length)).clamped(to: frames) {
        time[frame - start] = samples[frame] / peak * window[frame - start]
      }
      transform.forward(
        time.buffer(at: 0, count: length), real: real, imaginary: imaginary)
      for bin in 0..<bins {
        let (a, b) = (Double(real[bin]), Double(imaginary[bin]))
        power[bin] += a * a + b * b
      }
    }
    let scale =
      Double(peak) * Double(peak) / (1.5 * Double(length) * Double(frames.count))
    for (band, edge) in edges.enumerated() {
      let first = max(0, Int((edge.low + 0.5).rounded(.down)))
      let last = min(bins - 1, Int((edge.high + 0.5).rounded(.down)))
      guard first <= last else { continue }
      for bin in first...last {
        let share =
          min(edge.high, Double(bin) + 0.5) - max(edge.low, Double(bin) - 0.5)
        // The bins at 0 Hz and at half the rate have no mirror image.
        let isEnd = bin == 0 || bin == bins - 1
        sums[band] += power[bin] * max(0, min(1, share)) * scale * (isEnd ? 1 : 2)
      }
    }
    return sums
  }
}
