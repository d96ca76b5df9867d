public import RenderCore

/// Ten peaking filters in series over one or two channels, in double precision: a `FilterCascade`
/// that detects when it has rung out.
///
/// Filter memory below 1e-30 is cleared, so that the tail of a sound ends before it becomes
/// denormal; so is memory with infinities or NaN. The check is made every 1024 frames, independent
/// of slices.
public struct EqualizerCascade: ~Copyable {
  /// The number of filters.
  public static let bandCount = 10
  private static let memoryInterval = 1024
  private static var longest: Int { @_noLocks get { 512 } }

  /// Whether the memory is all zeros, so that silence in gives silence out.
  public private(set) var isAtRest = true
  private var filters: FilterCascade
  private var framesUntilCheck = memoryInterval

  // MARK: Control thread

  /// A cascade over 1 or 2 channels that passes its input unchanged.
  public init(channelCount: Int) {
    precondition(channelCount == 1 || channelCount == 2, "a cascade has one or two channels")
    filters = FilterCascade(
      capacity: Self.bandCount, channelCount: channelCount, longest: Self.longest)
    for band in 0..<Self.bandCount { filters.insert(at: band, PeakingFilter.identity.coefficients) }
  }

  /// A set of coefficients as a bank holds it: of at most ten filters, in the order in which they
  /// run.
  public static func coefficients(of filters: [PeakingFilter]) -> [Double] {
    precondition(filters.count <= bandCount, "a cascade has ten filters")
    let identities = [PeakingFilter](repeating: .identity, count: bandCount - filters.count)
    return (filters + identities).map(\.coefficients).flatMap {
      [$0.c0, $0.c1, $0.c2, $0.c3, $0.c4]
    }
  }

  // MARK: Render thread

  /// Takes over the set of coefficients at `index` of a bank, and clears the memory.
  @_noLocks
  public mutating func load(_ index: Int, of bank: borrowing DoubleStorage) {
    for band in 0..<Self.bandCount {
      let first = (index * Self.bandCount + band) * 5
      filters.set(
        band,
        to: FilterCoefficients(
          bank[first], bank[first + 1], bank[first + 2], bank[first + 3], bank[first + 4]))
    }
    filters.clear()
    isAtRest = true
    framesUntilCheck = Self.memoryInterval
  }

  /// Copies `other`, memory included.
  @_noLocks
  public mutating func adopt(_ other: borrowing EqualizerCascade) {
    filters.adopt(other.filters)
    isAtRest = other.isAtRest
    framesUntilCheck = other.framesUntilCheck
  }

  /// Filters a stretch of two channels; for a single channel both buffers are the same. The outputs
  /// may be the inputs.
  @_noLocks
  public mutating func process(
    _ left: ChannelBuffer, _ right: ChannelBuffer, into leftOutput: ChannelBuffer,
    _ rightOutput: ChannelBuffer
  ) {
    var start = 0
    while start < left.count {
      let length = Swift.min(left.count - start, Swift.min(framesUntilCheck, Self.longest))
      filters.load(left.dropping(start).prefix(length), right.dropping(start).prefix(length))
      filters.run(0, Self.bandCount, channel: 0, length: length)
      filters.store(
        leftOutput.dropping(start).prefix(length), rightOutput.dropping(start).prefix(length))
      start += length
      count(length)
    }
  }

  /// Advances over frames of silence, which stay silence. Only at rest.
  @_noLocks
  public mutating func skip(_ frameCount: Int) {
    precondition(isAtRest, "the filters still ring")
    let past = frameCount % Self.memoryInterval
    framesUntilCheck -= past
    if framesUntilCheck <= 0 { framesUntilCheck += Self.memoryInterval }
  }

  @_noLocks
  private mutating func count(_ frameCount: Int) {
    isAtRest = false
    framesUntilCheck -= frameCount
    guard framesUntilCheck == 0 else { return }
    framesUntilCheck = Self.memoryInterval
    guard filters.isSpent else { return }
    filters.clear()
    isAtRest = true
  }
}

extension PeakingFilter {
  /// The coefficients for a cascade. They use `b1 == a1` and `b0 + b2 == 1 + a2`, so that nothing
  /// cancels.
  var coefficients: FilterCoefficients {
    FilterCoefficients(b0, reduction * a1, reduction * (1 + a2), -a1, -a2)
  }
}
