import Diagnostics

extension PatchDifference {
  /// One line for each change: `+` for an addition, `-` for a removal, `~` for another value; what
  /// it is in the patch's terms; and its JSON Pointer.
  public var text: String { changes.map { $0.text + "\n" }.joined() }

  /// A JSON Patch (RFC 6902) that turns the old document into the new one.
  public var jsonPatch: String {
    if operations.isEmpty { return "[]\n" }
    let lines = operations.map { operation in
      var members = [
        "\"op\": \"\(operation.kind.rawValue)\"",
        "\"path\": \(jsonText(operation.path.description))",
      ]
      if let value = operation.value { members.append("\"value\": \(value.lineText)") }
      return "  { \(members.joined(separator: ", ")) }"
    }
    return "[\n\(lines.joined(separator: ",\n"))\n]\n"
  }
}

extension PatchDifference.Change {
  fileprivate var text: String {
    let sign = old == nil ? "+" : new == nil ? "-" : "~"
    let place = pointer.tokens.isEmpty ? "" : "  (\(printable(pointer.description)))"
    return "\(sign) \(printable(description))\(place)"
  }

  private var description: String {
    let tokens = pointer.tokens
    let values = [old, new].compactMap(\.self)
    func with(_ texts: [String]) -> String { texts.joined(separator: " -> ") }
    if tokens.count == 2, tokens[0] == "connections", values.allSatisfy({ $0["to"] != nil }) {
      let texts = values.map { connection in
        let ends = ["from", "to"].map { connection[$0].map(\.plainText) ?? "?" }
        return "\(ends[0]) to \(ends[1])"
      }
      return "connection \(texts.joined(separator: " -> "))"
    }
    let isWholeNode = tokens.count == 2 && tokens[0] == "nodes" && values.count == 1
    let texts = values.map { value in
      if isWholeNode, let component = value["component"] { return component.plainText }
      return value.shortText
    }
    return "\(subject(tokens)): \(with(texts))"
  }

  /// The words for a place of a patch.
  private func subject(_ tokens: [String]) -> String {
    guard let table = tokens.first else { return "the document" }
    guard tokens.count > 1 else { return quoted(table) }
    let name = quoted(tokens[1])
    let rest = Array(tokens.dropFirst(2))
    func part(_ whole: String) -> String {
      rest.isEmpty ? whole : "\(path(rest)) of \(whole)"
    }
    switch table {
    case "nodes": return node(name, rest)
    case "streamFormats": return part("stream format \(name)")
    case "callbacks": return part("callback \(name)")
    case "taps": return part("tap \(name)")
    case "session": return "\(path(Array(tokens.dropFirst()))) of the session"
    case "timeline": return part("step \((Int(tokens[1]) ?? 0) + 1) of the timeline")
    case "connections": return part("connection \((Int(tokens[1]) ?? 0) + 1)")
    default: return path(tokens)
    }
  }

  private func node(_ name: String, _ tokens: [String]) -> String {
    guard let first = tokens.first else { return "node \(name)" }
    var rest = tokens
    var owner = name
    if first == "inputs" || first == "outputs" {
      guard tokens.count > 1 else { return "\(first) of \(name)" }
      owner += ", \(first.dropLast()) \(escaped(tokens[1]))"
      rest = Array(tokens.dropFirst(2))
    }
    guard let kind = rest.first else { return owner }
    switch kind {
    case "parameters" where rest.count > 1:
      return "parameter \(path(Array(rest.dropFirst()))) of \(owner)"
    case "bands" where rest.count > 1:
      let band = "band \(escaped(rest[1])) of \(owner)"
      return rest.count == 2 ? band : "parameter \(path(Array(rest.dropFirst(2)))) of \(band)"
    case "properties" where rest.count > 1:
      return "property \(path(Array(rest.dropFirst()))) of \(owner)"
    case "streamFormat":
      return rest.count > 1
        ? "\(path(Array(rest.dropFirst()))) of the stream format of \(owner)"
        : "stream format of \(owner)"
    case "sampleRate": return "sample rate of \(owner)"
    case "component" where rest.count == 1: return "component of \(owner)"
    default: return "\(path(rest)) of \(owner)"
    }
  }

  private func path(_ tokens: [String]) -> String { quoted(tokens.joined(separator: "/")) }

  private func escaped(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }
}

/// A string as JSON.
private func jsonText(_ text: String) -> String {
  String(decoding: JSONText.quoted(Array(text.utf8)[...]), as: UTF8.self)
}

extension JSONValue {
  /// The value as JSON on one line, strings and numbers as they are spelt.
  fileprivate var lineText: String {
    switch kind {
    case .object:
      let members = members.map { "\(tree.source[$0.key.localRange]): \($0.value.lineText)" }
      return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
    case .array: return "[\(elements.map(\.lineText).joined(separator: ", "))]"
    default: return tree.source[localRange]
    }
  }

  /// The same, cut to 80 characters.
  fileprivate var shortText: String {
    let text = lineText
    return text.count > 80 ? text.prefix(77) + "..." : text
  }

  /// A string without its quotes; the JSON of any other value.
  fileprivate var plainText: String {
    string.map { String(quoted($0).dropFirst().dropLast()) } ?? shortText
  }
}
