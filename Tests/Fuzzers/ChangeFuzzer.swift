import AudioTypes
import Diagnostics
import PatchSyntax

/// Changes of documents. The input is a document, a zero byte, and a JSON Patch or a merge patch.
/// The result must be readable, and the difference of both documents must be a patch that turns one
/// into the other.
final class ChangeFuzzer: Fuzzer {
  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? {
    guard let middle = bytes.firstIndex(of: 0) else { return nil }
    return Bool.random(using: &random) ? 0..<middle : (middle + 1)..<bytes.count
  }

  func take(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      let old = JSONReader.readStrictly(SourceText(name: "old.json", bytes: Array(parts[0]))).tree
    else { return }
    let body = SourceText(name: "body", bytes: Array(parts[1]))
    let (tree, diagnostics) = JSONReader.readStrictly(body)
    _ = TextRenderer(source: body).render(diagnostics)
    guard let change = tree?.root else { return }
    check(MergePatch.apply(change, to: old), of: old, by: body)
    for strictness in [JSONPatch.Strictness.lenient, .strict] {
      let (patch, diagnostics) = JSONPatch.read(change, strictness: strictness)
      _ = TextRenderer(source: body).render(diagnostics)
      if let patch { check(patch.apply(to: old), of: old, by: body) }
    }
  }

  private func check(_ change: DocumentChange, of old: JSONTree, by body: SourceText) {
    switch change {
    case .refused(let diagnostics):
      demand(diagnostics.hasErrors, "a change is refused for nothing")
      _ = TextRenderer(source: body).render(diagnostics)
    case .changed(let text):
      let reading = JSONReader.readStrictly(text)
      guard let new = reading.tree else {
        // Two readable documents can make one that is nested too deeply to be read.
        demand(!reading.diagnostics.isEmpty, "neither a document nor an error")
        demand(
          reading.diagnostics.allSatisfy { $0.code == SyntaxRules.depth.code },
          "a change makes what is no document: \(reading.diagnostics[0].message)")
        return
      }
      let difference = PatchDifference(from: old, to: new)
      let written = SourceText(name: "difference", text: difference.jsonPatch)
      guard let json = JSONReader.readStrictly(written).tree?.root,
        let patch = JSONPatch.read(json, strictness: .strict).patch
      else { fatalError("the difference is no patch: \(difference.jsonPatch)") }
      guard let text = patch.apply(to: old).text, let made = JSONReader.readStrictly(text).tree
      else {
        fatalError("the difference does not fit: \(difference.jsonPatch)")
      }
      demand(
        made.root.hasSameValue(as: new.root),
        "the difference makes another document: \(difference.jsonPatch)")
      let applied = difference.apply(to: old).flatMap { JSONReader.readStrictly($0).tree }
      demand(
        applied?.root.hasSameValue(as: new.root) == true,
        "the difference, applied, makes another document: \(difference.jsonPatch)")
    }
  }
}
