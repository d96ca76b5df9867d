import AudioTypes
import RenderCore
import RenderHost
import TestSupport
import Testing

/// The start time of a session and its time stamps.
struct StartTimeTests {
  private func restarted(
    keepingTime: Bool = false, _ start: StartTime? = nil
  ) -> RenderSession {
    let session = session()
    session.play(plan(.holding(CountingKernel())))
    session.restart(keepingTime: keepingTime, beginning: start)
    return session
  }

  @Test(arguments: Slicing.every)
  func `frames of the device go by in silence before the start, however they are asked for`(
    slicing: Slicing
  ) {
    let session = restarted(StartTime(timeStamp: TimeStamp(sampleTime: 1500)))
    session.end(afterFrames: 3000)
    let found = values(pull(session, slicing.cut(5000)), as: Float.self)
    #expect(found[..<3000].allSatisfy { $0 == 0 })
    // No frame is lost: the first is heard, and the last before the end.
    #expect(Array(found[3000..<9000]) == counted(0..<3000))
    #expect(found[9000...].allSatisfy { $0 == 0 })
    #expect(session.waitedFrames == 1500)
    #expect(session.hasEnded)
  }

  @Test func `a host time is waited for, and one that is past is not`() {
    let now = monotonicNanoseconds()
    // More than 100 s from now, and a test pulls only a few frames.
    let late = restarted(StartTime(timeStamp: TimeStamp(sampleTime: 0, hostTime: now + 100 << 30)))
    #expect(values(pull(late, [64, 512]), as: Float.self).allSatisfy { $0 == 0 })
    #expect(late.waitedFrames == 576)
    #expect(late.renderedFrames == 576)
    let early = restarted(StartTime(timeStamp: TimeStamp(sampleTime: 0, hostTime: now - 1)))
    #expect(values(pull(early, [64, 512]), as: Float.self) == counted(0..<576))
    #expect(early.waitedFrames == 0)
  }

  @Test func `a start time is for one start`() {
    let session = restarted(StartTime(timeStamp: TimeStamp(sampleTime: 100)))
    _ = pull(session, [64])
    session.restart()
    #expect(values(pull(session, [64]), as: Float.self) == counted(0..<64))
    #expect(session.waitedFrames == 0)
  }

  @Test func `time stamps begin anew at a start, or go on`() {
    let session = restarted()
    _ = pull(session, [1000])
    session.restart(keepingTime: true)
    #expect(values(pull(session, [500]), as: Float.self) == counted(1000..<1500))
    session.restart(keepingTime: true)
    #expect(values(pull(session, [100]), as: Float.self) == counted(1500..<1600))
    #expect(session.renderedFrames == 100)
    session.restart()
    #expect(values(pull(session, [100]), as: Float.self) == counted(0..<100))
  }
}
