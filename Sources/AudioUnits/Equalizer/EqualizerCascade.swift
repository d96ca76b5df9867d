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
/// leave a processor waiting. In the middle of a stretch the bands therefore run as a pipeline:
/// band k works on the sample k places behind the newest. Both ends of the stretch are worked off
/// in plain order, so nothing is delayed, and since each band does the same arithmetic on the same
/// samples in either order, the output is the same to the bit however a stream is cut. A vector has
/// the two channels in its lanes or, for one channel, bands 0 to 4 in one and 5 to 9 in the other.
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
      let source = input.dropping(start).prefix(length)
      let sink = output.dropping(start).prefix(length)
      filter(source, into: sink)
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
      filter(
        left.dropping(start).prefix(length), right.dropping(start).prefix(length),
        into: leftOutput.dropping(start).prefix(length),
        rightOutput.dropping(start).prefix(length))
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
    var rings = false
    var isSpoilt = false
    for index in 0..<memory.count {
      let value = memory[index].magnitude
      if value >= 1e-30 { rings = true }
      // True of a NaN as well.
      if !(value <= .greatestFiniteMagnitude) { isSpoilt = true }
    }
    guard !rings || isSpoilt else { return }
    for index in 0..<memory.count { memory[index] = 0 }
    isAtRest = true
  }

  /// One channel. In the middle, lane 0 has bands 0 to 4 and lane 1 bands 5 to 9.
  @_noLocks
  private mutating func filter(_ input: ChannelBuffer, into output: ChannelBuffer) {
    let count = input.count
    let lead = Self.bandCount - 1
    guard count > lead else {
      for frame in 0..<count {
        let x = Lanes(Double(input[frame]), 0)
        output[frame] = Float(run(x, from: 0, to: Self.bandCount).x)
      }
      return
    }
    // The first samples go as far as the pipeline's bands would have taken them.
    let x0 = run(Lanes(Double(input[0]), 0), from: 0, to: 9).x
    let x1 = run(Lanes(Double(input[1]), 0), from: 0, to: 8).x
    let x2 = run(Lanes(Double(input[2]), 0), from: 0, to: 7).x
    let x3 = run(Lanes(Double(input[3]), 0), from: 0, to: 6).x
    let x4 = run(Lanes(Double(input[4]), 0), from: 0, to: 5).x
    let x5 = run(Lanes(Double(input[5]), 0), from: 0, to: 4).x
    let x6 = run(Lanes(Double(input[6]), 0), from: 0, to: 3).x
    let x7 = run(Lanes(Double(input[7]), 0), from: 0, to: 2).x
    let x8 = run(Lanes(Double(input[8]), 0), from: 0, to: 1).x
    var a = pair(0)
    var b = pair(1)
    var c = pair(2)
    var d = pair(3)
    var e = pair(4)
    var afterA = Lanes(x8, x3)
    var afterB = Lanes(x7, x2)
    var afterC = Lanes(x6, x1)
    var afterD = Lanes(x5, x0)
    var afterE = x4
    for frame in lead..<count {
      let y = e.next(afterD)
      afterD = d.next(afterC)
      afterC = c.next(afterB)
      afterB = b.next(afterA)
      afterA = a.next(Lanes(Double(input[frame]), afterE))
      afterE = y.x
      output[frame - lead] = Float(y.y)
    }
    keep(a, asPair: 0)
    keep(b, asPair: 1)
    keep(c, asPair: 2)
    keep(d, asPair: 3)
    keep(e, asPair: 4)
    // The last ones go the rest of the way, the oldest first.
    let last = count - 1
    output[last - 8] = Float(run(Lanes(afterD.y, 0), from: 9, to: 10).x)
    output[last - 7] = Float(run(Lanes(afterC.y, 0), from: 8, to: 10).x)
    output[last - 6] = Float(run(Lanes(afterB.y, 0), from: 7, to: 10).x)
    output[last - 5] = Float(run(Lanes(afterA.y, 0), from: 6, to: 10).x)
    output[last - 4] = Float(run(Lanes(afterE, 0), from: 5, to: 10).x)
    output[last - 3] = Float(run(Lanes(afterD.x, 0), from: 4, to: 10).x)
    output[last - 2] = Float(run(Lanes(afterC.x, 0), from: 3, to: 10).x)
    output[last - 1] = Float(run(Lanes(afterB.x, 0), from: 2, to: 10).x)
    output[last] = Float(run(Lanes(afterA.x, 0), from: 1, to: 10).x)
  }

  /// Two channels, one in each lane.
  @_noLocks
  private mutating func filter(
    _ left: ChannelBuffer, _ right: ChannelBuffer, into leftOutput: ChannelBuffer,
    _ rightOutput: ChannelBuffer
  ) {
    let count = left.count
    let lead = Self.bandCount - 1
    guard count > lead else {
      for frame in 0..<count {
        let x = Lanes(Double(left[frame]), Double(right[frame]))
        let y = run(x, from: 0, to: Self.bandCount)
        leftOutput[frame] = Float(y.x)
        rightOutput[frame] = Float(y.y)
      }
      return
    }
    var after8 = run(Lanes(Double(left[0]), Double(right[0])), from: 0, to: 9)
    var after7 = run(Lanes(Double(left[1]), Double(right[1])), from: 0, to: 8)
    var after6 = run(Lanes(Double(left[2]), Double(right[2])), from: 0, to: 7)
    var after5 = run(Lanes(Double(left[3]), Double(right[3])), from: 0, to: 6)
    var after4 = run(Lanes(Double(left[4]), Double(right[4])), from: 0, to: 5)
    var after3 = run(Lanes(Double(left[5]), Double(right[5])), from: 0, to: 4)
    var after2 = run(Lanes(Double(left[6]), Double(right[6])), from: 0, to: 3)
    var after1 = run(Lanes(Double(left[7]), Double(right[7])), from: 0, to: 2)
    var after0 = run(Lanes(Double(left[8]), Double(right[8])), from: 0, to: 1)
    var band0 = band(0)
    var band1 = band(1)
    var band2 = band(2)
    var band3 = band(3)
    var band4 = band(4)
    var band5 = band(5)
    var band6 = band(6)
    var band7 = band(7)
    var band8 = band(8)
    var band9 = band(9)
    for frame in lead..<count {
      let y = band9.next(after8)
      after8 = band8.next(after7)
      after7 = band7.next(after6)
      after6 = band6.next(after5)
      after5 = band5.next(after4)
      after4 = band4.next(after3)
      after3 = band3.next(after2)
      after2 = band2.next(after1)
      after1 = band1.next(after0)
      after0 = band0.next(Lanes(Double(left[frame]), Double(right[frame])))
      leftOutput[frame - lead] = Float(y.x)
      rightOutput[frame - lead] = Float(y.y)
    }
    keep(band0, as: 0)
    keep(band1, as: 1)
    keep(band2, as: 2)
    keep(band3, as: 3)
    keep(band4, as: 4)
    keep(band5, as: 5)
    keep(band6, as: 6)
    keep(band7, as: 7)
    keep(band8, as: 8)
    keep(band9, as: 9)
    for distance in (0..<lead).reversed() {
      let x: Lanes =
        switch distance {
        case 8: after8
        case 7: after7
        case 6: after6
        case 5: after5
        case 4: after4
        case 3: after3
        case 2: after2
        case 1: after1
        default: after0
        }
      let y = run(x, from: distance + 1, to: Self.bandCount)
      leftOutput[count - 1 - distance] = Float(y.x)
      rightOutput[count - 1 - distance] = Float(y.y)
    }
  }

  /// One sample through bands `first..<end`, in plain order.
  @_noLocks
  private mutating func run(_ x: Lanes, from first: Int, to end: Int) -> Lanes {
    var y = x
    for index in first..<end {
      var filter = band(index)
      y = filter.next(y)
      keep(filter, as: index)
    }
    return y
  }

  /// A band with a channel in each lane.
  @_noLocks
  private mutating func band(_ index: Int) -> Filter {
    let first = 3 * index
    return Filter(
      reduction: Lanes(coefficients[first], coefficients[first]),
      a1: Lanes(coefficients[first + 1], coefficients[first + 1]),
      gain: Lanes(coefficients[first + 2], coefficients[first + 2]),
      s1: Lanes(memory[4 * index], memory[4 * index + 1]),
      s2: Lanes(memory[4 * index + 2], memory[4 * index + 3]))
  }

  @_noLocks
  private mutating func keep(_ filter: Filter, as index: Int) {
    memory[4 * index] = filter.s1.x
    memory[4 * index + 1] = filter.s1.y
    memory[4 * index + 2] = filter.s2.x
    memory[4 * index + 3] = filter.s2.y
  }

  /// Bands `index` and `index + 5` of the first channel, one in each lane.
  @_noLocks
  private mutating func pair(_ index: Int) -> Filter {
    let low = band(index)
    let high = band(index + 5)
    return Filter(
      reduction: Lanes(low.reduction.x, high.reduction.x), a1: Lanes(low.a1.x, high.a1.x),
      gain: Lanes(low.gain.x, high.gain.x), s1: Lanes(low.s1.x, high.s1.x),
      s2: Lanes(low.s2.x, high.s2.x))
  }

  @_noLocks
  private mutating func keep(_ filter: Filter, asPair index: Int) {
    memory[4 * index] = filter.s1.x
    memory[4 * index + 2] = filter.s2.x
    memory[4 * (index + 5)] = filter.s1.y
    memory[4 * (index + 5) + 2] = filter.s2.y
  }

  private typealias Lanes = SIMD2<Double>

  /// One filter in each lane.
  private struct Filter: BitwiseCopyable {
    let reduction: Lanes
    let a1: Lanes
    let gain: Lanes
    var s1: Lanes
    var s2: Lanes

    @_noLocks
    init(reduction: Lanes, a1: Lanes, gain: Lanes, s1: Lanes, s2: Lanes) {
      self.reduction = reduction
      self.a1 = a1
      self.gain = gain
      self.s1 = s1
      self.s2 = s2
    }

    @_noLocks
    @inline(__always)
    mutating func next(_ x: Lanes) -> Lanes {
      let taken = reduction * x - s1
      let before = s1
      s1 = a1 * taken + s2
      s2 = gain * taken + before
      return x - taken
    }
  }
}
