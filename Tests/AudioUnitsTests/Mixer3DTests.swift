import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

private typealias Parameter = Mixer3D.Parameter

private let ones = [Float](repeating: 0.5, count: 8192)

/// The settled gains for a constant input of 0.5.
private func gains(_ scene: SpatialScene) throws -> (left: Double, right: Double) {
  let output = try scene.render(600)
  return (Double(output[0][599]) / 0.5, Double(output[1][599]) / 0.5)
}

@Suite struct Mixer3DTests {
  // MARK: Distance

  struct Curve: CustomTestStringConvertible, Sendable {
    var number: UInt32
    var testDescription: String { "curve \(number)" }
    var reference: Double
    var maximum: Double
    var attenuation: Double

    /// The formula again, independent of the code.
    func gain(_ distance: Double) -> Double {
      let d = min(max(distance, reference), maximum)
      switch number {
      case 2:
        let k = reference * (pow(10, attenuation / 20) - 1) / (maximum - reference)
        return reference / (reference + k * (d - reference))
      case 3:
        return 1 - (1 - pow(10, -attenuation / 20)) * (d - reference) / (maximum - reference)
      default:
        return pow(d / reference, -attenuation / (20 * log10(maximum / reference)))
      }
    }
  }

  static let curves: [Curve] = (0...3).flatMap { number in
    [
      Curve(number: number, reference: 1, maximum: 100_000, attenuation: 100),
      Curve(number: number, reference: 2, maximum: 50, attenuation: 36),
    ]
  }

  @Test(arguments: curves)
  func `a source gets quieter by the closed form`(curve: Curve) throws {
    for distance in [0.5, 1, 2, 3.7, 20, 49, 50, 120, 9000] {
      let found = try gains(
        SpatialScene(
          .init(
            ones,
            parameters: [Parameter.distance: Float(distance)],
            properties: [
              .attenuationCurve3DMixer: .uint32(curve.number),
              .distanceParameters3DMixer: .floats([
                Float(curve.reference), Float(curve.maximum), Float(curve.attenuation),
              ]),
            ])))
      let expected = 20 * log10(curve.gain(distance))
      let level = 10 * log10(found.left * found.left + found.right * found.right)
      #expect(abs(level - expected) < 0.01, "at \(distance) m")
    }
  }

  @Test func `the distance's part of the gain is held between minimum and maximum`() throws {
    func level(_ parameters: [UInt32: Float], flags: UInt32 = 4) throws -> Double {
      let found = try gains(
        SpatialScene(
          .init(
            ones, parameters: parameters, properties: [.renderingFlags3DMixer: .uint32(flags)])))
      return 20 * log10(found.left * 2.0.squareRoot())
    }
    #expect(abs(try level([Parameter.distance: 100]) + 40) < 0.01)
    #expect(abs(try level([Parameter.distance: 100, Parameter.minGain: 0.1]) + 20) < 0.01)
    #expect(abs(try level([Parameter.distance: 1, Parameter.maxGain: 0.5]) + 6.0206) < 0.01)
    #expect(abs(try level([Parameter.distance: 100, Parameter.gain: 12]) + 28) < 0.01)
    #expect(abs(try level([Parameter.distance: 100], flags: 0)) < 0.01)
    // Flag 32: linear, from 1 m to 100 km.
    #expect(abs(try level([Parameter.distance: 5000], flags: 4 | 32) + 0.4455) < 0.01)
  }

  // MARK: Panning

