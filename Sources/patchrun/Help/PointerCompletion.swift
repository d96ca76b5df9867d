import AudioTypes
import AudioUnits
import PatchSyntax

/// Completes JSON Pointers into a document.
struct PointerCompletion {
  var document: JSONValue
  var catalog = UnitCatalog.standard

  /// The most candidates. If there are more, only their next steps are offered.
  private static let most = 100

  /// The pointers that begin with `typed`, each with its value. With `settings`, objects and arrays
  /// are left out, and parameters and properties are added that the document does not contain.
  func pointers(_ typed: String, settings: Bool) -> [String] {
    var found: [(pointer: String, summary: String)] = []
    collect(document, JSONPointer(), typed, onlyLeaves: settings, into: &found)
    if settings {
      for (pointer, summary) in unwritten() {
        if pointer.hasPrefix(typed), !found.contains(where: { $0.pointer == pointer }) {
          found.append((pointer, summary))
        }
      }
    }
    guard found.count > Self.most else { return found.map { "\($0.pointer)\t\($0.summary)" } }
    let depth = typed.count { $0 == "/" }
    var steps: [String] = []
    for (pointer, _) in found {
      let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false)
      let isWhole = tokens.count - 1 <= max(1, depth)
      let step = tokens.prefix(max(1, depth) + 1).joined(separator: "/") + (isWhole ? "" : "/")
      if steps.last != step, !steps.contains(step) { steps.append(step) }
    }
    return steps
  }

  private func collect(
    _ value: JSONValue, _ pointer: JSONPointer, _ typed: String, onlyLeaves: Bool,
    into found: inout [(pointer: String, summary: String)]
  ) {
    let text = "\(pointer)"
    // If the pointers differ, nothing below this one begins with the typed text.
    guard text.hasPrefix(typed) || typed.hasPrefix(text) else { return }
    let isLeaf = value.kind != .object && value.kind != .array
    if text.hasPrefix(typed), !text.isEmpty, isLeaf || !onlyLeaves {
      found.append((text, isLeaf ? Self.short(JSONText(value).compact) : ""))
    }
    switch value.kind {
    case .object:
      for member in value.members {
        guard let key = member.key.string, !onlyLeaves || key != "comment" else { continue }
        collect(member.value, pointer.appending(key), typed, onlyLeaves: onlyLeaves, into: &found)
      }
    case .array:
      for (index, element) in value.elements.enumerated() {
        collect(element, pointer.appending("\(index)"), typed, onlyLeaves: onlyLeaves, into: &found)
      }
    default: break
    }
  }

  private static func short(_ text: String) -> String {
    text.count > 40 ? text.prefix(39) + "…" : text
  }

  /// The description of a node's unit.
  private func unit(of node: JSONValue) -> UnitDescription? {
    node["component"]?.string.flatMap(catalog.component(named:))?.unit.description
  }

  /// The buses of a scope that the document mentions.
  private func buses(_ scope: Scope, of name: String, _ node: JSONValue) -> [String] {
    let key = scope == .input ? "inputs" : "outputs"
    var buses = (node[key].map { Array($0.members) } ?? []).compactMap(\.key.string)
    for connection in document["connections"].map({ Array($0.elements) }) ?? [] {
      let end = connection[scope == .input ? "to" : "from"]?.string ?? ""
      let parts = end.split(separator: ":")
      guard parts.first.map(String.init) == name else { continue }
      let bus = parts.count > 1 ? String(parts[1]) : "0"
      if !buses.contains(bus) { buses.append(bus) }
    }
    return buses.filter { $0 != "comment" }
  }

  /// The parameters and properties that the document does not set.
  private func unwritten() -> [(pointer: String, summary: String)] {
    var found: [(pointer: String, summary: String)] = []
    for member in document["nodes"].map({ Array($0.members) }) ?? [] {
      guard let name = member.key.string, let unit = unit(of: member.value) else { continue }
      let node = JSONPointer(["nodes", name])
      for scope in [Scope.global, .input, .output] {
        let places =
          scope == .global
          ? [node]
          : buses(scope, of: name, member.value).map {
            node.appending(scope == .input ? "inputs" : "outputs").appending($0)
          }
        for place in places {
          let bands = member.value["bands"].map { Array($0.elements).count } ?? 0
          for info in unit.parameters where info.scope == scope && !info.isReadOnly {
            if info.isOfBand, (Int(info.path[1]) ?? 0) >= bands { continue }
            let pointer = info.path.reduce(place) { $0.appending($1) }
            found.append(("\(pointer)", info.summary))
          }
          for info in unit.properties where info.scopes.contains(scope) && info.isPatchProperty {
            let pointer = place.appending("properties").appending(info.key)
            found.append(("\(pointer)", info.summary))
          }
        }
      }
    }
    return found
  }

  /// The values of a setting: its current value and the choices of a property.
  func values(at pointer: String) -> [String] {
    guard let pointer = JSONPointer(parsing: pointer) else { return [] }
    var values: [String] = []
    if let now = document[pointer], now.kind != .object, now.kind != .array {
      values.append(now.string ?? JSONText(now).compact)
    }
    let tokens = pointer.tokens
    guard tokens.count >= 4, tokens[0] == "nodes", let node = document["nodes"]?[tokens[1]],
      let unit = unit(of: node), tokens[tokens.count - 2] == "properties",
      let info = (unit.properties + GenericProperties.all).first(where: { $0.key == tokens.last })
    else { return values }
    let choices = info.kind == .boolean ? ["true", "false"] : info.kind.names
    return values + choices.filter { !values.contains($0) }
  }
}
