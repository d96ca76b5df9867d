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

  /// Makes the callback's two halves for the bus it is to feed.
  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource
}

extension RenderCallback {
  public var input: CallbackInput { .none }
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
  public enum Kind: Hashable, Sendable {
    case fileNotFound, fileUnreadable, notAudio, unwritable, badSetting, formatNotSupported
  }

  public var kind: Kind
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
    public var candidates: [String]

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
  public var kernel: KernelBox
  /// Whether the kernel writes what the bus's format can hold, in the bus's own words. Otherwise it
  /// writes floats, and the plan rounds them.
  public var writesBusWords: Bool
  /// Frames until it ends, or goes on after what it pulls has ended; `nil` where it never ends.
  public var duration: Int?
  /// The half that reads ahead, where there is one.
  public var service: (any RenderService)?

  public init(
    kernel: KernelBox, writesBusWords: Bool = false, duration: Int? = nil,
    service: (any RenderService)? = nil
  ) {
    self.kernel = kernel
    self.writesBusWords = writesBusWords
    self.duration = duration
    self.service = service
  }
}

/// What watches a bus: a recording, a meter.
public protocol RenderTap: Sendable {
  /// Why the tap cannot watch a bus of `format`. `makeSink` may still fail where the world changes
  /// in between; nothing is created or opened for writing here.
  func problems(for format: StreamFormat) -> [CallbackProblem]

  func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink
}

/// A tap made for one bus: a kernel that reads input 0, in the bus's own words, and writes nothing.
public struct RenderSink: Sendable {
  public var kernel: KernelBox
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
/// own; offline, between slices, in the thread that renders. Never two calls at a time.
public protocol RenderService: AnyObject, Sendable {
  /// Reads ahead as far as there is room, or writes down what has come. After it returns there are
  /// at least `frameCount` frames to read, or room for as many.
  func service(atLeast frameCount: Int) throws(ServiceError)

  /// Writes what is left and closes what is open. Called once, when no slice follows.
  func finish() throws(ServiceError)

  /// What went wrong on the render side so far: frames that were not there in time, or that there
  /// was no room for.
  var lostFrames: Int { get }
}

/// A file that failed while the graph was running.
public struct ServiceError: Error, Hashable, Sendable {
  /// A sentence that starts in lower case and names the file.
  public var message: String
  public init(_ message: String) { self.message = message }
}
