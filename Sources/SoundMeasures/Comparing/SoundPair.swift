/// Two sounds with the same number of channels; samples that are not finite are replaced with 0.
struct SoundPair {
  let sound: [[Float]]
  let reference: [[Float]]
  /// The contents of one sound: the number of samples that are not finite, the first frame with
  /// one, and whether all other samples are 0.
  struct Content {
    var spoilt = 0
    var firstSpoilt = Int.max
    var isSilent = true
  }
  let soundContent: Content
  let referenceContent: Content
  private let original: [[Float]]
  private let originalReference: [[Float]]

  init(_ sound: Sound, _ reference: Sound) {
    original = sound.channels
    originalReference = reference.channels
    (self.sound, soundContent) = Self.finite(sound)
    (self.reference, referenceContent) = Self.finite(reference)
  }

  private static func finite(_ sound: Sound) -> ([[Float]], Content) {
    var content = Content()
    let channels = sound.channels.map { channel in
      var channel = channel
      for frame in channel.indices {
        let size = channel[frame].magnitude
        if size <= .greatestFiniteMagnitude {
          if size > 0 { content.isSilent = false }
        } else {
          channel[frame] = 0
          content.spoilt += 1
          content.firstSpoilt = min(content.firstSpoilt, frame)
        }
      }
      return channel
    }
    return (channels, content)
  }

  var isSilent: Bool { soundContent.isSilent || referenceContent.isSilent }

  var count: Int { reference.first?.count ?? 0 }
  var soundCount: Int { sound.first?.count ?? 0 }

  /// The frames of the reference at which the sound overlaps and can be read.
  func common(_ offset: Double) -> Range<Int> {
    let delay = FractionalDelay(offset)
    var low = max(0, -delay.whole)
    var high = min(count, soundCount - delay.whole)
    if !delay.isWhole {
      // A filter that reaches beyond the end of a sound is right where that end is silent.
      let edge = FractionalDelay.longest
      if sound.contains(where: { $0.prefix(edge).contains { $0 != 0 } }) {
        low = max(low, edge - delay.whole)
      }
      if sound.contains(where: { $0.suffix(edge).contains { $0 != 0 } }) {
        high = min(high, soundCount - delay.whole - edge)
      }
    }
    return low..<max(low, high)
  }

  /// The alignment of all channels together; or, where a channel alone fits far better, of that
  /// channel.
  func alignment(most: Int) -> SoundAlignment {
    var best = SoundAlignment(sound, to: reference, most: most)
    guard sound.count > 1, !best.isFound || best.rest > 1e-4 else { return best }
    let together = best
    for channel in sound.indices.prefix(8) {
      let alone = SoundAlignment([sound[channel]], to: [reference[channel]], most: most)
      // A single channel always fits a little better.
      if alone.isFound, alone.rest < 0.1 * together.rest, alone.rest < best.rest { best = alone }
    }
    return best
  }

  /// The gains with the smallest residual.
  struct Fit {
    /// For each channel, Σ sound · reference and Σ reference².
    var sums: [(Double, Double)]

    /// The linear gain over some channels; `nil` where one of the two is silent.
    func gain(of channels: [Int]) -> Double? {
      let sum = channels.reduce((0, 0)) { ($0.0 + sums[$1].0, $0.1 + sums[$1].1) }
      let gain = sum.0 / sum.1
      return gain.isFinite && gain != 0 ? gain : nil
    }

    var gain: Double? { gain(of: Array(sums.indices)) }
    var channels: [Double?] { sums.indices.map { gain(of: [$0]) } }
  }

  func fit(_ offset: Double, _ frames: Range<Int>) -> Fit {
    var sums = sound.map { _ in (0.0, 0.0) }
    walk(offset, frames) { channel, moved, frames in
      var (sr, rr) = sums[channel]
      let other = reference[channel]
      for (index, frame) in frames.enumerated() {
        let r = Double(other[frame])
        sr += moved[index] * r
        rr += r * r
      }
      sums[channel] = (sr, rr)
    }
    return Fit(sums: sums)
  }

  /// Calls the body for each part of a range and each channel, with the sound read at the offset.
  func walk(
    _ offset: Double, _ frames: Range<Int>, part: Int = 8192,
    _ body: (_ channel: Int, _ moved: [Double], _ frames: Range<Int>) -> Void
  ) {
    let delay = FractionalDelay(offset)
    for start in stride(from: frames.lowerBound, to: frames.upperBound, by: part) {
      let range = start..<min(start + part, frames.upperBound)
      for channel in sound.indices { body(channel, delay.read(sound[channel], range), range) }
    }
  }

  /// The number of sample pairs of which at least one is not finite and whose bits differ.
  func unmatched(_ offset: Double, _ frames: Range<Int>) -> Int {
    let lag = Int(offset.rounded())
    var unmatched = 0
    for (channel, other) in zip(original, originalReference) {
      for frame in frames {
        let place = frame + lag
        guard channel.indices.contains(place) else { continue }
        let (left, right) = (channel[place], other[frame])
        if left.isFinite && right.isFinite || left.bitPattern == right.bitPattern { continue }
        unmatched += 1
      }
    }
    return unmatched
  }
}
