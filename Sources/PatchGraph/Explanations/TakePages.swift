import Diagnostics

extension Explanation {
  /// PR0717 to PR0719: files that are whole, and takes that are not destroyed.
  static let takePages: [Explanation] = [
    Explanation(
      "PR0717", "A sound file that is played has all the frames that its header promises.",
      because: """
        A copy that was broken off and a recorder that was killed leave files whose header promises more
        than there is. Of linear samples what there is of them is played, and the sound ends there. A
        compressed file is found out where it ends: `render` fails there with exit 4, or goes on with
        silence where `--on-read-error silence` says so; a live run goes on with silence and says what
        is missing. `patchrun recover FILE` makes a whole file of what there is.
        """,
      status: .init("kAudioUnitErr_InvalidFile", -10871), note: undocumented,
      example: .none("It is the file that is wrong, and not the patch.")),
    Explanation(
      "PR0718", "In the path of what a tap writes, the words in braces are date, time and take.",
      because: """
        `{date}` is the day on which the run began, `2026-11-22`, `{time}` its hour, minute and second,
        `14-05-09`, where it runs, and `{take}` the first number from 1 up that no file has: a folder of
        takes sorts itself. A brace is written twice: `{{`. `{take}` counts files, so that it stands in
        the name of the file.
        """,
      status: .init("kAudio_ParamError", -50), note: undocumented,
      example: .patch(
        tapped.replacing("mix.wav", with: "mix {date} {take}.wav"), wrong: ["{take}": "{tak}"])),
    Explanation(
      "PR0719", "A tap replaces nothing that patchrun has not written.",
      because: """
        A patch may come from anybody, and a path may be misspelt. A file that patchrun has written says
        so: WAV, RF64, AIFF, CAF, FLAC, Ogg, Opus and MP3 files name it as their software, pictures end with
        it, and all have the extended attribute `user.patchrun` where the file system keeps such. A
        Wave64 or AU file has only that: a copy of it is not known any more. `--overwrite` allows it. A
        live run replaces nothing at all: it numbers its takes.
        """,
      status: .init("kAudio_FilePermissionError", -54),
      example: .patch(tapped, wrong: ["mix.wav": "audio/guitar.wav"])),
  ]
}
