/// How a patch plays.
public struct ControlStatus: Hashable, Sendable {
  /// The title of the patch.
  public var title: String?
  /// The path of its file; `<stdin>` for standard input.
  public var file: String
  public var state: ControlState
  /// Seconds that have been rendered.
  public var position: Double
  /// Seconds until the end, from the beginning; `nil` for none.
  public var duration: Double?
  /// The entity tag of the document that plays.
  public var tag: String
  public var grant: ControlGrant
  /// What is kept of what is played because it has run dry; `nil` for no more than was asked for.
  public var raisedLatency: ControlRaisedLatency?
  /// The share of a slice's duration that its render takes, 0 to 1: on average.
  public var load: Double
  /// The same: the largest since the last time that it was asked for.
  public var peakLoad: Double
  /// How often the device had to play what was not there, since the beginning.
  public var underruns: Int
  /// How many of them have which cause, and how often files were late: in a fixed order.
  public var underrunCauses: [ControlCount] = []
  /// Times that a device went and was waited for.
  public var deviceLosses = 0
  /// How often something has happened to files, by what it was: in a fixed order.
  public var fileEvents: [ControlCount] = []
  /// How often what the device heard was not taken in time.
  public var overruns: Int
  /// Slices that could not be rendered.
  public var failedSlices: Int
  /// Frames of files that were not read, or not written, in time.
  public var lostFrames: Int
  /// What keeps the output below a level; `nil` for nothing.
  public var outputLimit: ControlLimit?
  /// Samples that were no finite numbers and became silence.
  public var silencedSamples = 0
  /// Changes that have been accepted and do not sound yet.
  public var pendingStages: Int
  /// Whether the file of the patch says what is set now.
  public var isSaved: Bool
  /// Whether there is a file that may be written.
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

/// How often something has happened.
public struct ControlCount: Hashable, Sendable {
  public var name: String
  public var count: Int

  public init(_ name: String, _ count: Int) {
    self.name = name
    self.count = count
  }
}

/// A level that nothing which is put out is ever above.
public struct ControlLimit: Hashable, Sendable {
  /// In decibels of which 0 is full scale.
  public var level: Double
  /// Seconds of sound that have been turned down.
  public var seconds: Double
  /// By how many decibels: the most since the last time that it was asked for.
  public var reduction: Double

  public init(level: Double, seconds: Double, reduction: Double) {
    self.level = level
    self.seconds = seconds
    self.reduction = reduction
  }
}

/// A latency that is longer than was asked for, since the device has run dry. All of it in seconds.
public struct ControlRaisedLatency: Hashable, Sendable {
  /// What the device was asked to keep of what is played.
  public var asked: Double
  /// What it keeps now.
  public var granted: Double
  /// For how long it has been more than was asked for.
  public var age: Double
  /// The time until a slice is given back, where nothing runs dry; `nil` while nothing is played.
  public var timeUntilLess: Double?

  public init(asked: Double, granted: Double, age: Double, timeUntilLess: Double?) {
    self.asked = asked
    self.granted = granted
    self.age = age
    self.timeUntilLess = timeUntilLess
  }
}

/// Where a run is.
public enum ControlState: String, Hashable, Sendable, CaseIterable {
  /// It has not made a sound yet.
  case starting
  case playing
  /// Somebody has asked for silence: it goes on where it is when that is asked for.
  case paused
  /// The session is interrupted: it is silent, and will go on.
  case interrupted
  /// There is no device: it is waited for.
  case waiting
  /// It fades out and finishes its files.
  case stopping
  case ended

  /// Whether it plays, or would if nothing but its device held it up: it can be paused and changed.
  public var isUnderWay: Bool { [.playing, .interrupted, .waiting].contains(self) }
}

/// What a device has granted.
public struct ControlGrant: Hashable, Sendable {
  /// A side of the device.
  public struct Device: Hashable, Sendable {
    public var name: String
    public var channels: Int
    /// Seconds from the graph to the ear, or from the microphone to the graph.
    public var latency: Double

    public init(name: String, channels: Int, latency: Double) {
      self.name = name
      self.channels = channels
      self.latency = latency
    }
  }

  /// What is played on; `nil` where nothing is played.
  public var sink: Device?
  /// What is heard; `nil` where nothing is.
  public var source: Device?
  /// Hertz.
  public var sampleRate: Double
  public var sliceFrames: Int
  /// How the render thread is scheduled: `SCHED_RR 5`. Empty where that is not known.
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
