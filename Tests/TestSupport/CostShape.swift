/// Patches of any size that were small to write: what checking them costs is to grow no faster than they do.
///
/// For `patchrun-bench costs`, and for the tests that hold what it shows.
public enum CostShape: String, CaseIterable, Sendable {
  /// Updates of the title, each of which makes a document.
  case updates
  /// Updates that each go on from a document with one node more.
  case growingUpdates
  /// Callbacks that each pull the one before.
  case gains
  /// The same, pulling one another in a circle.
  case circle
  /// One key, again and again.
  case duplicateKeys
  case unknownKeys
  /// Connections that are there already.
  case repeatedConnections
  /// Connections to one name that nothing has.
  case oneUnknownName
  /// Connections to names that nothing has.
  case unknownNames
  /// Values of the wrong type.
  case wrongTypes
  /// Equalizers that nothing feeds.
  case nodes
  /// Mixers in a row, each with a callback of its own.
  case mixers
  /// Echoes, each of a tone.
  case echoes
  /// Ramps of one parameter, one after the other.
  case ramps
  /// The same, the last first.
  case reversedRamps
  /// Ramps that all move one parameter at one time.
  case clashingRamps
  /// Callbacks that feed nothing.
  case callbacks
  case taps
  /// Parameters that a unit does not have.
  case unknownParameters
  case streamFormats
  /// Names of stream formats that nobody has defined.
  case unknownFormats
  /// Commas too many.
  case syntaxErrors

  /// How many of what it has are told at once, for a measurement that does not take long.
  public var usualCount: Int {
    switch self {
    case .updates, .growingUpdates, .nodes, .mixers: 100
    // A mixer has 1024 inputs at the most, and each echo feeds one: ten and twenty times as many fit.
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

  /// A patch in which a tone feeds a mixer, and what `members` adds.
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

  /// The text of a patch that has `count` of it.
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
      // The first is as large as the last: what they make is in proportion to their number.
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
