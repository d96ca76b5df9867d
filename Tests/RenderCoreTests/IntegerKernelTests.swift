import CVector
import RenderCore
import TestSupport
import Testing

/// The kernels that write the integers of a file.
@Suite struct IntegerKernelTests {
  @Test(arguments: [16, 24, 32])
  func `floats become the integers of the same doubles, with every kind of vector`(bits: Int) {
    let full = Double(Int64(1) << Int64(bits - 1))
    var generator = SplitMix64(seed: UInt64(bits))
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let isExact = count % 2 == 0
        let floats: [Float] = (0..<count).map { index in
          if index % 7 == 6 { return index % 2 == 0 ? -1 : .leastNonzeroMagnitude }
          let value = Float.random(in: -1...1, using: &generator)
          return isExact ? Float(Int32(value * 1000)) / 32_768 : value
        }
        let doubles = floats.map(Double.init)
        let last = unsafe kernels.inexact(doubles, count, full)
        #expect(unsafe kernels.inexact_floats(floats, count, full) == last)
        var expected = [Int32](repeating: 7, count: count + 1)
        var found = expected
        unsafe kernels.round(doubles, count, full, &expected)
        unsafe kernels.round_floats(floats, count, full, &found)
        #expect(found == expected)
        let state = generator.next()
        unsafe kernels.dither(doubles, count, full, state, &expected)
        unsafe kernels.dither_floats(floats, count, full, state, &found)
        #expect(found == expected)
      }
    }
  }

  @Test(arguments: [2, 3])
  func `words lose their upper bytes with every kind of vector, and nothing behind them changes`(
    width: Int
  ) {
    var generator = SplitMix64(seed: 35)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let words = (0..<count).map { _ in Int32(truncatingIfNeeded: generator.next()) }
        var found = [UInt8](repeating: 7, count: width * count + 16)
        if width == 2 {
          unsafe kernels.pack16(words, count, &found)
        } else {
          unsafe kernels.pack24(words, count, &found)
        }
        var expected: [UInt8] = []
        for word in words {
          for byte in 0..<width {
            expected.append(UInt8(truncatingIfNeeded: word >> Int32(8 * byte)))
          }
        }
        expected += [UInt8](repeating: 7, count: 16)
        #expect(found == expected)
      }
    }
  }
}
