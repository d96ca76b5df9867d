import Diagnostics

extension Explanation {
  private static let invalidConnection = Diagnostic.Status("kAUGraphErr_InvalidConnection", -10861)
  private static let parameterError = Diagnostic.Status("kAudio_ParamError", -50)

  /// PR07xx: callbacks and taps.
  static let callbackPages: [Explanation] = [
    Explanation(
      "PR0701",
      "A callback can feed its bus: its files are there, and its settings fit the format.",
      because: """
        A callback that cannot open its file has only silence to give. It is found before the graph
        starts, for the format that the bus has then: a tone of 30 kHz fits a bus of 96 kHz and not
        one of 44.1. Paths are relative to the patch. Of a native callback only the file is looked at:
        what its library says of itself is known when `run` or `render` has loaded it, and no sooner.
        """,
      status: .init("kAudio_FileNotFoundError", -43),
      .init("kAudio_FilePermissionError", -54),
      .init("kAudioFileUnsupportedFileTypeError", 1_954_115_647),
      .init("kAudioFileUnsupportedDataFormatError", 1_718_449_215),
      .init("kAudioFileInvalidFileError", 1_685_348_671),
      .init("kAudioUnitErr_InvalidFile", -10871),
      .init("kAudioUnitErr_FormatNotSupported", -10868),
      .init("kAudioUnitErr_FailedInitialization", -10875),
      .init("kAudioUnitErr_Unauthorized", -10847), parameterError,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440", with: "\"file\", \"path\": \"audio/guitar.wav\""),
        wrong: ["audio/guitar.wav": "audio/no-such-file.wav"])),
    Explanation(
      "PR0558",
      "What is ramped of a callback can ramp while it plays, and may have the value that it goes to.",
      because: """
        Some settings of callbacks are turned while they play, as the parameters of units are: a gain,
        a frequency, an echo's delay, the constants of an expression. They go there in a straight
        line, and the sound goes on. Others are one value or another, or make another sound of it: a
        file's path, the shape of a wave. An update of the timeline sets those, and the one sound
        fades into the other. The table of callbacks in the README says which is which.
        """,
      status: .init("kAudioUnitErr_InvalidParameter", -10878), parameterError,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\n}",
          with: """
            ,
              "timeline": [
                {
                  "at": 1,
                  "ramp": { "path": "/callbacks/tone/frequency", "to": 880, "duration": 2 }
                }
              ]
            }
            """),
        wrong: ["/callbacks/tone/frequency": "/callbacks/tone/phase"])),
    Explanation(
      "PR0702", "A tap can watch its bus, and write its file.",
      because: """
        A tap hears what a node puts out. What an I/O unit gives to the loudspeaker leaves the graph:
        watch the node that feeds it. The extension of the path says the type of a recording, and whether
        a picture is an SVG or a PNG. Loudness is defined for one to six channels; a spectrum is made
        of a number of frames that a transform takes quickly, of a channel that the bus has. A picture
        has the settings of what it shows, and room for sixteen channels.
        """,
      status: .init("kAudioFileUnsupportedFileTypeError", 1_954_115_647),
      .init("kAudioFileUnsupportedDataFormatError", 1_718_449_215),
      .init("kAudioUnitErr_InvalidElement", -10877),
      .init("kAudioUnitErr_FormatNotSupported", -10868), .init("kAudio_FileNotFoundError", -43),
      .init("kAudio_FilePermissionError", -54), parameterError, note: undocumented,
      example: .patch(tapped, wrong: ["\"mix.wav\"": "\"mix.xyz\""])),
    Explanation(
      "PR0703", "What a tap writes, a recording or a picture, has a file of its own.",
      because:
        "Two that write to one file would overwrite each other, and neither could be used.",
      example: .patch(
        tapped.replacing(
          "\"taps\": { \"mix\"",
          with:
            "\"taps\": {\n    \"again\": { \"kind\": \"record\", \"at\": \"mixer\", \"path\": \"again.wav\" },\n    \"mix\""
        )
        .replacing("\"mix.wav\" } }", with: "\"mix.wav\" }\n  }"),
        wrong: ["again.wav": "mix.wav"])),
    Explanation(
      "PR0704", "A callback that processes is given something to pull, and no other is.",
      because: """
        The guide's callback between two units calls AudioUnitRender on the one in front of it. With
        nothing to pull it would process silence; one that makes its own sound would never hear what
        it is given.
        """,
      status: .init("kAudioUnitErr_NoConnection", -10876), invalidConnection, note: undocumented,
      example: .patch(
        ringModulated.replacing("\"ring\"", with: "\"wave\"").replacing(
          "\n    \"tone\": { \"kind\": \"tone\" },", with: ""
        ).replacing(
          "\"ringModulator\", \"frequency\": 90, \"from\": \"tone\"",
          with: "\"tremolo\", \"from\": \"io:1\""
        ).replacing(
          "{ \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            {
                "io": {
                  "component": "remoteIO",
                  "inputs": { "1": { "properties": { "enableIO": true } } }
                }
              }
            """),
        wrong: [", \"from\": \"io:1\"": ""])),
    Explanation(
      "PR0705",
      "A processing callback feeds a bus with the rate and the channels of the output that it pulls.",
      because: """
        It hands on frame for frame and channel for channel what AudioUnitRender gave it, into the
        buffers of its own bus. With other rates or channels there is nothing to put into some of
        them. A FormatConverter changes either.
        """,
      status: .init("kAudioUnitErr_FormatNotSupported", -10868), note: undocumented,
      example: .patch(
        between,
        wrong: [
          "\"channels\": 2, \"sampleRate\": 44100 } } }\n":
            "\"channels\": 1, \"sampleRate\": 44100 } } }\n"
        ])),
    Explanation(
      "PR0706", "Callbacks do not pull each other in a circle.",
      because: "Each would ask the next for ever. An `echo` feeds back by itself, after a delay.",
      status: invalidConnection, note: undocumented,
      example: .patch(
        ringModulated.replacing(
          "\"kind\": \"tone\" }",
          with: "\"kind\": \"tone\" },\n    \"wave\": { \"kind\": \"tremolo\", \"from\": \"tone\" }"
        ).replacing("90, \"from\": \"tone\"", with: "90, \"from\": \"wave\""),
        wrong: [
          "\"tremolo\", \"from\": \"tone\"": "\"tremolo\", \"from\": \"ring\"",
          "\"tone\": { \"kind\": \"tone\" },\n    ": "",
        ])),
    Explanation(
      "PR0707",
      "A patch reads regular files and, where it is confined, only those in its folder.",
      because: """
        Whoever wrote a patch need not be whoever runs it. A device or a pipe could keep it waiting for
        ever; the files of `/proc` and `/sys` say what nobody meant to show. With `--confined` a patch stays
        in its own folder, links resolved, and in those that `--allow-path` names: that is how the GitHub
        action and the hooks check it, and what holds for documents that come by a port.
        """,
      status: .init("kAudio_FilePermissionError", -54), note: undocumented,
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"tone\", \"frequency\": 440", with: "\"file\", \"path\": \"audio/guitar.wav\""),
        wrong: ["audio/guitar.wav": "/dev/zero"])),
    Explanation(
      "PR0708", "A patch writes where it may, and through no symbolic link.",
      because: """
        What a tap writes goes to the folder of the patch, to the working folder or to one that
        `--allow-path` names; `--output-dir` says where relative paths begin. A link in a patch's folder may
        have come with the patch, and could lead anywhere.
        """,
      status: .init("kAudio_FilePermissionError", -54), note: undocumented,
      example: .patch(tapped, wrong: ["\"mix.wav\"": "\"/srv/mix.wav\""])),
  ]

  /// A tremolo between a mixer and the loudspeaker.
  private static let between = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone": { "kind": "tone" },
        "wave": { "kind": "tremolo", "from": "mixer" }
      },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": {
          "component": "remoteIO",
          "inputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } } }
        }
      },
      "connections": [
        { "from": "tone", "to": "mixer" },
        { "from": "wave", "to": "io" }
      ]
    }
    """
}
