import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

@Suite struct EqualizerTests {
  // MARK: Presets

  @Test
  func `there are 23 presets, Disabled first, and the others by the alphabet`() {
    let presets = EqualizerPresets.all
    #expect(presets.map(\.number) == (0..<23).map(Int32.init))
    #expect(presets[0].name == "Disabled")
    #expect(presets[8].name == "Flat")
    #expect(presets[22].name == "Vocal Booster")
    #expect(presets.dropFirst().map(\.name) == presets.dropFirst().map(\.name).sorted())
    #expect(presets.allSatisfy { $0.gains.count == 10 })
    #expect(presets.filter(\.isTransparent).map(\.number) == [0, 8])
    #expect(EqualizerPresets.preset(named: "R & B")?.gains[1] == 6.92)
    #expect(EqualizerPresets.preset(number: 12)?.gains == [6, 4, 0, 0, -2, 0, -1, -5, 5, 1])
    #expect(EqualizerPresets.preset(number: -1) == nil)
    #expect(EqualizerPresets.preset(number: 23) == nil)
    #expect(EqualizerPresets.factoryPresets[18] == Preset(number: 18, name: "Small Speakers"))
  }

  // MARK: Design

  @Test(arguments: [
    8000.0, 11_025, 16_000, 22_050, 32_000, 36_409, 37_000, 88_200, 96_000, 192_000,
  ])
  func `a design meets its gains at every rate, at the bands that the rate has room for`(
    rate: Double
  ) {
    for preset in EqualizerPresets.all {
      let design = GraphicEqualizerDesign(gains: preset.gains, sampleRate: rate)
      for (band, center) in EqualizerPresets.centers.enumerated() {
        if center < GraphicEqualizerDesign.highestCenter * rate {
          #expect(abs(design.response(at: center) - preset.gains[band]) < 1e-6)
        } else {
          #expect(design.filters[band] == .identity)
        }
      }
    }
  }

  @Test
  func `a design meets any gains within twelve decibels`() {
    var generator = SplitMix64(seed: 12)
    for _ in 0..<20 {
      let gains = (0..<10).map { _ in Double.random(in: -12...12, using: &generator) }
      let rate = Double.random(in: 8000...192_000, using: &generator)
      let design = GraphicEqualizerDesign(gains: gains, sampleRate: rate)
      for (band, center) in EqualizerPresets.centers.enumerated()
      where center < GraphicEqualizerDesign.highestCenter * rate {
        #expect(abs(design.response(at: center) - gains[band]) < 1e-6)
      }
    }
  }

  @Test
  func `a cascade that is not compensated would miss by far more than a tenth of a decibel`() {
    let preset = EqualizerPresets.all[1]
    let naive = zip(EqualizerPresets.centers, preset.gains).map {
      PeakingFilter(center: $0, gain: $1, sampleRate: 48_000)
    }
    let misses = zip(EqualizerPresets.centers, preset.gains).map { center, gain in
      abs(naive.reduce(0) { $0 + $1.response(at: center, sampleRate: 48_000) } - gain)
    }
    #expect(misses.max()! > 1)
  }

  @Test
  func `between its centres a curve keeps near the gains on either side`() {
    for preset in EqualizerPresets.all {
      let design = GraphicEqualizerDesign(gains: preset.gains, sampleRate: 44_100)
      for band in 0..<9 {
        let bounds = [preset.gains[band], preset.gains[band + 1]]
        for part in 1..<8 {
          let ratio = EqualizerPresets.centers[band + 1] / EqualizerPresets.centers[band]
          let frequency = EqualizerPresets.centers[band] * pow(ratio, Double(part) / 8)
          let response = design.response(at: frequency)
          #expect(response > bounds.min()! - 0.35 && response < bounds.max()! + 0.35)
        }
      }
    }
  }

  // MARK: Rendering

  @Test(arguments: [44_100.0, 48_000])
  func `every preset's rendered response meets its published curve`(rate: Double) {
    var impulse = [Float](repeating: 0, count: 16_384)
    impulse[0] = 1
    for preset in EqualizerPresets.all.dropFirst() {
      let output = equalize([impulse], preset: preset.number, rate: rate)[0]
      for (band, center) in EqualizerPresets.centers.enumerated() {
        let wanted = preset.gains[band]
        // The truncation after 0.34 s and the rounding to floats are below 0.001 dB.
        #expect(abs(gain(of: output, at: center, sampleRate: rate) - wanted) < 0.01)
        // The centres of an iPod are powers of two.
        let power = Double(32 << band)
        #expect(abs(gain(of: output, at: power, sampleRate: rate) - wanted) < 0.2)
      }
    }
  }

