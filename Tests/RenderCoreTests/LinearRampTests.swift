import RenderCore
import Testing

@Suite struct LinearRampTests {
  @Test func `a ramp takes its length and arrives exactly`() {
    var ramp = LinearRamp(0, length: 4)
    ramp.aim(at: 1)
    let values = (0..<6).map { _ in ramp.next() }
    #expect(values == [0.25, 0.5, 0.75, 1, 1, 1])
    #expect(ramp.isSettled)
    #expect(ramp.current == 1)
  }

  @Test func `a target that cannot be reached in equal steps is reached all the same`() {
    var ramp = LinearRamp(0.1, length: 333)
    ramp.aim(at: 0.7)
    for _ in 0..<332 { _ = ramp.next() }
    #expect(!ramp.isSettled)
    #expect(ramp.next() == 0.7)
  }

  @Test func `aiming at the target again does not start anew`() {
    var ramp = LinearRamp(0, length: 4)
    ramp.aim(at: 1)
    _ = ramp.next()
    ramp.aim(at: 1)
    #expect(ramp.next() == 0.5)
  }

  @Test func `a new target is approached from where the value is`() {
    var ramp = LinearRamp(0, length: 4)
    ramp.aim(at: 1)
    _ = ramp.next()
    _ = ramp.next()
    ramp.aim(at: 0)
    #expect((0..<4).map { _ in ramp.next() } == [0.375, 0.25, 0.125, 0])
  }

  @Test func `a jump needs no frame`() {
    var ramp = LinearRamp(0, length: 100)
    ramp.aim(at: 1)
    ramp.jump(to: 3)
    #expect(ramp.isSettled)
    #expect(ramp.current == 3)
    #expect(ramp.next() == 3)
  }

  @Test func `a target that is not a number is left for one that is`() {
    var ramp = LinearRamp(0, length: 2)
    ramp.aim(at: .nan)
    _ = ramp.next()
    ramp.aim(at: 1)
    _ = ramp.next()
    #expect(ramp.next() == 1)
  }
}
