/// The status of a run.
public struct ControlStatus: Hashable, Sendable {
  /// The title of the patch.
  public var title: String?
  /// The path of the patch's file; `<stdin>` for standard input.
  public var file: String
  public var state: ControlState
  /// The rendered seconds.
  public var position: Double
  /// The total duration in seconds; `nil` without an end.
  public var duration: Double?
  /// The entity tag of the document that plays.
  public var tag: String
  public var grant: ControlGrant
  /// The raised output latency; `nil` if the latency is as requested.
  public var raisedLatency: ControlRaisedLatency?
  /// The average load: the render time of a slice divided by its duration.
  public var load: Double
  /// The largest load since the last request of the status.
  public var peakLoad: Double
  /// The number of threads that rendered the last slice.
  public var renderThreads = 1
  /// The underruns of the device since the beginning.
  public var underruns: Int
  /// The number of underruns by cause, in a fixed order. Late files are counted, too.
  public var underrunCauses: [ControlCount] = []
  /// How often a device was lost and the run waited for it.
  public var deviceLosses = 0
  /// The number of file events by kind, in a fixed order.
  public var fileEvents: [ControlCount] = []
  /// How often input of the device was lost.
  public var overruns: Int
  /// Slices that failed to render.
  public var failedSlices: Int
  /// Frames of files that were not read or written in time.
  public var lostFrames: Int
  /// The output limit; `nil` for none.
  public var outputLimit: ControlLimit?
  /// Samples that were not finite and were replaced by silence.
  public var silencedSamples = 0
  /// Accepted changes that are not heard yet.
  public var pendingStages: Int
  /// Whether the file has the current settings.
  public var isSaved: Bool
  /// Whether the patch has a writable file.
  public var canSave: Bool

  public init(
    title: String?, file: String, state: ControlState, position: Double, duration: Double?,
    tag: String, grant: ControlGrant, load: Double, peakLoad: Double, underruns: Int,
    overruns: Int, failedSlices: Int, lostFrames: Int, pendingStages: Int,
    isSaved: Bool, canSave: Bool
  ) {
    self.title = title
    self.file = file
    self.state = state
    self.position = position
    self.duration = duration
    self.tag = tag
    self.grant = grant
    self.load = load
    self.peakLoad = peakLoad
    self.underruns = underruns
    self.overruns = overruns
    self.failedSlices = failedSlices
    self.lostFrames = lostFrames
    self.pendingStages = pendingStages
    self.isSaved = isSaved
    self.canSave = canSave
  }
}

/// A named count.
public struct ControlCount: Hashable, Sendable {
  public var name: String
  public var count: Int

  public init(_ name: String, _ count: Int) {
    self.name = name
    self.count = count
  }
}

/// The output limit.
public struct ControlLimit: Hashable, Sendable {
  /// The level in dBFS.
  public var level: Double
  /// Seconds of sound in which it acted.
  public var seconds: Double
  /// The largest reduction in decibels since the last request of the status.
  public var reduction: Double

  public init(level: Double, seconds: Double, reduction: Double) {
    self.level = level
    self.seconds = seconds
    self.reduction = reduction
  }
}

/// An output latency above the requested one, raised after an underrun. All values in seconds.
public struct ControlRaisedLatency: Hashable, Sendable {
  /// The requested latency.
  public var asked: Double
  /// The latency that is granted now.
  public var granted: Double
  /// How long the latency has been raised.
  public var age: Double
  /// The time until the latency is lowered by a slice, if there is no further underrun; `nil` while
  /// nothing is played.
  public var timeUntilLess: Double?

  public init(asked: Double, granted: Double, age: Double, timeUntilLess: Double?) {
    self.asked = asked
    self.granted = granted
    self.age = age
    self.timeUntilLess = timeUntilLess
  }
}

/// The state of a run.
public enum ControlState: String, Hashable, Sendable, CaseIterable {
  /// The patch has not played yet.
  case starting
  case playing
  /// Paused by a request.
  case paused
  /// Silent because of an interruption of the session; it will continue.
  case interrupted
  /// Waiting for a lost device.
  case waiting
  /// Fading out and finishing its files.
  case stopping
  case ended

  /// Whether the patch plays, or would without an interruption or a lost device: it can be paused
  /// and changed.
  public var isUnderWay: Bool { [.playing, .interrupted, .waiting].contains(self) }
}

/// The grant of a device.
public struct ControlGrant: Hashable, Sendable {
  /// A side of the device.
  public struct Device: Hashable, Sendable {
    public var name: String
    public var channels: Int
    /// Seconds from the graph to the loudspeaker, or from the microphone to the graph.
    public var latency: Double

    public init(name: String, channels: Int, latency: Double) {
      self.name = name
      self.channels = channels
      self.latency = latency
    }
  }

  /// The sink; `nil` if nothing is played.
  public var sink: Device?
  /// The source; `nil` if nothing is recorded.
  public var source: Device?
  /// Hertz.
  public var sampleRate: Double
  public var sliceFrames: Int
  /// The scheduling of the render thread, such as `SCHED_RR 5`; empty if unknown.
  public var scheduling: String

  public init(
    sink: Device?, source: Device?, sampleRate: Double, sliceFrames: Int, scheduling: String
  ) {
    self.sink = sink
    self.source = source
    self.sampleRate = sampleRate
    self.sliceFrames = sliceFrames
    self.scheduling = scheduling
  }
}