  /// The curve in decibels of filters in series, with gains such that it meets `gains` at the
  /// centres. `response` is that of a single filter, by centre, gain and frequency.
  private func cascade(
    _ gains: [Double], of response: @escaping (_ center: Double, _ gain: Double, Double) -> Double
  ) -> (_ frequency: Double) -> Double {
    func sum(_ gains: [Double], _ frequency: Double) -> Double {
      zip(EqualizerPresets.centers, gains).reduce(0) { $0 + response($1.0, $1.1, frequency) }
    }
    var solved = gains
    // The error at least halves in each iteration.
    for _ in 0..<60 {
      let missed = zip(EqualizerPresets.centers, gains).map { $1 - sum(solved, $0) }
      solved = zip(solved, missed).map { $0 + 0.6 * $1 }
    }
    return { sum(solved, $0) }
  }

  /// Filters `(s² + s A/Q + 1) / (s² + s/(A Q) + 1)` with the bandwidth of the digital ones.
  private func analogue(_ gains: [Double]) -> (_ frequency: Double) -> Double {
    let inverseQ = 2 * sinh(log(2) / 2 * PeakingFilter.bandwidth)
    return cascade(gains) { center, gain, frequency in
      let amplitude = pow(10, gain / 40)
      let place = frequency / center
      let real = (1 - place * place) * (1 - place * place)
      let up = place * inverseQ * amplitude
      let down = place * inverseQ / amplitude
      return 10 * log10((real + up * up) / (real + down * down))
    }
  }

  /// Except for 44.1 and 48 kHz, the correction was not fitted at these rates.
  @Test(arguments: [
    (44_100.0, 0.05), (48_000, 0.04), (36_000, 0.11), (39_700, 0.08), (43_210, 0.06),
    (64_321, 0.03), (88_200, 0.02), (96_000, 0.02), (192_000, 0.02),
  ])
  func `up to 16 kHz a curve is the analogue one, at whatever rate`(rate: Double, within: Double) {
    for preset in EqualizerPresets.all {
      let design = GraphicEqualizerDesign(gains: preset.gains, sampleRate: rate)
      let expected = analogue(preset.gains)
      for step in 0...200 {
        let frequency = 20 * pow(800, Double(step) / 200)
        #expect(abs(design.response(at: frequency) - expected(frequency)) < within)
      }
    }
  }

  @Test func `without the correction a curve misses the analogue one by a third of a decibel`()
    throws
  {
    let preset = try #require(EqualizerPresets.preset(named: "Treble Booster"))
    let plain = cascade(preset.gains) { center, gain, frequency in
      PeakingFilter(center: center, gain: gain, sampleRate: 44_100)
        .response(at: frequency, sampleRate: 44_100)
    }
    #expect(abs(plain(10_883) - analogue(preset.gains)(10_883)) > 0.33)
  }

  @Test(arguments: [1, 2])
  func `what comes out is within -130 dBFS of the same filters in double precision`(
    channelCount: Int
  ) {
    let signals = [
      noise(24_000, seed: 3),
      sweep(24_000, from: 20, to: 20_000, sampleRate: 48_000, amplitude: 0.4),
    ]
    for preset: Int32 in [2, 16, 17] {
      let gains = EqualizerPresets.all[Int(preset)].gains
      let design = GraphicEqualizerDesign(gains: gains, sampleRate: 48_000)
      let inputs = channelCount == 2 ? [signals] : signals.map { [$0] }
      for input in inputs {
        let output = equalize(input, preset: preset, rate: 48_000)
        for (channel, samples) in input.enumerated() {
          let expected = scalarCascade(samples, filters: design.filters)
          let difference = zip(output[channel], expected).map { Double($0) - $1 }
          #expect(peakLevel(difference) < -130)
        }
      }
    }
  }

  @Test
  func `single precision would not do`() {
    let samples = noise(24_000, seed: 3)
    let design = GraphicEqualizerDesign(gains: EqualizerPresets.all[16].gains, sampleRate: 48_000)
    let expected = scalarCascade(samples, filters: design.filters)
    var rough = samples
    for filter in design.filters {
      let (b0, b1, b2) = (Float(filter.b0), Float(filter.b1), Float(filter.b2))
      let (a1, a2) = (Float(filter.a1), Float(filter.a2))
      var (s1, s2) = (Float(0), Float(0))
      for frame in rough.indices {
        let x = rough[frame]
        let y = b0 * x + s1
        s1 = b1 * x - a1 * y + s2
        s2 = b2 * x - a2 * y
        rough[frame] = y
      }
    }
    #expect(peakLevel(zip(rough, expected).map { Double($0) - $1 }) > -110)
  }

