public import AudioTypes
public import RenderCore

/// Passes the samples of a bus to the program unchanged, on the service thread: also those that are
/// not finite, which `FrameTap` replaces by 0.
public struct SampleTap: RenderTap {
  /// Takes the first `count` samples of an interleaved array, where 1 is full scale. Called by one
  /// thread at a time.
  public typealias Body = @Sendable (_ samples: [Float], _ count: Int) -> Void

  private let body: Body

  public init(_ body: @escaping Body) { self.body = body }

  public func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSink(kernel: feed.makeKernel(), service: SampleService(feed: feed, body: body))
  }
}

/// `@unchecked Sendable`: a host makes one call at a time, as `RenderService` demands.
private final class SampleService: RenderService, @unchecked Sendable {
  private let feed: FrameFeed
  private let body: SampleTap.Body
  private var samples: [Float]

  init(feed: FrameFeed, body: @escaping SampleTap.Body) {
    self.feed = feed
    self.body = body
    samples = [Float](repeating: 0, count: FrameFeed.block * feed.channelCount)
  }

  var lostFrames: Int { feed.lostFrames }

  func service(atLeast frameCount: Int) throws(ServiceError) { drain() }

  func finish() throws(ServiceError) { drain() }

  private func drain() {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      feed.readAll(count, into: &samples)
      feed.discard(count)
      body(samples, count * feed.channelCount)
    }
  }
}
