import Diagnostics
import PatchSyntax

/// Recognizes patches, even those with mistakes, among the files that patches name as sub-graphs.
///
/// A patch may name any file that its user can read: `.env`, a key, a list of passwords.
/// Diagnostics may show the text of a patch, but never that of any other file.
enum PatchRecognition {
  /// Keys that are typical of patches: at least one must be there.
  private static let signs: Set<String> = ["nodes", "schemaVersion"]
  private static let keys: Set<String> = [
    "$schema", "schemaVersion", "comment", "title", "session", "tempo", "streamFormat",
    "streamFormats", "callbacks", "nodes", "connections", "compensateLatency", "taps", "timeline",
  ]

  /// Whether a text is worth reading as a patch: it begins with a brace, or with a comment.
  private static func mayBePatch(_ bytes: [UInt8]) -> Bool {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let first = bytes.dropFirst(isMarked ? 3 : 0).first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "/")
  }

  /// Whether a text is an object that has nodes or a version, and more keys of a patch than others.
  ///
  /// - Parameter source: The text as it is in the file, before the settings of the patch around it
  ///   are made: they could turn any text into a patch.
  static func isPatch(_ source: SourceText) -> Bool {
    guard mayBePatch(source.bytes),
      let root = JSONReader.read(source, dialect: .init(fileName: source.name)).tree?.root,
      root.kind == .object
    else { return false }
    let names = root.members.compactMap(\.key.string)
    guard names.contains(where: signs.contains) else { return false }
    return 2 * names.count(where: keys.contains) > names.count
  }

  static func message(_ name: String) -> String {
    "\(quoted(name)) is no patch, so that nothing of it is shown"
  }
}
