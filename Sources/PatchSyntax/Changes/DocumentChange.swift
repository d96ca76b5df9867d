public import Diagnostics

/// What came of changing a document, by a JSON Patch or a merge patch.
public enum DocumentChange: Sendable {
  /// The document's text with the changes in it. What was not changed is as it was, to the blank.
  /// Every range leads to where it is written (`SourceText.origin(of:)`): in the document, or in the
  /// text of the change.
  case changed(SourceText)
  /// Nothing was changed. The diagnostics are about the text of the change.
  case refused([Diagnostic])

  /// The text as it is now; `nil` where nothing was changed.
  public var text: SourceText? {
    if case .changed(let text) = self { text } else { nil }
  }

  /// Reads the text of a change, as a control request has it in its body: it has to be JSON, and no
  /// key may stand twice.
  ///
  /// - Returns: the value; `nil`, with diagnostics, where it is no such text.
  public static func read(_ source: SourceText) -> (value: JSONValue?, diagnostics: [Diagnostic]) {
    let reading = PatchDifference.read(source)
    return (reading.tree?.root, reading.diagnostics)
  }

  /// How many bytes `copy` may add to a document: a few of them, each copying what the one before has
  /// made, would ask for more than there is.
  static let maximumCopied = 64 << 20
}
