import CShims
import Foundation
import Synchronization
import TestSupport

/// Records the monitors of a server's sinks, and restarts a recorder whenever it ends. Keeps the
/// times of sound, not the samples.
final class MonitorListener: Sendable {
  /// The threshold of sound: -54 dBFS, far above the noise of a resampler.
  private static let threshold: Float = 0.002

  private let server: String
  private let environment: [String: String]
  private let sinks: [String]
  private let state = Mutex(State())

  private struct State {
    /// The stretches with sound on the clock of `now()`, sorted by their beginnings.
    var loud: [ClosedRange<Double>] = []
    var isOver = false
    var recorders: [Int32] = []
  }

  /// - Parameter sinks: The names of all possible sinks.
  init(_ server: PrivatePulse, sinks: [String]) {
    self.server = server.address
    environment = server.environment
    self.sinks = sinks
    for sink in sinks {
      Thread.detachNewThread { [self] in listen(to: sink) }
    }
  }

  func end() { state.withLock { $0.isOver = true } }

  /// Restarts all recorders: those of PipeWire stay silent after their sink was suspended.
  func renew() {
    for recorder in state.withLock({ $0.recorders }) { kill(recorder, SIGKILL) }
  }

  /// The time of the first sound after a time; `nil` for none.
  func firstSound(after time: Double) -> Double? {
    state.withLock {
      $0.loud.filter { $0.upperBound >= time }.map { max($0.lowerBound, time) }.min()
    }
  }

  /// The longest silence and the total silence between two times, in seconds. Silences below
  /// `shortest` are the jitter of the recorder.
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
    // Another thread may start a server now. It must not inherit the write end: otherwise the end of
    // the recorder would not be noticed.
    guard unsafe shims_pipe(&ends) == 0 else { return }
    defer { close(ends[0]) }
    // The child duplicates the write end as its output before it is closed here.
    let recorder = try? ChildProcess(
      "/usr/bin/parec",
      [
        "--device=\(sink).monitor", "--format=float32le", "--rate=48000", "--channels=2",
        "--latency-msec=10", "--raw",
        // Otherwise PipeWire connects it to another sink if its own is missing.
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

  /// Notes the sound in a block whose last frame was played at `time`, approximately.
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
