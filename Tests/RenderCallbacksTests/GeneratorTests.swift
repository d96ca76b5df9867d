import AudioTypes
import Glibc
import RenderCore
import TestSupport
import Testing

@testable import RenderCallbacks

private let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
private let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)

/// Renders a callback without a service.
private func play(
  _ callback: some RenderCallback, _ format: StreamFormat = mono, frames: Int,
  slicing: Slicing = Slicing([1024]), element: Int = 0
) throws -> [[Float]] {
  let source = try callback.makeSource(for: format, maximumFramesPerSlice: 4096)
  return render(
    source.kernel, outputChannelCounts: [format.channelCount], frameCount: frames,
    slicing: slicing, element: element)[0]
}

struct ToneTests {
  @Test(
    arguments: [(440, 0), (997.3, 30), (23_999, -90), (0.01, 45), (100 * .pi, 0)]
      as [(Double, Double)])
  func `a sine is the mathematical one`(frequency: Double, phase: Double) throws {
    let tone = ToneCallback(frequency: frequency, amplitude: 1, phase: phase)
    let found = try play(tone, frames: 20_000)[0]
    // The rounding error of floats near 1 is up to -150 dB.
    #expect(
      worst(found) { sin(2 * .pi * (frequency * Double($0) / 48_000 + phase / 360)) } < -140)
  }

  @Test
  func `it does not drift`() {
    // A frequency without an exact decimal notation, compared with integer arithmetic.
    let frequency = 1.0 / 3
    var counter = PhaseCounter(frequency: frequency, sampleRate: 44_100)
    let steps = 1_000_000
    for _ in 0..<steps { _ = counter.next() }
    let expected = Double(steps % 132_300) / 132_300
    #expect(abs(counter.next() - expected) < 1e-12)
    var whole = PhaseCounter(frequency: 440.1, sampleRate: 44_100)
    for _ in 0..<441_000 { _ = whole.next() }
    #expect(whole.next() == 0)
  }

  @Test(arguments: ToneCallback.Waveform.allCases)
  func `a period of whole frames repeats exactly`(waveform: ToneCallback.Waveform) throws {
    let tone = ToneCallback(waveform: waveform, frequency: 1000, amplitude: 1, phase: 77)
    let found = try play(tone, frames: 48 * 100)[0]
    #expect(found.indices.allSatisfy { found[$0] == found[$0 % 48] })
  }

  @Test(arguments: Slicing.every, ToneCallback.Waveform.allCases)
  func `it does not depend on slicing`(slicing: Slicing, waveform: ToneCallback.Waveform) throws {
    let tone = ToneCallback(waveform: waveform, frequency: 441.7, amplitude: 0.7)
    #expect(
      try play(tone, stereo, frames: 9000, slicing: slicing) == play(tone, stereo, frames: 9000))
  }

  @Test
  func `zeros and peaks of a sine are exact, and the channels equal`() throws {
    let found = try play(ToneCallback(frequency: 12_000, amplitude: 0.5), stereo, frames: 8)
    #expect(found[0] == [0, 0.5, 0, -0.5, 0, 0.5, 0, -0.5])
    #expect(found[1] == found[0])
  }

  @Test(arguments: [ToneCallback.Waveform.square, .sawtooth, .triangle])
  func `other waveforms are the plain shapes with less aliasing`(
    waveform: ToneCallback.Waveform
  ) throws {
    let frequency = 1237.0
    func plain(_ frame: Int) -> Double {
      let cycles = frequency * Double(frame) / 48_000
      let phase = cycles - cycles.rounded(.down)
      return switch waveform {
      case .square: phase < 0.5 ? 1 : -1
      case .sawtooth: phase < 0.5 ? 2 * phase : 2 * phase - 2
      default: phase < 0.25 ? 4 * phase : phase < 0.75 ? 2 - 4 * phase : 4 * phase - 4
      }
    }
    let count = 48_000
    let found = try play(
      ToneCallback(waveform: waveform, frequency: frequency, amplitude: 1), frames: count)[0]
    #expect(found.allSatisfy { abs($0) <= 1 })
    // One second, so that each partial has its own bin. The 39th, 41st and 77th partials are beyond
    // 24 kHz, and alias to these frequencies unless they are suppressed.
    let cosines = (0..<count).map { cos(2 * .pi * Double($0) / Double(count)) }
    func aliases(_ sample: (Int) -> Double) -> Double {
      [243, 2717, 751].map { bin in
        var (re, im) = (0.0, 0.0)
        for frame in 0..<count {
          re += sample(frame) * cosines[bin * frame % count]
          im += sample(frame) * cosines[(bin * frame + count / 4) % count]
        }
        return re * re + im * im
      }.reduce(0, +)
    }
    #expect(10 * log10(aliases { Double(found[$0]) } / aliases(plain)) < -20)
    // Two frames at each step or corner are rounded off; the others are unchanged.
    let same = found.indices.filter { abs(Double(found[$0]) - plain($0)) < 1e-6 }.count
    #expect(Double(same) / Double(count) > 0.85)
  }

  @Test
  func `a tone of no amplitude is silence`() throws {
    #expect(try play(ToneCallback(amplitude: 0), frames: 10)[0].allSatisfy { $0 == 0 })
  }
}

