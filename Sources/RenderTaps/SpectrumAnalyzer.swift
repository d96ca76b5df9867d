import AudioTypes
import Glibc
import RenderCore

/// Computes spectra, and averages of them.
struct SpectrumAnalyzer: ~Copyable, Sendable {
  private let size: Int
  private let hop: Int
  private let sampleRate: Double
  /// The weight of a new spectrum in the running average.
  private let share: Double
  private let window: [Float]
  /// Converts the squared magnitude of a bin to the squared amplitude of a sine.
  private let scale: Double
  /// The frames of the observed channels, one channel after the other.
  private let history: SampleStorage
  private let channelCount: Int
  private var filled = 0
  private var transform: RealFFT
  private let windowed: SampleStorage
  private let spectrum: SpectrumStorage
  /// In squared amplitudes, for each bin.
  private var recent: [Double]
  private var sum: [Double]
  private var spectrumCount = 0
  private var frameCount = 0

  init(_ tap: SpectrumTap, _ format: StreamFormat) {
    size = tap.size
    hop = max(1, Int((Double(tap.size) * (1 - tap.overlap)).rounded()))
    sampleRate = format.sampleRate
    share =
      tap.averaging > 0 ? -expm1(-Double(hop) / (tap.averaging * format.sampleRate)) : 1
    let values = tap.window.values(tap.size)
    let gain = values.reduce(0, +)
    window = values.map { Float($0) }
    scale = 4 / (gain * gain)
    channelCount = tap.channel == nil ? format.channelCount : 1
    history = SampleStorage(repeating: 0, count: size * channelCount)
    transform = RealFFT(length: size)
    windowed = SampleStorage(repeating: 0, count: size)
    spectrum = SpectrumStorage(rowCount: 1, binCount: size / 2 + 1)
    recent = [Double](repeating: 0, count: size / 2 + 1)
    sum = recent
  }

  /// Takes the next frames: the observed `channels` of `stride` interleaved ones.
  mutating func add(
    _ samples: [Double], frameCount count: Int, channels: ClosedRange<Int>, of stride: Int
  ) {
    var done = 0
    while done < count {
      let length = min(size - filled, count - done)
      for (row, channel) in channels.enumerated() {
        let lane = history.buffer(at: row * size + filled, count: length)
        for frame in 0..<length {
          lane[frame] = Float(samples[(done + frame) * stride + channel])
        }
      }
      done += length
      filled += length
      frameCount += length
      if filled == size { analyze() }
    }
  }

  private mutating func analyze() {
    var power = [Double](repeating: 0, count: recent.count)
    let bins = spectrum[0]
    for channel in 0..<channelCount {
      let lane = history.buffer(at: channel * size, count: size)
      for frame in 0..<size { windowed[frame] = lane[frame] * window[frame] }
      transform.forward(windowed.buffer(at: 0, count: size), into: bins)
      for bin in power.indices {
        let real = Double(bins.real[bin])
        let imaginary = Double(bins.imaginary[bin])
        let value = real * real + imaginary * imaginary
        // Only samples above 1e30 overflow.
        power[bin] += value.isFinite ? value : 1e76
      }
      // Keep the overlap for the next spectrum. Copied forwards, so that the ranges may overlap.
      for frame in hop..<max(hop, size) { lane[frame - hop] = lane[frame] }
    }
    filled = size - hop
    let scale = scale / Double(channelCount)
    for bin in power.indices {
      // The ends have one line, where other bins have two: of positive and negative frequency.
      let isEnd = bin == 0 || bin == power.count - 1
      power[bin] *= isEnd ? scale / 4 : scale
      sum[bin] += power[bin]
      recent[bin] =
        spectrumCount == 0 ? power[bin] : recent[bin] + share * (power[bin] - recent[bin])
    }
    spectrumCount += 1
  }

  var reading: SpectrumReading {
    let count = Double(spectrumCount)
    return SpectrumReading(
      frameCount: frameCount, spectrumCount: spectrumCount, binWidth: sampleRate / Double(size),
      recent: curve(recent), overall: curve(sum.map { $0 / count }))
  }

  private func curve(_ power: [Double]) -> SpectrumReading.Curve {
    guard spectrumCount > 0 else {
      return SpectrumReading.Curve(levels: [], peakFrequency: nil, peakLevel: -.infinity)
    }
    var strongest = 0
    for bin in power.indices where power[bin] > power[strongest] { strongest = bin }
    return SpectrumReading.Curve(
      levels: power.map { Float(10 * log10($0)) },
      peakFrequency: power[strongest] > 0
        ? (Double(strongest) + offset(power, strongest)) * sampleRate / Double(size) : nil,
      peakLevel: 10 * log10(power[strongest]))
  }

  /// The distance of a sine from the centre of its bin, by a parabola through three levels.
  private func offset(_ power: [Double], _ bin: Int) -> Double {
    guard bin > 0, bin < power.count - 1, power[bin - 1] > 0, power[bin + 1] > 0 else { return 0 }
    let (left, middle, right) = (log(power[bin - 1]), log(power[bin]), log(power[bin + 1]))
    let bend = left - 2 * middle + right
    return bend < 0 ? max(-0.5, min(0.5, (left - right) / (2 * bend))) : 0
  }
}
