/// Valid patches shared by several pages.
package enum ExamplePatches {
  /// A tone on the loudspeaker.
  package static let tone = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """

  /// The patch for test files: a sine of 1 kHz at -6 dBFS in the centre.
  package static let tested = """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { "tone": { "kind": "tone", "frequency": 1000, "amplitude": 0.5 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "mixer" }, { "from": "mixer", "to": "io" } ]
    }
    """

  /// A test file for `tested` with one expectation.
  ///
  /// - Parameters:
  ///   - settings: The members of the test's `settings` object; empty for none.
  ///   - duration: In seconds.
  package static func expectation(
    _ expectation: String, settings: String = "", duration: Int = 1
  ) -> String {
    let changed = settings.isEmpty ? "" : "\n      \"settings\": { \(settings) },"
    return """
      {
        "patch": "tone.json",
        "tests": {
          "a tone": {\(changed)
            "duration": \(duration),
            "expect": [
              \(expectation)
            ]
          }
        }
      }
      """
  }

  /// A tone whose amplitude is a constant.
  package static let constants = """
    {
      "constants": { "level": "-6 dB" },
      "session": { "preferredSampleRate": 48000 },
      "callbacks": { "tone": { "kind": "tone", "amplitude": "$level" } },
      "nodes": {
        "io": {
          "component": "remoteIO",
          "inputs": {
            "0": {
              "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" }
            }
          }
        }
      },
      "connections": [ { "from": "tone", "to": "io:0" } ]
    }
    """

  /// Three tones of a chord in a mixer.
  package static let copies = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone{i}": { "count": 3, "kind": "tone", "frequency": "{220 * (i + 2)}", "amplitude": 0.2 }
      },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputCount": 3,
          "inputs": { "{i}": { "count": 3, "parameters": { "pan": "{i - 1}" } } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "count": 3, "from": "tone{i}", "to": "mixer:{i}" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// A tone through a mixer.
  package static let mixer = """
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

  /// A tone through a mixer, with further members of the patch.
  package static func mixer(with members: String) -> String {
    let indented = members.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return mixer.dropLast(2) + ",\n" + indented + "\n}"
  }

  /// A tone through an equalizer.
  package static let equalizer = """
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

  /// The microphone to the loudspeaker.
  package static let microphone = """
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

  /// A tone to the left of a listener.
  package static let space = """
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

  /// A tone at a rate other than the device's, through a converter.
  package static let converter = """
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

  /// A mixer whose volume falls, at times in beats.
  package static let beating = mixer(
    with: """
      "tempo": 120,
      "timeline": [
        {
          "at": 1,
          "ramp": {
            "path": "/nodes/mixer/inputs/0/parameters/volume",
            "to": 0.001,
            "duration": 2,
            "curve": "exponential"
          }
        }
      ]
      """)

  /// A tone whose format is written field by field.
  package static let described = """
    {
      "streamFormat": {
        "mSampleRate": 44100, "mFormatID": "lpcm",
        "mFormatFlags": [ "kAudioFormatFlagIsSignedInteger", "kAudioFormatFlagIsPacked" ],
        "mBytesPerPacket": 4, "mFramesPerPacket": 1, "mBytesPerFrame": 4,
        "mChannelsPerFrame": 2, "mBitsPerChannel": 16
      },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """

  /// A mixer with an input that has a format of its own.
  package static let formatted = mixer.replacing(
    "\"inputs\": { \"0\": { \"parameters\": { \"volume\": 0.8 } } }",
    with: """
      "inputs": {
              "0": { "streamFormat": { "sample": "int16", "channels": 2, "sampleRate": 44100 } }
            }
      """)

  /// The microphone to a file.
  package static let recording = """
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

  /// A tone, multiplied by a sine.
  package static let ringModulated = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": {
        "tone": { "kind": "tone" },
        "ring": { "kind": "ringModulator", "frequency": 90, "from": "tone" }
      },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "ring", "to": "io" } ]
    }
    """

  /// A tone through a sub-graph.
  package static let strip = """
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

  /// A tone through a sub-graph with a knob.
  package static let turned = strip.replacing(
    "\"settings\": {", with: "\"parameters\": { \"level\": 0.5 },\n      \"settings\": {")

  /// A tone through a filter that is set by a preset.
  package static let preset = equalizer.replacing(
    """
    "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
    """,
    with: """
      "ParametricEQ",
            "preset": "parts/voice.json",
            "properties": { "maximumFramesPerSlice": 4096 }
      """)

  /// A mixer whose mix is recorded.
  package static let tapped = mixer(
    with: """
      "taps": { "mix": { "kind": "record", "at": "mixer", "path": "mix.wav" } }
      """)

  /// A mixer with a knob for an enclosing patch.
  package static let knobbed = mixer(
    with: """
      "knobs": {
        "place": { "turns": "/nodes/mixer/inputs/0/parameters/pan", "min": -0.5, "max": 0.5 }
      }
      """)

  /// A mixer whose volume falls.
  package static let timed = mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0, "duration": 2 }
        }
      ]
      """)

  /// A short sweep that is triggered again.
  package static let triggered = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "beep": { "kind": "sweep", "duration": 0.5 } },
      "nodes": { "io": { "component": "remoteIO" } },
      "connections": [ { "from": "beep", "to": "io" } ],
      "timeline": [ { "at": 1, "trigger": "beep" } ]
    }
    """

  /// A mixer whose volume falls eight times.
  package static let repeated = mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "repeat": { "every": 0.5, "count": 8 },
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 0, "duration": 0.25 }
        },
        {
          "at": 1.25,
          "repeat": { "every": 0.5, "count": 8 },
          "ramp": { "path": "/nodes/mixer/inputs/0/parameters/volume", "to": 1 }
        }
      ]
      """)

  /// Two equalizers, mixed.
  package static let twoEqualizers = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" },
        "one": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "two": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Flat" }
        }
      },
      "connections": [
        { "from": "tone", "to": "one" },
        { "from": "tone", "to": "two" },
        { "from": "one", "to": "mixer:0" },
        { "from": "two", "to": "mixer:1" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """

  /// A mix that a splitter feeds to a mixer and to an equalizer.
  package static let split = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mix": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "split": {
          "component": "MultiSplitter", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "sum": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "mix:0" },
        { "from": "mix", "to": "split" },
        { "from": "split:0", "to": "sum:0" },
        { "from": "split:1", "to": "eq" },
        { "from": "eq", "to": "sum:1" },
        { "from": "sum", "to": "io" }
      ]
    }
    """

  /// A tone, directly and through a limiter, with compensated latency.
  package static let unequalPaths = """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "compensateLatency": true,
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "limiter": {
          "component": "PeakLimiter", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "sum": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "sum:0" },
        { "from": "tone", "to": "limiter" },
        { "from": "limiter", "to": "sum:1" },
        { "from": "sum", "to": "io" }
      ]
    }
    """

  /// A mixer whose volume is changed by an update.
  package static let updated = mixer(
    with: """
      "timeline": [
        {
          "at": 1,
          "update": [
            { "op": "replace", "path": "/nodes/mixer/inputs/0/parameters/volume", "value": 0.5 }
          ]
        }
      ]
      """)
}
