import Diagnostics

extension Explanation {
  /// PR00xx: the JSON of a patch.
  static let syntaxPages: [Explanation] = [
    Explanation(
      "PR0034",
      "A patch is a text that says what is to be heard. A sound file is played by a callback.",
      because: """
        `patchrun song.wav` is what one types first. A patch names the file instead, and says what it goes
        through. WAV, AIFF, FLAC, Ogg, MP3, CAF, AU, M4A and WavPack are recognized by their first bytes;
        `patchrun new one-callback` prints a patch to begin with.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8),
        shownAs: "(the bytes of a WAV file)")),
    Explanation(
      "PR0031", "A string, and a key, begins with a double quote.",
      because: """
        Without it everything behind it up to the next quote is read as the wrong thing. patchrun looks
        for the one edit that makes sense of the text, so that a quote that is missing is one error; other
        JSON readers stop somewhere behind it.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"component\": \"remoteIO\"": "\"component\": remoteIO\""])
    ),
    Explanation(
      "PR0032", "A double quote begins a string or ends one. Inside of one it is written \\\".",
      because: """
        A quote too many ends a string early, and what was meant as its rest has no place. Mostly it is
        left over from an edit, or a word in a title was to stand in quotes.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"to\": \"io\" }": "\"to\": \"io\" \"}"])),
    Explanation(
      "PR0033", "A bracket that closes something has one that opens it.",
      because: """
        A '{' or '[' that was deleted leaves its other half behind. patchrun says where one is missing when
        putting it there makes sense of the whole text.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"nodes\": {": "\"nodes\":"])),
    Explanation(
      "PR0001", "A patch is one JSON value, an object. An empty file has none.",
      because: """
        Mostly the file was saved before it was written, or a command in a pipe put out nothing:
        `generate | patchrun validate -` reports the generator's failure in this way.
        """,
      example: .patch(ExamplePatches.tone, wrongBytes: [], shownAs: "(an empty file)")),
    Explanation(
      "PR0002", "The text of a patch is UTF-8, as RFC 8259 demands.",
      because: """
        Bytes of another encoding have no meaning as text. Names that were read from them would not
        match those typed elsewhere, and paths would lead to no file. The diagnostic names the
        encoding where it can be recognized: UTF-16 and UTF-32.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array("{ \"title\": \"Caf".utf8) + [0xE9]
          + Array("\", \"nodes\": { \"io\": { \"component\": \"remoteIO\" } } }".utf8),
        shownAs: """
          { "title": "Caf\\xE9", "nodes": { "io": { "component": "remoteIO" } } }

          (\\xE9 stands for the one byte that é is in ISO 8859-1)
          """)),
    Explanation(
      "PR0003", "A patch begins with its first character, not with a byte order mark.",
      because: """
        Some editors put U+FEFF in front of UTF-8. RFC 8259 forbids it, and many other JSON readers
        refuse the file. patchrun reads it all the same.
        """,
      example: .patch(
        ExamplePatches.tone, wrongBytes: [0xEF, 0xBB, 0xBF] + Array(ExamplePatches.tone.utf8),
        shownAs: "\\uFEFF" + ExamplePatches.tone)),
    Explanation(
      "PR0004", "Comments stand in files that end in .jsonc. In a .json file there are none.",
      because: """
        Strict JSON has no comments, and other tools that read the patch would stop at one. Every
        object of a patch takes a "comment" instead, which all of them can read.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"comment\": \"A440\",\n  \"str"),
        wrong: ["\"comment\": \"A440\",": "// A440"])),
    Explanation(
      "PR0005", "The last value before a closing bracket has no comma behind it.",
      because: """
        It is left over where the last line of a list was taken out. Strict JSON forbids it; .jsonc
        files may have it.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\" }": "\"to\": \"io\" },"])),
    Explanation(
      "PR0006", "Two values beside each other have a comma between them.",
      because: """
        Without it nobody can tell where one ends. Mostly a line was added at the end of a list and
        the one before it has none; or a string has a quote inside that is not escaped.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"frequency\"": "\"frequency\" ", "\"tone\", ": "\"tone\" "])),
    Explanation(
      "PR0007", "A comma follows a value. It does not stand alone.",
      because: "Two commas in a row have a value between them that was forgotten, or one too many.",
      example: .patch(ExamplePatches.tone, wrong: ["44100 },": "44100 },,"])),
    Explanation(
      "PR0008", "A key and its value have one colon between them.",
      because: "`=` and `=>` are other languages' way of writing it.",
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\":": "\"kind\" ="])),
    Explanation(
      "PR0009", "Each key has a value.",
      because: """
        A key with nothing behind it leaves open what was meant: to leave a setting out, leave the
        key out as well.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"frequency\": 440": "\"frequency\":"])),
    Explanation(
      "PR0010", "A key is a string in double quotes.",
      because: "JavaScript and JSON5 allow it bare; JSON does not.",
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\"": "kind"])),
    Explanation(
      "PR0011", "A string stands in straight double quotes: \"so\".",
      because: """
        Single quotes are other languages', and curly ones come from word processors and web pages
        that a patch was copied from.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\"": "'remoteIO'"])),
    Explanation(
      "PR0012", "A string ends on the line on which it begins.",
      because: """
        Without its closing quote a string would swallow the rest of the document. A line end inside
        of a string is written \\n.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\" }": "\"remoteIO }"])),
    Explanation(
      "PR0013", "Control characters inside a string are escaped: \\t, \\n, \\u0000.",
      because: "They are invisible, and RFC 8259 forbids them. A tab in a path is hardly meant.",
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"title\": \"A\\t440\",\n  \"str"),
        wrongBytes: Array(
          ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"title\": \"A\t440\",\n  \"str")
            .utf8),
        shownAs: ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"A→440\",\n  \"str") + "\n\n(→ stands for a tab)")),
    Explanation(
      "PR0014", "A backslash in a string begins one of JSON's escapes.",
      because: """
        They are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits. The usual
        cause is a path with backslashes: write slashes.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"guitar/beat\",\n  \"str"),
        wrong: ["guitar/beat": "guitar\\drums"])),
    Explanation(
      "PR0015", "An escaped surrogate has its other half behind it.",
      because: """
        Characters beyond U+FFFF are two escapes of UTF-16, \\ud83c\\udfb8 for a guitar. Half of one
        is no character and cannot be written as UTF-8. Write the character itself.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str", with: "{\n  \"title\": \"\\ud83c\\udfb8\",\n  \"str"),
        wrong: ["\\ud83c\\udfb8": "\\ud83c"])),
    Explanation(
      "PR0016", "A number is decimal: 12, -0.5, 1.5e-3.",
      because: """
        JSON has no leading + or zeros, no bare point as in .5, no hexadecimal, no infinity, no
        NaN, and no separators between digits.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["44100": "44_100"])),
    Explanation(
      "PR0017", "A word without quotes is true, false or null.",
      because: """
        Anything else is a string whose quotes are missing, or another language's spelling: True,
        yes, nil.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440",
          with: "\"file\", \"path\": \"audio/guitar.wav\", \"loop\": true"),
        wrong: ["true": "True"])),
    Explanation(
      "PR0018", "Each bracket that is opened is closed.",
      because: """
        The end of the document comes first. By the indentation the diagnostic points to the bracket
        that is most likely meant.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\" } ]\n}": "\"to\": \"io\" } ]"])),
    Explanation(
      "PR0019", "A bracket is closed by its own kind: { by }, [ by ].",
      because: "One of the two is the wrong one, or a bracket between them is missing.",
      example: .patch(ExamplePatches.tone, wrong: ["\"remoteIO\" }": "\"remoteIO\" ]"])),
    Explanation(
      "PR0020", "Behind the document's value there is nothing.",
      because: """
        A document is one value. Two patches in one file, or a closing bracket that stands too early,
        leave a rest that nothing would read.
        """,
      example: .patch(
        ExamplePatches.tone, wrong: ["\"to\": \"io\" } ]\n}": "\"to\": \"io\" } ]\n} {}"])),
    Explanation(
      "PR0021", "Every character stands where JSON has a use for it.",
      because: "A stray one was typed by accident, or is another language's syntax.",
      example: .patch(ExamplePatches.tone, wrong: ["[ { \"from\"": "[ @ { \"from\""])),
    Explanation(
      "PR0022", "Values are nested at most 512 deep.",
      because: """
        A patch needs about 10 levels. The limit keeps a document that was made to do harm from
        exhausting the memory of whoever reads it.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array(
          ("{ \"comment\": " + String(repeating: "[", count: 513)
            + String(repeating: "]", count: 513) + " }").utf8),
        shownAs: "{ \"comment\": [[[[ … 513 brackets … ]]]] }")),
    Explanation(
      "PR0023", "An object has each of its keys once.",
      because: """
        JSON readers do not agree on which of two holds, so the patch would mean one thing here and
        another elsewhere. Of two nodes with one name, one would be gone without a word.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: ["\"frequency\": 440": "\"frequency\": 440, \"frequency\": 880"])),
    Explanation(
      "PR0024", "A document is smaller than 2 GiB.",
      because:
        "Places in the text are counted in 32 bits. The sounds of a patch are files of their own.",
      example: .none("A patch of 2 GiB is too long for a page.")),
    Explanation(
      "PR0025", "Between values stand spaces, tabs and line ends, and no other blanks.",
      because: """
        A no-break space or a blank of another script looks like a space and is not one to JSON. It
        comes from web pages, and from holding a key too long.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrongBytes: Array(
          ExamplePatches.tone.replacing("\"kind\": ", with: "\"kind\":\u{A0}").utf8),
        shownAs: ExamplePatches.tone.replacing("\"kind\": ", with: "\"kind\":␣")
          + "\n\n(␣ stands for a no-break space, U+00A0)")),
  ]
}
