/// The result of saving a patch to its file.
public enum ControlSaveOutcome: Hashable, Sendable {
  /// The file was written: its path, and the tag of the document that plays.
  case saved(file: String, tag: String)
  /// A document with another tag plays, so nothing was written.
  case otherTag(current: String)
  /// The file cannot be written: a sentence that starts in lower case, and what to do about it.
  case failed(message: String, help: [String])
}
