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
    BlockService.sink(format, maximumFramesPerSlice) { feed in
      var samples = [Double](repeating: 0, count: FrameFeed.block * feed.channelCount)
      return { [body] count in
        feed.read(count, into: &samples)
        feed.discard(count)
        body(samples, count)
      }
    }
  }
}

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
    BlockService.sink(format, maximumFramesPerSlice) { feed in
      var samples = [Float](repeating: 0, count: FrameFeed.block * feed.channelCount)
      return { [body] count in
        feed.readAll(count, into: &samples)
        feed.discard(count)
        body(samples, count * feed.channelCount)
      }
    }
  }
}

/// Passes the frames of a feed on in blocks.
///
/// `@unchecked Sendable`: a host makes one call at a time, as `RenderService` demands.
private final class BlockService: RenderService, @unchecked Sendable {
  private let feed: FrameFeed
  private let take: (_ frameCount: Int) -> Void

  /// - Parameter take: Returns the function that takes frames out of the feed.
  static func sink(
    _ format: StreamFormat, _ maximumFramesPerSlice: Int,
    taking take: (FrameFeed) -> (_ frameCount: Int) -> Void
  ) -> RenderSink {
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSink(
      kernel: feed.makeKernel(), service: BlockService(feed, taking: take(feed)))
  }

  private init(_ feed: FrameFeed, taking take: @escaping (_ frameCount: Int) -> Void) {
    self.feed = feed
    self.take = take
  }

  var lostFrames: Int { feed.lostFrames }

  func service(atLeast frameCount: Int) throws(ServiceError) { drain() }

  func finish() throws(ServiceError) { drain() }

  private func drain() {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      take(count)
    }
  }
}
