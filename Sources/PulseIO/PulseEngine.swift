import AudioTypes
import CPulse
import RenderCore
import RenderHost
import Synchronization

/// The connection and its streams, on their way from the thread that opened them to the one that
/// runs them.
///
/// `@unchecked Sendable`: handed over whole; one thread has it at a time.
struct PulseLink: @unchecked Sendable {
  let connection: PulseConnection
  let playback: PulseStream?
  let capture: PulseStream?
}

/// A session on its streams: everything that happens in the thread that owns them.
///
/// `@unchecked Sendable`: what is not atomic belongs to that thread from `run` on.
@safe
final class PulseEngine: @unchecked Sendable {
  private(set) var link: PulseLink?
  let session: RenderSession
  private let ioBufferFrames: Int
  private let writer: CaptureWriter?
  let log: HardwareLog
  /// Whether the first pull has been made.
  let hasBegun = Atomic<Bool>(false)
  let isStopping = Atomic<Bool>(false)

  private let playback: OpaquePointer?
  private let playbackFrameBytes: Int
  private let captureFrameBytes: Int
  /// Whether the session fills what it is given; otherwise silence is played.
  private let hasOutput: Bool
  /// Whether the loudspeaker is given what it asks for.
  var isPlaying = false
  var interruptions = PulseInterruptions()
  /// Makes out why the loudspeaker runs dry.
  private let watch: UnderrunWatch
  private var isLost = false
  private var captured = 0
  private var lastActivity: UInt64 = 0
  private var suspendedSince: UInt64 = 0

  /// How long a server may move nothing before it counts as gone, in seconds.
  private let silenceLimit: Double
  /// How long a device may be suspended before it counts as gone, in seconds.
  private static let suspensionLimit = 2.0

  init(
    _ link: PulseLink, session: RenderSession, ioBufferFrames: Int, silenceLimit: Double,
    log: HardwareLog
  ) {
    self.silenceLimit = silenceLimit
    self.link = link
    self.session = session
    self.ioBufferFrames = ioBufferFrames
    self.log = log
    let rate = link.playback?.format.sampleRate ?? session.configuration.sampleRate
    watch = UnderrunWatch(
      sampleRate: rate, bufferDuration: Double(link.playback?.bufferFrames ?? 0) / max(1, rate))
    unsafe playback = link.playback?.handle
    playbackFrameBytes = link.playback?.bytesPerFrame ?? 4
    captureFrameBytes = link.capture?.bytesPerFrame ?? 4
    hasOutput = session.configuration.client != nil && session.configuration.device != nil
    precondition(
      !hasOutput || link.playback == nil || session.configuration.device == link.playback?.format,
      "a session is made for the format that was granted")
    if let ring = session.configuration.capture, let capture = link.capture {
      writer = CaptureWriter(ring, channelCount: capture.format.channelCount)
    } else {
      writer = nil
    }
  }

  // MARK: The thread

  /// Runs the streams until it is told to stop or something fails, then lets go of them.
  func run() {
    guard let link else { return }
    // As much as PulseAudio's own threads have by default: a render does not hold up the device.
    log.note(scheduling: HostThread.requestRealTime(priority: 5))
    listen(to: link)
    begin(link)
    while !isOver(link) {
      link.connection.iterate(atMost: 0.05, watch: watch)
      corkIfSilent(link)
    }
    finish(link)
    self.link = nil
  }

