public import AudioTypes
public import RenderCore
import Synchronization

/// Measures the spectrum of a bus.
///
/// The render thread only passes the frames on. The service thread windows and transforms stretches
/// of `size` frames, the first from the first frame on, each next one `size` times (1 - `overlap`)
/// frames later. Samples that are not finite count as silence.
public struct SpectrumTap: RenderTap {
  package static let sizes = 64...65_536

  public static let description = TapDescription(
    kind: "spectrum",
    summary: "Reads which frequencies there are: the amplitude of a sine in each bin, in dBFS.",
    settings: [
      SettingInfo(
        "size", .integer(sizes), unit: .sampleFrames, defaultValue: .number(4096),
        summary:
          "How many frames a spectrum is made of: even, with no prime factor but 2, 3 and 5. "
          + "From bin to bin it is the sample rate divided by this."),
      SettingInfo(
        "window", .choice(SpectrumWindow.allCases.map(\.rawValue)),
        defaultValue: .text(SpectrumWindow.hann.rawValue),
        summary:
          "What they are seen through. A sine halfway between two bins reads too low by 3.9 dB "
          + "(rectangular), 1.8 (hamming), 1.4 (hann), 0.8 (blackmanHarris) or 0.01 (flatTop), and "
          + "is the broader the less that is."),
      SettingInfo(
        "overlap", .number(0...0.95), unit: .generic, defaultValue: .number(0.5),
        summary: "How much of a spectrum's frames the next one has, too."),
      SettingInfo(
        "averaging", .number(0...3600), unit: .seconds, defaultValue: .number(0),
        summary:
          "The time constant of a running average of the power; 0 for the last spectrum alone."),
      SettingInfo(
        "channel", .integer(0...1023),
        summary: "Of which channel, from 0; not given, the mean power of all."),
    ],
    make: { values, _ in
      var tap = SpectrumTap()
      if case .number(let size) = values["size"] { tap.size = Int(size) }
      if case .text(let name) = values["window"] {
        tap.window = SpectrumWindow(rawValue: name) ?? .hann
      }
      if case .number(let overlap) = values["overlap"] { tap.overlap = overlap }
      if case .number(let averaging) = values["averaging"] { tap.averaging = averaging }
      if case .number(let channel) = values["channel"] { tap.channel = Int(channel) }
      return tap
    })

  /// The frames of a spectrum, from 64 to 65,536: even, with no prime factors but 2, 3 and 5.
  public var size: Int
  /// The window applied before the transform.
  public var window: SpectrumWindow
  /// The share of frames that two successive spectra have in common, from 0 to 0.95.
  public var overlap: Double
  /// The time constant of the running average, in seconds; 0 for none.
  public var averaging: Double
  /// The channel, from 0; `nil` for the mean power of all channels.
  public var channel: Int?

  public init(
    size: Int = 4096, window: SpectrumWindow = .hann, overlap: Double = 0.5, averaging: Double = 0,
    channel: Int? = nil
  ) {
    self.size = size
    self.window = window
    self.overlap = overlap
    self.averaging = averaging
    self.channel = channel
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var values: [String: SettingValue] = [
      "size": .number(Double(size)), "overlap": .number(overlap), "averaging": .number(averaging),
    ]
    values["channel"] = channel.map { .number(Double($0)) }
    var found = Self.description.problems(with: values)
    if let problem = Self.problem(ofSize: size) { found.append(problem) }
    if let problem = channelProblem(channel, of: format) { found.append(problem) }
    return found
  }

  /// Why a size in range is not supported; `nil` where it is.
  package static func problem(ofSize size: Int) -> CallbackProblem? {
    guard sizes.contains(size), !isGood(size) else { return nil }
    let near = [nearest(size, -1), nearest(size, 1)].compactMap(\.self)
    return CallbackProblem(
      .badSetting, status: .parameterError,
      "a spectrum of \(size) frames would be slow: its size must be even, with no prime factor "
        + "but 2, 3 and 5",
      help: "near by there \(near.count == 1 ? "is" : "are") "
        + near.map(String.init).joined(separator: " and "),
      setting: "size")
  }

  private static func isGood(_ size: Int) -> Bool {
    size % 2 == 0 && RealFFT.hasSmallFactors(size)
  }

  /// The next supported size below or above; `nil` for none.
  private static func nearest(_ size: Int, _ step: Int) -> Int? {
    var size = size
    while sizes.contains(size), !isGood(size) { size += step }
    return sizes.contains(size) ? size : nil
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    let feed = FrameFeed(format, maximumFramesPerSlice: maximumFramesPerSlice)
    let service = SpectrumService(
      feed: feed, analyzer: SpectrumAnalyzer(self, format), channels: channel.map { $0...$0 })
    return RenderSink(kernel: feed.makeKernel(), service: service, reader: service)
  }
}

/// Why a tap cannot observe a channel of a bus; `nil` where it can.
package func channelProblem(_ channel: Int?, of format: StreamFormat) -> CallbackProblem? {
  guard let channel, channel >= format.channelCount else { return nil }
  return CallbackProblem(
    .badSetting, status: .parameterError,
    "the bus has no channel \(channel)",
    help: format.channelCount == 1
      ? "its only channel is 0" : "its channels are 0 to \(format.channelCount - 1)",
    setting: "channel")
}

// MARK: - Beside the render thread

/// Takes frames from a feed and transforms them. Any thread but the render thread may read it.
final class SpectrumService: FeedService, TapReader {
  private struct Work: ~Copyable {
    var analyzer: SpectrumAnalyzer
    var samples: [Double]
  }

  let feed: FrameFeed
  private let channels: ClosedRange<Int>
  private let work: Mutex<Work>

  init(feed: FrameFeed, analyzer: consuming sending SpectrumAnalyzer, channels: ClosedRange<Int>?) {
    self.feed = feed
    self.channels = channels ?? 0...feed.channelCount - 1
    work = Mutex(
      Work(
        analyzer: analyzer,
        samples: [Double](repeating: 0, count: FrameFeed.block * feed.channelCount)))
  }

  /// Includes all frames written so far, even if the service has not been called for them.
  var reading: TapReading {
    work.withLock { work in
      drain(&work)
      return .spectrum(work.analyzer.reading)
    }
  }

  func drain() { work.withLock { drain(&$0) } }

  private func drain(_ work: inout Work) {
    while case let count = min(feed.available, FrameFeed.block), count > 0 {
      feed.read(count, into: &work.samples)
      feed.discard(count)
      work.analyzer.add(work.samples, frameCount: count, channels: channels, of: feed.channelCount)
    }
  }
}
