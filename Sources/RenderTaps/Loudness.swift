public import AudioTypes
public import RenderCore
import Synchronization

/// Measures the loudness of a bus by EBU R 128: ITU-R BS.1770-4 with the meters of EBU Tech 3341
/// and the loudness range of EBU Tech 3342.
///
/// The render thread only passes the frames on; libebur128 measures them on the service thread.
/// Samples that are not finite count as silence.
public struct LoudnessTap: RenderTap {
  public static let description = TapDescription(
    kind: "loudness",
    summary:
      "Reads the loudness by EBU R 128: momentary, short-term and integrated, its range, and "
      + "the true peak.",
    settings: [
      SettingInfo(
        "dualMono", .boolean, defaultValue: .boolean(false),
        summary: "Whether a bus of one channel counts as two that play the same: 3.01 LU louder.")
    ],
    make: { values, _ in
      var tap = LoudnessTap()
      if case .boolean(let dualMono) = values["dualMono"] { tap.dualMono = dualMono }
      return tap
    })

  /// Whether a mono bus counts as two equal channels.
  public var dualMono: Bool

  public init(dualMono: Bool = false) { self.dualMono = dualMono }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    if !(1...LoudnessState.mostChannels).contains(format.channelCount) {
      return [
        CallbackProblem(
          .formatNotSupported, status: .formatNotSupported,
          "loudness is defined for 1 to \(LoudnessState.mostChannels) channels; the bus has "
            + "\(format.channelCount)",
          help: "watch a bus of fewer channels, such as the output of a mixer")
      ]
    }
    guard LoudnessState.rates.contains(format.sampleRate) else {
      return [
        CallbackProblem(
          .formatNotSupported, status: .formatNotSupported,
          "loudness is measured at \(rateText(LoudnessState.rates.lowerBound)) to "
            + "\(rateText(LoudnessState.rates.upperBound)) Hz; the bus has "
            + "\(rateText(format.sampleRate)) Hz",
          help: "watch a bus behind a FormatConverter")
      ]
    }
    return []
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    guard let state = LoudnessState(format, dualMono: dualMono) else {
      throw CallbackProblem(
        .formatNotSupported, status: .failedInitialization,
        LoudnessState.refusal)
    }
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    let service = LoudnessService(feed: feed, state: state)
    return RenderSink(kernel: feed.makeKernel(), service: service, reader: service)
  }
}

// MARK: - Beside the render thread

/// Takes frames from a feed and measures them. Any thread but the render thread may read it.
final class LoudnessService: FeedService, TapReader {
  private struct Work: ~Copyable {
    var state: LoudnessState
    var samples: [Double]
    var isOutOfMemory = false
  }

  let feed: FrameFeed
  private let work: Mutex<Work>

  init(feed: FrameFeed, state: consuming sending LoudnessState) {
    self.feed = feed
    work = Mutex(
      Work(
        state: state,
        samples: [Double](repeating: 0, count: FrameFeed.block * feed.channelCount)))
  }

  /// Includes all frames written so far, even if the service has not been called for them.
  var reading: TapReading {
    work.withLock { work in
      drain(&work)
      return .loudness(work.state.reading)
    }
  }

  func drain() throws(ServiceError) {
    try work.withLock { work throws(ServiceError) in
      drain(&work)
      if work.isOutOfMemory {
        throw ServiceError("there is no memory left to measure loudness in")
      }
    }
  }

  private func drain(_ work: inout Work) {
    while !work.isOutOfMemory, case let count = min(feed.available, FrameFeed.block), count > 0 {
      feed.read(count, into: &work.samples)
      feed.discard(count)
      work.isOutOfMemory = !work.state.add(work.samples, frameCount: count)
    }
  }
}
