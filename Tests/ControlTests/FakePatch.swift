import AudioTypes
import Foundation
import PatchSyntax
import Synchronization

@testable import Control

/// A patch without audio that records requests.
final class FakePatch: ControlledPatch {
  struct Asked: Equatable {
    var change: ControlChange
    var tag: String?
    var origin: ControlOrigin
  }

  private struct State {
    var text: String
    var version = 1
    var asked: [Asked] = []
    var isStopped = false
    var play = ControlState.playing
    var saved: [String?] = []
    var triggered: [String] = []
    var rewinds: [ControlRewind] = []
    /// How many of the next changes are overtaken by another client's.
    var races = 0
    var delay: Duration?
    var changesBegun = 0
    var documentsGiven = 0
    var raisedLatency: ControlRaisedLatency?
    var holdsDrawings = false
    var drawingsBegun = 0
  }

  private let state: Mutex<State>
  private let stream: AsyncStream<ControlEvent>
  let feed: AsyncStream<ControlEvent>.Continuation

  static let document = """
    {
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "inputs": { "0": { "parameters": { "volume": 0.5 } }, "1": {} }
        },
        "eq": { "component": "iPodEQ", "properties": { "presentPreset": "Flat" } }
      },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
      "taps": { "rec": { "kind": "record", "path": "a.wav" } }
    }
    """

  init(text: String = document) {
    state = Mutex(State(text: text))
    (stream, feed) = AsyncStream.makeStream(of: ControlEvent.self)
  }

  var asked: [Asked] { state.withLock(\.asked) }
  var changesBegun: Int { state.withLock(\.changesBegun) }
  /// How often the document was read.
  var documentsGiven: Int { state.withLock(\.documentsGiven) }
  /// The callbacks that were triggered.
  var triggered: [String] { state.withLock(\.triggered) }

  /// The tags of the requests to save.
  var saved: [String?] { state.withLock(\.saved) }
  var isStopped: Bool { state.withLock(\.isStopped) }
  var tag: String { state.withLock { "v\($0.version)" } }

  /// Replaces the document before each of the next changes.
  func race(times: Int) { state.withLock { $0.races = times } }

  /// Reports a raised latency, as after an xrun.
  func raise(_ latency: ControlRaisedLatency?) { state.withLock { $0.raisedLatency = latency } }

  /// Delays each change.
  func slow(by time: Duration) { state.withLock { $0.delay = time } }

  func document() async -> ControlDocument {
    state.withLock { state in
      state.documentsGiven += 1
      return ControlDocument(
        text: state.text, tag: "v\(state.version)", root: JSONReading.document(state.text),
        isJSON: JSONReading.value(of: state.text) != nil)
    }
  }

  static let refusal = ControlRefusal(
    report: """
      { "formatVersion": 1, "patches": [ { "path": "a.json", "diagnostics": [
        { "code": "PR0551", "message": "no parameter 'wrong'" } ] } ] }
      """,
    text: "error[PR0551]: no parameter 'wrong'\n")

  static let effect = ControlEffect(
    pointer: "/nodes/mixer/inputs/0/parameters/volume",
    summary: "parameter 'volume' of 'mixer', input 0: 0.8 -> 0.5", heard: "ramp, 10 ms")

  /// Accepts every change that does not contain the word `wrong`.
  func change(
    _ change: ControlChange, ifMatch tag: String?, by origin: ControlOrigin,
    through entrance: ControlEntrance
  ) async -> ControlOutcome {
    let delay = state.withLock { state in
      state.changesBegun += 1
      return state.delay
    }
    if let delay { try? await Task.sleep(for: delay) }
    return state.withLock { state in
      if state.races > 0 {
        state.races -= 1
        state.version += 1
      }
      let current = "v\(state.version)"
      guard tag == nil || tag == current else { return .otherTag(current: current) }
      state.asked.append(Asked(change: change, tag: tag, origin: origin))
      let text =
        switch change {
        case .set(let edits): edits.map { "\($0.pointer) \($0.value ?? "")" }.joined(separator: " ")
        case .replace(let text), .patch(let text), .merge(let text): text
        }
      guard !text.contains("wrong") else { return .refused(Self.refusal) }
      guard !text.contains("impossible") else {
        return .failed(message: "there is no file 'a.wav'", help: ["make one"])
      }
      if case .replace = change { state.text = text }
      state.version += 1
      return .applied(tag: "v\(state.version)", effects: [Self.effect])
    }
  }

