/// What became of the wish to write a patch to its file.
public enum ControlSaving: Hashable, Sendable {
  /// The file says what is set: its path, and the tag of the document that plays.
  case saved(file: String, tag: String)
  /// Another document plays than the one that was to be saved: its tag.
  case otherTag(current: String)
  /// It cannot be: a sentence that starts in lower case, and what to do about it.
  case failed(message: String, help: [String])
}
