import Diagnostics
import FileAccess
import Glibc

/// The patches that the arguments of `validate` and `fmt` name: files, folders, patterns, standard
/// input.
enum PatchPaths {
  /// A path that an argument stands for.
  enum Item: Equatable {
    /// A file to check, and the policy for reading it: restricted to the folder that it was found
    /// in, or the user's own.
    case file(String, FilePolicy)
    /// A file in a folder that is not read, and the reason.
    case leftOut(String, FileRefusal)
    case failure(path: String, CommandFailure)

    var path: String {
      switch self {
      case .file(let path, _), .leftOut(let path, _), .failure(let path, _): path
      }
    }
  }

  /// Reports a note for each file that a folder contains and that is not read.
  static func note(leftOut items: [Item], _ appearance: any Appearance) {
    for case .leftOut(let path, let refusal) in items {
      if case .outsideReadable = refusal {
        appearance.report(
          "note", "\(quoted(path)) is a link that leads out of its folder, and is left out",
          help: ["name it, or what it leads to, if it is to be read"])
      } else {
        appearance.report("note", refusal.message(for: path) + ": it is left out")
      }
    }
  }

  /// The items of all arguments, in their order and without duplicates.
  ///
  /// - Parameter policy: Returns the policy for reading a file that an argument names.
  static func items(
    _ arguments: [String], policy: (String) -> FilePolicy = { _ in .user }
  ) -> [Item] {
    var seen: Set<String> = []
    return arguments.flatMap { argument -> [Item] in
      do throws(CommandFailure) {
        return try files(argument, policy).filter { seen.insert($0.path).inserted }
      } catch {
        return [.failure(path: argument, error)]
      }
    }
  }

  private static func files(
    _ path: String, _ policy: (String) -> FilePolicy
  ) throws(CommandFailure) -> [Item] {
    if path == "-" { return [.file(path, .user)] }
    if FolderListing.isFolder(path) {
      let found = try PatchFolder.patches(below: path, .tree(path))
      guard !found.isEmpty else {
        throw CommandFailure(
          ExitStatus.unavailable, "no file below \(quoted(path)) ends in .json or .jsonc")
      }
      return found
    }
    let pattern = FilePattern(path)
    guard pattern.isPattern, !FolderListing.exists(path) else {
      return [.file(path, policy(path))]
    }
    // Files may be read only below the folder in front of the first wildcard.
    let tree = FilePolicy.tree(pattern.folder)
    let found = pattern.files(where: PatchFolder.isPatch).map { PatchFolder.item($0, tree) }
    guard !found.isEmpty else {
      throw CommandFailure(
        ExitStatus.unavailable,
        "no file that ends in .json or .jsonc matches \(quoted(path))",
        help: ["'*' and '?' stand for a part of a name, '**' for folders"])
    }
    return found
  }

  /// The path in reports: relative to `folder` if it lies below it.
  static func reported(_ path: String, in folder: String) -> String {
    if path == "-" { return "<stdin>" }
    var path = path[...]
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    if path.hasPrefix(prefix) { path = path.dropFirst(prefix.count) }
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    parts.removeAll { $0 == "." }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }

  /// The working directory; empty if it has been deleted.
  static var currentFolder: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard unsafe getcwd(&buffer, buffer.count) != nil else { return "" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
