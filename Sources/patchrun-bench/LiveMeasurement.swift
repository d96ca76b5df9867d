import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderHost

/// What a change of a patch that plays costs, from the new document to the plan that is on its way to
/// the render thread, and how much later the pull is that takes it up.
func measureLive() {
  print(
    "a change, from the document to the render thread       least ms  50 % ms  "
      + "the pull that takes it up, ms")
  for count in [10, 100, 1000] {
    for change in LiveChange.allCases {
      guard let figures = change.measure(count) else {
        print("\(change.rawValue), \(count) mixers: it was refused")
        continue
      }
      print(
        "\(change.rawValue), \(count) mixers".padded(52)
          + column(figures.costs.min().map { $0 * 1000 } ?? 0, 2)
          + column(median(figures.costs) * 1000, 2) + column(median(figures.pulls) * 1000, 3))
    }
  }
}

private enum LiveChange: String, CaseIterable {
  case parameter = "a volume"
  case callback = "another callback"
  case insertion = "an equalizer put in"

  /// The patch with the change made or not.
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

  func measure(_ count: Int) -> (costs: [Double], pulls: [Double])? {
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
    var figures: (costs: [Double], pulls: [Double]) = ([], [])
    for _ in 0..<8 { _ = pull() }
    let usual = median((0..<15).map { _ in pull() })
    for round in 1...20 {
      let begin = processorTime()
      do throws(LivePatch.Refusal) { try live.play(PatchReader.read(texts[round % 2])) } catch {
        return nil
      }
      figures.costs.append(processorTime() - begin)
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
