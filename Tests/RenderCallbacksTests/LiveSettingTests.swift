import AudioTypes
import Foundation
import RenderCore
import TestSupport
import Testing

@testable import RenderCallbacks

/// Changes settings while a callback plays.
struct LiveSettingTests {
  /// A change of a setting at a frame.
  private struct Turn {
    var frame: Int
    var key: String
    var value: Double
    /// The length in frames; `nil` for a change without a ramp.
    var ramp: Int?
  }

  /// Renders a callback and changes its settings as a graph does: slices end where a change begins.
  private func play(
    _ callback: some LiveCallback, _ turns: [Turn], input: [[Float]]? = nil, frameCount: Int,
    format: StreamFormat = mono48, slicing: Slicing = Slicing([512])
  ) throws -> [[Float]] {
    let instance = CallbackInstance(callback)
    let source = try instance.makeSource(for: format, maximumFramesPerSlice: 4096)
    let timeline = RenderTimeline(
      try turns.compactMap { turn in
        guard let length = turn.ramp else { return nil }
        let control = try instance.rampControl(turn.key, to: turn.value)
        return .init(
          block: control.block, index: control.index, start: turn.frame, length: length,
          target: Float(turn.value))
      })
    // The ends of slices and the frames of changes.
    var ends: [Int] = []
    var end = 0
    for length in slicing.cut(frameCount) {
      end += length
      ends.append(end)
    }
    let stops = Set(ends).union(turns.filter { $0.ramp == nil && $0.frame > 0 }.map(\.frame))
      .sorted()
    var place = 0
    var next = 0
    var outputs = Array(repeating: [Float](), count: format.channelCount)
    let plan = RenderPlan(
      rows: [
        .init(kernel: source.kernel, inputs: input.map { _ in [0] } ?? [], outputs: [1])
      ],
      busChannelCounts: [format.channelCount, format.channelCount], maximumFramesPerSlice: 4096)
    while place < frameCount {
      for turn in turns where turn.ramp == nil && turn.frame == place {
        try instance.set(turn.key, to: turn.value)
      }
      while stops[next] <= place { next += 1 }
      let length = timeline.cut(stops[next] - place, at: place)
      try source.service?.service(atLeast: length)
      if let input {
        let bus = plan.bus(0, frameCount: length)
        bus.markSounding()
        for channel in 0..<format.channelCount {
          for frame in 0..<length { bus[channel][frame] = input[channel][place + frame] }
        }
      }
      var status = Status.ok
      let heapCalls = allocations {
        status = plan.render(frameCount: length, at: TimeStamp(sampleTime: Double(place)))
      }
      #expect(status == .ok)
      #expect(heapCalls == 0)
      let bus = plan.bus(1, frameCount: length)
      for channel in outputs.indices {
        outputs[channel] += bus[channel].indices.map { bus[channel][$0] }
      }
      place += length
    }
    return outputs
  }

  private let ones: [[Float]] = [Array(repeating: 1, count: 20_000)]

  private func wave(_ frequency: Double, _ count: Int, amplitude: Double = 0.25) -> [[Float]] {
    [
      (0..<count).map { frame in
        let phase: Double = 2 * Double.pi * frequency * Double(frame) / 48_000
        return Float(amplitude * sin(phase))
      }
    ]
  }

  // MARK: Courses

  @Test func `a gain that is set takes 480 frames in a straight line`() throws {
    let found = try play(
      GainCallback(gain: 1), [Turn(frame: 1000, key: "gain", value: -1)], input: ones,
      frameCount: 3000)[0]
    for frame in 0..<3000 {
      let share = min(max(Double(frame - 999) / 480, 0), 1)
      #expect(abs(Double(found[frame]) - (1 - 2 * share)) < 1e-6, "frame \(frame)")
    }
    #expect(found[999] == 1 && found[1479] == -1)
  }

  @Test func `a gain that ramps is followed to the frame`() throws {
    let found = try play(
      GainCallback(gain: 1), [Turn(frame: 100, key: "gain", value: 0, ramp: 1000)], input: ones,
      frameCount: 3000)[0]
    for frame in 0..<3000 {
      let share = min(max(Double(frame - 99) / 1000, 0), 1)
      #expect(abs(Double(found[frame]) - (1 - share)) < 1e-5, "frame \(frame)")
    }
  }

