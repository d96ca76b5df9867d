import AudioTypes
import Diagnostics
import PatchSyntax
import Testing

struct PatchReaderTests {
  /// A patch with every member that there is.
  static let whole = """
    {
      "$schema": "../schema/patch.schema.json",
      "schemaVersion": 1,
      "title": "A guitar and a beat",
      "comment": ["two", "lines"],
      "session": { "category": "playback", "preferredSampleRate": 48000,
                   "preferredIOBufferDuration": 0.005 },
      "streamFormats": {
        "comment": "formats",
        "stereo": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "mono": { "sample": "fixed8.24", "channels": 1, "sampleRate": 44100, "interleaved": true },
        "full": { "mSampleRate": 44100, "mFormatID": "lpcm", "mFormatFlags": ["isFloat"],
                  "mBytesPerPacket": 4, "mFramesPerPacket": 1, "mBytesPerFrame": 4,
                  "mChannelsPerFrame": 2, "mBitsPerChannel": 32 }
      },
      "streamFormat": "stereo",
      "callbacks": {
        "guitar": { "kind": "file", "path": "audio/guitar.wav", "loop": true, "comment": "x" }
      },
      "nodes": {
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Bass Booster" },
          "inputs": { "0": { "streamFormat": "mono" } },
          "outputs": { "0": { "streamFormat": { "sample": "int16", "channels": 1,
                                                "sampleRate": 8000 } } }
        },
        "mixer": {
          "component": { "type": "aumx", "subtype": "mcmx", "manufacturer": "appl", "flags": 0 },
          "parameters": { "volume": 1 },
          "inputCount": 2,
          "inputs": { "0": { "parameters": { "volume": 0.8, "comment": "soft" } },
                      "1": { "properties": { "meteringMode": true } } },
          "outputs": { "0": { "sampleRate": "session" } }
        },
        "strip": { "subgraph": "strip.json" },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "guitar", "to": "mixer:0" },
        { "from": "eq:0", "to": "mixer:1", "comment": "x" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": { "mix": { "kind": "record", "at": "mixer:0", "path": "mix.wav" } },
      "timeline": [ { "at": 2.0, "stop": true } ]
    }
    """

  private func read(_ text: String, overrides: [String] = []) -> PatchReader.Result {
    PatchReader.read(bytes: Array(text.utf8), name: "x.json", overrides: overrides)
  }

  /// A small patch with additional members.
  private func patch(_ members: String) -> String {
    #"{ "nodes": { "io": { "component": "remoteIO" } }, \#(members) }"#
  }

  private func messages(_ text: String) -> [String] {
    read(text).diagnostics.map { diagnostic in
      #expect(!diagnostic.help.isEmpty, "\(diagnostic.code) helps")
      return "\(diagnostic.code) \(diagnostic.pointer ?? "-") \(diagnostic.message)"
    }
  }