struct NoiseTests {
  @Test(arguments: Slicing.every, NoiseCallback.Color.allCases)
  func `it does not depend on slicing`(slicing: Slicing, color: NoiseCallback.Color) throws {
    let noise = NoiseCallback(color: color, seed: 5)
    #expect(
      try play(noise, stereo, frames: 9000, slicing: slicing) == play(noise, stereo, frames: 9000))
  }

  @Test(arguments: NoiseCallback.Color.allCases)
  func `channels and seeds differ and are not correlated`(color: NoiseCallback.Color) throws {
    let one = try play(NoiseCallback(color: color, amplitude: 1, seed: 1), stereo, frames: 50_000)
    let two = try play(NoiseCallback(color: color, amplitude: 1, seed: 2), stereo, frames: 50_000)
    func correlation(_ left: [Float], _ right: [Float]) -> Double {
      zip(left, right).reduce(0) { $0 + Double($1.0 * $1.1) } / 50_000 * 3
    }
    #expect(abs(correlation(one[0], one[0]) - 1) < (color == .white ? 0.02 : 0.5))
    // The power of pink noise is at low frequencies, with few periods in a second.
    let limit = color == .white ? 0.02 : 0.3
    #expect(abs(correlation(one[0], one[1])) < limit)
    #expect(abs(correlation(one[0], two[0])) < limit)
    #expect(one != two)
  }

  @Test
  func `white noise is uniform within its amplitude`() throws {
    let found = try play(NoiseCallback(amplitude: 0.5), frames: 100_000)[0].map(Double.init)
    #expect(found.allSatisfy { abs($0) < 0.5 })
    #expect(abs(found.reduce(0, +) / 100_000) < 0.002)
    let rms = (found.reduce(0) { $0 + $1 * $1 } / 100_000).squareRoot()
    #expect(abs(20 * log10(rms / (0.5 / 3.0.squareRoot()))) < 0.05)
    var bins = [Int](repeating: 0, count: 10)
    for value in found { bins[Int((value + 0.5) * 10)] += 1 }
    #expect(bins.allSatisfy { abs($0 - 10_000) < 400 })
  }

  @Test(arguments: [8000.0, 22_050, 44_100, 48_000, 96_000, 192_000])
  func `the filter of pink noise falls by 3 dB per octave`(sampleRate: Double) {
    let filter = PinkFilter(sampleRate: sampleRate)
    let top = min(20_000, sampleRate / 2 * 0.95)
    var deviations: [Double] = []
    var frequency = 20.0
    while frequency < top {
      let power = PinkFilter.squaredResponse(
        at: 2 * .pi * frequency / sampleRate, poles: filter.poles, zeros: filter.zeros)
      deviations.append(10 * log10(power * frequency))
      frequency *= 1.01
    }
    let spread = (deviations.max() ?? 0) - (deviations.min() ?? 0)
    // Twice the tolerance in the documentation comment, on each side.
    #expect(spread < (sampleRate < 44_100 ? 0.2 : 0.08))
  }

  @Test
  func `pink noise has the power of white noise, in each octave as much`() throws {
    let count = 1 << 17
    let found = try play(NoiseCallback(color: .pink, amplitude: 1), frames: count)[0]
      .map(Double.init)
    let rms = (found.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
    #expect(abs(20 * log10(rms * 3.0.squareRoot())) < 1.5)
    // The mean square of differences over two spans gives the slope without a transform:
    // E[(x(n)-x(n-k))²] of 1/f noise grows with ln k, far from the ends of the band.
    func structure(_ lag: Int) -> Double {
      (lag..<count).reduce(0) { $0 + pow(found[$1] - found[$1 - lag], 2) } / Double(count - lag)
    }
    let (near, middle, far) = (structure(8), structure(32), structure(128))
    #expect(abs((far - middle) / (middle - near) - 1) < 0.1)
  }
}

