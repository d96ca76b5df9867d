import Foundation
import Synchronization
import TestSupport

/// Causes each fault repeatedly and prints a table of the sound, the messages and the recordings:
///
///     swift run -c release patchrun-bench faults
///     swift run -c release patchrun-bench faults --server pipewire --times 100 "server killed"
struct FaultMeasurement: OptionMeasurement {
  static let usage =
    "faults [--server pulse|pipewire] [--times N] [--at-once N] [--check] [NAME…]     "
    + "what becomes of a run at each fault"

  private var kind = PrivatePulse.Kind.pulseAudio
  private var times = 1
  /// The number of simultaneous runs, each with its own server.
  private var atOnce = 3
  private var isChecked = false
  private var wanted: [String] = []

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--server":
        guard let kind = rest.popFirst().flatMap(PrivatePulse.Kind.init) else { return nil }
        self.kind = kind
      case "--times":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        times = count
      case "--at-once":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        atOnce = count
      case "--check": isChecked = true
      default:
        guard !word.hasPrefix("-") else { return nil }
        wanted.append(word)
      }
    }
  }

  /// The result of one fault.
  private struct Result {
    /// Seconds without expected sound.
    var silence: Double
    /// Seconds from the return of the device to the first sound; `nil` if none followed.
    var back: Double?
    var end: FaultRig.End
    var messages: [String]
    var mistakes: [String]
  }

  /// Prints the table. With `--check`, returns whether every run behaved as expected.
  func run() -> Bool {
    guard kind.isInstalled else {
      printUnbuffered("the programs of '\(kind.rawValue)' are not installed")
      return false
    }
    printUnbuffered(
      "| Fault | Times | Silence, s | Back after, s | Said | Written: recorded of clock, s | Exit |"
    )
    printUnbuffered("| --- | ---: | ---: | ---: | --- | --- | ---: |")
    var isRight = true
    for fault in FaultKind.all(on: kind)
    where wanted.isEmpty || wanted.contains(where: { fault.name.contains($0) }) {
      let (results, failures) = inject(fault)
      for failure in failures {
        printUnbuffered("| \(fault.name) | could not be injected: \(failure) |")
        isRight = false
      }
      guard let worst = results.max(by: { ($0.back ?? 99) < ($1.back ?? 99) }) else { continue }
      let silence = results.map(\.silence).max() ?? 0
      let shown = results.first { !$0.mistakes.isEmpty } ?? worst
      let cells = [
        fault.name, "\(results.count)", fixed(silence, 2),
        worst.back.map { fixed($0, 2) } ?? "never",
        shown.messages.joined(separator: "; ").replacing("|", with: "\\|"), written(shown.end),
        Set(results.map(\.end.status)).sorted().map(String.init).joined(separator: ", "),
      ]
      printUnbuffered("| \(cells.joined(separator: " | ")) |")
      let wrong = results.filter { !$0.mistakes.isEmpty }
      if !wrong.isEmpty {
        isRight = false
        let text = "\(fault.name): \(wrong.count) of \(results.count): "
        FileHandle.standardError.write(
          Data((text + wrong[0].mistakes.joined(separator: "; ") + "\n").utf8))
      }
    }
    return isRight || !isChecked
  }

  /// Causes a fault `times` times, several in parallel.
  private func inject(_ fault: FaultKind) -> (results: [Result], failures: [String]) {
    let found = Mutex((results: [Result](), failures: [String]()))
    var left = times
    while left > 0 {
      let count = min(left, atOnce)
      left -= count
      let isOver = DispatchGroup()
      for _ in 0..<count {
        isOver.enter()
        Thread.detachNewThread {
          defer { isOver.leave() }
          do {
            let result = try injectOnce(fault)
            found.withLock { $0.results.append(result) }
          } catch {
            found.withLock { $0.failures.append("\(error)") }
          }
        }
      }
      isOver.wait()
    }
    return found.withLock { $0 }
  }

  private func written(_ end: FaultRig.End) -> String {
    guard !end.takes.isEmpty else { return "nothing" }
    let takes = end.takes.map { $0.seconds.map { fixed($0, 2) } ?? "unreadable" }
    return takes.joined(separator: " + ") + " of " + fixed(end.clock, 2)
      + (end.cues > 0 ? ", \(end.cues) marked" : "")
  }

  private func injectOnce(_ fault: FaultKind) throws -> Result {
    let rig = try FaultRig(fault.setup, kind: kind, hears: fault.sinks)
    try rig.start()
    let waits = fault.setup.sinks.isEmpty
    var mistakes: [String] = []
    if waits {
      usleep(500_000)
    } else if rig.waitForSound(after: rig.begin, 5) {
      // The start of the program does not count as part of the recording.
      rig.listener.firstSound(after: rig.begin).map { rig.begin = $0 }
    } else {
      mistakes.append("nothing is heard at the start")
    }
    usleep(1_000_000)
    let harmed = now()
    let restored = try fault.inject(rig)
    var back: Double?
    if let restored {
      // Sound that was buffered before the fault does not count.
      if !rig.waitForSound(after: restored, 3) {
        // The recorder may have moved to another sink.
        rig.listener.renew()
      }
      if rig.waitForSound(after: restored, 5) {
        back = rig.listener.firstSound(after: restored).map { max(0, $0 - restored) }
      }
    }
    usleep(1_200_000)
    let measured = now() - 0.2
    let from = waits ? (restored ?? harmed) : harmed - 0.3
    let silence = rig.listener.silence(from: from, to: measured)
    if !rig.isRunning { mistakes.append("it has ended by itself") }
    let end = rig.finish()
    if end.status != fault.status { mistakes.append("exit \(end.status)") }
    if (back ?? 99) > 1 {
      mistakes.append("sound is back after \(back.map { fixed($0, 2) } ?? "never")")
    }
    if !fault.interruptsSound, silence.sum > fault.tolerance {
      mistakes.append("\(fixed(silence.sum, 2)) s are not heard")
    }
    let recorded = end.takes.compactMap(\.seconds).reduce(0, +)
    if end.takes.isEmpty || end.takes.contains(where: { $0.seconds == nil }) {
      mistakes.append("a recording cannot be read")
    } else if abs(recorded - end.clock) > 0.7, end.cues == 0, !waits {
      mistakes.append(
        "\(fixed(recorded, 2)) s are recorded of \(fixed(end.clock, 2)), and no gap is marked")
    }
    return Result(
      silence: silence.sum, back: back, end: end, messages: rig.messages, mistakes: mistakes)
  }
}

/// Prints a line without buffering, because a measurement may take hours.
func printUnbuffered(_ line: some StringProtocol) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
