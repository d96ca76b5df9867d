/// Convolves many signals, each with its own pair of filters, and adds them up in two channels:
/// many sources at two ears.
///
/// It works in blocks, by overlap-save: one transform for each source and block, and at most six
/// inverse transforms for all of them. When the filters of a source change, their outputs crossfade
/// linearly over a block.
///
/// For each block call `begin`, then for each source `block(of:)` to write its frames and
/// `convolve`, then `finish`.
@safe
public struct PairConvolver: ~Copyable, @unchecked Sendable {
  // `@unchecked Sendable`: it owns its memory, and one thread at a time uses it.
  /// The frames of a block.
  public let blockLength: Int
  private let sourceCount: Int
  private let length: Int
  private let stride: Int
  private let table: FilterPairAccess
  private var fft: RealFFT
  /// The last `length` frames of each source.
  private let windows: SampleStorage
  /// The filters of each source, and room for one more pair: the next filters.
  private let filters: SampleStorage
  /// 1 for each source whose filters are set, otherwise 0.
  private let hasFilter: SampleStorage
  /// For each source the frames before the block that may not be zero.
  private let sounding: DoubleStorage
  private let spectrum: SampleStorage
  /// Sums through filters that stay, that end and that begin.
  private let sums: SampleStorage
  private let output: SampleStorage
  private var hasSteady = false
  private var hasMoving = false

  /// Makes a convolver. Control thread. The table must outlive it.
  public init(sourceCount: Int, table: FilterPairTable) {
    precondition(sourceCount > 0, "there is at least one source")
    self.sourceCount = sourceCount
    self.table = table.access
    length = table.length
    stride = table.stride
    blockLength = table.blockLength
    fft = RealFFT(length: table.length)
    windows = SampleStorage(repeating: 0, count: sourceCount * table.length)
    filters = SampleStorage(repeating: 0, count: (sourceCount + 1) * 4 * table.stride)
    hasFilter = SampleStorage(repeating: 0, count: sourceCount)
    sounding = DoubleStorage(repeating: 0, count: sourceCount)
    spectrum = SampleStorage(repeating: 0, count: 2 * table.stride)
    sums = SampleStorage(repeating: 0, count: 3 * 4 * table.stride)
    output = SampleStorage(repeating: 0, count: table.length)
  }

  // MARK: Render thread

  /// Discards all frames and filters.
  @_noLocks
  public mutating func reset() {
    windows.buffer(at: 0, count: windows.count).clear()
    for source in 0..<sourceCount {
      hasFilter[source] = 0
      sounding[source] = 0
    }
  }

  /// Starts a block.
  @_noLocks
  public mutating func begin() {
    hasSteady = false
    hasMoving = false
  }

  /// The memory for the block of a source.
  @_noLocks
  public mutating func block(of source: Int) -> ChannelBuffer {
    windows.buffer(at: (source + 1) * length - blockLength, count: blockLength)
  }

  /// Adds a source, after its block has been written.
  ///
  /// - Parameters:
  ///   - filter: The filters at the end of the block. In the first block that is not silent they
  ///     apply from its beginning.
  ///   - hasChanged: Whether they differ from those of the last block.
  ///   - isSilent: Whether the block is all zeros.
  @_noLocks
  public mutating func convolve(
    _ source: Int, _ filter: FilterMixture, hasChanged: Bool, isSilent: Bool
  ) {
    precondition(source >= 0 && source < sourceCount, "no such source")
    let past = sounding[source]
    sounding[source] = isSilent ? past - Double(blockLength) : Double(length - blockLength)
    if isSilent && past <= 0 {
      sounding[source] = 0
      if hasChanged { hasFilter[source] = 0 }
      return
    }
    let first = source * length
    fft.forward(
      windows.buffer(at: first, count: length), real: spectrum.buffer(at: 0, count: stride),
      imaginary: spectrum.buffer(at: stride, count: stride))
    let size = 4 * stride
    let current = unsafe filters.start + source * size
    if hasFilter[source] == 0 {
      unsafe table.blend(filter, into: current)
      hasFilter[source] = 1
      unsafe add(current, to: 0)
    } else if hasChanged {
      let next = unsafe filters.start + sourceCount * size
      unsafe table.blend(filter, into: next)
      unsafe add(current, to: 1)
      unsafe add(next, to: 2)
      var index = 0
      while index < size {
        unsafe current[index] = next[index]
        index += 1
      }
    } else {
      unsafe add(current, to: 0)
    }
    // Keeps the old frames for the next block.
    let kept = length - blockLength
    let window = unsafe windows.start + first
    var frame = 0
    while frame < kept {
      unsafe window[frame] = window[frame + blockLength]
      frame += 1
    }
  }

  @_noLocks
  private mutating func add(_ filter: UnsafePointer<Float>, to place: Int) {
    let size = 4 * stride
    let sum = unsafe sums.start + place * size
    if place == 0 {
      if !hasSteady { sums.buffer(at: 0, count: size).clear() }
      hasSteady = true
    } else if !hasMoving {
      sums.buffer(at: size, count: 2 * size).clear()
      hasMoving = true
    }
    let real = unsafe spectrum.start
    let imaginary = unsafe spectrum.start + stride
    unsafe addProduct(
      real, imaginary, filter, filter + stride, count: stride, to: sum, sum + stride)
    unsafe addProduct(
      real, imaginary, filter + 2 * stride, filter + 3 * stride, count: stride,
      to: sum + 2 * stride, sum + 3 * stride)
  }

  /// Adds the sum of all sources to two buffers of at least `blockLength` frames. Returns whether
  /// any source was not silent.
  @_noLocks
  public mutating func finish(left: ChannelBuffer, right: ChannelBuffer) -> Bool {
    precondition(
      left.count >= blockLength && right.count >= blockLength, "the buffers hold a block")
    if hasSteady {
      add(0, 0, to: left, from: 1, until: 1)
      add(0, 1, to: right, from: 1, until: 1)
    }
    if hasMoving {
      add(1, 0, to: left, from: 1, until: 0)
      add(2, 0, to: left, from: 0, until: 1)
      add(1, 1, to: right, from: 1, until: 0)
      add(2, 1, to: right, from: 0, until: 1)
    }
    return hasSteady || hasMoving
  }

  /// Adds one of the sums, with a linear gain ramp.
  @_noLocks
  private mutating func add(
    _ place: Int, _ ear: Int, to buffer: ChannelBuffer, from start: Float, until end: Float
  ) {
    let first = (place * 4 + ear * 2) * stride
    fft.inverse(
      real: sums.buffer(at: first, count: stride),
      imaginary: sums.buffer(at: first + stride, count: stride),
      into: output.buffer(at: 0, count: length))
    let signal = unsafe output.start + (length - blockLength)
    let target = unsafe buffer.start
    let rise = (end - start) / Float(blockLength)
    var frame = 0
    while frame < blockLength {
      let gain = start + Float(Int32(truncatingIfNeeded: frame + 1)) * rise
      unsafe target[frame] += gain * signal[frame]
      frame += 1
    }
  }
}
