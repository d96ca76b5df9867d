import AudioTypes
import Glibc
import RenderCore
import RenderHost
import Synchronization
import TestSupport
import Testing

/// A service that waits, as for a disk, until it is released.
private final class StalledService: RenderService {
  let isStalled = Atomic<Bool>(false)
  let isWaiting = Atomic<Bool>(false)
  private let gaps = Mutex<[String]>([])
  var notedGaps: [String] { gaps.withLock { $0 } }
  let lostFrames = 7

  func service(atLeast frameCount: Int) throws(ServiceError) {
    while isStalled.load(ordering: .acquiring) {
      isWaiting.store(true, ordering: .releasing)
      usleep(1000)
    }
  }

  func finish() throws(ServiceError) {}

  func takeOngoingEvent() -> ServiceEvent? {
    isWaiting.load(ordering: .acquiring)
      ? ServiceEvent(.gap, file: "slow", time: 1, isOngoing: true, cause: "the disk is too slow")
      : nil
  }

  func noteGap(seconds: Double, ago: Double, cause: String) {
    gaps.withLock { $0.append("\(seconds) \(ago >= 0.5) \(cause)") }
  }
}

struct StalledDiskTests {
  @Test func `a disk that stands still holds up nobody who asks what has happened`() throws {
    let thread = ServiceThread(longestSleep: 0.01)
    let service = StalledService()
    try thread.start([service])
    service.isStalled.store(true, ordering: .releasing)
    #expect(eventually { service.isWaiting.load(ordering: .acquiring) })
    let begin = monotonicNanoseconds()
    #expect(thread.takeEvents().map(\.isOngoing) == [true])
    #expect(thread.lostFrames == 7 && thread.errors.isEmpty)
    thread.noteGap(seconds: 2, ago: 0.5, cause: "a test")
    #expect(monotonicNanoseconds() - begin < 500_000_000)
    #expect(service.notedGaps.isEmpty)
    service.isStalled.store(false, ordering: .releasing)
    #expect(eventually { service.notedGaps == ["2.0 true a test"] })
    thread.stop()
    #expect(thread.lostFrames == 7)
  }
}

struct PacedHostTests {
  @Test
  func `the live path renders what the offline one does`() throws {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    session.end(afterFrames: 20_000)
    let host = PacedHost(stereoGrant(256), speed: 50, collects: true)
    try host.start(session)
    #expect(session.renderedFrames > 0, "start returns once the first slice is there")
    #expect(eventually { session.hasEnded })
    host.stop()
    let pulled = session.renderedFrames
    #expect(pulled == 20_000)
    let samples = values(host.collected, as: Float.self)
    #expect(Array(samples.prefix(40_000)) == counted(0..<20_000))
    #expect(host.failure == nil)
  }

  @Test
  func `nothing is pulled once it has been stopped, and it can be started again`() throws {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    let host = PacedHost(stereoGrant(64), speed: 20)
    try host.start(session)
    host.stop()
    let count = session.sliceCount
    usleep(20_000)
    #expect(session.sliceCount == count)
    try host.start(session)
    #expect(session.sliceCount > count)
    host.stop()
    host.stop()
  }

  @Test
  func `a microphone is heard frame for frame`() throws {
    let ring = FrameRing(channelCount: 2, minimumCapacity: 1024)
    let session = session(capture: ring)
    session.play(plan(.holding(RingKernel(ring: ring.access))))
    let host = PacedHost(stereoGrant(256, input: 2), speed: 50, collects: true) {
      position, interleaved in
      for index in interleaved.indices {
        interleaved[index] = countedSample(index % 2, position + index / 2)
      }
    }
    try host.start(session)
    #expect(eventually { session.renderedFrames >= 5000 })
    host.stop()
    let frames = session.renderedFrames
    #expect(values(host.collected, as: Float.self) == counted(0..<frames))
    #expect(host.droppedFrames == 0)
  }

