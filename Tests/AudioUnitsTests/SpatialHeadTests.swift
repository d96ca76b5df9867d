import AudioTypes
import AudioUnits
import CMysofa
import Glibc
import HeadData
import RenderCore
import TestSupport
import Testing

private typealias Parameter = Mixer3D.Parameter

/// The impulse responses of both ears for a source.
private func responses(
  _ algorithm: UInt32, azimuth: Double, elevation: Double = 0, rate: Double = 44_100,
  frameCount: Int = 800, lead: Int = 0
) throws -> [[Float]] {
  // The filter's response before the impulse is interpolation between frames.
  var impulse = [Float](repeating: 0, count: frameCount + lead)
  impulse[lead] = 0.5
  return try SpatialScene(
    .init(
      impulse, rate: rate, algorithm: algorithm,
      parameters: [
        Parameter.azimuth: Float(azimuth), Parameter.elevation: Float(elevation),
        Parameter.distance: 1,
      ]), rate: rate
  ).render(frameCount + lead).map { $0.map { $0 * 2 } }
}

/// The level in decibels from 125 Hz to 16 kHz, five values per octave.
private func levels(_ response: [Float], rate: Double = 44_100) -> [Double] {
  (0...35).map { gain(of: response, at: 125 * pow(2, Double($0) / 5), sampleRate: rate) }
}

@Suite struct SpatialHeadTests {
  // MARK: Between the ears

  @Test func `on the sphere sound takes Woodworth's time around the head`() throws {
    // Without high frequencies, so that the correlation has a broad peak.
    let white = noise(6000, seed: 7)
    let noise = white.indices.map { frame in
      white[max(0, frame - 11)...frame].reduce(0, +) / 12
    }
    var last = 0.0
    for azimuth in [0, 15, 30, 45, 60, 75] as [Float] {
      func ears(_ azimuth: Float) throws -> [[Float]] {
        try SpatialScene(
          .init(
            noise, algorithm: 0, parameters: [Parameter.azimuth: azimuth, Parameter.distance: 1],
            properties: [.renderingFlags3DMixer: .uint32(1)])
        ).render(3000)
      }
      let angle = Double(azimuth) * .pi / 180
      let expected = 0.0875 / 343.3 * (angle + sin(angle)) * 44_100
      let found = try ears(azimuth)
      // For a source on the right, the left ear is later.
      let lag = lag(found[1], found[0])
      // 2 µs is the error of the parabola's peak.
      #expect(abs(lag - expected) < 0.09, "at \(azimuth)°")
      #expect(azimuth == 0 || lag > last)
      last = lag
      let mirrored = try ears(-azimuth)
      expectSame([mirrored[1], mirrored[0]], found)
    }
  }

  @Test(arguments: [1, 2] as [UInt32])
  func `time and level differences have the right sign and grow with the azimuth`(
    algorithm: UInt32
  ) throws {
    var lastLag = 0.0
    var lastLevel = 0.0
    for azimuth in [0.0, 15, 30, 45, 60, 75] {
      let found = try responses(algorithm, azimuth: azimuth)
      let lag = lag(found[1], found[0])
      let level = powerLevel(found[1]) - powerLevel(found[0])
      if azimuth == 0 {
        #expect(abs(lag) < 0.01)
        #expect(abs(level) < 0.01)
      } else {
        #expect(lag > lastLag, "at \(azimuth)°")
        // On a sphere the shadow is deepest 150° from the ear.
        #expect(azimuth > 60 || level > lastLevel, "at \(azimuth)°")
      }
      lastLag = lag
      lastLevel = level
      // A source on the left gives the mirror image.
      let mirrored = try responses(algorithm, azimuth: -azimuth)
      for (here, there) in [(0, 1), (1, 0)] {
        for (a, b) in zip(levels(found[here]), levels(mirrored[there])) {
          #expect(abs(a - b) < 0.5)
        }
      }
    }
    // 0.6 to 0.8 ms and 4 to 20 dB at the side.
    let side = try responses(algorithm, azimuth: 90)
    let lag = lag(side[1], side[0])
    #expect(lag > 0.0006 * 44_100 && lag < 0.0008 * 44_100)
    let level = powerLevel(side[1]) - powerLevel(side[0])
    #expect(level > 4 && level < 20)
  }

