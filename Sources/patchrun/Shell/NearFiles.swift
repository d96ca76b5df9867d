import Diagnostics
import FileAccess

/// Finds files with a name similar to a path that does not exist.
enum NearFiles {
  /// For example `did you mean 'patches/eq-mixer.json'?`, or `nil`.
  static func help(toFind path: String) -> String? {
    guard !path.isEmpty, path != "-", path.utf8.count < 1024 else { return nil }
    for ending in [".json", ".jsonc", ".patchrun.json"] where FolderListing.exists(path + ending) {
      return didYouMean(path + ending)
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    if !folder.isEmpty, !FolderListing.isFolder(folder) {
      return FolderListing.exists("patches/" + path)
        ? didYouMean("patches/" + path) : "there is no folder \(quoted(String(folder.dropLast())))"
    }
    let names = (try? FolderListing.names(in: folder.isEmpty ? "." : folder)) ?? []
    let patches = names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".jsonc") }.sorted()
    // Compared without endings, which are the same in all.
    let bases = patches.map { PatchFile.baseName(of: $0) }
    if let near = nearMisses(to: PatchFile.baseName(of: name), among: bases).first,
      let place = bases.firstIndex(of: near)
    {
      return didYouMean(folder + patches[place])
    }
    return FolderListing.exists("patches/" + path) ? didYouMean("patches/" + path) : nil
  }

  private static func didYouMean(_ path: String) -> String { "did you mean \(quoted(path))?" }
}
