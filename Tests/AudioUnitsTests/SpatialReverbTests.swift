import AudioTypes
import AudioUnits
import Glibc
import TestSupport
import Testing

private typealias Parameter = Mixer3D.Parameter

@Suite struct SpatialReverbTests {
  /// The response to an impulse of 1.
  private func response(
    room: UInt32, blend: Float = 100, frameCount: Int = 30_000, rate: Double = 22_050,
    reverbGain: Float = 0, parameters: [UInt32: Float] = [:], flags: UInt32 = 4
  ) throws -> [[Float]] {
    var impulse = [Float](repeating: 0, count: 64)
    impulse[0] = 1
    var scene = SpatialScene(
      .init(
        impulse, rate: rate, algorithm: 5,
        parameters: [Parameter.reverbBlend: blend].merging(parameters) { $1 },
        properties: [.renderingFlags3DMixer: .uint32(flags)]), rate: rate)
    scene.globals = [.reverbPreset: .uint32(room)]
    scene.reverbGain = reverbGain
    return try scene.render(frameCount)
  }

  private func energy(_ signal: some Sequence<Float>) -> Double {
    signal.reduce(0) { $0 + Double($1) * Double($1) }
  }

  /// The decay time for 60 dB in seconds, from the fall between 5 and 25 dB (ISO 3382), below
  /// `frequency`.
  private func decay(_ response: [Float], under frequency: Double, rate: Double) -> Double {
    var low = response.map(Double.init)
    let p = exp(-2 * Double.pi * frequency / rate)
    for _ in 0..<3 {
      var last = 0.0
      for frame in low.indices {
        last = low[frame] * (1 - p) + last * p
        low[frame] = last
      }
    }
    // Schroeder's integral, from the end.
    var sum = 0.0
    var left = low
    for frame in low.indices.reversed() {
      sum += low[frame] * low[frame]
      left[frame] = sum
    }
    let start = left.firstIndex { $0 < sum * pow(10, -0.5) } ?? 0
    let end = left.firstIndex { $0 < sum * pow(10, -2.5) } ?? 0
    return Double(end - start) / rate * 3
  }

  @Test(arguments: [(0, 0.4), (1, 0.7), (2, 1.1), (5, 1.6)] as [(UInt32, Double)])
  func `a room falls by 60 dB in its decay time`(room: UInt32, expected: Double) throws {
    let output = try response(room: room, frameCount: Int(expected * 0.8 * 22_050))
    for channel in output {
      let found = decay(channel, under: 300, rate: 22_050)
      #expect(abs(found / expected - 1) < 0.15, "\(found) s")
    }
  }

  @Test func `a room is as loud as what comes in, and different at both ears`() throws {
    for room in [0, 1, 5, 6] as [UInt32] {
      let output = try response(room: room)
      #expect(abs(decibels(power: energy(output[0]) + energy(output[1]))) < 2)
      let balance = decibels(power: energy(output[0])) - decibels(power: energy(output[1]))
      #expect(abs(balance) < 1.5)
      var product = 0.0
      for (left, right) in zip(output[0], output[1]) { product += Double(left) * Double(right) }
      #expect(abs(product) / (energy(output[0]) * energy(output[1])).squareRoot() < 0.2)
    }
  }

  @Test func `the blend keeps the power, and the gain of the room is its own`() throws {
    let half = try response(room: 0, blend: 50)
    // The direct sound is one frame.
    #expect(abs(decibels(power: Double(half[0][0] * half[0][0])) + 3.0103) < 0.01)
    let all = try response(room: 0)
    #expect(all[0][0] == 0)
    let louder = try response(room: 0, reverbGain: 12)
    #expect(
      abs(decibels(power: energy(louder[0])) - decibels(power: energy(all[0])) - 12) < 0.01)
    let none = try response(room: 0, blend: 0, frameCount: 3000)
    #expect(none[0][0] == 1)
    #expect(none[0][1...].allSatisfy { $0 == 0 })
  }

  @Test func `distance leaves more of the room than of the source, unless the blend is constant`()
    throws
  {
    let near = try response(room: 0)
    for (flags, expected) in [(4, -20.0), (4 | 64, -40)] as [(UInt32, Double)] {
      let far = try response(room: 0, parameters: [Parameter.distance: 100], flags: flags)
      let found = decibels(power: energy(far[0])) - decibels(power: energy(near[0]))
      #expect(abs(found - expected) < 0.05)
    }
  }

  @Test func `occlusion dulls the room, obstruction does not`() throws {
    let open = try response(room: 0)
    let hidden = try response(room: 0, parameters: [Parameter.obstructionAttenuation: -30])
    expectSame(hidden, open)
    let walled = try response(room: 0, parameters: [Parameter.occlusionAttenuation: -12])
    let change =
      gain(of: walled[0], at: 5000, sampleRate: 22_050)
      - gain(of: open[0], at: 5000, sampleRate: 22_050)
    #expect(abs(change + 12) < 0.1)
  }

  @Test func `without the internal reverb there is none`() throws {
    var scene = SpatialScene(
      .init(noise(4000, seed: 1), algorithm: 5, parameters: [Parameter.reverbBlend: 100]))
    scene.globals = [.usesInternalReverb: .uint32(0)]
    let output = try scene.render(8000)
    #expect(output.allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test(arguments: 0...12 as ClosedRange<UInt32>)
  func `every room is finite, and falls`(room: UInt32) throws {
    let output = try response(room: room, frameCount: 12_000, rate: 8000)
    for channel in output {
      #expect(channel.allSatisfy { $0.isFinite && abs($0) < 1 })
      #expect(energy(channel[8000...]) < energy(channel[..<4000]) / 2)
    }
  }

  @Test func `another room fades the last one out and does not click`() throws {
    let tone = sine(30_000, frequency: 300, sampleRate: 22_050, amplitude: 0.5)
    var scene = SpatialScene(
      .init(tone, rate: 22_050, algorithm: 5, parameters: [Parameter.reverbBlend: 100]),
      rate: 22_050)
    scene.globals = [.reverbPreset: .uint32(0)]
    scene.globalChanges = [.init(frame: 9001, property: .reverbPreset, value: .uint32(5))]
    let output = try scene.render(20_000)
    for channel in output {
      for frame in 8000..<20_000 {
        // A sine of 300 Hz at twice full scale changes by up to 0.17 per frame.
        #expect(abs(channel[frame] - channel[frame - 1]) < 0.17)
      }
      #expect(powerLevel(channel[18_000...]) > -30)
    }
  }
}
