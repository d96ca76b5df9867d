import AudioTypes
import CPulse
import Glibc
public import RenderHost
import Synchronization

/// Something a running graph lived through.
public enum PulseNote: Hashable, Sendable {
  /// A stream was moved to another sink or source, which the server now converts for.
  case moved(PulseDevice.Direction, to: String)
  /// The device was taken away for a while.
  case interrupted(PulseInterruption)
  /// The session has been paused for that, and goes on.
  case resumed
}

/// What a server asked for and what went wrong on the way, since the hardware was opened.
public struct PulseStatistics: Hashable, Sendable {
  /// Times that the sink ran dry while the graph was running.
  public var underruns = 0
  /// Deliveries of the source of which a part found no room.
  public var overruns = 0
  /// Frames that were lost in that way.
  public var droppedFrames = 0
  /// Frames that the source did not have, and that were silence.
  public var missingFrames = 0
  /// Frames that the sink has asked for.
  public var requestedFrames = 0
  /// Frames that the source has delivered.
  public var capturedFrames = 0
  /// Blocks written to the server, and read from it.
  public var writeCount = 0
  public var readCount = 0
  /// From the render to the loudspeaker, as last measured, in seconds.
  public var outputLatency = 0.0
  /// From the microphone to the render, as last measured, in seconds.
  public var inputLatency = 0.0
}

/// A PulseAudio server as the hardware of an I/O unit: a sink, a source, or both.
///
/// The session is rendered in the thread that owns the streams, into memory that is shared with the
/// server. Samples cross as interleaved `float32`; the server converts them to what the device
/// takes. Used from the control thread.
@safe
public final class PulseHardware: AudioHardware {
  private let request: PulseRequest
  private let counters = PulseCounters()
  private let events: PulseEvents
  private let state: Mutex<State>

  private struct State {
    var grant: HardwareGrant
    var captureFrames: Int
    var sink: PulseDevice?
    var source: PulseDevice?
    /// Streams that are open and corked.
    var link: PulseLink?
    var engine: PulseEngine?
    var thread: HostThread?
  }

  /// Connects to the server and opens what is wanted, corked. Blocks for some milliseconds; a server
  /// that does not answer is given up after the request's `timeout`.
  ///
  /// Throws `connectionRefused` where there is no server, `noSuchDevice` or `noDevice` where there is
  /// nothing to play or record on, `formatNotSupported` for channels or a rate no stream can have.
  public static func open(_ request: PulseRequest) throws(HardwareError) -> PulseHardware {
    let (link, grant) = try connect(request)
    return PulseHardware(request, link, grant, try PulseEvents())
  }

  private init(
    _ request: PulseRequest, _ link: PulseLink, _ grant: HardwareGrant, _ events: PulseEvents
  ) {
    self.request = request
    self.events = events
    state = Mutex(
      State(
        grant: grant, captureFrames: Self.captureFrames(of: link, grant),
        sink: link.playback?.device, source: link.capture?.device, link: link))
  }

  deinit { stop() }

  /// What was granted. After a `stop` and another `start` it is that of the new streams.
  public var grant: HardwareGrant { state.withLock { $0.grant } }

  /// The sink as it was when its stream was opened; `nil` without a loudspeaker side.
  public var sink: PulseDevice? { state.withLock { $0.sink } }

  /// The source as it was when its stream was opened; `nil` without a microphone side.
  public var source: PulseDevice? { state.withLock { $0.source } }

  /// How many frames the ring of a session's capture should hold at the least, so that nothing is
  /// lost between two pulls.
  public var captureFrames: Int { state.withLock { $0.captureFrames } }

  /// How the thread that renders is scheduled, in a few words; empty before `start`.
  public var schedulingDescription: String { events.state.withLock { $0.scheduling } }

  /// What ended the run before `stop` did. Any thread.
  public var failure: HardwareError? { events.state.withLock { $0.failure } }

  /// What has happened since the last call. Any thread.
  public func takeNotes() -> [PulseNote] {
    // First, so that what comes in between is announced again. Without it who polls the descriptor
    // would be woken without end.
    events.clear()
    return events.state.withLock { state in
      defer { state.notes = [] }
      return state.notes
    }
  }

  /// A descriptor that becomes readable when there is a failure or a note: for `poll`. It stays the
  /// hardware's own.
  public var eventDescriptor: Int32 { events.descriptor }