  /// The requested undo and redo steps. The history has two entries.
  var rewinds: [ControlRewind] { state.withLock(\.rewinds) }

  func history() async -> ControlHistory {
    ControlHistory(steps: [
      .init(number: 1, age: 61.5, origin: .http, effects: [Self.effect], isUndone: false),
      .init(number: 2, age: 3, origin: .file, effects: [], isUndone: true),
    ])
  }

  func rewind(
    _ rewind: ControlRewind, ifMatch tag: String?, by origin: ControlOrigin
  ) async -> ControlOutcome {
    state.withLock { state in
      let current = "v\(state.version)"
      guard tag == nil || tag == current else { return .otherTag(current: current) }
      if case .to(let number) = rewind, number > 2 {
        return .failed(message: "there is no step \(number)", help: ["there are the steps 0 to 2"])
      }
      state.rewinds.append(rewind)
      state.version += 1
      return .applied(tag: "v\(state.version)", effects: [Self.effect])
    }
  }

  func status() async -> ControlStatus {
    var status = ControlStatus(
      title: "A \"fake\"", file: "patches/fake.json", state: state.withLock(\.play), position: 1.5,
      duration: nil, tag: tag,
      grant: ControlGrant(
        sink: ControlGrant.Device(name: "speaker", channels: 2, latency: 0.01), source: nil,
        sampleRate: 48_000, sliceFrames: 256, scheduling: "SCHED_RR 5"),
      load: 0.125, peakLoad: 0.25, underruns: 1, overruns: 0, failedSlices: 0, lostFrames: 0,
      pendingStages: 0, isSaved: state.withLock { $0.version == 1 }, canSave: true)
    status.raisedLatency = state.withLock(\.raisedLatency)
    return status
  }

  func trigger(_ callback: String, by origin: ControlOrigin) async -> ControlTriggerOutcome {
    guard ["song", "a b&c"].contains(callback) else {
      return .refused(message: "the patch has no callback '\(callback)'", help: ["there is: song"])
    }
    return state.withLock { state in
      guard state.play != .stopping else { return .notPlaying }
      state.triggered.append(callback)
      return .begun
    }
  }

  func setPaused(_ isPaused: Bool) async -> ControlState {
    state.withLock { state in
      guard state.play != .stopping else { return state.play }
      state.play = isPaused ? .paused : .playing
      return state.play
    }
  }

  /// Reports from now on that it is stopping.
  func endSoon() { state.withLock { $0.play = .stopping } }

  func save(ifMatch tag: String?) async -> ControlSaveOutcome {
    state.withLock { state in
      let current = "v\(state.version)"
      if let tag, tag != current { return .otherTag(current: current) }
      guard state.saved.count < 2 else {
        return .failed(message: "somebody else has changed it", help: ["read it again"])
      }
      state.saved.append(tag)
      return .saved(file: "patches/fake.json", tag: current)
    }
  }

