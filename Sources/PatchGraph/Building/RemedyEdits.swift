import AudioTypes
import Diagnostics
import PatchSyntax

/// Makes edits of a patch's text of the changes that would put a violation right.
struct RemedyEdits {
  let places: PatchPlaces
  let node: NodeID?
  /// Where the diagnostic is, where that is not the violation's own place.
  let primary: JSONValue?

  /// Edits that are offered, and not made without asking: which of several ways is wanted is the
  /// user's to say.
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
      Diagnostic.Fix(remedy.title, edits: [$0], isSafe: false)
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
    case .removeFeed(let input): return feed(input, node).map { [.remove($0)] }
    case .insertConverter(let input, let format):
      guard let connection = feed(input, node),
        let to = places.root[JSONPointer(connection.tokens + ["to"])], to.kind == .string
      else { return nil }
      let names = Set(places.root["nodes"]?.members.compactMap(\.key.string) ?? [])
      var name = "converter"
      var number = 1
      while names.contains(name) {
        number += 1
        name = "converter\(number)"
      }
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

  /// The connection that feeds an input.
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
