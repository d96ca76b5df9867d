import CVector
import RenderCore
import TestSupport
import Testing

@Suite struct GainKernelTests {
  /// Samples, with every special value of a float among them, as bits.
  private func samples(_ count: Int, _ generator: inout SplitMix64) -> [Float] {
    let special: [UInt32] = [
      0, 0x8000_0000, 1, 0x8000_0001, 0x7F_FFFF, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0001,
      0x7F7F_FFFF,
    ]
    return (0..<count).map { _ in
      let bits = UInt32(truncatingIfNeeded: generator.next())
      switch bits % 4 {
      case 0: return Float(bitPattern: special[Int(bits / 4) % special.count])
      case 1: return Float(bitPattern: bits)
      default: return Float.random(in: -1...1, using: &generator)
      }
    }
  }

  /// The bits, with all that is not a number as one.
  private func bits(_ samples: [Float]) -> [UInt32] {
    samples.map { $0.isNaN ? Float.nan.bitPattern : $0.bitPattern }
  }

  @Test func `a gain and a ramp have the same bits with every kind of vector`() {
    var generator = SplitMix64(seed: 33)
    for kind in 0..<kindCount {
      let kernels = unsafe cvector_kind(kind)!.pointee
      for count in 0...70 {
        let given = samples(count + 1, &generator)
        let gain = Float.random(in: -100...100, using: &generator)
        let origin = Double.random(in: -100...100, using: &generator)
        let rise = Double.random(in: -200...200, using: &generator)
        let length = Int.random(in: 1...100_000, using: &generator)
        let place = Int.random(in: 0..<length, using: &generator)

        var found = [Float](repeating: 7, count: count + 1)
        unsafe kernels.multiply(given, gain, count, &found)
        var expected = given.map { $0 * gain }
        expected[count] = 7
        #expect(bits(found) == bits(expected))

        found = given
        unsafe found.withUnsafeMutableBufferPointer { found in
          let start = found.baseAddress!
          unsafe kernels.ramp(
            start, count, origin, rise, Double(place), Double(length), start)
        }
        expected = given
        for frame in 0..<count {
          let value = origin + rise * (Double(place + frame + 1) / Double(length))
          expected[frame] = given[frame] * Float(value)
        }
        #expect(bits(found) == bits(expected))
      }
    }
  }

  @Test(arguments: [1, 2, 5, 64, 333])
  func `a gliding control multiplies samples by the value of each frame, however they are cut`(
    slice: Int
  ) {
    var generator = SplitMix64(seed: 34)
    let count = 400
    for length in [1, 2, 17, 240, 1000] {
      let block = ControlBlock([Float(0.3).bitPattern])
      var control = GlidingControl(block.access, 0, value: 0.3, length: length)
      control.follow()
      block[0] = -0.7
      control.follow()
      var each = control
      var given = samples(count, &generator)
      let expected = given.map { $0 * Float(each.next()) }
      var found = [Float](repeating: 7, count: count)
      unsafe given.withUnsafeMutableBufferPointer { given in
        unsafe found.withUnsafeMutableBufferPointer { found in
          var first = 0
          while first < count {
            let some = min(slice, count - first)
            let source = unsafe ChannelBuffer(base: given.baseAddress! + first, count: some)
            let sink = unsafe ChannelBuffer(base: found.baseAddress! + first, count: some)
            control.multiply(source, into: sink)
            first += some
          }
        }
      }
      #expect(bits(found) == bits(expected))
      #expect(control.current == each.current && control.isSettled == each.isSettled)
      withExtendedLifetime(block) {}
    }
  }
}
