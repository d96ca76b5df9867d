public import AudioTypes

/// How a sample is written down in a file that does not compress with loss.
public enum FileSampleType: String, CaseIterable, Hashable, Sendable {
  case int16, int24, int32, float32, float64

  /// Whether it goes beyond full scale.
  public var isFloat: Bool { self == .float32 || self == .float64 }

  /// Bits of a sample.
  public var bits: Int {
    switch self {
    case .int16: 16
    case .int24: 24
    case .int32, .float32: 32
    case .float64: 64
    }
  }

  /// What keeps every bit of a bus: its own sample type, and `float64` for 8.24 fixed point, whose
  /// range of 128 times full scale no integer file has.
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
/// at the ends, 0 for what is not a number.
@inline(__always)
func integer(_ value: Double, bits: Int) -> Int32 {
  let full = Double(Int64(1) << Int64(bits - 1))
  let scaled = value * full
  if scaled >= full - 1 { return Int32(truncatingIfNeeded: Int64(full) - 1) }
  if scaled <= -full { return Int32(truncatingIfNeeded: -Int64(full)) }
  guard scaled == scaled else { return 0 }
  // 3 * 2^51: the sum has no room for a fraction, so that the addition rounds.
  return Int32(truncatingIfNeeded: Int64((scaled + 0x1.8p52) - 0x1.8p52))
}