  @Test func `a patch is read as it is written`() throws {
    let result = read(Self.whole)
    #expect(result.diagnostics.isEmpty, "\(messages(Self.whole))")
    let document = try #require(result.document)
    #expect(document.schemaVersion?.value == 1)
    #expect(document.title?.value == "A guitar and a beat")
    #expect(document.session?.value.category?.value == .playback)
    #expect(document.session?.value.preferredSampleRate?.value == 48000)
    #expect(document.session?.value.preferredIOBufferDuration?.value == 0.005)

    #expect(document.streamFormats.map(\.name) == ["stereo", "mono", "full"])
    guard case .short(let mono) = document.streamFormats[1].value.value else {
      Issue.record("mono is written in the short form")
      return
    }
    #expect(mono.sample?.value == .fixed824)
    #expect(mono.channels?.value == 1)
    #expect(mono.sampleRate?.value == .hertz(44100))
    #expect(mono.interleaved?.value == true)
    guard case .description(let full) = document.streamFormats[2].value.value else {
      Issue.record("full is written field by field")
      return
    }
    #expect(full.sampleRate?.value == .hertz(44100))
    #expect(full.formatID?.string == "lpcm")
    #expect(full.formatFlags?.kind == .array)
    #expect(full.bytesPerPacket?.value == 4 && full.framesPerPacket?.value == 1)
    #expect(full.bytesPerFrame?.value == 4 && full.channelsPerFrame?.value == 2)
    #expect(full.bitsPerChannel?.value == 32)
    guard case .name("stereo")? = document.streamFormat?.value else {
      Issue.record("the patch's format is a name")
      return
    }

    #expect(document.callbacks.map(\.name) == ["guitar"])
    #expect(document.callbacks[0].value.kind?.value == "file")
    #expect(document.callbacks[0].value.fields.map(\.name) == ["path", "loop"])

    #expect(document.nodes.map(\.name) == ["eq", "mixer", "strip", "io"])
    let eq = document.nodes[0].value
    guard case .name("iPodEQ")? = eq.component?.value else {
      Issue.record("eq's component is a name")
      return
    }
    #expect(eq.properties.map(\.name) == ["maximumFramesPerSlice", "presentPreset"])
    #expect(eq.properties[1].value.string == "Bass Booster")
    #expect(eq.properties[1].key.pointer == "/nodes/eq/properties/presentPreset")
    let mixer = document.nodes[1].value
    guard case .description(let component)? = mixer.component?.value else {
      Issue.record("mixer's component is a description")
      return
    }
    #expect(component.type?.string == "aumx" && component.subtype?.string == "mcmx")
    #expect(component.manufacturer?.string == "appl" && component.flags?.integer == 0)
    #expect(component.flagsMask == nil)
    #expect(mixer.parameters.map(\.name) == ["volume"])
    #expect(mixer.inputCount?.value == 2)
    #expect(mixer.inputs.map(\.bus.value) == [0, 1])
    #expect(mixer.inputs[0].parameters.map(\.name) == ["volume"])
    #expect(mixer.inputs[0].parameters[0].value.number == 0.8)
    #expect(mixer.inputs[1].properties[0].value.bool == true)
    #expect(mixer.outputs[0].sampleRate?.value == .session)
    #expect(document.nodes[2].value.subgraph?.string == "strip.json")

    #expect(
      document.connections.map { "\($0.from!.value) \($0.to!.value)" } == [
        "guitar mixer:0", "eq:0 mixer:1", "mixer io",
      ])
    #expect(document.connections[1].to?.pointer == "/connections/1/to")
    #expect(document.source[document.connections[1].to!.range] == "\"mixer:1\"")
    #expect(document.taps[0].value.kind?.value == "record")
    #expect(document.taps[0].value.at?.value == .init(node: "mixer", bus: 0))
    #expect(document.taps[0].value.fields.map(\.name) == ["path"])
    #expect(document.timeline.map(\.at?.value) == [.seconds(2)])
    #expect(document.timeline.map(\.stop?.value) == [true])
  }

  @Test func `the smallest patch has nodes`() {
    #expect(messages(#"{ "nodes": { "io": { "component": "remoteIO" } } }"#) == [])
    #expect(messages("{}") == ["PR0103  a patch needs 'nodes'"])
    #expect(messages(#"{ "nodes": {} }"#) == ["PR0108 /nodes the patch has no nodes"])
    #expect(messages(#"{ "nodes": {"comment": ""} }"#) == ["PR0108 /nodes the patch has no nodes"])
    #expect(messages("[]") == ["PR0101  a patch is an object, not an array"])
  }

  @Test func `an unknown key is refused with the one that was meant`() throws {
    let text = patch(#""streamformat": "x", "conections": []"#)
    #expect(
      messages(text) == [
        "PR0102 /streamformat a patch has no key 'streamformat'",
        "PR0102 /conections a patch has no key 'conections'",
      ])
    let diagnostics = read(text).diagnostics
    #expect(diagnostics[0].label == "did you mean 'streamFormat' or 'streamFormats'?")
    #expect(diagnostics[1].label == "did you mean 'connections'?")
    #expect(diagnostics[1].fixes.first?.edits.first?.replacement == "\"connections\"")
    #expect(
      diagnostics[0].help == [
        "the keys here are 'schemaVersion', 'title', 'constants', 'session', 'limits', "
          + "'streamFormats', 'streamFormat', 'maximumFramesPerSlice', 'callbacks', 'nodes', 'connections', 'compensateLatency', 'taps', 'tempo', 'timeline', 'knobs', '$schema' and 'comment'"
      ])
  }

  @Test func `a misspelled key is not a missing one too`() {
    #expect(messages(#"{ "node": {} }"#) == ["PR0102 /node a patch has no key 'node'"])
  }

  @Test func `a key that has another name elsewhere is not missing besides`() {
    let text = #"""
      {
        "nodes": { "io": { "component": "remoteIO" } },
        "callbacks": { "beep": { "type": "tone" } },
        "connections": [ { "src": "beep", "dst": "io" } ]
      }
      """#
    #expect(
      messages(text) == [
        "PR0102 /callbacks/beep/type a callback has no key 'type'",
        "PR0102 /connections/0/src a connection has no key 'src'",
        "PR0102 /connections/0/dst a connection has no key 'dst'",
      ])
  }

  @Test func `all mistakes of a patch are found in one run`() {
    let text = """
      {
        "schemaVersion": 2,
        "title": 3,
        "session": { "preferredSampleRate": "48000", "preferredIOBufferDuration": -1, "mode": 1 },
        "streamFormats": {
          "a": { "sample": 1, "channels": 0, "sampleRate": "fast" },
          "b": { "sample": "float32" },
          "c": { "sample": "float32", "mSampleRate": 44100 },
          "d": "a",
          "e": { "mBytesPerFrame": 1.5, "mChannelsPerFrame": -1, "mBitsPerChannel": 1e400 }
        },
        "callbacks": { "x:y": { "kind": "tone" }, "z": {}, "mixer": { "kind": "noise" } },
        "nodes": {
          "": { "component": "iPodEQ" },
          "none": {},
          "both": { "component": "iPodEQ", "subgraph": "s.json" },
          "mixer": {
            "component": 7,
            "inputCount": 2.5,
            "inputs": { "01": {}, "x": {}, "0": 1, "4294967296": {} },
            "outputs": []
          }
        },
        "connections": [
          { "from": "mixer:", "to": ":0" },
          { "from": "mixer:-1", "to": "a:+1" },
          { "form": "mixer" },
          5
        ],
        "taps": { "t": { "kind": true } },
        "timeline": {},
        "comment": 1
      }
      """
    #expect(
      messages(text) == [
        "PR0104 /schemaVersion schema version 2 is not known",
        "PR0101 /title 'title' is a string, not the number 3",
        "PR0101 /session/preferredSampleRate 'preferredSampleRate' is a number from 1000 to 768000 Hz, not the string '48000'",
        "PR0109 /session/preferredIOBufferDuration 'preferredIOBufferDuration' is a number above 0 and up to 10 s, not -1",
        "PR0102 /session/mode the session has no key 'mode'",
        "PR0101 /streamFormats/a/sample 'sample' is \"float32\", \"int16\", \"int24\", \"int32\" or \"fixed8.24\", not the number 1",
        "PR0109 /streamFormats/a/channels 'channels' is a whole number from 1 to 1024, not 0",
        "PR0101 /streamFormats/a/sampleRate 'sampleRate' is a number of hertz or \"session\", not the string 'fast'",
        "PR0103 /streamFormats/b a stream format needs 'channels' and 'sampleRate'",
        "PR0110 /streamFormats/c/mSampleRate a stream format is written in its short form or field by field, not in both",
        "PR0101 /streamFormats/d a stream format is an object, not the string 'a'",
        "PR0109 /streamFormats/e/mBytesPerFrame 'mBytesPerFrame' is a whole number from 0 to 4294967295, not 1.5",
        "PR0109 /streamFormats/e/mChannelsPerFrame 'mChannelsPerFrame' is a whole number from 0 to 4294967295, not -1",
        "PR0109 /streamFormats/e/mBitsPerChannel 'mBitsPerChannel' is a whole number from 0 to 4294967295, not 1e400",
        "PR0107 /callbacks/x:y the name 'x:y' has a colon",
        "PR0103 /callbacks/z a callback needs 'kind'",
        "PR0107 /nodes/ a name is empty",
        "PR0103 /nodes/none a node needs 'component'",
        "PR0110 /nodes/both/subgraph a node is a component or a sub-graph, not both",
        "PR0112 /nodes/mixer 'mixer' is the name of a node and of a callback",
        "PR0101 /nodes/mixer/component 'component' is a name or an object with type, subtype and manufacturer, not the number 7",
        "PR0109 /nodes/mixer/inputCount 'inputCount' is a whole number from 1 to 1024, not 2.5",
        "PR0106 /nodes/mixer/inputs/01 '01' is not a bus number",
        "PR0106 /nodes/mixer/inputs/x 'x' is not a bus number",
        "PR0101 /nodes/mixer/inputs/0 a bus is an object, not the number 1",
        "PR0106 /nodes/mixer/inputs/4294967296 '4294967296' is not a bus number",
        "PR0101 /nodes/mixer/outputs 'outputs' is an object, not an array",
        "PR0105 /connections/0/from 'mixer:' is not an address",
        "PR0105 /connections/0/to ':0' is not an address",
        "PR0105 /connections/1/from 'mixer:-1' is not an address",
        "PR0105 /connections/1/to 'a:+1' is not an address",
        "PR0103 /connections/2 a connection needs 'to'",
        "PR0102 /connections/2/form a connection has no key 'form'",
        "PR0101 /connections/3 a connection is an object, not the number 5",
        "PR0103 /taps/t a tap needs 'at'",
        "PR0101 /taps/t/kind 'kind' is a string, not true",
        "PR0101 /timeline 'timeline' is an array, not an object",
        "PR0101 /comment 'comment' is a string, not the number 1",
      ])
    // The valid parts are in the document.
    let document = read(text).document
    #expect(document?.callbacks.map(\.name) == ["x:y", "z", "mixer"])
    #expect(document?.connections.count == 3)
  }

  @Test func `a mistake looks like this`() {
    let text = """
      {
        "nodes": {
          "io": { "component": "remoteIO", "propertys": { } },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "mixer:01", "to": "io" } ]
      }
      """
    let result = read(text)
    let renderer = TextRenderer(source: result.source)
    #expect(
      renderer.render(result.diagnostics) + renderer.summary(of: result.diagnostics) == """
        error[PR0102]: a node has no key 'propertys'
         --> x.json:3:38  /nodes/io/propertys
          |
        3 |     "io": { "component": "remoteIO", "propertys": { } },
          |                                      ^^^^^^^^^^^ did you mean 'properties'?
          |
          = help: the keys here are 'component', 'subgraph', 'settings', 'preset', 'device', 'properties', 'parameters', 'bands', 'inputCount', 'outputCount', 'inputs', 'outputs' and 'comment'

        error[PR0023]: the key 'io' stands twice in one object
         --> x.json:4:5  /nodes/io
          |
        3 |     "io": { "component": "remoteIO", "propertys": { } },
          |     ---- first here
        4 |     "io": { "component": "remoteIO" }
          |     ^^^^ again here
          |
          = help: remove one of the two, or rename it

        error[PR0105]: 'mixer:01' is not an address
         --> x.json:6:37  /connections/0/from
          |
        6 |   "connections": [ { "from": "mixer:01", "to": "io" } ]
          |                                     ^^ this is no bus number
          |
          = help: an address is a name, as "mixer", or a name and a bus, as "mixer:1" or "mixer:Voice"

        3 errors in x.json
        """)
  }

  @Test func `mistakes in the JSON that leave its structure do not hide those of the patch`() {
    #expect(
      messages(#"{ 'nodes': { "io": { "component": "remoteIO", "gain": .5 } }, }"#) == [
        "PR0011 - strings stand in straight double quotes",
        "PR0102 /nodes/io/gain a node has no key 'gain'",
        "PR0016 - '.5' is not a number in JSON",
        "PR0005 - a comma stands before a closing bracket",
      ])
  }

  @Test func `a value that was refused is not refused again`() {
    #expect(
      messages(patch(#""title": nope, "session": 01, "timeline": +1"#)) == [
        "PR0017 - 'nope' stands without quotes", "PR0016 - '01' is not a number in JSON",
        "PR0016 - '+1' is not a number in JSON",
      ])
  }

  @Test func `mistakes that leave no structure are the only ones reported`() {
    let result = read(#"{ "nodes": { "io": { "component": 5 }, "x": 1 "#)
    #expect(result.document == nil)
    #expect(result.diagnostics.map(\.code) == ["PR0018"])
  }

  @Test func `a quoted number is mended by removing the quotes`() {
    let text = patch(#""session": { "preferredSampleRate": "48000" }"#)
    let diagnostic = read(text).diagnostics.first
    #expect(diagnostic?.help == ["write 48000 without quotes"])
    #expect(diagnostic?.fixes.first?.edits.first?.replacement == "48000")
  }

  @Test func `only jsonc files may have comments`() {
    let bytes = Array(
      "{ \"nodes\": { \"io\": { \"component\": \"remoteIO\", } } // the only one\n}".utf8)
    #expect(PatchReader.read(bytes: bytes, name: "x.jsonc").diagnostics.isEmpty)
    #expect(
      PatchReader.read(bytes: bytes, name: "x.json").diagnostics.map(\.code) == [
        "PR0005", "PR0004",
      ])
  }

  @Test func `ten thousand nodes are read`() {
    let nodes = (0..<10_000).map {
      "\"node\($0)\": { \"component\": \"iPodEQ\", \"inputs\": { \"0\": { \"streamFormat\": \"a\" } } }"
    }
    let result = read("{ \"nodes\": { \(nodes.joined(separator: ",\n")) } }")
    #expect(result.diagnostics.isEmpty)
    #expect(result.document?.nodes.count == 10_000)
  }
}
