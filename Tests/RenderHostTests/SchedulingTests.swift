import CShims
import Foundation
import RenderHost
import Synchronization
import TestSupport
import Testing

/// The requests for a thread's scheduling, their order, and the message.
struct SchedulingTests {
  /// Requests scheduling with given answers of the system and RealtimeKit.
  private func grant(
    realTime: Int32, broker: RealtimeKit.Answer, niceness: (Int32, Int32) = (0, EPERM)
  ) -> (grant: SchedulingGrant, asked: [String]) {
    var asked: [String] = []
    var request = SchedulingRequest(priority: 5)
    request.system.requestRealTime = {
      asked.append("system \($0)")
      return realTime
    }
    request.broker = {
      asked.append("broker \($0.priority) \($0.niceness)")
      return broker
    }
    request.system.setNiceness = {
      asked.append("nice \($0)")
      return (granted: niceness.0, error: niceness.1)
    }
    return (request.make(), asked)
  }

  @Test func `who may have it by the system asks nobody else`() {
    let (granted, asked) = grant(realTime: 5, broker: .init())
    #expect(asked == ["system 5"])
    #expect(granted.description == "real-time (FIFO, priority 5)")
  }

  @Test func `RealtimeKit is asked next`() {
    let (granted, asked) = grant(
      realTime: -EPERM, broker: .init(granted: .realTime(priority: 3)))
    #expect(asked == ["system 5", "broker 5 -11"])
    #expect(granted.description == "real-time (round robin, priority 3, by RealtimeKit)")
  }

  @Test func `niceness comes last, RealtimeKit's first`() {
    let high = grant(
      realTime: -EPERM, broker: .init(granted: .highPriority(niceness: -11), refusal: "not today"))
    #expect(high.asked == ["system 5", "broker 5 -11"])
    #expect(
      high.grant.description
        == "high priority (niceness -11, by RealtimeKit; real-time was refused: "
        + "Operation not permitted; RealtimeKit: not today)")
    let own = grant(realTime: -EPERM, broker: .init(refusal: "no bus"), niceness: (-4, 0))
    #expect(own.asked == ["system 5", "broker 5 -11", "nice -11"])
    #expect(
      own.grant.description
        == "high priority (niceness -4; real-time was refused: Operation not permitted; "
        + "RealtimeKit: no bus)")
  }

  @Test(arguments: [[0, EPERM], [0, 0], [5, 0]])
  func `where nothing is granted it says why`(niceness: [Int32]) {
    let none = grant(
      realTime: -EPERM, broker: .init(refusal: "no bus"), niceness: (niceness[0], niceness[1]))
    #expect(
      none.grant.description
        == "normal (real-time was refused: Operation not permitted; RealtimeKit: no bus)")
  }
}

/// A real D-Bus connection to a fake RealtimeKit on a private bus.
@Suite(
  .serialized,
  .enabled(if: FakeRealtimeKit.isInstalled, "dbus-daemon, python3-dbus or python3-gi is missing"))
struct RealtimeKitTests {
  private final class Answers: Sendable {
    let answer = Mutex(RealtimeKit.Answer())
    let policy = Mutex((policy: Int32(-1), priority: Int32(0), niceness: Int32(0)))
    let limits = Mutex([UInt64]())
    let seconds = Mutex(0.0)
  }

