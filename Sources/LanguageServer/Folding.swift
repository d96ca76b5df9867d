import Diagnostics
import PatchSyntax

/// Finds what an editor can fold: objects and arrays of several lines.
struct Folding {
  let patch: OpenPatch

  /// The protocol's `FoldingRange`s.
  func ranges() -> JSONText {
    guard let root = patch.root else { return [] }
    var found: [JSONText] = []
    // An explicit stack instead of recursion: a text may nest as deeply as the reader allows.
    var open = [root]
    while let value = open.popLast() {
      guard value.kind == .object || value.kind == .array else { continue }
      let first = patch.source.line(of: value.range.lowerBound)
      // The line of the closing bracket stays visible.
      let last = patch.source.line(of: max(value.range.lowerBound, value.range.upperBound - 1)) - 1
      guard last >= first else { continue }
      if last > first {
        found.append(["startLine": .number(first - 1), "endLine": .number(last - 1)])
      }
      open += value.kind == .object ? value.members.map(\.value) : Array(value.elements)
    }
    return .array(found)
  }
}
