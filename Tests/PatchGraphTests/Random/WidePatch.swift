import Foundation
import PatchSyntax
import TestSupport

/// A random patch with everything around its graph: nested sub-graphs in files, updates of the
/// timeline, taps of every kind. About half of them are valid; the others have one or two mistakes,
/// mostly in other files or later documents.
struct WidePatch {
  /// The patch, and the files of its sub-graphs by name.
  private(set) var document: JSONText
  private(set) var parts: [String: String] = [:]

  /// The callbacks that can be triggered.
  private var bursts: [String] = []
  private var random: SplitMix64
  private let seed: UInt64
  /// Whether it has no mistake.
  private(set) var isRight: Bool

  /// - Parameter seed: The same seed gives the same patch.
  init(seed: UInt64) {
    random = SplitMix64(seed: seed ^ 0xA5A5_0000)
    self.seed = seed
    document = .object([])
    isRight = random.next() % 2 == 0
    make()
  }

  // MARK: Chance

  private mutating func one(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  private mutating func slip(in count: Int) -> Bool { !isRight && one(in: count) }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  // MARK: The patch

  private mutating func make() {
    document = [
      "streamFormat": ["sample": "float32", "channels": 2, "sampleRate": "session"],
      "callbacks": ["tone": ["kind": "tone", "frequency": 440, "amplitude": 0.2]],
      "nodes": [
        "mix": ["component": "MultichannelMixer", "properties": ["maximumFramesPerSlice": 4096]],
        "out": ["component": .string(pick(["remoteIO", "GenericOutput", "remoteIO"]))],
      ],
      "connections": [["from": "tone", "to": "mix:0"], ["from": "mix", "to": "out"]],
      "timeline": .array([]),
    ]
    if one(in: 3) { document["session"] = ["preferredSampleRate": pick([44_100, 48_000])] }
    let count = Int.random(in: 0...3, using: &random)
    document["nodes", "mix", "inputCount"] = .number(count + 1 + (one(in: 3) ? 1 : 0))
    for number in 1..<(count + 1) { addSource(number) }
    addTaps()
    addTimeline()
    guard !isRight, one(in: 3) else { return }
    // Also one of the mistakes of the other random patches.
    if let mutation = PatchMutation.all.randomElement(using: &random),
      let wrong = mutation.applied(to: document, seed: random.next())
    {
      document = wrong.document
    }
  }

  /// Feeds an input of the mixer by a sub-graph, a unit or a callback.
  private mutating func addSource(_ number: Int) {
    let input = "mix:\(number)"
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      let name = "part\(number)"
      document["nodes", name] = ["subgraph": .string(part(depth: 0))]
      if slip(in: 6) { document["nodes", name, "settings"] = ["/nodes/eq/volume": 1] }
      turn(name)
      if !one(in: 4) {
        connect(pick(["tone", "tone"]), "\(name):0")
      }
      connect(slip(in: 8) ? name + ":1" : name, input)
    case 2:
      document["nodes", "eq\(number)"] = [
        "component": "iPodEQ",
        "properties": ["presentPreset": "Rock", "maximumFramesPerSlice": 4096],
      ]
      if slip(in: 3) {
        // The format of the source, or another one.
        document["nodes", "mix", "inputs", "\(number)", "streamFormat"] = [
          "sample": "float32", "channels": pick([1, 2]), "sampleRate": "session",
        ]
      } else if one(in: 4) {
        document["nodes", "mix", "inputs", "\(number)", "streamFormat"] = [
          "sample": "float32", "channels": 2, "sampleRate": "session",
        ]
      }
      connect("tone", "eq\(number)")
      connect("eq\(number)", input)
    default:
      guard one(in: 2) else { return connect("tone", input) }
      let name = "burst\(number)"
      document["callbacks", name] = ["kind": pick(["sweep", "impulse"])]
      bursts.append(name)
      connect(name, input)
    }
  }

  /// Sets a knob of a sub-graph, or ramps it after the sub-graph's own ramps.
  private mutating func turn(_ name: String) {
    if one(in: 2) {
      document["nodes", name, "parameters"] = ["level": .number(pick([0.25, 0.75, 1]))]
    }
    if one(in: 3) {
      document["timeline", "99999"] = [
        "at": 0.6,
        "ramp": [
          "path": .string("/nodes/\(name)/parameters/level"), "to": 0.5, "duration": 0.1,
        ],
      ]
    }
    if slip(in: 6) {
      document["nodes", name, "parameters"] = pick([
        ["levl": 0.5], ["level": 3], ["level": true], ["level": 0.5, "other": 0.5],
      ])
    }
    if slip(in: 8) {
      document["nodes", name, "settings"] = ["/nodes/fader/inputs/0/parameters/volume": 0.5]
    }
  }

