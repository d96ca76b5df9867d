import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import SoundFiles
import TestSupport
import Testing

/// Outputs samples from memory, then silence, and checks that its time continues without a gap.
private struct Player: RenderKernel, ~Copyable {
  let channels: SampleStorage
  let length: Int
  var time: Double

  init(_ channels: [[Float]], from time: Double) {
    self.channels = SampleStorage(channels.flatMap { $0 })
    length = channels[0].count
    self.time = time
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard context.timeStamp.sampleTime == time else { return .failedInitialization }
    let output = context.output(0)
    let first = Int(time)
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        let place = first + frame
        output[channel][frame] = place < length ? channels[channel * length + place] : 0
      }
    }
    if first >= length { output.markSilent() }
    time += Double(context.frameCount)
    return .ok
  }
}

/// A rate converter with an input.
private struct Conversion: Sendable, CustomTestStringConvertible {
  var from = 44_100.0
  var to = 48_000.0
  var complexity: UInt32 = 0x6261_7473
  var renderQuality: UInt32 = 64
  var primeMethod: UInt32 = 1
  var input = SampleType.float32
  var output = SampleType.float32
  var map: [Int32]?
  var startsAtZero = true
  var limit = 1024

  static let linear: UInt32 = 0x6C69_6E65
  static let normal: UInt32 = 0x6E6F_726D
  static let mastering: UInt32 = 0x6261_7473

  var testDescription: String {
    "\(Int(from)) to \(Int(to)) Hz, \(FourCharCode(rawValue: complexity).text ?? ""), "
      + "prime \(primeMethod), \(input) to \(output)"
  }

  func configuration(_ channels: Int) -> UnitConfiguration {
    var properties: [PropertyPlace: PropertyValue] = [
      .init(.sampleRateConverterComplexity, .global, 0): .uint32(complexity),
      .init(.renderQuality, .global, 0): .uint32(renderQuality),
      .init(.primeMethod, .global, 0): .uint32(primeMethod),
      .init(.startTimestampsAtZero, .global, 0): .uint32(startsAtZero ? 1 : 0),
    ]
    if let map { properties[.init(.channelMap, .output, 0)] = .integers(map) }
    return UnitConfiguration(
      inputs: [
        .init(
          format: StreamFormat(input, channels: channels, sampleRate: from), origin: .given,
          use: .callback)
      ],
      outputs: [
        .init(
          format: StreamFormat(output, channels: map?.count ?? channels, sampleRate: to),
          origin: .given, use: .connection)
      ], maximumFramesPerSlice: 4096, properties: properties)
  }

  var lookAhead: Int {
    PolyphaseResampler.lookAhead(
      inputRate: from, outputRate: to,
      quality: .init(
        complexity == Self.linear ? .linear : complexity == Self.normal ? .normal : .mastering,
        renderQuality: Int(renderQuality)))
  }

  func plan(
    _ upstream: consuming some RenderKernel & ~Copyable, channels: Int
  ) throws -> RenderPlan {
    let configuration = configuration(channels)
    let demand = try #require(FormatConverter.pulledInputs(in: configuration)[0])
    #expect(demand.framesPerFrame == from / to)
    let kernels = FormatConverter.makeKernels(
      configuration,
      controls: ControlLayout(FormatConverter.description, inputCount: 1, outputCount: 1))
    let pulled = PulledInput(
      RenderPlan(
        rows: [.init(kernel: .holding(upstream), inputs: [], outputs: [0])],
        busChannelCounts: [channels], maximumFramesPerSlice: limit), bus: 0)
    return RenderPlan(
      rows: [
        .init(
          kernel: try #require(kernels.main), inputs: [0], outputs: [1], pulled: [0: pulled])
      ], busChannelCounts: [channels, map?.count ?? channels], maximumFramesPerSlice: 4096)
  }

  /// The output for an input that is followed by silence.
  func convert(
    _ input: [[Float]], frameCount: Int, slicing: Slicing = Slicing([1024]), start: Double = 0
  ) throws -> [[Float]] {
    let first = startsAtZero ? 0 : (start * from / to).rounded(.down)
    let plan = try plan(Player(input, from: first), channels: input.count)
    var output = [[Float]](repeating: [], count: map?.count ?? input.count)
    for slice in slicing.cut(frameCount) {
      var status = Status.ok
      let time = TimeStamp(sampleTime: start + Double(output[0].count))
      let heapCalls = allocations { status = plan.render(frameCount: slice, at: time) }
      #expect(status == .ok)
      #expect(heapCalls == 0, "the render thread made heap calls")
      let bus = plan.bus(1, frameCount: slice)
      for channel in output.indices {
        output[channel] += bus[channel].indices.map { bus[channel][$0] }
      }
    }
    return output
  }
}

@Suite struct RateConversionTests {
  // MARK: Quality, through the unit

