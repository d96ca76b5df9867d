import AudioTypes
import Diagnostics
import PatchSyntax

/// The parts of a patch that the reader has refused. They are missing from the document, and errors
/// that follow from their absence are not reported.
struct UnreadParts {
  /// Whether anything was refused.
  private(set) var isAny = false
  /// Nodes of which a part is missing, by name.
  private(set) var nodes: Set<String> = []
  /// Names that may belong to a part that could not be read.
  private(set) var names: Set<String> = []
  /// Whether a connection, or an end of one, is missing.
  private(set) var hasLostConnections = false
  /// Whether the default stream format is written and could not be read.
  private(set) var isDefaultFormatLost = false
  /// Whether the session could not be read.
  private(set) var isSessionUnknown = false

  private var errors: [Int]

  init(_ document: PatchDocument, _ diagnostics: [Diagnostic]) {
    // These hide no part of the document that others depend on.
    let harmless = [
      SyntaxRules.trailingComma, PatchRules.category, PatchRules.sessionDecision, PatchRules.curve,
    ]
    errors =
      diagnostics
      .filter { $0.severity == .error && !harmless.contains($0.rule) }
      .map(\.range.lowerBound).sorted()
    guard !errors.isEmpty else { return }
    isAny = true
    for node in document.nodes where hasError(in: node.value.json.range) {
      nodes.insert(node.name)
    }
    let keys = [
      "nodes", "callbacks", "streamFormats", "streamFormat", "connections", "session", "timeline",
    ]
    for (key, value) in document.root.members {
      guard let name = key.string else { continue }
      let isUnread = hasError(in: key.range) || hasError(in: value.markRange)
      switch keys.contains(name) ? name : nearMisses(to: name, among: keys).first {
      case "nodes"?, "callbacks"?:
        // A key that could not be read may be any name.
        let hasLostNames = value.members.contains {
          $0.key.kind == .invalid || $0.key.range.isEmpty
        }
        if isUnread || hasLostNames { names.formUnion(Self.referredNames(document)) }
        for (key, _) in value.members where key.kind != .invalid && hasError(in: key.range) {
          // References to the name that was meant.
          let wrong = key.string ?? ""
          names.formUnion(
            Self.referredNames(document).filter { !nearMisses(to: $0, among: [wrong]).isEmpty })
        }
        names.formUnion(value.members.compactMap(\.key.string))
      case "connections"?:
        if isUnread || hasError(in: value.range) { hasLostConnections = true }
      case "streamFormat"?: if name != "streamFormat" { isDefaultFormatLost = true }
      case "session"?: if isUnread || hasError(in: value.range) { isSessionUnknown = true }
      default: break
      }
    }
    names.subtract(document.nodes.map(\.name))
    names.subtract(document.callbacks.map(\.name))
  }

  private func hasError(in range: SourceRange) -> Bool {
    var low = 0
    var high = errors.count
    while low < high {
      let middle = (low + high) / 2
      if errors[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < errors.count && errors[low] < range.upperBound
  }

  /// The names in all addresses and paths of the patch.
  private static func referredNames(_ document: PatchDocument) -> Set<String> {
    var names = document.connections.flatMap { [$0.from?.value.node, $0.to?.value.node] }
    names += document.taps.map { $0.value.at?.value.node }
    names += document.timeline.map { step in
      let tokens = step.ramp?.path?.value.tokens ?? []
      return tokens.count > 1 ? tokens[1] : nil
    }
    names += document.callbacks.map { callback in
      let from = callback.value.fields.first { $0.name == "from" }?.value.string
      return from.flatMap { $0.split(separator: ":").first.map(String.init) }
    }
    return Set(names.compactMap(\.self))
  }
}
