import Diagnostics
import PatchSyntax
import RenderCallbacks

/// Why the sound of a callback cannot begin again.
struct TriggerProblem {
  var message: String
  var help: [String]
  /// Names that may have been meant.
  var names: [String]

  /// - Parameters:
  ///   - name: The name of a callback; in a sub-graph `strip/song`.
  ///   - document: The patch with its sub-graphs put into it.
  /// - Returns: `nil` where the sound can begin again.
  init?(_ name: String, in document: PatchDocument) {
    names = document.callbacks.filter { Self.hasBeginning($0.value) }.map(\.name)
    help =
      names.isEmpty
      ? ["the patch has no callback of a kind that can: \(Self.kinds)"]
      : ["those that can here: " + names.joined(separator: ", ")]
    guard let callback = document.callbacks.first(where: { $0.name == name })?.value else {
      guard !document.unresolved.contains(name) else { return nil }
      message =
        document.nodes.contains { $0.name == name }
        ? "\(quoted(name)) is a node: what begins again is a callback"
        : "the patch has no callback \(quoted(name))"
      return
    }
    guard let kind = callback.kind?.value, CallbackCatalog.description(of: kind) != nil,
      !Self.hasBeginning(callback)
    else { return nil }
    message =
      CallbackSource.address(callback) == nil
      ? "\(quoted(name)), a callback of the kind \(quoted(kind)), has no beginning that could be heard again"
      : "\(quoted(name)) processes what it pulls, and has no beginning of its own"
    help.append("a sound with a beginning is one of the kinds \(Self.kinds)")
    names = []
  }

  private static let kinds = CallbackCatalog.standard.filter(\.hasBeginning).map(\.kind)
    .joined(separator: ", ")

  private static func hasBeginning(_ callback: PatchDocument.Callback) -> Bool {
    guard let kind = callback.kind?.value,
      CallbackCatalog.description(of: kind)?.hasBeginning == true
    else { return false }
    return CallbackSource.address(callback) == nil
  }
}
