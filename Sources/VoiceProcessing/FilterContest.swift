/// One of the filters of an echo canceller.
enum EchoFilter {
  /// The one that adapts.
  case main
  /// Half as long, and quick to forget.
  case shadow
  /// The one that does not adapt.
  case kept

  /// The position in arrays of the three filters.
  var index: Int {
    @_noLocks get {
      switch self {
      case .main: 0
      case .shadow: 1
      case .kept: 2
      }
    }
  }
}

/// Tests whether the residual of one filter is significantly below that of another.
///
/// The difference of the two residual energies is compared with its standard deviation for equally
/// good filters: its variance is the residual times the energy of the difference of the two echoes.
/// There are three averages, over some 20, 50 and 250 ms: a large difference is significant at
/// once, a small one later. libspeexdsp's canceller with two filters decides in this way, with
/// shorter averages.
struct FilterContest: BitwiseCopyable {
  private var short: Float = 0
  private var shortVariance: Float = 0
  private var middle: Float = 0
  private var middleVariance: Float = 0
  private var long: Float = 0
  private var longVariance: Float = 0

  @_noLocks
  init() {}

  /// - Parameters:
  ///   - held: The residual energy of the present filter in a hop.
  ///   - challenger: That of the other filter.
  ///   - difference: The energy of the difference of the two echoes.
  @_noLocks
  mutating func note(_ held: Float, _ challenger: Float, difference: Float, _ hop: Int) {
    let now = held - challenger
    let variance = held * difference + 1e-14 * Float(hop)
    short = 0.6 * short + 0.4 * now
    shortVariance = 0.36 * shortVariance + 0.16 * variance
    middle = 0.85 * middle + 0.15 * now
    middleVariance = 0.7225 * middleVariance + 0.0225 * variance
    long = 0.97 * long + 0.03 * now
    longVariance = 0.9409 * longVariance + 0.0009 * variance
  }

  /// Whether the challenger is better.
  var isWon: Bool {
    @_noLocks get {
      short * abs(short) > 2.5 * shortVariance || middle * abs(middle) > 3 * middleVariance
        || long * abs(long) > 3 * longVariance
    }
  }

  /// Whether the challenger is worse, with a stricter bound.
  var isLost: Bool {
    @_noLocks get {
      -short * abs(short) > 4 * shortVariance || -middle * abs(middle) > 4 * middleVariance
        || -long * abs(long) > 4 * longVariance
    }
  }
}
