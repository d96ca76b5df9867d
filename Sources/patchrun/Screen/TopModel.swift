import PatchSyntax
import TerminalScreen

/// All that `patchrun ctl top` shows: what the running patch has said, and where its reader is.
///
/// A value without a terminal or a connection: what comes from there is put in by `take`, `press` and
/// the properties, and `TopScreen` draws it. Times are seconds of one clock, whichever.
struct TopModel {
  enum Pane: CaseIterable { case levels, controls, events }

  /// How it stands with the running patch.
  enum Link: Equatable {
    case connected
    /// The connection is gone, and is looked for.
    case lost
    /// The patch has ended: why.
    case ended(String)
  }

  /// What is being typed at the foot of the screen.
  enum Prompt: Equatable {
    case value(String)
    case filter(String)
    /// Whether the patch is really to end.
    case stop
  }

  /// Something that has happened.
  struct Event: Equatable {
    enum Weight { case plain, good, warning, bad }
    /// `12:03:59`, UTC.
    var time: String
    var name: String
    var words: String
    /// What else there is to say.
    var lines: [String] = []
    var weight = Weight.plain
    /// What it is about: of several about one thing on end the last one is shown.
    var subject: String?
  }

  /// What a change replaced.
  struct Undo: Equatable {
    var pointer: String
    var title: String
    /// `nil` where the document did not say it.
    var before: JSONText?
    /// When it was last turned with arrow keys; `nil` where it was set at once.
    var turned: Double?
  }

  struct Message: Equatable {
    var text: String
    var isBad = false
    var end: Double
  }

  var link = Link.connected
  var status = TopStatus()
  /// When that was said.
  var statusTime = 0.0
  /// Loads on average and at most, of late.
  var loads: [Double] = []
  var peakLoads: [Double] = []
  var meters: [TopMeter] = []
  /// The highest peaks since the beginning, or since they were let go, by meter and channel.
  var highest: [String: [Double]] = [:]
  var controls: [TopControl] = []
  /// Whether the controls have been listed.
  var hasControls = false
  var events: [Event] = []

  var focus = Pane.controls
  /// The pointer of the control that keys move.
  var selected: String?
  var filter = ""
  var prompt: Prompt?
  var showsHelp = false
  var message: Message?
  var undos: [Undo] = []
  /// Controls whose change has not been answered yet.
  var waiting: [String: Int] = [:]
  /// The first line of the levels that is shown; how many lines of the events are below.
  var levelsTop = 0
  var eventsBack = 0

  static let historyLength = 240
  static let eventCount = 200

  // MARK: What comes in

  mutating func take(_ status: TopStatus, at now: Double) {
    self.status = status
    statusTime = now
    loads = (loads + [status.load]).suffix(Self.historyLength)
    peakLoads = (peakLoads + [status.peakLoad]).suffix(Self.historyLength)
  }

  mutating func take(_ meters: [TopMeter]) {
    self.meters = meters
    for meter in meters where !meter.levels.isEmpty {
      let before = highest[meter.name] ?? []
      highest[meter.name] = meter.levels.enumerated().map { index, level in
        max(level.peak, index < before.count ? before[index] : -.infinity)
      }
    }
    levelsTop = min(levelsTop, max(0, levelLineCount - 1))
  }

  /// What is being changed here is not put back by an answer to an older question.
  mutating func take(_ controls: [TopControl]) {
    let known = Dictionary(
      self.controls.map { ($0.pointer, $0) }, uniquingKeysWith: { first, _ in first })
    let row = visible.firstIndex { $0.pointer == selected } ?? 0
    self.controls = controls.map { control in
      var control = control
      if waiting[control.pointer] != nil, let here = known[control.pointer] {
        control.value = here.value
        control.isInDocument = here.isInDocument
      }
      return control
    }
    hasControls = true
    let shown = visible
    if !shown.contains(where: { $0.pointer == selected }) {
      selected = shown.isEmpty ? nil : shown[min(row, shown.count - 1)].pointer
    }
  }

  mutating func take(_ event: Event) {
    if let last = events.last, let subject = event.subject, last.subject == subject {
      if eventsBack > 0 { eventsBack = max(1, eventsBack + event.lines.count - last.lines.count) }
      events[events.count - 1] = event
      return
    }
    events = (events + [event]).suffix(Self.eventCount)
    // Who reads what was before goes on reading it.
    if eventsBack > 0 { eventsBack += 1 + event.lines.count }
  }

  mutating func say(_ text: String, isBad: Bool = false, at now: Double) {
    message = Message(text: text, isBad: isBad, end: now + (isBad ? 8 : 3))
  }

  // MARK: What is made of it

  /// The controls that the filter leaves. Without one those of buses that nothing uses, and that the
  /// document does not mention, are left out.
  var visible: [TopControl] {
    let words = filter.lowercased().split(separator: " ")
    return controls.filter { control in
      guard !words.isEmpty else { return control.isUsed || control.isInDocument }
      let text = control.searched
      return words.allSatisfy { text.contains($0) }
    }
  }

  var selectedControl: TopControl? { controls.first { $0.pointer == selected } }

  /// Where the patch is now, which has gone on since it was asked.
  func position(at now: Double) -> Double {
    guard status.state == "playing", link == .connected else { return status.position }
    let position = status.position + max(0, min(5, now - statusTime))
    return min(position, status.duration ?? .infinity)
  }

  var levelLineCount: Int { meters.reduce(0) { $0 + $1.lineCount } }

  var eventLineCount: Int { events.reduce(0) { $0 + 1 + $1.lines.count } }
}
