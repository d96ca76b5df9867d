/// One of the filters of an echo canceller.
enum EchoFilter {
  /// The one that adapts.
  case main
  /// Half as long, and quick to forget.
  case shadow
  /// The one that does not adapt.
  case kept

  /// Its place among the three.
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

/// Whether one filter leaves less than another, beyond chance.
///
/// The difference of what the two leave is compared with how far it would vary if both were equally
/// good: by what is left times the difference of the two echoes. Three averages, over some 20, 50 and
/// 250 ms: a large difference shows at once, a small one in time. libspeexdsp's canceller with two
/// filters decides in this way; its averages are shorter.
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
  ///   - held: The energy that the present filter leaves in a hop.
  ///   - challenger: What the other one leaves.
  ///   - difference: The energy of the difference of what the two take out.
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

  /// Whether the challenger is worse, as clearly.
  var isLost: Bool {
    @_noLocks get {
      -short * abs(short) > 4 * shortVariance || -middle * abs(middle) > 4 * middleVariance
        || -long * abs(long) > 4 * longVariance
    }
  }
}
