package import AudioTypes

/// A tap replaces only files that patchrun has written.
package enum TakesOwn {
  package static let rule = Rule(
    "PR0719", "tap/own-file",
    "a tap replaces nothing that patchrun has not written",
    statuses: [.filePermission],
    page: .init(
      "A tap replaces nothing that patchrun has not written.",
      because: """
        A patch may come from anybody, and a path may be misspelt. A file that patchrun has written says
        so: WAV, RF64, AIFF, CAF, FLAC, Ogg, Opus and MP3 files name it as their software, pictures end with
        it, and all have the extended attribute `user.patchrun` where the file system keeps such. A
        Wave64 or AU file has only that: a copy of it is not known any more. `--overwrite` allows it. A
        live run replaces nothing at all: it numbers its takes.
        """,
      example: .patch(ExamplePatches.tapped, wrong: ["mix.wav": "audio/guitar.wav"])))
}
