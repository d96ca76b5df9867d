public import AudioTypes
public import RenderCore

/// Hands what is on a bus to a program, beside the render thread.
public struct FrameTap: RenderTap {
  /// Takes frames, channel beside channel, full scale being 1, and how many they are. Called by one
  /// thread at a time; what is not a finite number comes as 0.
  public typealias Body = @Sendable (_ samples: [Double], _ frameCount: Int) -> Void

  private let body: Body

  public init(_ body: @escaping Body) { self.body = body }

  public func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSink(kernel: feed.makeKernel(), service: FrameService(feed: feed, body: body))
  }
}

/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says.
private final class FrameService: RenderService, @unchecked Sendable {
  private let feed: FrameFeed
  private let body: FrameTap.Body
  private var samples: [Double]

  init(feed: FrameFeed, body: @escaping FrameTap.Body) {
    self.feed = feed
    self.body = body
    samples = [Double](repeating: 0, count: FrameFeed.block * feed.channelCount)
  }

  var lostFrames: Int { feed.lostFrames }

  func service(atLeast frameCount: Int) throws(ServiceError) { drain() }

  func finish() throws(ServiceError) { drain() }

  private func drain() {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      feed.read(count, into: &samples)
      feed.discard(count)
      body(samples, count)
    }
  }
}
