import PatchSyntax
import TerminalScreen
import Testing

@testable import patchrun

/// The effects of keys in `patchrun ctl top`.
@Suite struct TopKeyTests {
  private static let volume = "/nodes/mixer/inputs/0/parameters/volume"

  /// Presses keys, for a text each character separately.
  private func press(
    _ model: inout TopModel, _ keys: [KeyPress], at now: Double = 100
  ) -> [TopAction] {
    keys.flatMap {
      model.press($0, TopLayout(model, columns: 80, rows: 24), at: now)
    }
  }

  private func type(_ model: inout TopModel, _ text: String) -> [TopAction] {
    press(&model, text.map { $0 == "\r" ? KeyPress(.enter) : KeyPress(.character($0)) })
  }

  private func model() -> TopModel {
    var model = TopScreenTests.model()
    model.selected = Self.volume
    return model
  }

  @Test func `a gain goes by half decibels and ends at nothing`() {
    var model = model()
    #expect(press(&model, [KeyPress(.right)]) == [.set(pointer: Self.volume, value: 0.5012)])
    #expect(press(&model, [KeyPress(.left), KeyPress(.left)]).count == 2)
    #expect(model.selectedControl?.value == 0.4467)
    #expect(press(&model, [KeyPress(.home)]) == [.set(pointer: Self.volume, value: 0)])
    #expect(press(&model, [KeyPress(.left)]).isEmpty)
    #expect(press(&model, [KeyPress(.right)]) == [.set(pointer: Self.volume, value: 0.001)])
    #expect(press(&model, [KeyPress(.left)]) == [.set(pointer: Self.volume, value: 0)])
    #expect(press(&model, [KeyPress(.end)]) == [.set(pointer: Self.volume, value: 1)])
    #expect(press(&model, [KeyPress(.left, .shift)]) == [.set(pointer: Self.volume, value: 0.7079)])
    #expect(press(&model, [KeyPress(.pageUp)]) == [.set(pointer: Self.volume, value: 1)])
  }

