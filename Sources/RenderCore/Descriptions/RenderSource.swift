public import AudioTypes

/// A source that feeds an input bus in place of a connection: Core Audio's render callback.
/// `makeSource` makes it for one bus.
///
/// Used from the control thread.
public protocol RenderCallback: Sendable {
  /// Whether the callback itself pulls an input upstream.
  var input: CallbackInput { get }

  /// The frames that the callback lasts, at the rate of `format`; `nil` where it never ends. For a
  /// callback with an input: the frames that it continues after the input has ended.
  func duration(for format: StreamFormat) -> Int?

  /// The callback itself where it is a `LiveCallback`; `nil` for any other. Asked for in place of a
  /// cast, the first of which looks through all conformances of the program.
  var live: (any LiveCallback)? { get }

  /// Why the callback cannot feed a bus of `format`, a missing file for instance; empty where it
  /// can. `makeSource` fails exactly where this is not empty.
  func problems(for format: StreamFormat) -> [CallbackProblem]

  /// Warnings about how the callback feeds a bus of `format`, such as a truncated file. Called
  /// where there are no problems.
  func warnings(for format: StreamFormat) -> [CallbackProblem]

  /// The peak level of the output.
  ///
  /// - Parameter level: The peak level of the input.
  func peak(pulling level: PeakLevel) -> PeakLevel

  /// Approximately the bytes that `makeSource` allocates, without a few thousand that every source
  /// takes. Called before anything is allocated, also where there are problems.
  func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int

  /// Whether the callback, made for a bus of floats, leaves out the rounding that it does for a bus
  /// of integers. A plan then rounds its floats itself, where the bus is dithered.
  var canLeaveRounding: Bool { get }

  /// Makes the kernel and the service for a bus.
  ///
  /// - Throws: The first of `problems(for:)`.
  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource
}

extension RenderCallback {
  public var input: CallbackInput { .none }

  public var live: (any LiveCallback)? { nil }

  public var canLeaveRounding: Bool { false }

  public func peak(pulling level: PeakLevel) -> PeakLevel { .unknown }

  public func warnings(for format: StreamFormat) -> [CallbackProblem] { [] }

  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int { 0 }
}

/// Whether a callback pulls an input.
public enum CallbackInput: Hashable, Sendable {
  /// It has no input.
  case none
  /// It works with and without an input.
  case optional
  /// It needs an input.
  case required
}

/// Why a callback or a tap cannot work on a bus.
public struct CallbackProblem: Error, Hashable, Sendable {
  /// The kind of problem.
  public enum Kind: Hashable, Sendable {
    case fileNotFound, fileUnreadable, notAudio, unwritable, badSetting, formatNotSupported
    /// The file exists, and another program wrote it.
    case notOwn
    /// The path of a recording contains an unknown word.
    case takeName
    /// An impulse response is longer than allowed.
    case responseTooLong
  }

  /// The kind of problem.
  public var kind: Kind
  /// The status that the failing call returns.
  public var status: Status
  /// What is wrong: a sentence that starts in lower case.
  public var message: String
  /// What the user can do about it; may be empty.
  public var help: String
  /// The setting that causes it: the key in a patch, such as `path`.
  public var setting: String?
  /// The member that causes it, in a setting that is an object of numbers.
  public var member: String?
  /// The range in the UTF-8 bytes of the setting's text; `nil` for the whole setting.
  public var range: Range<Int>?
  /// The unknown name that causes it.
  public var unknown: UnknownName?

  /// An unknown name and the known ones, for a suggestion.
  public struct UnknownName: Hashable, Sendable {
    /// The unknown name.
    public var name: String
    /// The known names.
    public var candidates: [String]

