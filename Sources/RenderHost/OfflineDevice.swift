import AudioTypes
public import RenderCore

/// A device that is not there: an I/O unit runs on it as fast as the processor can, in the calling
/// thread. The same session gives the same bytes every time.
@safe
public struct OfflineDevice: Sendable {
  /// What the session may take as granted. A pull asks for `ioBufferFrames`; the last one may ask
  /// for fewer.
  public let grant: HardwareGrant
  private let microphone: Microphone?

  /// - Parameter microphone: Frame n of it is heard together with frame n of the output. Silence,
  ///   where the grant has an input and there is no microphone.
  public init(_ grant: HardwareGrant, microphone: Microphone? = nil) {
    precondition(grant.ioBufferFrames > 0, "a slice has at least one frame")
    self.grant = grant
    self.microphone = microphone
  }

  /// What a run came to.
  public struct Outcome: Hashable, Sendable {
    /// Frames that the sink was given or, without an output, that were pulled.
    public var frameCount = 0
    /// Why the run ended early, or what could not be closed; empty where all went well.
    public var errors: [ServiceError] = []
    /// Frames before those: they were pulled, and the sink was not given them.
    public var skippedFrames = 0
    /// Frames of files and recordings that were lost.
    public var lostFrames = 0
    /// Frames of the microphone that nothing read.
    public var droppedFrames = 0
    /// Whether somebody asked for the end before it was reached.
    public var wasCancelled = false
    /// What has happened to files on the way.
    public var events: [ServiceEvent] = []

    public init(frameCount: Int = 0) { self.frameCount = frameCount }
  }

  /// What a run does about a file that cannot be read.
  public enum ReadErrorPolicy: Sendable {
    /// The run ends, and has failed.
    case fail
    /// Silence stands in the place of what is missing, and the run goes on.
    case silence
  }

  /// Pulls the session until `frameCount` frames are there, it has ended, it is cancelled, or
  /// something fails; then finishes the services or, where something has failed, has them abandon what
  /// they write.
  ///
  /// - Parameters:
  ///   - frameCount: The end; `nil` leaves it to the session.
  ///   - services: Asked for before each slice: a graph that changes has others by then.
  ///   - readErrors: What is done about a file that cannot be read.
  ///   - skipping: Frames to pull and to give to nobody before those.
  ///   - begin: Told when they are over, where there are any.
  ///   - isCancelled: Asked before each slice.
  ///   - progress: Told after each slice how many frames there are.
  ///   - sink: Takes the interleaved bytes of the device format as they come, in order.
  public func run(
    _ session: RenderSession, frameCount: Int? = nil,
    services: @autoclosure () -> [any RenderService] = [],
    readErrors: ReadErrorPolicy = .fail, skipping: Int = 0, begin: () -> Void = {},
    isCancelled: () -> Bool = { false }, progress: (Int) -> Void = { _ in },
    sink: (ArraySlice<UInt8>) throws(ServiceError) -> Void = { (_) throws(ServiceError) in }
  ) -> Outcome {
    var outcome = Outcome()
    do throws(ServiceError) {
      try pull(
        session, frameCount: frameCount ?? .max, services: services, readErrors: readErrors,
        skipping: skipping, begin: begin, isCancelled: isCancelled, progress: progress, sink: sink,
        outcome: &outcome)
    } catch {
      outcome.errors.append(error)
    }
    let hasFailed = !outcome.errors.isEmpty
    for service in services() {
      if hasFailed {
        service.abandon()
      } else {
        do throws(ServiceError) { try service.finish() } catch {
          if !outcome.errors.contains(error) { outcome.errors.append(error) }
        }
      }
      outcome.events += service.takeEvents()
      outcome.lostFrames += service.lostFrames
    }
    return outcome
  }

  /// Pulls frames that nobody is given, for a session that goes on elsewhere: its services are not
  /// finished, and what cannot be read is silence.
  ///
  /// - Returns: How many frames there were.
  public func advance(
    _ session: RenderSession, frameCount: Int,
    services: @autoclosure () -> [any RenderService], isCancelled: () -> Bool
  ) throws(ServiceError) -> Int {
    var outcome = Outcome()
    try pull(
      session, frameCount: frameCount, services: services, readErrors: .silence,
      isCancelled: isCancelled, progress: { _ in },
      sink: { (_) throws(ServiceError) in }, outcome: &outcome)
    return outcome.frameCount
  }