  func validate(_ text: String, through entrance: ControlEntrance) async -> ControlRefusal {
    text.contains("wrong")
      ? Self.refusal
      : ControlRefusal(
        report: #"{ "patches": [ { "path": "a.json", "diagnostics": [] } ] }"#, text: "")
  }

  func response(of node: String) async -> ControlFrequencyResponse? {
    node == "eq"
      ? ControlFrequencyResponse(node: node, frequencies: [20, 20_000], decibels: [5.5, 0]) : nil
  }

  func filters() async -> [String] { ["eq"] }

  func units() async -> [ControlUnit] {
    [
      ControlUnit(
        name: "MultichannelMixer", summary: "Mixes.", inputs: .init(count: 8, most: 1024),
        outputs: .init(count: 1, most: 1), isOutputUnit: false)
    ]
  }

  /// Whether drawings keep their threads busy until this is false again.
  var holdsDrawings: Bool {
    get { state.withLock(\.holdsDrawings) }
    set { state.withLock { $0.holdsDrawings = newValue } }
  }
  var drawingsBegun: Int { state.withLock(\.drawingsBegun) }

  func drawing() async -> ControlDocument {
    state.withLock { $0.drawingsBegun += 1 }
    while holdsDrawings { usleep(1000) }
    return ControlDocument(text: "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", tag: tag)
  }

  static let setting = {
    var setting = PatchControl(
      "volume", .gain, scope: .input, unit: .linearGain, range: 0...1, isRangeEnforced: false,
      defaultValue: 1, value: 0.5, summary: "How loud.")
    setting.pointer = JSONPointer(["nodes", "mixer", "inputs", "0", "parameters", "volume"])
    setting.node = "mixer"
    setting.component = "MultichannelMixer"
    setting.elementName = "drums"
    setting.isInDocument = true
    return setting
  }()

  func settings() async -> ControlSettings {
    ControlSettings(tag: tag, settings: [Self.setting])
  }

  func answers(
    to requests: [ControlLanguageRequest], about text: String, through entrance: ControlEntrance
  ) async -> [JSONText] {
    requests.map { request in
      request.method == "textDocument/hover"
        ? ["result": ["contents": .string(text), "asked": request.parameters]]
        : [
          "error": ["code": -32601, "message": .string("there is no method '\(request.method)'")]
        ]
    }
  }

  func shares() async -> ControlShares {
    ControlShares(
      seconds: 1.5,
      shares: [
        ControlShares.Share(part: .node("eq"), share: 0.75, load: 0.012),
        ControlShares.Share(part: .callback("tone"), share: 0.2, load: 0.0032),
        ControlShares.Share(part: .tap("rec"), share: 0.04, load: 0.0006),
        ControlShares.Share(part: .conversion, share: 0.01, load: 0.0002),
      ])
  }

  func takes() async -> [ControlTake] {
    [
      ControlTake(number: 1, file: "takes/ä one.wav", duration: 2.5, frames: 120_000),
      ControlTake(number: 2, file: "gone.flac", duration: 1, frames: 48_000),
    ]
  }

  func openTake(_ number: Int) async -> (any ControlFile)? { number == 1 ? FakeTake() : nil }

  func meters() async -> [ControlMeter] {
    [
      ControlMeter(
        place: .bus(node: "mixer", isInput: true, element: 0),
        levels: [
          ControlLevel(average: -20, peak: -12.5), ControlLevel(average: -120, peak: -.infinity),
        ]),
      ControlMeter(
        place: .tap(name: "loud"), levels: [],
        readings: [ControlReading(name: "momentary", unit: "LUFS", values: [-23.1])]),
      ControlMeter(
        place: .crosspoint(node: "matrix", input: 3, output: 1),
        levels: [ControlLevel(average: -30, peak: -24)],
        preFaderLevels: [ControlLevel(average: -18, peak: -12)]),
      ControlMeter(
        place: .master(node: "matrix"), levels: [ControlLevel(average: -9, peak: -6)]),
    ]
  }

  func events() -> AsyncStream<ControlEvent> { stream }

  func stop() async { state.withLock { $0.isStopped = true } }
}

/// A file of a million letters. The letter shows the position.
struct FakeTake: ControlFile {
  static let bytes = (0..<1_000_000).map { UInt8(32 + $0 % 95) }

  var byteCount: Int { Self.bytes.count }

  func bytes(at place: Int, count: Int) -> [UInt8]? {
    Array(Self.bytes[place..<min(Self.bytes.count, place + count)])
  }
}
