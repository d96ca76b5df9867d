/// Second-order filters in series over any number of channels, in double precision.
///
/// Each filter is a direct form II, whose state depends on its poles only; `cvector_filter` defines
/// the arithmetic, and how filters and channels share a vector. Channels are filtered in pairs, in
/// stretches: `load` reads a stretch, `run` filters it, `store` writes it. There is no delay. Each
/// filter does the same arithmetic on the same samples in any order, so that the output is the same
/// to the bit however a stream is sliced, and whichever filters run together.
///
/// Render thread, except for `init`.
public struct FilterCascade: ~Copyable {
  /// The most filters.
  public let capacity: Int
  /// The number of channels.
  public let channelCount: Int
  /// The samples of a frame in `samples`: 1 for one channel, otherwise 2. The last of an odd number
  /// of channels is there twice.
  public let width: Int
  /// The samples of the stretch, frame by frame.
  public let samples: DoubleStorage
  /// The number of filters.
  public private(set) var count = 0
  // Five rows, for c0 to c4, each with a number for each filter and each sample of a frame.
  private let coefficients: DoubleStorage
  // For each pair of channels two such rows, for w1 and w2.
  private let memory: DoubleStorage
  private let stride: Int

  /// - Parameters:
  ///   - capacity: The most filters, at least 1.
  ///   - channelCount: At least 1.
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

  /// Sets the coefficients of a filter. Its state stays.
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

  /// Inserts a filter before the one at `place`, or behind the last one, with zero state. There
  /// must be room.
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

  /// Removes a filter.
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

  /// Copies filters and state of another cascade with the same capacity and channels.
  @_noLocks
  public mutating func adopt(_ other: borrowing FilterCascade) {
    precondition(capacity == other.capacity && channelCount == other.channelCount, "not of a kind")
    count = other.count
    for index in 0..<coefficients.count { coefficients[index] = other.coefficients[index] }
    for index in 0..<memory.count { memory[index] = other.memory[index] }
  }

  // MARK: Memory

  /// The state of a filter in a channel: `w1`, `w2`. With two samples a frame and an odd number of
  /// channels, the index behind the last channel is valid too.
  @_noLocks
  public func memory(of filter: Int, channel: Int) -> (Double, Double) {
    let place = place(of: filter, channel)
    return (memory[place], memory[place + stride])
  }

  /// Sets the state of a filter in a channel.
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

  /// Whether the state should be cleared: it is below 1e-30, or not finite.
  public var isSpent: Bool { @_noLocks get { memory.isSpent } }

  /// Sets the state of all filters to zero.
  @_noLocks
  public func clear() {
    for index in 0..<memory.count { memory[index] = 0 }
  }

  // MARK: Stretches

  /// Loads a stretch of a channel and of the next one. Without a next channel `second` must be the
  /// first again; a cascade of one channel ignores it.
  @_noLocks
  public func load(_ first: ChannelBuffer, _ second: ChannelBuffer) {
    precondition(
      width * first.count <= samples.count && second.count >= first.count, "a stretch is too long")
    widen(first, second, width: width, into: samples)
  }

  /// Runs `number` filters, from `first` on, over the stretch.
  ///
  /// - Parameters:
  ///   - channel: The first of the stretch's channels: even.
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

  /// Stores the stretch, frame n times `gain + rise (place + n + 1)`. Without a second channel
  /// `second` must be the first again.
  @_noLocks
  public func store(
    _ first: ChannelBuffer, _ second: ChannelBuffer, gain: Double = 1, rise: Double = 0,
    place: Int = 0
  ) {
    precondition(
      width * first.count <= samples.count && second.count >= first.count, "a stretch is too long")
    narrow(samples, width: width, gain: gain, rise: rise, place: place, into: first, second)
  }
}

/// The coefficients of a filter in a cascade.
public struct FilterCoefficients: BitwiseCopyable, Sendable {
  /// `w = x + c3 w1 + c4 w2` and `y = c0 x + c1 w1 + c2 w2`, where `w1` and `w2` are the state.
  public var c0, c1, c2, c3, c4: Double

  /// Takes `c0` to `c4` in order.
  @_noLocks
  public init(_ c0: Double, _ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double) {
    self.c0 = c0
    self.c1 = c1
    self.c2 = c2
    self.c3 = c3
    self.c4 = c4
  }
}
