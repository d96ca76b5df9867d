public import AudioTypes
public import RenderCore

/// A steady tone, the same on each channel.
///
/// A sine is within a float's rounding of the mathematical one, at any time. The other waveforms
/// have their steps and corners rounded over two frames (polynomial band-limited steps), which
/// removes most of the aliasing; below a hundredth of the sample rate they sound like the plain
/// shapes.
public struct ToneCallback: KeyPathCallback {
  /// The shape of a period.
  public enum Waveform: String, CaseIterable, Hashable, Sendable {
    case sine, square, sawtooth, triangle
  }

  public static let description = CallbackDescription(
    kind: "tone", summary: "A steady tone, the same on each channel.", placeSettings: [],
    settings: [
      SettingInfo(
        "waveform", .choice(Waveform.allCases.map(\.rawValue)), defaultValue: .text("sine"),
        summary: "The shape of the wave; each begins at 0 and rises."),
      SettingInfo(
        "frequency", .number(0...1_500_000), unit: .hertz, defaultValue: .number(440),
        change: .ramp,
        summary: "Cycles per second, up to half the sample rate of the bus."),
      .amplitude(0.25, "The peak of the wave; 1 is full scale."),
      SettingInfo(
        "phase", .number(-360...360), unit: .degrees, defaultValue: .number(0),
        summary: "Where in the cycle it begins; 90 begins a sine at its peak."),
    ],
    make: { values in
      ToneCallback(
        waveform: Waveform(rawValue: values.text("waveform") ?? "") ?? .sine,
        frequency: values.number("frequency") ?? 440, amplitude: values.number("amplitude") ?? 0.25,
        phase: values.number("phase") ?? 0)
    })

  public static let keyPaths: KeyPaths = ["frequency": \.frequency, "amplitude": \.amplitude]

  /// The shape of a period.
  public var waveform: Waveform
  /// In Hz, from 0 to half the sample rate.
  public var frequency: Double
  /// The peak, from 0 to 8.
  public var amplitude: Double
  /// In degrees, from -360 to 360.
  public var phase: Double

  public init(
    waveform: Waveform = .sine, frequency: Double = 440, amplitude: Double = 0.25,
    phase: Double = 0
  ) {
    self.waveform = waveform
    self.frequency = frequency
    self.amplitude = amplitude
    self.phase = phase
  }

  public func duration(for format: StreamFormat) -> Int? { nil }

  public func peak(pulling level: PeakLevel) -> PeakLevel { .certain(amplitude) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    Self.description.problems(with: [
      "waveform": .text(waveform.rawValue), "frequency": .number(frequency),
      "amplitude": .number(amplitude), "phase": .number(phase),
    ]) + busProblems(format) + [frequencyProblem(frequency, "frequency", format)].compactMap { $0 }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let turns = phase / 360
    let place = SourcePlace(format.sampleRate, after: before)
    return RenderSource(
      kernel: .holding(
        ToneKernel(
          waveform: waveform,
          counter: PhaseCounter(frequency: frequency, sampleRate: format.sampleRate),
          sampleRate: format.sampleRate, offset: turns - turns.rounded(.down),
          frequency: instance.control("frequency", length: glideLength(format)),
          amplitude: instance.control("amplitude", length: glideLength(format)), place: place.access
        ),
        with: instance.block, place), clock: place.clock)
  }
}

struct ToneKernel: RenderKernel {
  private let waveform: ToneCallback.Waveform
  private var counter: PhaseCounter
  private let sampleRate: Double
  private var cyclesPerFrame: Double
  private let offset: Double
  private var frequency: GlidingControl
  private var amplitude: GlidingControl
  private var place: SourcePlaceAccess

  init(
    waveform: ToneCallback.Waveform, counter: PhaseCounter, sampleRate: Double, offset: Double,
    frequency: GlidingControl, amplitude: GlidingControl, place: SourcePlaceAccess
  ) {
    self.waveform = waveform
    self.counter = counter
    self.sampleRate = sampleRate
    cyclesPerFrame = frequency.current / sampleRate
    self.offset = offset
    self.frequency = frequency
    self.amplitude = amplitude
    self.place = place
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    if place.begin(context) { counter.phase = place.phase }
    amplitude.follow()
    if frequency.follow() { retune() }
    // Read before a change that may end in the slice.
    let isSilent = amplitude.isSettled && amplitude.current == 0
    let first = counter.phase
    for frame in 0..<context.frameCount {
      if !frequency.isSettled {
        _ = frequency.next()
        retune()
      }
      var phase = counter.next() + offset
      if phase >= 1 { phase -= 1 }
      let value = Float(amplitude.next() * wave(phase))
      for channel in 0..<output.channelCount { output[channel][frame] = value }
    }
    if isSilent { output.silence() }
    place.end(context, phase: first, counter.phase)
    return .ok
  }

  /// Takes the frequency of the control, up to half the sample rate.
  @_noLocks
  private mutating func retune() {
    let cycles = frequency.current / sampleRate
    cyclesPerFrame = cycles < 0 ? 0 : cycles > 0.5 ? 0.5 : cycles
    counter.retune(to: cyclesPerFrame)
  }

  @_noLocks
  private func wave(_ phase: Double) -> Double {
    switch waveform {
    case .sine: return sine(cycles: phase)
    case .square:
      return (phase < 0.5 ? 1 : -1) + step(at: phase) - step(at: wrapped(phase + 0.5))
    case .sawtooth:
      let shifted = wrapped(phase + 0.5)
      return 2 * shifted - 1 - step(at: shifted)
    case .triangle:
      let plain = phase < 0.25 ? 4 * phase : phase < 0.75 ? 2 - 4 * phase : 4 * phase - 4
      return plain + 8 * cyclesPerFrame
        * (corner(at: wrapped(phase + 0.25)) - corner(at: wrapped(phase + 0.75)))
    }
  }

  @_noLocks
  private func wrapped(_ phase: Double) -> Double { phase >= 1 ? phase - 1 : phase }

  /// The correction of a step from -1 to 1 at phase 0 (Välimäki, Pekonen and Nam 2012).
  @_noLocks
  private func step(at phase: Double) -> Double {
    if phase < cyclesPerFrame {
      let x = 1 - phase / cyclesPerFrame
      return -x * x
    }
    if phase > 1 - cyclesPerFrame {
      let x = 1 - (1 - phase) / cyclesPerFrame
      return x * x
    }
    return 0
  }

  /// The correction of a corner at phase 0 where the slope grows by 1 a frame: the integral of half
  /// of `step` (Esqueda, Välimäki and Bilbao 2016).
  @_noLocks
  private func corner(at phase: Double) -> Double {
    let distance = phase < 0.5 ? phase : 1 - phase
    guard distance < cyclesPerFrame else { return 0 }
    let x = 1 - distance / cyclesPerFrame
    return x * x * x / 6
  }
}
