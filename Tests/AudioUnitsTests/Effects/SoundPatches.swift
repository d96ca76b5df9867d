import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Sound and silence by turns, of random lengths, with one silence that outlasts every memory of a
/// unit at 8 kHz.
struct SoundPatches {
  static let longSilence = 26_000

  let channels: [[Float]]
  let count: Int

  init(channels channelCount: Int, seed: UInt64, longSilence: Int = SoundPatches.longSilence) {
    var generator = SplitMix64(seed: seed)
    var channels = [[Float]](repeating: [], count: channelCount)
    for patch in 0..<12 {
      let length = Int.random(
        in: 1...(1 << Int.random(in: 0...11, using: &generator)), using: &generator)
      let silence =
        patch == 7
        ? longSilence
        : Int.random(in: 1...(1 << Int.random(in: 0...12, using: &generator)), using: &generator)
      let amplitude = Float.random(in: 0...1.5, using: &generator)
      for channel in channels.indices {
        channels[channel] += noise(length, amplitude: amplitude, seed: generator.next())
        channels[channel] += [Float](repeating: 0, count: silence)
      }
    }
    self.channels = channels
    count = channels[0].count
  }
}

/// What came of a render of patches.
struct PatchResult {
  var channels: [[Float]]
  /// The frames of slices that were marked as silent.
  var silentFrames = 0
}

/// Renders a kernel whose inputs are marked as silent where they are, or nowhere.
///
/// - Parameters:
///   - cuts: The first frame of every slice but the first, and the end.
///   - before: Called before each slice with its first frame.
func renderPatches(
  _ kernel: KernelBox, inputs: [[[Float]]], marks: Bool, isInPlace: Bool = false, cuts: [Int],
  before: (Int) -> Void = { _ in }
) -> PatchResult {
  let outputBus = isInPlace ? 0 : inputs.count
  let plan = RenderPlan(
    rows: [.init(kernel: kernel, inputs: Array(0..<inputs.count), outputs: [outputBus])],
    busChannelCounts: inputs.map(\.count) + [inputs[0].count], maximumFramesPerSlice: 4096)
  var result = PatchResult(channels: [[Float]](repeating: [], count: inputs[0].count))
  var first = 0
  for end in cuts {
    before(first)
    for (element, channels) in inputs.enumerated() {
      let bus = plan.bus(element, frameCount: end - first)
      bus.markSounding()
      var isSilent = marks
      for (channel, samples) in channels.enumerated() {
        for frame in first..<end {
          bus[channel][frame - first] = samples[frame]
          if samples[frame].bitPattern != 0 { isSilent = false }
        }
      }
      if isSilent { bus.markSilent() }
    }
    var status = Status.ok
    let heapCalls = allocations {
      status = plan.render(frameCount: end - first, at: TimeStamp(sampleTime: Double(first)))
    }
    #expect(status == .ok)
    #expect(heapCalls == 0, "the render thread made heap calls")
    let bus = plan.bus(outputBus, frameCount: end - first)
    if bus.isSilent { result.silentFrames += end - first }
    for channel in result.channels.indices {
      let samples = bus[channel].indices.map { bus[channel][$0] }
      if bus.isSilent { #expect(samples.allSatisfy { $0.bitPattern == 0 }) }
      result.channels[channel] += samples
    }
    first = end
  }
  return result
}

/// The ends of the slices of a render that is also cut at some frames.
func cuts(_ count: Int, _ slicing: Slicing, at frames: some Sequence<Int>) -> [Int] {
  let ends = slicing.cut(count).reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
  return Set(ends + frames).filter { $0 > 0 && $0 <= count }.sorted()
}

/// Outputs patches on request, marked as silent where they are, or nowhere.
struct PatchSource: RenderKernel, ~Copyable {
  private let samples: SampleStorage
  private let length: Int
  private let marks: Bool

  init(_ patches: SoundPatches, marks: Bool) {
    samples = SampleStorage(patches.channels.flatMap { $0 })
    length = patches.count
    self.marks = marks
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let first = Int(context.timeStamp.sampleTime)
    var isSilent = marks
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        let place = first + frame
        let sample: Float = place < length ? samples[channel * length + place] : 0
        output[channel][frame] = sample
        if sample != 0 { isSilent = false }
      }
    }
    if isSilent { output.markSilent() }
    return .ok
  }
}
