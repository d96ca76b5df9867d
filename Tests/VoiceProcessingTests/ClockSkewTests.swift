import RenderCore
import TestSupport
import Testing

@testable import VoiceProcessing

/// Two clocks with different speeds.
@Suite struct ClockSkewTests {
  @Test func `clocks that differ by 200 millionths are brought into step`() {
    var skew = ClockSkew(hop: 128, sampleRate: 16_000)
    let far = SampleStorage(repeating: 0, count: 128)
    var late = 0.0
    var moved = 0
    for _ in 0..<1500 {
      // The echo gets later by 200 ppm of each frame. The reading position follows by `rate`, and a
      // filter compensates the remainder within some 20 hops.
      late += 128 * (0.0002 - skew.rate)
      let lateness = late
      late *= 0.95
      _ = skew.compensate(far.buffer(at: 0, count: 128))
      skew.note(lateness: Float(lateness), variance: 0.0001)
      if let lack = skew.missingLag {
        skew.increaseLag(by: lack.upperBound)
        moved += lack.upperBound
      }
    }
    let isOn = skew.isCompensating
    #expect(isOn)
    #expect(moved == 6)
    let rate = skew.rate
    #expect(abs(rate - 0.0002) < 0.000005)
  }

  @Test(arguments: [8000.0, 16_000, 48_000])
  func `clocks whose difference no hop shows by itself are brought into step`(rate: Double) {
    let hop = VoiceProcessor.hop(sampleRate: rate)
    var skew = ClockSkew(hop: hop, sampleRate: rate)
    let far = SampleStorage(repeating: 0, count: hop)
    let scale = Float(rate / 16_000)
    var random = SplitMix64(seed: 33)
    var late = 0.0
    for _ in 0..<3000 {
      late += Double(hop) * (-0.0002 - skew.rate)
      let lateness = late
      late *= 0.95
      _ = skew.compensate(far.buffer(at: 0, count: hop))
      // Each hop is off by half a frame at 16 kHz.
      skew.note(
        lateness: Float(lateness) + 0.5 * scale * Float(random.normal()),
        variance: 0.25 * scale * scale)
      if let lack = skew.missingLag { skew.increaseLag(by: lack.upperBound) }
    }
    let isOn = skew.isCompensating
    #expect(isOn)
    let found = skew.rate
    #expect(abs(found + 0.0002) < 0.00003)
  }

  @Test func `clocks that agree are left alone, whatever chance has a hop look like`() {
    var random = SplitMix64(seed: 34)
    // Sure of little, of some, and of much.
    for deviation in [Float(0.5), 0.2, 0.02] {
      var skew = ClockSkew(hop: 128, sampleRate: 16_000)
      // Ten minutes.
      for _ in 0..<75_000 {
        skew.note(
          lateness: deviation * Float(random.normal()), variance: deviation * deviation)
      }
      let isOn = skew.isCompensating
      #expect(!isOn)
    }
  }

  @Test func `a fraction of a frame is read between the frames`() {
    var skew = ClockSkew(hop: 128, sampleRate: 16_000)
    let far = SampleStorage(repeating: 0, count: 128)
    // First late, then without skew: it begins to read a whole number of frames late.
    for _ in 0..<200 { skew.note(lateness: 1, variance: 0.0001) }
    if let lack = skew.missingLag { skew.increaseLag(by: lack.upperBound) }
    let isOn = skew.isCompensating
    #expect(isOn)
    var worst: Float = 0
    var lag = 6.0
    for hop in 0..<400 {
      let rate = skew.rate
      for index in 0..<128 {
        far[index] = Float(renderSine(0.2 * Double(hop * 128 + index)))
      }
      _ = skew.compensate(far.buffer(at: 0, count: 128))
      for index in 0..<128 {
        lag += rate
        guard hop > 2 else { continue }
        let expected = Float(renderSine(0.2 * (Double(hop * 128 + index) - lag)))
        worst = max(worst, abs(far[index] - expected))
      }
    }
    // 40 dB below the tone.
    #expect(worst < 0.01)
  }

