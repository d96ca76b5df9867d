import AudioTypes
import CPulse
import Glibc
public import RenderHost
import Synchronization

/// A PulseAudio server as the hardware of an I/O unit: a sink, a source, or both.
///
/// The session is rendered in the thread that owns the streams, into memory that is shared with the
/// server. Samples cross as interleaved `float32`; the server converts them to what the device
/// takes. Used from the control thread.
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
    /// Streams that are open and corked.
    var link: PulseLink?
    var engine: PulseEngine?
    var thread: HostThread?
    var reserveWait = PlaybackReserve.firstWait
  }

  /// Connects to the server and opens what is wanted, corked. Blocks for some milliseconds; a server
  /// that does not answer is given up after the request's `timeout`.
  ///
  /// Throws `connectionRefused` where there is no server, `noSuchDevice` or `noDevice` where there is
  /// nothing to play or record on, `formatNotSupported` for channels or a rate no stream can have.
  ///
  /// - Parameter isAwaited: Asked while a server does not answer; where it returns false, no further
  ///   answer is waited for.
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

  /// How long nothing runs dry before the server keeps less again, in seconds: from the next start on.
  var reserveWait: Double {
    get { state.withLock { $0.reserveWait } }
    set { state.withLock { $0.reserveWait = newValue } }
  }

  /// What was granted. After a `stop` and another `start` it is that of the new streams.
  public var grant: HardwareGrant { state.withLock { $0.grant } }

  /// The sink as it was when its stream was opened; `nil` without a loudspeaker side.
  public var sink: AudioDevice? { state.withLock { $0.sink } }

  /// The source as it was when its stream was opened; `nil` without a microphone side.
  public var source: AudioDevice? { state.withLock { $0.source } }

  /// How many frames the ring of a session's capture should hold at the least, so that nothing is
  /// lost between two pulls.
  public var captureFrames: Int { state.withLock { $0.captureFrames } }

  /// Lets the streams flow and pulls the session until `stop`, or until something fails: see
  /// `failure`. The session's device format is the grant's.
  ///
  /// Can be called again after `stop`: the streams are opened anew, and must be granted the same
  /// formats. Throws what `open` throws, and `deviceLost` where nothing moves for 5 s: a null sink
  /// that has been idle takes up to 2. Where a lost device is waited for nothing of that is thrown once
  /// the streams are open.
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
      usleep(200)
    }
  }

  /// Lets what has been rendered be heard, then closes the streams. A server that hangs is waited
  /// for no longer than some seconds.
  public func stop() {
    let (engine, thread) = state.withLock { state in
      defer {
        state.engine = nil
        state.thread = nil
      }
      return (state.engine, state.thread)
    }
    engine?.isStopping.store(true, ordering: .relaxed)
    // Every wait of the thread has an end; only a render that never returns could outlast this, and
    // then the thread keeps what it needs.
    thread?.join(timeout: 15)
  }

  /// A device that was lost is there again, or another one in its place.
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
