/// A click: a jump in a sound.
public struct Click: Hashable, Sendable {
  /// From 0.
  public var channel: Int
  /// The first frame after the jump.
  public var frame: Int
  /// The height of the jump, in dBFS: 0 is a step from silence to full scale.
  public var size: Double
}

extension Sound {
  /// The jumps that do not belong to the sound around them, in the order of channels and frames: a
  /// lasting step, a single sample that is off, a splice, or a short run of zeros.
  ///
  /// A linear prediction removes what follows from earlier samples (see `Whitening`). The residual
  /// is matched with the residual of a step. A jump counts where all of this holds:
  /// - It is four times as high as any other within 60 ms on either side, so waves that jump in
  ///   each period and the pulses of a voice do not count. It is forty times the residual within 10
  ///   ms.
  /// - It has the shape of a step, an impulse or both: these explain three quarters of the
  ///   residual. The attack of a drum has another shape.
  /// - It is at most 38 dB below the level within 50 ms, and above -60 dBFS.
  /// - Where the 10 ms after it are four times as loud as the 10 ms before it, a sound begins
  ///   there, and the shape has to explain 90 %.
  /// - It is no edge of digital silence, which begins or ends a sound or is a gate that shuts at
  ///   once. A run of zeros of 0.5 to 2 ms inside a sound is a click, at its first frame; longer
  ///   runs are `dropouts(atLeast:)`.
  ///
  /// Single samples that are off are also looked for separately: see `Impulses`.
  ///
  /// A jump that the sound masks is not found: for instance a step of -50 dBFS in noise, in the
  /// hiss of a voice, or in waves with jumps of their own.
  public func clicks() -> [Click] {
    channels.enumerated().flatMap { number, samples in
      let search = ClickSearch(samples, rate: sampleRate)
      let holes = DropoutSearch(samples: samples, rate: sampleRate)
        .places(atLeast: max(2, Int(0.000_5 * sampleRate)), isHard: false)
        .filter { Double($0.count) <= 0.002 * sampleRate && samples[$0.lowerBound] == 0 }
      let steps = search.clicks(apartFrom: holes)
      let apart = max(64, Int(sampleRate * 0.005))
      let impulses = Impulses.places(in: samples, rate: sampleRate).filter { impulse in
        !steps.contains { abs($0.frame - impulse.frame) < apart }
      }
      return (steps + impulses).sorted { $0.frame < $1.frame }.map {
        Click(channel: number, frame: $0.frame, size: decibels($0.size))
      }
    }
  }
}

/// Looks for clicks in a channel.
private struct ClickSearch {
  private let samples: [Float]
  private let rate: Double
  private let whitening: Whitening
  /// Running sums of the squared matches: entry n covers the frames before n.
  private var energies = [0.0]
  /// The highest match of each millisecond.
  private var tops: [Float] = []
  /// Frames of a millisecond.
  private let unit: Int
  /// Milliseconds on either side of a jump that its own matches fill.
  private let guardUnits: Int

  init(_ samples: [Float], rate: Double) {
    self.samples = samples
    self.rate = rate
    unit = max(4, Int(rate / 1000))
    guardUnits = max(3, (Whitening.order + unit) / unit)
    whitening = Whitening(samples, rate: rate)
    energies.reserveCapacity(samples.count + 1)
    var sum = 0.0
    var top: Float = 0
    for (frame, match) in whitening.matches.enumerated() {
      sum += Double(match) * Double(match)
      energies.append(sum)
      top = max(top, match.magnitude)
      if frame % unit == unit - 1 || frame == samples.count - 1 {
        tops.append(top)
        top = 0
      }
    }
  }

