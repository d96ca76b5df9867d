import Diagnostics
import PatchSyntax

/// Documents as text. A document that can be read must survive writing and reading; otherwise there
/// must be an error.
final class JSONFuzzer: Fuzzer {
  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? { bytes.indices }

  func take(_ bytes: [UInt8]) {
    // One dialect per input, selected by its length: repairing text that is not JSON takes long.
    let isStrict = bytes.count.isMultiple(of: 2)
    let source = SourceText(name: isStrict ? "patch.json" : "patch.jsonc", bytes: bytes)
    let reading = JSONReader.read(source, dialect: isStrict ? .json : .jsonc)
    _ = TextRenderer(source: source).render(reading.diagnostics)
    demand(reading.tree != nil || reading.hasErrors, "neither a tree nor an error")
    guard let tree = reading.tree, !reading.hasErrors else { return }
    let text = JSONText(tree.root).compact
    let again = JSONReader.read(SourceText(name: "again", text: text), dialect: .json)
    demand(!again.hasErrors, "what was written is no JSON: \(text)")
    demand(again.tree.map { JSONText($0.root).compact } == text, "it is another text: \(text)")
    guard let formatted = PatchFormatter.format(source).text else { return }
    let second = PatchFormatter.format(SourceText(name: source.name, bytes: formatted)).text
    demand(second == formatted, "formatting changes what is formatted")
  }
}
