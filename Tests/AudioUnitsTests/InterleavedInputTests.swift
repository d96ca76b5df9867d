import AudioTypes
import RenderCore
import TestSupport
import Testing

@testable import AudioUnits

@Suite struct InterleavedInputTests {
  private typealias Parameter = MultichannelMixer.Parameter
  private static let frames = 12_000

  private struct Scene {
    var samples: [[UInt32]] = []
    /// Whether the first input showed interleaved frames in each slice.
    var wasInterleaved: [Bool] = []
    var finiteFrames: [Int] = []
  }

  /// Renders a mixer of three stereo inputs, two of them from rings: one has its frames outside.
  private func mix(lends: Bool, slice: Int, infinity: Bool = false) -> Scene {
    var first = noise(2 * Self.frames, seed: 1)
    let (second, third) = (noise(2 * Self.frames, seed: 2), noise(2 * Self.frames, seed: 3))
    if infinity { first[9000] = .infinity }
    let rings = (0..<2).map { _ in
      FrameRing(channelCount: 2, minimumCapacity: Self.frames, isInterleaved: true)
    }
    let memory = StoredFloats(first)
    unsafe rings[0].commit(
      outside: memory.samples.baseAddress!, frameCount: Self.frames, owner: memory)
    let space = unsafe rings[1].access.space(for: Self.frames)
    _ = unsafe space.update(from: second)
    rings[1].access.commit(Self.frames)
    let controls = ControlLayout(MultichannelMixer.description, inputCount: 3, outputCount: 1)
    let mixer = MixerKernel(
      sampleRate: 48_000, inputChannelCounts: [2, 2, 2], controls: controls)
    let plan = RenderPlan(
      rows: rings.indices.map { index in
        .init(
          kernel: .lending(
            RingForward(rings[index].access, lends: lends), isNearlyFree: false,
            with: rings[index]), inputs: [], outputs: [index])
      } + [.init(kernel: .holding(mixer, with: controls.block), inputs: [0, 1, 2], outputs: [3])],
      busChannelCounts: [2, 2, 2, 2], maximumFramesPerSlice: slice, keeping: [2, 3])
    var scene = Scene(samples: [[], []])
    var frame = 0
    while frame < Self.frames {
      // A slice ends where something changes.
      let count = min(slice, 3000 - frame % 3000)
      switch frame {
      case 3000: Self.set(Parameter.volume, 0, 0.3, controls)
      case 6000: Self.set(Parameter.pan, 1, -0.4, controls)
      case 9000: Self.set(Parameter.enable, 0, 0, controls)
      default: break
      }
      let other = plan.bus(2, frameCount: count)
      other.markSounding()
      for index in 0..<count {
        other[0][index] = third[2 * (frame + index)]
        other[1][index] = third[2 * (frame + index) + 1]
      }
      #expect(plan.render(frameCount: count, at: TimeStamp(sampleTime: Double(frame))) == .ok)
      scene.wasInterleaved.append(plan.bus(0, frameCount: count).isInterleaved)
      scene.finiteFrames.append(rings[0].finiteFrames)
      let output = plan.bus(3, frameCount: count)
      for channel in 0..<2 {
        scene.samples[channel] += (0..<count).map { output[channel][$0].bitPattern }
      }
      frame += count
    }
    return scene
  }

  private static func set(
    _ parameter: UInt32, _ element: Int, _ value: Float, _ controls: ControlLayout
  ) {
    guard let slot = controls.slot(parameter, .input, element) else {
      preconditionFailure("the mixer has the parameter")
    }
    controls.block[slot] = value
  }

  @Test(arguments: [64, 100, 512])
  func `a mixer mixes interleaved frames to the same bits, while its gains move as well`(
    slice: Int
  ) {
    let lent = mix(lends: true, slice: slice)
    #expect(lent.samples == mix(lends: false, slice: slice).samples)
    #expect(lent.samples == mix(lends: true, slice: 333).samples)
    // While gains move the channels are taken apart, and after that no more.
    #expect(lent.wasInterleaved.contains(true) && lent.wasInterleaved.contains(false))
  }

  @Test func `a mixer tells that the frames it has read are finite, and of others nothing`() {
    let found = mix(lends: true, slice: 512)
    #expect(found.finiteFrames.last! > 6000 && found.finiteFrames.last! < 9000)
    let infinite = mix(lends: true, slice: 512, infinity: true)
    #expect(infinite.finiteFrames.last == found.finiteFrames.last! - 512)
    #expect(mix(lends: false, slice: 512).finiteFrames.last == 0)
  }
}
