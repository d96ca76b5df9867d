import AudioTypes
import CVector
import RenderCore
import TestSupport
import Testing

/// The conversions of `SampleCoding`, one sample at a time.
private enum Expected {
  /// Samples on both sides of every limit, halves between two words, denormals, infinities and NaN
  /// among random samples and random bits.
  static func samples(_ count: Int, _ generator: inout SplitMix64) -> [UInt32] {
    let edges: [UInt32] = [
      0, 1, 0x7F_FFFF, 0x80_0000, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF, 0x7F7F_FFFF,
      0x3F80_0000, 0x3F7F_FFFF, 0x3F80_0001, 0x3F7F_FE00, 0x3F7F_FF00, 0x4300_0000, 0x42FF_FFFF,
      0x3780_0000, 0x37C0_0000, 0x3380_0000, 0x33C0_0000, 0x2F80_0000, 0x3300_0000,
    ]
    return (0..<count).map { _ in
      let bits = UInt32(truncatingIfNeeded: generator.next())
      switch bits % 4 {
      case 0: return edges[Int(bits / 8) % edges.count] | (bits & 4) << 29
      case 1: return UInt32(truncatingIfNeeded: generator.next())
      case 2:
        let word = Int32(truncatingIfNeeded: generator.next()) >> 15
        return ((Float(word) + 0.5) / 32_768).bitPattern
      default: return Float.random(in: -1.2...1.2, using: &generator).bitPattern
      }
    }
  }

  static func words(_ count: Int, _ generator: inout SplitMix64) -> [Int32] {
    (0..<count).map { _ in
      let word = Int32(truncatingIfNeeded: generator.next())
      switch word & 3 {
      case 0: return (Int32(1) &<< (word >> 2)) &+ (word >> 8) % 2
      case 1: return (word & 4 == 0 ? Int32.max : .min) ^ (word >> 8 & 0x1FF)
      default: return word
      }
    }
  }

  static func quantized16(_ sample: Float) -> UInt32 {
    let scaled = sample * 32_768
    let clipped = scaled >= 32_767 ? 32_767 : scaled <= -32_768 ? -32_768 : scaled
    let rounded = (clipped + 12_582_912) - 12_582_912
    return (rounded == rounded ? rounded / 32_768 : 0).bitPattern
  }

  static func quantized(_ sample: Float, _ type: SampleType) -> UInt32 {
    let end = Double(SampleCoding.maximum(type)) / SampleCoding.scale(type)
    let nearest = Float(SampleCoding.value(SampleCoding.word(Double(sample), as: type), of: type))
    return Double(nearest) > end ? nearest.bitPattern - 1 : nearest.bitPattern
  }

  /// The largest float in range.
  static func most(_ type: SampleType) -> Float {
    let end = Double(SampleCoding.maximum(type)) / SampleCoding.scale(type)
    let nearest = Float(end)
    return Double(nearest) > end ? nearest.nextDown : nearest
  }
}

/// Comparing whole arrays of bits in a test expectation would print them all.
private func differing(_ found: [UInt32], _ expected: [UInt32]) -> Int? {
  found.indices.first { found[$0] != expected[$0] }
}

private let integers: [SampleType] = [.int16, .int24, .int32, .fixed824]

@Suite struct SampleCodingKernelTests {
  @Test func `samples round to 16 bits alike with every kind of vector`() {
    var generator = SplitMix64(seed: 31)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let given = Expected.samples(count + 1, &generator)
        var floats = given.map { Float(bitPattern: $0) }
        unsafe kernels.quantize16(&floats, count)
        var expected = given.map { Expected.quantized16(Float(bitPattern: $0)) }
        // The one behind the last stays as it was.
        expected[count] = given[count]
        #expect(differing(floats.map(\.bitPattern), expected) == nil)
      }
    }
  }

  @Test(arguments: integers)
  func `samples become words and words samples alike with every kind of vector`(type: SampleType) {
    var generator = SplitMix64(seed: 32)
    let scale = SampleCoding.scale(type)
    let last = Double(SampleCoding.maximum(type))
    let unit = Float(1 / scale)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let given = Expected.samples(count + 1, &generator)
        let floats = given.map { Float(bitPattern: $0) }
        let words = Expected.words(count + 1, &generator)
        var expected = floats.map {
          UInt32(bitPattern: SampleCoding.word(Double($0), as: type))
        }
        var found = [UInt32](repeating: 7, count: count + 1)
        unsafe kernels.encode(floats, count, scale, last, &found)
        expected[count] = 7
        #expect(differing(found, expected) == nil)

        // In the memory of the samples, and back with the limit of the format.
        var same = floats
        unsafe same.withUnsafeMutableBufferPointer { same in
          let start = same.baseAddress!
          unsafe kernels.encode(start, count, scale, last, start)
          unsafe kernels.decode(start, count, unit, Expected.most(type), start)
        }
        expected = floats.map { Expected.quantized($0, type) }
        expected[count] = given[count]
        #expect(differing(same.map(\.bitPattern), expected) == nil)

        var samples = [Float](repeating: 7, count: count + 1)
        unsafe kernels.decode(words, count, unit, .infinity, &samples)
        expected = words.map { Float(SampleCoding.value($0, of: type)).bitPattern }
        expected[count] = Float(7).bitPattern
        #expect(differing(samples.map(\.bitPattern), expected) == nil)

        for source in [SampleType.int32, .fixed824] {
          var recoded = [UInt32](repeating: 7, count: count + 1)
          unsafe kernels.recode(
            words, count, scale / SampleCoding.scale(source), last, &recoded)
          expected = words.map {
            UInt32(bitPattern: SampleCoding.word(SampleCoding.value($0, of: source), as: type))
          }
          expected[count] = 7
          #expect(differing(recoded, expected) == nil)
        }
      }
    }
  }

  @Test(arguments: integers)
  func `a channel of doubles becomes words alike with every kind of vector`(type: SampleType) {
    var generator = SplitMix64(seed: 36)
    let scale = SampleCoding.scale(type)
    let last = Double(SampleCoding.maximum(type))
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let stride = count % 3 + 1
        let gain = [1, -0.7, 1e10][count % 3]
        let samples = Expected.samples(count * stride + 1, &generator).map {
          Double(Float(bitPattern: $0)) * 1.000_000_001
        }
        var found = [UInt32](repeating: 7, count: count + 1)
        unsafe kernels.encode_doubles(samples, stride, gain, count, scale, last, &found)
        var expected = (0..<count).map {
          UInt32(bitPattern: SampleCoding.word(samples[$0 * stride] * gain, as: type))
        }
        expected.append(7)
        #expect(differing(found, expected) == nil)
      }
    }
  }
}
