import AudioTypes
public import RenderHost
import Synchronization

/// Pipes: what is played is written to one, as samples, and what is heard is read from another.
///
/// A request's `sinkName` and `sourceName` are paths of FIFOs, or `-` for standard output and standard
/// input. What is opened again while it is open is the same end: a patch that begins again goes on in
/// the stream that has begun.
///
/// A request's `options` may have:
///
/// - `to-format`, what is written: `[wav:]TYPE[:RATE[:CHANNELS]]`, where `TYPE` is `s16le`, `s24le`,
///   `s32le` or `f32le`, and `wav:` stands for the head of a WAV file. `wav` alone is the default;
/// - `from-format`, what is read where it has no head of a WAV file: `TYPE:RATE[:CHANNELS]`;
/// - `pace`: `reader` pulls as fast as the ends let it, `realtime` by the machine's clock. The default
///   is `realtime` where nothing but a file is written to, and else `reader`;
/// - `end-with-input`, `true` where the end of what is read is the end of the run.
public final class PipeBackEnd: AudioBackEnd {
  private struct Opened {
    weak var sink: PipeSink?
    var sinkPath = ""
    weak var source: PipeSource?
    var sourcePath = ""
  }

  private let opened = Mutex(Opened())

  public init() {}

  public var name: String { "pipes" }
  public var summary: String { "Standard output and standard input, or named pipes." }

  /// Standard output and standard input. Named pipes are not listed: there is no end of them.
  public func devices() -> [AudioDevice] {
    [(AudioDevice.Direction.sink, "standard output"), (.source, "standard input")].map {
      AudioDevice(
        direction: $0, index: $0 == .sink ? 0 : 1, name: "-", description: $1,
        sampleFormat: "float32le", sampleRate: 44_100, channelMap: ["front-left", "front-right"],
        state: .unknown, isDefault: true)
    }
  }

  public func check(_ request: HardwareRequest) throws(HardwareError) {
    _ = try PipeSettings(request)
  }

  public func open(
    _ request: HardwareRequest, isAwaited: (_ whom: String) -> Bool
  ) throws(HardwareError) -> any LiveHardware {
    let settings = try PipeSettings(request)
    guard request.wantsOutput || request.wantsInput else {
      throw HardwareError(.invalidRequest, "hardware without a side is none")
    }
    let source = try request.wantsInput ? source(request, settings, isAwaited) : nil
    let sink = try request.wantsOutput ? sink(request, settings, source, isAwaited) : nil
    let hardware = try PipeHardware(request, settings, sink, source)
    opened.withLock { opened in
      opened.sink = sink
      opened.sinkPath = request.sinkName ?? "-"
      opened.source = source
      opened.sourcePath = request.sourceName ?? "-"
    }
    return hardware
  }

  private func source(
    _ request: HardwareRequest, _ settings: PipeSettings, _ isAwaited: (String) -> Bool
  ) throws(HardwareError) -> PipeSource {
    let path = request.sourceName ?? "-"
    let old = opened.withLock { $0.sourcePath == path ? $0.source : nil }
    if let old { return old }
    return try PipeSource(path, settings.sourceFormat, isAwaited: isAwaited)
  }

  private func sink(
    _ request: HardwareRequest, _ settings: PipeSettings, _ source: PipeSource?,
    _ isAwaited: (String) -> Bool
  ) throws(HardwareError) -> PipeSink {
    let path = request.sinkName ?? "-"
    // A stream that has begun keeps its format.
    let old = opened.withLock { $0.sinkPath == path ? $0.sink : nil }
    if let old { return old }
    let format = settings.sinkFormat
    let rate =
      format.sampleRate ?? request.preferredSampleRate ?? source?.layout.sampleRate ?? 44_100
    let channels = format.channelCount ?? request.outputChannels ?? 2
    guard (1...32).contains(channels), rate >= 1, rate == rate.rounded() else {
      throw HardwareError(
        .formatNotSupported, "no pipe has \(channels) channels at \(rate) Hz",
        help: "it takes 1 to 32 channels, and a whole number of frames in a second")
    }
    let end = try PipeEnd(path, .sink, isAwaited: isAwaited)
    return PipeSink(
      end,
      StreamFormat(format.sampleType, channels: channels, sampleRate: rate, interleaved: true),
      isWave: format.isWave)
  }
}
