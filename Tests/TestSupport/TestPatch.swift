/// Patches for tests.
public enum TestPatch {
  /// Seeded noise to the loudspeaker, so that each part of it is different.
  public static func noise(taps: String = "{}") -> String {
    """
    {
      "session": { "preferredSampleRate": 48000, "preferredIOBufferDuration": 0.02 },
      "callbacks": { "noise": { "kind": "noise", "seed": 7 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": {
              "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
              "parameters": { "volume": 0.5 }
            }
          },
          "outputs": { "0": { "sampleRate": "session" } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "noise", "to": "mixer:0" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": \(taps)
    }
    """
  }

  public static let recording =
    #"{ "rec": { "kind": "record", "at": "mixer", "path": "rec.wav" } }"#

  /// A callback into a Generic Output.
  public static func generic(_ callback: String) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "sound": \(callback) },
      "nodes": { "out": { "component": "GenericOutput",
                          "properties": { "maximumFramesPerSlice": 4096 } } },
      "connections": [ { "from": "sound", "to": "out" } ]
    }
    """
  }

  /// The microphone to the loudspeaker.
  public static let passThrough = """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "nodes": {
        "io": {
          "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } }
        }
      },
      "connections": [ { "from": "io:1", "to": "io:0" } ]
    }
    """
}