  @Test func `a tone whose frequency is turned keeps its phase, and begins nothing anew`() throws {
    let tone = ToneCallback(frequency: 200, amplitude: 0.5)
    let found = try play(
      tone, [Turn(frame: 7001, key: "frequency", value: 300)], frameCount: 20_000)[0]
    let plain = try play(tone, [], frameCount: 7001)[0]
    #expect(Array(found[..<7001]) == plain)
    // The phase is the sum of the frequencies so far.
    var phase = 200.0 / 48_000 * 7001
    for frame in 7001..<20_000 {
      #expect(abs(Double(found[frame]) - 0.5 * sin(2 * .pi * phase)) < 1e-4, "frame \(frame)")
      phase += (200 + 100 * min(Double(frame - 7000) / 480, 1)) / 48_000
    }
  }

  @Test func `a file's gain is turned without a step, and its place is kept`() throws {
    for sample in [SampleType.float32, .int16, .int32] {
      let file = try TestFile(.int16, (0..<30_000).map { Double($0) / 60_000 })
      let format = StreamFormat(sample, channels: 1, sampleRate: 48_000)
      let turned = try play(
        FileCallback(path: file.path, gain: 0.5), [Turn(frame: 9000, key: "gain", value: 1)],
        frameCount: 29_000, format: format)[0]
      let plain = try play(
        FileCallback(path: file.path, gain: 0.5), [], frameCount: 29_000, format: format)[0]
      let loud = try play(
        FileCallback(path: file.path, gain: 1), [], frameCount: 29_000, format: format)[0]
      func value(_ word: Float) -> Double {
        sample == .int32
          ? SampleCoding.value(Int32(bitPattern: word.bitPattern), of: sample) : Double(word)
      }
      #expect(Array(turned[..<9000]) == Array(plain[..<9000]))
      for frame in 9000..<29_000 {
        let share = min(Double(frame - 8999) / 480, 1)
        let expected = value(loud[frame]) * (0.5 + 0.5 * share)
        #expect(abs(value(turned[frame]) - expected) < 1e-4, "\(sample), frame \(frame)")
      }
    }
  }

  /// A file of 1,000 frames with the values of their numbers, which shows the frames that play.
  private func counted(_ length: Int = 1000, rate: Double = 48_000) throws -> TestFile {
    try TestFile(.int16, (0..<length).map { Double($0 + 1) / 32_768 }, sampleRate: rate)
  }

  @Test func `a loop that is turned off ends at the file's end, and on again begins there`() throws
  {
    let file = try counted()
    let found = try play(
      FileCallback(path: file.path, loop: true),
      [
        Turn(frame: 2500, key: "loop", value: 0), Turn(frame: 5200, key: "loop", value: 1),
        Turn(frame: 9900, key: "loop", value: 0),
      ], frameCount: 20_000)[0].map { Int($0 * 32_768) }
    for frame in 0..<20_000 {
      let expected: Int
      switch frame {
      case ..<3000: expected = frame % 1000 + 1
      case ..<5200: expected = 0
      case ..<10_200: expected = (frame - 5200) % 1000 + 1
      default: expected = 0
      }
      #expect(found[frame] == expected, "frame \(frame)")
    }
  }

  @Test func `a file that plays once loops from its end on when it is told so in time`() throws {
    for length in [1000, 60_000] {
      let file = try TestFile(.int16, (0..<length).map { Double($0 % 1000 + 1) / 32_768 })
      let found = try play(
        FileCallback(path: file.path), [Turn(frame: 700, key: "loop", value: 1)],
        frameCount: 2 * length + 500)[0].map { Int($0 * 32_768) }
      #expect(found == (0..<2 * length + 500).map { $0 % 1000 + 1 })
    }
  }

  @Test func `a file of another rate loops when it is told so, at its end`() throws {
    let rate = 44_100.0
    let length = 4410
    let file = try TestFile(
      .float32, (0..<length).map { 0.5 * sin(2 * .pi * 441 * Double($0) / rate) },
      sampleRate: rate)
    let found = try play(
      FileCallback(path: file.path), [Turn(frame: 1000, key: "loop", value: 1)],
      frameCount: 24_000)[0]
    // 44.1 cycles: each pass begins at phase 0, 4800 frames after the one before.
    for frame in 0..<24_000 {
      let place = frame % 4800
      guard place > 60, place < 4740 else { continue }
      let expected = 0.5 * sin(2 * .pi * 441 * Double(place) / 48_000)
      #expect(abs(Double(found[frame]) - expected) < 1e-3, "frame \(frame)")
    }
  }

