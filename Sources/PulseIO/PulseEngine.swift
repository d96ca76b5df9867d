import AudioTypes
import CPulse
import Glibc
import RenderCore
import RenderHost
import Synchronization

/// The connection and its streams, on their way from the thread that opened them to the one that
/// runs them.
///
/// `@unchecked Sendable`: handed over whole; one thread has it at a time.
struct PulseLink: @unchecked Sendable {
  let connection: PulseConnection
  /// `nil` where none is wanted, and while there is no sink.
  var playback: PulseStream?
  /// `nil` where none is wanted, and while there is no source.
  var capture: PulseStream?
}

/// A session on its streams: everything that happens in the thread that owns them.
///
/// `@unchecked Sendable`: what is not atomic belongs to that thread from `run` on.
@safe
final class PulseEngine: @unchecked Sendable {
  /// `nil` while there is no server.
  var link: PulseLink?
  let session: RenderSession
  let opening: PulseOpening
  let ioBufferFrames: Int
  /// The microphone of a session that the loudspeaker's clock pulls, and of one that it pulls itself.
  var followed: FollowedCapture?
  private let writer: CaptureWriter?
  let log: HardwareLog
  /// Told of each device that was lost and is there again.
  let noteReturn: @Sendable (AudioDevice) -> Void
  /// Whether the first pull has been made.
  let hasBegun = Atomic<Bool>(false)
  let isStopping = Atomic<Bool>(false)

  private let playbackFrameBytes: Int
  private let captureFrameBytes: Int
  /// Whether the session fills what it is given; otherwise silence is played.
  let hasOutput: Bool
  /// Whether the loudspeaker is given what it asks for.
  var isPlaying = false
  var interruptions = PulseInterruptions()
  /// What the server keeps more than it was asked for, of the stream that there is now.
  var reserve = PlaybackReserve(mostSlices: 0)
  /// What others have last been told of it.
  var toldReserve: RaisedLatency?
  private let reserveWait: Double
  /// Makes out why the loudspeaker runs dry.
  let watch: UnderrunWatch
  var isLost = false
  private var captured = 0
  /// When a frame was last moved.
  var lastActivity: UInt64 = 0
  /// For how long none has been moved, in seconds of this thread's life: while the process is stopped
  /// nothing is looked at.
  var standstill = 0.0
  var lastLook: UInt64 = 0
  var suspendedSince: UInt64 = 0
  /// What is waited for.
  var lostSink: PulseAbsence?
  var lostSource: PulseAbsence?
  /// What the server has moved, and what that means.
  var moves = PulseMoves()
  /// Whether the session has been paused until there is a device.
  var isHeldByAbsence = false
  var silence = PulseSilence()
  /// What keeps the time while the device that would do it is lost.
  var clock: AbsenceClock?

  /// How long a server may move nothing before it counts as gone, in seconds.
  let silenceLimit: Double

  init(
    _ link: PulseLink, session: RenderSession, opening: PulseOpening, ioBufferFrames: Int,
    silenceLimit: Double, reserveWait: Double, log: HardwareLog,
    noteReturn: @escaping @Sendable (AudioDevice) -> Void
  ) {
    self.silenceLimit = silenceLimit
    self.reserveWait = reserveWait
    self.link = link
    self.session = session
    self.opening = opening
    self.ioBufferFrames = ioBufferFrames
    self.log = log
    self.noteReturn = noteReturn
    let rate = link.playback?.format.sampleRate ?? session.configuration.sampleRate
    watch = UnderrunWatch(
      sampleRate: rate, bufferDuration: Double(link.playback?.bufferFrames ?? 0) / max(1, rate))
    playbackFrameBytes = link.playback?.bytesPerFrame ?? 4
    captureFrameBytes = link.capture?.bytesPerFrame ?? 4
    hasOutput = session.configuration.client != nil && session.configuration.device != nil
    precondition(
      !hasOutput || link.playback == nil || session.configuration.device == link.playback?.format,
      "a session is made for the format that was granted")
    let ring = session.configuration.capture
    let channels = link.capture?.format.channelCount ?? 0
    if let ring, channels > 0, let played = link.playback?.format {
      followed = FollowedCapture(ring, channelCount: channels, sampleRate: played.sampleRate)
    }
    writer =
      if let ring, channels > 0, link.playback == nil {
        CaptureWriter(ring, channelCount: channels)
      } else {
        nil
      }
  }

  // MARK: The thread

  /// Runs the streams until it is told to stop or something fails, then lets go of them.
  func run() {
    guard let link else { return }
    // As much as PulseAudio's own threads have by default: a render does not hold up the device.
    log.note(scheduling: HostThread.requestRealTime(priority: 5))
    for stream in [link.capture, link.playback] { listen(to: stream) }
    watchSource()
    begin(link)
    while !isOver() {
      switch self.link {
      case .some(let link):
        link.connection.iterate(atMost: clock == nil ? 0.05 : AbsenceClock.tick, watch: watch)
        corkIfSilent(link)
      case .none: usleep(UInt32(AbsenceClock.tick * 1e6))
      }
      keepLess()
      keepTime()
      followMoves()
      endSilence()
      lookForReturn()
    }
    if let link = self.link { finish(link) }
    endAbsence()
    followed?.end()
    self.link = nil
  }

