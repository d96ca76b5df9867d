import Foundation
import Synchronization
import TestSupport

/// Hears what the sinks of a server play, whatever becomes of them: a recorder of each monitor, begun again
/// whenever it ends. It keeps when there was sound, and not the sound.
final class MonitorListener: Sendable {
  /// Louder than this is sound: -54 dBFS, far above what a resampler leaves of silence.
  private static let threshold: Float = 0.002

  private let server: String
  private let environment: [String: String]
  private let sinks: [String]
  private let state = Mutex(State())

  private struct State {
    /// Stretches with sound, on the clock of `now()`, in the order of their beginnings.
    var loud: [ClosedRange<Double>] = []
    var isOver = false
    var recorders: [Int32] = []
  }

  /// - Parameter sinks: The names of all that there may be.
  init(_ server: PrivatePulse, sinks: [String]) {
    self.server = server.address
    environment = server.environment
    self.sinks = sinks
    for sink in sinks {
      Thread.detachNewThread { [self] in listen(to: sink) }
    }
  }

  func end() { state.withLock { $0.isOver = true } }

  /// Begins again with every recorder: PipeWire's hear nothing any more of a sink that was suspended.
  func renew() {
    for recorder in state.withLock({ $0.recorders }) { kill(recorder, SIGKILL) }
  }

  /// When sound was last heard before a time; `nil` for never.
  func lastSound(before time: Double = .infinity) -> Double? {
    state.withLock {
      $0.loud.filter { $0.lowerBound < time }.map { min($0.upperBound, time) }.max()
    }
  }

  /// When sound was first heard from a time on.
  func firstSound(after time: Double) -> Double? {
    state.withLock {
      $0.loud.filter { $0.upperBound >= time }.map { max($0.lowerBound, time) }.min()
    }
  }

  /// Seconds without sound between two times, the longest stretch and all together. What is shorter than
  /// `shortest` is the recorder's own raggedness.
  func silence(from begin: Double, to end: Double, shortest: Double = 0.06) -> (
    longest: Double, sum: Double
  ) {
    let loud = state.withLock { $0.loud }.sorted { $0.lowerBound < $1.lowerBound }
    var heardUpTo = begin
    var gaps: [Double] = []
    for stretch in loud where stretch.upperBound > begin && stretch.lowerBound < end {
      if stretch.lowerBound - heardUpTo > shortest { gaps.append(stretch.lowerBound - heardUpTo) }
      heardUpTo = max(heardUpTo, stretch.upperBound)
    }
    if end - heardUpTo > shortest { gaps.append(end - heardUpTo) }
    return (gaps.max() ?? 0, gaps.reduce(0, +))
  }

  // MARK: The recorders

  private func listen(to sink: String) {
    while !state.withLock({ $0.isOver }) {
      record(sink)
      usleep(20_000)
    }
  }

  private func record(_ sink: String) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    // The child opens the end as its output, before it has lost it.
    let recorder = try? ChildProcess(
      "/usr/bin/parec",
      [
        "--device=\(sink).monitor", "--format=float32le", "--rate=48000", "--channels=2",
        "--latency-msec=10", "--raw",
        // PipeWire would have it hear another sink in the place of one that is not there.
        "--property=node.dont-reconnect=true",
      ], environment: environment, output: "/proc/self/fd/\(ends[1])")
    close(ends[1])
    guard let recorder else { return }
    state.withLock { $0.recorders.append(recorder.processIdentifier) }
    defer { state.withLock { $0.recorders.removeAll { $0 == recorder.processIdentifier } } }
    var buffer = [Float](repeating: 0, count: 4096)
    while !state.withLock({ $0.isOver }) {
      var polled = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&polled, 1, 100) > 0 else { continue }
      let bytes = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(ends[0], $0.baseAddress, $0.count)
      }
      guard bytes > 0 else { break }
      note(buffer[..<(bytes / 4)], at: now())
    }
    recorder.signal(SIGKILL)
    recorder.wait()
  }

  /// The block has been played up to a time, as far as that is known.
  private func note(_ block: ArraySlice<Float>, at time: Double) {
    guard let first = block.firstIndex(where: { abs($0) > Self.threshold }),
      let last = block.lastIndex(where: { abs($0) > Self.threshold })
    else { return }
    let frame = 1.0 / 2 / 48_000
    let begin = time - Double(block.endIndex - first) * frame
    let end = time - Double(block.endIndex - 1 - last) * frame
    state.withLock { state in
      if let before = state.loud.last, begin - before.upperBound < 0.03, begin >= before.lowerBound
      {
        state.loud[state.loud.count - 1] = before.lowerBound...max(before.upperBound, end)
      } else {
        state.loud.append(begin...end)
      }
    }
  }
}
