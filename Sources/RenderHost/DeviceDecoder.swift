public import AudioTypes
import RenderCore

/// Decodes device bytes into numbers, exactly, and tracks their peak.
public struct DeviceDecoder: Sendable {
  private let sample: SampleType
  private let bytesPerSample: Int
  private let isAlignedHigh: Bool
  /// The greatest magnitude so far, where 1 is full scale.
  public private(set) var peak = 0.0
  /// The number of samples that are not finite.
  public private(set) var badSamples = 0
  /// The frame of the first of them; `nil` for none.
  public private(set) var firstBadFrame: Int?
  private let channelCount: Int
  private var decoded = 0

  /// - Parameter format: Interleaved, with a sample type that a bus can carry.
  public init(_ format: StreamFormat) {
    sample = format.sampleType ?? .float32
    bytesPerSample = max(2, format.bytesPerSample)
    channelCount = max(1, format.channelCount)
    isAlignedHigh = format.flags.contains(.isAlignedHigh)
  }

  /// Decodes frames into interleaved samples, where 1 is full scale.
  ///
  /// - Parameter samples: Grows to hold them; it never shrinks.
  public mutating func decode(_ bytes: Span<UInt8>, into samples: inout [Double]) {
    let count = bytes.count / bytesPerSample
    if samples.count < count { samples = [Double](repeating: 0, count: count) }
    var numbers = samples.mutableSpan
    var place = 0
    var largest = peak
    for index in 0..<count {
      var word = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8
      if bytesPerSample > 2 { word |= UInt32(bytes[place + 2]) << 16 }
      if bytesPerSample > 3 { word |= UInt32(bytes[place + 3]) << 24 }
      place += bytesPerSample
      let value = number(word)
      numbers[index] = value
      if value.magnitude > largest { largest = value.magnitude }
      if !value.isFinite {
        if badSamples == 0 { firstBadFrame = (decoded + index) / channelCount }
        badSamples += 1
      }
    }
    decoded += count
    peak = largest
  }

  /// Whether the bytes are `Float`s, for which `measure` replaces `decode`.
  public var isFloat: Bool { sample == .float32 }

  /// Updates the peak and the count of bad samples from float bytes, without decoding them.
  ///
  /// - Parameter largest: The largest magnitude in them, where it is known. NaN is above any number.
  public mutating func measure(_ floats: Span<UInt8>, largest: Float?) {
    let bits = largest?.bitPattern ?? VectorMath.largest(of: floats)
    guard bits < Float.infinity.bitPattern else {
      var samples: [Double] = []
      return decode(floats, into: &samples)
    }
    peak = max(peak, Double(Float(bitPattern: bits)))
    decoded += floats.count / bytesPerSample
  }

  private func number(_ word: UInt32) -> Double {
    if sample == .float32 { return Double(Float(bitPattern: word)) }
    // The sign is the highest bit in use.
    let unused = UInt32(32 - 8 * bytesPerSample)
    let signed = Int32(bitPattern: word << unused) >> Int32(unused)
    return SampleCoding.value(isAlignedHigh ? signed >> 8 : signed, of: sample)
  }
}
