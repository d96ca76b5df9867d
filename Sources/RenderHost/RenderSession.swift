public import AudioTypes
import CShims
public import RenderCore
import Synchronization

/// A running graph, as a device sees it: plans are posted on one side, slices pulled on the other.
///
/// `@unchecked Sendable`: what is not atomic belongs to the thread that pulls.
@safe
public final class RenderSession: @unchecked Sendable {
  /// What stays as it is from plan to plan.
  public struct Configuration: Sendable {
    /// The sample type of the bus that the output unit is fed by; `nil` where output is off.
    public var client: SampleType?
    /// What the device takes: interleaved, one of the sample types of a bus.
    public var device: StreamFormat?
    /// For each channel of the device the client's channel, or -1 for silence.
    public var channelMap: [Int]
    /// Where the device puts down what the microphone hears; `nil` where input is off.
    public var capture: FrameRing?
    /// The rate in which pulls are counted, in Hz: the device's.
    public var sampleRate: Double
    /// The rate that the plans run at, in Hz; `nil` for the device's. Where it is another one, the
    /// session converts what it plays: without a delay, because it asks the plan for as many more
    /// frames, at the beginning, as the filter looks ahead. The filter's numbers are floats, so that
    /// 24 bits of a client's `int32` or `fixed8.24` get through.
    public var clientSampleRate: Double?
    /// Whether what is infinite or no number is put out as silence, and counted. Otherwise a device that
    /// takes floats is given it.
    public var silencesNonFinite: Bool
    /// How many threads render a plan that is one for several, the one that pulls among them. Those
    /// that help it spin between slices: it is for hosts that pull as fast as they can.
    public var threadCount: Int
    /// How what is played is rounded to a device's integers.
    public var dither: BusDither

    public init(
      client: SampleType?, device: StreamFormat?, channelMap: [Int] = [], capture: FrameRing? = nil,
      sampleRate: Double, clientSampleRate: Double? = nil, silencesNonFinite: Bool = false,
      threadCount: Int = 1, dither: BusDither = .none
    ) {
      precondition(threadCount > 0, "somebody renders")
      self.threadCount = threadCount
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

  /// What it was made for.
  public let configuration: Configuration
  /// What moves controls at its times, counted in frames of the plans from the beginning: that of the
  /// stage that was posted last.
  let timeline = Mutex<RenderTimeline?>(nil)
  let queue = PlanQueue()
  let helpers: RenderHelpers?
  /// What the thread that pulls shares with them before a slice.
  let round = ServiceRound()
  /// The helpers', for the thread that pulls.
  let crew: Unmanaged<RenderCrew>?
  var current: PlanQueue.Handle?
  let hasOutput: Bool
  let encoder: DeviceEncoder
  let rounding: DitheredRounding
  private let channelMap: UnsafeMutableBufferPointer<Int>
  let nanosecondsPerFrame: Double
  var gain: LinearRamp
  /// Behind the fade, in front of the device.
  var limiter: OutputLimiter
  /// In frames of the device.
  var sampleTime: Int = 0
  /// In frames of the plans; the same as `sampleTime` at equal rates.
  var clientTime: Int = 0
  /// Frames that were rendered before anybody heard them, and whether `goOn(beginning:)` is to follow.
  var advance = (frames: 0, isNew: false)
  /// Where `clientTime` began, for those who read time stamps.
  var firstTime: Int = 0
  /// When the first frame is due, on the host's clock; 0 for at once.
  var startHostTime: UInt64 = 0
  /// Frames of the device to let go by in silence before the first frame.
  var framesToWait: Int = 0
  let clientRate: Double
  /// `nil` at equal rates, and where nothing is put out.
  let resampler: UnsafeMutablePointer<SessionResampler>?

  // Written by the thread that pulls, read by the other.
  let failures = Atomic<Int>(0)
  let lastFailure = Atomic<Int32>(0)
  let rendered = Atomic<Int>(0)
  let waited = Atomic<Int>(0)
  let busy = Atomic<UInt64>(0)
  let peakLoad = Atomic<UInt64>(0)
  let slices = Atomic<Int>(0)
  let outputPeak = Atomic<UInt32>(0)
  let limitedFrames = Atomic<Int>(0)
  let silencedSamples = Atomic<Int>(0)
  /// The smallest gain of the limiter, as the bits of a float, for each who asks.
  let leastGain = Atomic<UInt32>(Float(1).bitPattern)
  let leastGainShown = Atomic<UInt32>(Float(1).bitPattern)
  let next = Atomic<Int>(0)
  /// What clients have scheduled, and the thread that renders.
  let scheduler: Unmanaged<ParameterScheduler>
  // The slice that is being rendered: its frames, those that are left of it, when it began, and the
  // first failure in it.
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
  /// 0 where it plays, 1 for a pause after a fade, 2 for one at once.
  let pausing = Atomic<Int>(0)
  /// Whether a client has it pause, whatever the host has.
  let isHolding = Atomic<Bool>(false)
  /// Whether nobody hears what is rendered.
  let isUnheard = Atomic<Bool>(false)
  /// Whether a pause has come to silence. Written by the thread that pulls.
  let hasPaused = Atomic<Bool>(false)
  /// How many frames a fade takes.
  let fadeFrames: Int
  /// What of `pausing` the last pull went by, and the frames of its fade that are still to come.
  var held = (kind: 0, frames: 0)

  /// - Parameter scheduler: Where clients schedule parameter changes; no other session that is still
  ///   pulled has it.
  public init(
    _ configuration: Configuration, scheduler: ParameterScheduler = ParameterScheduler()
  ) {
    self.configuration = configuration
    helpers =
      configuration.threadCount > 1 ? RenderHelpers(count: configuration.threadCount - 1) : nil
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
    // 20 ms: short enough for Ctrl-C, long enough not to click.
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

@_semantics("no_performance_analysis")
func threadIdentity() -> UInt { shims_thread_identity() }

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
