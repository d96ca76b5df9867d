import CPulse
import Glibc
public import RenderHost
import Synchronization

/// A PulseAudio server as the hardware of an I/O unit: a sink, a source, or both.
///
/// The thread that owns the streams renders the session, into memory shared with the server.
/// Samples are interleaved `float32`; the server converts them for the device. Used from the
/// control thread.
@safe
public final class PulseHardware: LiveHardware {
  public let log: HardwareLog
  private let request: HardwareRequest
  private let state: Mutex<State>

  private struct State {
    var grant: HardwareGrant
    var captureFrames: Int
    var sink: AudioDevice?
    var source: AudioDevice?
    /// Open, corked streams; `nil` once they were started.
    var link: PulseLink?
    var engine: PulseEngine?
    var thread: HostThread?
    var reserveWait = PlaybackReserve.firstWait
  }

  /// Connects to the server and opens the streams, corked. Blocks for some milliseconds; each
  /// answer of the server may take the request's `timeout`.
  ///
  /// - Parameter isAwaited: Called while the server does not answer. Return false to stop waiting.
  /// - Throws: `connectionRefused` where there is no server; `noSuchDevice` or `noDevice` where
  ///   there is nothing to play or to record on; `formatNotSupported` for channels or a rate that
  ///   no stream can have; `cancelled` where `isAwaited` returned false.
  public static func open(
    _ request: HardwareRequest, isAwaited: (_ whom: String) -> Bool = { _ in true }
  ) throws(HardwareError) -> PulseHardware {
    let (link, grant) = try withoutActuallyEscaping(isAwaited) { isAwaited throws(HardwareError) in
      try PulseOpening(request).open(isAwaited)
    }
    return PulseHardware(request, link, grant, try HardwareLog())
  }

  private init(
    _ request: HardwareRequest, _ link: PulseLink, _ grant: HardwareGrant, _ log: HardwareLog
  ) {
    self.request = request
    self.log = log
    state = Mutex(
      State(
        grant: grant, captureFrames: Self.captureFrames(of: link, grant),
        sink: link.playback?.device, source: link.capture?.device, link: link))
  }

  deinit { stop() }

  /// The seconds without an underrun after which the server's buffer is shortened again. A change
  /// applies from the next start on.
  var reserveWait: Double {
    get { state.withLock { $0.reserveWait } }
    set { state.withLock { $0.reserveWait = newValue } }
  }

  /// What was granted; after `stop` and another `start`, to the new streams.
  public var grant: HardwareGrant { state.withLock { $0.grant } }

  /// The sink when its stream was opened; `nil` without a loudspeaker side.
  public var sink: AudioDevice? { state.withLock { $0.sink } }

  /// The source when its stream was opened; `nil` without a microphone side.
  public var source: AudioDevice? { state.withLock { $0.source } }

  /// The least capacity of the session's capture ring that loses no frames between two pulls, in
  /// frames.
  public var captureFrames: Int { state.withLock { $0.captureFrames } }

  /// Uncorks the streams and pulls the session until `stop` or a `failure`. The session's device
  /// format must be the grant's.
  ///
  /// May be called again after `stop`: new streams are opened, which must be granted the same
  /// formats.
  ///
  /// - Throws: What `open` throws, and `deviceLost` where no frame moves for 5 s (an idle null sink
  ///   takes up to 2). Where the policy waits for lost devices nothing is thrown once the streams
  ///   are open.
  public func start(_ session: RenderSession) throws(HardwareError) {
    stop()
    log.restart()
    let old = grant
    let link = try takeLink()
    let engine = PulseEngine(
      link, session: session, opening: PulseOpening(request, as: link),
      ioBufferFrames: old.ioBufferFrames, silenceLimit: 2 * request.timeout,
      reserveWait: reserveWait, log: log
    ) { [weak self] in self?.note($0) }
    let thread = try HostThread("patchrun render") { engine.run() }
    state.withLock { state in
      state.engine = engine
      state.thread = thread
    }
    let begin = monotonicNanoseconds()
    while !engine.hasBegun.load(ordering: .acquiring) {
      if let failure {
        stop()
        throw failure
      }
      if Double(monotonicNanoseconds() - begin) > 5e9 {
        stop()
        throw .lost(
          old.outputFormat == nil ? .source : .sink,
          old.outputFormat == nil ? old.inputName : old.outputName,
          "has moved nothing for 5 seconds")
      }
      pause(waitingSince: begin)
    }
  }

  /// Waits until all rendered frames have been played, then closes the streams. Waits for a server
  /// that hangs for at most 15 s.
  public func stop() {
    let (engine, thread) = state.withLock { state in
      defer {
        state.engine = nil
        state.thread = nil
      }
      return (state.engine, state.thread)
    }
    engine?.isStopping.store(true, ordering: .relaxed)
    // Every wait of the thread is bounded. Only a render that never returns can exceed the timeout,
    // and then the thread keeps what it uses alive.
    thread?.join(timeout: 15)
  }

  /// Notes a lost device that is back, or its replacement.
  private func note(_ device: AudioDevice) {
    state.withLock { state in
      if device.direction == .sink {
        state.sink = device
        state.grant.outputName = device.name
      } else {
        state.source = device
        state.grant.inputName = device.name
      }
    }
  }

  // MARK: Opening

  private func takeLink() throws(HardwareError) -> PulseLink {
    let waiting = state.withLock { state in
      defer { state.link = nil }
      return state.link
    }
    if let waiting { return waiting }
    let (link, grant) = try PulseOpening(request).open()
    let old = self.grant
    guard grant.outputFormat == old.outputFormat, grant.inputFormat == old.inputFormat,
      grant.ioBufferFrames == old.ioBufferFrames
    else {
      throw HardwareError(
        .formatNotSupported, "the sound server no longer grants the formats it granted before",
        help: "open the hardware again, and make the graph's formats from the new grant")
    }
    state.withLock { state in
      state.grant = grant
      state.sink = link.playback?.device
      state.source = link.capture?.device
    }
    return link
  }

  private static func captureFrames(of link: PulseLink, _ grant: HardwareGrant) -> Int {
    guard let capture = link.capture else { return 0 }
    let ahead = (link.playback?.bufferFrames ?? 0) + 4 * capture.bufferFrames
    return 2 * (ahead + grant.ioBufferFrames)
  }
}
