import AudioTypes
public import RenderCore
public import Testing

/// How a render is divided into slices. The output of a kernel must not depend on it.
public struct Slicing: CustomTestStringConvertible, Hashable, Sendable {
  /// Slice lengths in frames; the last one repeats.
  public var frameCounts: [Int]

  public init(_ frameCounts: [Int]) { self.frameCounts = frameCounts }

  public var testDescription: String { "slices of \(frameCounts.prefix(8))" }

  /// Single frames, even slices, odd lengths, long slices, and random ones.
  public static let every = [
    Slicing([4096]), Slicing([1]), Slicing([64]), Slicing([333]), Slicing([1024]),
    Slicing([1, 127, 3, 253, 128]), random(seed: 1), random(seed: 2),
  ]

  /// Random lengths from 1 to 4096 with uniformly distributed magnitudes.
  public static func random(seed: UInt64) -> Slicing {
    var generator = SplitMix64(seed: seed)
    return Slicing(
      (0..<512).map { _ in
        Int.random(in: 1...(1 << Int.random(in: 0...12, using: &generator)), using: &generator)
      })
  }

  /// The slices of `total` frames.
  public func cut(_ total: Int) -> [Int] {
    var rest = total
    var slices: [Int] = []
    while rest > 0 {
      let next = min(rest, frameCounts[min(slices.count, frameCounts.count - 1)])
      slices.append(next)
      rest -= next
    }
    return slices
  }
}

/// A small seeded generator (Steele, Lea and Flood 2014), so that a failing case can be repeated.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Renders a single kernel and returns its output: outputs, channels, frames.
///
/// - Parameters:
///   - inputs: The channels of each input element, with at least `frameCount` frames.
///   - outputChannelCounts: The number of channels of each output element.
///   - before: Called before each slice with the index of its first frame.
public func render(
  _ kernel: KernelBox, inputs: [[[Float]]] = [], outputChannelCounts: [Int], frameCount: Int,
  slicing: Slicing = Slicing([1024]), element: Int = 0, before: (Int) -> Void = { _ in }
) -> [[[Float]]] {
  let inputCount = inputs.count
  let plan = RenderPlan(
    rows: [
      .init(
        kernel: kernel, inputs: Array(0..<inputCount),
        outputs: Array(inputCount..<inputCount + outputChannelCounts.count), element: element)
    ],
    busChannelCounts: inputs.map(\.count) + outputChannelCounts, maximumFramesPerSlice: 4096)
  var outputs = outputChannelCounts.map { Array(repeating: [Float](), count: $0) }
  var position = 0
  for slice in slicing.cut(frameCount) {
    before(position)
    for (element, channels) in inputs.enumerated() {
      let bus = plan.bus(element, frameCount: slice)
      bus.markSounding()
      for (channel, samples) in channels.enumerated() {
        for frame in 0..<slice { bus[channel][frame] = samples[position + frame] }
      }
    }
    var status = Status.ok
    let heapCalls = allocations {
      status = plan.render(frameCount: slice, at: TimeStamp(sampleTime: Double(position)))
    }
    #expect(status == .ok)
    #expect(heapCalls == 0, "the render thread made heap calls")
    for element in outputs.indices {
      let bus = plan.bus(inputCount + element, frameCount: slice)
      for channel in outputs[element].indices {
        outputs[element][channel] += bus[channel].indices.map { bus[channel][$0] }
      }
    }
    position += slice
  }
  return outputs
}
