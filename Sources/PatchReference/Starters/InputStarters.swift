// Patterns that use the microphone.

extension StarterPatch {
  static let passThrough = StarterPatch(
    name: "pass-through", summary: "the microphone to the loudspeaker, with nothing between them",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Pass-through",
        "comment": "Wear headphones: a loudspeaker that the microphone hears would howl.",
        "session": {
          "comment": "playAndRecord has an input and an output. 5 ms is asked for; what was granted is printed.",
          "category": "playAndRecord",
          "preferredIOBufferDuration": 0.005
        },
        "streamFormats": {
          "stereo": { "sample": "float32", "channels": 2, "sampleRate": "session" }
        },
        "nodes": {
          "io": {
            "component": "remoteIO",
            "inputs": {
              "1": {
                "comment": "Element 1 is the microphone side. It is off until it is turned on.",
                "properties": { "enableIO": true }
              }
            },
            "outputs": {
              "1": {
                "comment": "What the graph gets from the microphone. The connection carries it on.",
                "streamFormat": "stereo"
              }
            }
          }
        },
        "connections": [
          { "from": "io:1", "to": "io:0" }
        ]
      }

      """#)

  static let ioCallback = StarterPatch(
    name: "io-callback",
    summary: "the microphone to the loudspeaker, through a render callback",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "I/O with a render callback",
        "comment": "Wear headphones: a loudspeaker that the microphone hears would howl.",
        "session": { "category": "playAndRecord", "preferredIOBufferDuration": 0.005 },
        "streamFormats": {
          "voice": { "sample": "float32", "channels": 1, "sampleRate": "session" }
        },
        "callbacks": {
          "shaker": {
            "comment": "It pulls the microphone side, and feeds the loudspeaker side. Others: gain, ringModulator, echo, convolution, expression.",
            "kind": "tremolo",
            "rate": 6,
            "depth": 0.7,
            "from": "io:1"
          }
        },
        "nodes": {
          "io": {
            "component": "remoteIO",
            "inputs": {
              "0": {
                "comment": "What a callback feeds has to be given a format: that of what it pulls.",
                "streamFormat": "voice"
              },
              "1": { "properties": { "enableIO": true } }
            },
            "outputs": { "1": { "streamFormat": "voice" } }
          }
        },
        "connections": [
          { "from": "shaker", "to": "io:0" }
        ]
      }

      """#)

  static let ioMixer = StarterPatch(
    name: "io-mixer", summary: "the microphone to the loudspeaker, through a mixer",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "I/O with a mixer and no render callback",
        "comment": "Wear headphones: a loudspeaker that the microphone hears would howl.",
        "session": { "category": "playAndRecord", "preferredIOBufferDuration": 0.005 },
        "streamFormats": {
          "voice": { "sample": "float32", "channels": 1, "sampleRate": "session" }
        },
        "nodes": {
          "mixer": {
            "component": "MultichannelMixer",
            "inputCount": 1,
            "inputs": {
              "0": {
                "comment": "Its format comes along the connection. A pan of -1 is left, of 1 right.",
                "parameters": { "volume": 0.8, "pan": -0.4 }
              }
            },
            "outputs": {
              "0": {
                "comment": "A mixer puts out stereo; it is given its rate only.",
                "sampleRate": "session"
              }
            }
          },
          "io": {
            "component": "remoteIO",
            "inputs": { "1": { "properties": { "enableIO": true } } },
            "outputs": { "1": { "streamFormat": "voice" } }
          }
        },
        "connections": [
          { "from": "io:1", "to": "mixer:0" },
          { "from": "mixer", "to": "io:0" }
        ]
      }

      """#)

  static let record = StarterPatch(
    name: "record", summary: "the microphone to a file",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Record",
        "comment": "Press Ctrl-C to end, or give a --duration.",
        "session": { "comment": "The category record has no output.", "category": "record" },
        "nodes": {
          "io": {
            "component": "remoteIO",
            "inputs": { "1": { "properties": { "enableIO": true } } },
            "outputs": {
              "0": {
                "comment": "The loudspeaker side is on until it is turned off.",
                "properties": { "enableIO": false }
              },
              "1": { "streamFormat": { "sample": "float32", "channels": 1, "sampleRate": "session" } }
            }
          }
        },
        "taps": {
          "recording": {
            "comment": "A tap watches a bus. The extension says what kind of file; one that is there is replaced.",
            "kind": "record",
            "at": "io:1",
            "path": "recording.wav",
            "format": "int16"
          }
        }
      }

      """#)

  static let voiceChat = StarterPatch(
    name: "voice-chat",
    summary: "a far end on the loudspeaker, and the microphone without its echo to a file",
    text: #"""
      {
        "schemaVersion": 1,
        "title": "Voice chat",
        "comment": "The Voice-Processing I/O unit takes what it plays out of what it hears.",
        "session": {
          "category": "playAndRecord",
          "preferredSampleRate": 16000,
          "preferredIOBufferDuration": 0.01
        },
        "streamFormats": {
          "voice": { "sample": "float32", "channels": 1, "sampleRate": "session" }
        },
        "callbacks": {
          "caller": {
            "comment": "Stands for the far end. A recording: { \"kind\": \"file\", \"path\": \"caller.wav\" }",
            "kind": "noise",
            "color": "pink",
            "amplitude": 0.1
          }
        },
        "nodes": {
          "io": {
            "component": "voiceProcessingIO",
            "properties": {
              "comment": "As they are from the start.",
              "bypassVoiceProcessing": false,
              "voiceProcessingEnableAGC": true
            },
            "inputs": {
              "0": { "streamFormat": "voice" },
              "1": { "properties": { "enableIO": true } }
            },
            "outputs": { "1": { "streamFormat": "voice" } }
          }
        },
        "connections": [
          { "from": "caller", "to": "io:0" }
        ],
        "taps": {
          "uplink": {
            "comment": "What would go to the far end.",
            "kind": "record",
            "at": "io:1",
            "path": "uplink.wav",
            "format": "int16"
          }
        }
      }

      """#)
}