  @Test func `an echo stays taken out when what is played is read later`() {
    let hop = 128
    let shift = 40
    var random = SplitMix64(seed: 31)
    let played = (0..<(400 * hop)).map { _ in Float(0.1 * random.even()) }
    // 60 frames without an echo, then about 70 ms of a room.
    let response = (0..<1200).map { index in
      index < 60 ? 0 : Float(random.even() * renderExp(-0.006 * Double(index - 60)))
    }
    let echo = Room.convolve(played, response)
    var canceller = EchoCanceller(hop: hop, sampleRate: 16_000, length: 16)
    let memory = SampleStorage(repeating: 0, count: 2 * hop)
    let (far, near) = (memory.buffer(at: 0, count: hop), memory.buffer(at: hop, count: hop))
    /// The remaining share of the echo over some hops.
    func left(_ hops: Range<Int>, late: Int) -> Float {
      var (rest, whole) = (Float(0), Float(0))
      for start in hops.map({ $0 * hop }) {
        for index in 0..<hop {
          far[index] = start + index < late ? 0 : played[start + index - late]
          near[index] = echo[start + index]
        }
        canceller.model(loudspeaker: far, microphone: near)
        for index in 0..<hop {
          let error = near[index] - canceller.echo(.main)[index]
          rest += error * error
          whole += near[index] * near[index]
        }
      }
      return rest / whole
    }
    _ = left(0..<300, late: 0)
    let before = left(300..<320, late: 0)
    #expect(before < 1e-4)
    let silence = canceller.leadingSilence(atMost: 100)
    #expect(silence >= 55 && silence <= 64)
    canceller.delayPlayed(by: shift)
    #expect(left(320..<330, late: shift) < 5e-3)
    #expect(left(330..<400, late: shift) < 2 * before + 1e-6)
  }

  @Test func `an echo that comes ever earlier is taken out all the time`() {
    // The reading position is moved back again and again, by no more than the echo is late.
    var scene = Conversation()
    var random = SplitMix64(seed: 32)
    let count = 11 * 16_000
    scene.loudspeaker = (0..<count).map { _ in Float(0.05 * random.even()) }
    let response = (0..<700).map { index in
      index < 80 ? 0 : Float(random.even() * renderExp(-0.01 * Double(index - 80)))
    }
    let echo = Room.convolve(scene.loudspeaker, response)
    // By 250 ppm: 44 frames in total.
    scene.microphone = Self.hurried(echo, by: 250e-6)
    scene.near = scene.microphone.map { _ in 0 }
    let output = scene.restored()
    for second in 3..<10 {
      #expect(scene.enhancement(output, Double(second)..<(Double(second) + 1)) >= 25)
    }
  }

  /// A signal read faster, with a sinc of 16 samples.
  private static func hurried(_ samples: [Float], by speed: Double) -> [Float] {
    samples.indices.map { index in
      let place = Double(index) * (1 + speed)
      let whole = Int(place)
      var sum = 0.0
      for tap in (whole - 7)...(whole + 8) where tap >= 0 && tap < samples.count {
        let offset = Double.pi * (place - Double(tap))
        let sinc = offset == 0 ? 1 : renderSine(offset) / offset
        sum += Double(samples[tap]) * sinc * 0.5 * (1 + renderCosine(offset / 8.5))
      }
      return Float(sum)
    }
  }

  @Test
  func `what is played is read later by as much as is asked for, and only where it has to be`() {
    var skew = ClockSkew(hop: 128, sampleRate: 16_000)
    let far = SampleStorage(repeating: 0, count: 128)
    #expect(skew.missingLag == nil)
    for _ in 0..<200 { skew.note(lateness: -1, variance: 0.0001) }
    // Six taps, and 4 to 32 frames for an echo that gets earlier.
    #expect(skew.missingLag == 10...38)
    skew.increaseLag(by: 10)
    var turns = 0
    for _ in 0..<400 {
      skew.note(lateness: -0.5, variance: 0.0001)
      _ = skew.compensate(far.buffer(at: 0, count: 128))
      if let lack = skew.missingLag {
        #expect(lack == 4...32)
        skew.increaseLag(by: lack.lowerBound)
        turns += 1
      }
    }
    #expect(turns > 3)
  }
}
