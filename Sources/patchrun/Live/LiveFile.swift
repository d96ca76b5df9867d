import Diagnostics
import Glibc
import PatchSyntax
import Synchronization

/// The file of a patch that plays: what stands in it, and what is to be saved there.
///
/// A document that plays has lost what has happened of its timeline. What is saved has it still: it is
/// the document as it was read, with the changes that were made since.
final class LiveFile: Sendable {
  private struct State {
    /// What is to be saved.
    var text: SourceText
    /// What that was when the file was read or written last, values of `--set` included.
    var filed: [UInt8]
    /// What stood in the file then.
    var contents: [UInt8]
    /// Whether it was written here.
    var isOwn = false
  }

  /// As it was named; `nil` for standard input.
  let path: String?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - path: As it was named on the command line.
  ///   - reading: What the patch was made of.
  init(_ path: String, _ file: PatchFile, _ reading: PatchReader.Result) {
    self.path = path == "-" ? nil : path
    state = Mutex(
      State(
        text: reading.source, filed: reading.source.bytes, contents: file.source.bytes))
  }

  /// Whether the file says what is set.
  var isSaved: Bool { state.withLock { $0.text.bytes == $0.filed } }

  /// Whether there is a file that may be written.
  var canSave: Bool { path.map { unsafe access($0, W_OK) == 0 } ?? false }

  /// Whether what stands in the file has been written here.
  func isOwn(_ contents: [UInt8]) -> Bool {
    state.withLock { $0.isOwn && $0.contents == contents }
  }

  /// The file has been read again, and plays.
  func follow(_ file: PatchFile, _ reading: PatchReader.Result) {
    state.withLock {
      $0 = State(text: reading.source, filed: reading.source.bytes, contents: file.source.bytes)
    }
  }

  /// Another document plays in the place of one.
  func follow(from old: PatchReader.Result, to new: SourceText) {
    state.withLock { state in
      state.text =
        state.text.bytes == old.source.bytes ? new : Self.changed(state.text, from: old, to: new)
    }
  }

  /// A document with its whole timeline, after a change of one whose timeline has been played in part.
  /// Of a change of the timeline nobody could say where in the whole one it belongs: then it is the
  /// new document.
  private static func changed(
    _ whole: SourceText, from old: PatchReader.Result, to new: SourceText
  ) -> SourceText {
    guard let before = old.document?.root.tree,
      let after = PatchReader.read(new, limits: old.limits).document,
      let tree = PatchReader.read(whole, limits: old.limits).document?.root.tree
    else { return new }
    let difference = PatchDifference(from: before, to: after.root.tree)
    guard difference.operations.allSatisfy({ $0.path.tokens.first != "timeline" }),
      let json = DocumentChange.read(SourceText(name: "changes.json", text: difference.jsonPatch))
        .value,
      let changed = JSONPatch.read(json, manner: .lenient).patch?.apply(to: tree).text
    else { return new }
    return SourceText(name: whole.name, bytes: changed.bytes)
  }

  /// Writes what is set to the file.
  ///
  /// - Parameters:
  ///   - playing: The document that plays, for when the one with the whole timeline is none.
  ///   - isSound: Whether a document could be played.
  /// - Throws: Why it cannot be written. The file is as it was then.
  func save(
    playing: SourceText, isSound: (PatchReader.Result) -> Bool
  ) throws(CommandFailure) -> String {
    guard let path else {
      throw CommandFailure(
        ExitStatus.worldRefused, "the patch came from standard input: there is no file to write",
        help: ["'patchrun ctl get' prints it"])
    }
    let (text, contents) = state.withLock { ($0.text, $0.contents) }
    guard try PatchFile(path).source.bytes == contents else {
      throw CommandFailure(
        ExitStatus.worldRefused, "somebody else has changed \(quoted(path)) since it was read",
        help: [
          "SIGHUP, and --watch, take up what is there; 'patchrun ctl get' prints what is set"
        ])
    }
    let whole = text.bytes == playing.bytes || isSound(PatchReader.read(text)) ? text : playing
    try AtomicFile.replace(path, with: whole.bytes)
    state.withLock {
      $0 = State(text: whole, filed: whole.bytes, contents: whole.bytes, isOwn: true)
    }
    return path
  }
}
