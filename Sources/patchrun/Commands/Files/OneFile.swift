import Diagnostics
import FileAccess
import PatchGraph

/// Whether two paths lead to one file.
enum OneFile {
  /// However they are spelt: through links, by two names of one file, or to one that is not there yet. What
  /// is no regular file, `/dev/null`, is not overwritten, and never the same.
  static func same(_ left: String, _ right: String) -> Bool {
    guard let one = try? FilePolicy.user.writePlace(left),
      let other = try? FilePolicy.user.writePlace(right)
    else { return left == right }
    return one.isSame(as: other)
  }

  /// Refuses an output that is one of the files that a patch is made of, or writes.
  ///
  /// - Parameters:
  ///   - others: More that must stay as they are.
  ///   - output: `nil` for none.
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
