import RenderCore
import RenderHost
import TestSupport
import Testing

@Suite struct PauseTests {
  /// Plays 1000 frames, pauses for 1500, and plays 3000 more.
  private func pulled(_ slicing: Slicing, atOnce: Bool = false) -> [Float] {
    let session = session(channels: 1)
    session.play(plan(.holding(CountingKernel()), channels: 1))
    var bytes = pull(session, slicing.cut(1000))
    session.pause(atOnce: atOnce)
    #expect(session.isPausing && !session.isPaused)
    bytes += pull(session, slicing.cut(1500))
    #expect(session.isPaused && !session.hasEnded)
    #expect(session.renderedFrames == (atOnce ? 1000 : 1960))
    session.resume()
    #expect(!session.isPausing && !session.isPaused)
    bytes += pull(session, slicing.cut(3000))
    #expect(session.renderedFrames == (atOnce ? 4000 : 4960))
    return values(bytes, as: Float.self)
  }

  @Test(arguments: Slicing.every)
  func `a pause fades out, renders nothing, and fades in where it was`(slicing: Slicing) {
    let heard = pulled(slicing)
    #expect(heard == pulled(Slicing([4096])))
    let sound = counted(0..<4960, channels: 1)
    #expect(Array(heard[..<1000]) == Array(sound[..<1000]))
    #expect(heard[1960..<2500].allSatisfy { $0 == 0 })
    #expect(Array(heard[3460...]) == Array(sound[2920...]))
    for frame in 0..<960 {
      let gain = Float(frame + 1) / 960
      #expect(abs(heard[1000 + frame] - sound[1000 + frame] * (1 - gain)) < 1e-3)
      #expect(abs(heard[2500 + frame] - sound[1960 + frame] * gain) < 1e-3)
    }
  }

  @Test(arguments: Slicing.every)
  func `a pause at once loses no frame`(slicing: Slicing) {
    let heard = pulled(slicing, atOnce: true)
    let sound = counted(0..<4000, channels: 1)
    #expect(Array(heard[..<1000]) == Array(sound[..<1000]))
    #expect(heard[1000..<2500].allSatisfy { $0 == 0 })
    #expect(Array(heard[3460...]) == Array(sound[1960...]))
  }

  @Test func `a pause that is over at once is a dip, and one that follows another no fade`() {
    let session = session(channels: 1)
    session.play(plan(.holding(CountingKernel()), channels: 1))
    _ = pull(session, [1000])
    session.pause()
    _ = pull(session, [480])
    session.resume()
    _ = pull(session, [2000])
    #expect(session.renderedFrames == 3480)
    session.pause(atOnce: true)
    _ = pull(session, [100])
    session.pause()
    _ = pull(session, [100])
    #expect(session.isPaused && session.renderedFrames == 3480)
    session.restart()
    #expect(!session.isPausing)
    _ = pull(session, [100])
    #expect(session.renderedFrames == 100)
  }

  @Test func `a session that has paused can end`() {
    let session = session(channels: 1)
    session.play(plan(.holding(CountingKernel()), channels: 1))
    session.pause()
    _ = pull(session, [2000])
    session.fadeOut()
    _ = pull(session, [1])
    #expect(session.hasEnded)
  }

  @Test func `a client's pause is its own: an interruption that is over does not end it`() {
    let session = session(channels: 1)
    session.play(plan(.holding(CountingKernel()), channels: 1))
    _ = pull(session, [1000])
    session.hold()
    _ = pull(session, [1500])
    #expect(session.isPaused && session.renderedFrames == 1960)
    session.pause()
    _ = pull(session, [100])
    session.resume()
    #expect(session.isPausing)
    let silent = values(pull(session, [2000]), as: Float.self)
    #expect(silent.allSatisfy { $0 == 0 })
    #expect(session.isPaused && session.renderedFrames == 1960)
    session.release()
    #expect(!session.isPausing)
    let heard = values(pull(session, [1500]), as: Float.self)
    #expect(Array(heard[960...]) == Array(counted(2920..<3460, channels: 1)))
    // The reverse order: the end of a client's pause does not end an interruption.
    session.pause()
    session.hold()
    _ = pull(session, [1000])
    session.release()
    _ = pull(session, [100])
    #expect(session.isPaused)
    session.hold()
    session.restart()
    #expect(!session.isPausing)
  }
}
