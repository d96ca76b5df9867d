public import AudioTypes

extension SyntaxRules {
  /// A patch is a text, and not a sound file.
  public static let soundFile = Rule(
    "PR0034", "json/sound-file",
    "a patch is a text, and a sound file is played by one",
    page: .init(
      "A patch is a text that says what is to be heard. A sound file is played by a callback.",
      because: """
        `patchrun song.wav` is what one types first. A patch names the file instead, and says what it goes
        through. WAV, AIFF, FLAC, Ogg, MP3, CAF, AU, M4A and WavPack are recognized by their first bytes;
        `patchrun new one-callback` prints a patch to begin with.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8),
        shownAs: "(the bytes of a WAV file)")))
}
