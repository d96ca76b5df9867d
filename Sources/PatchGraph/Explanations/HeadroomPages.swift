import Diagnostics

extension Explanation {
  /// What is said of gains, of conversions that are allowed, and of rates that are impossible.
  static let headroomPages: [Explanation] = [
    Explanation(
      "PR0314", "What is mixed stays within full scale where a bus or a loudspeaker clips it.",
      because: """
        A bus of float32 or fixed8.24 holds more than full scale, so that gains may be made good further
        on. A bus of int16, int24 or int32 does not, and neither does the device: what is above 1 is cut
        off there, and heard as distortion. Core Audio says nothing of it; this warning is patchrun's own.

        Tones, sweeps, noise and impulses say how loud they are, and what they sum up to is certain enough
        to be told. Of files, microphones and expressions nobody knows: they are taken to reach full
        scale, and only where more than two such sources add up is it said that they can. Gains that
        units make, the volumes of a mixer and a preset's curve among them, are followed; what a 3D Mixer
        puts out, at whatever distances, counts as one more such source.
        """,
      example: .patch(
        """
        {
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
          "callbacks": {
            "low": { "kind": "tone", "frequency": 220, "amplitude": 0.5 },
            "high": { "kind": "tone", "frequency": 440, "amplitude": 0.4 }
          },
          "nodes": {
            "mixer": {
              "component": "MultichannelMixer",
              "properties": { "maximumFramesPerSlice": 4096 }
            },
            "io": { "component": "remoteIO" }
          },
          "connections": [
            { "from": "low", "to": "mixer:0" },
            { "from": "high", "to": "mixer:1" },
            { "from": "mixer", "to": "io" }
          ]
        }
        """, wrong: ["\"amplitude\": 0.4": "\"amplitude\": 0.9"])),
    Explanation(
      "PR0609", "The rate that a session prefers is one that hardware can have: 1000 to 768000 Hz.",
      because: """
        A preference is a request, and what is granted may be something else; but a rate that no hardware
        has is a slip. What "session" means in stream formats is not known then, and what follows from it
        is not reported.
        """,
      status: .init("kAudio_ParamError", -50), note: undocumented,
      example: .patch(
        """
        {
          "session": { "preferredSampleRate": 48000 },
          "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "callbacks": { "tone": { "kind": "tone" } },
          "nodes": { "io": { "component": "remoteIO" } },
          "connections": [ { "from": "tone", "to": "io" } ]
        }
        """, wrong: ["48000": "48"])),
    Explanation(
      "PR0424", "A Format Converter says what it converts, to whom asks for notes.",
      because: """
        What one asks for is no mistake: `patchrun validate --notes` says where rates, sample types and
        channels change, and where a converter has nothing to do. A conversion that nobody asked for,
        inside an I/O unit, is a warning (PR0608).
        """,
      example: .none("A note is no mistake: there is nothing to put right.")),
    Explanation(
      "PR0557", "The volume of a mixer's input multiplies that of its output.",
      because: """
        An input at 0.5 of a mixer whose output is at 0.5 is heard at 0.25, 12 dB down. `patchrun
        validate --notes` says what both come to, where both have been set.
        """,
      example: .none("A note is no mistake: there is nothing to put right.")),
  ]
}