struct SweepTests {
  @Test(arguments: SweepCallback.Curve.allCases, [(20.0, 20_000.0), (5000, 100), (440, 440)])
  func `a sweep is the closed form`(
    curve: SweepCallback.Curve, ends: (Double, Double)
  ) throws {
    let (from, to) = ends
    let found = try play(
      SweepCallback(curve: curve, from: from, to: to, duration: 0.5, amplitude: 1), frames: 24_000)
    #expect(
      worst(found[0]) { frame in
        let t = Double(frame) / 48_000
        if from == to { return sin(2 * .pi * from * t) }
        let rate = log(to / from) / 0.5
        return curve == .linear
          ? sin(2 * .pi * (from * t + (to - from) * t * t))
          : sin(2 * .pi * from * (exp(rate * t) - 1) / rate)
      } < -130)
  }

  @Test
  func `it ends, and then there is silence`() throws {
    let sweep = SweepCallback(from: 1000, to: 2000, duration: 0.01, amplitude: 1)
    #expect(sweep.duration(for: mono) == 480)
    let found = try play(sweep, frames: 1000, slicing: Slicing([333]))[0]
    #expect(found[479] != 0 && found[480...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: Slicing.every)
  func `a loop begins again at the same samples however it is cut`(slicing: Slicing) throws {
    let sweep = SweepCallback(from: 1000, to: 2000, duration: 0.01, amplitude: 1, loop: true)
    #expect(sweep.duration(for: mono) == nil)
    let found = try play(sweep, frames: 4800, slicing: slicing)[0]
    #expect(found.indices.allSatisfy { found[$0] == found[$0 % 480] })
  }
}

struct ImpulseTests {
  private func places(_ samples: [Float]) -> [Int] { samples.indices.filter { samples[$0] != 0 } }

  @Test(arguments: Slicing.every)
  func `impulses stand at their frames however it is cut`(slicing: Slicing) throws {
    let once = try play(ImpulseCallback(amplitude: -0.5, at: 0.01), frames: 2000, slicing: slicing)
    #expect(places(once[0]) == [480] && once[0][480] == -0.5)
    // The period is 1000.5 frames: each position is rounded separately.
    let many = try play(
      ImpulseCallback(at: 0, period: 1000.5 / 48_000), stereo, frames: 5000, slicing: slicing)
    #expect(places(many[0]) == [0, 1001, 2001, 3002, 4002])
    #expect(many[0] == many[1])
  }

  @Test
  func `one impulse ends with its frame`() {
    #expect(ImpulseCallback(at: 0.01).duration(for: mono) == 481)
    #expect(ImpulseCallback(at: 0.01, period: 1).duration(for: mono) == nil)
  }
}