  @Test func `an echo's delay goes to another place without a click`() throws {
    let input = wave(100, 96_000)
    let angle: Double = 2 * Double.pi * 100 / 48_000
    let slope = 0.25 * angle * angle
    for turns in [
      [Turn(frame: 30_000, key: "delay", value: 0.25)],
      [
        Turn(frame: 30_000, key: "delay", value: 0.05),
        .init(frame: 30_400, key: "delay", value: 1),
      ],
      [Turn(frame: 30_000, key: "delay", value: 0.15, ramp: 24_000)],
      [
        Turn(frame: 30_000, key: "delay", value: 0.15, ramp: 24_000),
        .init(frame: 60_000, key: "delay", value: 0.3),
      ],
      [
        Turn(frame: 30_000, key: "feedback", value: -0.9),
        .init(frame: 40_000, key: "mix", value: 1),
      ],
    ] {
      let found = try play(
        EchoCallback(delay: 0.1, feedback: 0.5, mix: 0.5), turns, input: input,
        frameCount: 96_000)[0]
      // After the first echo has begun, since the start of a sine has a corner.
      #expect(roughness(Array(found[20_000...])) < 60 * slope, "\(turns)")
    }
  }

  @Test func `an echo whose delay was set is one with that delay`() throws {
    let input = [noise(96_000, seed: 3)]
    let found = try play(
      EchoCallback(delay: 0.1, feedback: 0, mix: 1), [Turn(frame: 1, key: "delay", value: 0.37)],
      input: input, frameCount: 96_000)[0]
    for frame in 20_000..<96_000 { #expect(found[frame] == input[0][frame - 17_760]) }
  }

  @Test func `an echo that has come to the end of a ramp stands on a whole frame`() throws {
    let input = [noise(96_000, seed: 4)]
    let found = try play(
      EchoCallback(delay: 0.1, feedback: 0, mix: 1),
      [Turn(frame: 100, key: "delay", value: 0.200_01, ramp: 20_000)], input: input,
      frameCount: 60_000)[0]
    for frame in 40_000..<60_000 { #expect(found[frame] == input[0][frame - 9600]) }
  }

  @Test func `a convolution's mix and gain are what they are set to`() throws {
    let response = try TestFile(.float32, [0.5, 0.25, 0, 0.125])
    let input = [noise(9000, seed: 5)]
    for (gain, mix) in [(1.0, 1.0), (0.5, 0.3), (1, 0), (0, 0.5)] {
      let found = try play(
        ConvolutionCallback(path: response.path, gain: gain, mix: mix),
        [Turn(frame: 1000, key: "gain", value: 2), .init(frame: 1000, key: "mix", value: 0.75)],
        input: input, frameCount: 9000)[0]
      let x = input[0]
      for frame in 1500..<9000 {
        let wet =
          0.5 * Double(x[frame]) + 0.25 * Double(x[frame - 1]) + 0.125 * Double(x[frame - 3])
        let expected = 0.25 * Double(x[frame]) + 1.5 * wet
        #expect(abs(Double(found[frame]) - expected) < 1e-5, "\(gain), \(mix), frame \(frame)")
      }
    }
  }

  @Test func `an expression's constants glide, and time goes on`() throws {
    let expression = ExpressionCallback(
      value: "a * sin(tau * 100 * time) + b", constants: ["a": 0.5, "b": 0])
    let found = try play(
      expression,
      [
        Turn(frame: 5000, key: "constants/a", value: 0.25),
        .init(frame: 9000, key: "constants/b", value: 0.1, ramp: 1000),
      ], frameCount: 15_000)[0]
    for frame in 0..<15_000 {
      let a = 0.5 - 0.25 * min(max(Double(frame - 4999) / 480, 0), 1)
      let b = 0.1 * min(max(Double(frame - 8999) / 1000, 0), 1)
      let expected = a * sin(2 * .pi * 100 * Double(frame) / 48_000) + b
      #expect(abs(Double(found[frame]) - expected) < 1e-5, "frame \(frame)")
    }
  }

  // MARK: Slices

  /// Each kind with changes of all its settings, with and without ramps.
  private func everything(
    keeping files: inout [TestFile]
  ) throws -> [(any LiveCallback, [Turn], Bool)] {
    let file = try counted(7000, rate: 44_100)
    let same = try counted(3000)
    let response = try TestFile(.float32, (0..<600).map { 0.5 / Double($0 + 1) })
    files = [file, same, response]
    func turns(_ keys: [(String, Double, Double)]) -> [Turn] {
      keys.enumerated().flatMap { index, key in
        [
          Turn(frame: 777 + 301 * index, key: key.0, value: key.1, ramp: 1501),
          Turn(frame: 5000 + 411 * index, key: key.0, value: key.2),
          Turn(frame: 5200 + 411 * index, key: key.0, value: key.1),
        ]
      }
    }
    return [
      (GainCallback(gain: 0.7), turns([("gain", 0, 0.9)]), true),
      (
        ToneCallback(waveform: .triangle, frequency: 440),
        turns([("frequency", 700, 99), ("amplitude", 0, 0.5)]), false
      ),
      (NoiseCallback(color: .white), turns([("amplitude", 0, 1)]), false),
      (NoiseCallback(color: .pink), turns([("amplitude", 0, 1)]), false),
      (
        SweepCallback(duration: 0.05, loop: true),
        turns([("amplitude", 0, 1)]) + [Turn(frame: 6000, key: "loop", value: 0)], false
      ),
      (ImpulseCallback(period: 0.0041), turns([("amplitude", 0, 1)]), false),
      (TremoloCallback(rate: 20, shape: .square), turns([("rate", 31, 7), ("depth", 0, 1)]), true),
      (
        RingModulatorCallback(frequency: 100), turns([("frequency", 500, 30), ("mix", 0, 1)]), true
      ),
      (
        EchoCallback(delay: 0.01),
        turns([("delay", 0.021, 0.005), ("feedback", 0.9, 0), ("mix", 0, 1)]), true
      ),
      (ConvolutionCallback(path: response.path), turns([("gain", 0.3, 2), ("mix", 0, 1)]), true),
      (
        ExpressionCallback(
          value: "k * input + 0.1 * sin(tau * f * time)", constants: ["k": 1, "f": 50]),
        turns([("constants/k", 0.1, 2), ("constants/f", 60, 20)]), true
      ),
      (
        FileCallback(path: file.path),
        turns([("gain", 0.1, 2)]) + [Turn(frame: 3000, key: "loop", value: 1)], false
      ),
      (
        FileCallback(path: same.path, loop: true, gain: 0),
        turns([("gain", 0.1, 2)]) + [Turn(frame: 6100, key: "loop", value: 0)], false
      ),
    ]
  }

  @Test func `what is turned on the way sounds the same with slices of every size`() throws {
    let input = [noise(9000, seed: 9), noise(9000, seed: 10)]
    var files: [TestFile] = []
    for (callback, turns, pulls) in try everything(keeping: &files) {
      for format in [stereo48, StreamFormat(.int16, channels: 2, sampleRate: 48_000)] {
        var first: [[Float]]?
        for slicing in Slicing.every {
          let found = try play(
            callback, turns, input: pulls ? input : nil, frameCount: 9000, format: format,
            slicing: slicing)
          if first == nil { first = found }
          let isSame = found == first
          #expect(isSame, "\(type(of: callback)), \(slicing), \(files.count) files")
        }
      }
    }
  }

  // MARK: Values

  @Test func `a setting is refused that is not there, and a value that it may not have`() throws {
    let instance = CallbackInstance(EchoCallback())
    #expect(instance.settings.map(\.key) == ["delay", "feedback", "mix"])
    #expect(throws: CallbackProblem.self) { try instance.set("path", to: 1) }
    #expect(throws: CallbackProblem.self) { try instance.set("mix", to: 1.5) }
    #expect(throws: CallbackProblem.self) { try instance.set("delay", to: 0) }
    #expect(throws: CallbackProblem.self) { try instance.set("mix", to: .nan) }
    try instance.set("mix", to: 0.1)
    #expect(instance.value(of: "mix") == 0.1)
    #expect((instance.callback as? EchoCallback)?.mix == 0.1)
    #expect(throws: CallbackProblem.self) {
      _ = try CallbackInstance(FileCallback(path: "x")).rampControl("loop", to: 1)
    }
  }

  @Test func `listeners hear what is set`() throws {
    let instance = CallbackInstance(ToneCallback())
    nonisolated(unsafe) var heard: [Double] = []
    let token = instance.addListener { id, value in
      unsafe heard.append(Double(id) + value)
    }
    try instance.set("frequency", to: 100)
    try instance.set("amplitude", to: 0.5)
    instance.removeListener(token)
    try instance.set("amplitude", to: 0.75)
    #expect(unsafe heard == [101, 2.5])
  }

  @Test func `a kind that goes on at its place notes its place`() throws {
    // A file is there to be opened, and has its own tests.
    for kind in CallbackCatalog.standard where kind.placeSettings != nil && kind.kind != "file" {
      let value: [String: SettingValue] = kind.kind == "expression" ? ["value": .text("0")] : [:]
      let source = try kind.makeCallback(value)
        .makeSource(for: mono48, maximumFramesPerSlice: 512)
      #expect(source.clock != nil, "\(kind.kind)")
      let known = Set(kind.settings.map(\.key))
      #expect(kind.placeSettings?.isSubset(of: known) == true, "\(kind.kind)")
    }
  }
}