  @Test func `what is typed is a number, decibels, a word or nothing`() {
    var model = model()
    #expect(type(&model, "-6dB\r") == [.set(pointer: Self.volume, value: 0.50119)])
    #expect(type(&model, ".25\r").isEmpty == false)
    #expect(type(&model, "2x\r").isEmpty)
    #expect(model.message?.isBad == true)
    // A value beyond the range is sent, so that the patch can refuse it.
    #expect(type(&model, "3\r") == [.set(pointer: Self.volume, value: 3)])
    #expect(press(&model, [KeyPress(.character("5")), KeyPress(.escape)]).isEmpty)
    #expect(model.prompt == nil)
    model.selected = "/nodes/eq/properties/presentPreset"
    #expect(
      type(&model, "\rro\r") == [
        .set(pointer: "/nodes/eq/properties/presentPreset", value: "Rock")
      ])
    model.selected = "/nodes/mixer/inputs/0/parameters/enable"
    #expect(
      type(&model, "\r") == [
        .set(pointer: "/nodes/mixer/inputs/0/parameters/enable", value: false)
      ])
  }

  @Test func `turning is undone at once, and what was no setting is none again`() {
    var model = model()
    _ = press(&model, [KeyPress(.left), KeyPress(.left), KeyPress(.left)])
    _ = press(&model, [KeyPress(.left)], at: 200)
    #expect(model.undos.count == 2)
    #expect(press(&model, [KeyPress(.character("u"))]).count == 1)
    #expect(type(&model, "u") == [.set(pointer: Self.volume, value: 0.5)])
    #expect(type(&model, "u").isEmpty)
    #expect(press(&model, [KeyPress(.delete)]) == [.remove(pointer: Self.volume)])
    #expect(model.selectedControl?.value == 1)
    #expect(press(&model, [KeyPress(.delete)]).isEmpty)
    #expect(type(&model, "u") == [.set(pointer: Self.volume, value: 0.5)])
    let enable = "/nodes/mixer/inputs/0/parameters/enable"
    model.selected = enable
    _ = press(&model, [KeyPress(.left)])
    #expect(type(&model, "u") == [.remove(pointer: enable)])
  }

  @Test func `an older answer does not put back what is being turned`() {
    var model = model()
    _ = press(&model, [KeyPress(.end)])
    model.take(TopScreenTests.controls)
    #expect(model.selectedControl?.value == 1)
    model.waiting = [:]
    model.take(TopScreenTests.controls)
    #expect(model.selectedControl?.value == 0.5)
  }

  @Test func `a filter leaves what has its words, and keys move in what is left`() {
    var model = model()
    #expect(model.visible.count == 4)
    #expect(type(&model, "/volume\r").isEmpty)
    // Including the bus that is not in use.
    #expect(model.visible.map(\.element) == [0, 7])
    _ = press(&model, [KeyPress(.down), KeyPress(.down)])
    #expect(model.selectedControl?.element == 7)
    _ = press(&model, [KeyPress(.escape)])
    #expect(model.filter.isEmpty && model.selectedControl?.element == 0)
    _ = type(&model, "/nothing is called so")
    #expect(model.visible.isEmpty && model.selectedControl == nil)
    #expect(press(&model, [KeyPress(.enter), KeyPress(.right), KeyPress(.delete)]).isEmpty)
    _ = press(&model, [KeyPress(.escape)])
    #expect(model.selected == "/nodes/eq/properties/presentPreset")
    _ = type(&model, "]")
    #expect(model.selected == Self.volume)
    _ = type(&model, "G")
    #expect(model.selectedControl?.name == "enable")
    _ = type(&model, "g")
    #expect(model.selectedControl?.name == "presentPreset")
  }

  @Test func `what is pasted is typed, and is no command`() {
    var model = model()
    #expect(press(&model, [KeyPress(.paste("0.25\nq"))]).isEmpty)
    #expect(model.prompt == .value("0.25"))
    #expect(press(&model, [KeyPress(.enter)]) == [.set(pointer: Self.volume, value: 0.25)])
    model.focus = .events
    #expect(press(&model, [KeyPress(.paste("q"))]).isEmpty)
  }

  @Test func `ending the patch takes a question, leaving it none`() {
    var model = model()
    #expect(type(&model, "sn").isEmpty)
    #expect(type(&model, "sy") == [.stop])
    #expect(type(&model, "q") == [.quit])
    _ = type(&model, "?")
    #expect(model.showsHelp)
    #expect(press(&model, [KeyPress(.escape)]).isEmpty && !model.showsHelp)
    #expect(press(&model, [KeyPress(.character("c"), .control)]) == [.quit])
    #expect(press(&model, [KeyPress(.character("z"), .control)]) == [.suspend])
    model.link = .ended("stopped")
    #expect(press(&model, [KeyPress(.right), KeyPress(.delete)]).isEmpty)
  }

  @Test func `steps fit what is turned`() {
    func control(
      _ kind: TopControl.Kind, _ value: Double, _ range: ClosedRange<Double>
    ) -> TopControl {
      var control = TopControl(pointer: "/x")
      control.kind = kind
      control.value = .number(value)
      (control.minimum, control.maximum) = (range.lowerBound, range.upperBound)
      return control
    }
    #expect(control(.pan, 0, -1...1).stepped(1, isLarge: false) == 0.05)
    #expect(control(.pan, 0.98, -1...1).stepped(1, isLarge: true) == 1)
    #expect(control(.angle, 180, -180...180).stepped(1, isLarge: false) == -179)
    #expect(control(.angle, 90, -90...90).stepped(1, isLarge: true) == 90)
    #expect(control(.frequency, 440, 20...20_000).stepped(1, isLarge: true) == 880)
    #expect(control(.frequency, 440, 20...20_000).stepped(1, isLarge: false) == 466.2)
    #expect(control(.decibels, -3.2, -96...24).stepped(1, isLarge: false) == -3)
    #expect(control(.distance, 1, 0...10_000).stepped(1, isLarge: false) == 1.05)
    #expect(control(.distance, 100, 0...10_000).stepped(-1, isLarge: true) == 50)
    #expect(control(.number, 50, 0...127).stepped(1, isLarge: false) == 51)
    #expect(control(.number, 50, 0...127).stepped(-1, isLarge: true) == 40)
    #expect(control(.frequency, 440, 20...20_000).parsed("2k") == 2000)
  }

  @Test func `a scale goes there and back`() {
    for level in stride(from: -69.0, through: 0, by: 0.5) {
      #expect(abs(TopScale.level(TopScale.deflection(level)) - level) < 1e-9)
    }
    #expect(TopScale.deflection(-20) == 0.5 && TopScale.deflection(6) == 1)
    #expect(TopScale.deflection(-.infinity) == 0 && TopScale.deflection(.nan) == 0)
  }
}
