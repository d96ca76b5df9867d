import Testing

@testable import Pictures

struct AxisTests {
  @Test func `times are written as a clock shows them`() {
    #expect(Axis.clock(0, digits: 0) == "0:00")
    #expect(Axis.clock(65, digits: 0) == "1:05")
    #expect(Axis.clock(3723, digits: 0) == "1:02:03")
    #expect(Axis.clock(0.25, digits: 2) == "0:00.25")
    #expect(Axis.clock(59.996, digits: 2) == "1:00.00")
  }
}
