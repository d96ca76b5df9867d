import AudioTypes
import RenderHost
import Synchronization

/// Pipes: the output is written to one as samples, the input is read from another.
///
/// The `sinkName` and `sourceName` of a request are paths of FIFOs, or `-` for standard output and
/// standard input. Opening an end that is open already shares it, so that a patch that starts again
/// continues its stream.
///
/// A request's `options` may contain:
///
/// - `to-format`, the format of the output: `[wav:]TYPE[:RATE[:CHANNELS]]`, where `TYPE` is
///   `s16le`, `s24le`, `s32le` or `f32le`, and `wav:` adds the header of a WAV file. The default is
///   `wav`;
/// - `from-format`, the format of an input without a WAV header: `TYPE:RATE[:CHANNELS]`;
/// - `pace`: `reader` pulls as fast as the ends allow, `realtime` by the clock. The default is
///   `realtime` where there is only an output, to a file, and otherwise `reader`;
/// - `end-with-input`: `true` ends the run at the end of the input.
final class PipeBackEnd: AudioBackEnd {
  private struct Opened {
    weak var sink: PipeSink?
    var sinkPath = ""
    weak var source: PipeSource?
    var sourcePath = ""
  }

  private let opened = Mutex(Opened())

  init() {}

  var name: String { "pipes" }
  var summary: String { "Standard output and standard input, or named pipes." }

  /// Standard output and standard input. Named pipes are not listed.
  func devices() -> [AudioDevice] {
    [(AudioDevice.Direction.sink, "standard output"), (.source, "standard input")].map {
      AudioDevice(
        direction: $0, index: $0 == .sink ? 0 : 1, name: "-", description: $1,
        sampleFormat: "float32le", sampleRate: 44_100, channelMap: ["front-left", "front-right"],
        state: .unknown, isDefault: true)
    }
  }

  func check(_ request: HardwareRequest) throws(HardwareError) {
    _ = try PipeSettings(request)
  }

  func open(
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
