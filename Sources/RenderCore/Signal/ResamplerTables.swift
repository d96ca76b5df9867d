/// The filter of a resampler as a function of where an output frame lies between two input frames.
struct ResamplerFilter {
  /// Input frames that go into an output frame: an even number.
  let tapCount: Int
  private let kaiser: KaiserFilter?

  init(_ quality: PolyphaseResampler.Quality, step: Double) {
    guard quality.complexity != .linear else {
      kaiser = nil
      tapCount = 2
      return
    }
    let (attenuation, passBand) = quality.band
    let filter = KaiserFilter(attenuation: attenuation, passBand: passBand, step: step)
    kaiser = filter
    tapCount = filter.tapCount
  }

  /// The coefficients at `position` (0 to 1, or a little outside) after the frame in the middle,
  /// scaled so that a constant comes out as it went in.
  func row(at position: Double) -> [Double] {
    guard let kaiser else { return [1 - position, position] }
    let middle = Double(tapCount / 2 - 1)
    let row = (0..<tapCount).map { kaiser.value(at: Double($0) - middle - position) }
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }
}

/// Rows for the positions row / `rowCount` between two input frames, from row 0 to row `rowCount`: what
/// a straight line between two of them needs.
struct RowTable: ~Copyable {
  let rowCount: Int
  /// Of a row: the taps, and zeros to a multiple of 16.
  let width: Int
  private let storage: SampleStorage

  /// - Parameter density: Rows for each one that is computed; the others follow from those.
  init(_ filter: ResamplerFilter, step: Double, density: Int, isNeeded: Bool) {
    width = VectorMath.rowLength(filter.tapCount)
    guard isNeeded else {
      rowCount = 0
      storage = SampleStorage(repeating: 0, count: 1)
      return
    }
    // A cubic through four of 128 rows misses a sine at half the rate by (pi/128)^4 * 3/128, which
    // is -161 dB. Filters for steps down are as much smoother as they are longer.
    let computed = step > 1 ? max(4, Int((128 / step).rounded(.up))) : 128
    let coarse = SampleStorage(repeating: 0, count: (computed + 3) * width)
    for index in -1...computed + 1 {
      let row = filter.row(at: Double(index) / Double(computed))
      for (tap, value) in row.enumerated() { coarse[(index + 1) * width + tap] = Float(value) }
    }
    rowCount = computed * density
    storage = SampleStorage(repeating: 0, count: (rowCount + 1) * width)
    for row in 0...rowCount {
      // Row -1 is the first of the computed ones. The last row is one of those.
      let place = min(row / density, computed - 1)
      let t = Float(row - place * density) / Float(density)
      unsafe blendRows(
        coarse.start + place * width, count: width, -t * (t - 1) * (t - 2) / 6,
        (t + 1) * (t - 1) * (t - 2) / 2, -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6,
        into: storage.start + row * width)
    }
  }

  var start: UnsafePointer<Float> { @_noLocks get { unsafe UnsafePointer(storage.start) } }
}

/// Rows for the output frames of a period, in blocks of four that begin at one place in the input:
/// each is shifted by as many frames as its own place is beyond that of the first.
struct BlockTable: ~Copyable {
  static var blockLength: Int { @_noLocks get { 4 } }

  /// Output frames until the rows repeat; 0 for an empty table.
  let period: Int
  /// Of a row, a multiple of 16.
  let width: Int
  private let storage: SampleStorage

  /// - Parameters:
  ///   - phases: 0 for none.
  ///   - step: `phases` output frames take so many input frames.
  init(_ filter: ResamplerFilter, phases: Int, step: Int) {
    guard phases > 0 else {
      period = 0
      width = 16
      storage = SampleStorage(repeating: 0, count: 1)
      return
    }
    let block = Self.blockLength
    // Short periods are taken several times, to fill a block.
    period = phases < block ? phases * ((block + phases - 1) / phases) : phases
    let period = period
    let shifts = (0..<period).map { row in row * step / phases - row / block * block * step / phases
    }
    width = VectorMath.rowLength(filter.tapCount + (shifts.max() ?? 0))
    storage = SampleStorage(repeating: 0, count: period * width)
    for row in 0..<min(phases, period) {
      let values = filter.row(at: Double(row * step % phases) / Double(phases))
      for copy in stride(from: row, to: period, by: phases) {
        for (tap, value) in values.enumerated() {
          storage[copy * width + shifts[copy] + tap] = Float(value)
        }
      }
    }
  }

  /// How many frames can be computed at once from `row` on: 1 to 4.
  @_noLocks
  func framesLeft(after row: Int) -> Int {
    let inBlock = Self.blockLength - row % Self.blockLength
    return inBlock < period - row ? inBlock : period - row
  }

  @_noLocks
  func row(_ row: Int) -> UnsafePointer<Float> {
    unsafe UnsafePointer(storage.start + row * width)
  }
}