  func clicks(apartFrom holes: [Range<Int>]) -> [(frame: Int, size: Double)] {
    let stills = stillRuns()
    var clicks = holes.map { hole in
      let edges = [hole.lowerBound - 1, hole.upperBound].map { Double(samples[$0].magnitude) }
      return (frame: hole.lowerBound, size: max(edges[0], edges[1]))
    }.filter { isLoud($0.size, at: $0.frame) }
    let reach = guardUnits * unit
    var last: (frame: Int, match: Float)?
    for number in tops.indices {
      let siblings = max(
        tops[max(0, number - 60)..<max(0, number - guardUnits)].max() ?? 0,
        tops[min(tops.count, number + guardUnits + 1)..<min(tops.count, number + 61)].max() ?? 0)
      guard tops[number] > 4 * siblings, let click = click(in: number),
        !stills.contains(where: { isEdge(of: $0, click.frame, stills) }),
        !holes.contains(where: {
          click.frame > $0.lowerBound - reach && click.frame < $0.upperBound + reach
        })
      else { continue }
      // Neighbouring milliseconds may see the same jump.
      if let last, click.frame - last.frame < reach {
        if click.match <= last.match { continue }
        clicks.removeLast()
      }
      last = (click.frame, click.match)
      clicks.append((click.frame, click.size))
    }
    return clicks.sorted { $0.frame < $1.frame }
  }

  /// The highest match of a millisecond, where it is a jump.
  private func click(in number: Int) -> (frame: Int, size: Double, match: Float)? {
    let matches = whitening.matches
    let range = number * unit..<min(samples.count, (number + 1) * unit)
    guard let frame = range.max(by: { matches[$0].magnitude < matches[$1].magnitude }) else {
      return nil
    }
    // Next to the ends of a sound the prediction has no full past, or the match no full future.
    let reach = guardUnits * unit
    guard frame >= 3 * unit && frame < samples.count - reach else { return nil }
    let match = Double(matches[frame].magnitude)
    let beside = max(
      rootMeanSquare(frame - reach - 7 * unit..<frame - reach),
      rootMeanSquare(frame + reach..<frame + reach + 7 * unit))
    guard match > 40 * beside else { return nil }
    let size = whitening.height(of: match, at: frame)
    guard isLoud(size, at: frame) else { return nil }
    // 1e-5: a step in silence is not the beginning of a sound.
    let before = deviation(frame - 10 * unit..<frame)
    let isBeginning = deviation(frame..<frame + 10 * unit) > 4 * before + 1e-5
    guard whitening.explained(at: frame) > (isBeginning ? 0.9 : 0.75) else { return nil }
    return (frame, size, matches[frame].magnitude)
  }

  private func isLoud(_ size: Double, at frame: Int) -> Bool {
    size > 0.001 && size > 0.012 * deviation(frame - 50 * unit..<frame + 50 * unit)
  }

  /// The root mean square of the matches.
  private func rootMeanSquare(_ range: Range<Int>) -> Double {
    let range = range.clamped(to: samples.indices)
    guard !range.isEmpty else { return 0 }
    let sum = max(0, energies[range.upperBound] - energies[range.lowerBound])
    return (sum / Double(range.count)).squareRoot()
  }

  /// The standard deviation of the samples.
  private func deviation(_ range: Range<Int>) -> Double {
    let part = samples[range.clamped(to: samples.indices)]
    let (sum, squares) = (SampleSums.sum(part.span), SampleSums.squares(part.span))
    let count = Double(max(1, sum.count))
    let mean = sum.value / count
    return max(0, squares.value / count - mean * mean).squareRoot()
  }

  // MARK: Digital silence

  /// Runs of equal samples of at least 1 ms.
  private func stillRuns() -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    while start < samples.count {
      var end = start + 1
      while end < samples.count && samples[end] == samples[start] { end += 1 }
      if end - start >= unit { runs.append(start..<end) }
      start = end
    }
    return runs
  }

  /// Whether a frame is at an edge of a run of zeros with no other such run on its other side.
  private func isEdge(of run: Range<Int>, _ frame: Int, _ runs: [Range<Int>]) -> Bool {
    guard samples[run.lowerBound] == 0 else { return false }
    let reach = (guardUnits + 1) * unit
    let isBefore = abs(run.upperBound - frame) <= reach
    let isBehind = abs(run.lowerBound - frame) <= reach
    guard isBefore || isBehind else { return false }
    return !runs.contains {
      $0 != run
        && (isBefore ? abs($0.lowerBound - frame) <= reach : abs($0.upperBound - frame) <= reach)
    }
  }
}
