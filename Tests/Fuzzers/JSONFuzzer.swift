import Diagnostics
import PatchSyntax

/// Documents as text. What is read is written again, and stays what it was; what is not is told why.
final class JSONFuzzer: Fuzzer {
  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? { bytes.indices }

  func take(_ bytes: [UInt8]) {
    // One form of JSON each, by how many bytes there are: what is not JSON is repaired at length.
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
