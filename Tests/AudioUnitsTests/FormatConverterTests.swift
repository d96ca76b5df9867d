import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Formats, properties and rules of the converter, and its conversion between equal rates.
struct FormatConverterTests {
  private static func configuration(
    _ input: StreamFormat, _ output: StreamFormat, inputMap: [Int32]? = nil,
    outputMap: [Int32]? = nil
  ) -> UnitConfiguration {
    var properties: [PropertyPlace: PropertyValue] = [:]
    if let inputMap { properties[.init(.channelMap, .input, 0)] = .integers(inputMap) }
    if let outputMap { properties[.init(.channelMap, .output, 0)] = .integers(outputMap) }
    return UnitConfiguration(
      inputs: [.init(format: input, origin: .given, use: .callback)],
      outputs: [.init(format: output, origin: .given, use: .connection)],
      maximumFramesPerSlice: 4096, properties: properties)
  }

  private static func kernel(_ configuration: UnitConfiguration) throws -> KernelBox {
    #expect(FormatConverter.violations(in: configuration).filter { $0.severity == .error } == [])
    let kernels = FormatConverter.makeKernels(
      configuration,
      controls: ControlLayout(FormatConverter.description, inputCount: 1, outputCount: 1))
    #expect(kernels.mainUsesBusWords)
    return try #require(kernels.main)
  }

  /// Converts bus words of one channel between sample types.
  private static func convert(
    _ words: [Float], _ from: SampleType, _ to: SampleType
  ) throws -> [Float] {
    let configuration = configuration(
      StreamFormat(from, channels: 1, sampleRate: 48_000),
      StreamFormat(to, channels: 1, sampleRate: 48_000))
    return render(
      try kernel(configuration), inputs: [[words]], outputChannelCounts: [1],
      frameCount: words.count, slicing: Slicing([4096]))[0][0]
  }

  private static func convert(
    _ words: [Int32], _ from: SampleType, _ to: SampleType
  ) throws -> [Float] {
    try convert(words.map { Float(bitPattern: UInt32(bitPattern: $0)) }, from, to)
  }

  private static func words(_ carried: [Float]) -> [Int32] {
    carried.map { Int32(bitPattern: $0.bitPattern) }
  }

  /// The limits, the powers of two and their neighbours, and random words.
  private static let telling: [Int32] = {
    var generator = SplitMix64(seed: 32)
    var words: [Int32] = [0, .max, .min, .max - 1, .min + 1]
    for power in 0..<31 {
      for step in -1...1 as ClosedRange<Int32> {
        words.append((1 << Int32(power)) &+ step)
        words.append(-(1 << Int32(power)) &+ step)
      }
    }
    return words + (0..<3000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
  }()

  /// `value` / 2^`shift` rounded to the nearest, halves to even.
  private static func shifted(_ value: Int32, _ shift: Int64) -> Int64 {
    let (whole, rest) = (Int64(value) >> shift, Int64(value) & (1 << shift - 1))
    let half = Int64(1) << (shift - 1)
    return rest > half || (rest == half && whole & 1 == 1) ? whole + 1 : whole
  }

  // MARK: Sample types

  @Test(arguments: [SampleType.float32, .int24, .int32, .fixed824])
  func `every 16-bit value survives a round trip`(sample: SampleType) throws {
    let values = (-32_768...32_767).map { Float($0) / 32_768 }
    let there = try Self.convert(values, .int16, sample)
    #expect(try Self.convert(there, sample, .int16) == values)
  }

  @Test(arguments: [SampleType.float32, .int32, .fixed824])
  func `24-bit values survive a round trip`(sample: SampleType) throws {
    var numbers = Array(stride(from: -8_388_608, through: 8_388_607, by: 509))
    numbers += (0..<200).flatMap { [-8_388_608 + $0, 8_388_607 - $0, $0 - 100] }
    let values = numbers.map { Float($0) / 8_388_608 }
    let there = try Self.convert(values, .int24, sample)
    #expect(try Self.convert(there, sample, .int24) == values)
  }

  @Test func `32-bit words stay as they are, and so do fixed-point ones`() throws {
    for sample in [SampleType.int32, .fixed824] {
      #expect(Self.words(try Self.convert(Self.telling, sample, sample)) == Self.telling)
    }
  }

  @Test func `a fixed-point word within full scale survives 32 bits, and one beyond clips`() throws
  {
    let there = Self.words(try Self.convert(Self.telling, .fixed824, .int32))
    let expected = Self.telling.map { Int32(clamping: Int64($0) << 7) }
    #expect(there == expected)
    #expect(there.contains(.max) && there.contains(.min))
    let inside = Self.telling.map { $0 >> 8 }
    let back = Self.words(
      try Self.convert(try Self.convert(inside, .fixed824, .int32), .int32, .fixed824))
    #expect(back == inside)
  }

  @Test func `32-bit words become the nearest fixed-point one, halves to even`() throws {
    let found = Self.words(try Self.convert(Self.telling, .int32, .fixed824))
    #expect(found == Self.telling.map { Int32(Self.shifted($0, 7)) })
  }

  @Test func `words of 32 bits are rounded once to 16 and 24`() throws {
    for (sample, bits) in [(SampleType.int16, Int64(16)), (.int24, 24)] {
      let limit = Int64(1) << (bits - 1)
      let found = try Self.convert(Self.telling, .int32, sample)
      #expect(
        found
          == Self.telling.map { Float(min(limit - 1, Self.shifted($0, 32 - bits))) / Float(limit) })
    }
    // Half a step above an even number, and one bit more. Two roundings would lose that bit.
    let words: [Int32] = [0x0001_8000, 0x0001_8001, 0x0002_8000, 0x0002_8001]
    #expect(try Self.convert(words, .int32, .int16).map { $0 * 32_768 } == [2, 2, 2, 3])
  }