  @Test(arguments: [-180, -135, -90, -60, -30, -7.5, 0, 15, 30, 45, 90, 120, 180] as [Float])
  func `panning follows its laws`(azimuth: Float) throws {
    for elevation in [0, 30, -60] as [Float] {
      let side = sin(Double(azimuth) * .pi / 180) * cos(Double(elevation) * .pi / 180)
      let angle = asin(side)
      let place = [
        Parameter.azimuth: azimuth, Parameter.elevation: elevation, Parameter.distance: 1,
      ]
      let equal = try gains(SpatialScene(.init(ones, algorithm: 0, parameters: place)))
      #expect(abs(equal.left - cos((angle / (.pi / 2) + 1) * .pi / 4)) < 1e-4)
      #expect(abs(equal.right - sin((angle / (.pi / 2) + 1) * .pi / 4)) < 1e-4)

      let field = try gains(SpatialScene(.init(ones, algorithm: 3, parameters: place)))
      #expect(abs(field.left - (1 - side) / 2) < 1e-4)
      #expect(abs(field.right - (1 + side) / 2) < 1e-4)

      let vector = try gains(SpatialScene(.init(ones, algorithm: 4, parameters: place)))
      #expect(abs(vector.left * vector.left + vector.right * vector.right - 1) < 1e-4)
      if abs(angle) < .pi / 6 {
        // The tangent law.
        let ratio = (vector.right - vector.left) / (vector.right + vector.left)
        #expect(abs(ratio - tan(angle) / tan(.pi / 6)) < 1e-4)
      } else {
        #expect(abs((angle > 0 ? vector.right : vector.left) - 1) < 1e-4)
      }
    }
  }

  @Test func `at no distance a source is in the middle, whatever its direction`() throws {
    for algorithm in [0, 3, 4] as [UInt32] {
      let found = try gains(
        SpatialScene(.init(ones, algorithm: algorithm, parameters: [Parameter.azimuth: 90])))
      #expect(abs(found.left - found.right) < 1e-6)
    }
  }

  @Test func `stereo passes as it is`() throws {
    let left = noise(1200, seed: 1)
    let right = noise(1200, seed: 2)
    let output = try SpatialScene(
      .init(left, right, algorithm: 5, parameters: [Parameter.azimuth: 90, Parameter.distance: 1])
    ).render(1200)
    expectSame(output, [left, right])
    let mono = try SpatialScene(.init(left, algorithm: 5)).render(1200)
    expectSame(mono, [left, left])
  }

  // MARK: Level, switch

  @Test func `gains multiply, and a source that is off is not heard`() throws {
    var scene = SpatialScene(
      .init(ones, algorithm: 5, parameters: [Parameter.gain: -6]),
      .init(ones, algorithm: 5, parameters: [Parameter.enable: 0]))
    scene.outputGain = -14
    #expect(abs(20 * log10(try gains(scene).left) + 20) < 0.001)
    scene.sources[1].parameters[Parameter.enable] = 1
    scene.sources[0].parameters[Parameter.enable] = 0
    #expect(abs(20 * log10(try gains(scene).left) + 14) < 0.001)
  }

