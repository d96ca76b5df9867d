import Diagnostics
import PatchSyntax

extension BuiltPatch {
  /// The patch with diagnostics that refer to the text as it is written, instead of the text in
  /// which repetitions have been written out: for editors, and for tools that make edits.
  public func asWritten() -> BuiltPatch {
    guard let document, !document.copies.isEmpty else { return self }
    let own = source.origin(of: 0..<1).text
    var places = WrittenPlaces(source: source, own: own)
    var patch = self
    for index in patch.diagnostics.indices { places.move(&patch.diagnostics[index]) }
    (patch.source, patch.ownLength) = (places.written, own.bytes.count)
    return patch
  }
}

/// Maps ranges to where they are written: in the patch's own text and, behind it, those of its
/// sub-graphs.
private struct WrittenPlaces {
  let source: SourceText
  let own: SourceText
  private var texts: [SourceText] = []
  private var starts: [String: Int] = [:]
  private var end: Int

  init(source: SourceText, own: SourceText) {
    self.source = source
    self.own = own
    end = own.bytes.count + 1
  }

  var written: SourceText { own.appending(texts) }

  mutating func move(_ diagnostic: inout Diagnostic) {
    diagnostic.range = place(diagnostic.range)
    for index in diagnostic.notes.indices {
      diagnostic.notes[index].range = place(diagnostic.notes[index].range)
    }
    for fix in diagnostic.fixes.indices {
      for edit in diagnostic.fixes[fix].edits.indices {
        let range = diagnostic.fixes[fix].edits[edit].range
        diagnostic.fixes[fix].edits[edit].range = place(range)
      }
    }
  }

  private mutating func place(_ range: SourceRange) -> SourceRange {
    let (text, range) = source.origin(of: range)
    guard text.name != own.name || text.bytes.count != own.bytes.count else { return range }
    let start = starts[text.name] ?? end
    if starts[text.name] == nil {
      starts[text.name] = end
      texts.append(text)
      end += text.bytes.count + 1
    }
    return (start + range.lowerBound)..<(start + range.upperBound)
  }
}