  private mutating func connect(_ from: String, _ to: String) {
    document["connections", "99999"] = ["from": .string(from), "to": .string(to)]
  }

  // MARK: Sub-graphs

  /// Writes a sub-graph and returns its file name.
  private mutating func part(depth: Int) -> String {
    let name = "part\(parts.count).json"
    parts[name] = "{}"
    var part: JSONText = [
      "callbacks": ["in": ["kind": "input", "bus": 0]],
      "nodes": [
        "fader": [
          "component": "MultichannelMixer", "properties": ["maximumFramesPerSlice": 4096],
        ],
        "end": ["component": "GenericOutput"],
      ],
      "connections": [["from": "fader", "to": "end"]],
      "timeline": .array([]),
    ]
    if one(in: 2) { part["streamFormat"] = document["streamFormat"] }
    if depth < 2, one(in: 3) {
      part["nodes", "inner"] = ["subgraph": .string(self.part(depth: depth + 1))]
      part["connections", "99999"] = ["from": "in", "to": "inner:0"]
      part["connections", "99999"] = ["from": "inner", "to": "fader"]
    } else {
      part["connections", "99999"] = ["from": "in", "to": "fader"]
    }
    if one(in: 4) {
      part["taps", "watch"] = ["kind": .string(pick(["meter", "loudness"])), "at": "fader"]
    }
    if one(in: 4) {
      part["timeline", "99999"] = [
        "at": 0.2,
        "ramp": [
          "path": "/nodes/fader/inputs/0/parameters/volume", "to": 0.3, "duration": 0.2,
        ],
      ]
    }
    part["knobs"] = [
      "level": pick([
        "/nodes/fader/inputs/0/parameters/volume",
        ["turns": "/nodes/fader/inputs/0/parameters/volume", "min": 0, "max": 1],
        [
          "/nodes/fader/inputs/0/parameters/volume", "/nodes/fader/outputs/0/parameters/volume",
        ],
      ])
    ]
    if part["nodes", "inner"] != nil { part["knobs", "deep"] = "/nodes/inner/parameters/level" }
    if slip(in: 8) {
      part["knobs", "wrong"] = pick([
        "/nodes/fader/inputs/0/parameters/volum", "/nodes/fade/parameters/volume", "nowhere",
        ["turns": "/nodes/fader/inputs/0/parameters/pan", "max": 2], ["max": 1],
        ["turns": .array([])], "/nodes/inner/parameters/none", 3,
      ])
    }
    guard !isRight else {
      parts[name] = part.document
      return name
    }
    switch Int.random(in: 0..<16, using: &random) {
    case 0: part["nodes", "end", "component"] = "GenricOutput"
    case 1: part["nodes", "end", "component"] = ["type": "auou", "subtype": "gnrc"]
    case 2: part["nodes", "end", "component"] = pick(["remoteIO", "voiceProcessingIO"])
    case 3: part["nodes", "second"] = ["component": "GenericOutput"]
    case 4: part["nodes", "end"] = nil
    case 5: part["nodes", "end"] = [:]
    case 6: part["nodes", "end", "component"] = ["type": "auouu"]
    case 7: part["connections"] = .array([])
    case 8: part["nodes", "fader", "component"] = "Multichannelmixer"
    case 9: part["nodes", "end", "subgraph"] = "none.json"
    case 10: part["streamFormat"] = ["sample": "float32", "channels": 0, "sampleRate": 44_100]
    case 11: part["nodes", "end", "outputs", "0", "streamFormat"] = "nowhere"
    case 12: part["nodes", "end", "inputs", "0", "sampleRate"] = pick([22_050, 44_100])
    default: break
    }
    var text = part.document
    if one(in: 10) {
      let bytes = Array(text.utf8)
      let place = Int.random(in: 0..<bytes.count, using: &random)
      text = String(decoding: bytes[..<place] + bytes[(place + 1)...], as: UTF8.self)
    }
    parts[name] = text
    if one(in: 20) { parts[name] = nil }
    return name
  }

  // MARK: Taps

