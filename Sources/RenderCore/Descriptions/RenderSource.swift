public import AudioTypes

/// What feeds an input bus in the place of a connection: Core Audio's render callback, before it
/// knows the bus.
public protocol RenderCallback: Sendable {
  /// Whether the callback pulls something upstream itself, and hands it on.
  var input: CallbackInput { get }

  /// Frames until the callback has nothing more to say, at the rate of `format`; `nil` where it
  /// never ends. For one that pulls something: frames that it goes on after that has ended.
  func duration(for format: StreamFormat) -> Int?

  /// Why the callback cannot feed a bus of `format`: a file that is not there, say. Empty for no
  /// reason. `makeSource` fails exactly where this is not empty.
  func problems(for format: StreamFormat) -> [CallbackProblem]

  /// Warnings about how the callback feeds a bus of `format`, none of which keeps it from doing so:
  /// a file that is cut off. Asked where there are no problems.
  func warnings(for format: StreamFormat) -> [CallbackProblem]

  /// How far what it puts out goes.
  ///
  /// - Parameter level: How far what it pulls goes.
  func peak(pulling level: PeakLevel) -> PeakLevel

  /// About how many bytes a source of `makeSource` takes, apart from a few thousand that each takes.
  /// Asked before anything is allocated, and also where there are problems.
  func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int

  /// Whether a callback that rounds samples to its bus's integers gives them as floats if it is made for a
  /// bus of floats, as good as it has them: where the bus is dithered, the plan rounds them.
  var canLeaveRounding: Bool { get }

  /// Makes the callback's two halves for the bus it is to feed.
  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource
}

extension RenderCallback {
  public var input: CallbackInput { .none }

  public var canLeaveRounding: Bool { false }

  public func peak(pulling level: PeakLevel) -> PeakLevel { .unknown }

  public func warnings(for format: StreamFormat) -> [CallbackProblem] { [] }

  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int { 0 }
}

/// Whether a callback pulls something upstream.
public enum CallbackInput: Hashable, Sendable {
  /// It makes its own sound.
  case none
  /// It may be given something to pull.
  case optional
  /// There is nothing to it without.
  case required
}

/// Why a callback or a tap cannot do its work.
public struct CallbackProblem: Error, Hashable, Sendable {
  /// What is in the way.
  public enum Kind: Hashable, Sendable {
    case fileNotFound, fileUnreadable, notAudio, unwritable, badSetting, formatNotSupported
    /// Something is there that patchrun has not written.
    case notOwn
    /// The path of what is written has words in it that mean nothing.
    case takeName
    /// An impulse response lasts longer than is allowed.
    case responseTooLong
  }

  /// What is in the way.
  public var kind: Kind
  /// What the call returns that finds it.
  public var status: Status
  /// A sentence that starts in lower case.
  public var message: String
  /// What to do about it; empty for nothing.
  public var help: String
  /// The setting that is to blame: the key in a patch, such as `path`.
  public var setting: String?
  /// Of a setting that has names in it the one that is to blame.
  public var member: String?
  /// Which bytes (UTF-8) of the setting's text are to blame; `nil` for the setting as a whole.
  public var range: Range<Int>?
  /// A name that is not known.
  public var unknown: UnknownName?

  /// A name that is not known, and those that are: for a guess at what was meant.
  public struct UnknownName: Hashable, Sendable {
    public var name: String
    /// Those that are known.
    public var candidates: [String]

    /// - Parameter candidates: Those that are known.
    public init(_ name: String, among candidates: [String]) {
      self.name = name
      self.candidates = candidates
    }
  }

  public init(
    _ kind: Kind, status: Status, _ message: String, help: String = "", setting: String? = nil,
    member: String? = nil, range: Range<Int>? = nil, unknown: UnknownName? = nil
  ) {
    self.kind = kind
    self.status = status
    self.message = message
    self.help = help
    self.setting = setting
    self.member = member
    self.range = range
    self.unknown = unknown
  }
}

/// A callback made for one bus: a kernel that fills output 0.
///
/// Where it pulls something upstream, that is input 0, as floats, with the channels and at the rate
/// of the bus; else there is no input.
public struct RenderSource: Sendable {
  /// Fills output 0 of each slice.
  public var kernel: KernelBox
  /// Whether the kernel writes what the bus's format can hold, in the bus's own words. Otherwise it
  /// writes floats, and the plan rounds them.
  public var writesBusWords: Bool
  /// Frames until it ends, or goes on after what it pulls has ended; `nil` where it never ends.
  public var duration: Int?
  /// The half that reads ahead, where there is one.
  public var service: (any RenderService)?
  /// Where it is, for a source that takes its place and goes on; `nil` where none can.
  public var clock: SourceClock?
  /// What `duration` is after live settings have been turned; `nil` where it stays.
  public var durationNow: (@Sendable () -> Int?)?

