/// Pairs of filters (for instance a left and a right one for each of many directions) as spectra,
/// ready for a `PairConvolver`.
///
/// Each filter is stored without its initial delay, and the delay separately: a mixture of aligned
/// filters is a filter of the same kind, while a mixture of filters with different delays is a comb
/// filter. Made on the control thread and never changed.
@safe
public final class FilterPairTable: @unchecked Sendable {
  // `@unchecked Sendable`: immutable once made.

  /// The frames of a block, for which one transform is made.
  public let blockLength: Int
  /// The frames of a transform: a power of two.
  public let length: Int
  /// The frames of a filter.
  public let tapCount: Int
  /// The number of pairs.
  public let pairCount: Int
  /// The numbers of one part of a spectrum: those of `RealFFT`, filled up with zeros to a multiple
  /// of 16.
  let stride: Int
  private let memory: PreparedBytes
  private let spectra: UnsafeMutablePointer<Float>
  private let delays: UnsafeMutablePointer<Double>

  /// - Parameters:
  ///   - left: The left filter of each pair; all filters have the same length.
  ///   - right: The right filter of each pair.
  ///   - leftDelays: The initial delay of each left filter, in frames, with fractions.
  ///   - rightDelays: The initial delay of each right filter.
  ///   - blockLength: In frames.
  ///   - lead: The number of bytes to leave free in `bytes` before the table.
  public init(
    left: [[Float]], right: [[Float]], leftDelays: [Double], rightDelays: [Double],
    blockLength: Int, lead: Int = 0
  ) {
    precondition(
      !left.isEmpty && left.count == right.count && left.count == leftDelays.count
        && left.count == rightDelays.count, "each pair has two filters and two delays")
    let taps = left[0].count
    precondition(
      taps > 0 && left.allSatisfy { $0.count == taps } && right.allSatisfy { $0.count == taps },
      "all filters have the same length")
    precondition(blockLength > 0, "a block has at least one frame")
    let layout = Layout(pairCount: left.count, tapCount: taps, blockLength: blockLength, lead: lead)
    tapCount = taps
    self.blockLength = blockLength
    length = layout.length
    stride = layout.stride
    pairCount = left.count
    memory = PreparedBytes(count: layout.byteCount)
    unsafe spectra = layout.spectra(in: memory)
    unsafe delays = layout.delays(in: memory)
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory.buffer[..<layout.firstSpectrum])
      .initializeMemory(as: UInt8.self, repeating: 0)
    let size = 4 * layout.stride
    unsafe spectra.initialize(repeating: 0, count: left.count * size)
    unsafe delays.initialize(repeating: 0, count: left.count * 2)
    var fft = RealFFT(length: length)
    let samples = SampleStorage(repeating: 0, count: length)
    for pair in left.indices {
      for (ear, filter) in [left[pair], right[pair]].enumerated() {
        unsafe filter.withUnsafeBufferPointer {
          unsafe samples.start.update(from: $0.baseAddress.unsafelyUnwrapped, count: taps)
        }
        let real = unsafe spectra + pair * size + ear * 2 * stride
        unsafe fft.forward(
          samples.buffer(at: 0, count: length), real: ChannelBuffer(base: real, count: stride),
          imaginary: ChannelBuffer(base: real + stride, count: stride))
        let delay = ear == 0 ? leftDelays[pair] : rightDelays[pair]
        unsafe delays[2 * pair + ear] = delay
        unsafe rotate(real, real + stride, length: length, by: -delay)
      }
    }
  }

  /// Reads a table from the `bytes` of another; `nil` where their length does not fit the
  /// arguments.
  public init?(
    _ bytes: PreparedBytes, lead: Int, pairCount: Int, tapCount: Int, blockLength: Int
  ) {
    let counts = [lead, pairCount, tapCount, blockLength]
    guard lead >= 0, counts.dropFirst().allSatisfy({ $0 > 0 }),
      counts.allSatisfy({ $0 <= bytes.count })
    else { return nil }
    let layout = Layout(
      pairCount: pairCount, tapCount: tapCount, blockLength: blockLength, lead: lead)
    guard layout.byteCount == bytes.count else { return nil }
    self.pairCount = pairCount
    self.tapCount = tapCount
    self.blockLength = blockLength
    length = layout.length
    stride = layout.stride
    memory = bytes
    unsafe spectra = layout.spectra(in: memory)
    unsafe delays = layout.delays(in: memory)
  }

  /// The whole table, behind the bytes left free.
  public var bytes: PreparedBytes { memory }

  /// The layout of a table in its bytes.
  private struct Layout {
    let length: Int
    let stride: Int
    let byteCount: Int
    let firstSpectrum: Int
    private let firstDelay: Int

    init(pairCount: Int, tapCount: Int, blockLength: Int, lead: Int) {
      var length = 64
      while length < tapCount + blockLength - 1 { length *= 2 }
      self.length = length
      stride = VectorMath.rowLength(length / 2 + 1)
      firstSpectrum = PreparedBytes.roundedUp(lead)
      firstDelay = firstSpectrum + 4 * 4 * stride * pairCount
      byteCount = firstDelay + 8 * 2 * pairCount
    }

    func spectra(in memory: PreparedBytes) -> UnsafeMutablePointer<Float> {
      unsafe (memory.buffer.baseAddress! + firstSpectrum).assumingMemoryBound(to: Float.self)
    }

    func delays(in memory: PreparedBytes) -> UnsafeMutablePointer<Double> {
      unsafe (memory.buffer.baseAddress! + firstDelay).assumingMemoryBound(to: Double.self)
    }
  }

  /// The form for a kernel, valid as long as the table, which the kernel's box retains.
  public var access: FilterPairAccess {
    unsafe FilterPairAccess(
      spectra: spectra, delays: delays, pairCount: pairCount, length: length, stride: stride,
      blockLength: blockLength)
  }
}

