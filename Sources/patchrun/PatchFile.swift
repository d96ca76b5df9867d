import Diagnostics
import Glibc
import PatchSyntax

/// A patch that was named on the command line, as bytes.
struct PatchFile {
  let source: SourceText
  /// What paths in the patch are relative to; empty for the current folder.
  let directory: String

  /// Reads a file, or standard input for `-`.
  init(_ path: String) throws(CommandFailure) {
    if path == "-" {
      let bytes = try Self.contents(of: 0, "standard input")
      source = SourceText(name: "<stdin>", bytes: bytes)
      directory = ""
      return
    }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.cannotRead(path, errno) }
    defer { close(descriptor) }
    let bytes = try Self.contents(of: descriptor, path)
    source = SourceText(name: path, bytes: bytes)
    directory = Self.directory(of: path)
  }

  /// Everything up to the last slash; empty where there is none.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  func read(_ options: OverrideOptions) -> PatchReader.Result {
    PatchReader.read(source, overrides: options.overrides)
  }

  private static func contents(
    of descriptor: Int32, _ path: String
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count > 0 {
        bytes += block[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw cannotRead(path, errno)
      }
    }
  }

  private static func cannotRead(_ path: String, _ number: Int32) -> CommandFailure {
    let name = quoted(path)
    switch number {
    case ENOENT, ENOTDIR:
      let isWord = !path.contains("/") && !path.contains(".")
      let guess = isWord ? didYouMean(path, among: Patchrun.commandNames) : nil
      return CommandFailure(
        ExitStatus.worldRefused, "there is no file \(name)",
        help: guess.map { ["the name of a command? \($0)"] } ?? [])
    case EISDIR:
      return CommandFailure(
        ExitStatus.worldRefused, "\(name) is a folder, not a patch",
        help: ["'patchrun validate \(path)' takes every patch in it"])
    default:
      return CommandFailure(
        ExitStatus.worldRefused, "\(name) cannot be read: \(systemMessage(number))")
    }
  }
}

/// The patches below a folder: what ends in `.json` or `.jsonc`, by name, hidden ones left out.
enum PatchFolder {
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// What a folder holds, in no order; `nil` with the system's error number where it cannot be read.
  static func names(in path: String) -> [String]? {
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      names.append(
        unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  static func patches(below path: String) throws(CommandFailure) -> [String] {
    guard let all = names(in: path) else {
      throw CommandFailure(
        ExitStatus.worldRefused, "\(quoted(path)) cannot be read: \(systemMessage(errno))")
    }
    let names = all.filter { !$0.hasPrefix(".") }
    var found: [String] = []
    for name in names.sorted() {
      let inside = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      if isFolder(inside) {
        // A link may lead back to where it stands.
        if !isLink(inside) { found += try patches(below: inside) }
      } else if name.hasSuffix(".json") || name.hasSuffix(".jsonc") {
        found.append(inside)
      }
    }
    return found
  }

  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
