import Testing

@testable import Pictures

struct AxisTests {
  private func named(_ axis: Axis) -> [String] { axis.ticks.map(\.text).filter { !$0.isEmpty } }

  @Test func `times are written as a clock shows them`() {
    #expect(Axis.clock(0, digits: 0) == "0:00")
    #expect(Axis.clock(65, digits: 0) == "1:05")
    #expect(Axis.clock(3723, digits: 0) == "1:02:03")
    #expect(Axis.clock(0.25, digits: 2) == "0:00.25")
    #expect(Axis.clock(59.996, digits: 2) == "1:00.00")
  }

  @Test(arguments: [0.001, 0.7, 3, 59, 61, 600, 3599, 7200, 86_400, 1e6])
  func `a time axis has as many ticks as there is room for, and they differ`(seconds: Double) {
    let axis = Axis.time(0...seconds, count: 10)
    #expect((3...11).contains(axis.ticks.count))
    #expect(Set(axis.ticks.map(\.text)).count == axis.ticks.count)
    #expect(axis.ticks.first?.value == 0)
  }

  @Test func `frequencies are logarithmic, with names at one, two and five`() {
    let axis = Axis.frequency(20...20_000, count: 12)
    #expect(axis.scale == .logarithmic)
    #expect(
      named(axis) == ["20", "50", "100", "200", "500", "1k", "2k", "5k", "10k", "20k"])
    #expect(axis.ticks.contains { $0.value == 300 && $0.text.isEmpty })
    #expect(axis.share(20) == 0 && axis.share(20_000) == 1)
    #expect((axis.share(632.4555) - 0.5).magnitude < 1e-6)
    #expect((axis.value(0.5) - 632.4555).magnitude < 1e-3)
  }

  @Test func `decibels stand at the steps that people are used to, with a minus that is one`() {
    let axis = Axis.decibels("dBFS", -60...0, count: 5)
    #expect(
      named(axis) == [
        "\u{2212}60", "\u{2212}48", "\u{2212}36", "\u{2212}24", "\u{2212}12", "0",
      ])
    #expect(named(.decibels("dB", -0.4...0.4, count: 5)).contains("0.0"))
  }

  @Test func `degrees stand at parts of a turn`() {
    #expect(
      Axis.degrees("", -180...180, count: 5).ticks.map(\.value) == [-180, -90, 0, 90, 180])
  }

  @Test func `numbers have no more digits than their step`() {
    #expect(named(.numbers("", 0...1, count: 5)) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"])
    #expect(Decimal.plain(-0.04, 1) == "0.0")
    #expect(Decimal.text(-1.25, 2) == "\u{2212}1.25")
    #expect(Decimal.text(.infinity, 1) == "\u{221E}")
  }
}

struct TextRoomTests {
  @Test func `a text that is too long is cut, and one that fits is not`() {
    #expect(TextRoom.short("short", size: 15, room: 300) == "short")
    let cut = TextRoom.short(String(repeating: "long ", count: 100), size: 15, room: 300)
    #expect(cut.hasSuffix("\u{2026}") && cut.count > 20 && cut.count < 60)
  }
}
