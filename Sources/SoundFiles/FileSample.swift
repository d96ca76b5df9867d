import CVector

/// A sample as it is given to a file, `Float` or `Double`, with the vector kernels for it.
protocol FileSample {
  /// Whether all samples are numbers with a magnitude of at most 1.
  static func areWithinOne(_ samples: UnsafePointer<Self>, _ count: Int) -> Bool

  /// See `cvector_inexact`.
  static func inexactCount(_ samples: UnsafePointer<Self>, _ count: Int, _ full: Double) -> Int

  /// Rounds samples to integers: see `cvector_round`.
  static func code(
    _ samples: UnsafePointer<Self>, _ count: Int, _ full: Double,
    into words: UnsafeMutablePointer<Int32>)

  /// Rounds samples to integers with noise: see `cvector_dither`.
  static func code(
    _ samples: UnsafePointer<Self>, _ count: Int, _ full: Double, noise state: UInt64,
    into words: UnsafeMutablePointer<Int32>)

  /// Converts samples to doubles.
  static func convert(
    _ samples: UnsafePointer<Self>, _ count: Int, to doubles: UnsafeMutablePointer<Double>)

  /// Converts samples to the nearest floats.
  static func convert(
    _ samples: UnsafePointer<Self>, _ count: Int, to floats: UnsafeMutablePointer<Float>)
}

extension FileSample {
  /// Converts samples of an array to the first doubles of another, which grows if it is too short.
  static func convert(_ samples: [Self], _ range: Range<Int>, to doubles: inout [Double]) {
    precondition(range.upperBound <= samples.count, "so many samples are there")
    if doubles.count < range.count { doubles = [Double](repeating: 0, count: range.count) }
    unsafe doubles.withUnsafeMutableBufferPointer { doubles in
      unsafe samples.withUnsafeBufferPointer { samples in
        guard let source = samples.baseAddress, let sink = doubles.baseAddress else { return }
        unsafe convert(source + range.lowerBound, range.count, to: sink)
      }
    }
  }

  /// Converts samples of an array to the first floats of another, which grows if it is too short.
  static func convert(_ samples: [Self], _ range: Range<Int>, to floats: inout [Float]) {
    precondition(range.upperBound <= samples.count, "so many samples are there")
    if floats.count < range.count { floats = [Float](repeating: 0, count: range.count) }
    unsafe floats.withUnsafeMutableBufferPointer { floats in
      unsafe samples.withUnsafeBufferPointer { samples in
        guard let source = samples.baseAddress, let sink = floats.baseAddress else { return }
        unsafe convert(source + range.lowerBound, range.count, to: sink)
      }
    }
  }
}

extension Float: FileSample {
  static func areWithinOne(_ samples: UnsafePointer<Float>, _ count: Int) -> Bool {
    // Magnitudes have the order of their bits, with NaN above all numbers.
    unsafe cvector_largest(samples, count) <= Float(1).bitPattern
  }

  static func inexactCount(_ samples: UnsafePointer<Float>, _ count: Int, _ full: Double) -> Int {
    unsafe cvector_inexact_floats(samples, count, full)
  }

  static func code(
    _ samples: UnsafePointer<Float>, _ count: Int, _ full: Double,
    into words: UnsafeMutablePointer<Int32>
  ) {
    unsafe cvector_round_floats(samples, count, full, words)
  }

  static func code(
    _ samples: UnsafePointer<Float>, _ count: Int, _ full: Double, noise state: UInt64,
    into words: UnsafeMutablePointer<Int32>
  ) {
    unsafe cvector_dither_floats(samples, count, full, state, words)
  }

  static func convert(
    _ samples: UnsafePointer<Float>, _ count: Int, to doubles: UnsafeMutablePointer<Double>
  ) {
    unsafe cvector_widen(samples, nil, count, doubles)
  }

  static func convert(
    _ samples: UnsafePointer<Float>, _ count: Int, to floats: UnsafeMutablePointer<Float>
  ) {
    unsafe floats.update(from: samples, count: count)
  }
}

extension Double: FileSample {
  static func areWithinOne(_ samples: UnsafePointer<Double>, _ count: Int) -> Bool {
    unsafe cvector_within(samples, count) != 0
  }

  static func inexactCount(_ samples: UnsafePointer<Double>, _ count: Int, _ full: Double) -> Int {
    unsafe cvector_inexact(samples, count, full)
  }

  static func code(
    _ samples: UnsafePointer<Double>, _ count: Int, _ full: Double,
    into words: UnsafeMutablePointer<Int32>
  ) {
    unsafe cvector_round(samples, count, full, words)
  }

  static func code(
    _ samples: UnsafePointer<Double>, _ count: Int, _ full: Double, noise state: UInt64,
    into words: UnsafeMutablePointer<Int32>
  ) {
    unsafe cvector_dither(samples, count, full, state, words)
  }

  static func convert(
    _ samples: UnsafePointer<Double>, _ count: Int, to doubles: UnsafeMutablePointer<Double>
  ) {
    unsafe doubles.update(from: samples, count: count)
  }

  static func convert(
    _ samples: UnsafePointer<Double>, _ count: Int, to floats: UnsafeMutablePointer<Float>
  ) {
    unsafe cvector_pick_doubles(samples, 1, 1, count, floats)
  }
}
