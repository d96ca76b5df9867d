public import PatchSyntax

/// A running patch as the control server sees it.
///
/// The server accesses a patch only by this protocol. It makes calls on its own threads, several at
/// a time, never on the render thread.
public protocol ControlledPatch: AnyObject, Sendable {
  /// The document that plays.
  func document() async -> ControlDocument

  /// Changes the document. Every change is validated as a whole document and compared with the one
  /// that plays. Returns when the change is on its way to the render thread, or has been refused
  /// and the patch is unchanged.
  ///
  /// - Parameters:
  ///   - tag: The entity tag of the document that the change is meant for; `nil` for any. If
  ///     another one plays, nothing changes.
  ///   - origin: The source of the change, for the event.
  ///   - entrance: How the request has come. A request by a port may name only files in the patch's
  ///     folder, in the folders that `--allow-path` names, and files in use.
  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through entrance: ControlEntrance
  ) async -> ControlOutcome

  /// The changes since the run began.
  func history() async -> ControlHistory

  /// Plays a document of the history again: like any change, but not a new step.
  ///
  /// - Parameters:
  ///   - tag: The entity tag of the document that plays; `nil` for any.
  ///   - origin: The source of the change, for the event.
  /// - Returns: `.failed` if there is no such step.
  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome

  /// The diagnostics of a document, without playing it. A document without errors may have
  /// warnings.
  func validate(_ text: String, through entrance: ControlEntrance) async -> ControlRefusal

  /// Saves the patch with its current settings to its file, as a whole or not at all. A file that
  /// another program has changed is not overwritten.
  ///
  /// - Parameter tag: The entity tag of the document to save; `nil` for any.
  func save(ifMatch tag: String?) async -> ControlSaveOutcome

  /// Triggers a callback: its sound begins again as soon as possible.
  ///
  /// - Parameters:
  ///   - callback: The name of the callback; in a sub-graph `strip/song`.
  ///   - origin: The source of the request, for the event.
  func trigger(_ callback: String, by origin: ControlOrigin) async -> ControlTriggerOutcome

  /// Pauses after a fade-out, or continues at the same position. Returns the resulting state.
  func setPaused(_ isPaused: Bool) async -> ControlState

  /// The frequency response of a node with its current settings; `nil` if the node is not a filter
  /// or does not exist.
  func response(of node: String) async -> ControlFrequencyResponse?

  /// The nodes that have a frequency response.
  func filters() async -> [String]

  /// The kinds of unit that a node can have, in the order of the catalogue.
  func units() async -> [ControlUnit]

  /// The status.
  func status() async -> ControlStatus

  /// The current readings of taps and metered buses.
  func meters() async -> [ControlMeter]

  /// The drawing of the graph as SVG for embedding in a page, with the tag of its document.
  func drawing() async -> ControlDocument

  /// All settings with their current values.
  func settings() async -> ControlSettings

  /// Answers to language-server requests about a document: for each `{ "result": … }` or `{
  /// "error": { "code": …, "message": … } }`. Nothing changes.
  func answers(
    to requests: [ControlLanguageRequest], about text: String, through entrance: ControlEntrance
  ) async -> [JSONText]

  /// The render time of each part of the graph.
  func shares() async -> ControlShares

  /// The finished recordings of this run.
  func takes() async -> [ControlTake]

  /// Opens the file of a finished recording; `nil` if there is none of this number, or if another
  /// file has its name now.
  func openTake(_ number: Int) async -> (any ControlFile)?

  /// The events from now on. The server calls this once, never blocks the stream, and passes each
  /// event to all clients. The stream ends after `ended`.
  func events() -> AsyncStream<ControlEvent>

  /// Ends the run as SIGINT does: fades out and finishes recordings. Returns without waiting for
  /// that.
  func stop() async
}

/// A document as text, with a tag that identifies its contents.
public struct ControlDocument: Hashable, Sendable {
  /// The text as written: JSON (RFC 8259), or JSON with comments and trailing commas if the file is
  /// `.jsonc`.
  public var text: String
  /// The entity tag, without quotes: letters, digits and hyphens.
  public var tag: String
  /// The parsed document; `nil` for a drawing.
  public var root: JSONValue?
  /// Whether the text is strict JSON.
  public var isJSON: Bool

  /// - Parameters:
  ///   - root: The parsed text.
  ///   - isJSON: Whether the text is strict JSON.
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

/// A requested change of the document. The texts are not checked yet: they may be invalid JSON.
public enum ControlChange: Hashable, Sendable {
  /// Sets or removes values, all or none, in the current document.
  case set([SettingEdit])
  /// Replaces the document.
  case replace(text: String)
  /// Applies a JSON Patch (RFC 6902), all operations or none.
  case patch(operations: String)
  /// Applies a merge patch (RFC 7386).
  case merge(text: String)
}

/// How a request has come. Each way has its own limit of connections, so that one cannot exhaust
/// the other.
public enum ControlEntrance: Hashable, Sendable {
  /// The UNIX socket, which only its owner can open.
  case socket
  /// A port of the loopback device, TCP or UDP, which any local program can reach.
  case port
}

/// The source of a change.
public enum ControlOrigin: String, Hashable, Sendable, CaseIterable {
  /// An HTTP request; `patchrun ctl` sends these.
  case http
  /// An OSC message.
  case osc
  /// The patch's file was saved.
  case file
  /// SIGHUP.
  case signal
  /// The timeline of the patch.
  case timeline
  /// A decision of the session policy after a device change or an interruption.
  case session
}

/// The result of a change.
public enum ControlOutcome: Hashable, Sendable {
  /// The change is heard within two slices: the tag of the new document, and the effects. Without
  /// effects the new document equals the old one.
  case applied(tag: String, effects: [ControlEffect])
  /// The document has errors.
  case refused(ControlRefusal)
  /// A document with another tag plays.
  case otherTag(current: String)
  /// The change failed for another reason: a sentence that starts in lower case, and what to do
  /// about it.
  case failed(message: String, help: [String])
}

/// The result of a trigger.
public enum ControlTriggerOutcome: Hashable, Sendable {
  /// The sound begins within two slices.
  case begun
  /// There is no such callback, or its sound has no beginning: a sentence that starts in lower
  /// case, and what to do about it.
  case refused(message: String, help: [String])
  case notPlaying
}

/// One effect of a change.
public struct ControlEffect: Hashable, Sendable {
  /// The JSON Pointer of the changed value.
  public var pointer: String
  /// The change in words, such as `'volume' of 'mixer' goes from 0.8 to 0.5`.
  public var summary: String
  /// How it is heard, such as `ramp`; empty if nothing is heard.
  public var heard: String

  public init(pointer: String, summary: String, heard: String) {
    self.pointer = pointer
    self.summary = summary
    self.heard = heard
  }
}

/// Why a change was refused.
public struct ControlRefusal: Hashable, Sendable {
  /// The output of `patchrun validate --output-format json` for the requested document.
  public var report: String
  /// The output of `patchrun validate` for the requested document, without colours.
  public var text: String

  public init(report: String, text: String) {
    self.report = report
    self.text = text
  }
}
