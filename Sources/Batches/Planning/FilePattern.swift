import FileAccess

/// A path with `*`, `?` and `[…]` for parts of a name, and `**` for any number of folders. What is hidden has
/// to be written out.
public struct FilePattern: Sendable, Hashable {
  public let text: String

  public init(_ text: String) { self.text = text }

  /// Whether it is more than the path of one file.
  public var isPattern: Bool { text.contains { "*?[".contains($0) } }

  /// The folder in front of the first sign, with a slash at its end; empty for the one it begins in.
  public var folder: String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let plain = parts.dropLast().prefix { part in !part.contains { "*?[".contains($0) } }
    return plain.isEmpty ? "" : plain.joined(separator: "/") + "/"
  }

  /// The files that match, by name, relative to a folder where the pattern is.
  public func files(in base: String) -> [String] {
    guard isPattern else { return FolderListing.exists(FilePolicy.join(base, text)) ? [text] : [] }
    var found: Set<String> = []
    let parts = text.split(separator: "/").map(String.init).filter { $0 != "." }
    find(parts[...], text.hasPrefix("/") ? "/" : "", base, &found)
    return found.sorted()
  }

  private func find(
    _ parts: ArraySlice<String>, _ folder: String, _ base: String, _ found: inout Set<String>
  ) {
    guard let part = parts.first else { return }
    let rest = parts.dropFirst()
    func opened(_ path: String) -> String { FilePolicy.join(base, path) }
    if part == "**" {
      find(rest.isEmpty ? ["*"] : rest, folder, base, &found)
      for name in names(in: opened(folder)) where FolderListing.isFolder(opened(folder + name)) {
        guard !FolderListing.isLink(opened(folder + name)) else { continue }
        find(parts, folder + name + "/", base, &found)
      }
      return
    }
    let isPattern = part.contains { "*?[".contains($0) }
    let candidates = isPattern ? names(in: opened(folder)) : [part]
    for name in candidates where !isPattern || Self.matches(Array(name)[...], Array(part)[...]) {
      let path = folder + name
      if rest.isEmpty {
        if FolderListing.exists(opened(path)), !FolderListing.isFolder(opened(path)) {
          found.insert(path)
        }
      } else if FolderListing.isFolder(opened(path)) {
        find(rest, path + "/", base, &found)
      }
    }
  }

  private func names(in folder: String) -> [String] {
    let all = (try? FolderListing.names(in: folder.isEmpty ? "." : folder)) ?? []
    return all.filter { !$0.hasPrefix(".") }
  }

  /// Whether a name is what a pattern of one says.
  static func matches(_ name: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
    guard let sign = pattern.first else { return name.isEmpty }
    if sign == "*" {
      let rest = pattern.dropFirst()
      var tail = name
      while true {
        if matches(tail, rest) { return true }
        guard tail.popFirst() != nil else { return false }
      }
    }
    guard let first = name.first else { return false }
    if sign == "[", let close = pattern.dropFirst(2).firstIndex(of: "]") {
      var set = pattern[(pattern.startIndex + 1)..<close]
      let isNegated = set.first == "!" || set.first == "^"
      if isNegated { set.removeFirst() }
      var isIn = false
      while let low = set.popFirst() {
        if set.first == "-", set.count > 1 {
          set.removeFirst()
          if let high = set.popFirst(), low <= high, (low...high).contains(first) { isIn = true }
        } else if low == first {
          isIn = true
        }
      }
      return isIn != isNegated && matches(name.dropFirst(), pattern[(close + 1)...])
    }
    return (sign == "?" || sign == first) && matches(name.dropFirst(), pattern.dropFirst())
  }
}
