import Diagnostics
import FileAccess

/// What a folder leaves out of the files that are found in it: the lines of its `.patchrunignore`, which has the
/// form of a `.gitignore`.
///
/// A pattern with a slash in front or within is one from its folder on, any other one fits names in all folders
/// below. `*`, `?` and `[…]` stand for parts of a name, `**` for any number of folders; a slash at the end means
/// folders alone, `!` in front takes a file in again, and the last line that fits decides.
struct IgnoreRules {
  static let fileName = ".patchrunignore"

  private struct Rule {
    /// The folder of the file, as names from the folder on that was named first.
    var place: [String]
    var parts: [String]
    var isAnchored: Bool
    var isForFolders: Bool
    var takesIn: Bool
  }

  private var rules: [Rule] = []

  /// Adds the rules of a folder, where it has some.
  ///
  /// - Parameters:
  ///   - folder: Its path.
  ///   - place: The same as names, from the folder on that was named first.
  ///   - tree: What may be read below that.
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
      let takesIn = text.hasPrefix("!")
      if takesIn || text.hasPrefix("\\") { text.removeFirst() }
      let isForFolders = text.hasSuffix("/")
      if isForFolders { text.removeLast() }
      let isAnchored = text.contains("/")
      let parts = text.split(separator: "/").map(String.init)
      guard !parts.isEmpty else { continue }
      rules.append(
        Rule(
          place: place, parts: parts, isAnchored: isAnchored, isForFolders: isForFolders,
          takesIn: takesIn))
    }
  }

  /// Whether a file or folder is left out.
  ///
  /// - Parameter path: Its names, from the folder on that was named first.
  func leaveOut(_ path: [String], isFolder: Bool) -> Bool {
    let last = rules.last { rule in
      guard isFolder || !rule.isForFolders, path.starts(with: rule.place) else { return false }
      let rest = path.dropFirst(rule.place.count)
      return rule.isAnchored
        ? Self.matches(rest, rule.parts[...])
        : rest.last.map { FolderListing.matches($0, rule.parts[0]) } ?? false
    }
    return last.map { !$0.takesIn } ?? false
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
