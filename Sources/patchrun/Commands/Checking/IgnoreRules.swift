import Diagnostics
import FileAccess

/// The `.patchrunignore` files of a folder and its subfolders. They have the syntax of
/// `.gitignore`.
///
/// A pattern with a slash at its beginning or within is relative to the folder of its file; any
/// other pattern matches names in all folders below. `*`, `?` and `[…]` match parts of a name, `**`
/// any number of folders. A slash at the end restricts a pattern to folders. `!` in front includes
/// a file again. The last line that matches decides.
struct IgnoreRules {
  static let fileName = ".patchrunignore"

  private struct Rule {
    /// The folder of the rule's file, as path components from the folder that the user named.
    var place: [String]
    var parts: [String]
    var isAnchored: Bool
    var isForFolders: Bool
    var isInclusion: Bool
  }

  private var rules: [Rule] = []

  /// Reads the `.patchrunignore` of a folder, if it has one.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder.
  ///   - place: The same folder, as path components from the folder that the user named.
  ///   - tree: The policy for reading below that.
  mutating func read(
    _ folder: String, at place: [String], _ tree: FilePolicy
  ) throws(CommandFailure) {
    let path = folder.hasSuffix("/") ? folder + Self.fileName : "\(folder)/\(Self.fileName)"
    guard FolderListing.exists(path) else { return }
    let source = try PatchFile(path, files: tree).source
    for line in String(decoding: source.bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      var text = line[...]
      while text.last == " " || text.last == "\t" { text.removeLast() }
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      let isInclusion = text.hasPrefix("!")
      if isInclusion || text.hasPrefix("\\") { text.removeFirst() }
      let isForFolders = text.hasSuffix("/")
      if isForFolders { text.removeLast() }
      let isAnchored = text.contains("/")
      let parts = text.split(separator: "/").map(String.init)
      guard !parts.isEmpty else { continue }
      rules.append(
        Rule(
          place: place, parts: parts, isAnchored: isAnchored, isForFolders: isForFolders,
          isInclusion: isInclusion))
    }
  }

  /// Whether the rules exclude a file or folder.
  ///
  /// - Parameter path: Its path components from the folder that the user named.
  func excludes(_ path: [String], isFolder: Bool) -> Bool {
    let last = rules.last { rule in
      guard isFolder || !rule.isForFolders, path.starts(with: rule.place) else { return false }
      let rest = path.dropFirst(rule.place.count)
      return rule.isAnchored
        ? Self.matches(rest, rule.parts[...])
        : rest.last.map { FolderListing.matches($0, rule.parts[0]) } ?? false
    }
    return last.map { !$0.isInclusion } ?? false
  }

  private static func matches(_ names: ArraySlice<String>, _ parts: ArraySlice<String>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    if part == "**" {
      return (0...names.count).contains { matches(names.dropFirst($0), parts.dropFirst()) }
    }
    guard let name = names.first, FolderListing.matches(name, part) else { return false }
    return matches(names.dropFirst(), parts.dropFirst())
  }
}
