public import AudioTypes

/// The type of a sample in a lossless file.
public enum FileSampleType: String, CaseIterable, Hashable, Sendable {
  case int16, int24, int32, float32, float64

  /// Whether it can exceed full scale.
  public var isFloat: Bool { self == .float32 || self == .float64 }

  /// The bits of a sample.
  public var bits: Int {
    switch self {
    case .int16: 16
    case .int24: 24
    case .int32, .float32: 32
    case .float64: 64
    }
  }

  /// The type that keeps every bit of a bus: its own sample type or, for 8.24 fixed point,
  /// `float64`: no integer file has its range of 128 times full scale.
  public init(keeping sample: SampleType) {
    switch sample {
    case .float32: self = .float32
    case .int16: self = .int16
    case .int24: self = .int24
    case .int32: self = .int32
    case .fixed824: self = .float64
    }
  }
}

/// The integer of `bits` bits nearest to `value`, where 1.0 is 2^(bits-1): halves to even, clipped
/// at the ends, 0 for NaN.
@inline(__always)
func integer(_ value: Double, bits: Int) -> Int32 {
  let full = Double(Int64(1) << Int64(bits - 1))
  let scaled = value * full
  if scaled >= full - 1 { return Int32(truncatingIfNeeded: Int64(full) - 1) }
  if scaled <= -full { return Int32(truncatingIfNeeded: -Int64(full)) }
  guard scaled == scaled else { return 0 }
  // Adding and subtracting 3 * 2^51 rounds, because the sum has no bits for a fraction.
  return Int32(truncatingIfNeeded: Int64((scaled + 0x1.8p52) - 0x1.8p52))
}
