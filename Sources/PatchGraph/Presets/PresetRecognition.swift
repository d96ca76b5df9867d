import Diagnostics
import PatchSyntax

/// Recognizes presets, even those with mistakes, among the files that patches name as presets. As
/// with sub-graphs, diagnostics never show the text of any other file.
enum PresetRecognition {
  /// Whether a text is an object that names a component, and has more keys of a preset than others.
  static func isPreset(_ source: SourceText) -> Bool {
    let isMarked = source.bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let first = source.bytes.dropFirst(isMarked ? 3 : 0).first {
      ![0x09, 0x0A, 0x0D, 0x20].contains($0)
    }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "/"),
      let root = JSONReader.read(source, dialect: .init(fileName: source.name)).tree?.root,
      root.kind == .object
    else { return false }
    let names = root.members.compactMap(\.key.string)
    let known = Set(PatchGrammar.preset.keys)
    return names.contains("component") && 2 * names.count(where: known.contains) > names.count
  }
}
