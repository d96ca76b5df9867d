/// The offset and the gain that make a sound most like another.
struct SoundAlignment {
  /// The frames by which the sound is late.
  var offset = 0.0
  /// The sound is the reference times this; below 0 where it is inverted.
  var gain = 1.0
  /// Whether the two are correlated at all.
  var isFound = true

  private let sound: [[Float]]
  private let reference: [[Float]]
  private let count: Int
  private let soundCount: Int
  private let soundEnergy: EnergySum
  private let referenceEnergy: EnergySum
  /// The energy of the residual in the loudest blocks, as a share of theirs.
  private(set) var rest = 1.0
  /// Frames of a block.
  private static let block = 1024

  /// - Parameters:
  ///   - sound: The channels, all samples finite.
  ///   - reference: As many channels.
  ///   - most: The greatest offset in either direction, in frames.
  init(_ sound: [[Float]], to reference: [[Float]], most: Int) {
    self.sound = sound
    self.reference = reference
    count = reference.first?.count ?? 0
    soundCount = sound.first?.count ?? 0
    soundEnergy = EnergySum(sound)
    referenceEnergy = EnergySum(reference)
    let found = OffsetSearch(sound, in: reference, most: most)?.candidates() ?? []
    guard let best = choose(found), let strongest = found.first,
      strongest.correlation.magnitude > 0.1
    else {
      isFound = false
      return
    }
    let blocks = loudest(48, around: best.offset)
    // A few blocks for an approximate result, then many to average out noise.
    var fine = refined(best, Array(blocks.prefix(6)), half: FractionalDelay.longest, rounds: 12)
    fine = refined(fine, blocks, half: FractionalDelay.longest, rounds: 3)
    offset = fine.offset
    gain = fine.gain
    rest = measure(fine, blocks, half: FractionalDelay.longest).rest
    snap(fine, blocks)
  }

  private struct Guess {
    var offset: Double
    var gain: Double
    /// The energy of the residual, as a share of the sound's.
    var rest = 1.0
  }

  /// The guess with the smallest residual; among those within a factor of 4, the one that is not
  /// inverted and nearest to 0.
  private func choose(_ candidates: [OffsetSearch.Candidate]) -> Guess? {
    let strongest = candidates.first?.correlation.magnitude ?? 0
    var guesses: [Guess] = []
    for candidate in candidates {
      // After a guess with next to no residual, only candidates of similar strength matter.
      if candidate.correlation.magnitude < 0.6 * strongest,
        guesses.contains(where: { $0.rest < 1e-4 })
      {
        continue
      }
      var guess = Guess(
        offset: Double(candidate.lag) + candidate.fraction,
        gain: candidate.correlation < 0 ? -1 : 1)
      guess = refined(
        guess, loudest(3, around: guess.offset), half: 32, rounds: 5)
      let (rest, _, _) = measure(guess, distinctiveBlocks(guess), half: 32)
      // A short overlap can be alike by chance.
      guess.rest = max(rest, 1e-8) / max(1e-3, candidate.share * candidate.share)
      guesses.append(guess)
    }
    guard let least = guesses.map(\.rest).min() else { return nil }
    return guesses.filter { $0.rest <= least * 4 }.min {
      ($0.gain < 0 ? 1 : 0, $0.offset.magnitude) < ($1.gain < 0 ? 1 : 0, $1.offset.magnitude)
    }
  }

  /// Rounds the offset to a whole frame where the residual does not grow.
  private mutating func snap(_ fine: Guess, _ blocks: [Range<Int>]) {
    let whole = fine.offset.rounded()
    guard (fine.offset - whole).magnitude < 0.004, fine.offset != whole else { return }
    let snapped = measure(
      Guess(offset: whole, gain: fine.gain), blocks, half: FractionalDelay.longest)
    guard snapped.rest <= rest * 1.001 + 1e-15 else { return }
    offset = whole
    gain = snapped.gain
    rest = snapped.rest
  }

  // MARK: Where it looks

  /// The frames of the reference that overlap the sound, without a margin at either end.
  private func common(_ offset: Double) -> Range<Int> {
    let low = max(0, Int((-offset).rounded(.up)))
    let high = max(low, min(count, Int((Double(soundCount) - offset).rounded(.down))))
    // The filter is wrong where it reaches beyond the end of a sound that is cut off there.
    let margin = min(FractionalDelay.longest, (high - low) / 8)
    return (low + margin)..<(high - margin)
  }

