import Diagnostics

extension Explanation {
  private static let invalidProperty = Diagnostic.Status("kAudioUnitErr_InvalidProperty", -10879)
  private static let invalidValue = Diagnostic.Status("kAudioUnitErr_InvalidPropertyValue", -10851)
  private static let invalidParameter = Diagnostic.Status("kAudioUnitErr_InvalidParameter", -10878)
  private static let notInUse = Diagnostic.Status("kAudioUnitErr_PropertyNotInUse", -10850)

  /// PR05xx: properties and parameters.
  static let settingPages: [Explanation] = [
    Explanation(
      "PR0501", "A property is one that the unit has, and that a patch sets under \"properties\".",
      because: """
        AudioUnitSetProperty returns -10879 for an id that the unit does not know; a program that does
        not look goes on with the default. `patchrun units NAME` lists what there is. Stream formats,
        the number of buses and connections have places of their own in a patch, and what a unit
        measures is read and not set.
        """,
      status: invalidProperty, .init("kAudioUnitErr_PropertyNotWritable", -10865),
      .init("kAudioUnitErr_InvalidScope", -10866),
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }", with: "\"properties\": { \"meteringMode\": true }"),
        wrong: ["\"meteringMode\"": "\"meterMode\""])),
    Explanation(
      "PR0502", "A property is set on a scope that has it.",
      because: """
        \"properties\" of a node is the global scope, those inside \"inputs\" and \"outputs\" are the
        other two. The same property on another scope is none: -10866.
        """,
      status: .init("kAudioUnitErr_InvalidScope", -10866),
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"inputs\": { \"0\": { \"parameters\": { \"volume\": 0.8 } } }",
          with: "\"inputs\": { \"0\": { \"properties\": { \"meteringMode\": true } } }"),
        wrong: [
          "\"maximumFramesPerSlice\": 4096":
            "\"maximumFramesPerSlice\": 4096, \"matrixLevels\": [1, 0, 0, 1]"
        ])),
    Explanation(
      "PR0503", "A bus that is named exists.",
      because: """
        Buses count from 0, so that a unit of two has no bus 2. A MultichannelMixer has 8 inputs until
        \"inputCount\" says otherwise, effects and converters have one, the elements of an I/O unit
        are 0 and 1. Connecting succeeds in Core Audio; initialize then fails with -10877, far from
        the line that is wrong.
        """,
      status: .init("kAudioUnitErr_InvalidElement", -10877),
      example: .patch(ExamplePatches.mixer, wrong: ["\"to\": \"mixer:0\"": "\"to\": \"mixer:8\""])),
    Explanation(
      "PR0504",
      "A property is given a value of its type and range, or the name of one of its values.",
      because: """
        The right property with a wrong value, or one of another size, is refused with -10851 and
        stays as it was. Presets are best written by name: on an iPod EQ number 0 is \"Disabled\", and
        \"Flat\" is 8.
        """,
      status: invalidValue, invalidProperty,
      example: .patch(ExamplePatches.equalizer, wrong: ["\"Rock\"": "\"Rok\""])),
    Explanation(
      "PR0505", "A property that is set is not read-only.",
      because: """
        Latency, the list of factory presets or a parameter's description are the unit's to say. In a
        patch they are no settings at all: PR0501.
        """,
      status: .init("kAudioUnitErr_PropertyNotWritable", -10865),
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          try unit.setProperty(.latency, to: .float64(0.01))
          """,
        right: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.latency)
          """)),
    Explanation(
      "PR0506", "What shapes a unit is set before it is initialized.",
      because: """
        A unit allocates for its number of buses and for its largest slice when it is initialized, and
        refuses to change them afterwards. Configure first, initialize last. patchrun does so.
        """,
      status: .init("kAudioUnitErr_Initialized", -10849),
      example: .swift(
        wrong: """
          try graph.initialize()
          try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
          """,
        right: """
          try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
          try graph.initialize()
          """)),
    Explanation(
      "PR0507", "A property that is read has a value.",
      because: """
        An element that was never named has no name, a channel layout that was never set is none. The
        property is there, and what it would return is not.
        """,
      status: notInUse,
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.elementName, .input, 0)
          """,
        right: """
          let unit = try graph.unit(mixer)
          try unit.setProperty(.elementName, .input, 0, to: .string("Drums"))
          _ = try unit.property(.elementName, .input, 0)
          """)),
    Explanation(
      "PR0508", "The number of buses is one that the unit can have.",
      because: """
        A mixer's inputs can be counted anew, from 1 up. Effects, converters and I/O units have a
        fixed number: -10865 is returned for those.
        """,
      status: invalidValue, .init("kAudioUnitErr_PropertyNotWritable", -10865),
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"component\": \"MultichannelMixer\",",
          with: "\"component\": \"MultichannelMixer\",\n      \"inputCount\": 2,"),
        wrong: ["\"inputCount\": 2": "\"inputCount\": 0"])),
    Explanation(
      "PR0509", "A property fits the stream formats of its unit.",
      because: """
        The matrix of a mixer's input has a level for each pair of a channel that comes in and one that
        leaves. Which formats there are is settled on initialize, and so it is found there.
        """,
      status: invalidValue,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }",
          with: "\"properties\": { \"matrixLevels\": [0, 1, 1, 0] }"),
        wrong: ["[0, 1, 1, 0]": "[0, 1]"])),
    Explanation(
      "PR0510", "A property that is read is not write-only.",
      because: """
        MakeConnection and SetRenderCallback are instructions, not values. What feeds an input is
        among the graph's interactions.
        """,
      status: invalidProperty, note: undocumented,
      example: .swift(
        wrong: """
          let unit = try graph.unit(mixer)
          _ = try unit.property(.setRenderCallback, .input, 0)
          """,
        right: """
          _ = try graph.interactions(of: mixer)
          """)),
    Explanation(
      "PR0511",
      "Units that are connected by a property are in one graph, or both in none.",
      because: """
        MakeConnection in a graph is an edit of that graph, and outside of one it connects two units by
        themselves. A unit of a graph is pulled by it, and cannot be pulled by another besides.
        """,
      status: .init("kAUGraphErr_CannotDoInCurrentContext", -10863), note: undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(MultichannelMixer.self)
          let source = try graph.unit(mixer)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """,
        right: """
          let unit = UnitInstance(MultichannelMixer.self)
          let source = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """)),
    Explanation(
      "PR0512", "Outside of a graph, too, an output feeds one input, and no unit feeds itself.",
      because: """
        A unit renders a slice once, for the one that pulls it. A second would pull it again, and get the
        slice after that; in a circle nobody begins.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861),
      .init("kAudioUnitErr_PropertyNotWritable", -10865),
      .init("kAudioUnitErr_NoConnection", -10876), note: undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: unit)))
          """,
        right: """
          let unit = UnitInstance(IPodEQ.self)
          let source = UnitInstance(IPodEQ.self)
          try unit.setProperty(
            .makeConnection, .input, 0, to: .connection(UnitConnection(from: source)))
          """)),
    Explanation(
      "PR0513", "A unit that renders is initialized, and so is all that feeds it.",
      because: """
        Initialization takes the memory that rendering needs. Outside of a graph each unit is initialized
        by itself, after its formats have been set.
        """,
      status: .init("kAudioUnitErr_Uninitialized", -10867),
      example: .swift(
        wrong: """
          let unit = UnitInstance(GenericOutput.self)
          try unit.start()
          """,
        right: """
          let unit = UnitInstance(GenericOutput.self)
          try unit.initialize()
          try unit.start()
          """)),
    Explanation(
      "PR0514", "A unit is asked to render what it can, into buffers of its format.",
      because: """
        AudioUnitRender looks whether the unit is initialized, whether it takes so many frames, whether
        there is such an output and whether the buffers are those of its stream format: one for each
        channel, or one for all where the format is interleaved. An effect needs something that feeds it.
        """,
      status: .init("kAudioUnitErr_NoConnection", -10876),
      .init("kAudioUnitErr_TooManyFramesToProcess", -10874),
      .init("kAudioUnitErr_InvalidElement", -10877), .init("kAudio_ParamError", -50),
      example: .swift(
        wrong: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.initialize()
          _ = try unit.render(512)
          """,
        right: """
          let unit = UnitInstance(IPodEQ.self)
          try unit.setProperty(.setRenderCallback, .input, 0, to: .renderCallback(callback))
          try unit.initialize()
          _ = try unit.render(512)
          """)),
    Explanation(
      "PR0515", "An I/O unit outside of a graph is given a device before it is initialized.",
      because: """
        On a phone there is one device, and an I/O unit has it when it is made. Here there may be many, or
        none: a graph is made for one, and a unit by itself is told which.
        """,
      status: .init("kAudioUnitErr_FailedInitialization", -10875), note: undocumented,
      example: .swift(
        wrong: """
          let unit = UnitInstance(RemoteIO.self)
          try unit.initialize()
          """,
        right: """
          let unit = UnitInstance(RemoteIO.self)
          try unit.useDevice(device)
          try unit.initialize()
          """)),
    Explanation(
      "PR0516", "The category of a graph's session permits what its I/O unit does.",
      because: """
        A category says what an app's sound is for. One that only plays gives no microphone, and one that
        only records no loudspeaker; on a phone the unit would fail when it is initialized. In a patch it
        is PR0607.
        """,
      status: .init("kAudioSessionIncompatibleCategory", 560_161_140),
      example: .swift(
        wrong: """
          graph.sessionCategory = .record
          try graph.initialize()
          """,
        right: """
          graph.sessionCategory = .playback
          try graph.initialize()
          """)),
    Explanation(
      "PR0551", "A parameter is one that the unit has on this scope.",
      because: """
        A mixer's volume is on its inputs and on its output, and not on the node itself. Set on the
        global scope, where there is none, it would do nothing. Properties stand under \"properties\".
        """,
      status: invalidParameter,
      example: .patch(ExamplePatches.mixer, wrong: ["\"volume\"": "\"volum\""])),
    Explanation(
      "PR0552", "A parameter lies in the range that the unit describes for it.",
      because: """
        Pan goes from -1 to 1, azimuth from -180° to 180°. Apple's base class takes any value and does not
        clip it, so that each unit would do something of its own. A mixer's volume may be any finite
        number.
        """,
      status: invalidParameter, note: undocumented,
      example: .patch(
        ExamplePatches.mixer.replacing("\"volume\": 0.8", with: "\"pan\": -1"),
        wrong: ["\"pan\": -1": "\"pan\": -100"])),
    Explanation(
      "PR0553", "A meter is read, and not set.",
      because: """
        The levels that a mixer measures are parameters of Core Audio, so that a program can ask for
        them. They are measured once meteringMode is on.
        """,
      status: invalidParameter, note: undocumented,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }", with: "\"properties\": { \"meteringMode\": true }"),
        wrong: [
          "\"properties\": { \"meteringMode\": true }":
            "\"parameters\": { \"preAveragePower\": -20 }"
        ])),
    Explanation(
      "PR0554", "A parameter lies in its usual range: a mixer's volume from 0 to 1.",
      because: """
        A volume above 1 is allowed and makes a sound louder than it came, which clips where the
        sample type is an integer. One below 0 turns the wave over. The volumes of the input and of
        the output multiply.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"volume\": 0.8": "\"volume\": 2"])),
    Explanation(
      "PR0555", "A parameter is not set where a property is that it takes the place of.",
      because: """
        A mixer's pan, once it is set, decides how an input is spread over the output, and its
        matrix is then not heard. Set the one that is meant.
        """,
      example: .patch(
        ExamplePatches.mixer.replacing(
          "\"parameters\": { \"volume\": 0.8 }",
          with: "\"properties\": { \"matrixLevels\": [0, 1, 1, 0] }"),
        wrong: ["[0, 1, 1, 0] }": "[0, 1, 1, 0] }, \"parameters\": { \"pan\": 0.5 }"])),
    Explanation(
      "PR0556", "A ramp moves a parameter that can be anywhere in between.",
      because: """
        A switch is on or off: half of it means nothing. Parameters that can ramp carry the flag
        kAudioUnitParameterFlag_CanRamp. To switch at a time, make a ramp of the volume.
        """,
      status: invalidParameter, note: undocumented,
      example: .patch(timed, wrong: ["/parameters/volume\"": "/parameters/enable\""])),
  ]
}
