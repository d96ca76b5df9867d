import Diagnostics
import RenderCallbacks
import RenderTaps

extension Explanation {
  /// PR02xx: names, and what they stand for.
  static let namePages: [Explanation] = [
    Explanation(
      "PR0201",
      "A component is named so that exactly one is found: by its name, or by its type, subtype "
        + "and manufacturer.",
      because: """
        AudioComponentFindNext takes 0 for any code, and then finds the first that fits, which may be
        another one tomorrow. `patchrun units` lists what there is. Units of the desktop and those
        that are not part of iOS 4 are not found.
        """,
      status: .init("kAUGraphErr_InvalidAudioUnit", -10864), note: undocumented,
      example: .patch(
        ExamplePatches.mixer, wrong: ["\"MultichannelMixer\"": "\"MultichannelMixr\""])),
    Explanation(
      "PR0203", "An address names a node or a callback of the patch.",
      because: """
        AUGraphConnectNodeInput answers so when a graph does not know the node. In a patch it is a
        name that was misspelled, or a node that was removed while its connections stayed.
        """,
      status: .init("kAUGraphErr_NodeNotFound", -10860),
      example: .patch(ExamplePatches.tone, wrong: ["\"to\": \"io\"": "\"to\": \"oi\""])),
    Explanation(
      "PR0204", "A stream format that is named is defined under \"streamFormats\".",
      because: "Without its definition the bus would have no format at all.",
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"streamFormat\": {", with: "\"streamFormats\": { \"stereo\": {"
        )
        .replacing("44100 },", with: "44100 } },\n  \"streamFormat\": \"stereo\","),
        wrong: ["\"streamFormat\": \"stereo\"": "\"streamFormat\": \"sterio\""])),
    Explanation(
      "PR0205", "A callback that is defined feeds a bus, or is pulled by one that does.",
      because: """
        It is never called, so it is not heard. Mostly its connection was forgotten.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"callbacks\": { ": "\"callbacks\": { \"hum\": { \"kind\": \"noise\" }, "
        ])),
    Explanation(
      "PR0206", "A connection ends at a node.",
      because: """
        A callback has no input: a host calls it when a bus wants samples. What a processing callback
        pulls is its own \"from\".
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(
        ringModulated,
        wrong: [
          "[ {": "[ { \"from\": \"tone\", \"to\": \"ring\" }, {"
        ])),
    Explanation(
      "PR0207", "A callback has one output, and no buses to choose from.",
      because: "An AURenderCallback fills the one buffer list that it is given.",
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(ExamplePatches.tone, wrong: ["\"from\": \"tone\"": "\"from\": \"tone:1\""])),
    Explanation(
      "PR0208", "A patch uses what this version of patchrun has.",
      because: """
        The format of patches has more than this version can run. Leaving it out in silence would
        let the patch sound different from what it says.
        """,
      example: .none(
        "It takes two files: a patch with a sub-graph whose timeline has an update of its own.")),
    Explanation(
      "PR0209", "The kind of a callback is one that there is.",
      because: """
        They are \(CallbackCatalog.standard.map(\.kind).joined(separator: ", ")). The README has their
        settings, and so has the schema, in an editor.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"kind\": \"tone\"": "\"kind\": \"tune\""])),
    Explanation(
      "PR0210", "The kind of a tap is one that there is.",
      because: """
        They are \(TapCatalog.ofPatches.kinds.map(\.kind).joined(separator: ", ")). The README has their settings,
        and so has the schema, in an editor.
        """,
      example: .patch(tapped, wrong: ["\"record\"": "\"recorder\""])),
    Explanation(
      "PR0211",
      "A setting of a callback or a tap is one that its kind has, with a value of its type and "
        + "range.",
      because: """
        A setting that the kind does not have would be ignored, and a value outside of its range
        would be another sound than the one written. Mistakes in an expression are of this kind too.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["\"frequency\": 440": "\"frequency\": -440"])),
    Explanation(
      "PR0212", "A tap watches an output of a node.",
      because: """
        It is a render notification, and those belong to units (AudioUnitAddRenderNotify). What a
        callback puts out is heard at the unit that it feeds.
        """,
      example: .patch(tapped, wrong: ["\"at\": \"mixer\"": "\"at\": \"tone\""])),
    Explanation(
      "PR0213", "The sample type of a format is float32, int16, int24, int32 or fixed8.24.",
      because: """
        These are the linear PCM that a bus can carry. Compressed formats belong to files and to
        AudioConverter.
        """,
      status: .init("kAudioUnitErr_FormatNotSupported", -10868),
      example: .patch(ExamplePatches.tone, wrong: ["\"float32\"": "\"float64\""])),
    Explanation(
      "PR0214",
      "The fields of an AudioStreamBasicDescription, and a component's flags, are names and "
        + "numbers that exist.",
      because: """
        Core Audio compares the flags bit for bit. One that is unknown, or too large for its field,
        makes a format that no unit takes.
        """,
      status: .init("kAudioUnitErr_FormatNotSupported", -10868),
      .init("kAUGraphErr_InvalidAudioUnit", -10864),
      note: """
        Core Audio documents no status for codes of a component that are none; -10864 is patchrun's choice.
        """,
      example: .patch(
        described, wrong: ["\"kAudioFormatFlagIsPacked\"": "\"kAudioFormatFlagPacked\""])),
    Explanation(
      "PR0215",
      "A ramp of the timeline leads to a parameter of a node of the patch, or to a setting of one of "
        + "its callbacks.",
      because: """
        Parameters can ramp (AudioUnitScheduleParameters), and so can the live settings of callbacks,
        a file's gain or a tone's frequency; properties and the rest of the document cannot. The
        place is that of the parameter or the setting in the patch, whether the patch sets it or not.
        """,
      status: .init("kAudioUnitErr_InvalidParameter", -10878),
      .init("kAUGraphErr_NodeNotFound", -10860),
      note: """
        AUGraph answers -10860 for a node that it does not have; that a ramp of one gets it too is \
        patchrun's choice.
        """,
      example: .patch(timed, wrong: ["/parameters/volume": "/parameters/volum"])),
  ]

  /// A tone, multiplied by a sine.
  static let ringModulated = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone": { "kind": "tone" },
        "ring": { "kind": "ringModulator", "frequency": 90, "from": "tone" }
      },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "ring", "to": "io" } ]
    }
    """

  /// A mixer whose mix is recorded.
  static let tapped = ExamplePatches.mixer(
    with: """
      "taps": { "mix": { "kind": "record", "at": "mixer", "path": "mix.wav" } }
      """)

  /// A tone whose format is written field by field.
  static let described = """
    {
      "streamFormat": {
        "mSampleRate": 44100, "mFormatID": "lpcm",
        "mFormatFlags": [ "kAudioFormatFlagIsSignedInteger", "kAudioFormatFlagIsPacked" ],
        "mBytesPerPacket": 4, "mFramesPerPacket": 1, "mBytesPerFrame": 4,
        "mChannelsPerFrame": 2, "mBitsPerChannel": 16
      },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """
}
