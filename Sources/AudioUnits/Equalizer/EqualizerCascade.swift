public import RenderCore

/// Ten peaking filters in series over one or two channels, in double precision.
///
/// Each filter is the transposed direct form II, written for what a peaking filter has in addition
/// (`b1 == a1` and `b0 + b2 == 1 + a2`), which saves two multiplications of five: with `e` the part
/// of the input that the filter takes out,
///
///     e = (1 - b0) x - s1;   y = x - e;   s1 = a1 e + s2;   s2 = (1 + a2) e + s1 as it was
///
/// A filter cannot start on a sample before the one below has finished with it, so ten in a row
/// leave a processor waiting. The bands therefore run as a pipeline, several in each vector
/// (`VectorMath.equalize`). Nothing is delayed, and since each band does the same arithmetic on the
/// same samples in any order, the output is the same to the bit however a stream is cut.
///
/// Filter memory below 1e-30 becomes zero, so that the tail of a sound ends and never decays into
/// denormal numbers; so does memory that an input of infinities or NaNs has spoilt. Where that
/// happens is counted in frames.
public struct EqualizerCascade: ~Copyable {
  /// The number of filters.
  public static let bandCount = 10
  /// Numbers that a set of coefficients has in a bank.
  public static let coefficientCount = 3 * bandCount
  private static let memoryInterval = 1024

  public let channelCount: Int
  /// Whether the memory is all zeros, so that silence in gives silence out.
  public private(set) var isAtRest = true
  // For each band `1 - b0`, `a1`, `1 + a2`.
  private let coefficients: DoubleStorage
  // For each band `s1` of both lanes, then `s2` of both.
  private let memory: DoubleStorage
  private var framesUntilCheck = memoryInterval

  // MARK: Control thread

  /// A cascade that leaves its input as it is, over 1 or 2 channels.
  public init(channelCount: Int) {
    precondition(channelCount == 1 || channelCount == 2, "a cascade has one or two channels")
    self.channelCount = channelCount
    coefficients = DoubleStorage(Self.coefficients(of: []))
    memory = DoubleStorage(repeating: 0, count: 4 * Self.bandCount)
  }

  /// The numbers of a set of coefficients, as a bank holds them: at most ten filters, the first to
  /// run first.
  public static func coefficients(of filters: [PeakingFilter]) -> [Double] {
    precondition(filters.count <= bandCount, "a cascade has ten filters")
    let identities = [PeakingFilter](repeating: .identity, count: bandCount - filters.count)
    return (filters + identities).flatMap { [$0.reduction, $0.a1, 1 + $0.a2] }
  }

  // MARK: Render thread

  /// Takes over a set of coefficients, the `index`th of a bank, and clears the memory.
  @_noLocks
  public mutating func load(_ index: Int, of bank: borrowing DoubleStorage) {
    let first = index * Self.coefficientCount
    for offset in 0..<Self.coefficientCount { coefficients[offset] = bank[first + offset] }
    for index in 0..<memory.count { memory[index] = 0 }
    isAtRest = true
    framesUntilCheck = Self.memoryInterval
  }

  /// Becomes what `other` is, memory and all.
  @_noLocks
  public mutating func adopt(_ other: borrowing EqualizerCascade) {
    for index in 0..<coefficients.count { coefficients[index] = other.coefficients[index] }
    for index in 0..<memory.count { memory[index] = other.memory[index] }
    isAtRest = other.isAtRest
    framesUntilCheck = other.framesUntilCheck
  }

  /// Filters a stretch of one channel. `output` may be `input`.
  @_noLocks
  public mutating func process(_ input: ChannelBuffer, into output: ChannelBuffer) {
    precondition(channelCount == 1, "the cascade has two channels")
    var start = 0
    while start < input.count {
      let length = Swift.min(input.count - start, framesUntilCheck)
      VectorMath.equalize(
        input.dropping(start).prefix(length), into: output.dropping(start).prefix(length),
        coefficients: coefficients, memory: memory)
      start += length
      count(length)
    }
  }

  /// Filters a stretch of two channels. The outputs may be the inputs.
  @_noLocks
  public mutating func process(
    _ left: ChannelBuffer, _ right: ChannelBuffer, into leftOutput: ChannelBuffer,
    _ rightOutput: ChannelBuffer
  ) {
    precondition(channelCount == 2, "the cascade has one channel")
    var start = 0
    while start < left.count {
      let length = Swift.min(left.count - start, framesUntilCheck)
      VectorMath.equalize(
        left.dropping(start).prefix(length), right.dropping(start).prefix(length),
        into: leftOutput.dropping(start).prefix(length),
        rightOutput.dropping(start).prefix(length), coefficients: coefficients, memory: memory)
      start += length
      count(length)
    }
  }

  /// Lets frames of silence go by, which come out as silence. Only at rest.
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
    guard memory.isSpent else { return }
    for index in 0..<memory.count { memory[index] = 0 }
    isAtRest = true
  }
}
