import AudioTypes
import RenderCore
import TestSupport
import Testing

extension SampleType {
  fileprivate static let integers: [SampleType] = [.int16, .int24, .int32, .fixed824]

  /// The word for a value of 1: 2^15, 2^23, 2^31 or 2^24.
  fileprivate var unit: Double {
    switch self {
    case .float32: 1
    case .int16: 0x1p15
    case .int24: 0x1p23
    case .int32: 0x1p31
    case .fixed824: 0x1p24
    }
  }

  fileprivate var words: ClosedRange<Int32> {
    switch self {
    case .int16: -32_768...32_767
    case .int24: -8_388_608...8_388_607
    case .float32, .int32, .fixed824: Int32.min...Int32.max
    }
  }

  /// The standard library's rounding with clipping, the expected result of `word`.
  fileprivate func nearest(_ value: Double) -> Int32 {
    guard !value.isNaN else { return 0 }
    let rounded = (value * unit).rounded(.toNearestOrEven)
    return Int32(min(max(rounded, Double(words.lowerBound)), Double(words.upperBound)))
  }

  /// The limits, their neighbours, the powers of two, and many random words.
  fileprivate var samples: [Int32] {
    var generator = SplitMix64(seed: UInt64(bitsPerChannel))
    var found: [Int32] = [
      words.lowerBound, words.lowerBound + 1, words.upperBound - 1, words.upperBound,
    ]
    for shift in 0..<31 {
      for word in [1 << shift, -(1 << shift), (1 << shift) - 1, 1 - (1 << shift)] {
        if words.contains(Int32(word)) { found.append(Int32(word)) }
      }
    }
    for _ in 0..<2000 { found.append(Int32.random(in: words, using: &generator)) }
    return found
  }
}

private func bus(_ values: [Float]) -> (plan: RenderPlanHolder, buffer: ChannelBuffer) {
  let holder = RenderPlanHolder(frames: values.count)
  let buffer = holder.plan.bus(0, frameCount: values.count)[0]
  for (frame, value) in values.enumerated() { buffer[frame] = value }
  return (holder, buffer)
}

/// Owns the memory of a bus.
private final class RenderPlanHolder {
  let plan: RenderPlan
  init(frames: Int) {
    plan = RenderPlan(rows: [], busChannelCounts: [1], maximumFramesPerSlice: frames)
  }
}

@Suite struct SampleCodingTests {
  @Test func `every 16-bit word is its own float and its own word again`() {
    let words = Array(Int32(-32_768)...32_767)
    let (holder, buffer) = bus(words.map { Float($0) / 32_768 })
    SampleCoding.quantize(buffer, to: .int16)
    var wrong = 0
    for (frame, word) in words.enumerated() {
      if buffer[frame] != Float(word) / 32_768 { wrong += 1 }
      if SampleCoding.value(word, of: .int16) != Double(word) / 32_768 { wrong += 1 }
      if SampleCoding.word(Double(buffer[frame]), as: .int16) != word { wrong += 1 }
    }
    #expect(wrong == 0)
    withExtendedLifetime(holder) {}
  }

