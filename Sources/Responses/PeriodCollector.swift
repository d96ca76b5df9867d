import Synchronization

/// Collects the output of a path, one period after another, until it has settled.
///
/// It has settled when no sine changes by more than 1/10,000 of the greatest amplitude from one
/// period to the next; or, from the fifth period on, when the change is below 1 % and hardly
/// shrinks any more, as with samples rounded to 16 bits. It gives up after 45 periods.
///
/// Safe to use from any thread.
public final class PeriodCollector: Sendable {
  /// The sines of the last period.
  struct Outcome: Sendable {
    /// The spectrum of each channel.
    var channels: [PeriodSpectrum]
    /// The greatest change of a sine between the last two periods, relative to the greatest sine.
    var change: Double
    var periodCount: Int
  }

  private struct State {
    let analyzer: ToneAnalyzer
    var periods: [[Double]]
    var filled = 0
    var outcome: Outcome?
    var lastChange = Double.infinity
    var isDone = false
  }

  /// The periods after which it gives up.
  static let mostPeriods = 45

  private let length: Int
  private let channels: [Int]
  private let stride: Int
  private let state: Mutex<State>

  /// - Parameter channels: The channels to collect, of `stride` channels.
  public init(_ tones: ToneSet, channels: [Int], of stride: Int) {
    length = tones.outputPeriod
    self.channels = channels
    self.stride = stride
    let length = length
    let bins = tones.bins.flatMap { [$0, $0 + 1] }
    state = Mutex(
      State(
        analyzer: ToneAnalyzer(length: length, bins: bins),
        periods: channels.map { _ in [Double](repeating: 0, count: length) }))
  }

  /// Whether it has settled or given up.
  public var isDone: Bool { state.withLock { $0.isDone } }

  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Adds interleaved frames; full scale is 1.
  public func add(_ samples: [Double], _ frameCount: Int) {
    state.withLock { state in
      var done = 0
      while done < frameCount, !state.isDone {
        let count = min(length - state.filled, frameCount - done)
        for (row, channel) in channels.enumerated() {
          for frame in 0..<count {
            state.periods[row][state.filled + frame] = samples[(done + frame) * stride + channel]
          }
        }
        state.filled += count
        done += count
        if state.filled == length {
          state.filled = 0
          Self.take(&state)
        }
      }
    }
  }

  private static func take(_ state: inout State) {
    let analyzer = state.analyzer
    let found = state.periods.map { analyzer.analyze($0) }
    guard let last = state.outcome else {
      state.outcome = Outcome(channels: found, change: .infinity, periodCount: 1)
      return
    }
    var greatest = 0.0
    var change = 0.0
    for (now, before) in zip(found, last.channels) {
      for (new, old) in zip(now.tones, before.tones) {
        greatest = max(greatest, new.power)
        change = max(change, (new - old).power)
      }
    }
    let share = greatest > 0 ? (change / greatest).squareRoot() : 0
    let count = last.periodCount + 1
    state.outcome = Outcome(channels: found, change: share, periodCount: count)
    // The sound may not have arrived yet.
    let isSilent = greatest == 0 && count < 6
    let hasSettled =
      share < 1e-4 || (count >= 5 && share < 0.01 && share > 0.7 * state.lastChange)
    state.isDone = (hasSettled && !isSilent) || count >= mostPeriods
    state.lastChange = share
  }
}