  @Test func `fixed point takes what floats hold, and gives it back`() throws {
    // 24 bits of precision, at all magnitudes of 8.24.
    let values = Self.telling.flatMap { word in
      [Float(word >> 8) / 0x1p24, Float(word >> 8) / 0x1p17]
    }
    let there = try Self.convert(values, .float32, .fixed824)
    #expect(try Self.convert(there, .fixed824, .float32) == values)
  }

  @Test(arguments: [SampleType.int16, .int24, .int32, .fixed824])
  func `what is too loud clips, and what is not a number is silent`(sample: SampleType) throws {
    let end: Float = sample == .fixed824 ? 128 : 1
    let loud: [Float] = [
      end, end * 1.5, 1e30, .infinity, -end, -end * 1.5, -1e30, -.infinity, .nan,
    ]
    let found = try Self.convert(loud, .float32, sample)
    if sample.fitsFloat {
      let top = Float(SampleCoding.maximum(sample)) / Float(SampleCoding.scale(sample))
      #expect(found == [top, top, top, top, -1, -1, -1, -1, 0])
    } else {
      #expect(
        Self.words(found) == [.max, .max, .max, .max, .min, .min, .min, .min, 0])
    }
  }

  @Test(arguments: Slicing.every)
  func `sample types are converted alike however they are cut`(slicing: Slicing) throws {
    let configuration = Self.configuration(
      StreamFormat(.int32, channels: 2, sampleRate: 48_000, interleaved: true),
      StreamFormat(.int16, channels: 2, sampleRate: 48_000))
    let words = Self.telling.map { Float(bitPattern: UInt32(bitPattern: $0)) }
    let expected = try Self.convert(words, .int32, .int16)
    let found = render(
      try Self.kernel(configuration), inputs: [[words, words.reversed()]],
      outputChannelCounts: [2], frameCount: words.count, slicing: slicing)[0]
    expectSame(found, [expected, expected.reversed()])
  }

  // MARK: Channels

  /// Converts channels of constant values 1, 2, 3 and so on.
  private func mapped(
    _ input: Int, _ output: Int, inputMap: [Int32]? = nil, outputMap: [Int32]? = nil
  ) throws -> [Float] {
    let configuration = Self.configuration(
      StreamFormat(.float32, channels: input, sampleRate: 48_000),
      StreamFormat(.float32, channels: output, sampleRate: 48_000), inputMap: inputMap,
      outputMap: outputMap)
    return render(
      try Self.kernel(configuration), inputs: [(1...input).map { [Float($0)] }],
      outputChannelCounts: [output], frameCount: 1)[0].map { $0[0] }
  }

  @Test func `channels go straight through, surplus ones are dropped, missing ones silent`() throws
  {
    #expect(try mapped(2, 2) == [1, 2])
    #expect(try mapped(1, 2) == [1, 0])
    #expect(try mapped(3, 2) == [1, 2])
    #expect(try mapped(8, 8) == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func `a channel map says where each channel comes from`() throws {
    #expect(try mapped(1, 2, outputMap: [0, 0]) == [1, 1])
    #expect(try mapped(2, 2, outputMap: [1, 0]) == [2, 1])
    #expect(try mapped(8, 3, outputMap: [7, -1, 7]) == [8, 0, 8])
  }

  @Test func `the map of the input comes ahead of the output's`() throws {
    #expect(try mapped(1, 2, inputMap: [0, 0]) == [1, 1])
    #expect(try mapped(2, 3, inputMap: [1, 0, -1]) == [2, 1, 0])
    #expect(try mapped(2, 2, inputMap: [1, -1, 0], outputMap: [2, 0]) == [1, 2])
    #expect(try mapped(2, 3, inputMap: [1], outputMap: [0, -1, 0]) == [2, 0, 2])
  }

  // MARK: Rules

  private func found(_ configuration: UnitConfiguration) -> [String] {
    FormatConverter.violations(in: configuration).map {
      "\($0.severity == .error ? "\($0.status.rawValue)" : "warning") \($0.message)"
    }
  }

  @Test func `a channel map that does not fit is refused`() {
    let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    #expect(
      found(Self.configuration(mono, stereo, outputMap: [0])) == [
        "-10851 the channel map of the output has 1 entry, and the output 2 channels: one entry "
          + "for each"
      ])
    #expect(
      found(Self.configuration(mono, stereo, outputMap: [0, 1])) == [
        "-10851 the channel map names channel 1, and the input has 1 channel: only 0"
      ])
    #expect(
      found(Self.configuration(stereo, stereo, inputMap: [0], outputMap: [0, 1])) == [
        "-10851 the channel map names channel 1, and the input's map has 1 channel: only 0"
      ])
    #expect(
      found(Self.configuration(stereo, stereo, inputMap: [0, 2])) == [
        "-10851 the channel map names channel 2, and the input has 2 channels: 0 to 1"
      ])
    #expect(
      found(Self.configuration(stereo, stereo, inputMap: Array(repeating: 0, count: 9))) == [
        "-10851 the channel map of the input has 9 entries, and there are at most 8 channels"
      ])
  }

  @Test func `channels that are lost without a map are warned of`() {
    func format(_ channels: Int) -> StreamFormat {
      StreamFormat(.float32, channels: channels, sampleRate: 48_000)
    }
    #expect(
      found(Self.configuration(format(1), format(2)))
        == ["warning 1 channel in and 2 out: channel 1 is silent"])
    #expect(
      found(Self.configuration(format(2), format(5)))
        == ["warning 2 channels in and 5 out: channels 2 to 4 are silent"])
    #expect(
      found(Self.configuration(format(2), format(1)))
        == ["warning 2 channels in and 1 out: channel 1 of the input is dropped"])
    #expect(found(Self.configuration(format(2), format(1), outputMap: [0])) == [])
    #expect(found(Self.configuration(format(1), format(2), inputMap: [0, 0])) == [])
  }

  @Test func `a step down further than a filter can be made for is refused`() {
    func format(_ rate: Double) -> StreamFormat {
      StreamFormat(.float32, channels: 1, sampleRate: rate)
    }
    #expect(found(Self.configuration(format(192_000), format(750))) == [])
    #expect(
      found(Self.configuration(format(192_000), format(749))) == [
        "-10868 a FormatConverter takes a rate down to a 256th at most, not from 192000 to 749 Hz"
      ])
    #expect(found(Self.configuration(format(1e-300), format(2e6))) == [])
    #expect(found(Self.configuration(format(2e6), format(1e-300))).count == 1)
  }

  @Test func `it takes 1 to 8 channels of every sample type`() throws {
    let unit = UnitInstance(FormatConverter.self)
    for sample in SampleType.allCases {
      for channels in 1...8 {
        for scope in [Scope.input, .output] {
          try unit.setProperty(
            .streamFormat, scope, 0,
            to: .streamFormat(
              StreamFormat(
                sample, channels: channels, sampleRate: 11_025, interleaved: channels & 1 == 0)))
        }
      }
    }
    do {
      try unit.setProperty(
        .streamFormat, .output, 0,
        to: .streamFormat(StreamFormat(.int16, channels: 9, sampleRate: 48_000)))
      Issue.record("nine channels were taken")
    } catch {
      #expect(error.status == -10868)
      #expect(error.message == "a FormatConverter takes 1 to 8 channels, not 9 channels")
    }
  }

  // MARK: Properties

  private func unit(_ from: Double, _ to: Double) throws -> UnitInstance {
    let unit = UnitInstance(FormatConverter.self)
    try unit.setProperty(.sampleRate, .input, 0, to: .float64(from))
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(to))
    return unit
  }

  @Test func `its properties have the numbers and defaults of the header`() throws {
    let unit = UnitInstance(FormatConverter.self)
    #expect(try unit.property(.sampleRateConverterComplexity) == .uint32(1_852_797_549))
    #expect(
      ConverterChoices.values == [1_818_848_869, 1_852_797_549, 1_650_553_971])
    #expect(try unit.property(.primeMethod) == .uint32(1))
    #expect(try unit.property(.startTimestampsAtZero) == .uint32(1))
    #expect(try unit.property(.renderQuality) == .uint32(64))
    #expect(PropertyID.sampleRateConverterComplexity.rawValue == 3014)
    #expect(PropertyID.renderQuality.rawValue == 26)
    #expect(PropertyID.channelMap.rawValue == 2002)
    #expect(PropertyID.startTimestampsAtZero.rawValue == 2007)
    for id in [
      PropertyID.sampleRateConverterComplexity, .primeMethod, .channelMap, .startTimestampsAtZero,
    ] {
      #expect(unit.info(id)?.access == .readWriteUntilInitialized)
    }
    #expect(unit.info(.renderQuality)?.access == .readWrite)
  }

  @Test func `latency, tail and priming follow from the filter`() throws {
    let unit = try unit(44_100, 48_000)
    let lookAhead = PolyphaseResampler.lookAhead(
      inputRate: 44_100, outputRate: 48_000, quality: .normal)
    let tail = PropertyValue.float64(Double(lookAhead) / 44_100)
    func state() throws -> [PropertyValue] {
      [
        try unit.property(.latency), try unit.property(.tailTime),
        try unit.property(.primeInfo),
      ]
    }
    #expect(try state() == [.float64(0), tail, .integers([0, Int32(lookAhead)])])
    try unit.setProperty(.primeMethod, to: .uint32(2))
    #expect(try state() == [tail, tail, .integers([0, 0])])
    try unit.setProperty(.primeMethod, to: .uint32(0))
    #expect(
      try state() == [.float64(0), tail, .integers([Int32(lookAhead) - 1, Int32(lookAhead)])])
    try unit.setProperty(.sampleRate, .input, 0, to: .float64(48_000))
    #expect(try state() == [.float64(0), .float64(0), .integers([0, 0])])
  }

  @Test func `quality and complexity make the filter longer`() throws {
    let unit = try unit(44_100, 48_000)
    try unit.setProperty(.primeMethod, to: .uint32(2))
    var latencies: [Double] = []
    for complexity in ConverterChoices.values {
      try unit.setProperty(.sampleRateConverterComplexity, to: .uint32(complexity))
      for quality in [0, 64, 127] as [UInt32] {
        try unit.setProperty(.renderQuality, to: .uint32(quality))
        guard case .float64(let latency) = try unit.property(.latency) else { continue }
        latencies.append(latency)
      }
    }
    #expect(latencies.prefix(3).allSatisfy { $0 == 1 / 44_100 })
    #expect(zip(latencies.dropFirst(2), latencies.dropFirst(3)).allSatisfy { $0 < $1 })
  }

  @Test func `the channel map that holds can be read`() throws {
    let unit = UnitInstance(FormatConverter.self)
    try unit.setProperty(
      .streamFormat, .input, 0, to: .streamFormat(.platformCanonical(channels: 1, sampleRate: 8000))
    )
    #expect(try unit.property(.channelMap, .input) == .integers([0]))
    #expect(try unit.property(.channelMap, .output) == .integers([0, -1]))
    try unit.setProperty(.channelMap, .output, to: .integers([0, 0]))
    #expect(try unit.property(.channelMap, .output) == .integers([0, 0]))
  }
}

private enum ConverterChoices {
  /// 'line', 'norm', 'bats'.
  static let values: [UInt32] = [0x6C69_6E65, 0x6E6F_726D, 0x6261_7473]
}