  @Test(arguments: SampleType.integers)
  func `a word's value is exact and becomes the same word`(sample: SampleType) {
    var wrong: [Int32] = []
    for word in sample.samples {
      let value = SampleCoding.value(word, of: sample)
      if value != Double(word) / sample.unit || SampleCoding.word(value, as: sample) != word {
        wrong.append(word)
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: SampleType.integers)
  func `what lies between two words is rounded to the nearer one, halves to the even one`(
    sample: SampleType
  ) {
    var wrong: [Double] = []
    for word in sample.samples {
      for part in [-0.75, -0.5, -0.4999, -0.25, 0.25, 0.4999, 0.5, 0.75] {
        let value = (Double(word) + part) / sample.unit
        if SampleCoding.word(value, as: sample) != sample.nearest(value) { wrong.append(value) }
      }
    }
    #expect(wrong == [])
    #expect(SampleCoding.word(2.5 / sample.unit, as: sample) == 2)
    #expect(SampleCoding.word(3.5 / sample.unit, as: sample) == 4)
    #expect(SampleCoding.word(-2.5 / sample.unit, as: sample) == -2)
  }

  @Test(arguments: SampleType.integers)
  func `what is too large clips and never wraps, and what is not a number is 0`(
    sample: SampleType
  ) {
    let (low, high) = (sample.words.lowerBound, sample.words.upperBound)
    let end = -Double(low) / sample.unit
    for value in [end, end * 1.000001, end * 2, end * 65_536, 1e30, .greatestFiniteMagnitude] {
      #expect(SampleCoding.word(value, as: sample) == high)
      #expect(SampleCoding.word(-value, as: sample) == low)
    }
    #expect(SampleCoding.word(.infinity, as: sample) == high)
    #expect(SampleCoding.word(-.infinity, as: sample) == low)
    #expect(SampleCoding.word(.nan, as: sample) == 0)
    #expect(SampleCoding.word(-.nan, as: sample) == 0)
    #expect(SampleCoding.word(.leastNonzeroMagnitude, as: sample) == 0)
    #expect(SampleCoding.word(-0.0, as: sample) == 0)
  }

  @Test(arguments: [SampleType.int16, .int24])
  func `floats are rounded in place as words are`(sample: SampleType) {
    var generator = SplitMix64(seed: 9)
    var values: [Float] = [
      0, -0.0, 1, -1, 1.5, -1.5, 3e38, -3e38, .infinity, -.infinity, .nan, 0x1p-140, 0.5, -0.5,
    ]
    for _ in 0..<4000 { values.append(Float.random(in: -1.01...1.01, using: &generator)) }
    for half in -100...100 { values.append((Float(half) + 0.5) / Float(sample.unit)) }
    let (holder, buffer) = bus(values)
    SampleCoding.quantize(buffer, to: sample)
    var wrong: [Float] = []
    for (frame, value) in values.enumerated() {
      let expected = Float(Double(sample.nearest(Double(value))) / sample.unit)
      if buffer[frame] != expected { wrong.append(value) }
    }
    #expect(wrong == [])
    withExtendedLifetime(holder) {}
  }

  @Test(arguments: SampleType.integers)
  func `a rounded float is one that the format can hold, and stays what it is`(sample: SampleType) {
    var generator = SplitMix64(seed: 11)
    let end = Float(-Double(sample.words.lowerBound) / sample.unit)
    var values: [Float] = [
      end, -end, end.nextDown, end.nextUp, 2 * end, .infinity, -.infinity, .nan,
    ]
    for _ in 0..<2000 { values.append(Float.random(in: -1.1 * end...1.1 * end, using: &generator)) }
    let (holder, buffer) = bus(values)
    SampleCoding.quantize(buffer, to: sample)
    let once = buffer.indices.map { buffer[$0] }
    let isHeld = once.allSatisfy {
      Int32(exactly: Double($0) * sample.unit).map(sample.words.contains) ?? false
    }
    #expect(isHeld)
    SampleCoding.quantize(buffer, to: sample)
    #expect(buffer.indices.map { buffer[$0] } == once)
    withExtendedLifetime(holder) {}
  }

  @Test func `floats that stay floats are not touched`() {
    let values: [Float] = [0x1p-140, 3, -3e38, .infinity, 0.1]
    let (holder, buffer) = bus(values)
    SampleCoding.quantize(buffer, to: .float32)
    #expect(buffer.indices.map { buffer[$0] } == values)
    withExtendedLifetime(holder) {}
  }

  @Test(arguments: [SampleType.int32, .fixed824])
  func `words and floats are turned into each other in place`(sample: SampleType) {
    let words = sample.samples
    let (holder, buffer) = bus(words.map { _ in 0 })
    for (frame, word) in words.enumerated() { buffer[word: frame] = word }
    SampleCoding.decode(buffer, into: buffer, of: sample)
    // The nearest float: a word has up to 31 bits, and a float has 24.
    let isNearest = words.indices.allSatisfy {
      buffer[$0] == Float(Double(words[$0]) / sample.unit)
    }
    #expect(isNearest)
    let floats = buffer.indices.map { buffer[$0] }
    SampleCoding.encode(buffer, into: buffer, as: sample)
    let isBack = words.indices.allSatisfy {
      buffer[word: $0] == sample.nearest(Double(floats[$0]))
    }
    #expect(isBack)
    let isExact = words.indices.allSatisfy {
      abs(Int(words[$0])) > 1 << 24 || buffer[word: $0] == words[$0]
    }
    #expect(isExact)
    withExtendedLifetime(holder) {}
  }

  @Test(arguments: Slicing.every)
  func `the kernels round, encode and decode however the render is cut`(slicing: Slicing) {
    let input = (0..<4500).map { Float($0 - 2250) / 2000 + 1e-6 }
    let rounded = render(
      .holding(SampleCodingKernel(from: .float32, to: .int16)), inputs: [[input]],
      outputChannelCounts: [1],
      frameCount: 4500, slicing: slicing)[0][0]
    let isRounded = input.indices.allSatisfy {
      Double(rounded[$0]) == Double(SampleType.int16.nearest(Double(input[$0]))) / 32_768
    }
    #expect(isRounded)
    let words = render(
      .holding(SampleCodingKernel(from: .float32, to: .fixed824)), inputs: [[input]],
      outputChannelCounts: [1],
      frameCount: 4500, slicing: slicing)[0][0]
    let isEncoded = input.indices.allSatisfy {
      Int32(bitPattern: words[$0].bitPattern) == SampleType.fixed824.nearest(Double(input[$0]))
    }
    #expect(isEncoded)
    let floats = render(
      .holding(SampleCodingKernel(from: .fixed824, to: .float32)), inputs: [[words]],
      outputChannelCounts: [1],
      frameCount: 4500, slicing: slicing)[0][0]
    let isDecoded = input.indices.allSatisfy { abs(floats[$0] - input[$0]) <= 0x1p-25 }
    #expect(isDecoded)
  }
}
