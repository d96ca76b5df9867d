import RenderCore

/// Finds how many hops an echo is late, and holds back what was played by as much.
///
/// The loudness of each hop is reduced to a few bits: whether each of 24 bands from 200 Hz to 3.8 kHz is
/// louder than it usually is. The delay at which the bits of the microphone differ least from those of
/// the loudspeaker, averaged over a second of speech, is the echo's (B. Volcker and J. Schnitger's
/// binary spectra, as they are known from conference systems). A filter that covers a room needs it to
/// the hop at most.
struct DelaySearch: ~Copyable {
  /// Whether a delay is looked for at all.
  var isOn: Bool { @_noLocks get { longest > 0 } }
  /// In hops.
  private(set) var delay = 0

  private let hop: Int
  private let longest: Int
  private var fft: RealFFT
  private let frame: SampleStorage
  private let spectrum: SpectrumStorage
  private let power: SampleStorage
  private let bands: SampleStorage
  /// Hops that have been played, as a ring of `longest + 1`.
  private let history: SampleStorage
  private let bits: SampleStorage
  private let distances: SampleStorage
  private var newest = 0
  private var heard = 0
  private var compared = 0
  private var candidate = 0
  private var agreement = 0
  private var hasFound = false
  private let width: Double

  private static var bandCount: Int { @_noLocks get { 24 } }

  init(hop: Int, sampleRate: Double, longest: Int) {
    self.hop = hop
    self.longest = longest
    width = sampleRate / Double(2 * hop)
    fft = RealFFT(length: 2 * hop)
    frame = SampleStorage(repeating: 0, count: 4 * hop)
    spectrum = SpectrumStorage(rowCount: 1, binCount: hop + 1)
    power = SampleStorage(repeating: 0, count: hop + 1)
    bands = SampleStorage(repeating: 0, count: 2 * Self.bandCount)
    history = SampleStorage(repeating: 0, count: (longest + 1) * hop)
    bits = SampleStorage(repeating: 0, count: longest + 1)
    distances = SampleStorage(repeating: 12, count: longest + 1)
  }

  /// Puts what was played `delay` hops ago in the place of what is played, after looking whether the
  /// delay is another one.
  ///
  /// - Parameter isFound: Whether an echo is being taken out as it is: then nothing changes.
  /// - Returns: Whether the delay is another one.
  @_noLocks
  mutating func align(_ far: ChannelBuffer, _ near: ChannelBuffer, isFound: Bool) -> Bool {
    newest = newest == longest ? 0 : newest + 1
    history.buffer(at: newest * hop, count: hop).copy(from: far)
    let played = signature(far, 0)
    bits[newest] = Float(bitPattern: played)
    let isLoud = far.energy() > 1e-6 * Float(hop)
    let now = signature(near, 1)
    if near.energy() > 1e-6 * Float(hop) {
      // The mean of what there is, until there is a second of it.
      compared += 1
      let rate = compared < 100 ? 1 / Float(compared) : 0.01
      for ago in 0...longest {
        let differing = (bits[row(ago)].bitPattern ^ now).nonzeroBitCount
        distances[ago] += rate * (Float(differing) - distances[ago])
      }
      if isLoud { heard += 1 }
    }
    let isNew = isFound ? false : choose()
    far.copy(from: history.buffer(at: row(delay) * hop, count: hop))
    return isNew
  }

  @_noLocks
  private func row(_ ago: Int) -> Int {
    let row = newest - ago
    return row < 0 ? row + longest + 1 : row
  }

  /// Takes a new delay where it has been the best one for some time, and clearly.
  @_noLocks
  private mutating func choose() -> Bool {
    guard heard > 40 else { return false }
    var best = 0
    var mean: Float = 0
    for ago in 0...longest {
      mean += distances[ago]
      if distances[ago] < distances[best] { best = ago }
    }
    mean /= Float(longest + 1)
    guard distances[best] < mean - (hasFound ? 1.25 : 1) else {
      agreement = 0
      return false
    }
    let isSame = best >= candidate - 1 && best <= candidate + 1
    candidate = best
    agreement = isSame ? agreement + 1 : 0
    // At first there is nothing to lose.
    guard agreement > (hasFound ? 30 : 20) else { return false }
    hasFound = true
    // A hop of margin; and what the filter covers anyhow needs no other delay.
    let wanted = best > 2 ? best - 2 : 0
    let change = wanted - delay
    guard change < -2 || change > 3 else { return false }
    delay = wanted
    agreement = 0
    return true
  }

  /// A bit for each band: whether it is louder than it has been.
  @_noLocks
  private mutating func signature(_ samples: ChannelBuffer, _ side: Int) -> UInt32 {
    let frame = frame.buffer(at: side * 2 * hop, count: 2 * hop)
    frame.copy(from: frame.dropping(hop))
    frame.dropping(hop).copy(from: samples)
    fft.forward(frame, into: spectrum[0])
    let power = power.buffer(at: 0, count: hop + 1)
    spectrum[0].power(into: power)
    var result: UInt32 = 0
    for band in 0..<Self.bandCount {
      let first = Int((200 + 150 * Double(band)) / width)
      let end = Int((350 + 150 * Double(band)) / width)
      var sum: Float = 0
      for bin in first..<(end > first ? end : first + 1) where bin <= hop { sum += power[bin] }
      let index = side * Self.bandCount + band
      if sum > bands[index] { result |= 1 << UInt32(band) }
      bands[index] += 0.02 * (sum - bands[index])
    }
    return result
  }
}
