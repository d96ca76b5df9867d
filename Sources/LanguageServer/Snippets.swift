import AudioTypes
import AudioUnits
import PatchGraph
import RenderCallbacks
import RenderCore
import RenderTaps

/// A piece of a patch that an editor inserts as a snippet of the protocol, with places to fill in.
struct Snippet {
  /// The text that the editor shows in its list, and compares with what the user types.
  var label: String
  var detail: String
  /// The inserted text; `$1` and `${1:text}` are places to fill in.
  var body: String
}

/// The snippets for the objects and arrays of a patch.
enum Snippets {
  /// Snippets for the members of an object: a name with its value.
  static func members(of container: [String], isTests: Bool) -> [Snippet] {
    if isTests { return container == ["tests"] ? [test] : [] }
    switch container {
    case ["nodes"]:
      return UnitCatalog.standard.components.map { component in
        Snippet(
          label: component.name, detail: component.unit.description.summary,
          body: #""${1:\#(name(of: component.name))}": { "component": "\#(component.name)"$0 }"#)
      } + [
        Snippet(
          label: "subgraph", detail: "Another patch, as a node.",
          body: #""${1:part}": { "subgraph": "${2:part.json}"$0 }"#)
      ]
    case ["callbacks"]:
      return CallbackCatalog.standard.map { kind in
        member(
          kind.kind, kind.summary, kind.settings,
          place: kind.input == .required ? #", "from": "$2""# : "")
      }
    case ["taps"]:
      return TapCatalog.ofPatches.kinds.map { kind in
        member(kind.kind, kind.summary, kind.settings, place: #", "at": "${2:mixer}""#)
      }
    case ["streamFormats"]:
      return [
        Snippet(
          label: "float32", detail: "Floating-point samples, two channels.",
          body:
            #""${1:stereo}": { "sample": "float32", "channels": ${2:2}, "sampleRate": ${3:48000} }"#
        )
      ]
    default: return []
    }
  }

  /// Snippets for the elements of an array.
  static func elements(of container: [String], isTests: Bool) -> [Snippet] {
    if isTests {
      guard container.count == 3, container[0] == "tests", container[2] == "expect" else {
        return []
      }
      return [
        Snippet(
          label: "level", detail: "The level, within bounds.",
          body: #"{ "channel": ${1:0}, "rms": { "near": ${2:-20}, "within": ${3:0.2} } }"#),
        Snippet(
          label: "truePeak", detail: "The true peak, at most.",
          body: #"{ "truePeak": { "atMost": ${1:-1} } }"#),
        Snippet(
          label: "integratedLoudness", detail: "The loudness, within bounds.",
          body: #"{ "integratedLoudness": { "near": ${1:-16}, "within": ${2:0.5} } }"#),
      ]
    }
    switch container {
    case ["connections"]:
      return [
        Snippet(
          label: "connection", detail: "From an output or a callback to an input.",
          body: #"{ "from": "$1", "to": "$2" }"#)
      ]
    case ["timeline"]:
      return [
        Snippet(
          label: "ramp", detail: "A value moves to another.",
          body:
            #"{ "at": ${1:1}, "ramp": { "path": "$2", "to": ${3:0}, "duration": ${4:1} } }"#),
        Snippet(
          label: "trigger", detail: "A callback's sound begins again.",
          body: #"{ "at": ${1:1}, "trigger": "$2" }"#),
      ]
    default: return []
    }
  }

  private static let test = Snippet(
    label: "test", detail: "What a patch has to sound like.",
    body: #""${1:it sounds}": { "duration": ${2:1}, "expect": [ { "notSilent": true }$0 ] }"#)

  /// A callback or tap with its required settings.
  private static func member(
    _ kind: String, _ summary: String, _ settings: [SettingInfo], place: String = ""
  ) -> Snippet {
    var stop = place.isEmpty ? 1 : 2
    let required = settings.filter(\.isRequired).map { info in
      stop += 1
      return #", "\#(info.key)": \#(value(of: info, stop: stop))"#
    }
    return Snippet(
      label: kind, detail: summary,
      body: #""${1:\#(kind)}": { "kind": "\#(kind)"\#(place)\#(required.joined())$0 }"#)
  }

  private static func value(of info: SettingInfo, stop: Int) -> String {
    switch info.kind {
    case .path, .text, .symbol, .preset: return #""$\#(stop)""#
    case .expression: return #""${\#(stop):input}""#
    case .number, .integer: return "${\(stop):1}"
    case .boolean: return "${\(stop):true}"
    case .choice: return #""${\#(stop):\#(info.kind.names.first ?? "")}""#
    case .numbers, .structure: return "{ $\(stop) }"
    case .list, .integers, .rows: return "[$\(stop)]"
    }
  }

  /// A name for a node: `nbandEQ` for `NBandEQ`, `space` for `3DMixer`.
  private static func name(of unit: String) -> String {
    if unit == "3DMixer" { return "space" }
    let head = unit.prefix { $0.isUppercase }
    let rest = unit.dropFirst(max(head.count, 1))
    return (head.isEmpty ? String(unit.prefix(1)) : head.lowercased()) + rest
  }
}
