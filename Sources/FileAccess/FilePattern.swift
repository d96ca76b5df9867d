/// A path with `*`, `?` and `[…]` for parts of a name, and `**` for any number of folders, for
/// users whose shell does not expand them. Hidden names have to be written out.
public struct FilePattern: Sendable, Hashable {
  /// The pattern as it was written.
  public let text: String

  public init(_ text: String) { self.text = text }

  /// Whether it is more than the path of one file.
  public var isPattern: Bool { Self.hasSign(text) }

  private static func hasSign(_ text: some StringProtocol) -> Bool {
    text.contains { "*?[".contains($0) }
  }

  /// The folder in front of the first wildcard, with a slash at its end; empty for the folder that
  /// it begins in.
  public var folder: String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let plain = parts.dropLast().prefix { !Self.hasSign($0) }
    return plain.isEmpty ? "" : plain.joined(separator: "/") + "/"
  }

  /// The files that match, sorted by name; of a path without wildcards, that file if it exists.
  ///
  /// - Parameters:
  ///   - base: The folder that a relative pattern begins in, and that the results are relative to;
  ///     empty for the current one.
  ///   - isWanted: Whether a file with a name is wanted.
  public func files(
    in base: String = "", where isWanted: @escaping (_ name: String) -> Bool = { _ in true }
  ) -> [String] {
    guard isPattern else { return FolderListing.exists(FilePolicy.join(base, text)) ? [text] : [] }
    var search = Search(base: base, isWanted: isWanted)
    let parts = text.split(separator: "/").map(String.init).filter { $0 != "." }
    search.find(parts[...], in: text.hasPrefix("/") ? "/" : "")
    return search.found.sorted()
  }

  private struct Search {
    let base: String
    let isWanted: (String) -> Bool
    var found: Set<String> = []

    mutating func find(_ parts: ArraySlice<String>, in folder: String) {
      guard let part = parts.first else { return }
      let rest = parts.dropFirst()
      if part == "**" {
        // No folder, or one and perhaps more. At the end it means every file below.
        let after = rest.first == "**" ? rest.dropFirst() : rest
        find(after.isEmpty ? ["*"] : after, in: folder)
        for name in names(in: folder) {
          let path = folder + name
          if FolderListing.isFolder(place(path)), !FolderListing.isLink(place(path)) {
            find(parts, in: path + "/")
          }
        }
        return
      }
      let isPattern = FilePattern.hasSign(part)
      let candidates = isPattern ? names(in: folder, hidden: part.hasPrefix(".")) : [part]
      for name in candidates where !isPattern || FolderListing.matches(name, part) {
        let path = folder + name
        if !rest.isEmpty {
          if FolderListing.isFolder(place(path)) { find(rest, in: path + "/") }
        } else if isWanted(name), FolderListing.exists(place(path)),
          !FolderListing.isFolder(place(path))
        {
          found.insert(path)
        }
      }
    }

    private func place(_ path: String) -> String { FilePolicy.join(base, path) }

    private func names(in folder: String, hidden: Bool = false) -> [String] {
      let folder = place(folder)
      let all = (try? FolderListing.names(in: folder.isEmpty ? "." : folder)) ?? []
      return all.filter { hidden ? $0 != "." && $0 != ".." : !$0.hasPrefix(".") }
    }
  }
}