  /// Waits for a failure or a note, for some seconds at the most. Returns whether there was one.
  public func waitForEvent(timeout seconds: Double) -> Bool {
    var descriptor = pollfd(fd: events.descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(max(0, min(seconds, 86_400)) * 1000)
    guard unsafe poll(&descriptor, 1, milliseconds) > 0 else { return false }
    events.clear()
    return true
  }

  /// Whether an interruption pauses the session until it is over. Otherwise the session plays on, and
  /// a device that has been suspended for 2 s is lost. From the start of the next interruption on; any
  /// thread.
  public var pausesWhenInterrupted: Bool {
    get { events.pausesWhenInterrupted.load(ordering: .relaxed) }
    set { events.pausesWhenInterrupted.store(newValue, ordering: .relaxed) }
  }

  /// What has been counted since `open`. Any thread.
  public var statistics: PulseStatistics {
    PulseStatistics(
      underruns: counters.underruns.load(ordering: .relaxed),
      overruns: counters.overruns.load(ordering: .relaxed),
      droppedFrames: counters.droppedFrames.load(ordering: .relaxed),
      missingFrames: counters.missingFrames.load(ordering: .relaxed),
      requestedFrames: counters.requestedFrames.load(ordering: .relaxed),
      capturedFrames: counters.capturedFrames.load(ordering: .relaxed),
      writeCount: counters.writes.load(ordering: .relaxed),
      readCount: counters.reads.load(ordering: .relaxed),
      outputLatency: Double(counters.outputLatency.load(ordering: .relaxed)) / 1e9,
      inputLatency: Double(counters.inputLatency.load(ordering: .relaxed)) / 1e9)
  }

  /// Lets the streams flow and pulls the session until `stop`, or until something fails: see
  /// `failure`. The session's device format is the grant's.
  ///
  /// Can be called again after `stop`: the streams are opened anew, and must be granted the same
  /// formats. Throws what `open` throws, and `deviceLost` where nothing moves for 5 s: a null sink
  /// that has been idle takes up to 2.
  public func start(_ session: RenderSession) throws(HardwareError) {
    stop()
    events.state.withLock { $0.failure = nil }
    events.clear()
    let old = grant
    let link = try takeLink()
    let engine = PulseEngine(
      link, session: session, ioBufferFrames: old.ioBufferFrames,
      silenceLimit: 2 * request.timeout, counters: counters, events: events)
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

  // MARK: Opening

  private func takeLink() throws(HardwareError) -> PulseLink {
    let waiting = state.withLock { state in
      defer { state.link = nil }
      return state.link
    }
    if let waiting { return waiting }
    let (link, grant) = try Self.connect(request)
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

  private static func connect(
    _ request: PulseRequest
  ) throws(HardwareError) -> (PulseLink, HardwareGrant) {
    precondition(request.wantsOutput || request.wantsInput, "hardware without a side is none")
    let connection = try PulseConnection(
      server: request.server, applicationName: request.applicationName, patience: request.timeout)
    var playback: PulseStream?
    var capture: PulseStream?
    if request.wantsOutput {
      playback = try PulseStream.open(
        .init(
          direction: .sink, name: request.sinkName, sampleRate: request.preferredSampleRate,
          channels: request.outputChannels, bufferDuration: request.preferredIOBufferDuration,
          title: request.streamName, isConversation: request.isConversation), on: connection)
    }
    if request.wantsInput {
      // A session has one rate, the loudspeaker's: where the source runs at another one, the server
      // converts.
      capture = try PulseStream.open(
        .init(
          direction: .source, name: request.sourceName,
          sampleRate: playback?.format.sampleRate ?? request.preferredSampleRate,
          keepsRate: playback != nil, channels: request.inputChannels,
          bufferDuration: request.preferredIOBufferDuration, title: request.streamName,
          isConversation: request.isConversation),
        on: connection)
    }
    let rate = playback?.format.sampleRate ?? capture?.format.sampleRate ?? 0
    let grant = HardwareGrant(
      outputFormat: playback?.format, inputFormat: capture?.format,
      ioBufferFrames: HardwareGrant.ioBufferFrames(
        forDuration: request.preferredIOBufferDuration, sampleRate: rate),
      outputName: playback?.device.name ?? "", inputName: capture?.device.name ?? "",
      outputLatency: playback?.latency ?? 0, inputLatency: capture?.latency ?? 0)
    return (PulseLink(connection: connection, playback: playback, capture: capture), grant)
  }

  private static func captureFrames(of link: PulseLink, _ grant: HardwareGrant) -> Int {
    guard let capture = link.capture else { return 0 }
    let ahead = (link.playback?.bufferFrames ?? 0) + 4 * capture.bufferFrames
    return 2 * (ahead + grant.ioBufferFrames)
  }
}
