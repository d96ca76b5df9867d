import Diagnostics

extension Explanation {
  /// PR022x: patches as nodes of others.
  static let subgraphPages: [Explanation] = [
    Explanation(
      "PR0221", "A sub-graph names a patch that can be read.",
      because: """
        Its path is relative to the patch that it is written in, and it is read with that patch: a
        regular file, with sub-graphs of its own if it has any. What is wrong in it is said of its
        own lines, once however often it is used.
        """,
      status: .init("kAudio_FileNotFoundError", -43),
      .init("kAudio_FilePermissionError", -54), .init("kAudioUnitErr_InvalidFile", -10871),
      note: undocumented,
      example: .patch(strip, wrong: ["parts/strip.json": "parts/stripe.json"])),
    Explanation(
      "PR0222", "No patch is a sub-graph of itself, directly or through others.",
      because: """
        It would have no end. Two paths that lead to one file, a symbolic link say, are one patch.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .none("it takes a file that names itself")),
    Explanation(
      "PR0223", "A sub-graph ends in a GenericOutput.",
      because: """
        A graph has one output unit for a device, and that belongs to the whole. The Generic Output
        of a sub-graph hands on what it is fed, in the format of its output: that of its input until
        it is given another.
        """,
      status: .init("kAUGraphErr_OutputNodeErr", -10862), note: undocumented,
      example: .patch(
        strip.replacing(settings, with: ""), wrong: ["parts/strip.json": "one-callback.json"])),
    Explanation(
      "PR0224", "What a sub-graph's \"settings\" change has a place in its patch.",
      because: """
        Each key is a JSON Pointer into the patch of the sub-graph, and its value takes the place of
        the one that stands there, as with `--set`. The node has to be there; what is in it may be
        new.
        """,
      example: .patch(strip, wrong: ["/nodes/eq/": "/nodes/eqs/"])),
    Explanation(
      "PR0225", "What is in a sub-graph is connected by the buses of the sub-graph alone.",
      because: """
        A sub-graph takes what is connected to it at its callbacks of the kind 'input', by their
        numbers, and puts out what its output unit is fed. What else is in it is its own affair: it
        can be changed without the patches around it. A tap may watch it, as 'strip/eq'.
        """,
      status: .init("kAUGraphErr_InvalidConnection", -10861), note: undocumented,
      example: .patch(strip, wrong: ["\"to\": \"strip\"": "\"to\": \"strip/eq\""])),
  ]

  private static let settings =
    ",\n      \"settings\": { \"/nodes/eq/properties/presentPreset\": \"Rock\" }"

  /// A tone through a sub-graph.
  private static let strip = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "strip": {
          "subgraph": "parts/strip.json",
          "settings": { "/nodes/eq/properties/presentPreset": "Rock" }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "strip" },
        { "from": "strip", "to": "io" }
      ]
    }
    """
}