  public init(
    kernel: KernelBox, writesBusWords: Bool = false, duration: Int? = nil,
    service: (any RenderService)? = nil, clock: SourceClock? = nil,
    durationNow: (@Sendable () -> Int?)? = nil
  ) {
    self.kernel = kernel
    self.writesBusWords = writesBusWords
    self.duration = duration
    self.service = service
    self.clock = clock
    self.durationNow = durationNow
  }
}

/// What watches a bus: a recording, a meter.
public protocol RenderTap: Sendable {
  /// Why the tap cannot watch a bus of `format`. `makeSink` may still fail where the world changes
  /// in between; nothing is created or opened for writing here.
  func problems(for format: StreamFormat) -> [CallbackProblem]

  /// About how many bytes a sink of `makeSink` takes, apart from a few thousand that each takes.
  func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int

  func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink
}

extension RenderTap {
  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int { 0 }
}

/// A tap made for one bus: a kernel that reads input 0, in the bus's own words, and writes nothing.
public struct RenderSink: Sendable {
  /// Reads input 0 of each slice.
  public var kernel: KernelBox
  /// The half that writes what has come, where there is one.
  public var service: (any RenderService)?
  /// What is asked for the readings of a tap that measures.
  public var reader: (any TapReader)?

  public init(
    kernel: KernelBox, service: (any RenderService)? = nil, reader: (any TapReader)? = nil
  ) {
    self.kernel = kernel
    self.service = service
    self.reader = reader
  }
}

/// The half of a callback or a tap that may wait for a disk, beside the render thread.
///
/// The host calls it before the first slice and then again and again: live, from a thread of its
/// own, as often as `secondsToSpare(atLeast:)` asks for; offline, between slices, in one of the threads
/// that render, beside calls of other services. Never two calls at a time.
public protocol RenderService: AnyObject, Sendable {
  /// Reads ahead as far as there is room, or writes down what has come. After it returns there are
  /// at least `frameCount` frames to read, or room for as many.
  func service(atLeast frameCount: Int) throws(ServiceError)

  /// In how many seconds a live host calls `service(atLeast:)` again, at the latest, with the same
  /// number of frames: what has been read ahead, or the room that is left, lasts for longer. Asked after
  /// each of those calls. 0 or less asks to be called as soon as the host can.
  func secondsToSpare(atLeast frameCount: Int) -> Double

  /// `service(atLeast:)` for a host that calls before each slice, in the slice's own thread: nothing
  /// need be read further ahead than so many frames, and what is read is still in the cache when it is
  /// played.
  func service(inStepFor frameCount: Int) throws(ServiceError)

  /// Writes what is left, makes what is written whole, and closes what is open. Called once, when no
  /// slice follows.
  func finish() throws(ServiceError)

  /// Closes what is open in the place of `finish()`, where the run has failed: nothing takes the place
  /// of what was there before.
  func abandon()

  /// What went wrong on the render side so far: frames that were not there in time, or that there
  /// was no room for.
  var lostFrames: Int { get }

  /// What has happened to files since the last call, in order. The sound goes on through all of it.
  func takeEvents() -> [ServiceEvent]

  /// What is happening to a file at this moment and has not been told: its end is an event of
  /// `takeEvents()`. Any thread but the render thread, also while another call waits for the disk.
  func takeOngoingEvent() -> ServiceEvent?

  /// Tells a recording that time has passed of which the run has heard nothing: `seconds` of it, between
  /// two frames of which the second came `ago` seconds before this call.
  func noteGap(seconds: Double, ago: Double, cause: String)
}

extension RenderService {
  public func secondsToSpare(atLeast frameCount: Int) -> Double { 0 }

  public func service(inStepFor frameCount: Int) throws(ServiceError) {
    try service(atLeast: frameCount)
  }

  public func abandon() {
    do throws(ServiceError) { try finish() } catch {}
  }

  public func takeEvents() -> [ServiceEvent] { [] }

  public func takeOngoingEvent() -> ServiceEvent? { nil }

  public func noteGap(seconds: Double, ago: Double, cause: String) {}

  /// The same where the second frame is the next one.
  public func noteGap(seconds: Double, cause: String) {
    noteGap(seconds: seconds, ago: 0, cause: cause)
  }
}

/// A file that failed while the graph was running.
public struct ServiceError: Error, Hashable, Sendable {
  /// A sentence that starts in lower case and names the file.
  public var message: String
  public init(_ message: String) { self.message = message }
}
