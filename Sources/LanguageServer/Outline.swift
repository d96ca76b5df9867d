import AudioUnits
import Diagnostics
import PatchSyntax

/// The outline of a patch: its sections, and the entries of each.
struct Outline {
  let patch: OpenPatch

  /// The numbers of the protocol's `SymbolKind`.
  private enum Kind: Int {
    case section = 2
    case callback = 12
    case tap = 13
    case node = 19
    case bus = 20
    case format = 23
    case step = 24
    case connection = 25
  }

  private struct Symbol {
    var name: String
    var detail = ""
    var kind: Kind
    var range: SourceRange
    var selection: SourceRange
    var children: [Symbol] = []
  }

  /// The protocol's `DocumentSymbol`s, or `SymbolInformation`s for an editor without support for
  /// trees.
  func symbols(asTree: Bool) -> JSONText {
    let sections = sections()
    return .array(asTree ? sections.map(tree) : sections.flatMap { list($0, in: nil) })
  }

  private func tree(_ symbol: Symbol) -> JSONText {
    var text: JSONText = [
      "name": .string(symbol.name), "kind": .number(symbol.kind.rawValue),
      "range": patch.places.range(symbol.range),
      "selectionRange": patch.places.range(symbol.selection),
    ]
    if !symbol.detail.isEmpty { text = text.adding(["detail": .string(symbol.detail)]) }
    if symbol.children.isEmpty { return text }
    return text.adding(["children": .array(symbol.children.map(tree))])
  }

  private func list(_ symbol: Symbol, in container: String?) -> [JSONText] {
    var text: JSONText = [
      "name": .string(symbol.name), "kind": .number(symbol.kind.rawValue),
      "location": patch.location(symbol.range),
    ]
    if let container { text = text.adding(["containerName": .string(container)]) }
    return [text] + symbol.children.flatMap { list($0, in: symbol.name) }
  }

  // MARK: Symbols

  private func sections() -> [Symbol] {
    members(patch.root).compactMap { key, value -> Symbol? in
      guard let name = key.string else { return nil }
      let children: [Symbol]
      switch name {
      case "streamFormats":
        children = named(value) { _, format in (.format, text(format["sample"]), []) }
      case "callbacks":
        children = named(value) { _, callback in (.callback, text(callback["kind"]), []) }
      case "nodes":
        children = named(value) { _, node in
          (.node, Vocabulary.unit(node["component"])?.name ?? text(node["subgraph"]), buses(node))
        }
      case "taps":
        children = named(value) { _, tap in
          (
            .tap,
            [text(tap["kind"]), text(tap["at"])].filter { !$0.isEmpty }.joined(separator: ", "), []
          )
        }
      case "connections":
        children = value.elements.map { connection in
          item(
            "\(text(connection["from"])) \u{2192} \(text(connection["to"]))", .connection,
            connection)
        }
      case "knobs":
        children = named(value) { _, knob in
          (.step, text(knob.kind == .object ? knob["turns"] : knob), [])
        }
      case "timeline":
        children = value.elements.map { step in
          item(
            step["at"].map { patch.source[$0.range] } ?? "", .step, step,
            detail: members(step).compactMap { $0.key.string }.filter { $0 != "at" }
              .joined(separator: ", "))
        }
      default: return nil
      }
      return Symbol(
        name: name, kind: .section, range: key.range.lowerBound..<value.range.upperBound,
        selection: key.range, children: children)
    }
  }

  private func buses(_ node: JSONValue) -> [Symbol] {
    [("inputs", "input"), ("outputs", "output")].flatMap { key, scope in
      node[key].map { buses in
        named(buses) { number, bus in (.bus, text(bus["streamFormat"]), []) }.map { symbol in
          var symbol = symbol
          symbol.name = "\(scope) \(symbol.name)"
          return symbol
        }
      } ?? []
    }
  }

  /// The symbols of an object's members.
  private func named(
    _ value: JSONValue, _ about: (String, JSONValue) -> (Kind, String, [Symbol])
  ) -> [Symbol] {
    members(value).compactMap { key, value in
      guard let name = key.string else { return nil }
      let (kind, detail, children) = about(name, value)
      return Symbol(
        name: visible(name), detail: detail, kind: kind,
        range: key.range.lowerBound..<value.range.upperBound, selection: key.range,
        children: children)
    }
  }

  private func item(
    _ name: String, _ kind: Kind, _ value: JSONValue, detail: String = ""
  ) -> Symbol {
    Symbol(
      name: visible(name), detail: detail, kind: kind, range: value.range, selection: value.range)
  }

  /// A blank name is shown in quotes, since an editor may refuse it.
  private func visible(_ name: String) -> String {
    name.allSatisfy(\.isWhitespace) ? "\"\(name)\"" : name
  }

  private func text(_ value: JSONValue?) -> String { value?.string ?? "" }
}
