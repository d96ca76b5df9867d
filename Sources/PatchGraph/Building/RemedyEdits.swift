import AudioTypes
import Diagnostics
import PatchSyntax

/// Turns the remedies of a violation into edits of the patch's text.
struct RemedyEdits {
  let places: PatchPlaces
  let node: NodeID?
  /// The value that the diagnostic points to; `nil` for the place of the violation.
  let primary: JSONValue?

  /// The fix for a remedy; `nil` where it cannot be made. Only the fix of a safe remedy may be made
  /// without asking the user.
  func fix(_ remedy: Remedy) -> Diagnostic.Fix? {
    guard let node, places.bytesLeftToEdit > 0 else { return nil }
    let written = places.value(.init(node: node, .whole))
    let own = written.pointer.tokens
    guard own.first == "nodes", own.count == 2 else { return nil }
    var changes: [DocumentEdits.Change] = []
    for change in remedy.changes {
      guard let made = edits(change, node, own) else { return nil }
      changes += made
    }
    return DocumentEdits.edit(changes, in: written.tree).map {
      Diagnostic.Fix(remedy.title, edits: [$0], isSafe: remedy.isSafe)
    }
  }

  private func edits(
    _ change: Remedy.Change, _ node: NodeID, _ own: [String]
  ) -> [DocumentEdits.Change]? {
    func place(_ scope: Scope, _ element: Int, _ rest: String...) -> JSONPointer {
      JSONPointer(
        own + (scope == .global ? [] : [scope == .input ? "inputs" : "outputs", "\(element)"])
          + rest)
    }
    switch change {
    case .setFormat(let scope, let element, let format):
      return [.set(place(scope, element, "streamFormat"), text(format))]
    case .setSampleRate(let scope, let element, let rate):
      return [.set(place(scope, element, "sampleRate"), rateText(rate))]
    case .removeFormat(let scope, let element):
      let value = primary ?? places.value(.init(node: node, .streamFormat(scope, element)))
      guard let key = value.pointer.tokens.last, ["streamFormat", "sampleRate"].contains(key),
        value.pointer.tokens.count > 2
      else { return nil }
      return [.remove(value.pointer)]
    case .setProperty(let key, let scope, let element, let json):
      return [.set(place(scope, element, "properties", key), json)]
    case .setParameter(let key, let scope, let element, let json):
      return [.set(place(scope, element, "parameters", key), json)]
    case .setInputCount(let count):
      return [.set(JSONPointer(own + ["inputCount"]), "\(count)")]
    case .setOutputCount(let count):
      return [.set(JSONPointer(own + ["outputCount"]), "\(count)")]
    case .compensateLatency:
      let written = places.value(.init(node: node, .whole))
      guard written.tree === places.root.tree else { return nil }
      return [.set(JSONPointer(["compensateLatency"]), "true")]
    case .insertSplitter(let input): return splitter(behindFeedOf: input, node)
    case .removeFeed(let input): return feed(input, node).map { [.remove($0)] }
    case .insertConverter(let input, let format):
      guard let connection = feed(input, node),
        let to = places.root[JSONPointer(connection.tokens + ["to"])], to.kind == .string
      else { return nil }
      let name = unusedName(like: "converter")
      let unit = """
        { "component": "FormatConverter", "properties": { "maximumFramesPerSlice": 4096 }, \
        "outputs": { "0": { "streamFormat": \(text(format)) } } }
        """
      return [
        .set(JSONPointer(["nodes", name]), unit),
        .set(JSONPointer(connection.tokens + ["to"]), "\"\(name)\""),
        .set(
          JSONPointer(["connections", "-"]),
          "{ \"from\": \"\(name)\", \"to\": \(to.tree.source[to.localRange]) }"),
      ]
    }
  }

  /// A name that the patch does not have: `wish`, or `wish` followed by a number from 2.
  private func unusedName(like wish: String) -> String {
    let names = Set(
      ["nodes", "callbacks"].flatMap { places.root[$0]?.members.compactMap(\.key.string) ?? [] })
    var name = wish
    var number = 1
    while names.contains(name) {
      number += 1
      name = "\(wish)\(number)"
    }
    return name
  }

  /// Inserts a splitter behind the output that feeds an input, for all connections and callbacks
  /// that pull this output. `nil` unless the connection is the second of them: one fix repairs all.
  private func splitter(behindFeedOf input: Int, _ node: NodeID) -> [DocumentEdits.Change]? {
    guard let connection = feed(input, node),
      let own = places.root[JSONPointer(connection.tokens + ["from"])],
      own.tree === places.root.tree, let source = own.string.flatMap(Self.output)
    else { return nil }
    var members = places.root["callbacks"]?.members.map(\.value) ?? []
    if let connections = places.root["connections"] { members += connections.elements }
    var takers: [JSONValue] = []
    for member in members {
      guard let from = member["from"], from.string.flatMap(Self.output) == source else { continue }
      takers.append(from)
    }
    guard takers.count > 1, takers[1].range == own.range else { return nil }
    let name = unusedName(like: "split")
    let count = takers.count > 2 ? ", \"outputCount\": \(takers.count)" : ""
    let unit = """
      { "component": "\(takers.count > 2 ? "MultiSplitter" : "Splitter")"\(count), \
      "properties": { "maximumFramesPerSlice": 4096 } }
      """
    return [.set(JSONPointer(["nodes", name]), unit)]
      + takers.enumerated().map { .set($1.pointer, "\"\(name):\($0)\"") }
      + [
        .set(
          JSONPointer(["connections", "-"]),
          "{ \"from\": \(own.tree.source[own.localRange]), \"to\": \"\(name)\" }")
      ]
  }

  /// An address with the number of its output written out.
  private static func output(_ address: String) -> String? {
    address.contains(":") ? address : address + ":0"
  }

  /// The pointer of the connection that feeds an input.
  private func feed(_ input: Int, _ node: NodeID) -> JSONPointer? {
    let tokens = (primary ?? places.value(.init(node: node, .feed(input)))).pointer.tokens
    guard tokens.count > 1, tokens[0] == "connections" else { return nil }
    return JSONPointer(Array(tokens.prefix(2)))
  }

  private func text(_ format: StreamFormat) -> String {
    let isInterleaved = format.isInterleaved && format.channelCount > 1
    return """
      { "sample": "\(format.sampleType?.rawValue ?? "float32")", \
      "channels": \(format.channelCount), "sampleRate": \(rateText(format.sampleRate))\
      \(isInterleaved ? ", \"interleaved\": true" : "") }
      """
  }
}