struct SilenceAndClosureTests {
  @Test
  func `silence says that it is silence`() throws {
    let source = try SilenceCallback().makeSource(for: stereo, maximumFramesPerSlice: 64)
    let plan = RenderPlan(
      rows: [.init(kernel: source.kernel, inputs: [], outputs: [0])], busChannelCounts: [2],
      maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 0)) == .ok)
    #expect(plan.bus(0, frameCount: 64).isSilent)
  }

  @Test
  func `a closure is called as Core Audio calls a render callback`() throws {
    let closure = ClosureCallback(duration: 0.5) {
      flags, timeStamp, bus, frameCount, buffers in
      for frame in 0..<frameCount {
        buffers[0][frame] = Float(timeStamp.sampleTime) + Float(frame)
        buffers[1][frame] = Float(bus)
      }
      if timeStamp.sampleTime >= 20 { flags = .outputIsSilence }
      return .ok
    }
    #expect(closure.duration(for: stereo) == 24_000)
    let found = try play(closure, stereo, frames: 30, slicing: Slicing([10]), element: 3)
    #expect(found[0] == (0..<20).map(Float.init) + [Float](repeating: 0, count: 10))
    #expect(found[1][..<20].allSatisfy { $0 == 3 })
  }

  @Test
  func `the status of a closure ends the slice`() throws {
    let source = try ClosureCallback { _, _, _, _, _ in .noConnection }
      .makeSource(for: mono, maximumFramesPerSlice: 64)
    let plan = RenderPlan(
      rows: [.init(kernel: source.kernel, inputs: [], outputs: [0])], busChannelCounts: [1],
      maximumFramesPerSlice: 64)
    #expect(plan.render(frameCount: 64, at: TimeStamp(sampleTime: 0)) == .noConnection)
  }
}

struct CallbackCatalogTests {
  @Test(arguments: [
    "file", "tone", "noise", "sweep", "impulse", "silence", "expression", "gain", "tremolo",
    "ringModulator", "echo", "convolution", "native", "input",
  ])
  func `a kind that patches name stays`(kind: String) {
    #expect(CallbackCatalog.standard.count { $0.kind == kind } == 1)
  }