  private mutating func addTaps() {
    let bus = slip(in: 6) ? "mix:1" : "mix"
    for number in 0..<Int.random(in: 0...3, using: &random) {
      var tap: JSONText = pick([
        ["kind": "record", "path": .string(pick(["take\(number).wav", "take\(number).flac"]))],
        ["kind": "meter"], ["kind": "loudness"], ["kind": "loudness", "dualMono": true],
        ["kind": "spectrum", "size": 1024, "channel": .number(one(in: 2) ? 0 : 1)],
        ["kind": "picture", "of": "waveform", "path": .string("wave\(number).svg")],
        ["kind": "picture", "of": "spectrogram", "path": .string("spec\(number).png")],
        ["kind": "picture", "of": "levels", "path": .string("levels\(number).svg")],
      ])
      tap["at"] = .string(bus)
      if slip(in: 4) {
        let wrong: [(String, JSONText)] = [
          ("path", "same.wav"), ("path", "take.xyz"), ("path", "nowhere/take.wav"), ("channel", 5),
          ("size", 1019), ("kind", "recrd"), ("at", "tone"), ("at", "out"), ("of", "wave"),
          ("path", ""),
        ]
        let (key, value) = pick(wrong)
        tap[key] = value
      }
      document["taps", "tap\(number)"] = tap
    }
  }

  // MARK: Updates

  private mutating func addTimeline() {
    var time = 0.0
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      time += Double(Int.random(in: 8...20, using: &random)) / 100
      var operations: [JSONText] = []
      for _ in 0..<Int.random(in: 1...2, using: &random) { operations.append(operation()) }
      document["timeline", "99999"] = ["at": .number(time), "update": .array(operations)]
      if let burst = bursts.first, one(in: 2) {
        let names: JSONText = bursts.count > 1 && one(in: 2) ? .strings(bursts) : .string(burst)
        document["timeline", "99999"] = ["at": .number(time + 0.03), "trigger": names]
        if slip(in: 3) {
          document["timeline", "99999"] = [
            "at": .number(time + 0.04), "trigger": pick(["tone", "burst", "mix", 1]),
          ]
        }
        continue
      }
      if one(in: 5), let step = document["timeline"]?.count {
        document["timeline", "\(step - 1)", "repeat"] = ["every": "70 ms", "count": 2]
        time += 0.07
      }
      if one(in: 3) {
        document["timeline", "99999"] = [
          "at": .number(time + 0.01),
          "ramp": [
            "path": "/nodes/mix/inputs/0/parameters/volume", "to": .number(pick([0.0, 0.5, 1.0])),
            "duration": 0.05,
          ],
        ]
      }
    }
  }

  private mutating func operation() -> JSONText {
    func made(_ operation: String, _ path: String, _ value: JSONText) -> JSONText {
      ["op": .string(operation), "path": .string(path), "value": value]
    }
    let right: [JSONText] = [
      made("add", "/nodes/mix/inputs", ["0": ["parameters": ["volume": 0.5]]]),
      made("add", "/callbacks/noise", ["kind": "noise", "amplitude": 0.1]),
      made("replace", "/callbacks/tone/frequency", 330),
      made("add", "/nodes/mix/outputs", ["0": ["parameters": ["volume": 0.5]]]),
      made("replace", "/nodes/mix/inputCount", 6),
      made("add", "/title", "changed"),
    ]
    guard slip(in: 3) else { return pick(right) }
    let name = parts.keys.sorted().first ?? "none.json"
    return pick([
      made("replace", "/nodes/mix/component", "MultichannelMixr"),
      made("add", "/nodes/late", ["subgraph": .string(name)]),
      made("add", "/connections/-", ["from": "late", "to": "mix:5"]),
      made("add", "/nodes/mix/inputs", ["0": ["parameters": ["volum": 0.5]]]),
      ["op": "remove", "path": "/connections/0"],
      ["op": "remove", "path": "/connections/1"],
      ["op": "remove", "path": "/nodes/mix"],
      made("replace", "/nodes/mix/inputCount", 1),
      made("replace", "/nodes/mix/inputCount", 0),
      made("replace", "/streamFormat/channels", pick([1, 6])),
      made("replace", "/streamFormat/sampleRate", 22_050),
      made("add", "/taps/late", ["kind": "record", "at": "mix", "path": "late.wav"]),
      made("add", "/taps/late", ["kind": "meter", "at": "gone"]),
      made("replace", "/nodes/out/component", "GenericOutput"),
    ])
  }
}
