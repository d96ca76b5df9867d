import Diagnostics

extension Explanation {
  /// PR01xx: what the objects of a patch are made of.
  static let patchPages: [Explanation] = [
    Explanation(
      "PR0101", "Each value is of the type that belongs in its place.",
      because: """
        A number in quotes is a text, and no unit takes one for a number. patchrun does not convert:
        what looks right in one place would be wrong in another.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["44100": "\"44100\""])),
    Explanation(
      "PR0102", "An object has only keys that are defined, and a \"comment\".",
      because: """
        A key that nobody reads is mostly a spelling mistake, and its setting silently does not hold.
        That is why it is an error and not a warning.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"properties\"": "\"propertys\""])),
    Explanation(
      "PR0103", "An object has all the keys that it needs.",
      because: """
        A connection without an end, a node without a component, or a stream format without a rate
        leaves nothing that one could guess safely.
        """,
      example: .patch(ExamplePatches.tone, wrong: [", \"to\": \"io\"": ""])),
    Explanation(
      "PR0104", "\"schemaVersion\" is 1, where it is given.",
      because: """
        It says which edition of the format the patch was written for. A greater one may mean things
        that this program does not know, and would run wrongly.
        """,
      example: .patch(
        ExamplePatches.tone.replacing("{\n  \"str", with: "{\n  \"schemaVersion\": 1,\n  \"str"),
        wrong: ["\"schemaVersion\": 1": "\"schemaVersion\": 2"])),
    Explanation(
      "PR0105", "An address is a name, or a name and a bus number: mixer, mixer:1.",
      because: """
        Buses have numbers and no names. The microphone is io:1, the loudspeaker io:0; io alone is
        io:0.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["\"mixer:0\"": "\"mixer:left\""])),
    Explanation(
      "PR0106", "The keys of \"inputs\" and \"outputs\" are bus numbers, without leading zeros.",
      because: """
        They are the element numbers of AudioUnitSetProperty. With one spelling for each of them a
        JSON Pointer such as /nodes/mixer/inputs/0 always finds its setting.
        """,
      example: .patch(ExamplePatches.mixer, wrong: ["{ \"0\": {": "{ \"00\": {"])),
    Explanation(
      "PR0107", "A name is not empty, and the name of a node or a callback has no colon.",
      because:
        "Nothing can refer to an empty name. A colon separates a name from its bus: mix:1 is bus 1 of 'mix'.",
      example: .patch(
        tapped, wrong: ["\"mix\": {": "\"\": {"])),
    Explanation(
      "PR0108", "A patch has a node.",
      because: "Without one there is nothing to run: AUGraphInitialize would find no output unit.",
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"nodes\": { \"io\": { \"component\": \"remoteIO\" } }": "\"nodes\": {}",
          "[ { \"from\": \"tone\", \"to\": \"io\" } ]": "[]",
          "  \"callbacks\": { \"tone\": { \"kind\": \"tone\", \"frequency\": 440 } },\n": "",
        ])),
    Explanation(
      "PR0109", "A number is one that can be meant: a time is not negative, a channel count not 0.",
      because: """
        Such numbers have no meaning at any unit. Limits that belong to a unit have codes of their
        own, PR0504 and PR0552. A rate is 1 Hz or more: Core Audio takes any below 3 MHz, 0 for one that is
        not known yet; from where on one can be meant is patchrun's choice.
        """,
      status: .init("kAudioUnitErr_FormatNotSupported", -10868),
      example: .patch(ExamplePatches.tone, wrong: ["44100": "0"])),
    Explanation(
      "PR0110", "A thing that can be written in several forms is written in one of them.",
      because: """
        A stream format with \"channels\" and with mChannelsPerFrame could say two things at once, a
        step of the timeline with two actions leaves their order open. A node is a unit or a sub-graph:
        a unit has its scopes, and a sub-graph \"settings\".
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: ["\"channels\": 2,": "\"channels\": 2, \"mChannelsPerFrame\": 1,"])),
    Explanation(
      "PR0111", "`--set` names a place in the patch by its JSON Pointer: its parent is there.",
      because: """
        What is set in a place that does not exist would change nothing, and nobody would notice. The
        last part of the pointer may be new; all before it has to be in the patch.
        """,
      example: .override(
        ExamplePatches.mixer, wrong: "/nodes/mixr/inputs/0/parameters/volume=0.5",
        right: "/nodes/mixer/inputs/0/parameters/volume=0.5")),
    Explanation(
      "PR0112", "A node and a callback do not have the same name.",
      because: """
        A connection names either by its name alone, and could mean both. Where a node 'strip' is a
        sub-graph, 'strip/eq' is what something in it is called, and no name of the patch around it.
        """,
      example: .patch(
        ExamplePatches.tone,
        wrong: [
          "\"tone\": { \"kind\"": "\"io\": { \"kind\"", "\"from\": \"tone\"": "\"from\": \"io\"",
        ])),
    Explanation(
      "PR0113", "A place in the patch is written as a JSON Pointer (RFC 6901).",
      because: """
        It begins with a slash and goes down from the top of the document, the same in the timeline,
        in messages and for `--set`.
        """,
      example: .patch(
        timed,
        wrong: ["\"/nodes/mixer/inputs/0/parameters/volume\"": "\"mixer.inputs.0.volume\""])),
  ]

  /// A mixer whose volume falls.
  static let timed = ExamplePatches.mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0, "duration": 2 }
        }
      ]
      """)
}
