public import PatchSyntax

/// A patch that plays, as the control room sees it.
///
/// The control room knows nothing else of patches. It calls these from threads of its own, never
/// from the render thread, and several calls may be under way at the same time.
public protocol ControlledPatch: AnyObject, Sendable {
  /// The document that plays.
  func document() async -> ControlDocument

  /// Asks for a change. It goes the one road of every change: the new document, the same validation,
  /// the difference, the to-do list. Returns when the change is on its way to the render thread, or
  /// has been refused; what plays is as it was then.
  ///
  /// - Parameters:
  ///   - tag: The entity tag of the document that the change is meant for; `nil` for any. If another
  ///     plays by then, nothing changes.
  ///   - origin: Who asks, for the event.
  ///   - door: Which way the request has come. What comes by a port names no files that are not in the
  ///     patch's folder, but for those that play already.
  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through door: ControlEntrance
  ) async -> ControlOutcome

  /// What has been changed since the run began.
  func history() async -> ControlHistory

  /// Plays a document of the history again: a change like any other, but for that it is no new step.
  ///
  /// - Parameters:
  ///   - tag: The entity tag of the document that is to be left; `nil` for any.
  ///   - origin: Who asks, for the event.
  /// - Returns: `.failed` where there is no such step.
  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome

  /// What is said of a document, were it to play: nothing changes. Where nothing is wrong there may
  /// still be warnings.
  func validate(_ text: String, through door: ControlEntrance) async -> ControlRefusal

  /// Writes the patch as it is set to its file, whole or not at all. A file that somebody else has
  /// changed meanwhile stays.
  ///
  /// - Parameter tag: The entity tag of the document that is meant; `nil` for any.
  func save(ifMatch tag: String?) async -> ControlSaving

  /// Has the sound of a callback begin again, as soon as can be.
  ///
  /// - Parameters:
  ///   - callback: Its name; in a sub-graph `strip/song`.
  ///   - origin: Who asks, for the event.
  func trigger(_ callback: String, by origin: ControlOrigin) async -> ControlTriggering

  /// Has the sound fade out and everything stay where it is, or go on from there. Returns the state
  /// that it is in by then.
  func setPaused(_ isPaused: Bool) async -> ControlState

  /// The response of a node as it is set now; `nil` for one that is no filter, or is not there.
  func response(of node: String) async -> ControlCurve?

  /// The nodes that have a response.
  func filters() async -> [String]

  /// How it plays.
  func status() async -> ControlStatus

  /// What the taps and the metered buses read now.
  func meters() async -> [ControlMeter]

  /// The drawing of what plays, as SVG to be put into a page, with the tag of its document.
  func drawing() async -> ControlDocument

  /// Everything that can be turned, with what it says now.
  func settings() async -> ControlSettings

  /// What an editor asks about a document, were it to play: for each question `{ "result": … }`, or
  /// `{ "error": { "code": …, "message": … } }`. Nothing changes.
  func answers(
    to questions: [ControlQuestion], about text: String, through door: ControlEntrance
  ) async -> [JSONText]

  /// What each part of the graph takes of the time that rendering takes.
  func shares() async -> ControlShares

  /// The recordings that this run has finished.
  func takes() async -> [ControlTake]

  /// Opens the file of a recording that this run has finished; `nil` where there is none of the number, and where
  /// what has its name now is another file.
  func openTake(_ number: Int) async -> (any ControlFile)?

  /// What happens from now on. The server calls this once, reads without waiting for its clients,
  /// and hands each event to all of them. The stream ends after `ended`.
  func events() -> AsyncStream<ControlEvent>

  /// Asks for the end, as SIGINT does: the sound fades out and recordings are finished. Returns
  /// without waiting for that.
  func stop() async
}

/// A document as text, with the tag that tells it from every other.
public struct ControlDocument: Hashable, Sendable {
  /// As it was written: JSON (RFC 8259), or, where its file ends in `.jsonc`, with comments and
  /// trailing commas.
  public var text: String
  /// The entity tag, without quotes: letters, digits and hyphens. Other texts have other tags.
  public var tag: String
  /// The same, read; `nil` for what is no document, a drawing.
  public var root: JSONValue?
  /// Whether it is JSON, without comments.
  public var isJSON: Bool

  /// - Parameters:
  ///   - root: What has been read of the text, by whoever has read it already.
  ///   - isJSON: Whether that has no comments.
  public init(text: String, tag: String, root: JSONValue? = nil, isJSON: Bool = true) {
    self.text = text
    self.tag = tag
    self.root = root
    self.isJSON = isJSON
  }

  public static func == (one: ControlDocument, other: ControlDocument) -> Bool {
    one.tag == other.tag && one.text == other.text
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}

/// A change of the document that somebody asks for. The texts are as they came: neither JSON nor
/// UTF-8 has been looked at.
public enum ControlChange: Hashable, Sendable {
  /// Values at their places, all or none, in whatever document plays by then.
  case set([SettingEdit])
  /// Another document in the place of this one.
  case replace(text: String)
  /// Operations on the document, RFC 6902, all or none.
  case patch(operations: String)
  /// A merge patch, RFC 7386.
  case merge(text: String)
}

/// Which way a request has come. Each has places of its own, so that none can be filled from another.
public enum ControlEntrance: Hashable, Sendable {
  /// A UNIX socket, which only its owner can open.
  case socket
  /// A port of the loopback device, TCP or UDP: any program of the machine may be behind it.
  case port
}

/// Who asks for a change.
public enum ControlOrigin: String, Hashable, Sendable, CaseIterable {
  /// A request, `patchrun ctl` included.
  case http
  /// An OSC message.
  case osc
  /// The file of the patch, which was saved.
  case file
  /// SIGHUP.
  case signal
  /// The timeline of the patch.
  case timeline
  /// A decision of the session: the device has changed, or an interruption.
  case session
}

/// What became of a change.
public enum ControlOutcome: Hashable, Sendable {
  /// It is heard, or will be within two slices: the tag of the document that plays now, and what is
  /// different. No differences: the document said the same already.
  case applied(tag: String, effects: [ControlEffect])
  /// It does not validate.
  case refused(ControlRefusal)
  /// Another document plays than the one that the change was meant for: its tag.
  case otherTag(current: String)
  /// The world would not cooperate: a sentence that starts in lower case, and what to do about it.
  case failed(message: String, help: [String])
}

/// What became of a sound that was to begin again.
public enum ControlTriggering: Hashable, Sendable {
  /// It begins within two slices.
  case begun
  /// There is no such callback, or it has no beginning: a sentence that starts in lower case, and what to do
  /// about it.
  case refused(message: String, help: [String])
  case notPlaying
}

/// One difference that a change has made.
public struct ControlEffect: Hashable, Sendable {
  /// The JSON Pointer of the value that is different.
  public var pointer: String
  /// What is different, as `patchrun diff` says it: `parameter 'volume' of 'mixer', input 0: 0.8 -> 0.5`.
  public var summary: String
  /// How it is heard: `ramp, 10 ms`. Empty where nothing is heard.
  public var heard: String

  public init(pointer: String, summary: String, heard: String) {
    self.pointer = pointer
    self.summary = summary
    self.heard = heard
  }
}

/// Why a change was refused.
public struct ControlRefusal: Hashable, Sendable {
  /// What `patchrun validate --output-format json` prints of the document that was asked for.
  public var report: String
  /// What `patchrun validate` prints of it, without colours.
  public var text: String

  public init(report: String, text: String) {
    self.report = report
    self.text = text
  }
}
