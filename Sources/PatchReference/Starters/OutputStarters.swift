// Patterns that only play.

extension StarterPatch {
  static let oneCallback = StarterPatch(
    name: "one-callback", summary: "a render callback to the loudspeaker",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Output only, with one render callback",
        "session": { "category": "playback" },
        "callbacks": {
          "sound": {
            "comment": "A sound file instead: { \"kind\": \"file\", \"path\": \"guitar.wav\", \"loop\": true }",
            "kind": "tone",
            "frequency": 440,
            "amplitude": 0.1
          }
        },
        "nodes": {
          "io": {
            "component": "remoteIO",
            "inputs": {
              "0": {
                "comment": "A callback brings no format of its own: the bus that it feeds is given one.",
                "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" }
              }
            }
          }
        },
        "connections": [
          { "from": "sound", "to": "io:0" }
        ]
      }

      """#)

  static let mixerHost = StarterPatch(
    name: "mixer-host", summary: "two sounds into a mixer: volumes, switches and pans",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Mixer host",
        "comment": "Another volume: --set /nodes/mixer/inputs/0/parameters/volume=0.2",
        "session": { "category": "playback" },
        "streamFormats": {
          "stereo": { "sample": "float32", "channels": 2, "sampleRate": "session" },
          "mono": { "sample": "float32", "channels": 1, "sampleRate": "session" }
        },
        "callbacks": {
          "sea": {
            "comment": "A sound file instead: { \"kind\": \"file\", \"path\": \"guitar.wav\", \"loop\": true }",
            "kind": "noise",
            "color": "pink",
            "amplitude": 0.2
          },
          "horn": { "kind": "tone", "waveform": "triangle", "frequency": 110 }
        },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer",
            "properties": {
              "comment": "With no input on, slices may grow to 4096 frames.",
              "maximumFramesPerSlice": 4096
            },
            "inputCount": 2,
            "inputs": {
              "0": { "streamFormat": "stereo", "parameters": { "volume": 0.7, "enable": true } },
              "1": {
                "comment": "A pan of -1 is left, of 1 right.",
                "streamFormat": "mono",
                "parameters": { "volume": 0.4, "enable": true, "pan": 0.5 }
              }
            },
            "outputs": { "0": { "sampleRate": "session", "parameters": { "volume": 1 } } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "sea", "to": "mixer:0" },
          { "from": "horn", "to": "mixer:1" },
          { "from": "mixer", "to": "io" }
        ]
      }

      """#)

  static let eq = StarterPatch(
    name: "eq", summary: "a sound through an equalizer, and another beside it, into a mixer",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Output only, with an equalizer and a mixer",
        "comment": "Another preset: --set '/nodes/eq/properties/presentPreset=Treble Booster'. 'patchrun units iPodEQ' lists them.",
        "session": { "category": "playback", "preferredSampleRate": 44100 },
        "streamFormats": {
          "stereo": { "sample": "float32", "channels": 2, "sampleRate": "session" }
        },
        "callbacks": {
          "sea": {
            "comment": "A sound file instead: { \"kind\": \"file\", \"path\": \"beats.wav\", \"loop\": true }",
            "kind": "noise",
            "color": "pink",
            "amplitude": 0.2
          },
          "horn": { "kind": "tone", "waveform": "triangle", "frequency": 110 }
        },
        "nodes": {
          "eq": {
            "component": "iPodEQ",
            "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Bass Booster" },
            "inputs": { "0": { "streamFormat": "stereo" } },
            "outputs": {
              "0": {
                "comment": "The same as its input; it has to be given all the same.",
                "streamFormat": "stereo"
              }
            }
          },
          "mixer": {
            "component": "MultichannelMixer",
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputCount": 2,
            "inputs": {
              "0": {
                "comment": "Fed by a connection: its format comes from the equalizer.",
                "parameters": { "volume": 0.8 }
              },
              "1": { "streamFormat": "stereo", "parameters": { "volume": 0.3 } }
            },
            "outputs": { "0": { "sampleRate": "session" } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "sea", "to": "eq" },
          { "from": "eq", "to": "mixer:0" },
          { "from": "horn", "to": "mixer:1" },
          { "from": "mixer", "to": "io" }
        ]
      }

      """#)

  static let offline = StarterPatch(
    name: "offline", summary: "a Generic Output, without a device, for 'patchrun render'",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Offline",
        "comment": "patchrun render offline.json -o out.wav: faster than real time, until the sources end.",
        "streamFormats": {
          "stereo": { "sample": "float32", "channels": 2, "sampleRate": 44100 }
        },
        "callbacks": {
          "sweep": { "kind": "sweep", "from": 50, "to": 5000, "duration": 5 }
        },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer",
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputCount": 1,
            "inputs": { "0": { "streamFormat": "stereo", "parameters": { "volume": 0.8 } } },
            "outputs": { "0": { "sampleRate": 44100 } }
          },
          "out": {
            "component": "GenericOutput",
            "properties": { "offlineRender": true, "maximumFramesPerSlice": 4096 }
          }
        },
        "connections": [
          { "from": "sweep", "to": "mixer:0" },
          { "from": "mixer", "to": "out" }
        ]
      }

      """#)

  static let spatial = StarterPatch(
    name: "spatial", summary: "a 3D mixer: a source that circles the head, and one that stays",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Sources in space",
        "comment": "For headphones. Angles are in degrees: 0 is ahead, 90 right, -90 left. Distances are in meters.",
        "session": { "category": "playback", "preferredSampleRate": 44100 },
        "streamFormats": {
          "source": {
            "comment": "The 3D Mixer takes mono sources of 16 bits, each at a rate of its own.",
            "sample": "int16",
            "channels": 1,
            "sampleRate": 44100
          }
        },
        "callbacks": {
          "fly": {
            "comment": "A sound file instead: { \"kind\": \"file\", \"path\": \"guitar.wav\", \"loop\": true }",
            "kind": "noise",
            "amplitude": 0.2
          },
          "horn": { "kind": "tone", "waveform": "triangle", "frequency": 220 }
        },
        "nodes": {
          "space": {
            "component": "3DMixer",
            "properties": { "maximumFramesPerSlice": 4096, "reverbPreset": "SmallRoom" },
            "inputCount": 2,
            "inputs": {
              "0": {
                "streamFormat": "source",
                "properties": { "spatializationAlgorithm": "HRTF" },
                "parameters": { "azimuth": -180, "distance": 1, "reverbBlend": 10 }
              },
              "1": {
                "streamFormat": "source",
                "properties": { "spatializationAlgorithm": "HRTF" },
                "parameters": { "azimuth": 30, "distance": 4, "reverbBlend": 30 }
              }
            },
            "outputs": { "0": { "sampleRate": "session" } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "fly", "to": "space:0" },
          { "from": "horn", "to": "space:1" },
          { "from": "space", "to": "io" }
        ],
        "timeline": [
          {
            "comment": "Once around the head.",
            "at": 0,
            "ramp": { "path": "/nodes/space/inputs/0/parameters/azimuth", "to": 180, "duration": 8 }
          },
          { "at": 8.5, "stop": true }
        ]
      }

      """#)
}
