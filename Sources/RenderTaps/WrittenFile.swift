import AudioTypes
package import FileAccess
package import RenderCore

extension FilePolicy {
  /// Why a tap may not write a file, whatever the disk says; `nil` for no reason. `-` is standard
  /// output, and no file.
  package func problem(writing path: String) -> CallbackProblem? {
    guard isOfPatch, path != "-", !path.isEmpty else { return nil }
    do throws(FileRefusal) {
      _ = try writePlace(path)
      return nil
    } catch {
      guard error.isOfPolicy else { return nil }
      return CallbackProblem(
        .unwritable, status: .filePermission, error.message(for: path), help: error.help,
        setting: "path")
    }
  }
}
