/// Patches of any size with a regular structure. The time of checking one should not grow faster
/// than its size. For `patchrun-bench costs` and the tests of the same limits.
public enum CostShape: String, CaseIterable, Sendable {
  /// Updates of the title. Each makes a document.
  case updates
  /// Updates that each add one node to the document of the update before.
  case growingUpdates
  /// Callbacks in series, each pulling the one before.
  case gains
  /// The same in a cycle.
  case circle
  /// The same key many times.
  case duplicateKeys
  case unknownKeys
  /// The same connection many times.
  case repeatedConnections
  /// Connections to the same undefined name.
  case oneUnknownName
  /// Connections to different undefined names.
  case unknownNames
  /// Values of the wrong type.
  case wrongTypes
  /// Equalizers without input.
  case nodes
  /// Mixers in series, each with its own callback.
  case mixers
  /// Echoes, each with its own tone.
  case echoes
  /// Successive ramps of one parameter.
  case ramps
  /// The same in reverse order.
  case reversedRamps
  /// Ramps of one parameter at the same time.
  case clashingRamps
  /// Callbacks that feed no bus.
  case callbacks
  case taps
  /// Parameters that the unit does not have.
  case unknownParameters
  /// A misspelt parameter of each of many units. Their names are long: to read one takes memory.
  case misspeltParameters
  case streamFormats
  /// Undefined stream formats.
  case unknownFormats
  /// Superfluous commas.
  case syntaxErrors

  /// The size for a measurement that does not take long.
  public var usualCount: Int {
    switch self {
    case .updates, .growingUpdates, .nodes, .mixers: 100
    // A mixer has at most 1024 inputs, and each echo feeds one; larger measurements use ten and
    // twenty times this size.
    case .echoes: 40
    case .gains: 120
    default: 400
    }
  }

  private static let format =
    #""streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 }"#

  private func list(_ count: Int, _ item: (Int) -> String) -> String {
    (0..<count).map(item).joined(separator: ",\n    ")
  }

  /// A patch with a tone that feeds a mixer, and the given members.
  private func patch(
    _ members: String = "", callbacks: String = "", nodes: String = "", connections: String = ""
  ) -> String {
    func more(_ text: String) -> String { text.isEmpty ? "" : ",\n    " + text }
    return """
      {
        \(Self.format),
        "callbacks": {
          "tone": { "kind": "tone" }\(more(callbacks))
        },
        "nodes": {
          "mixer": { "component": "MultichannelMixer",
            "outputs": { "0": { "sampleRate": 44100 } } },
          "out": { "component": "GenericOutput" }\(more(nodes))
        },
        "connections": [
          { "from": "tone", "to": "mixer:0" },
          { "from": "mixer", "to": "out" }\(more(connections))
        ]\(members.isEmpty ? "" : ",\n  " + members)
      }

      """
  }

  private func ramps(_ count: Int, at time: (Int) -> Double) -> String {
    let path = "/nodes/mixer/inputs/0/parameters/volume"
    return "\"timeline\": [ "
      + list(count) {
        #"{ "at": \#(time($0)), "ramp": { "path": "\#(path)", "to": 0.5, "duration": 0.005 } }"#
      } + " ]"
  }

