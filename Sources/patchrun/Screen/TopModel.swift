import PatchSyntax

/// The state of `patchrun ctl top`: what the running patch has reported, and the selection and
/// scroll positions.
///
/// A value without a terminal or a connection: `take`, `press` and the properties put events in,
/// and `TopScreen` draws it. Times are seconds of any one clock.
struct TopModel {
  enum Pane: CaseIterable { case levels, controls, events }

  /// The state of the connection.
  enum Link: Equatable {
    case connected
    /// The connection is lost and is tried again.
    case lost
    /// The patch has ended for this reason.
    case ended(String)
  }

  /// The prompt at the bottom of the screen.
  enum Prompt: Equatable {
    case value(String)
    case filter(String)
    /// Asks whether to stop the patch.
    case stop
  }

  /// An event of the running patch.
  struct Event: Equatable {
    enum Weight { case plain, good, warning, bad }
    /// The time of day in UTC: `12:03:59`.
    var time: String
    var name: String
    var words: String
    /// Further lines.
    var lines: [String] = []
    var weight = Weight.plain
    /// What the event is about. Of consecutive events about one subject only the last is shown.
    var subject: String?
  }

  /// A change that can be undone.
  struct Undo: Equatable {
    var pointer: String
    var title: String
    /// `nil` if the document did not set the value.
    var before: JSONText?
    /// When the arrow keys last turned it; `nil` if it was typed.
    var turned: Double?
  }

  struct Message: Equatable {
    var text: String
    var isBad = false
    var end: Double
  }

  var link = Link.connected
  var status = TopStatus()
  /// When the status was received.
  var statusTime = 0.0
  /// The recent loads: average and peak.
  var loads: [Double] = []
  var peakLoads: [Double] = []
  var meters: [TopMeter] = []
  /// The highest peaks since the beginning or the last reset, by meter and channel.
  var highest: [String: [Double]] = [:]
  var controls: [TopControl] = []
  /// Whether the controls have been received.
  var hasControls = false
  var events: [Event] = []

  var focus = Pane.controls
  /// The pointer of the selected control.
  var selected: String?
  var filter = ""
  var prompt: Prompt?
  var showsHelp = false
  var message: Message?
  var undos: [Undo] = []
  /// The number of unanswered changes for each pointer.
  var waiting: [String: Int] = [:]
  /// The first visible line of the levels, and the number of event lines below the visible ones.
  var levelsTop = 0
  var eventsBack = 0

  static let historyLength = 240
  static let eventCount = 200

  // MARK: Messages

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

  /// Takes the controls, but keeps the values of changes that are not answered yet: the answer may
  /// be older.
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
    // The visible lines stay in place.
    if eventsBack > 0 { eventsBack += 1 + event.lines.count }
  }

  mutating func say(_ text: String, isBad: Bool = false, at now: Double) {
    message = Message(text: text, isBad: isBad, end: now + (isBad ? 8 : 3))
  }

  // MARK: Display values

  /// The controls that match the filter. Without a filter, controls of unused buses that the
  /// document does not mention are left out.
  var visible: [TopControl] {
    let words = filter.lowercased().split(separator: " ")
    return controls.filter { control in
      guard !words.isEmpty else { return control.isUsed || control.isInDocument }
      let text = control.searched
      return words.allSatisfy { text.contains($0) }
    }
  }

  var selectedControl: TopControl? { controls.first { $0.pointer == selected } }

  /// The position of the patch, extrapolated from the last status.
  func position(at now: Double) -> Double {
    guard status.state == "playing", link == .connected else { return status.position }
    let position = status.position + max(0, min(5, now - statusTime))
    return min(position, status.duration ?? .infinity)
  }

  var levelLineCount: Int { meters.reduce(0) { $0 + $1.lineCount } }

  var eventLineCount: Int { events.reduce(0) { $0 + 1 + $1.lines.count } }
}
