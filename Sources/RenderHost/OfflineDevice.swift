import AudioTypes
public import RenderCore

/// A device without hardware: an I/O unit runs on it as fast as the processor can, in the calling
/// thread. The same session gives the same bytes every time.
@safe
public struct OfflineDevice: Sendable {
  /// The grant for the session. A pull asks for `ioBufferFrames` frames, the last one possibly for
  /// fewer.
  public let grant: HardwareGrant
  private let microphone: Microphone?

  /// - Parameter microphone: Its frame n is captured with frame n of the output. `nil` is silence,
  ///   where the grant has an input.
  public init(_ grant: HardwareGrant, microphone: Microphone? = nil) {
    precondition(grant.ioBufferFrames > 0, "a slice has at least one frame")
    self.grant = grant
    self.microphone = microphone
  }

  /// The result of a run.
  public struct Outcome: Hashable, Sendable {
    /// Frames given to the sink or, without an output, pulled.
    public var frameCount = 0
    /// Why the run ended early, and services that could not be finished; empty where all went well.
    public var errors: [ServiceError] = []
    /// Frames pulled first, and not given to the sink.
    public var skippedFrames = 0
    /// Frames of files and recordings that were lost.
    public var lostFrames = 0
    /// Frames of the microphone that nothing read.
    public var droppedFrames = 0
    /// Whether `isCancelled` ended the run.
    public var wasCancelled = false
    /// The events of the services, in order.
    public var events: [ServiceEvent] = []

    public init(frameCount: Int = 0) { self.frameCount = frameCount }
  }

  /// What a run does when a file cannot be read.
  public enum ReadErrorPolicy: Sendable {
    /// The run ends with an error.
    case fail
    /// Silence replaces the missing frames, and the run continues.
    case silence
  }

  /// Pulls the session until it has given `frameCount` frames, it has ended, the run is cancelled,
  /// or something fails. Then finishes the services; after a failure it abandons them.
  ///
  /// - Parameters:
  ///   - frameCount: Where to end; `nil` for the end of the session.
  ///   - services: Evaluated before each slice, because a change of the graph changes its services.
  ///   - readErrors: What to do when a file cannot be read.
  ///   - skipping: The number of frames to pull first without giving them to the sink.
  ///   - begin: Called after the skipped frames; never where `skipping` is 0.
  ///   - isCancelled: Called before each slice.
  ///   - progress: Called after each slice with the number of frames pulled so far. Its error ends
  ///     the run.
  ///   - sink: Takes the interleaved bytes of the device format, in order, in pieces of one slice or
  ///     several. Its error ends the run.
  public func run(
    _ session: RenderSession, frameCount: Int? = nil,
    services: @autoclosure () -> [any RenderService] = [],
    readErrors: ReadErrorPolicy = .fail, skipping: Int = 0, begin: () -> Void = {},
    isCancelled: () -> Bool = { false }, progress: (Int) throws(ServiceError) -> Void = { _ in },
    sink: (ArraySlice<UInt8>) throws(ServiceError) -> Void = { (_) throws(ServiceError) in }
  ) -> Outcome {
    run(
      session, frameCount: frameCount, services: services, readErrors: readErrors,
      skipping: skipping, begin: begin, isCancelled: isCancelled, progress: progress,
      sink: { (bytes, _) throws(ServiceError) in try sink(bytes) },
      through: SinkPiece(session, grant, frameCount: frameCount ?? .max))
  }

  /// The same for a sink that a second rendering thread may call, while the first one renders.
  public func run(
    _ session: RenderSession, frameCount: Int? = nil,
    services: @autoclosure () -> [any RenderService] = [],
    readErrors: ReadErrorPolicy = .fail, skipping: Int = 0, begin: () -> Void = {},
    isCancelled: () -> Bool = { false }, progress: (Int) throws(ServiceError) -> Void = { _ in },
    to sink: (any FrameSink)?
  ) -> Outcome {
    run(
      session, frameCount: frameCount, services: services, readErrors: readErrors,
      skipping: skipping, begin: begin, isCancelled: isCancelled, progress: progress,
      sink: { (bytes, peak) throws(ServiceError) in try sink?.take(bytes.span, peak: peak) },
      through: SinkPiece(session, grant, frameCount: frameCount ?? .max, sink: sink))
  }

  private func run(
    _ session: RenderSession, frameCount: Int?, services: () -> [any RenderService],
    readErrors: ReadErrorPolicy, skipping: Int, begin: () -> Void, isCancelled: () -> Bool,
    progress: (Int) throws(ServiceError) -> Void, sink: SinkPiece.Sink,
    through piece: consuming SinkPiece
  ) -> Outcome {
    var outcome = Outcome()
    do throws(ServiceError) {
      try pull(
        session, frameCount: frameCount ?? .max, services: services, readErrors: readErrors,
        skipping: skipping, begin: begin, isCancelled: isCancelled, progress: progress, sink: sink,
        through: &piece, outcome: &outcome)
    } catch {
      outcome.errors.append(error)
    }
    do throws(ServiceError) {
      try piece.give(to: sink, of: &outcome.frameCount, mayLeave: false)
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

  /// Pulls frames without a sink, for a session that continues on another device: its services are
  /// not finished, and silence replaces what cannot be read.
  ///
  /// - Returns: The number of frames pulled.
  /// - Throws: The failure of a service, or of the microphone.
  public func advance(
    _ session: RenderSession, frameCount: Int,
    services: @autoclosure () -> [any RenderService], isCancelled: () -> Bool
  ) throws(ServiceError) -> Int {
    var outcome = Outcome()
    var piece = SinkPiece(session, grant, frameCount: frameCount)
    try pull(
      session, frameCount: frameCount, services: services, readErrors: .silence,
      isCancelled: isCancelled, progress: { _ in },
      sink: { (_, _) throws(ServiceError) in }, through: &piece, outcome: &outcome)
    return outcome.frameCount
  }

  private func pull(
    _ session: RenderSession, frameCount: Int, services: () -> [any RenderService],
    readErrors: ReadErrorPolicy, skipping: Int = 0, begin: () -> Void = {},
    isCancelled: () -> Bool, progress: (Int) throws(ServiceError) -> Void,
    sink: SinkPiece.Sink, through piece: inout SinkPiece, outcome: inout Outcome
  ) throws(ServiceError) {
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
      let rendered = piece.pull(length, of: session)
      if toSkip > 0 {
        piece.drop()
        outcome.skippedFrames += rendered
        if outcome.skippedFrames == skipping { begin() }
        try progress(0)
        continue
      }
      outcome.frameCount += rendered
      if piece.isFull {
        try piece.give(to: sink, of: &outcome.frameCount, mayLeave: !session.trial.isAlone)
      }
      try progress(outcome.frameCount)
    }
  }
}

/// Writes a microphone into a session's ring, slice by slice.
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

  /// Writes the frames for the next pull into the ring, as far ahead as the ring's `lead` asks.
  /// Returns the number of frames that did not fit.
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