  @Test(arguments: Slicing.every)
  func `what comes out, changes of preset included, does not depend on how it is cut`(
    slicing: Slicing
  ) {
    for channelCount in 1...2 {
      let input = (0..<channelCount).map { channel in
        // A silence in the middle, long enough for the filters to come to rest.
        noise(6000, seed: UInt64(channel)) + [Float](repeating: 0, count: 9000)
          + noise(1000, seed: 9)
      }
      let whole = equalize(
        input, preset: 5, rate: 8000, slicing: Slicing([2000, 100, 1900, 1000, 4096]),
        changes: changes)
      // Cut at the slices and at each change, like a plan.
      let frames = slicing.cut(input[0].count).reduce(into: [0]) { $0.append($0.last! + $1) }
      let cuts = Set(frames + changes.keys).sorted()
      let pieces = Slicing(zip(cuts.dropFirst(), cuts).map { $0 - $1 })
      let cut = equalize(input, preset: 5, rate: 8000, slicing: pieces, changes: changes)
      expectSame(cut, whole)
    }
  }

  /// Presets by frame. The second change begins during the first.
  private let changes = [2000: 17, 2100: 12, 4000: 0, 5000: 22]

  @Test(arguments: [0, 8], [1, 2])
  func `Disabled and Flat pass every sample on as it is`(preset: Int32, channelCount: Int) {
    let input = (0..<channelCount).map { noise(3000, amplitude: 3, seed: UInt64($0)) }
    expectSame(equalize(input, preset: preset, rate: 44_100), input)
    expectSame(
      equalize(input, preset: preset, rate: 44_100, changes: [1024: Int(8 - preset)]), input)
  }

  @Test
  func `a number that is no preset's leaves the curve as it is`() {
    let input = [noise(4000, seed: 4)]
    let output = equalize(input, preset: 17, rate: 44_100, changes: [1024: 23, 2048: -1])
    expectSame(output, equalize(input, preset: 17, rate: 44_100))
    expectSame(equalize(input, preset: 99, rate: 44_100), input)
  }

  @Test
  func `a change is heard at the wanted frame and is over 40 ms later`() {
    let input = [noise(8192, seed: 5)]
    let output = equalize(input, preset: 0, rate: 48_000, changes: [1024: 17])[0]
    // 960 frames of warm-up with the old curve, then 960 frames of fade.
    expectSame([Array(output[..<1984])], [Array(input[0][..<1984])])
    #expect(output[1985] != input[0][1985])
    let settled = equalize([Array(input[0][1024...])], preset: 17, rate: 48_000)[0]
    expectSame([Array(output[2944...])], [Array(settled[1920...])])
    let middle = 1024 + 960 + 479
    let expected = 0.5 * input[0][middle] + 0.5 * settled[middle - 1024]
    #expect(abs(output[middle] - expected) < 1e-6)
  }

  @Test
  func `the latest of the changes during a change follows it`() {
    let input = [noise(8192, seed: 6)]
    let slicing = Slicing([1024, 76, 200, 1644, 1024])
    let changes = [1024: 17, 1100: 3, 1300: 12]
    let hasty = equalize(input, preset: 0, rate: 48_000, slicing: slicing, changes: changes)
    // The second change begins when the first ends, at frame 2944, whether it was requested at that
    // time or before, and whether or not a slice ends there.
    let patient = equalize(
      input, preset: 0, rate: 48_000, slicing: slicing, changes: [1024: 17, 2944: 12])
    let cut = equalize(
      input, preset: 0, rate: 48_000, slicing: Slicing([1024, 76, 200, 2000]), changes: changes)
    expectSame(hasty, patient)
    expectSame(cut, patient)
  }

  // MARK: Clicks

  @Test(arguments: [32.0, 45, 64, 1000])
  func `a change of preset does not click and does not overshoot`(frequency: Double) {
    let input = sine(19_200, frequency: frequency, sampleRate: 48_000, amplitude: 0.25)
    for (old, new) in [(0, 2), (2, 0), (2, 3), (16, 13)] {
      let output = equalize(
        [input], preset: Int32(old), rate: 48_000, slicing: Slicing([3200]), changes: [9600: new])[
          0]
      let louder = [old, new].map { preset in
        GraphicEqualizerDesign(gains: EqualizerPresets.all[preset].gains, sampleRate: 48_000)
          .response(at: frequency)
      }.max()!
      let peak = 0.25 * pow(10, louder / 20)
      // A quarter of a decibel for the slow response of the lowest bands.
      #expect(peakLevel(output[9000...].map(Double.init)) < 20 * log10(peak) + 0.25)
      #expect(roughness(output[9000..<14_000]) < smoothness(frequency: frequency, peak: peak))
    }
  }

