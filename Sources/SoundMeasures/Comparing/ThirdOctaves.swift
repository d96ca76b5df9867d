import Glibc
import RenderCore

/// Mean squares in thirds of an octave.
struct ThirdOctaves {
  /// In Hz.
  let middles: [Double]
  private let length: Int
  /// The bins of each, and the share of the first and the last that belongs to it.
  private let edges: [(low: Double, high: Double)]
  private let window: [Float]

  /// - Parameter frameCount: How much sound there is: the bands begin where that is long enough.
  init(sampleRate: Double, frameCount: Int) {
    // A bin is narrower than the lowest band from 20 Hz up, where the sound is as long as that takes.
    var length = 256
    while length < 1 << 18, Double(length) < sampleRate / 2.5, length < frameCount { length *= 2 }
    self.length = length
    // Of a fourth of its length from one to the next, the squares add up to 1.5.
    window = (0..<length).map {
      Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)))
    }
    let binWidth = sampleRate / Double(length)
    var middles: [Double] = []
    var edges: [(low: Double, high: Double)] = []
    // IEC 61260: middles at powers of ten by tenths.
    for tenth in 10...53 {
      let middle = pow(10, Double(tenth) / 10)
      let low = pow(10, Double(tenth) / 10 - 0.05) / binWidth
      let high = min(pow(10, Double(tenth) / 10 + 0.05) / binWidth, Double(length / 2) + 0.5)
      guard low < Double(length / 2), high > low, tenth >= 13 || binWidth < middle * 0.2 else {
        continue
      }
      // What is below the lowest belongs to it.
      middles.append(middle)
      edges.append((edges.isEmpty ? -0.5 : low, high))
    }
    if let first = edges.firstIndex(where: { $0.high >= 1.5 }), first > 0 {
      // No bin is theirs.
      middles.removeFirst(first)
      edges.removeFirst(first)
      edges[0].low = -0.5
    }
    self.middles = middles
    self.edges = edges
  }

  /// The mean square of each band, of some frames of a channel.
  func powers(of samples: [Float], _ frames: Range<Int>) -> [Double] {
    var sums = [Double](repeating: 0, count: middles.count)
    // Floats would lose what is small.
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
        // At 0 Hz and at half the rate there is one line where elsewhere there are two.
        let isEnd = bin == 0 || bin == bins - 1
        sums[band] += power[bin] * max(0, min(1, share)) * scale * (isEnd ? 1 : 2)
      }
    }
    return sums
  }
}
