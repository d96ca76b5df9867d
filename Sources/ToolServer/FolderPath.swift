/// Paths that an assistant names: all of them lead into the folder that the server was started for.
enum FolderPath {
  /// - Throws: Where the path leads out by its text. What links lead out is for the program that opens it
  ///   (`--confined`).
  static func checked(_ path: String, _ name: String) throws(ToolProblem) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw ToolProblem("'\(name)' is a path") }
    guard !path.hasPrefix("/") else {
      throw ToolProblem("'\(name)' is relative to the folder of the server: leave the '/' out")
    }
    guard !path.split(separator: "/").contains("..") else {
      throw ToolProblem("'\(name)' stays in the folder of the server: it has no '..'")
    }
    // So that it is no option, and no standard input.
    return path.hasPrefix("-") ? "./" + path : path
  }
}