    /// - Parameter candidates: The known names.
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
/// An input is input 0, as floats, with the channels and the rate of the bus.
public struct RenderSource: Sendable {
  /// Fills output 0 of each slice.
  public var kernel: KernelBox
  /// Whether the kernel writes values of the bus's sample type, in the bus's own words. Otherwise
  /// it writes floats, and the plan rounds them.
  public var writesBusWords: Bool
  /// The frames that it lasts, or continues after its input has ended; `nil` where it never ends.
  public var duration: Int?
  /// Reads files ahead; `nil` for none.
  public var service: (any RenderService)?
  /// Its position, for a source that replaces and continues it; `nil` where none can continue it.
  public var clock: SourceClock?
  /// The current `duration`, where live settings change it; `nil` where they do not. Control
  /// thread.
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

/// Observes a bus: a recording, a meter. Used from the control thread.
public protocol RenderTap: Sendable {
  /// Why the tap cannot observe a bus of `format`; empty where it can. Creates nothing and opens
  /// nothing for writing, so that `makeSink` may still fail.
  func problems(for format: StreamFormat) -> [CallbackProblem]

  /// Approximately the bytes that `makeSink` allocates, without a few thousand that every sink
  /// takes.
  func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int

  /// Makes the kernel and the service for a bus. May create files.
  ///
  /// - Throws: The first of `problems(for:)`, or why a file could not be created.
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
  /// Writes the frames to a file; `nil` for none.
  public var service: (any RenderService)?
  /// Reads the measurements of a tap that measures; `nil` for others.
  public var reader: (any TapReader)?

  public init(
    kernel: KernelBox, service: (any RenderService)? = nil, reader: (any TapReader)? = nil
  ) {
    self.kernel = kernel
    self.service = service
    self.reader = reader
  }
}

/// The part of a callback or a tap that reads or writes files, and may wait for the disk: never on
/// the render thread of a live host.
///
/// The host calls it before the first slice, and then repeatedly: live, from a thread for services,
/// as often as `secondsToSpare(atLeast:)` asks; offline, between slices, in one of the rendering
/// threads, in parallel with other services. It makes one call of a service at a time.
public protocol RenderService: AnyObject, Sendable {
  /// Reads ahead as far as there is room, or writes the frames that wait. Afterwards there are at
  /// least `frameCount` frames to read, or room for as many.
  ///
  /// - Throws: A failure that ends the service. The host then only calls `finish()` or `abandon()`.
  func service(atLeast frameCount: Int) throws(ServiceError)

  /// The time for which the frames read ahead, or the room left, suffice: a live host must call
  /// `service(atLeast:)` again, with the same number of frames, before it has passed. In seconds; 0
  /// or less asks for a call as soon as possible. Called after each call of `service(atLeast:)`.
  func secondsToSpare(atLeast frameCount: Int) -> Double

  /// `service(atLeast:)` for a host that calls it before each slice, in the thread that renders the
  /// slice. The service need not read further ahead than `frameCount`, so that the frames are still
  /// in the cache when they are played.
  func service(inStepFor frameCount: Int) throws(ServiceError)

  /// Writes the frames that wait, then completes and closes the files. Called once, after the last
  /// slice.
  ///
  /// - Throws: Why the rest could not be written, or the files not be completed.
  func finish() throws(ServiceError)

  /// Replaces `finish()` where the run has failed: closes the files without replacing earlier ones.
  func abandon()

  /// Frames lost on the render side so far: not read in time, or without room.
  var lostFrames: Int { get }

  /// The events of files since the last call, in order. None of them stopped the sound.
  func takeEvents() -> [ServiceEvent]

  /// An event that is going on and has not been taken; its end comes with `takeEvents()`. Any
  /// thread but the render thread, also while another call waits for the disk.
  func takeOngoingEvent() -> ServiceEvent?

  /// Notes a pause of `seconds` in a recording. The first frame after the pause came `ago` seconds
  /// before this call.
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

  /// Notes a pause before the next frame.
  public func noteGap(seconds: Double, cause: String) {
    noteGap(seconds: seconds, ago: 0, cause: cause)
  }
}

/// A failure of a file while the graph was running.
public struct ServiceError: Error, Hashable, Sendable {
  /// What happened: a sentence that starts in lower case and names the file.
  public var message: String
  public init(_ message: String) { self.message = message }
}
