import AudioTypes
import CPulse
import Glibc
import RenderCore
import RenderHost
import Synchronization

/// The connection and its streams, handed from the thread that opened them to the one that runs
/// them.
///
/// `@unchecked Sendable`: handed over whole; one thread at a time uses it.
struct PulseLink: @unchecked Sendable {
  let connection: PulseConnection
  /// `nil` where none is wanted, and while the sink is lost.
  var playback: PulseStream?
  /// `nil` where none is wanted, and while the source is lost.
  var capture: PulseStream?
}

/// Runs a session on its streams, in the thread that owns them.
///
/// `@unchecked Sendable`: from `run` on, only that thread uses what is not atomic.
@safe
final class PulseEngine: @unchecked Sendable {
  /// `nil` while the server is lost.
  var link: PulseLink?
  let session: RenderSession
  let opening: PulseOpening
  let ioBufferFrames: Int
  /// The capture of a session that the loudspeaker pulls; `writer` is for one that the microphone
  /// pulls.
  var followed: FollowedCapture?
  private let writer: CaptureWriter?
  let log: HardwareLog
  /// Called with each lost device that is back.
  let noteReturn: @Sendable (AudioDevice) -> Void
  /// Whether the first pull has been made.
  let hasBegun = Atomic<Bool>(false)
  let isStopping = Atomic<Bool>(false)

  private let playbackFrameBytes: Int
  private let captureFrameBytes: Int
  /// Whether the session renders the output; otherwise silence is played.
  let hasOutput: Bool
  /// Whether the loudspeaker's requests are served.
  var isPlaying = false
  var interruptions = PulseInterruptions()
  /// The slices beyond the requested buffer of the current stream.
  var reserve = PlaybackReserve(mostSlices: 0)
  /// The raised latency that was last published.
  var publishedReserve: RaisedLatency?
  private let reserveWait: Double
  /// Finds the causes of underruns.
  let watch: UnderrunWatch
  var isLost = false
  private var captured = 0
  /// When a frame was last moved.
  var lastActivity: UInt64 = 0
  /// The seconds without a frame, in the running time of this thread: a stopped process does not
  /// count.
  var standstill = 0.0
  var lastLook: UInt64 = 0
  var suspendedSince: UInt64 = 0
  /// The devices that the engine waits for.
  var lostSink: PulseAbsence?
  var lostSource: PulseAbsence?
  /// The streams that the server has moved.
  var moves = PulseMoves()
  /// Whether the session is paused until there is a device.
  var isHeldByAbsence = false
  var silence = PulseSilence()
  /// Pulls the session while the device that should do it is lost; `nil` otherwise.
  var clock: AbsenceClock?

  /// The seconds without a frame after which a server counts as gone.
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

  /// Runs the streams until `isStopping` is set or something fails, then releases them.
  func run() {
    guard let link else { return }
    log.note(scheduling: HostThread.requestRealTime())
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
      removeReserveSlice()
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

  /// Registers the callbacks of a stream.
  func listen(to stream: PulseStream?) {
    guard let stream else { return }
    moves.note(
      stream.direction, on: stream.device, asked: opening.name(stream.direction))
    // The engine outlives the streams, which are closed at the end of `run`.
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
    publishedReserve = nil
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
          $0.noteUnderrun()
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

  /// Uncorks the microphone, then fills the loudspeaker's buffer with silence and uncorks it. The
  /// first pull answers the first request of a running device.
  ///
  /// A server drops the first frames while it starts a sink; these are the silence, and not the
  /// beginning of the sound. Meanwhile the microphone captures frames.
  private func begin(_ link: PulseLink) {
    noteMotion()
    link.capture?.cork(false)
    guard link.playback != nil else { return }
    // An idle source needs time to start; the first pull should not come before its frames.
    if link.capture != nil { _ = link.connection.wait(2.5) { captured > 0 || isOver() } }
    guard !isOver(), let playback = self.link?.playback else { return }
    beginPlaying(playback)
  }

  /// Fills the loudspeaker's buffer with silence and uncorks it.
  func beginPlaying(_ playback: PulseStream) {
    unsafe prime(playback.handle)
    isPlaying = true
    playback.cork(false)
  }

  /// Writes silence in front of the frames of a new source.
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

  /// Waits until all rendered frames have been played, and at most a second longer than they should
  /// take.
  private func finish(_ link: PulseLink) {
    // Silence need not be played to its end, and a suspended device never would.
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

  /// Renders slices into the server's memory, as many as it requests.
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

  /// The length of the next slice of a request, which is cut into as few slices as possible of
  /// about equal length: a short last slice would cost as much as a long one, and be due sooner.
  func nextSlice(of frames: Int) -> Int {
    let count = (frames + ioBufferFrames - 1) / ioBufferFrames
    return (frames + count - 1) / count
  }

  /// Reads the frames that the microphone has captured.
  private func read(_ stream: OpaquePointer) {
    noteMotion()
    if lostSource != nil { endAbsence(of: .source) }
    while unsafe pa_stream_readable_size(stream) > 0 {
      var memory: UnsafeRawPointer?
      var size = 0
      guard unsafe pa_stream_peek(stream, &memory, &size) == 0, size > 0 else { break }
      let frames = size / captureFrameBytes
      // A hole in the stream has a size and no memory.
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
    // Without a loudspeaker the microphone pulls the session.
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
    // Frames captured during a pause are dropped.
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
