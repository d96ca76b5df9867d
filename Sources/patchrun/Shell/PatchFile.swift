import CShims
import Diagnostics
import FileAccess
import Glibc
import PatchSyntax

/// A patch's file from the command line, read as bytes.
struct PatchFile {
  let source: SourceText
  /// The folder that paths in the patch are relative to; empty for the current folder.
  let directory: String
  /// The limits of the patch.
  let limits: PatchLimits
  /// Whether it exceeds the limit of bytes: then `source` is empty.
  private let isTooLarge: Bool

  /// Reads a file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - files: The policy for opening it; `.user` follows links.
  ///   - limits: The limits of the patch; `nil` for a file that is no patch.
  init(
    _ path: String, files: FilePolicy = .user, limits: PatchLimits? = nil
  ) throws(CommandFailure) {
    let most = limits?.bytes ?? Self.mostBytes
    self.limits = limits ?? .standard
    if path == "-" {
      let bytes = try Self.contents(of: 0, "standard input", upTo: most)
      isTooLarge = limits != nil && bytes.count > most
      source = SourceText(name: "<stdin>", bytes: isTooLarge ? [] : bytes)
      directory = ""
      return
    }
    directory = FilePolicy.folder(of: path)
    // The path of a process substitution, `<(command)`.
    if let descriptor = Self.ownDescriptor(path) {
      let bytes = try Self.contents(of: descriptor, path, upTo: most)
      isTooLarge = limits != nil && bytes.count > most
      source = SourceText(name: path, bytes: isTooLarge ? [] : bytes)
      return
    }
    do throws(FileRefusal) {
      let file = try files.open(path)
      if file.size <= most { Self.expectMemory(forBytes: file.size) }
      source = SourceText(name: path, bytes: try file.read(limit: most))
      isTooLarge = false
    } catch {
      guard limits != nil, case .tooLarge = error else { throw Self.cannotRead(path, error) }
      source = SourceText(name: path, bytes: [])
      isTooLarge = true
    }
  }

  /// The size limit of other files. The reader reports larger documents: see PR0001.
  private static let mostBytes = 1 << 31

  /// The open descriptor of a path in `/dev/fd`.
  private static func ownDescriptor(_ path: String) -> Int32? {
    if path == "/dev/stdin" { return 0 }
    guard path.hasPrefix("/dev/fd/") else { return nil }
    return Int32(path.dropFirst("/dev/fd/".count))
  }

  /// The name of a patch: its file name without the ending.
  static func baseName(of path: String) -> String {
    var name = path.split(separator: "/").last ?? ""
    for ending in [".json", ".jsonc"] where name.hasSuffix(ending) && name.count > ending.count {
      name = name.dropLast(ending.count)
    }
    return String(name)
  }

  func read(_ options: OverrideOptions) -> PatchReader.Result { read(options.overrides) }

  func read(_ overrides: [String] = []) -> PatchReader.Result {
    Self.expectMemory(forBytes: source.bytes.count)
    return isTooLarge
      ? PatchReader.tooLarge(name: source.name, limits: limits)
      : PatchReader.read(source, overrides: overrides, limits: limits)
  }

  /// The text, the document and the graph of 250 bytes take about 3.5 kB.
  private static func expectMemory(forBytes count: Int) {
    if count >= 1 << 18 { shims_expect_memory(16 * count) }
  }

