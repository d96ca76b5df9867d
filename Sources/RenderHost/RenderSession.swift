public import AudioTypes
import CShims
public import RenderCore
import Synchronization

/// A running graph, as a device sees it: the control thread posts plans, the device pulls slices.
///
/// `@unchecked Sendable`: all mutable state is either atomic, locked, or used only by the thread
/// that pulls.
@safe
public final class RenderSession: @unchecked Sendable {
  /// The settings that do not change with the plan.
  public struct Configuration: Sendable {
    /// The sample type of the bus that feeds the output unit; `nil` where output is off.
    public var client: SampleType?
    /// The device's format: interleaved, with a sample type that a bus can carry; `nil` for no
    /// output.
    public var device: StreamFormat?
    /// The client's channel for each channel of the device, or -1 for silence.
    public var channelMap: [Int]
    /// The ring that the device writes captured frames into; `nil` where input is off.
    public var capture: FrameRing?
    /// The device's rate, in which pulls are counted, in Hz.
    public var sampleRate: Double
    /// The rate of the plans, in Hz; `nil` for the device's. At another rate the session resamples
    /// the output. This adds no delay: at the beginning the plan renders the look-ahead of the
    /// filter in addition. The filter computes in floats, so that `int32` and `fixed8.24` samples
    /// keep 24 bits.
    public var clientSampleRate: Double?
    /// Whether samples that are not finite become silence, and are counted. Otherwise a device with
    /// float samples gets them.
    public var silencesNonFinite: Bool
    /// The number of threads that render a plan made for several, the pulling one included.
    public var threadCount: Int
    /// Whether a clock times the pulls: the helpers then sleep between pulls, and help only where one
    /// thread is loaded. Otherwise they spin between slices, for a host that pulls as fast as it can.
    public var inRealTime: Bool
    /// The dither for the output, where the device takes integers.
    public var dither: BusDither

    public init(
      client: SampleType?, device: StreamFormat?, channelMap: [Int] = [], capture: FrameRing? = nil,
      sampleRate: Double, clientSampleRate: Double? = nil, silencesNonFinite: Bool = false,
      threadCount: Int = 1, inRealTime: Bool = false, dither: BusDither = .none
    ) {
      precondition(threadCount > 0, "somebody renders")
      self.threadCount = threadCount
      self.inRealTime = inRealTime
      self.dither = dither
      self.silencesNonFinite = silencesNonFinite
      self.client = client
      self.device = device
      self.channelMap = channelMap
      self.capture = capture
      self.sampleRate = sampleRate
      self.clientSampleRate = clientSampleRate
    }
  }

  /// The configuration that it was made with.
  public let configuration: Configuration
  /// The timeline of the stage posted last. It moves controls at times counted in frames of the
  /// plans from the beginning.
  let timeline = Mutex<RenderTimeline?>(nil)
  let queue = PlanQueue()
  package let helpers: RenderHelpers?
  /// Shares the services with the helpers before a slice.
  let round = ServiceRound()
  /// The crew of `helpers`, for the thread that pulls.
  let crew: Unmanaged<RenderCrew>?
  var trial = CrewTrial()
  /// In the place of `trial` where a clock times the pulls.
  var loadTrial: LoadTrial
  var current: PlanQueue.Handle?
  let hasOutput: Bool
  let encoder: DeviceEncoder
  let rounding: DitheredRounding
  private let channelMap: UnsafeMutableBufferPointer<Int>
  let nanosecondsPerFrame: Double
  var gain: LinearRamp
  /// After the fade, before the device.
  var limiter: OutputLimiter
  /// In frames of the device, without those before the start time.
  var sampleTime: Int = 0
  /// In frames of the plans; equal to `sampleTime` at equal rates.
  var clientTime: Int = 0
  /// Frames rendered before a device started, and whether `continueAfterAdvance(beginning:)` is to
  /// follow.
  var advance = (frames: 0, isNew: false)
  /// The time stamp of frame 0 of `clientTime`.
  var firstTime: Int = 0
  /// When the first frame is due, in nanoseconds of the monotonic clock; 0 for at once.
  var startHostTime: UInt64 = 0
  /// Frames of silence of the device left before the first frame.
  var framesToWait: Int = 0
  /// The rate of the plans.
  public let clientRate: Double
  /// `nil` at equal rates, and without an output.
  let resampler: UnsafeMutablePointer<SessionResampler>?

