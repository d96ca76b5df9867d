/// Second-order filters in series over any number of channels, in double precision.
///
/// Each is a direct form II, whose memory depends on its poles alone; `cvector_filter` says what it
/// computes, and how filters and channels share a vector. Channels go two at a time, in stretches: what
/// `take` has taken over, `run` filters and `give` puts out. Nothing is delayed, and each filter does the
/// same arithmetic on the same samples in any order, so the output is the same to the bit however a stream
/// is cut, and whichever filters of a stretch are run together.
///
/// Render thread, but for `init`.
public struct FilterCascade: ~Copyable {
  /// The most filters that there can be.
  public let capacity: Int
  /// How many channels it filters.
  public let channelCount: Int
  /// Samples of a frame in `samples`: 1 of one channel, else 2. The last of an odd number of channels is
  /// there twice.
  public let width: Int
  /// The samples of a stretch, frame by frame.
  public let samples: DoubleStorage
  /// How many filters there are.
  public private(set) var count = 0
  // Five rows of c0 to c4, in each a number for each filter and sample of a frame.
  private let coefficients: DoubleStorage
  // For each pair of channels two such rows, of w1 and w2.
  private let memory: DoubleStorage
  private let stride: Int

  /// - Parameters:
  ///   - capacity: The most filters, 1 at least.
  ///   - channelCount: 1 at least.
  ///   - longest: The most frames of a stretch.
  public init(capacity: Int, channelCount: Int, longest: Int) {
    precondition(
      capacity > 0 && channelCount > 0 && longest > 0, "there is a filter, and a channel")
    self.capacity = capacity
    self.channelCount = channelCount
    width = channelCount == 1 ? 1 : 2
    stride = capacity * width
    samples = DoubleStorage(repeating: 0, count: width * longest)
    coefficients = DoubleStorage(repeating: 0, count: 5 * stride)
    memory = DoubleStorage(repeating: 0, count: 2 * stride * ((channelCount + width - 1) / width))
  }

  // MARK: Filters

  /// Makes a filter what coefficients say. Its memory stays.
  @_noLocks
  public func set(_ filter: Int, to values: FilterCoefficients) {
    precondition(filter >= 0 && filter < count, "no such filter")
    for lane in filter * width..<(filter + 1) * width {
      coefficients[lane] = values.c0
      coefficients[stride + lane] = values.c1
      coefficients[2 * stride + lane] = values.c2
      coefficients[3 * stride + lane] = values.c3
      coefficients[4 * stride + lane] = values.c4
    }
  }

  /// Puts a filter before the one at `place`, or behind the last, with a memory of zeros. There must be room.
  @_noLocks
  public mutating func insert(at place: Int, _ values: FilterCoefficients) {
    precondition(place >= 0 && place <= count && count < capacity, "there is no room for a filter")
    count += 1
    let last = count * width - 1
    for row in 0..<5 {
      for lane in Swift.stride(from: last, through: (place + 1) * width, by: -1) {
        coefficients[row * stride + lane] = coefficients[row * stride + lane - width]
      }
    }
    for start in Swift.stride(from: 0, to: memory.count, by: stride) {
      for lane in Swift.stride(from: last, through: (place + 1) * width, by: -1) {
        memory[start + lane] = memory[start + lane - width]
      }
      for lane in place * width..<(place + 1) * width { memory[start + lane] = 0 }
    }
    set(place, to: values)
  }

  /// Takes a filter out.
  @_noLocks
  public mutating func remove(at place: Int) {
    precondition(place >= 0 && place < count, "no such filter")
    count -= 1
    for row in 0..<5 {
      for lane in place * width..<count * width {
        coefficients[row * stride + lane] = coefficients[row * stride + lane + width]
      }
    }
    for start in Swift.stride(from: 0, to: memory.count, by: stride) {
      for lane in place * width..<count * width {
        memory[start + lane] = memory[start + lane + width]
      }
      for lane in count * width..<(count + 1) * width { memory[start + lane] = 0 }
    }
  }

  /// Becomes what another of the same capacity and channels is, memory and all.
  @_noLocks
  public mutating func adopt(_ other: borrowing FilterCascade) {
    precondition(capacity == other.capacity && channelCount == other.channelCount, "not of a kind")
    count = other.count
    for index in 0..<coefficients.count { coefficients[index] = other.coefficients[index] }
    for index in 0..<memory.count { memory[index] = other.memory[index] }
  }

  // MARK: Memory

  /// The memory of a filter in a channel: `w1`, `w2`. With two samples a frame and an odd number of channels
  /// the one after the last has a memory too.
  @_noLocks
  public func memory(of filter: Int, channel: Int) -> (Double, Double) {
    let place = place(of: filter, channel)
    return (memory[place], memory[place + stride])
  }

  /// Puts numbers into the memory of a filter for one channel.
  @_noLocks
  public func setMemory(of filter: Int, channel: Int, to values: (Double, Double)) {
    let place = place(of: filter, channel)
    memory[place] = values.0
    memory[place + stride] = values.1
  }

  @_noLocks
  private func place(of filter: Int, _ channel: Int) -> Int {
    channel / width * 2 * stride + filter * width + channel % width
  }

  /// Whether the memory is to be cleared: it is next to nothing, or has been spoilt by what is no number.
  public var isSpent: Bool { @_noLocks get { memory.isSpent } }

  /// Forgets every sound.
  @_noLocks
  public func clear() {
    for index in 0..<memory.count { memory[index] = 0 }
  }

  // MARK: Stretches

  /// Takes over a stretch of a channel and the next, which without a next one is the same again, and of a
  /// single channel is not looked at.
  @_noLocks
  public func take(_ first: ChannelBuffer, _ second: ChannelBuffer) {
    precondition(
      width * first.count <= samples.count && second.count >= first.count, "a stretch is too long")
    widen(first, second, width: width, into: samples)
  }

  /// Runs `number` filters from `first` on over the stretch.
  ///
  /// - Parameters:
  ///   - channel: The first of the channels that it is of: even.
  ///   - length: In frames.
  @_noLocks
  public func run(_ first: Int, _ number: Int, channel: Int, length: Int) {
    guard number > 0 else { return }
    precondition(
      first >= 0 && first + number <= count && channel >= 0 && channel < channelCount
        && length >= 0 && width * length <= samples.count, "no such filters")
    filter(
      samples, length, width: width, coefficients, from: first * width, memory,
      from: channel / width * 2 * stride + first * width, stride: stride, filters: number)
  }

  /// Puts the stretch out, frame n times `gain + rise (place + n + 1)`. Without a second channel `second` is
  /// the first.
  @_noLocks
  public func give(
    _ first: ChannelBuffer, _ second: ChannelBuffer, gain: Double = 1, rise: Double = 0,
    place: Int = 0
  ) {
    precondition(
      width * first.count <= samples.count && second.count >= first.count, "a stretch is too long")
    narrow(samples, width: width, gain: gain, rise: rise, place: place, into: first, second)
  }
}

/// The numbers that a filter of a cascade computes with.
public struct FilterCoefficients: BitwiseCopyable, Sendable {
  /// `w = x + c3 w1 + c4 w2` and `y = c0 x + c1 w1 + c2 w2`, of the memory `w1` and `w2`.
  public var c0, c1, c2, c3, c4: Double

  /// In the order of `c0` to `c4`.
  @_noLocks
  public init(_ c0: Double, _ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double) {
    self.c0 = c0
    self.c1 = c1
    self.c2 = c2
    self.c3 = c3
    self.c4 = c4
  }
}
