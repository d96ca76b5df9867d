import RenderCore

/// Finds the lags, in whole frames, at which a sound may be a delayed copy of a reference.
///
/// It adds up the cross-correlations of the channels, by Fourier transforms, and looks at the sum
/// in three ways: as it is; divided by the level of the parts that overlap at each lag; and
/// whitened, which tells the echoes of a coloured sound from its onset (Knapp and Carter, "The
/// generalized correlation method for estimation of time delay", 1976).
struct OffsetSearch {
  struct Candidate {
    /// Frames by which the sound is late.
    var lag: Int
    /// The fraction of a frame to add to the lag, by the parabola through its neighbours.
    var fraction: Double
    /// The correlation of the overlapping parts, -1 to 1.
    var correlation: Double
    /// The share of its energy that a sound has in the overlap, 0 to 1: the smaller of the two.
    var share: Double
  }

  private let sound: [[Float]]
  private let reference: [[Float]]
  private let lags: ClosedRange<Int>
  private let soundEnergy: EnergySum
  private let referenceEnergy: EnergySum
  /// The correlation for each lag.
  private var plain: [Float] = []
  private var whitened: [Float] = []

  /// - Parameters:
  ///   - sound: The channels, all samples finite.
  ///   - reference: As many channels.
  ///   - most: The greatest lag in either direction, in frames.
  init?(_ sound: [[Float]], in reference: [[Float]], most: Int) {
    guard let first = sound.first, let other = reference.first, first.count > 0, other.count > 0
    else { return nil }
    lags = -min(most, other.count - 1)...min(most, first.count - 1)
    self.sound = Self.leveled(sound)
    self.reference = Self.leveled(reference)
    soundEnergy = EnergySum(self.sound)
    referenceEnergy = EnergySum(self.reference)
    guard soundEnergy.all > 0, referenceEnergy.all > 0 else { return nil }
    correlate(other.count)
  }

  /// The channels without their means, scaled to a peak of 1.
  private static func leveled(_ channels: [[Float]]) -> [[Float]] {
    let means = channels.map { channel in
      channel.reduce(0.0) { $0 + Double($1) } / Double(max(1, channel.count))
    }
    var peak = 0.0
    for (channel, mean) in zip(channels, means) {
      for sample in channel { peak = max(peak, (Double(sample) - mean).magnitude) }
    }
    guard peak > 0 else { return channels }
    let scale = 1 / peak
    return zip(channels, means).map { channel, mean in
      channel.map { Float((Double($0) - mean) * scale) }
    }
  }

  /// Long sounds are transformed in blocks whose spectra are added up.
  private mutating func correlate(_ count: Int) {
    let span = lags.count
    var length = 1024
    while length < 1 << 24 && length < count + span { length *= 2 }
    // Beyond 2^20, no longer than four times the number of lags.
    while length > 1 << 20 && length / 4 > span { length /= 2 }
    let block = length - span
    var fft = RealFFT(length: length)
    let time = SampleStorage(repeating: 0, count: length)
    let bins = fft.binCount
    let spectra = (0..<4).map { _ in Row(bins) }
    var real = [Float](repeating: 0, count: bins)
    var imaginary = real
    for start in stride(from: 0, to: count, by: block) {
      for (sound, reference) in zip(sound, reference) {
        guard
          Self.put(reference, start..<min(count, start + block), time),
          let (a, b) = Self.transform(&fft, time, spectra[0], spectra[1]),
          Self.put(
            sound, (start + lags.lowerBound)..<(start + block + lags.upperBound), time),
          let (c, d) = Self.transform(&fft, time, spectra[2], spectra[3])
        else { continue }
        for bin in 0..<bins {
          real[bin] += a[bin] * c[bin] + b[bin] * d[bin]
          imaginary[bin] += a[bin] * d[bin] - b[bin] * c[bin]
        }
      }
    }
    plain = back(&fft, real, imaginary, time, spectra)
    var sum = 0.0
    var magnitudes = real
    for bin in 0..<bins {
      let (x, y) = (real[bin], imaginary[bin])
      magnitudes[bin] = (x * x + y * y).squareRoot()
      sum += Double(magnitudes[bin])
    }
    // The floor keeps bins that are nearly empty from becoming as strong as the rest.
    let floor = Float(sum / Double(bins) * 0.01)
    for bin in 0..<bins where magnitudes[bin] > 0 {
      let scale = 1 / (magnitudes[bin] + floor)
      real[bin] *= scale
      imaginary[bin] *= scale
    }
    whitened = back(&fft, real, imaginary, time, spectra)
  }

  private final class Row {
    let storage: SampleStorage
    init(_ count: Int) { storage = SampleStorage(repeating: 0, count: count) }
    var buffer: ChannelBuffer { storage.buffer(at: 0, count: storage.count) }
  }

  /// Writes part of a channel to the start of the buffer; `false` where all of it is silence.
  private static func put(
    _ samples: [Float], _ frames: Range<Int>, _ time: borrowing SampleStorage
  ) -> Bool {
    time.buffer(at: 0, count: time.count).clear()
    var isSilent = true
    for frame in frames.clamped(to: 0..<samples.count) {
      let sample = samples[frame]
      guard sample != 0 else { continue }
      isSilent = false
      time[frame - frames.lowerBound] = sample
    }
    return !isSilent
  }