  @Test
  func `a curve that is switched without a fade, or faded with corners, is caught as a click`() {
    let input = sine(19_200, frequency: 45, sampleRate: 48_000, amplitude: 0.25)
    let old = equalize([input], preset: 0, rate: 48_000)[0]
    let new = equalize([input], preset: 2, rate: 48_000)[0]
    let peak = 0.25 * pow(10, 5.5 / 20)
    let switched = Array(old[..<9700]) + Array(new[9700...])
    #expect(roughness(switched[9000..<14_000]) > 100 * smoothness(frequency: 45, peak: peak))
    let linear = old.indices.map { frame in
      let weight = Float(min(max(frame - 9700, 0), 960)) / 960
      return (1 - weight) * old[frame] + weight * new[frame]
    }
    #expect(roughness(linear[9000..<14_000]) > 2 * smoothness(frequency: 45, peak: peak))
  }

  /// The largest second difference, which shows steps and corners in a low sine.
  private func roughness(_ samples: ArraySlice<Float>) -> Double {
    let values = samples.map(Double.init)
    return values.indices.dropFirst(2).reduce(0.0) {
      max($0, abs(values[$1] - 2 * values[$1 - 1] + values[$1 - 2]))
    }
  }

  /// The largest second difference of a sine of up to `peak` at 48 kHz during a smooth fade to
  /// another that is not louder: its own, the contributions of the fade's slope and curvature, and
  /// the rounding to floats.
  private func smoothness(frequency: Double, peak: Double) -> Double {
    let angle = 2 * Double.pi * frequency / 48_000
    let slope = 1.5 / 960
    let curvature = 6.0 / (960 * 960)
    return peak * (angle * angle + 2 * angle * slope + curvature) + 1.2e-7
  }

  // MARK: Silence

  @Test
  func `silence after sound rings out, ends in exact zeros and then says that it is silent`() {
    let controls = ControlBlock(count: 1)
    controls[word: 0] = 2
    let kernel = EqualizerKernel(
      sampleRate: 8000, channelCount: 2, controls: controls.access, presetSlot: 0)
    let plan = RenderPlan(
      rows: [.init(kernel: .holding(kernel, with: controls), inputs: [0], outputs: [1])],
      busChannelCounts: [2, 2], maximumFramesPerSlice: 512)
    let input = plan.bus(0, frameCount: 512)
    let output = plan.bus(1, frameCount: 512)
    func slice() { #expect(plan.render(frameCount: 512, at: TimeStamp(sampleTime: 0)) == .ok) }
    slice()
    #expect(output.isSilent)
    input.markSounding()
    input[0][0] = 1
    slice()
    #expect(!output.isSilent)
    input.silence()
    slice()
    #expect(!output.isSilent)
    #expect(output[0][0] != 0)
    #expect(output[1][0] == 0)
    var slices = 0
    repeat {
      slice()
      slices += 1
    } while !output.isSilent && slices < 100
    // The 32 Hz band falls from 1 to 1e-30 in about a second and a half.
    #expect(output.isSilent && slices > 10)
    #expect((0..<512).allSatisfy { output[0][$0] == 0 })
  }

  @Test
  func `an input that is not a number spoils a fraction of a second and not more`() {
    var input = [noise(6000, seed: 7)]
    input[0][100] = .nan
    let output = equalize(input, preset: 17, rate: 48_000)[0]
    #expect(output[150].isNaN)
    #expect(output[1024...].allSatisfy { $0.isFinite })
  }

  // MARK: -

  private func equalize(
    _ channels: [[Float]], preset: Int32, rate: Double, slicing: Slicing = Slicing([1024]),
    changes: [Int: Int] = [:]
  ) -> [[Float]] {
    let controls = ControlBlock(count: 3)
    controls[word: 2] = UInt32(bitPattern: preset)
    let kernel = EqualizerKernel(
      sampleRate: rate, channelCount: channels.count, controls: controls.access, presetSlot: 2)
    return render(
      .holding(kernel, with: controls), inputs: [channels],
      outputChannelCounts: [channels.count], frameCount: channels[0].count, slicing: slicing
    ) { frame in
      if let preset = changes[frame] { controls[word: 2] = UInt32(bitPattern: Int32(preset)) }
    }[0]
  }

  /// The textbook's transposed direct form II, one filter after the other.
  private func scalarCascade(_ samples: [Float], filters: [PeakingFilter]) -> [Double] {
    var values = samples.map(Double.init)
    for filter in filters {
      var (s1, s2) = (0.0, 0.0)
      for frame in values.indices {
        let x = values[frame]
        let y = filter.b0 * x + s1
        s1 = filter.b1 * x - filter.a1 * y + s2
        s2 = filter.b2 * x - filter.a2 * y
        values[frame] = y
      }
    }
    return values
  }
}
