import AudioTypes
import Glibc
import RenderHost
import Synchronization

/// Pipes as the hardware of an I/O unit: an output, an input, or both.
///
/// A thread of its own renders the session slice by slice, and writes each slice. Used from the
/// control thread.
final class PipeHardware: LiveHardware {
  let grant: HardwareGrant
  let log: HardwareLog
  private let sink: PipeSink?
  private let source: PipeSource?
  private let pace: PipeSettings.Pace
  private let endsWithSource: Bool
  private let orders: PipeOrders
  private let thread = Mutex<HostThread?>(nil)

  init(
    _ request: HardwareRequest, _ settings: PipeSettings, _ sink: PipeSink?, _ source: PipeSource?
  ) throws(HardwareError) {
    log = try HardwareLog()
    orders = try PipeOrders()
    self.sink = sink
    self.source = source
    let isRead = sink?.end.waits ?? false
    pace = settings.pace ?? (isRead || source != nil ? .reader : .realtime)
    // Without a reader that sets the pace, a run would write endless silence at full speed.
    endsWithSource = settings.endsWithSource || (pace == .reader && !isRead)
    let rate =
      sink?.format.sampleRate ?? request.preferredSampleRate ?? source?.layout.sampleRate ?? 44_100
    let frames = HardwareGrant.ioBufferFrames(
      forDuration: request.preferredIOBufferDuration, sampleRate: rate)
    var latency = 0.0
    if let sink {
      if request.preferredIOBufferDuration != nil, pace == .reader {
        sink.end.limitCapacity(to: 4 * frames * Int(sink.format.bytesPerFrame))
      }
      latency = sink.end.capacity.map { Double($0) / sink.format.bytesPerSecond } ?? 0
    }
    grant = HardwareGrant(
      outputFormat: sink?.format,
      inputFormat: source.map {
        StreamFormat(
          .float32, channels: $0.layout.channelCount, sampleRate: rate, interleaved: true)
      }, ioBufferFrames: frames, outputName: sink?.end.plainName ?? "",
      inputName: source?.end.plainName ?? "", outputLatency: latency)
  }

  deinit { stop() }

  var isSynchronous: Bool { true }

  var keepsTime: Bool { pace == .realtime }

  func allowPulls(upTo frame: Int) { orders.allow(upTo: frame) }

  func start(_ session: RenderSession) throws(HardwareError) {
    try start(session) { _ in }
  }

  /// Starts to pull. Does not wait for the other end; the first slice may.
  func start(
    _ session: RenderSession, preparing prepare: @escaping @Sendable (_ frameCount: Int) -> Void
  ) throws(HardwareError) {
    stop()
    log.restart()
    orders.isStopping.store(false, ordering: .relaxed)
    let engine = try PipeEngine(
      session, grant, sink: sink, source: source, endsWithSource: endsWithSource, log: log,
      orders: orders, prepare: prepare)
    let pace = pace
    let thread = try HostThread("patchrun pipes") {
      switch pace {
      case .reader: engine.runOnDemand()
      case .realtime: engine.runByClock()
      }
    }
    self.thread.withLock { $0 = thread }
    // The thread begins by noting its scheduling.
    let begin = monotonicNanoseconds()
    while log.scheduling.isEmpty { pause(waitingSince: begin) }
  }

  /// Writes the rest of a slice, waits for its reader for at most a second, and stops.
  func stop() {
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let running else { return }
    orders.stop()
    running.join()
  }
}

extension PipeEnd {
  /// The name without quotes.
  var plainName: String { name.hasPrefix("'") ? String(name.dropFirst().dropLast()) : name }
}

extension StreamFormat {
  fileprivate var bytesPerSecond: Double { Double(bytesPerFrame) * sampleRate }
}