  private func listen(to link: PulseLink) {
    // The engine outlives the streams: they are freed at the end of `run`.
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    if let capture = link.capture {
      unsafe pa_stream_set_read_callback(
        capture.handle,
        { stream, _, user in
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            unsafe $0.read(stream!)
          }
        }, user)
    }
    if let playback = link.playback {
      unsafe pa_stream_set_write_callback(
        playback.handle,
        { _, byteCount, user in
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            $0.write(byteCount)
          }
        }, user)
      unsafe pa_stream_set_underflow_callback(
        playback.handle,
        { _, user in
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            $0.ranDry()
          }
        }, user)
      unsafe pa_stream_set_event_callback(
        playback.handle,
        { _, name, _, user in
          let name = unsafe text(name)
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            if let link = $0.link { $0.handle(event: name, of: link) }
          }
        }, user)
    }
    for stream in [link.capture, link.playback] {
      guard let stream else { continue }
      unsafe pa_stream_set_moved_callback(
        stream.handle,
        { stream, user in
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            unsafe $0.moved(stream!)
          }
        }, user)
    }
  }

  /// Lets the microphone flow first; then fills the loudspeaker's buffer with silence and lets it
  /// flow too. The first pull answers the first request of a device that runs.
  ///
  /// A server drops the beginning of what it is given while it gets a sink going: so that is not the
  /// beginning of the sound. Nor does the microphone have to have heard that much already.
  private func begin(_ link: PulseLink) {
    lastActivity = monotonicNanoseconds()
    link.capture?.cork(false)
    guard let playback = link.playback else { return }
    if let capture = link.capture, let ring = session.configuration.capture {
      // Two deliveries keep the ring from running empty between them.
      let wanted = min(2 * capture.bufferFrames, ring.capacity / 2)
      _ = link.connection.wait(2.5) { captured >= wanted || isOver(link) }
    }
    guard !isOver(link) else { return }
    unsafe prime(playback.handle)
    isPlaying = true
    playback.cork(false)
  }

  private func prime(_ playback: OpaquePointer) {
    var rest = unsafe pa_stream_writable_size(playback) / playbackFrameBytes
    while rest > 0 && rest < Int(Int32.max) {
      var memory: UnsafeMutableRawPointer?
      var size = rest * playbackFrameBytes
      guard unsafe pa_stream_begin_write(playback, &memory, &size) == 0,
        let start = unsafe memory, size >= playbackFrameBytes
      else { return }
      let frames = min(rest, size / playbackFrameBytes)
      let byteCount = frames * playbackFrameBytes
      unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
      unsafe pa_stream_write(playback, start, byteCount, nil, 0, PA_SEEK_RELATIVE)
      rest -= frames
    }
  }

  private func isOver(_ link: PulseLink) -> Bool {
    isStopping.load(ordering: .relaxed) || hasFailed(link)
  }

  /// Looks whether the server and the devices are still there; says so if not.
  private func hasFailed(_ link: PulseLink) -> Bool {
    guard !isLost else { return true }
    guard let failure = failure(of: link) else { return false }
    isLost = true
    log.fail(failure)
    return true
  }

  private func failure(of link: PulseLink) -> HardwareError? {
    guard link.connection.isGood else { return .connectionLost(link.connection.lastMessage) }
    if let stream = link.playback, !stream.isGood {
      return .lost(.sink, stream.device.name, "is gone")
    }
    if let stream = link.capture, !stream.isGood {
      return .lost(.source, stream.device.name, "is gone")
    }
    let now = monotonicNanoseconds()
    let isPlaybackSuspended = link.playback?.isSuspended ?? false
    if isPlaybackSuspended || link.capture?.isSuspended ?? false {
      if suspendedSince == 0 { suspendedSince = now }
      lastActivity = now
      let seconds = Double(now - suspendedSince) / 1e9
      let isAwaited = noteSuspension(
        of: link, isPlaybackSuspended ? .sink : .source, for: seconds)
      guard !isAwaited, seconds > Self.suspensionLimit else { return nil }
      return isPlaybackSuspended
        ? .lost(.sink, link.playback!.device.name, "has been suspended")
        : .lost(.source, link.capture!.device.name, "has been suspended")
    }
    suspendedSince = 0
    noteActivity()
    if interruptions.isCorked { lastActivity = now }
    guard Double(now - lastActivity) > silenceLimit * 1e9 else { return nil }
    return HardwareError(
      .connectionLost,
      "the sound server has not moved a frame for \(silenceLimit) seconds",
      help: "it may hang: look at its log, or start it again")
  }

  /// Lets what has been rendered be heard to its end, then lets go. The server has a second more
  /// than that takes.
  private func finish(_ link: PulseLink) {
    // What is silent need not be heard to its end, and what is suspended never would be.
    let wasPlaying = isPlaying && !interruptions.isPaused
    isPlaying = false
    link.capture?.cork(true)
    guard wasPlaying, let playback = link.playback, link.connection.isGood, playback.isGood else {
      return
    }
    let limit = min(5, 1 + 2 * playback.latency)
    unsafe link.connection.finish(pa_stream_drain(playback.handle, nil, nil), within: limit)
  }

  // MARK: Render thread

  /// The server has room: the slices that fill it are rendered into its own memory.
  private func write(_ byteCount: Int) {
    guard isPlaying, let playback = unsafe playback else { return }
    var rest = byteCount / playbackFrameBytes
    log.requestedFrames.wrappingAdd(rest, ordering: .relaxed)
    let asked = rest
    watch.willRender()
    defer { watch.hasRendered(frameCount: asked - rest) }
    while rest > 0 {
      var memory: UnsafeMutableRawPointer?
      var size = rest * playbackFrameBytes
      guard unsafe pa_stream_begin_write(playback, &memory, &size) == 0,
        let start = unsafe memory
      else { return }
      let frames = min(rest, size / playbackFrameBytes)
      guard frames > 0 else { return }
      if session.isPaused { interruptions.silentFrames += frames }
      if !hasOutput {
        unsafe start.initializeMemory(
          as: UInt8.self, repeating: 0, count: frames * playbackFrameBytes)
      }
      var done = 0
      while done < frames {
        let slice = nextSlice(of: frames - done)
        unsafe session.pull(slice, into: hasOutput ? start + done * playbackFrameBytes : nil)
        done += slice
      }
      unsafe pa_stream_write(
        playback, start, frames * playbackFrameBytes, nil, 0, PA_SEEK_RELATIVE)
      log.writes.wrappingAdd(1, ordering: .relaxed)
      rest -= frames
    }
    hasBegun.store(true, ordering: .releasing)
    lastActivity = monotonicNanoseconds()
    unsafe measure(playback, log.outputLatency)
  }

  /// Cuts a request into as few slices as may be, all about as long: a last one of a few frames would
  /// cost as much as a long one, and be due much sooner.
  private func nextSlice(of frames: Int) -> Int {
    let count = (frames + ioBufferFrames - 1) / ioBufferFrames
    return (frames + count - 1) / count
  }

  /// The microphone has been heard.
  private func read(_ stream: OpaquePointer) {
    while unsafe pa_stream_readable_size(stream) > 0 {
      var memory: UnsafeRawPointer?
      var size = 0
      guard unsafe pa_stream_peek(stream, &memory, &size) == 0, size > 0 else { break }
      let frames = size / captureFrameBytes
      // A hole in the stream has a length and no memory.
      let samples = unsafe memory?.assumingMemoryBound(to: Float.self)
      if unsafe samples == nil { log.missingFrames.wrappingAdd(frames, ordering: .relaxed) }
      unsafe deliver(samples, frames)
      unsafe pa_stream_drop(stream)
    }
    lastActivity = monotonicNanoseconds()
    unsafe measure(stream, log.inputLatency)
  }

  private func deliver(_ samples: UnsafePointer<Float>?, _ frames: Int) {
    captured += frames
    log.capturedFrames.wrappingAdd(frames, ordering: .relaxed)
    log.reads.wrappingAdd(1, ordering: .relaxed)
    guard unsafe playback == nil else { return unsafe keep(samples, frames) }
    // Without a loudspeaker the microphone keeps the time.
    var done = 0
    while done < frames {
      let slice = nextSlice(of: frames - done)
      unsafe keep(samples.map { unsafe $0 + done * (captureFrameBytes / 4) }, slice)
      unsafe session.pull(slice, into: nil)
      done += slice
    }
    hasBegun.store(true, ordering: .releasing)
  }

  private func keep(_ samples: UnsafePointer<Float>?, _ frames: Int) {
    var dropped = 0
    switch writer {
    // What is heard in a pause is nothing to go on with.
    case .some(let writer):
      if session.isPaused || interruptions.isPaused && interruptions.isSuspended { return }
      dropped = unsafe writer.write(samples, frameCount: frames)
    case .none: return
    }
    guard dropped > 0 else { return }
    log.overruns.wrappingAdd(1, ordering: .relaxed)
    log.droppedFrames.wrappingAdd(dropped, ordering: .relaxed)
  }

  private func measure(_ stream: OpaquePointer, _ latency: borrowing Atomic<UInt64>) {
    var microseconds: pa_usec_t = 0
    var isNegative: Int32 = 0
    guard unsafe pa_stream_get_latency(stream, &microseconds, &isNegative) == 0 else { return }
    latency.store(isNegative != 0 ? 0 : microseconds * 1000, ordering: .relaxed)
  }

  /// The device wanted what was not there. At the end, when nothing follows, it may.
  private func ranDry() {
    guard isPlaying, !interruptions.isPaused else { return }
    let frames = log.requestedFrames.load(ordering: .relaxed)
    log.note(watch.underrun(at: Double(frames) / session.configuration.sampleRate))
    guard let loss = SchedulingGrant.takeLoss() else { return }
    log.note(scheduling: "normal (\(loss))")
    log.post(.noted(loss))
  }

  // MARK: Rare events

  private func moved(_ stream: OpaquePointer) {
    let name = unsafe text(pa_stream_get_device_name(stream))
    let isPlayback = unsafe stream == playback
    log.post(.moved(isPlayback ? .sink : .source, to: name))
  }
}
