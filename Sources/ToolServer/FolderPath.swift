/// Checks the paths that an assistant names: all are relative to the folder that the server was
/// started for.
enum FolderPath {
  /// - Throws: ``ToolProblem`` if the text of the path leads out of the folder. The program that
  ///   opens the file checks the links (`--confined`).
  static func checked(_ path: String, _ name: String) throws(ToolProblem) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw ToolProblem("'\(name)' is a path") }
    guard !path.hasPrefix("/") else {
      throw ToolProblem("'\(name)' is relative to the folder of the server: leave the '/' out")
    }
    guard !path.split(separator: "/").contains("..") else {
      throw ToolProblem("'\(name)' stays in the folder of the server: it has no '..'")
    }
    // A leading dash would be an option, or standard input.
    return path.hasPrefix("-") ? "./" + path : path
  }
}
