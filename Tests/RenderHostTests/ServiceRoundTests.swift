import AudioTypes
import Glibc
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

/// Counts its calls, reports one of them, and fails in one.
private final class CountedService: RenderService {
  let number: Int
  private let tellsAt: Int
  private let failsAt: Int
  private let state = Mutex((calls: 0, abandoned: 0, threads: Set<UInt>()))
  private let events = Mutex<[ServiceEvent]>([])

  init(_ number: Int, tellsAt: Int = 0, failsAt: Int = 0) {
    self.number = number
    self.tellsAt = tellsAt
    self.failsAt = failsAt
  }

  var calls: Int { state.withLock { $0.calls } }
  var abandoned: Int { state.withLock { $0.abandoned } }
  var threads: Set<UInt> { state.withLock { $0.threads } }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    let call = state.withLock { state in
      state.calls += 1
      state.threads.insert(UInt(pthread_self()))
      return state.calls
    }
    // A denormal, which becomes 0 in a thread with another floating-point mode.
    let tiny = Float.leastNormalMagnitude / Float(number + 2)
    guard tiny > 0 else { throw ServiceError("service \(number) has lost a denormal") }
    if call == failsAt { throw ServiceError("service \(number) has failed") }
    guard call == tellsAt else { return }
    events.withLock { $0.append(ServiceEvent(.late, file: "\(number)", time: 0, cause: "")) }
  }

  func finish() throws(ServiceError) {}
  func abandon() { state.withLock { $0.abandoned += 1 } }
  var lostFrames: Int { 0 }

  func takeEvents() -> [ServiceEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

@Suite struct ServiceRoundTests {
  private func session(threads: Int) -> RenderSession {
    let session = RenderSession(
      .init(client: nil, device: nil, sampleRate: 48_000, threadCount: threads))
    // As a session does for a plan with several threads.
    session.helpers?.start()
    return session
  }

  @Test(arguments: [1, 2, 4])
  func `each service is called once a slice, and tells in its turn`(threads: Int) {
    let session = session(threads: threads)
    let services = (0..<50).map { CountedService($0, tellsAt: 7) }
    let outcome = OfflineDevice(stereoGrant(64)).run(
      session, frameCount: 64 * 200, services: services)
    #expect(outcome.errors == [])
    #expect(outcome.frameCount == 64 * 200)
    #expect(services.map(\.calls) == [Int](repeating: 200, count: 50))
    #expect(outcome.events.map(\.file) == (0..<50).map(String.init))
  }

  @Test func `helpers call services`() {
    let session = session(threads: 3)
    let services = (0..<50).map { CountedService($0) }
    // Until a helper has taken a service, however busy the machine is.
    let outcome = OfflineDevice(stereoGrant(64)).run(
      session, services: services,
      isCancelled: { services.reduce(into: Set<UInt>()) { $0.formUnion($1.threads) }.count >= 2 })
    #expect(services.map(\.calls) == [Int](repeating: outcome.frameCount / 64, count: 50))
  }

  @Test(arguments: [1, 3])
  func `of services that fail in a slice the first one says why the run ends`(threads: Int) {
    let session = session(threads: threads)
    let services = (0..<50).map { CountedService($0, failsAt: $0 == 12 || $0 == 30 ? 5 : 0) }
    let outcome = OfflineDevice(stereoGrant(64)).run(
      session, frameCount: 64 * 200, services: services)
    #expect(outcome.errors == [ServiceError("service 12 has failed")])
    #expect(outcome.frameCount == 64 * 4)
    #expect(services.map(\.abandoned) == [Int](repeating: 1, count: 50))
  }
}