  /// Has the server call for a stream.
  func listen(to stream: PulseStream?) {
    guard let stream else { return }
    moves.note(
      stream.direction, on: stream.device, asked: opening.name(stream.direction))
    // The engine outlives the streams: they are freed at the end of `run`.
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe pa_stream_set_moved_callback(
      stream.handle,
      { stream, user in
        unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
          unsafe $0.moved(stream!)
        }
      }, user)
    guard stream.direction == .sink else {
      return unsafe pa_stream_set_read_callback(
        stream.handle,
        { stream, _, user in
          unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
            unsafe $0.read(stream!)
          }
        }, user)
    }
    reserve = PlaybackReserve(mostSlices: stream.mostSlicesMore, firstWait: reserveWait)
    toldReserve = nil
    log.note(raisedLatency: nil)
    unsafe pa_stream_set_write_callback(
      stream.handle,
      { stream, byteCount, user in
        unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
          unsafe $0.write(stream!, byteCount)
        }
      }, user)
    unsafe pa_stream_set_underflow_callback(
      stream.handle,
      { _, user in
        unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
          $0.ranDry()
        }
      }, user)
    unsafe pa_stream_set_event_callback(
      stream.handle,
      { _, name, _, user in
        let name = unsafe text(name)
        unsafe Unmanaged<PulseEngine>.fromOpaque(user!)._withUnsafeGuaranteedRef {
          if let link = $0.link { $0.handle(event: name, of: link) }
        }
      }, user)
  }

  /// Lets the microphone flow first; then fills the loudspeaker's buffer with silence and lets it
  /// flow too. The first pull answers the first request of a device that runs.
  ///
  /// A server drops the beginning of what it is given while it gets a sink going: so that is not the
  /// beginning of the sound. Nor does the microphone have to have heard that much already.
  private func begin(_ link: PulseLink) {
    noteMotion()
    link.capture?.cork(false)
    guard link.playback != nil else { return }
    // A source that was idle takes its time; the first pull is not to wait for what is never heard.
    if link.capture != nil { _ = link.connection.wait(2.5) { captured > 0 || isOver() } }
    guard !isOver(), let playback = self.link?.playback else { return }
    beginPlaying(playback)
  }

  /// Fills the loudspeaker's buffer with silence and lets it flow.
  func beginPlaying(_ playback: PulseStream) {
    unsafe prime(playback.handle)
    isPlaying = true
    playback.cork(false)
  }

  /// Puts silence in front of what a source delivers that has just been opened.
  func fillCapture(_ capture: PulseStream) {
    guard followed == nil, let ring = session.configuration.capture else { return }
    unsafe keep(nil, min(2 * capture.bufferFrames, ring.capacity / 2))
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
  private func write(_ playback: OpaquePointer, _ byteCount: Int) {
    noteMotion()
    guard isPlaying else { return }
    if lostSink != nil { endAbsence(of: .sink) }
    var rest = byteCount / playbackFrameBytes
    log.requestedFrames.wrappingAdd(rest, ordering: .relaxed)
    let asked = rest
    watch.willRender()
    defer { watch.hasRendered(frameCount: asked - rest) }
    followed?.beginPulls(rest, at: monotonicNanoseconds())
    defer { followed?.endPulls() }
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
    unsafe measure(playback, log.outputLatency)
  }

  /// Cuts a request into as few slices as may be, all about as long: a last one of a few frames would
  /// cost as much as a long one, and be due much sooner.
  func nextSlice(of frames: Int) -> Int {
    let count = (frames + ioBufferFrames - 1) / ioBufferFrames
    return (frames + count - 1) / count
  }

  /// The microphone has been heard.
  private func read(_ stream: OpaquePointer) {
    noteMotion()
    if lostSource != nil { endAbsence(of: .source) }
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
    unsafe measure(stream, log.inputLatency)
  }

  private func deliver(_ samples: UnsafePointer<Float>?, _ frames: Int) {
    captured += frames
    unsafe listenForSilence(samples, frames, captureFrameBytes / 4)
    log.capturedFrames.wrappingAdd(frames, ordering: .relaxed)
    log.reads.wrappingAdd(1, ordering: .relaxed)
    guard !opening.wantsOutput else { return unsafe keep(samples, frames) }
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

  func keep(_ samples: UnsafePointer<Float>?, _ frames: Int) {
    // What is heard in a pause is nothing to go on with.
    let isKept = !session.isPaused && !(interruptions.isPaused && interruptions.isSuspended)
    var dropped = 0
    if followed != nil {
      dropped = unsafe followed!.deliver(
        samples, frameCount: frames, isKept: isKept, at: monotonicNanoseconds())
    } else if isKept, let count = unsafe writer?.write(samples, frameCount: frames) {
      dropped = count
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
}