  @Test
  func `a microphone that fails is the host's failure`() throws {
    let session = session()
    let host = PacedHost(stereoGrant(256, input: 1), speed: 50) {
      (position, _) throws(ServiceError) in
      if position > 1000 { throw ServiceError("unplugged") }
    }
    try host.start(session)
    #expect(eventually { host.failure != nil })
    #expect(host.failure?.code == .deviceLost)
    host.stop()
  }
}

struct ServiceThreadTests {
  @Test
  func `services are called before start returns, and on`() throws {
    let service = RecordingService()
    let thread = ServiceThread(atLeast: 2048)
    try thread.start([service])
    #expect(service.calls.count >= 1)
    #expect(eventually { service.calls.count >= 4 })
    #expect(service.calls.allSatisfy { $0 == 2048 })
    #expect(service.finishes == 0)
    thread.stop()
    #expect(service.finishes == 1)
    let calls = service.calls.count
    usleep(30_000)
    #expect(service.calls.count == calls)
    thread.stop()
    #expect(service.finishes == 1)
  }

  @Test
  func `services come and go while it runs`() throws {
    let first = RecordingService()
    let second = RecordingService()
    let thread = ServiceThread()
    try thread.start([first])
    thread.add(second)
    thread.add(second)
    #expect(second.calls.count >= 1)
    first.lost = 5
    thread.remove(first)
    #expect(first.finishes == 1)
    let calls = first.calls.count
    let before = second.calls.count
    #expect(eventually { second.calls.count > before + 1 })
    #expect(first.calls.count == calls)
    second.lost = 2
    #expect(thread.lostFrames == 7)
    thread.stop()
    #expect(second.finishes == 1)
    #expect(thread.lostFrames == 7)
  }

  @Test
  func `a failure is told once, and the rest goes on`() throws {
    let failing = RecordingService()
    let other = RecordingService()
    failing.failure = ServiceError("'a.wav' cannot be read")
    failing.finishFailure = ServiceError("'a.wav' cannot be closed")
    let thread = ServiceThread()
    try thread.start([failing, other])
    #expect(eventually { other.calls.count >= 3 })
    #expect(thread.errors == [ServiceError("'a.wav' cannot be read")])
    #expect(failing.calls.count == 1)
    thread.stop()
    #expect(failing.finishes == 1)
    #expect(thread.errors.map(\.message) == ["'a.wav' cannot be read", "'a.wav' cannot be closed"])
  }

  @Test
  func `a service that has time to spare is left alone until somebody wakes the thread`() throws {
    let service = RecordingService()
    service.spare = 3600
    let thread = ServiceThread(longestSleep: 3600)
    try thread.start([service])
    // When it was added, at the first turn, and because the addition woke the thread.
    #expect(eventually { service.calls.count == 3 })
    usleep(50_000)
    #expect(service.calls.count == 3)
    thread.wake()
    #expect(eventually { service.calls.count == 4 })
    // A new service may be more urgent, so all are called again.
    thread.add(RecordingService())
    #expect(eventually { service.calls.count >= 8 })
    // Stopping does not wait for the hour that the service allows.
    thread.stop()
    #expect(service.finishes == 1)
  }

  @Test
  func `a chore is done as often as it asks for`() throws {
    let service = RecordingService()
    service.spare = 3600
    let count = Atomic<Int>(0)
    let thread = ServiceThread(longestSleep: 3600)
    try thread.start([service]) {
      count.wrappingAdd(1, ordering: .relaxed)
      return count.load(ordering: .relaxed) < 6 ? 0 : 3600
    }
    #expect(eventually { count.load(ordering: .relaxed) == 6 })
    usleep(50_000)
    #expect(count.load(ordering: .relaxed) == 6)
    thread.stop()
  }

  @Test
  func `a thread that is forgotten ends`() throws {
    let service = RecordingService()
    do {
      let thread = ServiceThread()
      try thread.start([service])
    }
    usleep(20_000)
    let calls = service.calls.count
    usleep(40_000)
    #expect(service.calls.count == calls)
  }
}
