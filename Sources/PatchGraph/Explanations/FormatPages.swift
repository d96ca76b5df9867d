import Diagnostics

extension Explanation {
  private static let notSupported = Diagnostic.Status("kAudioUnitErr_FormatNotSupported", -10868)

  /// PR04xx: stream formats, and what the units demand of them.
  static let formatPages: [Explanation] = [
    Explanation(
      "PR0401",
      "The fields of an AudioStreamBasicDescription agree with each other: bytes are channels times "
        + "sample size, packets have one frame, the fraction bits fit into the sample.",
      because: """
        Core Audio takes the fields as they are. A known trap is kAudioFormatFlagsAudioUnitCanonical, 8.24
        in 32 bits, together with 16 bits and frames of 2 bytes: Remote I/O was seen to refuse it. The short
        form cannot contradict itself.
        """,
      status: notSupported,
      example: .patch(described, wrong: ["\"mBytesPerFrame\": 4": "\"mBytesPerFrame\": 2"])),
    Explanation(
      "PR0402", "A bus is given a stream format that its unit takes there.",
      because: """
        Each unit says what it takes: a MultichannelMixer mono or stereo, and a stereo output; a
        3DMixer 16-bit integers. AudioUnitSetProperty refuses others. `patchrun units NAME` says what
        a unit takes.
        """,
      status: notSupported,
      example: .patch(
        formatted, wrong: ["\"int16\", \"channels\": 2": "\"int16\", \"channels\": 6"])),
    Explanation(
      "PR0403",
      "A stream format is set where a client may set it: not on the device's own sides, and not on "
        + "an input that a connection feeds.",
      because: """
        A connection carries the format of its source to its destination on initialize, and from then
        on it owns it. Setting the very format that arrives changes nothing and is no mistake, as in Core
        Audio; any other is refused. The formats of the microphone and the loudspeaker themselves are what the
        hardware has; the unit converts between them and yours.
        """,
      status: .init("kAudioUnitErr_PropertyNotWritable", -10865),
      example: .patch(
        ExamplePatches.tone.replacing(
          "\"nodes\": { \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            "nodes": {
                "io": {
                  "component": "remoteIO",
                  "inputs": {
                    "0": { "streamFormat": { "sample": "int16", "channels": 2, "sampleRate": 44100 } }
                  }
                }
              }
            """),
        wrong: ["\"inputs\"": "\"outputs\""])),
    Explanation(
      "PR0404",
      "A bus whose format nothing else decides is given one, by itself or by the patch's "
        + "\"streamFormat\".",
      because: """
        These are the inputs that callbacks feed, the output of an iPod EQ, the output of a converter,
        and outputs/1 of an I/O unit that hears. A callback has no format of its own, and the guide
        demands that they are set. Most designs use one format throughout: say it once, for the
        patch.
        """,
      status: notSupported,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "  \"streamFormat\": { \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": 44100 },\n":
            ""
        ])),
    Explanation(
      "PR0405", "All inputs of a MultichannelMixer that are used run at the rate of its output.",
      because: """
        This mixer converts no rates. A sound at another rate would play at a wrong pitch; put a
        FormatConverter between it and the mixer. The 3DMixer converts the rate of each input by
        itself, and I/O units convert theirs.
        """,
      status: notSupported, note: undocumented,
      example: .patch(
        formatted,
        wrong: [
          "\"channels\": 2, \"sampleRate\": 44100 } }\n":
            "\"channels\": 2, \"sampleRate\": 22050 } }\n"
        ])),
    Explanation(
      "PR0406", "The output of a mixer is given its rate.",
      because: """
        It is the one thing that the guide demands to be set there. Not set, it is 44100 Hz, whatever
        the hardware and the inputs have. The rate alone is enough: its channels and its sample type
        are the mixer's.
        """,
      example: .patch(
        ExamplePatches.space,
        wrong: [
          ",\n          \"outputs\": { \"0\": { \"sampleRate\": 44100 } }": "",
          ",\n      \"outputs\": { \"0\": { \"sampleRate\": 44100 } }": "",
        ])),
    Explanation(
      "PR0407", "The output of an iPod EQ has the format of its input.",
      because: """
        An effect changes the sound and not its format: as many channels leave it as come in, at the
        same rate. Initialize fails otherwise. Convert before it or behind it.
        """,
      status: notSupported,
      example: .patch(
        ExamplePatches.equalizer.replacing(
          "\"presentPreset\": \"Rock\" }",
          with: """
            "presentPreset": "Rock" },
                  "outputs": {
                    "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } }
                  }
            """),
        wrong: [
          "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 2":
            "{ \"streamFormat\": { \"sample\": \"float32\", \"channels\": 1"
        ])),
    Explanation(
      "PR0408", "An iPod EQ runs at 44100 or 48000 Hz.",
      because: """
        Apple's takes only those. This one works at every rate, so that a patch can be tried out; on
        an iPhone it would be refused.
        """,
      example: .patch(
        ExamplePatches.equalizer.replacing("44100", with: "\"session\"").replacing(
          "{\n  \"str",
          with: "{\n  \"session\": { \"preferredSampleRate\": 48000 },\n  \"str"),
        wrong: ["48000": "32000"])),
    Explanation(
      "PR0409", "The destination of a connection takes the format of its source.",
      because: """
        On initialize, AUGraph sets the format of the source's output on the destination's input. If
        the unit does not take it there, the graph is not initialized. A FormatConverter between the
        two changes rate, channels and sample type.
        """,
      status: notSupported, .init("kAudioUnitErr_PropertyNotWritable", -10865),
      example: .patch(
        intoSpace,
        wrong: [
          "{ \"from\": \"eq\", \"to\": \"converter\" },\n    { \"from\": \"converter\", \"to\": \"space\" }":
            "{ \"from\": \"eq\", \"to\": \"space\" }",
          converterNode: "",
        ])),
    Explanation(
      "PR0411", "An iPod EQ has a preset that does something.",
      because: """
        Its preset is \"Disabled\" until another is chosen, number 0 of the list, and the sound goes
        through as it came. \"Flat\", which many expect there, is number 8. Write presets by name.
        """,
      example: .patch(ExamplePatches.equalizer, wrong: [", \"presentPreset\": \"Rock\"": ""])),
    Explanation(
      "PR0421", "A FormatConverter takes a rate down to a 256th at most.",
      because: """
        The filter of a conversion grows with the step down, and beyond that it would be longer than what
        it is good for. Two converters in a row go further. Upwards there is no limit.
        """,
      status: notSupported, note: undocumented,
      example: .patch(
        farDown, wrong: ["\"sampleRate\": 1000 ": "\"sampleRate\": 100 "])),
    Explanation(
      "PR0422",
      "A channel map has an entry for each channel that leaves: the number of a channel that comes "
        + "in, or -1 for silence.",
      because: """
        kAudioOutputUnitProperty_ChannelMap is read channel by channel of the destination. An entry
        too few, or a channel that there is not, leaves open what is to be heard.
        """,
      status: .init("kAudioUnitErr_InvalidPropertyValue", -10851),
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"inputs\": {",
          with:
            "\"outputs\": { \"0\": { \"properties\": { \"channelMap\": [0, 0] } } },\n      \"inputs\": {"
        ),
        wrong: ["[0, 0]": "[0, 1]"])),
    Explanation(
      "PR0423", "A FormatConverter between different numbers of channels has a channel map.",
      because: """
        Without one, channels go straight through: of a mono sound the right side stays silent, of a
        stereo sound only the left one is left. [0, 0] puts mono on both sides.
        """,
      example: .patch(
        ExamplePatches.converter.replacing(
          "\"int16\", \"channels\": 2", with: "\"int16\", \"channels\": 1"
        ).replacing(
          "\"outputs\": {\n        \"0\": {",
          with:
            "\"outputs\": {\n        \"0\": {\n          \"properties\": { \"channelMap\": [0, 0] },\n         "
        ),
        wrong: ["\n          \"properties\": { \"channelMap\": [0, 0] },\n         ": ""])),
    Explanation(
      "PR0425", "Dither is asked of a bus on which samples become integers.",
      because: """
        Dither is noise that is added before samples are rounded. A bus of floats rounds nothing, and an
        input that a connection feeds is given what has been rounded before: ask for it on the output
        that the connection comes from.
        """,
      example: .patch(
        ExamplePatches.converter.replacing(
          "\"inputs\": {\n        \"0\": {",
          with:
            "\"inputs\": {\n        \"0\": {\n          \"properties\": { \"dither\": \"tpdf\" },\n         "
        ),
        wrong: ["\"sample\": \"int16\"": "\"sample\": \"float32\""])),
    Explanation(
      "PR0431", "An input of a 3DMixer is mono, unless its algorithm is stereoPassThrough.",
      because: """
        Only a mono source can stand in one place. Core Audio refuses a stereo stream (QA1695): split
        it into two sources, left and right of the listener, or let it pass as it is.
        """,
      status: notSupported,
      example: .patch(ExamplePatches.space, wrong: ["\"channels\": 1": "\"channels\": 2"])),
    Explanation(
      "PR0432",
      "An input of a 3DMixer with HRTF has the responses of a head, at a rate up to 768000 Hz.",
      because: """
        HRTF filters the sound with what was measured at a listener's ears; the data set comes with
        libmysofa. \"sphericalHead\" computes them instead, and needs no file.
        """,
      status: notSupported, .init("kAudioUnitErr_FailedInitialization", -10875),
      note: undocumented,
      example: .patch(
        headed, wrong: ["\"sphericalHead\"": "\"HRTF\""], hardware: "rate=44100")),
    Explanation(
      "PR0433", "A source with a direction has a distance.",
      because: """
        At distance 0, which is the default, a source is in the middle of the head, and azimuth and
        elevation do nothing (QA1695).
        """,
      example: .patch(ExamplePatches.space, wrong: [", \"distance\": 1": ""])),
  ]

  /// A mixer, one of whose inputs has a format of its own.
  private static let formatted = ExamplePatches.mixer.replacing(
    "\"inputs\": { \"0\": { \"parameters\": { \"volume\": 0.8 } } }",
    with: """
      "inputs": {
              "0": { "streamFormat": { "sample": "int16", "channels": 2, "sampleRate": 44100 } }
            }
      """)

  private static let converterNode = """
        "converter": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": {
            "0": { "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 44100 } }
          }
        },

    """

  /// An equalizer into a 3DMixer.
  private static let intoSpace = """
    {
      "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },

    """ + converterNode + """
          "space": { "component": "3DMixer", "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "tone", "to": "eq" },
          { "from": "eq", "to": "converter" },
          { "from": "converter", "to": "space" },
          { "from": "space", "to": "io" }
        ]
      }
      """

  /// A converter to a very low rate, in front of another.
  private static let farDown = """
    {
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "low": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 } }
          },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 1000 } }
          }
        },
        "back": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 } }
          }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "low" },
        { "from": "low", "to": "back" },
        { "from": "back", "to": "io" }
      ]
    }
    """

  /// A source at a head that is computed, at a very high rate.
  private static let headed = """
    {
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "space": {
          "component": "3DMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": {
              "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 44100 },
              "properties": { "spatializationAlgorithm": "sphericalHead" },
              "parameters": { "azimuth": -90, "distance": 1 }
            }
          },
          "outputs": { "0": { "sampleRate": 1000000 } }
        },
        "out": {
          "component": "GenericOutput",
          "properties": { "maximumFramesPerSlice": 4096 },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 1000000 } }
          }
        }
      },
      "connections": [
        { "from": "tone", "to": "space:0" },
        { "from": "space", "to": "out" }
      ]
    }
    """
}
