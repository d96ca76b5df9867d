import Control
import Glibc
import PatchSyntax
import RenderHost
import TerminalScreen

/// `patchrun ctl top` on a full screen, from the first picture to the exit status.
final class TopSession {
  private let screen: FullScreen
  private let connection: TopConnection
  private let set: DrawingSet
  /// Seconds between requests of the status.
  private let interval: Double
  private var model = TopModel()
  private var parser = KeyParser()
  private var isDirty = true
  private var lastDrawn = -1.0
  private var statusDue = 0.0
  /// When to request the controls again; `nil` for no request.
  private var controlsDue: Double? = 0

  /// At most thirty pictures a second.
  private static let frame = 1.0 / 30

  init(
    _ client: ControlClient, status: JSONValue, meterRate: Double, interval: Double,
    hasColors: Bool, isUTF8: Bool
  ) throws(CommandFailure) {
    self.interval = interval
    set = isUTF8 ? .unicode : .ascii
    // Before there are other threads: signals have to be blocked in all of them.
    screen = try FullScreen(hasColors: hasColors, isUTF8: isUTF8)
    connection = try TopConnection(client, meterRate: meterRate)
    model.take(TopStatus(status), at: Self.now)
  }

  private static var now: Double { Double(monotonicNanoseconds()) / 1e9 }

  func run() -> Int32 {
    defer { screen.leave() }
    while !screen.isGone {
      for item in connection.take() { take(item) }
      let now = Self.now
      if now >= statusDue, model.link == .connected {
        connection.askStatus()
        statusDue = now + interval
      }
      if let due = controlsDue, now >= due, model.link == .connected {
        connection.askControls()
        controlsDue = nil
      }
      // Draws at least ten times a second, because the position advances.
      if now - lastDrawn >= 0.1 { isDirty = true }
      if isDirty, now - lastDrawn >= Self.frame { draw(now) }
      switch wait() {
      case .goOn: break
      case .end(let status): return status
      }
    }
    return ExitStatus.success
  }

  private func draw(_ now: Double) {
    let size = screen.size
    screen.show(TopScreen.draw(model, columns: size.columns, rows: size.rows, set, at: now))
    isDirty = false
    lastDrawn = now
  }

  // MARK: Waiting

  private enum Step {
    case goOn
    case end(Int32)
  }

  private func wait() -> Step {
    var descriptors = [0, screen.signalDescriptor, connection.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    var timeout: Int32 = isDirty ? Int32(Self.frame * 1000) : 100
    if let key = parser.timeout { timeout = min(timeout, key) }
    let began = Self.now
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
    if descriptors[1].revents != 0, let status = takeSignals() { return .end(status) }
    guard descriptors[0].revents != 0 else {
      // An incomplete key sequence has timed out.
      if let key = parser.timeout {
        waited += Self.now - began
        if waited * 1000 >= Double(key) { return press(parser.flush()) }
      }
      return .goOn
    }
    waited = 0
    // The terminal is closed.
    guard let bytes = screen.read() else { return .end(ExitStatus.success) }
    return press(parser.read(bytes))
  }

  /// How long the rest of a key sequence has been waited for, in seconds.
  private var waited = 0.0

  /// Handles pending signals. Returns the exit status if one ends the session.
  private func takeSignals() -> Int32? {
    while let signal = screen.takeSignal() {
      switch signal {
      case SIGWINCH: isDirty = true
      case SIGTSTP: screen.suspend()
      case SIGCONT:
        // After SIGSTOP the terminal has the settings of the shell.
        screen.enter()
        isDirty = true
      case SIGINT: return ExitStatus.success
      default: return ExitStatus.interrupted(by: signal)
      }
    }
    return nil
  }

  private func press(_ keys: [KeyPress]) -> Step {
    for key in keys {
      let size = screen.size
      let layout = TopLayout(model, columns: size.columns, rows: size.rows)
      isDirty = true
      for action in model.press(key, layout, at: Self.now) {
        switch action {
        case .quit: return .end(ExitStatus.success)
        case .suspend: screen.suspend()
        case .redraw: screen.forget()
        case .stop: connection.post("/stop")
        case .pause: connection.post("/pause")
        case .goOn: connection.post("/start")
        case .set(let pointer, let value): connection.change(pointer, to: value)
        case .remove(let pointer): connection.change(pointer, to: nil)
        }
      }
    }
    return .goOn
  }

  // MARK: Messages

  private func take(_ item: TopConnection.Message) {
    let now = Self.now
    isDirty = true
    switch item {
    case .connected:
      model.link = .connected
      model.waiting = [:]
      statusDue = 0
      controlsDue = 0
    case .lost:
      if model.link == .connected { model.link = .lost }
    case .status(let status): model.take(status, at: now)
    case .meters(let meters): model.take(meters)
    case .controls(let controls): model.take(controls)
    case .answered(let pointer, let problem):
      let count = (model.waiting[pointer] ?? 0) - 1
      model.waiting[pointer] = count > 0 ? count : nil
      if let problem {
        model.say(problem, isBad: true, at: now)
        // The value on the screen is not the one that plays.
        controlsDue = now
      }
    case .refused(let problem): model.say(problem, isBad: true, at: now)
    case .event(let name, let data): take(name, data, at: now)
    }
  }

  private func take(_ name: String, _ text: String, at now: Double) {
    guard let data = try? readAnswer(text) else { return }
    switch name {
    case "status":
      model.take(TopStatus(data), at: now)
      return
    case "ended":
      let reason = data["message"]?.string ?? data["reason"]?.string ?? ""
      model.link = .ended(reason)
    case "changed", "started":
      // Turning a control sends many events: the controls are requested at most every 0.15 s.
      controlsDue = controlsDue ?? now + 0.15
    default: break
    }
    if name != "changed" { statusDue = 0 }
    model.take(TopModel.Event(name, data))
  }
}

extension TopModel.Event {
  init(_ name: String, _ data: JSONValue) {
    let (words, lines) = CtlWatch.details(name, data)
    self.name = name
    self.words = words
    self.lines = lines.filter { !$0.isEmpty }
    if name == "changed", let changes = data["changes"].map({ Array($0.elements) }) {
      // One line for each change, without tag and pointer.
      let texts = changes.map { change in
        let heard = change["heard"]?.string ?? ""
        return (change["summary"]?.string ?? "") + (heard.isEmpty ? "" : ", \(heard)")
      }
      let by = data["by"]?.string ?? ""
      self.words = "by \(by)" + (texts.count == 1 ? ": \(texts[0])" : "")
      self.lines = texts.count == 1 ? [] : texts
      // Many steps of one fader are one subject.
      subject = changes.count == 1 ? changes[0]["pointer"]?.string : nil
    }
    if name == "refused", let first = self.lines.first {
      // The first line of the diagnostic; `ctl watch` prints all of it.
      self.words += ": " + first.trimmingBlanks
      self.lines = Array(self.lines.dropFirst().prefix(1))
    }
    if name == "xrun" { subject = name }
    time = data["time"]?.string.map { String($0.dropFirst(11).prefix(8)) } ?? "        "
    weight =
      switch name {
      case "refused": .bad
      case "ended": data["reason"]?.string == "failed" ? .bad : .warning
      case "xrun", "underrun", "file", "warning", "route", "interruption", "device": .warning
      case "changed", "started": .good
      default: .plain
      }
  }
}
