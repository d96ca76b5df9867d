import Diagnostics
import PatchSyntax

/// The parts of a patch that reading has refused. They are missing from the document, and what follows
/// from that is no mistake of its own.
struct UnreadParts {
  /// Whether anything was refused.
  private(set) var isAny = false
  /// Nodes of which a part is missing, by name.
  private(set) var nodes: Set<String> = []
  /// Names that stand for something which could not be read, or may do so.
  private(set) var names: Set<String> = []
  /// Whether a connection is missing, or an end of one.
  private(set) var hasLostConnections = false
  /// Whether what the session asks for is not known.
  private(set) var isSessionUnknown = false

  private var errors: [Int]

  init(_ document: PatchDocument, _ diagnostics: [Diagnostic]) {
    errors = diagnostics.filter { $0.severity == .error }.map(\.range.lowerBound).sorted()
    guard !errors.isEmpty else { return }
    isAny = true
    for node in document.nodes where hasError(in: node.value.json.range) {
      nodes.insert(node.name)
    }
    let keys = ["nodes", "callbacks", "streamFormats", "connections", "session"]
    for (key, value) in document.root.members {
      guard let name = key.string else { continue }
      let isUnread = hasError(in: key.range) || hasError(in: value.markRange)
      switch keys.contains(name) ? name : nearMisses(to: name, among: keys).first {
      case "nodes"?, "callbacks"?:
        if isUnread { names.formUnion(Self.referredNames(document)) }
        names.formUnion(value.members.compactMap(\.key.string))
      case "connections"?:
        if isUnread || hasError(in: value.range) { hasLostConnections = true }
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

  /// Whatever an address or a path in the patch names.
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
