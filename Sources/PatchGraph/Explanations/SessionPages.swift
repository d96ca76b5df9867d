import Diagnostics

extension Explanation {
  private static let noConnection = Diagnostic.Status("kAudioUnitErr_NoConnection", -10876)
  private static let invalidValue = Diagnostic.Status("kAudioUnitErr_InvalidPropertyValue", -10851)
  private static let category = Diagnostic.Status("kAudioSessionIncompatibleCategory", 560_161_140)

  /// PR06xx: the I/O unit, its device and the session.
  static let sessionPages: [Explanation] = [
    Explanation(
      "PR0315", "A preferred buffer duration is one that devices grant, in seconds.",
      because: """
        preferredIOBufferDuration is in seconds, as in Core Audio: 5 ms is 0.005. A request for several
        seconds is granted as the largest slice there is, and the delay is heard; one below a millisecond as
        the smallest. patchrun grants powers of two from 256 to 4096 frames, which is 0.006 to 0.09 s at 44100
        Hz; that range is patchrun's choice.
        """,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{\n  \"str",
          with: "{\n  \"session\": { \"preferredIOBufferDuration\": 0.005 },\n  \"str"),
        wrong: ["0.005": "5"])),
    Explanation(
      "PR0601", "The microphone side of an I/O unit is on where something takes from it.",
      because: """
        The input element is off until kAudioOutputUnitProperty_EnableIO turns it on, on the input scope of
        element 1. Where that is forgotten the microphone is silent, and nothing says why.
        """,
      status: noConnection, note: undocumented,
      example: .patch(
        ExamplePatches.microphone, wrong: ["\"enableIO\": true": "\"enableIO\": false"])),
    Explanation(
      "PR0602", "The loudspeaker side of an I/O unit is on where something feeds it.",
      because: """
        It is on until EnableIO turns it off, on the output scope of element 0. What feeds a side that
        is off is never pulled.
        """,
      status: noConnection, note: undocumented,
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"inputs\": {",
          with:
            "\"outputs\": { \"0\": { \"properties\": { \"enableIO\": true } } },\n      \"inputs\": {"
        ),
        wrong: ["\"enableIO\": true": "\"enableIO\": false"])),
    Explanation(
      "PR0603", "An I/O unit that hears has a device to hear with.",
      because: """
        Without one the hardware's rate is 0 Hz, and Remote I/O fails to initialize with -10851. The
        session knows beforehand (inputIsAvailable); `patchrun devices` lists the sources.
        """,
      status: invalidValue,
      example: .patch(
        ExamplePatches.tone.replacing(
          "{ \"io\": { \"component\": \"remoteIO\" } }",
          with: """
            {
                "io": {
                  "component": "remoteIO",
                  "inputs": { "1": { "properties": { "enableIO": false } } }
                }
              }
            """),
        wrong: ["\"enableIO\": false": "\"enableIO\": true"], hardware: "inputChannels=0")),
    Explanation(
      "PR0604", "An I/O unit that plays has a device to play on.",
      because: """
        Without one the hardware's rate is 0 Hz, and Remote I/O fails to initialize with -10851.
        `patchrun devices` lists the sinks. A Generic Output needs none: `patchrun render` pulls it.
        """,
      status: invalidValue,
      example: .patch(
        ExamplePatches.tone.replacing("remoteIO", with: "GenericOutput"),
        wrong: ["GenericOutput": "remoteIO"], hardware: "channels=0")),
    Explanation(
      "PR0605", "An I/O unit has its microphone side on, its loudspeaker side, or both.",
      because: """
        With both off there is nothing to start, and nothing would ever pull the graph.
        """,
      status: .init("kAudioUnitErr_FailedInitialization", -10875), note: undocumented,
      example: .patch(
        recording,
        wrong: [
          "\"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } },\n      ": "",
          ",\n  \"taps\": { \"voice\": { \"kind\": \"record\", \"at\": \"io:1\", \"path\": \"voice.wav\" } }":
            "",
        ])),
    Explanation(
      "PR0606", "The category of a session is one that there is.",
      because: """
        They are ambient, soloAmbient, playback, record, playAndRecord, audioProcessing and
        multiRoute. The category says what an app may do with the hardware, and what its sound does
        when the screen is locked.
        """,
      status: category,
      example: .patch(ExamplePatches.microphone, wrong: ["\"playAndRecord\"": "\"playAndRecrd\""])),
    Explanation(
      "PR0607", "The category of a session permits what its I/O unit does.",
      because: """
        Playback and the ambient ones have no input, record has no output, audioProcessing has
        neither. On an iPhone a microphone that is on then fails to initialize with '!cat'.
        """,
      status: category,
      example: .patch(ExamplePatches.microphone, wrong: ["\"playAndRecord\"": "\"playback\""])),
    Explanation(
      "PR0608", "A graph runs at the rate of its device, or its author knows that it is converted.",
      because: """
        Output units have converters inside, so that any rate is heard at the right pitch. It costs
        time and a little quality. The preferred rate is a request; \"sampleRate\": \"session\" means
        what was granted.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("44100", with: "\"session\""),
        wrong: ["\"session\"": "44100"], hardware: "rate=48000")),
    Explanation(
      "PR0610", "What an event makes a session do is something it can do.",
      because: """
        An interruption (the sound server suspends the device, or asks for silence because somebody has
        a call) makes a patch "continue", "pause" or "stop"; another device makes it "follow",
        "restart" or "stop". Where nothing is said it continues, and follows. An iPhone stops the units
        and tells the app, which decides; that a patch writes its decision down is ours.
        """,
      example: .patch(
        ExamplePatches.microphone.replacing(
          "\"playAndRecord\"", with: "\"playAndRecord\", \"onInterruption\": \"pause\""),
        wrong: ["\"pause\"": "\"pauze\""])),
  ]

  /// The microphone to a file.
  static let recording = """
    {
      "session": { "category": "record" },
      "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": "session" },
      "nodes": {
        "io": {
          "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } },
          "outputs": { "0": { "properties": { "enableIO": false } } }
        }
      },
      "taps": { "voice": { "kind": "record", "at": "io:1", "path": "voice.wav" } }
    }
    """
}