  private func blocks(_ offset: Double) -> [Range<Int>] {
    let common = common(offset)
    return stride(from: common.lowerBound, to: common.upperBound, by: Self.block).map {
      $0..<min($0 + Self.block, common.upperBound)
    }
  }

  private func loudest(_ most: Int, around offset: Double) -> [Range<Int>] {
    let all = blocks(offset)
    return all.map { ($0, referenceEnergy[$0]) }.sorted { $0.1 > $1.1 }.prefix(most).map(\.0)
  }

  /// Blocks that distinguish the right guess from one that is a period off: those whose levels
  /// differ most, the loudest, and some spread over the sound.
  private func distinctiveBlocks(_ guess: Guess) -> [Range<Int>] {
    let all = blocks(guess.offset)
    guard all.count > 14 else { return all }
    let lag = Int(guess.offset.rounded())
    let levels = all.map { frames in
      (
        soundEnergy[(frames.lowerBound + lag)..<(frames.upperBound + lag)],
        referenceEnergy[frames]
      )
    }
    let sums = levels.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    let scale = sums.1 > 0 ? sums.0 / sums.1 : 1
    let order = all.indices.sorted {
      (levels[$0].0 - scale * levels[$0].1).magnitude
        > (levels[$1].0 - scale * levels[$1].1).magnitude
    }
    let loud = all.indices.sorted { levels[$0].1 > levels[$1].1 }
    var chosen = Set(order.prefix(6) + loud.prefix(4))
    for part in 0..<4 { chosen.insert(part * (all.count - 1) / 3) }
    return chosen.sorted().map { all[$0] }
  }

  // MARK: Least squares

  /// Gauss-Newton steps to the offset and the gain with the smallest residual.
  private func refined(
    _ guess: Guess, _ blocks: [Range<Int>], half: Int, rounds: Int
  ) -> Guess {
    let taps = FractionalDelay.derivative(half: half)
    let slopes = blocks.map { frames in
      reference.map { FractionalDelay.slope($0, frames, taps) }
    }
    var best = guess
    var offset = guess.offset
    for _ in 0..<rounds {
      let delay = FractionalDelay(offset, half: half)
      // Sound s, reference r and its slope q: s is about gain * r - step * gain * q.
      var (sr, sq, rr, rq, qq) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for (frames, slopes) in zip(blocks, slopes) {
        for channel in reference.indices {
          let moved = delay.read(sound[channel], frames)
          let slope = slopes[channel]
          for (index, frame) in frames.enumerated() {
            let (s, r, q) = (moved[index], Double(reference[channel][frame]), slope[index])
            sr += s * r
            sq += s * q
            rr += r * r
            rq += r * q
            qq += q * q
          }
        }
      }
      let determinant = rr * qq - rq * rq
      guard determinant > 1e-12 * rr * qq, rr > 0 else { break }
      let gain = (sr * qq - sq * rq) / determinant
      let turn = (sq * rr - sr * rq) / determinant
      guard gain != 0 else { break }
      var step = -turn / gain
      guard step.isFinite else { break }
      step = min(0.5, max(-0.5, step))
      best.gain = gain
      // Another peak belongs to another candidate.
      guard (offset + step - guess.offset).magnitude < 2 else { break }
      offset += step
      best.offset = offset
      if step.magnitude < 1e-11 * max(1, offset.magnitude) { break }
    }
    return best
  }

  /// The residual of a guess, and the gain that minimizes it.
  private func measure(
    _ guess: Guess, _ blocks: [Range<Int>], half: Int
  ) -> (rest: Double, gain: Double, energy: Double) {
    let delay = FractionalDelay(guess.offset, half: half)
    var (ss, sr, rr) = (0.0, 0.0, 0.0)
    var pairs: [([Double], [Float])] = []
    for frames in blocks {
      for channel in reference.indices {
        let moved = delay.read(sound[channel], frames)
        let other = Array(reference[channel][frames])
        for index in moved.indices {
          let (s, r) = (moved[index], Double(other[index]))
          ss += s * s
          sr += s * r
          rr += r * r
        }
        pairs.append((moved, other))
      }
    }
    guard ss > 0, rr > 0 else { return (1, guess.gain, ss) }
    let gain = sr / rr
    // Not from the sums, which cancel.
    var rest = 0.0
    for (moved, other) in pairs {
      for index in moved.indices {
        let difference = moved[index] - gain * Double(other[index])
        rest += difference * difference
      }
    }
    return (rest / ss, gain, ss)
  }
}