  /// Requests scheduling in a new thread, and returns how that thread is scheduled then.
  private func ask(_ address: String, limitFails: Int32 = 0) throws -> Answers {
    let found = Answers()
    let thread = try HostThread("asks") {
      var kit = RealtimeKit()
      kit.address = address
      kit.limitTime = { microseconds in
        found.limits.withLock { $0.append(microseconds) }
        return limitFails
      }
      let begin = monotonicNanoseconds()
      let answer = kit.ask(
        RealtimeKit.Request(thread: shims_thread_number(), priority: 5, niceness: -11))
      found.seconds.withLock { $0 = Double(monotonicNanoseconds() - begin) / 1e9 }
      found.answer.withLock { $0 = answer }
      let thread = Int32(shims_thread_number())
      var parameter = sched_param()
      unsafe sched_getparam(thread, &parameter)
      let priority = parameter.sched_priority
      let niceness = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread))
      found.policy.withLock { $0 = (sched_getscheduler(thread) & 0xFF, priority, niceness) }
    }
    thread.join()
    return found
  }

  /// The fake checks the limit of the process. The test must not set the limit, since that cannot
  /// be undone. Without it, only a test of the command sees a real-time grant.
  private var manner: FakeRealtimeKit.Manner { FakeRealtimeKit.Manner() }

  @Test func `its limits are asked for, and obeyed`() throws {
    var manner = manner
    manner.priority = 3
    manner.niceness = -4
    manner.refusesRealTime = true
    let kit = try FakeRealtimeKit(manner)
    let found = try ask(kit.address)
    #expect(found.limits.withLock { $0 } == [200_000])
    #expect(kit.requests == ["MakeThreadRealtime 3", "MakeThreadHighPriority -4"])
    let answer = found.answer.withLock { $0 }
    #expect(answer.granted == .highPriority(niceness: -4))
    #expect(answer.refusal?.isEmpty == false)
    #expect(found.policy.withLock { $0.niceness } == -4)
  }

  @Test func `one that grants no real-time at all is not asked for it`() throws {
    var manner = manner
    manner.priority = 0
    let kit = try FakeRealtimeKit(manner)
    let found = try ask(kit.address)
    #expect(kit.requests == ["MakeThreadHighPriority -11"])
    #expect(found.limits.withLock { $0 } == [])
    #expect(found.answer.withLock { $0.refusal } == "it grants no real-time")
  }

  @Test func `one that refuses everything is believed`() throws {
    var manner = manner
    manner.refusesRealTime = true
    manner.refusesNiceness = true
    let kit = try FakeRealtimeKit(manner)
    let found = try ask(kit.address)
    #expect(kit.requests == ["MakeThreadRealtime 5", "MakeThreadHighPriority -11"])
    #expect(found.answer.withLock { $0.granted } == .normal)
    #expect(found.policy.withLock { $0.policy } == SCHED_OTHER)
  }

  @Test func `without its limit set nothing is asked for that needs it`() throws {
    let kit = try FakeRealtimeKit(manner)
    let found = try ask(kit.address, limitFails: EPERM)
    #expect(kit.requests == ["MakeThreadHighPriority -11"])
    #expect(
      found.answer.withLock { $0.refusal }
        == "RLIMIT_RTTIME cannot be set: Operation not permitted")
  }

  @Test func `a bus without it, and no bus, are said at once`() throws {
    var manner = manner
    manner.isThere = false
    let bus = try FakeRealtimeKit(manner)
    let without = try ask(bus.address)
    #expect(without.answer.withLock { $0.refusal }?.contains("RealtimeKit1") == true)
    let none = try ask("unix:path=/nowhere/bus")
    #expect(none.answer.withLock { $0.refusal }?.contains("/nowhere/bus") == true)
    #expect(none.answer.withLock { $0.granted } == .normal)
    for found in [without, none] { #expect(found.seconds.withLock { $0 } < 0.4) }
  }

  @Test func `neither a bus that hangs nor a service that is slow holds up a run`() throws {
    var manner = manner
    manner.delay = 0.3
    let slow = try FakeRealtimeKit(manner)
    let late = try ask(slow.address)
    let bus = try FakeRealtimeKit(self.manner)
    bus.hang()
    let hanging = try ask(bus.address)
    for found in [late, hanging] {
      #expect(found.seconds.withLock { $0 } < 0.5)
      #expect(found.answer.withLock { $0.granted } == .normal)
      #expect(found.answer.withLock { $0.refusal } != nil)
    }
    // A request that was given up is not sent later.
    usleep(1_000_000)
    #expect(slow.requests == [])
  }
}
