import Diagnostics
import FileAccess
import PatchGraph

/// Whether two paths lead to one file.
enum OneFile {
  /// Compares the files, not the spelling: the paths may go through links, be two names of one
  /// file, or name a file that does not exist yet. A file that is not regular, such as `/dev/null`,
  /// is never the same, because it is not overwritten.
  static func same(_ left: String, _ right: String) -> Bool {
    guard let one = try? FilePolicy.user.writePlace(left),
      let other = try? FilePolicy.user.writePlace(right)
    else { return left == right }
    return one.isSame(as: other)
  }

  /// Throws if the output is a file that the patch reads or writes.
  ///
  /// - Parameters:
  ///   - others: Further files that must not be overwritten.
  ///   - output: The path to write; `nil` for none.
  static func protect(
    _ patch: BuiltPatch, and others: [String?], from output: String?
  ) throws(CommandFailure) {
    guard let output else { return }
    let files = patch.inputFiles + patch.outputFiles + others.compactMap { $0 }
    guard files.contains(where: { same($0, output) }) else { return }
    throw CommandFailure(
      ExitStatus.wrongUsage, "\(quoted(output)) would be overwritten: it is a file of the patch")
  }
}
