public import AudioTypes
public import RenderCore

/// Plays a period in a loop, on one channel or on all.
public struct ToneCallback: RenderCallback {
  private let samples: [Float]
  private let channel: Int?

  /// - Parameters:
  ///   - samples: A period, at the rate of the bus.
  ///   - channel: The channel; `nil` for all.
  public init(_ samples: [Float], channel: Int? = nil) {
    self.samples = samples
    self.channel = channel
  }

  public func duration(for format: StreamFormat) -> Int? { nil }

  public func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    RenderSource(kernel: .holding(ToneKernel(samples, channel: channel ?? -1)))
  }
}

struct ToneKernel: RenderKernel, ~Copyable {
  private let samples: SampleStorage
  private let length: Int
  /// -1 for all.
  private let channel: Int
  private var position = 0

  init(_ samples: [Float], channel: Int) {
    self.samples = SampleStorage(samples)
    length = samples.count
    self.channel = channel
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var next = position
    for row in 0..<output.channelCount {
      let buffer = output[row]
      next = position
      let isHeard = channel < 0 || channel == row
      for frame in 0..<context.frameCount {
        buffer[frame] = isHeard ? samples[next] : 0
        next = next + 1 == length ? 0 : next + 1
      }
    }
    position = next
    return .ok
  }
}
