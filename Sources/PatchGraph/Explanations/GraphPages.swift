import Diagnostics

extension Explanation {
  /// PR03xx: nodes and connections.
  static let graphPages: [Explanation] = [
    Explanation(
      "PR0301", "A call names a node that the graph has.",
      because: """
        A number that was kept after AUGraphRemoveNode, or that belongs to another graph, stands for
        nothing. In a patch nodes have names; a wrong one is PR0203.
        """,
      status: .init("kAUGraphErr_NodeNotFound", -10860),
      example: .swift(
        wrong: """
          let mixer = try graph.addNode(MultichannelMixer.description.component)
          try graph.removeNode(mixer)
          _ = try graph.unit(mixer)
          """,
        right: """
          let mixer = try graph.addNode(MultichannelMixer.description.component)
          _ = try graph.unit(mixer)
          try graph.removeNode(mixer)
          """)),
    Explanation(
      "PR0302", "A graph has one output unit: Remote I/O, Voice-Processing I/O or Generic Output.",
      because: """
        The output unit pulls the graph, so without one nothing is rendered, and with two nobody
        would know whose clock holds. AUGraphAddNode refuses the second. An I/O unit plays and hears
        at once: io:0 is the loudspeaker, io:1 the microphone.
        """,
      status: .init("kAUGraphErr_OutputNodeErr", -10862),
      note: "Documented for a second output unit; for a graph without one it is patchrun's choice.",
      example: .patch(
        ExamplePatches.microphone,
        wrong: [
          "\"nodes\": {\n": "\"nodes\": {\n    \"out\": { \"component\": \"remoteIO\" },\n",
          "\"to\": \"io:0\"": "\"to\": \"out\"",
        ])),
    Explanation(
      "PR0303", "A node does not feed itself. Only the two sides of an I/O unit may be connected.",
      because: """
        A unit would have to be pulled before it could be pulled. The microphone side of an I/O unit
        may feed its loudspeaker side, because they are two elements with a device between them.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(
        ExamplePatches.mixer,
        wrong: [
          "{ \"from\": \"tone\", ":
            "{ \"from\": \"mixer\", \"to\": \"mixer:1\" },\n    { \"from\": \"tone\", "
        ])),
    Explanation(
      "PR0304", "An input is fed once: by one connection, or by one callback.",
      because: """
        An input has one source, and pulls one buffer from it. Two sounds on one bus have to be
        mixed, which is what a mixer's inputs are for.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(
        twoTones, wrong: ["\"to\": \"mixer:1\"": "\"to\": \"mixer:0\""])),
    Explanation(
      "PR0305", "An output feeds one input.",
      because: """
        A unit renders once for each pull. Pulled by two, it would go through its sound twice as
        fast, and its buffer would be overwritten while the other reads it (QA1174). A callback that
        makes its own sound may feed several inputs, each of which hears it from the beginning.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(
        twoEqualizers,
        wrong: [
          "{ \"from\": \"two\", \"to\"": "{ \"from\": \"one\", \"to\"",
          "    { \"from\": \"tone\", \"to\": \"two\" },\n": "",
          """
          ,
              "two": {
                "component": "iPodEQ",
                "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Flat" }
              }
          """: "",
        ])),
    Explanation(
      "PR0306", "Connections do not lead in a circle.",
      because: """
        In the pull model each unit asks the one before it, so a circle would ask for ever. Feedback
        takes a delay: the `echo` callback has one. From the microphone to the loudspeaker is no
        circle, though both are the same unit.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(
        twoEqualizers,
        wrong: [
          "{ \"from\": \"tone\", \"to\": \"one\" }": "{ \"from\": \"two\", \"to\": \"one\" }",
          "{ \"from\": \"tone\", \"to\": \"two\" }": "{ \"from\": \"one\", \"to\": \"two\" }",
          "{ \"from\": \"one\", \"to\": \"mixer:0\" }":
            "{ \"from\": \"tone\", \"to\": \"mixer:0\" }",
          ",\n    { \"from\": \"two\", \"to\": \"mixer:1\" }": "",
        ])),
    Explanation(
      "PR0307",
      "An effect, a converter or an output unit that is pulled has something at its input.",
      because: """
        AUGraphInitialize accepts it, and then every render fails: what one gets is silence and a
        status that few programs look at. A mixer may have inputs that nothing feeds. To record only,
        turn the loudspeaker side off.
        """,
      status: .init("kAudioUnitErr_NoConnection", -10876),
      example: .patch(
        ExamplePatches.equalizer,
        wrong: [
          "{ \"from\": \"tone\", \"to\": \"eq\" },\n    ": "",
          "\n  \"callbacks\": { \"tone\": { \"kind\": \"tone\" } },": "",
        ])),
    Explanation(
      "PR0308", "Each node is pulled by the output unit, directly or through others.",
      because: """
        AUGraphInitialize initializes only nodes that take part in a connection, and nothing renders those
        that do not lead to the output. No call fails, and they are not heard.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "{ \"io\": { \"component\": \"remoteIO\" } }": """
          {
              "eq": { "component": "iPodEQ", "properties": { "maximumFramesPerSlice": 4096 } },
              "io": { "component": "remoteIO" }
            }
          """
        ])),
    Explanation(
      "PR0309", "A call is made when the graph permits it: new, open, initialize, start.",
      because: """
        Units exist from open on, and render from initialize on. AUGraphStart was seen to fail with -10863
        where AUGraphInitialize was forgotten, and AUGraphUninitialize with -2147450879 after AUGraphClose.
        patchrun itself keeps to the order.
        """,
      status: .init("kAUGraphErr_CannotDoInCurrentContext", -10863),
      .init("kAudioUnitErr_Uninitialized", -10867), .init("badComponentInstance", -2_147_450_879),
      .init("kAudioUnitErr_Initialized", -10849),
      note: """
        Observed on Apple's systems: -10863 for a start before initialize, -2147450879 for an
        uninitialize after close. The others are patchrun's choice.
        """,
      example: .swift(
        wrong: """
          try graph.open()
          try graph.start()
          """,
        right: """
          try graph.open()
          try graph.initialize()
          try graph.start()
          """)),
    Explanation(
      "PR0310", "No slice is larger than a unit's maximumFramesPerSlice.",
      because: """
        A unit allocates its buffers for so many frames when it is initialized, and refuses to render
        more: the sound stops. A unit has 1024 until it is set; I/O units size their slices
        themselves.
        """,
      status: .init("kAudioUnitErr_TooManyFramesToProcess", -10874),
      example: .patch(
        ExamplePatches.mixer,
        wrong: ["      \"properties\": { \"maximumFramesPerSlice\": 4096 },\n": ""],
        hardware: "frames=4096")),
    Explanation(
      "PR0311",
      "With no input active, a unit of a patch that plays on behind a locked screen takes slices of "
        + "4096 frames.",
      because: """
        On an iPhone whose screen is locked, slices grow from 1024 to 4096 frames, unless the microphone is
        on. A unit that takes fewer then fails with kAudioUnitErr_TooManyFramesToProcess, and the music
        stops (QA1606). It does no harm to set it always.

        Only some categories play on when the screen is locked. So this is a warning where the patch says
        one of them ("playback", "playAndRecord" or "multiRoute"), and else a note, which `validate --notes`
        shows: that is patchrun's choice. On Linux no screen lengthens a slice; what a device grants is
        compared by PR0310.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "{\n  \"str", with: "{\n  \"session\": { \"category\": \"playback\" },\n  \"str"),
        wrong: ["      \"properties\": { \"maximumFramesPerSlice\": 4096 },\n": ""])),
    Explanation(
      "PR0316", "A mixer that something takes from is fed by something.",
      because: """
        A mixer needs no input, so that nothing fails: it puts out silence, and `render` ends with "the
        result is all silence". Mostly a connection was forgotten, or leads to another mixer.
        """,
      example: .patch(
        ExamplePatches.mixer,
        wrong: [
          "\"callbacks\": { \"tone\": { \"kind\": \"tone\" } },\n  ": "",
          "{ \"from\": \"tone\", \"to\": \"mixer:0\" },\n    ": "",
        ])),
    Explanation(
      "PR0317", "Of the inputs of a mixer that something feeds at least one is switched on.",
      because: """
        "enable" is a switch for each input of a MultichannelMixer. With all of them off the mixer puts out
        silence until a ramp or a control turns one on, which may be what is wanted.
        """,
      example: .none("A note is no mistake: there is nothing to put right.")),
    Explanation(
      "PR0312", "What is disconnected was connected.",
      because: """
        A second disconnect of the same input, or one of another input than was meant, does nothing,
        and the connection that was meant stays.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .swift(
        wrong: """
          try graph.connect(mixer, to: io)
          try graph.disconnect(mixer)
          """,
        right: """
          try graph.connect(mixer, to: io)
          try graph.disconnect(io)
          """)),
    Explanation(
      "PR0313", "Nothing is connected to what belongs to the device: inputs/1 and outputs/0.",
      because: """
        The microphone itself feeds io:1, and io:0 gives to the loudspeaker itself. A graph takes
        from io:1 and gives to io:0: the mnemonic is that 1 looks like the I of input, 0 like the O
        of output.
        """,
      status: .init("kAudioUnitErr_PropertyNotWritable", -10865),
      .init("kAUGraphErr_InvalidConnection", -10861),
      note: """
        -10865 was reported for the microphone side. For the loudspeaker side Core Audio documents no
        status; that one is patchrun's choice.
        """,
      example: .patch(
        recording,
        wrong: [
          "  \"taps\"": """
            "callbacks": { "tone": { "kind": "tone" } },
            "connections": [ { "from": "tone", "to": "io:1" } ],
            "taps"
          """
        ])),
  ]

  /// Two tones, mixed.
  static let twoTones = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "low": { "kind": "tone" }, "high": { "kind": "tone", "frequency": 660 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "low", "to": "mixer:0" },
        { "from": "high", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// Two equalizers, mixed.
  static let twoEqualizers = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" },
        "one": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "two": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Flat" }
        }
      },
      "connections": [
        { "from": "tone", "to": "one" },
        { "from": "tone", "to": "two" },
        { "from": "one", "to": "mixer:0" },
        { "from": "two", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """
}
