import AudioTypes
import Diagnostics
import PatchSyntax

/// Rewrites the findings in sub-graphs with the names that the sub-graph's own patch uses.
struct SubgraphFindings {
  private let document: PatchDocument
  private let source: SourceText
  private let names: Set<String>
  /// The indices of the sub-graphs, in the order of their texts.
  private let order: [Int]

  init(_ document: PatchDocument, source: SourceText) {
    self.document = document
    self.source = source
    names = Set(document.nodes.map(\.name) + document.callbacks.map(\.name))
      .union(document.unresolved).union(document.streamFormats.map(\.name))
    order = document.subgraphs.indices.sorted {
      document.subgraphs[$0].textRange.lowerBound < document.subgraphs[$1].textRange.lowerBound
    }
  }

  /// The findings, each once even if its sub-graph is used several times, with notes that say where
  /// the sub-graph is used.
  func finished(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    var seen: Set<Mistake> = []
    return diagnostics.compactMap { diagnostic in
      guard let index = index(holding: diagnostic.range.lowerBound) else { return diagnostic }
      let local = described(diagnostic, in: document.subgraphs[index])
      let (text, range) = source.origin(of: diagnostic.range)
      let mistake = Mistake(
        code: local.code, message: local.message, file: text.name, range: range)
      guard seen.insert(mistake).inserted else { return nil }
      return addingPath(local, from: index)
    }
  }

  private struct Mistake: Hashable {
    var code: Rule.Code
    var message: Diagnostic.Message
    var file: String
    var range: SourceRange
  }

  /// The sub-graph whose text an offset is in.
  private func index(holding offset: Int) -> Int? {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if document.subgraphs[order[middle]].textRange.lowerBound > offset {
        high = middle
      } else {
        low = middle + 1
      }
    }
    guard low > 0 else { return nil }
    // Of several sub-graphs with the same text, the first counts.
    let found = document.subgraphs[order[low - 1]].textRange
    guard found.contains(offset) else { return nil }
    while low > 1, document.subgraphs[order[low - 2]].textRange == found { low -= 1 }
    return order[low - 1]
  }

  /// Adds notes with the nodes that lead to a sub-graph, from the innermost to the one in the patch
  /// itself.
  private func addingPath(_ diagnostic: Diagnostic, from index: Int) -> Diagnostic {
    var found = diagnostic
    var next: Int? = index
    while let index = next {
      let subgraph = document.subgraphs[index]
      let name = subgraph.name.split(separator: "/").last.map(String.init) ?? subgraph.name
      let range = subgraph.place.range
      if range != diagnostic.range {
        found.notes.append(.init("in the sub-graph \(quoted(name))", at: range))
      }
      next = self.index(holding: range.lowerBound)
    }
    return found
  }

  /// The finding with the names that the sub-graph's own patch uses.
  private func described(
    _ diagnostic: Diagnostic, in subgraph: PatchDocument.Subgraph
  ) -> Diagnostic {
    var local = diagnostic
    local.message.text = shortened(local.message.text, subgraph.prefix)
    local.label = local.label.map { .init(shortened($0.text, subgraph.prefix)) }
    local.help = local.help.map { shortened($0, subgraph.prefix) }
    for index in local.notes.indices {
      local.notes[index].message.text = shortened(
        local.notes[index].message.text, subgraph.prefix)
    }
    return local
  }

  /// A text with a prefix removed from the names in quotes.
  private func shortened(_ text: String, _ prefix: String) -> String {
    guard text.contains(prefix) else { return text }
    var result = ""
    var rest = text[...]
    while let quote = rest.firstIndex(where: { $0 == "'" || $0 == "\"" }) {
      let start = rest.index(after: quote)
      result += rest[..<start]
      rest = rest[start...]
      guard rest.hasPrefix(prefix) else { continue }
      let end = rest.firstIndex { $0 == "'" || $0 == "\"" || $0 == ":" } ?? rest.endIndex
      if names.contains(String(rest[..<end])) || !rest[..<end].contains(".") {
        rest = rest.dropFirst(prefix.count)
      }
    }
    return result + rest
  }
}
