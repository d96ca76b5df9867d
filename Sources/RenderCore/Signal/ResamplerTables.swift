/// The filter of a resampler, as a function of the position of an output frame between two input
/// frames.
struct ResamplerFilter {
  /// The number of input frames for an output frame: an even number.
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

  /// The coefficients at `position` behind the middle frame, scaled for a gain of 1 at 0 Hz.
  ///
  /// - Parameter position: From 0 to 1, or a little outside. It must be a whole number, or at least
  ///   1e-4 away from one.
  func row(at position: Double) -> [Double] {
    guard let kaiser else { return [1 - position, position] }
    let middle = Double(tapCount / 2 - 1)
    let row = kaiser.values(from: -middle - position, count: tapCount)
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }
}

/// Rows for the positions row / `rowCount` between two input frames, from row 0 to row `rowCount`,
/// to interpolate linearly.
struct RowTable: ~Copyable {
  let rowCount: Int
  /// The length of a row: the taps, filled up with zeros to a multiple of 16.
  let width: Int
  private let storage: SampleStorage

  /// The size of a table.
  struct Shape {
    let width: Int
    /// The number of rows computed from the filter; `density` - 1 rows lie between each two of
    /// them. 0 for no table.
    let computed: Int
    /// The rows of the table for each computed one.
    let density: Int

    init(_ filter: ResamplerFilter, step: Double, density: Int, isNeeded: Bool) {
      width = VectorMath.rowLength(filter.tapCount)
      self.density = density
      // A cubic through four of 128 rows has an error of (pi/128)^4 * 3/128 at half the rate, which
      // is -161 dB. Filters for lower output rates are smoother by as much as they are longer.
      computed = !isNeeded ? 0 : step > 1 ? max(4, Int((128 / step).rounded(.up))) : 128
    }

    /// The number of coefficients of the table, and of the computed rows.
    var count: Int { computed == 0 ? 1 : (computed * density + 1) * width }
    var computedCount: Int { computed == 0 ? 0 : (computed + 3) * width }
  }

  init(_ filter: ResamplerFilter, _ shape: Shape) {
    width = shape.width
    let (computed, density) = (shape.computed, shape.density)
    rowCount = computed * density
    storage = SampleStorage(repeating: 0, count: shape.count)
    guard computed > 0 else { return }
    let coarse = SampleStorage(repeating: 0, count: shape.computedCount)
    for index in -1...computed + 1 {
      let row = filter.row(at: Double(index) / Double(computed))
      for (tap, value) in row.enumerated() { coarse[(index + 1) * width + tap] = Float(value) }
    }
    for row in 0...rowCount {
      // Row -1 is the first of the computed rows; the last row is a computed one.
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

/// Rows for the output frames of a period, in blocks of four that read the input at one position:
/// each row is shifted by the distance of its own position from the first one's.
struct BlockTable: ~Copyable {
  static var blockLength: Int { @_noLocks get { 4 } }

  /// The output frames after which the rows repeat; 0 for an empty table.
  let period: Int
  /// The input frames of a period.
  let distance: Int
  /// The length of a row, a multiple of 16.
  let width: Int
  private let storage: SampleStorage

  /// The size of a table.
  struct Shape {
    let phases: Int
    /// The input frames for `phases` output frames.
    let step: Int
    let period: Int
    /// The shift of each row, relative to the first row of its block.
    let shifts: [Int]
    let width: Int

    /// - Parameter phases: 0 for none.
    init(_ filter: ResamplerFilter, phases: Int, step: Int) {
      self.phases = phases
      self.step = step
      guard phases > 0 else {
        period = 0
        shifts = []
        width = 16
        return
      }
      let block = BlockTable.blockLength
      // A period shorter than a block is repeated, to fill the block.
      period = phases < block ? phases * ((block + phases - 1) / phases) : phases
      shifts = (0..<period).map { row in
        row * step / phases - row / block * block * step / phases
      }
      width = VectorMath.rowLength(filter.tapCount + (shifts.max() ?? 0))
    }

    /// The number of coefficients.
    var count: Int { max(1, period * width) }
  }

  init(_ filter: ResamplerFilter, _ shape: Shape) {
    period = shape.period
    distance = shape.phases > 0 ? shape.period / shape.phases * shape.step : 0
    width = shape.width
    storage = SampleStorage(repeating: 0, count: shape.count)
    let (phases, step, shifts) = (shape.phases, shape.step, shape.shifts)
    for row in 0..<min(phases, period) {
      let values = filter.row(at: Double(row * step % phases) / Double(phases))
      for copy in stride(from: row, to: period, by: phases) {
        for (tap, value) in values.enumerated() {
          storage[copy * width + shifts[copy] + tap] = Float(value)
        }
      }
    }
  }

  /// The number of frames that can be computed at once from `row` on: 1 to 4.
  @_noLocks
  func framesLeft(after row: Int) -> Int {
    let inBlock = Self.blockLength - row % Self.blockLength
    return inBlock < period - row ? inBlock : period - row
  }

  /// Writes `count` frames of one block, of one channel or of two. Where they are repeated, it also
  /// writes those of the next periods, as many as make `repeatedPlaces`.
  ///
  /// - Parameter first: The input from the beginning of the block on.
  @_noLocks
  func write(
    _ count: Int, from row: Int, isRepeated: Bool, _ first: UnsafePointer<Float>,
    _ second: UnsafePointer<Float>?, into firstOutput: UnsafeMutablePointer<Float>,
    _ secondOutput: UnsafeMutablePointer<Float>?
  ) {
    let row = unsafe UnsafePointer(storage.start + row * width)
    if isRepeated {
      unsafe dotBlock(
        row, rows: count, first, second, count: width, distance: distance, into: firstOutput,
        secondOutput, period: period)
    } else if let second = unsafe second, let secondOutput = unsafe secondOutput {
      unsafe dotBlock(
        row, rows: count, first, second, count: width, into: firstOutput, secondOutput)
    } else {
      unsafe dotBlock(row, rows: count, first, count: width, into: firstOutput)
    }
  }
}