  @Test func `the sphere's shadow is that of Brown and Duda`() throws {
    for azimuth in [-150.0, -90, -40, 0, 40, 90, 150] {
      let found = try responses(1, azimuth: azimuth, frameCount: 2000, lead: 100)
      for ear in 0..<2 {
        let right = sin(azimuth * .pi / 180)
        let theta = acos(ear == 0 ? -right : right)
        let alpha = 1.05 + 0.95 * cos(1.2 * theta)
        for frequency in [100.0, 500, 2000, 8000] {
          // The analogue frequency for this frequency by the bilinear transform.
          let w = 2 * 44_100 * tan(.pi * frequency / 44_100)
          let beta = 2 * 343.3 / 0.0875
          let power = (alpha * alpha * w * w + beta * beta) / (w * w + beta * beta)
          let expected = 10 * log10(power) - 3.0103
          #expect(abs(gain(of: found[ear], at: frequency, sampleRate: 44_100) - expected) < 0.05)
        }
      }
    }
  }

  // MARK: The data set

  /// A measured direction of the installed data set, read with libmysofa alone.
  struct Measured: Sendable {
    var azimuth: Double
    var elevation: Double
    var left: [Float]
    var right: [Float]
  }

  static let measured: [Measured] = {
    var status: Int32 = 0
    guard let set = unsafe mysofa_load("/usr/share/libmysofa/default.sofa", &status) else {
      return []
    }
    defer { unsafe mysofa_free(set) }
    let taps = unsafe Int(set.pointee.N)
    return (0..<(unsafe Int(set.pointee.M))).map { index in
      let position = unsafe set.pointee.SourcePosition.values + 3 * index
      let responses = unsafe set.pointee.DataIR.values + 2 * index * taps
      return Measured(
        azimuth: unsafe -remainder(Double(position[0]), 360),
        elevation: unsafe Double(position[1]),
        left: unsafe Array(UnsafeBufferPointer(start: responses, count: taps)),
        right: unsafe Array(UnsafeBufferPointer(start: responses + taps, count: taps)))
    }
  }()

  @Test func `at a measured direction the response is the data set's`() throws {
    #expect(Self.measured.count == 710)
    for index in stride(from: 0, to: 710, by: 31) {
      let point = Self.measured[index]
      let found = try responses(2, azimuth: point.azimuth, elevation: point.elevation)
      for (ear, expected) in [point.left, point.right].enumerated() {
        let error = zip(found[ear], expected).map { Double($0 - $1) }
        // 90 dB below full scale: the rounding of floats in the transform.
        #expect(peakLevel(error) < -90, "\(point.azimuth)°, \(point.elevation)°, ear \(ear)")
        #expect(found[ear][512...].allSatisfy { abs($0) < 3e-5 })
      }
    }
  }

  @Test(arguments: [32_000.0, 48_000, 96_000])
  func `at other rates the response is heard as it was measured`(rate: Double) throws {
    for index in [123, 356, 500] {
      let point = Self.measured[index]
      let found = try responses(
        2, azimuth: point.azimuth, elevation: point.elevation, rate: rate, frameCount: 1600)
      for (ear, expected) in [point.left, point.right].enumerated() {
        for frequency in [200.0, 1000, 3000, 7000, 12_000] {
          let difference =
            gain(of: found[ear], at: frequency, sampleRate: rate)
            - gain(of: expected, at: frequency, sampleRate: 44_100)
          #expect(abs(difference) < 0.1, "\(frequency) Hz")
        }
      }
    }
  }