  @Test func `mastering is flat to 20 kHz, and free of images`() throws {
    let conversion = Conversion()
    for frequency in [30.0, 1000, 5000, 10_000, 15_000, 18_000, 19_000, 19_600, 20_000] {
      let input = sine(1500, frequency: frequency, sampleRate: 44_100, amplitude: 0.9)
      let output = try conversion.convert([input], frameCount: 1300)[0]
      let found = SineFit(output[300..<1300], frequency: frequency, rate: 48_000)
      #expect(abs(decibels(found.amplitude / 0.9)) < 0.01)
      #expect(decibels(found.rest * 2.0.squareRoot()) < -120)
    }
    // Between the end of the pass band and half the rate, the output contains only the tone.
    for frequency in [20_600.0, 21_300, 22_040] {
      let input = sine(1500, frequency: frequency, sampleRate: 44_100, amplitude: 0.9)
      let output = try conversion.convert([input], frameCount: 1300)[0]
      #expect(
        decibels(
          SineFit(output[300..<1300], frequency: frequency, rate: 48_000).rest * 2.0.squareRoot())
          < -120)
    }
  }

  @Test func `on the way down nothing folds back`() throws {
    let conversion = Conversion(from: 48_000, to: 44_100)
    for frequency in [22_060.0, 22_500, 23_200, 23_990] {
      let input = sine(1500, frequency: frequency, sampleRate: 48_000, amplitude: 0.9)
      let output = try conversion.convert([input], frameCount: 1200)[0]
      let power = output[250..<1200].reduce(0) { $0 + Double($1) * Double($1) } / 950
      #expect(decibels((2 * power).squareRoot()) < -120)
    }
  }

  @Test(arguments: [(0 as UInt32, -100.0), (64, -100), (127, -100)])
  func `a normal converter leaves less than -100 dB of noise and distortion`(
    quality: UInt32, limit: Double
  ) throws {
    let conversion = Conversion(complexity: Conversion.normal, renderQuality: quality)
    #expect(try noise(conversion) < limit)
  }

  @Test(arguments: [0 as UInt32, 64, 127])
  func `a mastering converter leaves less than -120 dB`(quality: UInt32) throws {
    #expect(try noise(Conversion(renderQuality: quality)) < -120)
    #expect(try noise(Conversion(from: 48_000, to: 44_100, renderQuality: quality)) < -120)
  }

  /// The THD+N at 997 Hz, in decibels.
  private func noise(_ conversion: Conversion) throws -> Double {
    let input = sine(4000, frequency: 997, sampleRate: conversion.from)
    let output = try conversion.convert([input], frameCount: 3400)[0]
    let found = SineFit(output[400..<3400], frequency: 997, rate: conversion.to)
    return decibels(found.rest * 2.0.squareRoot() / found.amplitude)
  }

