import AudioTypes
import AudioUnits
import Synchronization
import Testing

struct ParameterReceiverTests {
  /// What receivers have heard, and the actions of timers.
  private final class Log: Sendable {
    let heard = Mutex<[String]>([])
    let timers = Mutex<[@Sendable () -> Void]>([])

    var all: [String] { heard.withLock { $0 } }

    func receiver(_ name: String = "", every interval: Duration = .zero) -> ParameterReceiver {
      let timer: ParameterReceiver.Timer = { _, body in self.timers.withLock { $0.append(body) } }
      return ParameterReceiver(minimumInterval: interval, timer: timer) {
        _, parameter, scope, element, value in
        self.heard.withLock { $0.append("\(name)\(parameter) \(scope) \(element) = \(value)") }
      }
    }

    func fire() {
      for body in timers.withLock({ timers in
        defer { timers = [] }
        return timers
      }) { body() }
    }
  }

  @Test func `all but the sender hear of a parameter that is set, and only where they listen`()
    throws
  {
    let (unit, log) = (UnitInstance(MultichannelMixer.self), Log())
    let (first, second) = (log.receiver("a "), log.receiver("b "))
    for receiver in [first, second] { try receiver.add(0, .input, 0, of: unit) }
    try second.add(0, .input, 0, of: unit)
    try unit.setParameter(0, .input, 0, to: 0.5, from: first)
    #expect(log.all == ["b 0 input 0 = 0.5"])
    try unit.setParameter(0, .input, 0, to: 0.25, from: nil)
    #expect(log.all.suffix(2) == ["a 0 input 0 = 0.25", "b 0 input 0 = 0.25"])
    try unit.setParameter(0, .input, 1, to: 0.5, from: nil)
    try unit.setParameter(2, .input, 0, to: 0.5, from: nil)
    #expect(log.all.count == 3)
    second.remove(0, .input, 0, of: unit)
    try unit.setParameter(0, .input, 0, to: 1, from: first)
    #expect(log.all.count == 3)
    #expect(try unit.parameter(0, .input, 0) == 1)
  }

  @Test func `a plain set is not heard of until somebody says so`() throws {
    let (unit, log) = (UnitInstance(MultichannelMixer.self), Log())
    let receiver = log.receiver()
    try receiver.add(0, .output, 0, of: unit)
    try receiver.add(2, .input, 1, of: unit)
    try receiver.add(0, .input, 1, of: unit)
    try unit.setParameter(0, .input, 1, to: 0.5)
    #expect(log.all == [])
    try unit.notifyParameterListeners(0, .input, 1, from: receiver)
    #expect(log.all == [])
    try unit.notifyParameterListeners(0, .input, 1)
    #expect(log.all == ["0 input 1 = 0.5"])
    try unit.notifyParameterListeners(UnitInstance.anyParameter)
    #expect(log.all.dropFirst() == ["0 input 1 = 0.5", "2 input 1 = 0.0", "0 output 0 = 1.0"])
  }

  @Test func `within the interval only the last value of each parameter is delivered`() throws {
    let (unit, log) = (UnitInstance(MultichannelMixer.self), Log())
    let receiver = log.receiver(every: .milliseconds(50))
    try receiver.add(0, .input, 0, of: unit)
    try receiver.add(2, .input, 0, of: unit)
    for value: Float in [0.1, 0.2, 0.3] {
      try unit.setParameter(0, .input, 0, to: value, from: nil)
      try unit.setParameter(2, .input, 0, to: -value, from: nil)
    }
    #expect(log.all == [])
    #expect(log.timers.withLock { $0.count } == 1)
    log.fire()
    #expect(log.all == ["0 input 0 = 0.3", "2 input 0 = -0.3"])
    try unit.setParameter(0, .input, 0, to: 0.4, from: nil)
    try unit.setParameter(2, .input, 0, to: 0.4, from: nil)
    receiver.remove(0, .input, 0, of: unit)
    log.fire()
    #expect(log.all.dropFirst(2) == ["2 input 0 = 0.4"])
  }

  @Test func `what nobody can set is not listened to, and there is no wild card for listening`()
    throws
  {
    let (unit, log) = (UnitInstance(MultichannelMixer.self), Log())
    let receiver = log.receiver()
    func status(_ body: () throws(Violation) -> Void) -> Status {
      do throws(Violation) { try body() } catch { return error.status }
      return .ok
    }
    #expect(
      status { () throws(Violation) in
        try receiver.add(UnitInstance.anyParameter, .input, 0, of: unit)
      } == .invalidParameter)
    #expect(
      status { () throws(Violation) in try receiver.add(0, .input, 99, of: unit) }
        == .invalidElement)
    try receiver.add(0, .input, 0, of: unit)
    #expect(
      status { () throws(Violation) in
        try unit.setParameter(0, .input, 0, to: .nan, from: nil)
      } == .invalidParameter)
    #expect(log.all == [])
  }

  @Test func `a receiver that nobody keeps hears nothing, and changes another in its call`() throws
  {
    let (unit, log) = (UnitInstance(MultichannelMixer.self), Log())
    var lost: ParameterReceiver? = log.receiver("lost ")
    try lost?.add(0, .input, 0, of: unit)
    lost = nil
    let echo = ParameterReceiver { unit, parameter, scope, element, value in
      try? unit.setParameter(parameter, scope, element + 1, to: value, from: nil)
    }
    try echo.add(0, .input, 0, of: unit)
    let second = log.receiver()
    try second.add(0, .input, 1, of: unit)
    try unit.setParameter(0, .input, 0, to: 0.5, from: nil)
    #expect(log.all == ["0 input 1 = 0.5"])
  }
}
