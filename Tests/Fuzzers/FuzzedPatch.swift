import Control
import Diagnostics
import PatchSyntax
import Synchronization

/// A patch without audio that accepts every change that fits its document.
final class FuzzedPatch: ControlledPatch {
  static let document = """
    {
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "inputCount": 2,
          "inputs": { "0": { "parameters": { "volume": 0.5 } }, "1": {} }
        },
        "eq~/*": { "component": "iPodEQ", "properties": { "presentPreset": "Flat" } }
      },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
      "taps": { "rec": { "kind": "record", "path": "a.wav" } }
    }
    """

  private struct State {
    var text = FuzzedPatch.document
    var version = 1
    var play = ControlState.playing
  }

  private let state = Mutex(State())

  /// Resets the document before each input, so that inputs are independent.
  func begin() { state.withLock { $0 = State() } }

  func document() async -> ControlDocument {
    state.withLock {
      ControlDocument(
        text: $0.text, tag: "v\($0.version)", root: JSONReading.document($0.text), isJSON: true)
    }
  }

  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through entrance: ControlEntrance
  ) async -> ControlOutcome {
    state.withLock { state in
      let current = "v\(state.version)"
      guard tag == nil || tag == current else { return .otherTag(current: current) }
      let refusal = ControlOutcome.refused(ControlRefusal(report: "{}", text: ""))
      guard let root = JSONReading.document(state.text) else { return refusal }
      let changed: String?
      switch change {
      case .set(let edits):
        changed = SettingEdit.apply(edits, to: root.tree).change.text
          .map { String(decoding: $0.bytes, as: UTF8.self) }
      case .replace(let text):
        changed = JSONReading.value(of: text) == nil ? nil : text
      case .merge(let text):
        changed = JSONReader.readStrictly(SourceText(name: "body", text: text)).tree.flatMap {
          MergePatch.apply($0.root, to: root.tree).text
            .map { String(decoding: $0.bytes, as: UTF8.self) }
        }
      case .patch(let text):
        changed = JSONReader.readStrictly(SourceText(name: "body", text: text)).tree
          .flatMap { JSONPatch.apply($0.root, to: root.tree).text }
          .map { String(decoding: $0.bytes, as: UTF8.self) }
      }
      guard let changed else { return refusal }
      state.text = changed
      state.version += 1
      return .applied(
        tag: "v\(state.version)",
        effects: [ControlEffect(pointer: "/", summary: "changed", heard: "no")])
    }
  }

  func status() async -> ControlStatus {
    let (play, version) = state.withLock { ($0.play, $0.version) }
    return ControlStatus(
      title: "A \"patch\"", file: "fuzzed.json", state: play, position: 1.5, duration: nil,
      tag: "v\(version)",
      grant: ControlGrant(
        sink: ControlGrant.Device(name: "speaker", channels: 2, latency: 0.01), source: nil,
        sampleRate: 48_000, sliceFrames: 256, scheduling: "SCHED_RR 5"),
      load: 0.125, peakLoad: 0.25, underruns: 1, overruns: 0, failedSlices: 0, lostFrames: 0,
      pendingStages: 0, isSaved: version == 1, canSave: true)
  }

  func history() async -> ControlHistory { ControlHistory(steps: []) }

  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome { .failed(message: "there is nothing to take back", help: []) }

  func trigger(_ callback: String, by origin: ControlOrigin) async -> ControlTriggerOutcome {
    callback == "tone"
      ? .begun : .refused(message: "the patch has no callback '\(callback)'", help: [])
  }

  func setPaused(_ isPaused: Bool) async -> ControlState {
    state.withLock {
      $0.play = isPaused ? .paused : .playing
      return $0.play
    }
  }

  func save(ifMatch tag: String?) async -> ControlSaveOutcome {
    .saved(file: "fuzzed.json", tag: await document().tag)
  }

  func validate(_ text: String, through entrance: ControlEntrance) async -> ControlRefusal {
    ControlRefusal(report: #"{ "patches": [] }"#, text: "")
  }

  func response(of node: String) async -> ControlFrequencyResponse? {
    node == "eq~/*"
      ? ControlFrequencyResponse(node: node, frequencies: [20, 20_000], decibels: [5.5, 0]) : nil
  }

  func filters() async -> [String] { ["eq~/*"] }

  func units() async -> [ControlUnit] { [] }

  func drawing() async -> ControlDocument {
    ControlDocument(
      text: "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", tag: await document().tag)
  }

  func settings() async -> ControlSettings {
    ControlSettings(tag: await document().tag, settings: [])
  }

  func answers(
    to requests: [ControlLanguageRequest], about text: String, through entrance: ControlEntrance
  ) async -> [JSONText] { requests.map { ["result": $0.parameters] } }

  func shares() async -> ControlShares {
    ControlShares(seconds: 1, shares: [.init(part: .node("eq~/*"), share: 1, load: 0.1)])
  }

  func takes() async -> [ControlTake] {
    [ControlTake(number: 1, file: "a.wav", duration: 1, frames: 48_000)]
  }

  func openTake(_ number: Int) async -> (any ControlFile)? { nil }

  func meters() async -> [ControlMeter] {
    [
      ControlMeter(
        place: .bus(node: "mixer", isInput: true, element: 0),
        levels: [ControlLevel(average: -20, peak: -.infinity)])
    ]
  }

  func events() -> AsyncStream<ControlEvent> { AsyncStream { _ in } }

  func stop() async {}
}
