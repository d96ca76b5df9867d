public import AudioTypes
public import RenderCore

/// Passes the frames of a bus to the program, on the service thread.
public struct FrameTap: RenderTap {
  /// Takes `frameCount` interleaved frames, where 1 is full scale and samples that are not finite
  /// are 0. Called by one thread at a time.
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

/// `@unchecked Sendable`: a host makes one call at a time, as `RenderService` demands.
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
