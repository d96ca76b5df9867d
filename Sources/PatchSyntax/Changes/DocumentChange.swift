public import Diagnostics

/// The result of changing a document by a JSON Patch or a merge patch.
public enum DocumentChange: Sendable {
  /// The changed text of the document. Everything else in it, blanks included, is unchanged.
  /// `SourceText.origin(of:)` gives where a range is written: in the document, or in the text of
  /// the change.
  case changed(SourceText)
  /// Nothing was changed. The diagnostics are about the text of the change.
  case refused([Diagnostic])

  /// The changed text; `nil` where nothing was changed.
  public var text: SourceText? {
    if case .changed(let text) = self { text } else { nil }
  }

  /// How many bytes the operations of one patch may copy: without a limit, a few copies of copies
  /// would use up the memory.
  static let maximumCopied = 64 << 20
}
