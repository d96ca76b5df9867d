import Control
import Diagnostics
import Testing

@testable import patchrun

/// The undo history of a run.
struct LiveHistoryTests {
  private static func text(_ text: String) -> SourceText { SourceText(name: "a.json", text: text) }

  private static func effect(_ pointer: String, _ summary: String = "") -> ControlEffect {
    ControlEffect(pointer: pointer, summary: summary, heard: "")
  }

  /// Three changes, a minute apart.
  private static func three() -> LiveHistory {
    var history = LiveHistory()
    let start = ContinuousClock.now
    for number in 1...3 {
      history.note(
        [effect("/\(number)")], by: .http, from: text("\(number - 1)"), to: text("\(number)"),
        at: start + .seconds(60 * number))
    }
    return history
  }

  private static func words(_ target: LiveHistory.Target?) -> String? {
    target.map { String(decoding: $0.source.bytes, as: UTF8.self) }
  }

  @Test func `undo goes back by one, redo forth, and each number is known`() throws {
    var history = Self.three()
    #expect(history.target(.redo) == nil)
    for expected in ["2", "1", "0"] {
      let target = try #require(history.target(.undo))
      #expect(Self.words(target) == expected)
      history.go(to: target)
    }
    #expect(history.target(.undo) == nil)
    #expect(history.shown().present == 0 && history.shown().steps.allSatisfy(\.isUndone))
    #expect(Self.words(history.target(.redo)) == "1")
    #expect(Self.words(history.target(.to(3))) == "3")
    #expect(Self.words(history.target(.to(0))) == "0")
    #expect(history.target(.to(4)) == nil && history.target(.to(-1)) == nil)
  }

  @Test func `what is changed after an undo takes the place of what was undone`() throws {
    var history = Self.three()
    history.go(to: try #require(history.target(.to(1))))
    history.note([], by: .osc, from: Self.text("1"), to: Self.text("x"))
    #expect(history.shown().steps.map(\.number) == [1, 2])
    #expect(history.shown().steps.map(\.origin) == [.http, .osc])
    #expect(history.target(.redo) == nil)
    #expect(Self.words(history.target(.undo)) == "1")
  }

  @Test func `a fader that is drawn is one step, and what else moves is another`() throws {
    var history = LiveHistory()
    let start = ContinuousClock.now
    for number in 1...30 {
      history.note(
        [Self.effect("/volume", "volume goes from \(number - 1) to \(number)")], by: .http,
        from: Self.text("\(number - 1)"), to: Self.text("\(number)"),
        at: start + .milliseconds(50 * number))
    }
    #expect(
      history.shown().steps.map { $0.effects.map(\.summary) } == [["volume goes from 0 to 30"]])
    #expect(Self.words(history.target(.undo)) == "0")
    history.note(
      [Self.effect("/pan")], by: .http, from: Self.text("30"), to: Self.text("31"),
      at: start + .milliseconds(1510))
    history.note(
      [Self.effect("/pan")], by: .file, from: Self.text("31"), to: Self.text("32"),
      at: start + .milliseconds(1520))
    history.note(
      [Self.effect("/pan")], by: .file, from: Self.text("32"), to: Self.text("33"),
      at: start + .seconds(10))
    #expect(history.shown().steps.count == 4)
  }

  @Test func `what changes no document is no step`() {
    var history = LiveHistory()
    history.note([Self.effect("/a")], by: .file, from: Self.text("1"), to: Self.text("1"))
    #expect(history.shown().steps.isEmpty)
    #expect(history.refusal(of: .undo).help == ["nothing has been changed since the run began"])
  }

  @Test func `the oldest are forgotten, and the others keep their numbers`() throws {
    var history = LiveHistory()
    let start = ContinuousClock.now
    for number in 1...LiveHistory.mostSteps + 50 {
      history.note(
        [], by: .http, from: Self.text("\(number - 1)"), to: Self.text("\(number)"),
        at: start + .seconds(2 * number))
    }
    let steps = history.shown().steps
    #expect(steps.count == LiveHistory.mostSteps && steps.first?.number == 51)
    #expect(Self.words(history.target(.to(50))) == "50")
    #expect(history.target(.to(49)) == nil)
    // Large documents are limited to fewer steps.
    for number in 0..<8 {
      history.note(
        [], by: .http, from: Self.text("\(number)"),
        to: Self.text(String(repeating: "\(number)", count: 9 << 20)),
        at: start + .seconds(1000 + 2 * number))
    }
    #expect(history.shown().steps.count == 3)
    #expect(history.shown().steps.last?.number == LiveHistory.mostSteps + 58)
  }
}
