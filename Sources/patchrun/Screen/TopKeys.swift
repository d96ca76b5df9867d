import PatchSyntax
import TerminalScreen

/// An action of a key that the model cannot do itself.
enum TopAction: Equatable {
  case quit, suspend, redraw, stop, pause, goOn
  case set(pointer: String, value: JSONText)
  case remove(pointer: String)
}

extension TopModel {
  /// Handles a key and returns the actions that remain.
  ///
  /// - Parameter layout: The current layout: a page has the length of its pane.
  mutating func press(_ press: KeyPress, _ layout: TopLayout, at now: Double) -> [TopAction] {
    if press.modifiers.contains(.control) {
      switch press.key {
      case .character("c"): return [.quit]
      case .character("z"): return [.suspend]
      case .character("l"): return [.redraw]
      default: break
      }
    }
    if prompt != nil { return answer(press, at: now) }
    if showsHelp {
      showsHelp = false
      return press.key == .character("q") ? [.quit] : []
    }
    switch press.key {
    case .character("q"): return [.quit]
    case .character("?"), .character("h"), .function(1): showsHelp = true
    case .character("s"): prompt = .stop
    case .character("p"): return [status.state == "paused" ? .goOn : .pause]
    case .character("/"):
      focus = .controls
      filter = ""
      prompt = .filter("")
    case .character("u"): return undo(at: now)
    case .character("r"): highest = [:]
    case .escape:
      filter = ""
      keepSelection()
    case .tab: turnFocus(press.modifiers.contains(.shift) ? -1 : 1)
    default: return pressInPane(press, layout, at: now)
    }
    return []
  }

  private mutating func turnFocus(_ direction: Int) {
    let panes = Pane.allCases
    let index = panes.firstIndex(of: focus) ?? 0
    focus = panes[(index + direction + panes.count) % panes.count]
  }

  private mutating func pressInPane(
    _ press: KeyPress, _ layout: TopLayout, at now: Double
  ) -> [TopAction] {
    switch focus {
    case .controls: return pressInControls(press, at: now)
    case .levels:
      let last = max(0, levelLineCount - layout.levelLines)
      levelsTop = Self.scrolled(levelsTop, press, page: layout.levelLines, last: last)
    case .events:
      let rows = layout.eventLines
      let last = max(0, eventLineCount - rows)
      // `eventsBack` counts lines from the end.
      eventsBack = last - Self.scrolled(last - min(last, eventsBack), press, page: rows, last: last)
    }
    return []
  }

  private static func scrolled(_ line: Int, _ press: KeyPress, page: Int, last: Int) -> Int {
    let next =
      switch press.key {
      case .up, .character("k"): line - 1
      case .down, .character("j"): line + 1
      case .pageUp: line - max(1, page - 1)
      case .pageDown, .character(" "): line + max(1, page - 1)
      case .home, .character("g"): 0
      case .end, .character("G"): last
      default: line
      }
    return max(0, min(last, next))
  }

  // MARK: Controls

  private mutating func pressInControls(_ press: KeyPress, at now: Double) -> [TopAction] {
    let isLarge = !press.modifiers.isDisjoint(with: [.shift, .control])
    switch press.key {
    case .up, .character("k"): select(-1)
    case .down, .character("j"): select(1)
    case .character("g"): select(-.max)
    case .character("G"): select(.max)
    case .character("["): selectPlace(-1)
    case .character("]"): selectPlace(1)
    case .left: return turn(-1, isLarge, at: now)
    case .right: return turn(1, isLarge, at: now)
    case .pageDown: return turn(-1, true, at: now)
    case .pageUp: return turn(1, true, at: now)
    case .home: return set(selectedControl?.extreme(false), at: now)
    case .end: return set(selectedControl?.extreme(true), at: now)
    case .delete, .backspace: return reset(at: now)
    case .enter, .character(" "):
      guard let control = selectedControl, canTurn(control, at: now) else { return [] }
      if control.kind == .onOff {
        return set(control.stepped(control.number == 0 ? 1 : -1, isLarge: false), at: now)
      }
      prompt = .value("")
    case .character(let character):
      let isNumber = character.isASCII && (character.isNumber || "-+.".contains(character))
      guard isNumber, let control = selectedControl, canTurn(control, at: now) else { return [] }
      prompt = .value(String(character))
    case .paste(let text):
      guard let control = selectedControl, canTurn(control, at: now) else { return [] }
      prompt = .value(Self.typed(text))
    default: break
    }
    return []
  }

  private mutating func select(_ rows: Int) {
    let shown = visible
    guard !shown.isEmpty else { return }
    let row = shown.firstIndex { $0.pointer == selected } ?? 0
    let next = rows == .max ? shown.count - 1 : rows == -.max ? 0 : row + rows
    selected = shown[max(0, min(shown.count - 1, next))].pointer
  }

  /// Selects the first control of the next bus; backwards, the first of this bus, then of the
  /// previous one.
  private mutating func selectPlace(_ direction: Int) {
    let shown = visible
    guard let row = shown.firstIndex(where: { $0.pointer == selected }) else { return }
    let begins = shown.indices.filter { $0 == 0 || shown[$0].place != shown[$0 - 1].place }
    let next =
      direction > 0 ? begins.first { $0 > row } : begins.last { $0 < row }
    if let next { selected = shown[next].pointer }
  }

