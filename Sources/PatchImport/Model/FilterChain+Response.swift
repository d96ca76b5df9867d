import Glibc

extension FilterChain.Kind {
  /// The gains in decibels at several frequencies in hertz; `nil` for stages that are not a linear
  /// filter of one channel, and for responses in files.
  func decibels(at frequencies: [Double], sampleRate: Double) -> [Double]? {
    func filter(_ b: [Double], _ a: [Double]) -> [Double] {
      frequencies.map { FrequencyResponse.decibels(b, a, at: $0, sampleRate: sampleRate) }
    }
    switch self {
    case .section(let section):
      let coefficients = section.coefficients(sampleRate: sampleRate)
      return filter(coefficients.b, coefficients.a)
    case .gain(let gain, _): return frequencies.map { _ in gain }
    case .mute: return frequencies.map { _ in -.infinity }
    case .delay: return frequencies.map { _ in 0 }
    case .recursive(let b, let a): return filter(b, a)
    case .taps(let taps): return filter(taps, [1])
    case .curve(let points):
      return frequencies.map { FilterChain.decibels(of: points, at: $0) }
    case .mix, .convolution, .clip, .clamp, .processor, .spatializer: return nil
    }
  }
}

extension FilterChain {
  /// The gain of a channel at a frequency, in decibels; `nil` where a stage of the channel mixes
  /// channels or has an unknown response.
  public func decibels(ofChannel channel: Int, at frequency: Double) -> Double? {
    decibels(ofChannel: channel, at: [frequency])?[0]
  }

  func decibels(ofChannel channel: Int, at frequencies: [Double]) -> [Double]? {
    var sums = frequencies.map { _ in 0.0 }
    for stage in stages where stage.channels?.contains(channel) ?? true {
      guard let gains = stage.kind.decibels(at: frequencies, sampleRate: sampleRate) else {
        return nil
      }
      for (index, gain) in gains.enumerated() { sums[index] += gain }
    }
    return sums
  }

  /// The greatest gain of all channels from 20 Hz to 20 kHz, in decibels, and its frequency in
  /// hertz; `nil` where the response is unknown. It is computed at 24 frequencies an octave and at
  /// the frequencies of the first 256 stages.
  public var greatestGain: (decibels: Double, frequency: Double)? {
    let end = min(20_000, sampleRate * 0.49)
    var frequencies = (0...240).map { 20 * pow(2, Double($0) / 24) }.filter { $0 <= end }
    for stage in stages.prefix(256) {
      if case .section(let section) = stage.kind, section.frequency >= 20, section.frequency <= end
      {
        frequencies.append(section.frequency)
      }
    }
    var greatest: (decibels: Double, frequency: Double)?
    // Channels without stages of their own have the same response: one of them is enough.
    let own = Set(stages.flatMap { $0.channels ?? [] })
    let first = channels.indices.first { !own.contains($0) }
    for channel in channels.indices where own.contains(channel) || channel == first {
      guard let gains = decibels(ofChannel: channel, at: frequencies) else { return nil }
      for (gain, frequency) in zip(gains, frequencies)
      where gain > greatest?.decibels ?? -.infinity {
        greatest = (gain, frequency)
      }
    }
    return greatest
  }

  /// The gain of a curve at a frequency, interpolated linearly over the logarithm of the frequency.
  static func decibels(of points: [CurvePoint], at frequency: Double) -> Double {
    guard let first = points.first, let last = points.last else { return 0 }
    if frequency <= first.frequency { return first.gain }
    if frequency >= last.frequency { return last.gain }
    for (low, high) in zip(points, points.dropFirst())
    where frequency >= low.frequency && frequency < high.frequency {
      let part = log(frequency / low.frequency) / log(high.frequency / low.frequency)
      return low.gain + part * (high.gain - low.gain)
    }
    return last.gain
  }
}