  /// Noise that is disabled from frame 3000 to frame 9000.
  private func switched(
    _ algorithm: UInt32, rate: Double = 44_100, parameters: [UInt32: Float] = [:]
  ) -> SpatialScene {
    var scene = SpatialScene(
      .init(
        noise(20_000, seed: 5), rate: rate, algorithm: algorithm,
        parameters: [Parameter.azimuth: 20, Parameter.distance: 2].merging(parameters) { $1 }))
    scene.changes = [
      .init(frame: 3000, element: 0, parameter: Parameter.enable, value: 0),
      .init(frame: 9000, element: 0, parameter: Parameter.enable, value: 1),
    ]
    return scene
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5] as [UInt32], [44_100.0, 48_000])
  func `a source that is on again is heard as if it had never been off`(
    algorithm: UInt32, rate: Double
  ) throws {
    let scene = switched(algorithm, rate: rate)
    var steady = scene
    steady.changes = []
    let found = try scene.render(12_000)
    let expected = try steady.render(12_000)
    // It fades out during the next block, and then its filter decays.
    for channel in 0..<2 {
      #expect(found[channel][..<3000] == expected[channel][..<3000])
      #expect(found[channel][4600..<9000].allSatisfy { $0 == 0 })
      #expect(found[channel][9000..<12_000].contains { $0 != 0 })
      for (a, b) in zip(found[channel][10_600...], expected[channel][10_600...]) {
        // The filter of the sphere's shadow has a memory: it has settled to -120 dBFS.
        #expect(algorithm == 1 ? abs(a - b) < 1e-6 : a == b)
      }
    }
  }

  @Test(arguments: Slicing.every)
  func `switching a source does not depend on slices`(slicing: Slicing) throws {
    let scene = switched(
      2, parameters: [Parameter.occlusionAttenuation: -12, Parameter.reverbBlend: 30])
    expectSame(
      try scene.render(11_000, slicing: slicing), try scene.render(11_000, slicing: Slicing([4096]))
    )
  }

  @Test(arguments: [0, 1, 2, 5] as [UInt32])
  func `a source that is off is silence once it has rung out`(algorithm: UInt32) throws {
    var silent: Set<Int> = []
    var all: Set<Int> = []
    _ = try switched(algorithm).render(12_000, slicing: Slicing([100])) { start, isSilent in
      all.insert(start)
      if isSilent { silent.insert(start) }
    }
    let quiet = all.filter { (4600..<9000).contains($0) }
    #expect(silent.isSuperset(of: quiet))
    #expect(silent.isDisjoint(with: all.filter { $0 < 3000 || $0 >= 9500 }))
  }

  @Test(arguments: [0, 1, 2, 5] as [UInt32])
  func `zeros of a source are silence, though nobody has marked them`(algorithm: UInt32) throws {
    let pause = [Float](repeating: 0, count: 6000)
    let scene = SpatialScene(
      .init(noise(3000, seed: 5) + pause + noise(6000, seed: 6), algorithm: algorithm))
    var silent: Set<Int> = []
    var all: Set<Int> = []
    _ = try scene.render(14_000, slicing: Slicing([100])) { start, isSilent in
      all.insert(start)
      if isSilent { silent.insert(start) }
    }
    #expect(silent.isSuperset(of: all.filter { (5500..<8500).contains($0) }))
    #expect(silent.isDisjoint(with: all.filter { $0 < 3000 || $0 >= 9500 }))
  }

  // MARK: Low-passes

  @Test(arguments: [8000.0, 22_050, 44_100, 48_000, 96_000])
  func `occlusion and obstruction take away what they say at 5 kHz`(rate: Double) throws {
    var impulse = [Float](repeating: 0, count: 4096)
    impulse[0] = 0.5
    for level in [-1, -6, -24, -36] as [Float] {
      for parameter in [Parameter.occlusionAttenuation, Parameter.obstructionAttenuation] {
        let output = try SpatialScene(
          .init(impulse, rate: rate, algorithm: 5, parameters: [parameter: level]), rate: rate
        ).render(4096)
        let response = output[0].map { $0 * 2 }
        let frequency = min(5000, rate / 2)
        #expect(
          abs(gain(of: response, at: frequency, sampleRate: rate) - Double(level)) < 0.01)
        #expect(abs(gain(of: response, at: 0, sampleRate: rate)) < 0.01)
      }
    }
  }

  @Test func `the distance filter takes treble away with the distance`() throws {
    var impulse = [Float](repeating: 0, count: 4096)
    impulse[0] = 0.5
    func response(_ flags: UInt32) throws -> [Float] {
      try SpatialScene(
        .init(
          impulse, algorithm: 5, parameters: [Parameter.distance: 101],
          properties: [.renderingFlags3DMixer: .uint32(flags)])
      ).render(4096)[0].map { $0 * 2 }
    }
    #expect(abs(gain(of: try response(0), at: 5000, sampleRate: 44_100)) < 0.01)
    // 100 m beyond the reference distance, at 0.044 dB each.
    #expect(abs(gain(of: try response(8), at: 5000, sampleRate: 44_100) + 4.4) < 0.01)
  }

  // MARK: Pace

  /// The frequency of a sine in a stretch, from the phases at both ends.
  private func frequency(_ signal: ArraySlice<Float>, near guess: Double, rate: Double) -> Double {
    let half = signal.count / 2
    func phase(_ part: ArraySlice<Float>) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in part.enumerated() {
        let window = 0.5 - 0.5 * cos(2 * .pi * Double(frame) / Double(part.count))
        let angle = 2 * Double.pi * guess / rate * Double(part.startIndex + frame)
        real += Double(sample) * cos(angle) * window
        imaginary -= Double(sample) * sin(angle) * window
      }
      return atan2(imaginary, real)
    }
    let first = phase(signal.prefix(half))
    let second = phase(signal.dropFirst(half).prefix(half))
    let turn = remainder(second - first, 2 * .pi)
    return guess + turn / (2 * .pi) * rate / Double(half)
  }

  @Test(arguments: [0.5, 0.8, 1, 1.5, 2])
  func `the playback rate moves the pitch`(speed: Double) throws {
    let tone = sine(24_000, frequency: 600, sampleRate: 44_100, amplitude: 0.5)
    let output = try SpatialScene(
      .init(tone, algorithm: 5, parameters: [Parameter.playbackRate: Float(speed)])
    ).render(8000)
    let found = frequency(output[0][2000..<8000], near: 600 * speed, rate: 44_100)
    #expect(abs(found / (600 * speed) - 1) < 1e-5)
  }

  @Test(arguments: [-100.0, -20, 15, 60])
  func `a source that moves is heard higher or lower by Doppler's formula`(velocity: Double)
    throws
  {
    let rate = 44_100.0
    let tone = sine(60_000, frequency: 1000, sampleRate: rate, amplitude: 0.5)
    for setting in [
      (PropertyID.dopplerShift, PropertyValue.uint32(1)), (.renderingFlags3DMixer, .uint32(2)),
    ] {
      var scene = SpatialScene(
        .init(
          tone, algorithm: 5, parameters: [Parameter.distance: 200],
          properties: [.renderingFlags3DMixer: .uint32(0)].merging([setting]) { $1 }))
      scene.changes = stride(from: 0, to: 36_000, by: 32).map {
        .init(
          frame: $0, element: 0, parameter: Parameter.distance,
          value: Float(200 + velocity * Double($0) / rate))
      }
      let output = try scene.render(36_000, slicing: Slicing([4096]))
      let expected = 1000 * 343.3 / (343.3 + velocity)
      let found = frequency(output[0][28_000..<36_000], near: expected, rate: rate)
      #expect(abs(found / expected - 1) < 2e-4)
    }
  }

  @Test func `a source that does not say so has no Doppler shift`() throws {
    var scene = SpatialScene(
      .init(
        sine(20_000, frequency: 1000, sampleRate: 44_100, amplitude: 0.5), algorithm: 5,
        properties: [.renderingFlags3DMixer: .uint32(0)]))
    let still = try scene.render(9000)
    scene.changes = (0..<80).map {
      .init(frame: 100 * $0, element: 0, parameter: Parameter.distance, value: Float($0))
    }
    expectSame(try scene.render(9000), still)
  }

  @Test(arguments: [8000.0, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000])
  func `an input at any rate keeps its pitch and its level`(rate: Double) throws {
    let tone = sine(Int(rate / 4), frequency: 1000, sampleRate: rate, amplitude: 0.5)
    let output = try SpatialScene(.init(tone, rate: rate, algorithm: 5), rate: 44_100)
      .render(8000)
    for frame in 1000..<7000 {
      let expected = 0.5 * sin(2 * Double.pi * 1000 / 44_100 * Double(frame))
      // 80 dB below the tone.
      guard abs(Double(output[0][frame]) - expected) < 5e-5 else {
        Issue.record("frame \(frame): \(output[0][frame]), not \(expected)")
        break
      }
    }
  }

  @Test(arguments: [
    (1000.0, 96_000.0), (96_000, 16_000), (7, 100), (3000, 1000), (44_100.5, 47_999),
  ])
  func `rates may be far apart`(input: Double, output: Double) throws {
    let signal = noise(Int(input / output * 4000) + 2000, seed: 20)
    for algorithm in [1, 2, 5] as [UInt32] {
      let found = try SpatialScene(
        .init(
          signal, rate: input, algorithm: algorithm,
          parameters: [
            Parameter.distance: 1, Parameter.playbackRate: 2, Parameter.reverbBlend: 10,
          ]), rate: output
      ).render(2000)
      #expect(found.allSatisfy { $0.allSatisfy(\.isFinite) })
      #expect(powerLevel(found[0][1000...]) > -40)
    }
  }

  @Test func `a source with the output's rate that is not moved is not touched`() throws {
    let signal = noise(3000, seed: 3)
    expectSame(
      [try SpatialScene(.init(signal, rate: 48_000, algorithm: 5), rate: 48_000).render(3000)[0]],
      [signal])
  }

  // MARK: Slices

  static let everything: SpatialScene = {
    var scene = SpatialScene(
      .init(
        noise(14_000, seed: 10), rate: 22_050, algorithm: 0,
        parameters: [
          Parameter.distance: 2, Parameter.azimuth: 40, Parameter.reverbBlend: 30,
        ], properties: [.renderingFlags3DMixer: .uint32(127)]),
      .init(
        noise(14_000, seed: 11), rate: 44_100, algorithm: 1,
        parameters: [Parameter.distance: 1, Parameter.occlusionAttenuation: -3]),
      .init(
        noise(14_000, seed: 12), rate: 44_100, algorithm: 2,
        parameters: [Parameter.distance: 1, Parameter.azimuth: -33, Parameter.elevation: 17]),
      .init(
        noise(3000, seed: 13), noise(3000, seed: 14), rate: 32_000, algorithm: 5,
        parameters: [Parameter.playbackRate: 1.3, Parameter.reverbBlend: 50]),
      .init(
        noise(14_000, seed: 15), rate: 48_000, algorithm: 4,
        parameters: [Parameter.distance: 3, Parameter.obstructionAttenuation: -12]),
      .init(noise(14_000, seed: 16), rate: 44_100, algorithm: 3))
    scene.changes = (1..<30).flatMap { step -> [SpatialScene.Change] in
      let frame = step * 173
      return [
        .init(
          frame: frame, element: 0, parameter: Parameter.distance, value: 2 + Float(step) * 0.1),
        .init(frame: frame, element: 1, parameter: Parameter.azimuth, value: Float(step * 5)),
        .init(frame: frame, element: 2, parameter: Parameter.azimuth, value: Float(step * 6 - 90)),
        .init(
          frame: frame, element: 3, parameter: Parameter.playbackRate, value: 1 + Float(step) / 40),
        .init(
          frame: frame, element: 4, parameter: Parameter.occlusionAttenuation,
          value: -Float(step)),
        .init(frame: frame, element: 5, parameter: Parameter.gain, value: -Float(step)),
      ]
    }
    return scene
  }()

  static let everythingInOne = Result {
    try everything.render(5500, slicing: Slicing([4096]))
  }

  @Test(arguments: Slicing.every)
  func `what comes out does not depend on slices`(slicing: Slicing) throws {
    expectSame(
      try Self.everything.render(5500, slicing: slicing), try Self.everythingInOne.get())
  }

  @Test(arguments: [1, 7, 4096])
  func `what comes out does not depend on how much an input gives at once`(limit: Int) throws {
    var scene = Self.everything
    scene.pullLimit = limit
    expectSame(
      try scene.render(5500, slicing: Slicing([4096])), try Self.everythingInOne.get())
  }

  @Test func `from frame 0 it begins again`() throws {
    var scene = Self.everything
    scene.changes = []
    scene.sources[2].parameters[Parameter.reverbBlend] = 40
    expectSame(try scene.render(3000, passes: 2), try scene.render(3000))
  }

  @Test func `what is not finite does not stay`() throws {
    var signal = noise(8000, seed: 5)
    for frame in 500..<600 { signal[frame] = [.infinity, -.infinity, .nan][frame % 3] }
    for algorithm in 0...5 as ClosedRange<UInt32> {
      let output = try SpatialScene(
        .init(
          signal, algorithm: algorithm,
          parameters: [
            Parameter.distance: 1, Parameter.azimuth: 30, Parameter.reverbBlend: 50,
            Parameter.occlusionAttenuation: -6,
          ])
      ).render(4000)
      #expect(output.allSatisfy { $0.allSatisfy(\.isFinite) })
    }
  }
}