  @Test func `a linear converter draws straight lines`() throws {
    let conversion = Conversion(from: 8000, to: 32_000, complexity: Conversion.linear)
    let output = try conversion.convert([[0, 1, 0.5, -1]], frameCount: 16)[0]
    #expect(
      output == [
        0, 0.25, 0.5, 0.75, 1, 0.875, 0.75, 0.625, 0.5, 0.125, -0.25, -0.625, -1, -0.75, -0.5,
        -0.25,
      ])
  }

  @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (22_050, 48_000), (44_100, 44_101)])
  func `libsoxr gives the same`(from: Double, to: Double) throws {
    // Up to 13 kHz, where both are flat, they differ by the rounding of floats. Above, libsoxr
    // begins to roll off by less than a hundredth of a decibel, which is a difference of -100 dB at
    // 18 kHz. The signal is faded in and out, since an abrupt end contains all frequencies.
    let count = 4000
    let limit = 0.3 * min(from, to)
    var generator = SplitMix64(seed: 7)
    let tones = (1...12).map {
      (limit * Double($0) / 12, Double.random(in: 0...6, using: &generator))
    }
    let signal = (0..<count).map { frame in
      let swell = sin(.pi * Double(frame) / Double(count))
      return swell * swell * swell * swell
        * tones.reduce(0.0) { $0 + sin(2 * .pi * $1.0 / from * Double(frame) + $1.1) } / 16
    }
    let reference = try RateConverter(from: from, to: to, channelCount: 1)
    var expected = [Double](repeating: 0, count: Int(Double(count) * to / from) + 1)
    let (_, given) = reference.convert(
      signal.map { Double(Float($0)) }, frameCount: count, into: &expected)
    var rest = [Double](repeating: 0, count: expected.count)
    let flushed = reference.flush(into: &rest)
    expected = Array(expected[..<given]) + rest[..<flushed]
    let output = try Conversion(from: from, to: to)
      .convert([signal.map { Float($0) }], frameCount: expected.count)[0]
    let worst = expected.indices.map { abs(Double(output[$0]) - expected[$0]) }.max() ?? 1
    #expect(decibels(worst) < -135)
  }

  // MARK: Slices

  private static let conversions: [Conversion] =
    [0, 1, 2].map { Conversion(primeMethod: $0) }
    + [
      Conversion(complexity: Conversion.linear),
      Conversion(complexity: Conversion.normal, limit: 1),
      Conversion(from: 48_000, to: 44_100, input: .fixed824, output: .int16, limit: 48),
      Conversion(
        from: 96_000, to: 8000, complexity: Conversion.normal, output: .int32, limit: 4096),
      Conversion(from: 11_025, to: 44_100, input: .int24, output: .fixed824),
      Conversion(from: 44_100, to: 44_101, complexity: Conversion.normal),
    ]

  @Test(arguments: conversions)
  private func `slicing changes no bit`(conversion: Conversion) throws {
    // A sound between silences, so that the slices that are marked silent differ.
    let count = 2400
    let sound = AudioUnitsTests.noise(700, seed: 3)
    let channel = [Float](repeating: 0, count: 400) + sound + [Float](repeating: 0, count: 300)
    var input = [channel, channel.reversed()]
    if !conversion.input.fitsFloat {
      input = input.map { samples in
        samples.map { sample in
          Float(
            bitPattern: UInt32(
              bitPattern: SampleCoding.word(Double(sample), as: conversion.input)))
        }
      }
    }
    let expected = try conversion.convert(input, frameCount: count, slicing: Slicing([4096]))
    #expect(expected[0].contains { $0 != 0 })
    for slicing in Slicing.every.dropFirst() {
      expectSame(
        try conversion.convert(input, frameCount: count, slicing: slicing), expected)
    }
    var narrow = conversion
    narrow.limit = 7
    expectSame(try narrow.convert(input, frameCount: count), expected)
  }

  // MARK: Time

  @Test(arguments: [
    Conversion(complexity: Conversion.normal), Conversion(from: 48_000, to: 44_100),
  ])
  private func `normal priming has no latency, none has the filter's, pre begins within the input`(
    conversion: Conversion
  ) throws {
    let lookAhead = Double(conversion.lookAhead)
    for (method, delay) in [(1 as UInt32, 0.0), (2, lookAhead), (0, 1 - lookAhead)] {
      var conversion = conversion
      conversion.primeMethod = method
      let input = sine(1600, frequency: 997, sampleRate: conversion.from, amplitude: 0.5)
      let output = try conversion.convert([input], frameCount: 1200)[0]
      // With priming, the output does not fade in.
      let first = method == 0 ? 0 : 400
      let worst =
        (first..<1200).map { frame in
          let place = Double(frame) * conversion.from / conversion.to - delay
          return abs(Double(output[frame]) - 0.5 * sin(2 * .pi * 997 / conversion.from * place))
        }.max() ?? 1
      #expect(decibels(worst) < -95, "prime method \(method)")
    }
  }

  @Test func `what it pulls is what the ratio and the filter need`() throws {
    for method in [0, 1, 2] as [UInt32] {
      let conversion = Conversion(primeMethod: method)
      let counter = ControlBlock(count: 1)
      struct Tally: RenderKernel {
        let pulled: ControlAccess

        @_noLocks
        mutating func render(_ context: RenderContext) -> Status {
          pulled[0] += Float(context.frameCount)
          context.output(0).silence()
          return .ok
        }
      }
      let plan = try conversion.plan(Tally(pulled: counter.access), channels: 1)
      let configuration = conversion.configuration(1)
      let demand = try #require(FormatConverter.pulledInputs(in: configuration)[0])
      for slice in 1...48 {
        #expect(plan.render(frameCount: 100, at: TimeStamp(sampleTime: Double(slice * 100))) == .ok)
        let need = Double(slice * 100) * 44_100 / 48_000
        #expect(Double(counter[0]) >= need.rounded(.down))
        #expect(Int(counter[0]) <= demand.frames(for: slice * 100))
      }
      let lookAhead = conversion.lookAhead
      #expect(demand.ahead == [2 * lookAhead - 1, lookAhead, 0][Int(method)])
      #expect(demand.delay == [Double(1 - lookAhead), 0, Double(lookAhead)][Int(method)])
      // The last of 4800 frames is at 4409.08 frames of the input.
      #expect(Int(counter[0]) == 4410 + [2 * lookAhead - 1, lookAhead, 0][Int(method)])
    }
  }

  @Test func `the input's time counts from zero, or from the output's`() throws {
    let input = [AudioUnitsTests.noise(64, seed: 1)]
    // `Player` refuses any other time.
    _ = try Conversion().convert(input, frameCount: 1000, start: 96_000)
    var conversion = Conversion()
    conversion.startsAtZero = false
    _ = try conversion.convert(input, frameCount: 1000, start: 96_000)
    _ = try conversion.convert(input, frameCount: 1000, start: 96_001)
  }

  @Test func `a graph that starts again starts the input's time again`() throws {
    struct Clock: RenderKernel {
      let times: ControlAccess

      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        times[0] = Float(context.timeStamp.sampleTime)
        context.output(0).silence()
        return .ok
      }
    }
    let times = ControlBlock(count: 1)
    let plan = try Conversion().plan(Clock(times: times.access), channels: 1)
    for slice in [0, 480, 960] {
      #expect(plan.render(frameCount: 480, at: TimeStamp(sampleTime: Double(slice))) == .ok)
    }
    #expect(times[0] > 900)
    #expect(plan.render(frameCount: 480, at: TimeStamp(sampleTime: 0)) == .ok)
    #expect(times[0] == 0)
  }

  @Test func `what fails upstream fails the slice, and is asked for again`() throws {
    struct Failure: RenderKernel {
      var isFirst = true

      @_noLocks
      mutating func render(_ context: RenderContext) -> Status {
        if isFirst {
          isFirst = false
          return .cannotDoInCurrentContext
        }
        return context.timeStamp.sampleTime == 0 ? .noConnection : .ok
      }
    }
    let plan = try Conversion().plan(Failure(), channels: 1)
    #expect(plan.render(frameCount: 8, at: TimeStamp(sampleTime: 0)) == .cannotDoInCurrentContext)
    #expect(plan.render(frameCount: 8, at: TimeStamp(sampleTime: 8)) == .noConnection)
  }

  // MARK: Channels and samples

  @Test func `channels are mapped on the way, and none is converted twice`() throws {
    let input = (0..<3).map { AudioUnitsTests.noise(300, seed: UInt64($0)) }
    let straight = try Conversion().convert(input, frameCount: 400)
    let mapped = try Conversion(map: [2, -1, 0, 2]).convert(input, frameCount: 400)
    let silence = [Float](repeating: 0, count: 400)
    expectSame(mapped, [straight[2], silence, straight[0], straight[2]])
    expectSame(try Conversion(map: [-1, -1]).convert(input, frameCount: 400), [silence, silence])
  }

  @Test(arguments: SampleType.allCases, SampleType.allCases)
  func `samples of every type are converted at their value`(
    input: SampleType, output: SampleType
  ) throws {
    // Multiples of 2^-15 up to half of full scale are exact in every type.
    let samples = AudioUnitsTests.noise(400, seed: 5).map { ($0 * 32_768).rounded() / 32_768 }
    func carried(_ value: Float, as sample: SampleType) -> Float {
      let word = SampleCoding.word(Double(value), as: sample)
      switch sample {
      case .float32: return value
      case .int16, .int24: return Float(SampleCoding.value(word, of: sample))
      case .int32, .fixed824: return Float(bitPattern: UInt32(bitPattern: word))
      }
    }
    let floats = try Conversion(complexity: Conversion.normal).convert([samples], frameCount: 430)
    let found = try Conversion(complexity: Conversion.normal, input: input, output: output)
      .convert([samples.map { carried($0, as: input) }], frameCount: 430)
    expectSame(found, [floats[0].map { carried($0, as: output) }])
  }

  @Test func `what overshoots clips`() throws {
    // A square wave overshoots full scale after the filter.
    let input = (0..<600).map { Float($0 / 50 % 2 == 0 ? 1 : -1) }
    let found = try Conversion(output: .int16).convert([input], frameCount: 600)[0]
    #expect(found.max() == 32_767.0 / 32_768 && found.min() == -1)
    let floats = try Conversion().convert([input], frameCount: 600)[0]
    #expect(floats.max().map { $0 > 1.05 } == true)
  }
}
