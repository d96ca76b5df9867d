import Control
import Diagnostics
import PatchGraph
import PatchSyntax

/// Reloading the patch while it plays.
extension LiveRun {
  /// Reads the file again and plays it. Returns a patch that needs a restart.
  func reload(
    by origin: ControlOrigin, _ showsLine: Bool
  ) -> PatchReader.Result? {
    manager?.reloads()
    status.note(.reloading)
    defer { status.note(lost.phase) }
    let (file, reading): (PatchFile, PatchReader.Result)
    do throws(CommandFailure) {
      guard let found = try read() else {
        clear(showsLine)
        let text = "the patch came from standard input: it cannot be read again"
        appearance.report("note", text)
        manager?.hasReloaded(text)
        return nil
      }
      (file, reading) = found
    } catch {
      clear(showsLine)
      appearance.report("warning", "\(error.message); the patch plays on as it was")
      manager?.hasReloaded("as before a reload that was refused: \(error.message)")
      return nil
    }
    do throws(LivePatch.Refusal) {
      let (changes, isOwn) = try take(file, reading, by: origin)
      watchSubgraphs()
      control?.note(changes, by: origin)
      if !isOwn || !changes.isEmpty { report(changes, showsLine) }
      manager?.hasReloaded("reloaded with \(counted(changes.count, "change"))")
    } catch {
      clear(showsLine)
      switch error {
      case .wrong(let patch):
        control?.note(refused: patch, by: origin)
        appearance.report(patch)
        appearance.report("note", "the patch plays on as it was")
        manager?.hasReloaded("as before a reload that was refused: \(patch.mainFindingLine)")
      case .restart(let next, let changes):
        report(changes, showsLine)
        return next
      }
    }
    return nil
  }

  /// Plays a patch that was read, and reports whether `ctl save` wrote it. A patch that `ctl save`
  /// wrote plays already: only files of its sub-graphs can differ.
  func take(
    _ file: PatchFile, _ reading: PatchReader.Result, by origin: ControlOrigin
  ) throws(LivePatch.Refusal) -> (changes: [PatchChange], isOwn: Bool) {
    let live = stage.live
    guard let control else { return (try live.play(reading), false) }
    return try control.exclusively { () throws(LivePatch.Refusal) in
      if origin == .file, control.file.isOwn(file.source.bytes) {
        return (try live.play(live.reading), true)
      }
      let before = live.reading
      do throws(LivePatch.Refusal) {
        let changes = try live.play(reading)
        control.file.follow(file, reading)
        control.keep(changes, by: origin, from: before, to: live.reading)
        return (changes, false)
      } catch {
        if case .restart(let next, let changes) = error {
          control.file.follow(file, reading)
          control.keep(changes, by: origin, from: before, to: next)
        }
        throw error
      }
    }
  }

  /// Watches the files of sub-graphs, too. One that cannot be watched is read when the patch's own
  /// file changes.
  func watchSubgraphs() {
    for path in stage.live.subgraphFiles {
      do throws(CommandFailure) { try files?.add(path) } catch { continue }
    }
  }

  /// Reports the changes and how they sound.
  func report(_ changes: [PatchChange], _ showsLine: Bool) {
    guard !quiet else { return }
    clear(showsLine)
    guard !changes.isEmpty else {
      return appearance.report("note", "the patch was read again, and says the same")
    }
    for change in changes.prefix(8) {
      appearance.report("note", "\(change.text) (\(change.heard.words))")
    }
    if changes.count > 8 { appearance.report("note", "and \(changes.count - 8) changes more") }
  }
}
