import AudioTypes
import Diagnostics
import GraphDrawings
import PatchSyntax

/// Hints behind the connections: the stream format that initialization gives each one.
struct InlayHints {
  let patch: OpenPatch

  /// The protocol's `InlayHint`s, in the order of the text.
  ///
  /// - Parameter range: The part of the text to show hints for.
  func list(in range: SourceRange) -> JSONText {
    guard let drawing = patch.drawing, let connections = patch.root?["connections"] else {
      return []
    }
    let nodes = Dictionary(
      drawing.nodes.filter { $0.kind == .unit }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    return .array(
      connections.elements.compactMap { connection -> JSONText? in
        guard let to = connection["to"], let address = to.string,
          range.lowerBound <= connection.range.upperBound,
          connection.range.lowerBound <= range.upperBound
        else { return nil }
        let parts = address.split(separator: ":", maxSplits: 1)
        guard let name = parts.first else { return nil }
        let bus =
          parts.count > 1
          ? Int(parts[1])
            ?? OpenPatch.elementNumber(
              String(parts[1]), of: patch.root?["nodes"]?[String(name)], isInput: true) : 0
        guard let node = nodes[String(name)],
          let input = node.inputs.first(where: { $0.number == bus }), let format = input.format
        else { return nil }
        var hint: JSONText = [
          "position": patch.places.position(connection.range.upperBound),
          "label": .string(format.summary), "paddingLeft": true,
        ]
        if let origin = input.origin {
          hint = hint.adding(["tooltip": .string("\(format.summary), \(origin.text)")])
        }
        return hint
      })
  }
}
