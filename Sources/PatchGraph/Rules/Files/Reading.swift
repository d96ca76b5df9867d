public import AudioTypes

extension FileRules {
  /// A patch reads regular files, and where it is confined only its own.
  public static let reading = Rule(
    "PR0707", "file/reading",
    "a patch reads regular files, and where it is confined only its own",
    statuses: [.filePermission],
    page: .init(
      "A patch reads regular files and, where it is confined, only those in its folder.",
      because: """
        Whoever wrote a patch need not be whoever runs it. A device or a pipe could keep it waiting for
        ever; the files of `/proc` and `/sys` say what nobody meant to show. With `--confined` a patch stays
        in its own folder, links resolved, and in those that `--allow-path` names: that is how the GitHub
        action and the hooks check it, and what holds for documents that come by a port.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440", with: "\"file\", \"path\": \"audio/guitar.wav\""),
        wrong: ["audio/guitar.wav": "/dev/zero"])))
}
