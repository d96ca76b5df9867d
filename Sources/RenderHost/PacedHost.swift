import AudioTypes
import Glibc
import RenderCore
import Synchronization

/// Pulls by the clock and plays nothing, for a live run without a sound server.
@safe
public final class PacedHost: AudioHardware {
  public let grant: HardwareGrant
  private let speed: Double
  private let collects: Bool
  private let microphone: Microphone?
  private let isStopping = Atomic<Bool>(false)
  private let hasPulled = Atomic<Bool>(false)
  private let dropped = Atomic<Int>(0)
  private let late = Atomic<Int>(0)
  private let state = Mutex(State())

  private struct State {
    var thread: HostThread?
    var collected: [UInt8] = []
    var failure: HardwareError?
  }

  /// - Parameters:
  ///   - grant: What is granted; a pull asks for `ioBufferFrames`.
  ///   - speed: Faster than the clock by this factor, for tests.
  ///   - collects: Whether to keep the output, for `collected`.
  ///   - microphone: Its frame n is captured with frame n of the output. Called in the thread that
  ///     pulls.
  public init(
    _ grant: HardwareGrant, speed: Double = 1, collects: Bool = false,
    microphone: Microphone? = nil
  ) {
    precondition(grant.ioBufferFrames > 0 && grant.sampleRate > 0, "a pace needs a rate")
    precondition(speed > 0, "time goes forward")
    self.grant = grant
    self.speed = speed
    self.collects = collects
    self.microphone = microphone
  }

  deinit { stop() }

  /// The output so far, in the bytes of the device format.
  public var collected: [UInt8] { state.withLock { $0.collected } }

  /// Frames of the microphone that nothing read.
  public var droppedFrames: Int { dropped.load(ordering: .relaxed) }

  /// Pulls that were more than a slice late.
  public var latePulls: Int { late.load(ordering: .relaxed) }

  /// The microphone's failure, which ends the pulls.
  public var failure: HardwareError? { state.withLock { $0.failure } }

  /// Starts a thread that pulls the session. Returns after the first pull, or after a `failure`.
  ///
  /// - Throws: `systemError` where the thread cannot be started.
  public func start(_ session: RenderSession) throws(HardwareError) {
    stop()
    isStopping.store(false, ordering: .relaxed)
    hasPulled.store(false, ordering: .relaxed)
    // `stop`, which `deinit` calls, joins the thread, so that the reference cannot dangle.
    let host = unsafe Unmanaged.passUnretained(self)
    let thread = try HostThread("patchrun pace") {
      unsafe host._withUnsafeGuaranteedRef { $0.run(session) }
    }
    state.withLock { $0.thread = thread }
    let begin = monotonicNanoseconds()
    while !hasPulled.load(ordering: .acquiring) && failure == nil { pause(waitingSince: begin) }
  }

  /// Stops the pulls, and waits for the thread to end.
  public func stop() {
    isStopping.store(true, ordering: .relaxed)
    let thread = state.withLock { state in
      defer { state.thread = nil }
      return state.thread
    }
    thread?.join()
  }

  // MARK: Render thread

  private func run(_ session: RenderSession) {
    let bytesPerFrame = Int(session.configuration.device?.bytesPerFrame ?? 0)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, grant.ioBufferFrames * bytesPerFrame), alignment: 64)
    defer { unsafe memory.deallocate() }
    let feed = MicrophoneFeed(session: session, grant: grant, microphone: microphone)
    let nanoseconds = Double(grant.ioBufferFrames) / grant.sampleRate / speed * 1e9
    let begin = monotonicNanoseconds()
    var slice = 0
    while !isStopping.load(ordering: .relaxed) {
      do throws(ServiceError) {
        dropped.wrappingAdd(try feed.feed(grant.ioBufferFrames), ordering: .relaxed)
      } catch {
        let failure = HardwareError(.deviceLost, "the microphone failed: \(error.message)")
        return state.withLock { $0.failure = failure }
      }
      unsafe session.pull(
        grant.ioBufferFrames, into: bytesPerFrame > 0 ? memory.baseAddress : nil)
      if collects, bytesPerFrame > 0 {
        let bytes = unsafe [UInt8](memory)
        state.withLock { $0.collected += bytes }
      }
      hasPulled.store(true, ordering: .releasing)
      slice += 1
      let due = begin + UInt64(Double(slice) * nanoseconds)
      if monotonicNanoseconds() > due + UInt64(nanoseconds) {
        late.wrappingAdd(1, ordering: .relaxed)
      }
      var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
  }
}