  private static func transform(
    _ fft: inout RealFFT, _ time: borrowing SampleStorage, _ real: Row, _ imaginary: Row
  ) -> (ChannelBuffer, ChannelBuffer)? {
    fft.forward(
      time.buffer(at: 0, count: time.count), real: real.buffer, imaginary: imaginary.buffer)
    return (real.buffer, imaginary.buffer)
  }

  /// The inverse transform: the correlation for each lag.
  private func back(
    _ fft: inout RealFFT, _ real: [Float], _ imaginary: [Float],
    _ time: borrowing SampleStorage, _ rows: [Row]
  ) -> [Float] {
    let (a, b) = (rows[0].buffer, rows[1].buffer)
    for bin in real.indices {
      a[bin] = real[bin]
      b[bin] = imaginary[bin]
    }
    fft.inverse(real: a, imaginary: b, into: time.buffer(at: 0, count: time.count))
    return (0..<lags.count).map { time[$0] }
  }

  // MARK: Candidates

  /// Sorted by the normalized correlation, the greatest magnitude first.
  func candidates() -> [Candidate] {
    let normalized = normalized()
    var chosen: Set<Int> = []
    for look in [normalized, plain, whitened] {
      chosen.formUnion(Self.greatest(look, count: 10))
    }
    // Where a sound repeats, several lags are equally good: add those nearest to 0.
    let best = normalized.reduce(0) { max($0, $1.magnitude) }
    let middle = -lags.lowerBound
    for sign: Float in [1, -1] {
      var found = 0
      var distance = 0
      func look(_ place: Int) {
        guard place >= 0, place < normalized.count else { return }
        let value = normalized[place] * sign
        guard value >= best * 0.999 || value >= best - 1e-3, Self.isPeak(normalized, place) else {
          return
        }
        chosen.insert(place)
        found += 1
      }
      while distance < lags.count, found < 4 {
        look(middle - distance)
        if distance > 0 { look(middle + distance) }
        distance += 1
      }
    }
    return chosen.map { candidate($0, normalized) }
      .sorted { ($0.correlation.magnitude, -$0.lag) > ($1.correlation.magnitude, -$1.lag) }
  }

  private func shares(_ lag: Int) -> (sound: Double, reference: Double) {
    let common =
      max(0, -lag)..<max(max(0, -lag), min(referenceEnergy.count, soundEnergy.count - lag))
    return (
      soundEnergy[(common.lowerBound + lag)..<(common.upperBound + lag)], referenceEnergy[common]
    )
  }

  private func normalized() -> [Float] {
    let (all, allReference) = (soundEnergy.all, referenceEnergy.all)
    return plain.indices.map { place in
      let (sound, reference) = shares(place + lags.lowerBound)
      // A short overlap can be alike by chance.
      guard sound > all * 0.02, reference > allReference * 0.02 else { return 0 }
      return Float(Double(plain[place]) / (sound * reference).squareRoot())
    }
  }

  private func candidate(_ place: Int, _ normalized: [Float]) -> Candidate {
    let lag = place + lags.lowerBound
    let (sound, reference) = shares(lag)
    var fraction = 0.0
    if place > 0, place + 1 < plain.count {
      let before = Double(plain[place - 1])
      let here = Double(plain[place])
      let after = Double(plain[place + 1])
      let curve = before - 2 * here + after
      if curve != 0 { fraction = min(0.6, max(-0.6, (before - after) / (2 * curve))) }
    }
    return Candidate(
      lag: lag, fraction: fraction, correlation: Double(min(1, max(-1, normalized[place]))),
      share: min(sound / soundEnergy.all, reference / referenceEnergy.all))
  }

  private static func isPeak(_ values: [Float], _ place: Int) -> Bool {
    let here = values[place].magnitude
    return (place == 0 || values[place - 1].magnitude <= here)
      && (place + 1 == values.count || values[place + 1].magnitude <= here)
  }

  /// The places of the greatest peaks, of either sign.
  private static func greatest(_ values: [Float], count: Int) -> [Int] {
    var best: [(place: Int, size: Float)] = []
    for place in values.indices {
      let size = values[place].magnitude
      guard size > (best.count < count ? 0 : best[best.count - 1].size), isPeak(values, place)
      else { continue }
      if best.count == count { best.removeLast() }
      let index = best.firstIndex { $0.size < size } ?? best.count
      best.insert((place, size), at: index)
    }
    return best.map(\.place)
  }
}

/// The energy of any range of a sound, from running sums.
struct EnergySum {
  let count: Int
  private let sums: [Double]
  /// Frames from one sum to the next: ranges are rounded to it.
  private let step: Int

  init(_ channels: [[Float]]) {
    count = channels.first?.count ?? 0
    step = count > 1 << 23 ? 64 : 1
    var sums = [0.0]
    sums.reserveCapacity(count / step + 2)
    var sum = 0.0
    for frame in 0..<count {
      for channel in channels {
        let sample = Double(channel[frame])
        sum += sample * sample
      }
      if (frame + 1) % step == 0 { sums.append(sum) }
    }
    if count % step != 0 { sums.append(sum) }
    self.sums = sums
  }

  var all: Double { sums[sums.count - 1] }

  subscript(frames: Range<Int>) -> Double {
    let low = (frames.lowerBound + step / 2) / step
    let high = (frames.upperBound + step / 2) / step
    return max(0, sums[min(high, sums.count - 1)] - sums[min(low, sums.count - 1)])
  }
}