  @Test func `between measured directions the response lies between theirs`() throws {
    // At ear height there is a measurement every 5 degrees.
    var dips: [Double] = []
    for azimuth in stride(from: -57.5, to: 180, by: 25) {
      let below = try responses(2, azimuth: azimuth - 2.5)
      let here = try responses(2, azimuth: azimuth)
      let above = try responses(2, azimuth: azimuth + 2.5)
      for ear in 0..<2 {
        let (low, high) = (levels(below[ear]), levels(above[ear]))
        for (index, middle) in levels(here[ear]).enumerated() {
          #expect(middle < max(low[index], high[index]) + 0.5)
          dips.append(max(0, min(low[index], high[index]) - middle))
        }
      }
    }
    // In the shadow of the head, adjacent measurements differ in phase by more than their delay,
    // which causes dips. There are few, and almost none elsewhere.
    #expect(dips.sorted()[dips.count * 9 / 10] < 0.3)
    #expect(dips.reduce(0, +) / Double(dips.count) < 0.3)
  }

  @Test func `a data set that is not there is said to be missing`() throws {
    let unit = try SpatialScene(.init([0], algorithm: 2)).instance()
    let configuration = unit.configuration()
    #expect(Mixer3D.headViolation(configuration) == nil)
    let violation = try #require(
      Mixer3D.headViolation(configuration, path: "/nowhere/default.sofa"))
    #expect(violation.rule.code == "PR0432")
    #expect(violation.status == .failedInitialization)
    #expect(violation.message.contains("'/nowhere/default.sofa': No such file"))
    #expect(violation.help.contains { $0.contains("libmysofa1") })
    var high = configuration
    high.outputs[0].format.sampleRate = 2_000_000
    #expect(Mixer3D.headViolation(high)?.status == .formatNotSupported)
    high.outputs[0].format.sampleRate = 0
    #expect(Mixer3D.headViolation(high) == nil)
    // A mixer that needs no head does not read the data set.
    let other = try SpatialScene(.init([0], algorithm: 1)).instance().configuration()
    #expect(Mixer3D.headViolation(other, path: "/nowhere/default.sofa") == nil)
  }

  // MARK: Movement

  /// The largest fourth difference: a step of height h makes one of 3 h, a corner almost none. A
  /// sine of 500 Hz at full scale has 0.00003.
  private func roughness(_ signal: [Float]) -> Double {
    var largest = 0.0
    for n in 2..<signal.count - 2 {
      let outer = Double(signal[n - 2]) + Double(signal[n + 2])
      let inner = Double(signal[n - 1]) + Double(signal[n + 1])
      largest = max(largest, abs(outer - 4 * inner + 6 * Double(signal[n])))
    }
    return largest
  }

  @Test(arguments: [0, 1, 2, 3, 4] as [UInt32])
  func `a source that circles the head does not click`(algorithm: UInt32) throws {
    let tone = sine(24_000, frequency: 500, sampleRate: 44_100, amplitude: 0.5)
    for flags in [4, 1 | 2 | 4 | 8 | 16] as [UInt32] {
      var scene = SpatialScene(
        .init(
          tone, algorithm: algorithm, parameters: [Parameter.distance: 1],
          properties: [.renderingFlags3DMixer: .uint32(flags)]))
      // Two circles in half a second, with changes of distance and elevation.
      scene.changes = (0..<200).flatMap { step -> [SpatialScene.Change] in
        let turn = Double(step) / 100
        let frame = step * 110 + 1
        return [
          .init(
            frame: frame, element: 0, parameter: Parameter.azimuth,
            value: Float(remainder(turn * 360, 360))),
          .init(
            frame: frame, element: 0, parameter: Parameter.elevation,
            value: Float(30 * sin(turn * 9))),
          .init(
            frame: frame, element: 0, parameter: Parameter.distance,
            value: Float(2 - cos(turn * 5))),
        ]
      }
      let output = try scene.render(20_000)
      for channel in output {
        // The beginning of the sine is a corner.
        #expect(roughness(Array(channel[700...])) < 0.0004)
        #expect(powerLevel(channel[700...]) > -40)
      }
    }
  }

  @Test func `a source that moves in steps is caught`() {
    // The same circle with gains that change once per block.
    let tone = sine(24_000, frequency: 500, sampleRate: 44_100, amplitude: 0.5)
    let stepped = tone.enumerated().map { frame, sample in
      let turn = Double(frame / 416 * 416) / 11_000
      return sample * Float(cos((sin(turn * 2 * .pi) + 1) * .pi / 4))
    }
    #expect(roughness(stepped) > 0.01)
  }
}