  @Test
  func `each kind is made from its defaults`() throws {
    let kinds = CallbackCatalog.standard.map(\.kind)
    #expect(Set(kinds).count == kinds.count)
    let required: [String: [String: SettingValue]] = [
      "expression": ["value": .text("input")], "gain": ["gain": .number(2)],
    ]
    for description in CallbackCatalog.standard
    where !description.settings.contains(where: { $0.kind == .path }) {
      let callback = try description.makeCallback(required[description.kind] ?? [:])
      #expect(callback.input == (description.input == .optional ? .required : description.input))
      #expect(callback.problems(for: stereo).isEmpty)
      _ = try callback.makeSource(for: stereo, maximumFramesPerSlice: 512)
      for setting in description.settings {
        if let value = setting.defaultValue { #expect(setting.accepts(value)) }
        #expect(setting.summary.hasSuffix("."))
      }
    }
  }

  @Test
  func `settings arrive`() throws {
    func make(_ kind: String, _ values: [String: SettingValue]) throws -> any RenderCallback {
      try #require(CallbackCatalog.description(of: kind)).makeCallback(values)
    }
    let tone =
      try make(
        "tone",
        [
          "waveform": .text("square"), "frequency": .number(100), "amplitude": .number(1),
          "phase": .number(90),
        ]) as? ToneCallback
    #expect(tone?.waveform == .square && tone?.frequency == 100)
    #expect(tone?.amplitude == 1 && tone?.phase == 90)
    let noise = try make("noise", ["color": .text("pink"), "seed": .number(7)]) as? NoiseCallback
    #expect(noise?.color == .pink && noise?.seed == 7)
    let file =
      try make(
        "file",
        [
          "path": .text("a.wav"), "loop": .boolean(true), "start": .number(1), "end": .number(2),
          "gain": .number(0.5),
        ]) as? FileCallback
    #expect(file?.path == "a.wav" && file?.loop == true && file?.gain == 0.5)
    #expect(file?.start == 1 && file?.end == 2)
    let sweep = try make("sweep", ["curve": .text("linear"), "loop": .boolean(true)])
    #expect((sweep as? SweepCallback)?.curve == .linear)
    let impulse = try make("impulse", ["at": .number(1), "period": .number(2)])
    #expect((impulse as? ImpulseCallback)?.period == 2)
    let gain = try make("gain", ["gain": .number(-2)])
    #expect((gain as? GainCallback)?.gain == -2)
    let tremolo =
      try make(
        "tremolo", ["rate": .number(1), "depth": .number(0.1), "shape": .text("square")])
      as? TremoloCallback
    #expect(tremolo?.rate == 1 && tremolo?.depth == 0.1 && tremolo?.shape == .square)
    let ring =
      try make("ringModulator", ["frequency": .number(30), "mix": .number(0.2)])
      as? RingModulatorCallback
    #expect(ring?.frequency == 30 && ring?.mix == 0.2)
    let echo =
      try make("echo", ["delay": .number(2), "feedback": .number(0.1), "mix": .number(0.9)])
      as? EchoCallback
    #expect(echo?.delay == 2 && echo?.feedback == 0.1 && echo?.mix == 0.9)
    let convolution =
      try make("convolution", ["path": .text("a.wav"), "gain": .number(3), "mix": .number(0.1)])
      as? ConvolutionCallback
    #expect(convolution?.path == "a.wav" && convolution?.gain == 3 && convolution?.mix == 0.1)
    let expression =
      try make("expression", ["value": .text("k"), "constants": .numbers(["k": 1])])
      as? ExpressionCallback
    #expect(expression?.value == "k" && expression?.constants == ["k": 1])
  }

  @Test
  func `what is wrong with settings is said, all of it`() throws {
    let tone = try #require(CallbackCatalog.description(of: "tone"))
    let problems = tone.problems(with: [
      "frequency": .number(-1), "amplitude": .text("loud"), "colour": .text("blue"),
      "waveform": .text("sin"),
    ])
    #expect(
      problems.map(\.message) == [
        #"'waveform' is "sine", "square", "sawtooth" or "triangle", not "sin""#,
        "'frequency' is a number from 0 to 1500000 Hz, not -1",
        #"'amplitude' is a number from 0 to 8, not "loud""#,
        "a 'tone' callback has no setting 'colour'",
      ])
    #expect(problems.allSatisfy { $0.kind == .badSetting && $0.status == .parameterError })
    #expect(throws: CallbackProblem.self) { try tone.makeCallback(["frequency": .number(-1)]) }
    #expect(
      CallbackCatalog.description(of: "file")?.problems(with: [:]).map(\.message)
        == ["a 'file' callback needs 'path'"])
    let noise = try #require(CallbackCatalog.description(of: "noise"))
    #expect(noise.problems(with: ["seed": .number(1.5)]).count == 1)
  }

  @Test
  func `what a bus cannot carry is said`() {
    #expect(
      ToneCallback(frequency: 24_001).problems(for: mono).map(\.message) == [
        "'frequency' is 24001 Hz; a bus of 48000 Hz carries up to 24000 Hz"
      ])
    #expect(SweepCallback(to: 30_000).problems(for: mono).map(\.setting) == ["to"])
    #expect(ImpulseCallback(period: 1e-6).problems(for: mono).map(\.setting) == ["period"])
    #expect(
      SilenceCallback().problems(for: mono.with(sampleRate: 0)).map(\.kind)
        == [.formatNotSupported])
    var compressed = mono
    compressed.formatID = "aac "
    #expect(NoiseCallback().problems(for: compressed).map(\.kind) == [.formatNotSupported])
    #expect(ToneCallback(frequency: .nan).problems(for: mono).map(\.setting) == ["frequency"])
  }
}
