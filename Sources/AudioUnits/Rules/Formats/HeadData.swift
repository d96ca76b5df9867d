public import AudioTypes

extension UnitRules {
  /// An input with HRTF has the measured responses of a head.
  public static let headData = Rule(
    "PR0432", "spatial/head-data",
    "an input with HRTF has a head's measured responses to hear with",
    statuses: [.formatNotSupported, .failedInitialization],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "An input of a 3DMixer with HRTF has the responses of a head, at a rate up to 768000 Hz.",
      because: """
        HRTF filters the sound with what was measured at a listener's ears; the data set comes with
        libmysofa. \"sphericalHead\" computes them instead, and needs no file.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        headed, wrong: ["\"sphericalHead\"": "\"HRTF\""], hardware: "rate=44100")))

  /// A source with a computed head, at a very high rate.
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