  // Written by the thread that pulls, read by others.
  let failures = Atomic<Int>(0)
  let lastFailure = Atomic<Int32>(0)
  let rendered = Atomic<Int>(0)
  let waited = Atomic<Int>(0)
  let busy = Atomic<UInt64>(0)
  let peakLoad = Atomic<UInt64>(0)
  let slices = Atomic<Int>(0)
  /// In real time: the number of threads that helped with the last pull.
  let helpingThreads = Atomic<Int>(0)
  let outputPeak = Atomic<UInt32>(0)
  let limitedFrames = Atomic<Int>(0)
  let silencedSamples = Atomic<Int>(0)
  /// The smallest gain of the limiter, as the bits of a float; `leastGainShown` is for the host's
  /// display.
  let leastGain = Atomic<UInt32>(Float(1).bitPattern)
  let leastGainShown = Atomic<UInt32>(Float(1).bitPattern)
  let next = Atomic<Int>(0)
  /// Holds the clients' scheduled changes, and the identity of the rendering thread.
  let scheduler: Unmanaged<ParameterScheduler>
  /// The frames of the last pull that were copied from a bus and measured at once, and their peak.
  var measured = (frames: 0, peak: Float(0))
  // The current slice: its frames, the frames left of it, its time stamp, and the first failure in
  // it.
  var sliceLength = 0
  var sliceRest = 0
  var sliceTime = TimeStamp(sampleTime: 0)
  var sliceStatus = Status.ok
  // Written by the control thread.
  let limit = Atomic<Int>(.max)
  /// The bits of a float.
  let outputLimit = Atomic<UInt32>(Float.infinity.bitPattern)
  let isFadingOut = Atomic<Bool>(false)
  let hasFadedOut = Atomic<Bool>(false)
  /// 0 for playing, 1 for a pause after a fade, 2 for a pause at once.
  let pausing = Atomic<Int>(0)
  /// Whether a client pauses it, apart from the host's `pausing`.
  let isHolding = Atomic<Bool>(false)
  /// Whether the output is discarded.
  let isUnheard = Atomic<Bool>(false)
  /// Whether a pause has reached silence. Written by the thread that pulls.
  let hasPaused = Atomic<Bool>(false)
  /// The frames of a fade.
  let fadeFrames: Int
  /// The value of `pausing` at the last pull, and the frames left of its fade.
  var held = (kind: 0, frames: 0)

  /// - Parameter scheduler: Holds the clients' scheduled parameter changes. It serves one session
  ///   at a time.
  public init(
    _ configuration: Configuration, scheduler: ParameterScheduler = ParameterScheduler()
  ) {
    self.configuration = configuration
    let threadCount = configuration.threadCount
    helpers =
      threadCount > 1
      ? RenderHelpers(count: threadCount - 1, inRealTime: configuration.inRealTime) : nil
    loadTrial = LoadTrial(threadCount: threadCount)
    unsafe crew = helpers.map { unsafe .passUnretained($0.crew) }
    scheduler.restart()
    scheduler.noteStages(posted: 0)
    scheduler.noteStages(begun: 0)
    unsafe self.scheduler = .passRetained(scheduler)
    let device = configuration.device ?? StreamFormat(.float32, channels: 1, sampleRate: 1)
    hasOutput = configuration.client != nil && configuration.device != nil
    let map = hasOutput ? configuration.channelMap : [-1]
    precondition(map.count == device.channelCount, "a channel map has an entry for each channel")
    unsafe channelMap = .allocate(capacity: map.count)
    _ = unsafe channelMap.initialize(fromContentsOf: map)
    let clientRate = configuration.clientSampleRate ?? configuration.sampleRate
    precondition(
      clientRate > 0 && configuration.sampleRate > 0 && clientRate.isFinite
        && configuration.sampleRate.isFinite, "a sample rate is over 0")
    self.clientRate = clientRate
    let client = configuration.client ?? .float32
    if hasOutput && clientRate != configuration.sampleRate {
      unsafe resampler = .allocate(capacity: 1)
      unsafe resampler!.initialize(
        to: SessionResampler(
          client: client, channelCount: max(1, (map.max() ?? -1) + 1), clientRate: clientRate,
          deviceRate: configuration.sampleRate))
    } else {
      unsafe resampler = nil
    }
    encoder = unsafe DeviceEncoder(
      client: resampler == nil ? client : .float32, device: device, map: channelMap.baseAddress!)
    rounding = DitheredRounding(configuration.dither, to: device)
    nanosecondsPerFrame = 1e9 / max(1, configuration.sampleRate)
    // 20 ms: short enough for Ctrl-C, long enough to avoid a click.
    fadeFrames = max(1, Int(configuration.sampleRate * 0.02))
    gain = LinearRamp(1, length: fadeFrames)
    limiter = OutputLimiter(sampleRate: max(1, configuration.sampleRate))
  }

  deinit {
    unsafe queue.end(current)
    unsafe scheduler.release()
    unsafe channelMap.deallocate()
    unsafe resampler?.deinitialize(count: 1)
    unsafe resampler?.deallocate()
  }
}

/// The larger of two magnitudes. NaN is above any number.
@_noLocks
func largerMagnitude(_ one: Float, _ other: Float) -> Float {
  // Magnitudes of floats have the order of their bit patterns.
  one.bitPattern > other.bitPattern ? one : other
}

@_semantics("no_performance_analysis")
func threadIdentity() -> UInt { shims_thread_identity() }

// A system call, before the part of a pull that may make none.
@_semantics("no_performance_analysis")
func wakeHelpers(of crew: Unmanaged<RenderCrew>) {
  unsafe crew._withUnsafeGuaranteedRef { $0.gather() }
}

@_semantics("no_performance_analysis")
func enterRealTime() { shims_real_time_enter() }

@_semantics("no_performance_analysis")
func leaveRealTime() { shims_real_time_exit() }

@_semantics("no_performance_analysis")
func denormalsOff() -> UInt32 { shims_denormals_off() }

@_semantics("no_performance_analysis")
func restoreDenormals(_ previous: UInt32) {
  shims_denormals_restore(previous)
}
