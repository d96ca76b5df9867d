import Diagnostics
import Glibc
import PatchSyntax
import Synchronization

/// The file of a running patch, and the text to save in it.
///
/// The document that plays has lost the past steps of its timeline. The text to save keeps them: it
/// is the document as it was read, with the changes since. Any thread.
final class LiveFile: Sendable {
  private struct State {
    /// The text to save.
    var text: SourceText
    /// The text to save at the time when the file was last read or written, with the values of
    /// `--set`.
    var filed: [UInt8]
    /// The contents of the file at that time.
    var contents: [UInt8]
    /// Whether this program has written the contents.
    var isOwn = false
  }

  /// The path from the command line; `nil` for standard input.
  let path: String?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - path: The path from the command line.
  ///   - reading: The reading that the patch was built from.
  init(_ path: String, _ file: PatchFile, _ reading: PatchReader.Result) {
    self.path = path == "-" ? nil : path
    state = Mutex(
      State(
        text: reading.source, filed: reading.source.bytes, contents: file.source.bytes))
  }

  /// Whether the file contains the text to save.
  var isSaved: Bool { state.withLock { $0.text.bytes == $0.filed } }

  /// Whether there is a file that may be written.
  var canSave: Bool { path.map { unsafe access($0, W_OK) == 0 } ?? false }

  /// Whether this program has written these contents.
  func isOwn(_ contents: [UInt8]) -> Bool {
    state.withLock { $0.isOwn && $0.contents == contents }
  }

  /// Follows a file that was read again and plays.
  func follow(_ file: PatchFile, _ reading: PatchReader.Result) {
    state.withLock {
      $0 = State(text: reading.source, filed: reading.source.bytes, contents: file.source.bytes)
    }
  }

  /// Follows a change of the document that plays.
  ///
  /// - Parameters:
  ///   - new: The text of the new document, with its repetitions as they are written.
  ///   - reading: What was read of it.
  func follow(
    from old: PatchReader.Result, to new: SourceText, read reading: PatchReader.Result
  ) {
    state.withLock { state in
      let isWhole = state.text.bytes == old.source.bytes
      state.text = (isWhole ? nil : Self.changed(state.text, from: old, to: reading)) ?? new
    }
  }

  /// Applies a change of the playing document to the document with its whole timeline; `nil` where
  /// it cannot be applied. After a change of the timeline itself, its position in the whole timeline
  /// is not known.
  private static func changed(
    _ whole: SourceText, from old: PatchReader.Result, to new: PatchReader.Result
  ) -> SourceText? {
    guard let before = old.document?.root.tree, let after = new.document?.root.tree,
      let tree = PatchReader.read(whole, limits: old.limits).document?.root.tree
    else { return nil }
    let difference = PatchDifference(from: before, to: after)
    guard difference.operations.allSatisfy({ $0.path.tokens.first != "timeline" }),
      let changed = difference.apply(to: tree)
    else { return nil }
    // Without its parts, so that the text does not keep the texts that it was made of.
    return SourceText(name: whole.name, bytes: changed.bytes)
  }

  /// Writes the text to save.
  ///
  /// - Parameters:
  ///   - playing: The document that plays: it is saved if the text with the whole timeline has
  ///     errors.
  ///   - isValid: Whether a document has no errors.
  /// - Throws: The reason why the file cannot be written. It is then unchanged.
  func save(
    playing: SourceText, isValid: (PatchReader.Result) -> Bool
  ) throws(CommandFailure) -> String {
    guard let path else {
      throw CommandFailure(
        ExitStatus.unavailable, "the patch came from standard input: there is no file to write",
        help: ["'patchrun ctl get' prints it"])
    }
    let (text, contents) = state.withLock { ($0.text, $0.contents) }
    guard try PatchFile(path).source.bytes == contents else {
      throw CommandFailure(
        ExitStatus.unavailable, "somebody else has changed \(quoted(path)) since it was read",
        help: [
          "SIGHUP, and --watch, take up what is there; 'patchrun ctl get' prints what is set"
        ])
    }
    let whole = text.bytes == playing.bytes || isValid(PatchReader.read(text)) ? text : playing
    try AtomicFile.replace(path, with: whole.bytes)
    state.withLock {
      $0 = State(text: whole, filed: whole.bytes, contents: whole.bytes, isOwn: true)
    }
    return path
  }
}