  private mutating func keepSelection() {
    let shown = visible
    if !shown.contains(where: { $0.pointer == selected }) { selected = shown.first?.pointer }
  }

  private mutating func canTurn(_ control: TopControl, at now: Double) -> Bool {
    guard link == .connected else { return false }
    if !control.isWritable {
      say("\(control.title) cannot be set while this plays", isBad: true, at: now)
    }
    return control.isWritable
  }

  private mutating func turn(_ direction: Int, _ isLarge: Bool, at now: Double) -> [TopAction] {
    set(selectedControl?.stepped(direction, isLarge: isLarge), isTurned: true, at: now)
  }

  private mutating func set(
    _ value: JSONText?, isTurned: Bool = false, at now: Double
  ) -> [TopAction] {
    guard let value, let control = selectedControl, canTurn(control, at: now) else { return [] }
    guard value != control.value else { return [] }
    remember(control, isTurned: isTurned, at: now)
    put(value, isInDocument: true, at: control.pointer)
    message = nil
    return [.set(pointer: control.pointer, value: value)]
  }

  private mutating func reset(at now: Double) -> [TopAction] {
    guard let control = selectedControl, canTurn(control, at: now) else { return [] }
    guard control.isInDocument else {
      say("\(control.title) is at its default", at: now)
      return []
    }
    remember(control, isTurned: false, at: now)
    put(control.defaultValue, isInDocument: false, at: control.pointer)
    return [.remove(pointer: control.pointer)]
  }

  /// Changes of a control within 1.5 s are undone together.
  private mutating func remember(_ control: TopControl, isTurned: Bool, at now: Double) {
    if isTurned, let last = undos.last, last.pointer == control.pointer, let turned = last.turned,
      now - turned < 1.5
    {
      undos[undos.count - 1].turned = now
      return
    }
    undos.append(
      Undo(
        pointer: control.pointer, title: "\(control.place) \(control.title)",
        before: control.isInDocument ? control.value : nil, turned: isTurned ? now : nil))
    if undos.count > 200 { undos.removeFirst() }
  }

  private mutating func undo(at now: Double) -> [TopAction] {
    guard link == .connected else { return [] }
    guard let last = undos.popLast() else {
      say("there is nothing to undo", at: now)
      return []
    }
    selected = last.pointer
    say("undone: \(last.title)", at: now)
    guard let before = last.before else {
      let defaultValue = controls.first { $0.pointer == last.pointer }?.defaultValue ?? .null
      put(defaultValue, isInDocument: false, at: last.pointer)
      return [.remove(pointer: last.pointer)]
    }
    put(before, isInDocument: true, at: last.pointer)
    return [.set(pointer: last.pointer, value: before)]
  }

  /// Shows a value before the running patch confirms it.
  private mutating func put(_ value: JSONText, isInDocument: Bool, at pointer: String) {
    waiting[pointer, default: 0] += 1
    guard let index = controls.firstIndex(where: { $0.pointer == pointer }) else { return }
    controls[index].value = value
    controls[index].isInDocument = isInDocument
  }

  // MARK: Text input

  /// The first line of a pasted text, 64 characters at most.
  private static func typed(_ text: String) -> String {
    String(text.split(whereSeparator: \.isNewline).first ?? "").trimmingBlanks.prefix(64)
      .description
  }

  private mutating func answer(_ press: KeyPress, at now: Double) -> [TopAction] {
    guard let prompt else { return [] }
    var text: String
    switch prompt {
    case .stop:
      self.prompt = nil
      guard [.character("y"), .character("Y")].contains(press.key) else { return [] }
      say("asked to stop", at: now)
      return [.stop]
    case .value(let typed), .filter(let typed): text = typed
    }
    switch press.key {
    case .escape:
      self.prompt = nil
      if case .filter = prompt {
        filter = ""
        keepSelection()
      }
      return []
    case .enter:
      self.prompt = nil
      if case .value = prompt { return enter(text, at: now) }
      return []
    case .backspace:
      if text.isEmpty { self.prompt = nil } else { text.removeLast() }
    case .character("u") where press.modifiers.contains(.control): text = ""
    case .character(let character) where press.modifiers.isDisjoint(with: [.control, .alt]):
      if text.count < 64 { text.append(character) }
    case .paste(let pasted): text = String((text + Self.typed(pasted)).prefix(64))
    // The arrow keys move in the list while it is filtered.
    case .up: select(-1)
    case .down: select(1)
    default: return []
    }
    guard self.prompt != nil else { return [] }
    if case .filter = prompt {
      self.prompt = .filter(text)
      filter = text
      keepSelection()
    } else {
      self.prompt = .value(text)
    }
    return []
  }

  private mutating func enter(_ text: String, at now: Double) -> [TopAction] {
    guard !text.isEmpty, let control = selectedControl else { return [] }
    guard let value = control.parsed(text) else {
      let wanted =
        control.kind == .onOff
        ? "on or off"
        : control.choices.isEmpty
          ? "a number"
          : control.choices.prefix(4).map(\.title)
            .joined(separator: ", ") + (control.choices.count > 4 ? ", …" : "")
      say("'\(text)' is not what \(control.title) takes: \(wanted)", isBad: true, at: now)
      return []
    }
    return set(value, at: now)
  }
}
