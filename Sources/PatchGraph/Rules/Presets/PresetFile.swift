public import AudioTypes

extension NameRules {
  /// A node's preset names a file that can be read.
  public static let presetFile = Rule(
    "PR0234", "preset/file",
    "a node's preset names a preset that can be read",
    statuses: [.fileNotFound, .filePermission, .invalidFile], isStatusUsual: false,
    page: .init(
      "A node's \"preset\" names a preset that can be read.",
      because: """
        Its path is relative to the patch that it is written in. `patchrun preset save` makes such a
        file of a node: an object with the unit's name and what it is set to. What is wrong in it is
        said of its own lines; of a file that is no preset nothing is shown.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.preset, wrong: ["parts/voice.json": "parts/voyce.json"])))
}