/// A filter table, for a kernel.
@safe
public struct FilterPairAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: a table is immutable once made.
  let spectra: UnsafePointer<Float>
  let delays: UnsafePointer<Double>
  /// The number of pairs.
  public let pairCount: Int
  let length: Int
  let stride: Int
  let blockLength: Int

  init(
    spectra: UnsafePointer<Float>, delays: UnsafePointer<Double>, pairCount: Int, length: Int,
    stride: Int, blockLength: Int
  ) {
    unsafe self.spectra = spectra
    unsafe self.delays = delays
    self.pairCount = pairCount
    self.length = length
    self.stride = stride
    self.blockLength = blockLength
  }

  /// Writes the pair of filters that a mixture of pairs yields.
  @_noLocks
  func blend(_ mixture: FilterMixture, into filter: UnsafeMutablePointer<Float>) {
    let size = 4 * stride
    var index = 0
    while index < size {
      unsafe filter[index] = 0
      index += 1
    }
    var left = 0.0
    var right = 0.0
    var entry = 0
    while entry < FilterMixture.count {
      let pair = mixture.entry(entry).pair
      let weight = mixture.entry(entry).weight
      entry += 1
      if weight == 0 { continue }
      precondition(pair >= 0 && pair < pairCount, "no such pair of filters")
      unsafe addScaled(spectra + pair * size, weight, count: size, to: filter)
      unsafe left += Double(weight) * delays[2 * pair]
      unsafe right += Double(weight) * delays[2 * pair + 1]
    }
    unsafe rotate(filter, filter + stride, length: length, by: left)
    unsafe rotate(filter + 2 * stride, filter + 3 * stride, length: length, by: right)
  }
}

/// Delays the signal of a spectrum by a number of frames, circularly. The bin at half the sample
/// rate stays: a real signal has no phase there.
@_noLocks
private func rotate(
  _ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>, length: Int,
  by delay: Double
) {
  let angle = -2 * Double.pi * delay / Double(length)
  unsafe turn(
    real, imaginary, renderCosine(angle), renderSine(angle), count: length / 2)
}

/// Up to five pairs of a table with their weights, which must add up to 1. A pair of weight 0 costs
/// nothing.
public struct FilterMixture: BitwiseCopyable, Sendable {
  /// The number of entries.
  static var count: Int { @_noLocks get { 5 } }

  private var entry0: Entry
  private var entry1: Entry
  private var entry2: Entry
  private var entry3: Entry
  private var entry4: Entry

  /// A pair and its weight.
  public struct Entry: BitwiseCopyable, Sendable {
    /// The index of the pair in the table.
    public var pair: Int
    /// The linear weight.
    public var weight: Float

    @_noLocks
    init(_ pair: Int, _ weight: Float) {
      self.pair = pair
      self.weight = weight
    }
  }

  /// One pair with the weight 1.
  @_noLocks
  public init(_ pair: Int) {
    entry0 = Entry(pair, 1)
    entry1 = Entry(pair, 0)
    entry2 = Entry(pair, 0)
    entry3 = Entry(pair, 0)
    entry4 = Entry(pair, 0)
  }

  /// Sets an entry, 0 to 4.
  @_noLocks
  public mutating func set(_ entry: Int, _ pair: Int, _ weight: Float) {
    switch entry {
    case 0: entry0 = Entry(pair, weight)
    case 1: entry1 = Entry(pair, weight)
    case 2: entry2 = Entry(pair, weight)
    case 3: entry3 = Entry(pair, weight)
    default: entry4 = Entry(pair, weight)
    }
  }

  /// An entry, 0 to 4.
  @_noLocks
  public func entry(_ entry: Int) -> Entry {
    switch entry {
    case 0: entry0
    case 1: entry1
    case 2: entry2
    case 3: entry3
    default: entry4
    }
  }
}