  /// - Parameter limit: Reading stops after more bytes than this.
  private static func contents(
    of descriptor: Int32, _ path: String, upTo limit: Int
  ) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count > 0 {
        bytes += block[..<count]
        if bytes.count > limit { return bytes }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw cannotRead(path, errno)
      }
    }
  }

  private static func cannotRead(_ path: String, _ number: Int32) -> CommandFailure {
    CommandFailure(
      ExitStatus.unavailable, "\(quoted(path)) cannot be read: \(systemMessage(number))")
  }

  private static func cannotRead(_ path: String, _ refusal: FileRefusal) -> CommandFailure {
    let name = quoted(path)
    func failure(_ message: String, help: String = "") -> CommandFailure {
      CommandFailure(ExitStatus.unavailable, message, help: [help])
    }
    switch refusal {
    case .notFound:
      let isWord = !path.contains("/") && !path.contains(".")
      let guess = isWord ? didYouMean(path, among: Program.commandNames) : nil
      return failure(
        "there is no file \(name)",
        help: guess.map { "the name of a command? \($0)" } ?? NearFiles.help(toFind: path) ?? "")
    case .isFolder:
      return failure(
        "\(name) is a folder, not a patch",
        help: "'patchrun validate \(path)' takes every patch in it")
    case .notRegular(let kind):
      return failure(
        "\(name) is a \(kind.rawValue), not a regular file",
        help: kind == .pipe ? "standard input may be one: '- < \(path)'" : "")
    case .system(let text): return failure("\(name) cannot be read: \(text)")
    case .notPermitted: return failure("\(name) cannot be read: permission denied")
    default: return failure(refusal.message(for: path), help: refusal.help)
    }
  }
}

/// The patches below a folder: files in `.json` or `.jsonc`, sorted by name, without hidden ones.
enum PatchFolder {
  /// - Parameters:
  ///   - path: The folder that the user named, or one in it.
  ///   - tree: The policy for reading below the named folder.
  static func patches(
    below path: String, _ tree: FilePolicy
  ) throws(CommandFailure) -> [PatchPaths.Item] {
    try patches(below: path, tree, at: [], IgnoreRules())
  }

  private static func patches(
    below path: String, _ tree: FilePolicy, at place: [String], _ above: IgnoreRules
  ) throws(CommandFailure) -> [PatchPaths.Item] {
    var rules = above
    try rules.read(path, at: place, tree)
    let all: [String]
    do throws(FileRefusal) { all = try FolderListing.names(in: path) } catch {
      throw CommandFailure(
        ExitStatus.unavailable,
        error == .notPermitted
          ? "\(quoted(path)) cannot be read: permission denied" : error.message(for: path))
    }
    let names = all.filter { !$0.hasPrefix(".") }
    var found: [PatchPaths.Item] = []
    for name in names.sorted() {
      let inside = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      let isFolder = FolderListing.isFolder(inside)
      guard !rules.excludes(place + [name], isFolder: isFolder) else { continue }
      if isFolder {
        // Links are not followed: they may form a cycle or leave the folder.
        if !FolderListing.isLink(inside) {
          found += try patches(below: inside, tree, at: place + [name], rules)
        }
      } else if isPatch(name) {
        found.append(item(inside, tree))
      }
    }
    return found
  }

  /// The keys of a patch, a test file or a preset. A similar key counts too.
  private static let patchKeys = [
    "schemaVersion", "nodes", "connections", "callbacks", "streamFormats", "streamFormat",
    "session",
    "timeline", "taps", "tests", "component",
  ]

  /// The keys that no other kind of document has. For example `version` is similar to `session`,
  /// but common elsewhere.
  private static let distinctiveKeys = ["nodes", "connections", "callbacks", "streamFormats"]

  /// Whether a file is JSON of another kind, such as a `package.json`: none of its keys is, or
  /// resembles, a key of a patch.
  static func isOtherJSON(_ source: SourceText) -> Bool {
    let json = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    guard json.isStructureIntact, let root = json.tree?.root else { return false }
    guard root.kind == .object else { return root.kind == .array }
    let names = root.members.compactMap(\.key.string)
    return !names.isEmpty
      && names.allSatisfy {
        !patchKeys.contains($0) && didYouMean($0, among: distinctiveKeys) == nil
      }
  }

  /// Reports a note that a file in a folder is skipped.
  static func noteOtherJSON(_ path: String, _ appearance: any Appearance) {
    appearance.report(
      "note", "\(quoted(path)) is JSON and no patch: it is left out",
      help: ["a line of \(IgnoreRules.fileName) in its folder leaves it out without a word"])
  }

  static func isPatch(_ name: String) -> Bool {
    name.hasSuffix(".json") || name.hasSuffix(".jsonc")
  }

  /// A file below a folder, or the reason why it is not read.
  static func item(_ path: String, _ tree: FilePolicy) -> PatchPaths.Item {
    if let refusal = tree.refusal(toRead: path) { return .leftOut(path, refusal) }
    return .file(path, tree)
  }
}
