import AudioTypes
package import FileAccess
package import RenderCore

extension FilePolicy {
  /// Why the policy does not let a tap write a file; `nil` where it does. `-` is standard output,
  /// which no policy forbids.
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
