import Glibc

/// Looks at folders that the user names, to find files in them.
public enum FolderListing {
  /// The names in a folder, in no order, with `.` and `..`. Each name is a text that means one file
  /// (`SystemPath`).
  ///
  /// - Throws: The system's reason, where the folder cannot be read.
  public static func names(in path: String) throws(FileRefusal) -> [String] {
    guard let folder = unsafe opendir(SystemPath(path).c) else { throw FileRefusal(errno: errno) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      names.append(
        unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          unsafe SystemPath(bytes: bytes.prefix { $0 != 0 }).text
        })
    }
    return names
  }

  /// Whether a path leads to a folder, links followed.
  public static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(SystemPath(path).c, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a path ends in a symbolic link.
  public static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(SystemPath(path).c, &status) == 0 && status.isLink
  }

  /// Whether a name matches a pattern with `*`, `?` and `[…]`, as in a shell.
  public static func matches(_ name: String, _ pattern: String) -> Bool {
    // In the C locale a wildcard would stand for a byte, and not for a character.
    let before = unsafe uselocale(unicode)
    defer { _ = unsafe uselocale(before) }
    return unsafe fnmatch(pattern, name, FNM_PERIOD) == 0
  }

  // Made once, and never changed or freed.
  private nonisolated(unsafe) static let unicode = unsafe newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

  /// Whether a path leads to anything, links followed.
  public static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(SystemPath(path).c, &status) == 0
  }
}

extension CommandLine {
  /// The arguments of the program, each as a text that means one path (`SystemPath`), so that a
  /// name that is not UTF-8 is not lost.
  public static var argumentTexts: [String] {
    (0..<Int(argc)).compactMap { index in
      guard let argument = unsafe unsafeArgv[index] else { return nil }
      return unsafe SystemPath(cString: argument).text
    }
  }
}
