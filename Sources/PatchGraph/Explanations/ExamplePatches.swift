/// Right patches that several pages begin with.
enum ExamplePatches {
  /// A tone on the loudspeaker.
  static let tone = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """

  /// A tone through a mixer.
  static let mixer = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { "parameters": { "volume": 0.8 } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "mixer:0" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// A tone through a mixer, with more members of the patch.
  static func mixer(with members: String) -> String {
    let indented = members.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return mixer.dropLast(2) + ",\n" + indented + "\n}"
  }

  /// A tone through an equalizer.
  static let equalizer = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "eq" },
        { "from": "eq", "to": "io" }
      ]
    }
    """

  /// The microphone on the loudspeaker.
  static let microphone = """
    {
      "session": { "category": "playAndRecord" },
      "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": 44100 },
      "nodes": {
        "io": {
          "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } }
        }
      },
      "connections": [ { "from": "io:1", "to": "io:0" } ]
    }
    """

  /// A tone at the left of a listener.
  static let space = """
    {
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "space": {
          "component": "3DMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": {
              "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 44100 },
              "parameters": { "azimuth": -90, "distance": 1 }
            }
          },
          "outputs": { "0": { "sampleRate": 44100 } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "space:0" },
        { "from": "space", "to": "io" }
      ]
    }
    """

  /// A tone at another rate than the device's, through a converter.
  static let converter = """
    {
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "converter": {
          "component": "FormatConverter",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": { "streamFormat": { "sample": "int16", "channels": 2, "sampleRate": 22050 } }
          },
          "outputs": {
            "0": { "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 } }
          }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "converter" },
        { "from": "converter", "to": "io" }
      ]
    }
    """
}