  private func pull(
    _ session: RenderSession, frameCount: Int, services: () -> [any RenderService],
    readErrors: ReadErrorPolicy, skipping: Int = 0, begin: () -> Void = {},
    isCancelled: () -> Bool, progress: (Int) -> Void,
    sink: (ArraySlice<UInt8>) throws(ServiceError) -> Void, outcome: inout Outcome
  ) throws(ServiceError) {
    let bytesPerFrame = Int(session.configuration.device?.bytesPerFrame ?? 0)
    var memory = [UInt8](repeating: 0, count: grant.ioBufferFrames * bytesPerFrame)
    let feed = MicrophoneFeed(session: session, grant: grant, microphone: microphone)
    while outcome.frameCount < frameCount, !session.hasEnded {
      if isCancelled() {
        outcome.wasCancelled = true
        return
      }
      let toSkip = skipping - outcome.skippedFrames
      let length = min(
        grant.ioBufferFrames, toSkip > 0 ? toSkip : frameCount - outcome.frameCount)
      for told in session.serve(services(), inStepFor: length) {
        if let failure = told.failure { throw failure }
        outcome.events += told.events
        if readErrors == .fail, let first = told.events.first(where: { $0.kind == .unread }) {
          throw ServiceError(
            "'\(first.file)' cannot be read from \(ServiceEvent.clock(first.time)) on: \(first.cause)"
          )
        }
      }
      outcome.droppedFrames += try feed.feed(length)
      let before = session.renderedFrames
      unsafe memory.withUnsafeMutableBytes { memory in
        _ = unsafe session.pull(length, into: bytesPerFrame > 0 ? memory.baseAddress : nil)
      }
      // Beyond the end of the session there is only silence.
      let rendered = min(length, session.renderedFrames - before)
      if toSkip > 0 {
        outcome.skippedFrames += rendered
        if outcome.skippedFrames == skipping { begin() }
        progress(0)
        continue
      }
      if bytesPerFrame > 0, rendered > 0 {
        try sink(memory[..<(rendered * bytesPerFrame)])
      }
      outcome.frameCount += rendered
      progress(outcome.frameCount)
    }
  }
}

/// A microphone on its way into a session, a slice at a time.
@safe
struct MicrophoneFeed: ~Copyable {
  private let microphone: Microphone?
  private let writer: CaptureWriter?
  private let ioBufferFrames: Int
  private let channelCount: Int
  private let memory: UnsafeMutablePointer<Float>
  private let position: Counter

  private let ring: FrameRingAccess?

  private final class Counter {
    /// Frames pulled by the session, and frames taken from the microphone.
    var pulled = 0
    var heard = 0
  }

  init(session: RenderSession, grant: HardwareGrant, microphone: Microphone?) {
    self.microphone = microphone
    ioBufferFrames = grant.ioBufferFrames
    channelCount = grant.inputFormat?.channelCount ?? 0
    position = Counter()
    unsafe memory = .allocate(capacity: max(1, ioBufferFrames * channelCount))
    unsafe memory.initialize(repeating: 0, count: max(1, ioBufferFrames * channelCount))
    if let ring = session.configuration.capture, channelCount > 0 {
      writer = CaptureWriter(ring, channelCount: channelCount)
      self.ring = ring.access
    } else {
      writer = nil
      ring = nil
    }
  }

  deinit { unsafe memory.deallocate() }

  /// Puts the frames of the next pull into the ring, as far ahead as the ring's reader wants to be.
  /// Returns how many there was no room for.
  func feed(_ frameCount: Int) throws(ServiceError) -> Int {
    guard channelCount > 0 else { return 0 }
    position.pulled += frameCount
    let end = position.pulled + (ring?.lead ?? 0)
    var dropped = 0
    while position.heard < end {
      let length = min(ioBufferFrames, end - position.heard)
      if let microphone {
        let buffer = unsafe ChannelBuffer(base: memory, count: length * channelCount)
        try microphone(position.heard, buffer)
      }
      position.heard += length
      switch writer {
      case .some(let writer): dropped += unsafe writer.write(memory, frameCount: length)
      case .none: break
      }
    }
    return dropped
  }
}
