import AudioGraphs
import Diagnostics
import Dispatch
import Glibc
import PatchGraph
import PatchSyntax
import RenderHost
import Synchronization

/// Measures the cost of changing a running patch: the processor time from the new document until
/// the first plan is posted to the render thread, and until everything is done; and the extra time
/// of the pull that switches to the plan.
func measureLive() {
  print(
    "a change of a document                          until it sounds: least ms  50 % ms  "
      + "in all: 50 % ms  the pull that takes it up, ms")
  for count in [10, 100, 1000] {
    for change in LiveChange.allCases {
      guard let figures = change.measure(count) else {
        print("\(change.rawValue), \(count) mixers: it was refused")
        continue
      }
      print(
        "\(change.rawValue), \(count) mixers".padded(62)
          + column(figures.begins.min().map { $0 * 1000 } ?? 0, 2)
          + column(median(figures.begins) * 1000, 2) + "  "
          + column(median(figures.costs) * 1000, 2) + column(median(figures.pulls) * 1000, 3))
    }
  }
}

private enum LiveChange: String, CaseIterable {
  case parameter = "a volume"
  case callback = "another callback"
  case insertion = "an equalizer put in"

  /// The patch before or after the change.
  private func text(_ count: Int, isMade: Bool) -> String {
    let plain = LargePatch.mixers.text(count)
    guard isMade else { return plain }
    let name = "n\(count / 2)"
    switch self {
    case .parameter:
      return plain.replacing(
        "\"\(name)\": { \"component\": \"MultichannelMixer\",",
        with: "\"\(name)\": { \"component\": \"MultichannelMixer\", "
          + "\"inputs\": { \"0\": { \"parameters\": { \"volume\": 0.5 } } },")
    case .callback:
      return plain.replacing(
        "\"c\(count / 2)\": { \"kind\": \"tone\"",
        with: "\"c\(count / 2)\": { \"kind\": \"tone\", \"amplitude\": 0.25")
    case .insertion:
      return plain.replacing(
        "{ \"from\": \"c\(count / 2)\", \"to\": \"\(name):0\" }",
        with: "{ \"from\": \"c\(count / 2)\", \"to\": \"eq\" }, "
          + "{ \"from\": \"eq\", \"to\": \"\(name):0\" }"
      ).replacing(
        "\"io\": { \"component\": \"remoteIO\" }",
        with: "\"io\": { \"component\": \"remoteIO\" }, \"eq\": { \"component\": \"iPodEQ\", "
          + "\"properties\": { \"maximumFramesPerSlice\": 4096, \"presentPreset\": \"Rock\" } }")
    }
  }

  func measure(_ count: Int) -> (begins: [Double], costs: [Double], pulls: [Double])? {
    let texts = [false, true].map { SourceText(name: "live.json", text: text(count, isMade: $0)) }
    let reading = PatchReader.read(texts[0])
    let patch = PatchBuilder.build(
      reading, directory: "", device: .assumed(HardwareAssumption()))
    guard let live = LivePatch(patch, from: reading, directory: "") else { return nil }
    do throws(Violation) { try live.graph.initialize() } catch { return nil }
    guard let session = live.graph.session else { return nil }
    var memory = [UInt8](repeating: 0, count: 65_536)
    func pull() -> Double {
      let begin = processorTime()
      unsafe memory.withUnsafeMutableBytes { _ = unsafe session.pull(256, into: $0.baseAddress) }
      return processorTime() - begin
    }
    var figures: (begins: [Double], costs: [Double], pulls: [Double]) = ([], [], [])
    for _ in 0..<8 { _ = pull() }
    let usual = median((0..<15).map { _ in pull() })
    for round in 1...20 {
      let watch = PostWatch(session)
      let begin = processorTime()
      do throws(LivePatch.Refusal) { try live.play(PatchReader.read(texts[round % 2])) } catch {
        return nil
      }
      let end = processorTime()
      figures.costs.append(end - begin)
      // A value that needs no new plan takes effect with the next slice.
      figures.begins.append((watch.finish() ?? end) - begin)
      figures.pulls.append(max(0, pull() - usual))
      for _ in 0..<8 { _ = pull() }
      live.graph.collect()
    }
    return figures
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

/// Records the processor time of the observed thread when it posts its first plan.
private final class PostWatch: Sendable {
  private let isOver = Atomic(false)
  private let found = Mutex<Double?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ session: RenderSession) {
    var clock = clockid_t()
    unsafe pthread_getcpuclockid(pthread_self(), &clock)
    let (posted, thread) = (session.postedStages, clock)
    let begun = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [self] in
      begun.signal()
      while !isOver.load(ordering: .relaxed), session.postedStages == posted { usleep(20) }
      if session.postedStages > posted {
        var time = timespec()
        unsafe clock_gettime(thread, &time)
        found.withLock { $0 = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9 }
      }
      done.signal()
    }
    begun.wait()
  }

  /// The time of the first plan; `nil` if none was posted.
  func finish() -> Double? {
    isOver.store(true, ordering: .relaxed)
    done.wait()
    return found.withLock { $0 }
  }
}