  /// The text of a patch with `count` elements of this shape.
  public func text(_ count: Int) -> String {
    switch self {
    case .updates:
      return patch(
        #""title": "a", "timeline": [ "#
          + list(count) {
            #"{ "at": \#(Double($0) / 100), "update": [ "#
              + #"{ "op": "replace", "path": "/title", "value": "\#($0)" } ] }"#
          } + " ]")
    case .growingUpdates:
      // The first document is as large as the last, so that the sum of their sizes is proportional
      // to the number of updates.
      return patch(
        #""timeline": [ "#
          + list(count) {
            let add = #"{ "op": "add", "path": "/callbacks/c", "value": { "kind": "tone" } }"#
            let remove = #"{ "op": "remove", "path": "/callbacks/c" }"#
            return
              #"{ "at": \#(Double($0) / 100), "update": [ \#($0.isMultiple(of: 2) ? add : remove) ] }"#
          } + " ]")
    case .gains:
      return patch(
        callbacks: list(count) {
          let source = $0 == 0 ? "noise" : "g\($0 - 1)"
          return #""g\#($0)": { "kind": "gain", "gain": 1, "from": "\#(source)" }"#
        } + #", "noise": { "kind": "noise" }"#,
        connections: #"{ "from": "g\#(count - 1)", "to": "mixer:1" }"#)
    case .circle:
      return patch(
        callbacks: list(count) {
          #""g\#($0)": { "kind": "gain", "gain": 1, "from": "g\#(($0 + 1) % count)" }"#
        })
    case .duplicateKeys: return patch(list(count) { _ in #""title": "a""# })
    case .unknownKeys: return patch(list(count) { #""key\#($0)": 1"# })
    case .repeatedConnections:
      return patch(connections: list(count) { _ in #"{ "from": "tone", "to": "mixer:0" }"# })
    case .oneUnknownName:
      return patch(
        connections: list(count) { #"{ "from": "nobody", "to": "mixer:\#($0 % 7 + 1)" }"# })
    case .unknownNames:
      return patch(connections: list(count) { #"{ "from": "nobody\#($0)", "to": "mixer:1" }"# })
    case .wrongTypes: return patch(connections: list(count) { "\($0)" })
    case .nodes: return patch(nodes: list(count) { #""n\#($0)": { "component": "iPodEQ" }"# })
    case .mixers:
      return patch(
        callbacks: list(count) {
          #""c\#($0)": { "kind": "tone", "frequency": \#(100 + $0 % 1000) }"#
        },
        nodes: list(count) {
          #""m\#($0)": { "component": "MultichannelMixer", "inputCount": 2, "#
            + #""outputs": { "0": { "sampleRate": 44100 } } }"#
        },
        connections: list(count) {
          let next = $0 == 0 ? "mixer:1" : "m\($0 - 1):1"
          return
            #"{ "from": "c\#($0)", "to": "m\#($0):0" }, { "from": "m\#($0)", "to": "\#(next)" }"#
        })
    case .echoes:
      return patch(
        callbacks: list(count) {
          #""t\#($0)": { "kind": "tone" }, "#
            + #""e\#($0)": { "kind": "echo", "delay": 0.01, "from": "t\#($0)" }"#
        },
        nodes: #""wide": { "component": "MultichannelMixer", "inputCount": 1000, "#
          + #""outputs": { "0": { "sampleRate": 44100 } } }"#,
        connections: #"{ "from": "wide", "to": "mixer:1" }, "#
          + list(count) { #"{ "from": "e\#($0)", "to": "wide:\#($0)" }"# })
    case .ramps: return patch(ramps(count) { Double($0) / 100 })
    case .reversedRamps: return patch(ramps(count) { Double(count - $0) / 100 })
    case .clashingRamps: return patch(ramps(count) { _ in 1 })
    case .callbacks: return patch(callbacks: list(count) { #""c\#($0)": { "kind": "tone" }"# })
    case .taps:
      return patch(
        #""taps": { "# + list(count) { #""t\#($0)": { "kind": "meter", "at": "mixer" }"# } + " }")
    case .unknownParameters:
      return patch(
        nodes: #""eq": { "component": "iPodEQ", "parameters": { "#
          + list(count) { #""p\#($0)": 1"# } + " } }")
    case .misspeltParameters:
      return patch(
        nodes: list(count) {
          #""an equalizer, the one with number \#($0)": { "component": "HighShelfFilter", "#
            + #""parameters": { "cutofFrequency": 1000 } }"#
        })
    case .streamFormats:
      return patch(
        #""streamFormats": { "#
          + list(count) {
            #""f\#($0)": { "sample": "float32", "channels": 1, "sampleRate": 8000 }"#
          } + " }")
    case .unknownFormats:
      return patch(
        nodes: #""wide": { "component": "MultichannelMixer", "inputCount": 1000, "inputs": { "#
          + list(count) { #""\#($0)": { "streamFormat": "f\#($0)" }"# } + " } }")
    case .syntaxErrors:
      return patch("\"comment\": [ " + String(repeating: "1,,", count: count) + "1 ]")
    }
  }
}
