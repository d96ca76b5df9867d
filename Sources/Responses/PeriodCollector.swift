import Synchronization

/// Collects what comes out, a period after the other, until it has settled.
///
/// It has when no sine changes by more than a part in 10,000 of the greatest from one period to the next
/// or, after some periods, when it does not get nearer any more: where sounds are rounded to 16 bits, say.
public final class PeriodCollector: Sendable {
  /// What came of it.
  struct Outcome: Sendable {
    /// Of each channel.
    var channels: [PeriodSpectrum]
    /// The greatest change of a sine from the last period but one to the last, beside the greatest sine.
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

  /// Periods after which it is given up.
  static let most = 45

  private let length: Int
  private let channels: [Int]
  private let stride: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - channels: Those of `stride` channels that are looked at.
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

  /// Whether more frames would tell nothing new.
  public var isDone: Bool { state.withLock { $0.isDone } }

  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Takes in the next frames, channel beside channel; full scale is 1.
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
    // Nothing may yet be on its way.
    let isSilent = greatest == 0 && count < 6
    let hasSettled =
      share < 1e-4 || (count >= 5 && share < 0.01 && share > 0.7 * state.lastChange)
    state.isDone = (hasSettled && !isSilent) || count >= most
    state.lastChange = share
  }
}
