public import AudioTypes

extension FileRules {
  /// A patch writes where it may, and through no link.
  public static let writing = Rule(
    "PR0708", "file/writing",
    "a patch writes where it may, and through no link",
    statuses: [.filePermission],
    page: .init(
      "A patch writes where it may, and through no symbolic link.",
      because: """
        What a tap writes goes to the folder of the patch, to the working folder or to one that
        `--allow-path` names; `--output-dir` says where relative paths begin. A link in a patch's folder may
        have come with the patch, and could lead anywhere.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(ExamplePatches.tapped, wrong: ["\"mix.wav\"": "\"/srv/mix.wav\""])))
}
