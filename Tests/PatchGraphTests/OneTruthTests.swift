import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderCallbacks
import RenderHost
import TestSupport
import Testing

/// Problems found in use, one by one: each mistake and its present diagnostic.
@Suite struct OneTruthTests {
  private static func build(
    _ text: String, directory: String = "", notes: Bool = false
  ) -> BuiltPatch {
    PatchBuilder.build(text, name: "p.json", directory: directory, notes: notes)
  }

  private static func errors(_ text: String) -> [Diagnostic] {
    build(text).diagnostics.filter { $0.severity == .error }
  }

  private static func codes(_ text: String) -> [String] { errors(text).map(\.code.rawValue) }

  /// A tone through a mixer to the loudspeaker.
  private static let mixed = """
    {
      "title": "A tone",
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 44100 },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440 } },
      "nodes": {
        "mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "mixer:0" }, { "from": "mixer", "to": "io" } ]
    }
    """

  private static func mixed(_ part: String, _ other: String) -> String {
    let text = mixed.replacing(part, with: other, maxReplacements: 1)
    precondition(text != mixed, "the part is there")
    return text
  }

  private static func mixer(_ settings: String) -> String {
    mixed("\"MultichannelMixer\",", "\"MultichannelMixer\", \(settings),")
  }

  // MARK: E1: sub-graphs

  private func withPart(_ part: String, _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try folder.write(part, to: "part.json")
    try body(folder.path)
  }

  private static let parent = """
    {
      "nodes": { "part": { "subgraph": "part.json" }, "io": { "component": "remoteIO" } },
      "connections": [ { "from": "part", "to": "io" } ]
    }
    """

  @Test func `a sub-graph whose output unit is misspelt is told where it is written`() throws {
    let part = Self.mixed("\"remoteIO\"", "\"GenricOutput\"")
    try withPart(part) { folder in
      let patch = Self.build(Self.parent, directory: folder)
      let errors = patch.diagnostics.filter { $0.severity == .error }
      #expect(errors.map(\.code) == ["PR0201"])
      #expect(errors.first?.message.text == "there is no component 'GenricOutput'")
      #expect(
        errors.first.map { patch.source.origin(of: $0.range).text.name.hasSuffix("part.json") }
          == true)
    }
  }

  // MARK: E2: formats of connected inputs

  /// An equalizer, mono or stereo, and a mixer whose input has a format.
  private static func equalized(_ channels: Int, _ given: String, rate: Int = 44_100) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": \(channels), "sampleRate": \(rate) },
      "callbacks": { "tone": { "kind": "tone" } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": { "0": { \(given) } }
        },
        "eq": {
          "component": "iPodEQ",
          "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "tone", "to": "eq" }, { "from": "eq", "to": "mixer:0" },
        { "from": "mixer", "to": "io" }
      ]
    }
    """
  }

  private static func format(_ channels: Int, _ rate: Int = 44_100) -> String {
    "\"streamFormat\": { \"sample\": \"float32\", \"channels\": \(channels), \"sampleRate\": \(rate) }"
  }

  @Test func `a format on a connected input is right where it is the one that arrives`() {
    #expect(Self.codes(Self.equalized(1, Self.format(1))).isEmpty)
    #expect(Self.codes(Self.equalized(2, Self.format(2))).isEmpty)
    #expect(Self.codes(Self.equalized(2, Self.format(2, 48_000), rate: 48_000)).isEmpty)
    #expect(Self.codes(Self.equalized(2, "\"sampleRate\": 48000", rate: 48_000)).isEmpty)
  }

  @Test func `a format on a connected input is refused where another arrives`() throws {
    for text in [
      Self.equalized(1, Self.format(2)), Self.equalized(2, Self.format(1)),
      Self.equalized(2, Self.format(2), rate: 48_000),
      Self.equalized(2, "\"sampleRate\": 44100", rate: 48_000),
      Self.equalized(1, "\"sampleRate\": 48000"),
    ] {
      let error = try #require(Self.errors(text).first)
      #expect(Self.codes(text) == ["PR0403"])
      #expect(error.status?.rawValue == -10865)
      #expect(error.message.text.contains("arrives"))
    }
    let mono = try #require(Self.errors(Self.equalized(1, Self.format(2))).first)
    #expect(mono.message.text.contains("1 ch, 44100 Hz, float32 arrives"))
  }

  @Test func `a program is told so as well`() throws {
    let graph = AudioGraph(
      assuming: HardwareGrant(
        outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
        inputFormat: nil, ioBufferFrames: 1024))
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
    let equalizer = try graph.addNode(IPodEQ.description.component, name: "eq")
    try graph.open()
    let mono = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
    graph.defaultStreamFormat = mono
    try graph.setInputCallback(ToneCallback(), of: equalizer)
    try graph.connect(equalizer, to: mixer)
    try graph.connect(mixer, to: io)
    let unit = try graph.unit(mixer)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(mono))
    try unit.setProperty(.sampleRate, .input, 0, to: .float64(48_000))
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    for value: (PropertyID, PropertyValue) in [
      (.streamFormat, .streamFormat(stereo)), (.sampleRate, .float64(44_100)),
    ] {
      let error = #expect(throws: Violation.self) {
        try unit.setProperty(value.0, .input, 0, to: value.1)
      }
      #expect(error?.status == .propertyNotWritable)
    }
    try graph.initialize()
    graph.close()
  }

  // MARK: E3: silence

  @Test func `a mixer that nothing feeds is warned of, and the only input switched off is noted`() {
    let unfed = Self.mixed(
      "{ \"from\": \"tone\", \"to\": \"mixer:0\" }, ", ""
    ).replacing(
      "\"callbacks\": { \"tone\": { \"kind\": \"tone\", \"frequency\": 440 } },", with: "")
    let patch = Self.build(unfed)
    #expect(patch.diagnostics.map(\.code) == ["PR0316"])
    #expect(patch.diagnostics.first?.severity == .warning)
    #expect(patch.silenceReasons == ["nothing feeds the mixer 'mixer': it puts out silence"])
    let off = Self.mixer("\"inputs\": { \"0\": { \"parameters\": { \"enable\": false } } }")
    #expect(Self.build(off).diagnostics.isEmpty)
    let noted = Self.build(off, notes: true)
    #expect(noted.diagnostics.map(\.code) == ["PR0317"])
    #expect(noted.diagnostics.first?.severity == .note)
    #expect(noted.silenceReasons.count == 1)
    let down = Self.mixer("\"outputs\": { \"0\": { \"parameters\": { \"volume\": 0 } } }")
    #expect(
      Self.build(down, notes: true).silenceReasons
        == ["the output volume of the mixer 'mixer' is 0"])
  }

  // MARK: E4: echoes

  @Test func `a category is not held against an I/O unit that is not there`() {
    let session = "{ \"session\": { \"category\": \"record\" }, "
    #expect(Self.codes(session + "\"node\": {} }") == ["PR0102"])
    #expect(
      Self.codes(session + "\"node\": { \"io\": { \"component\": \"remoteIO\" } } }") == ["PR0102"])
    #expect(
      Self.codes(session + "\"nodes\": { \"io\": { \"component\": \"remotIO\" } } }") == ["PR0201"])
  }

  @Test func `the inputs of one unit that have no format are one mistake`() throws {
    let text = """
      {
        "callbacks": { "a": { "kind": "tone" }, "b": { "kind": "tone" }, "c": { "kind": "tone" } },
        "nodes": {
          "space": {
            "component": "3DMixer", "inputCount": 3,
            "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": { "1": { "parameters": { "azimuth": 20 } } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [
          { "from": "a", "to": "space:0" }, { "from": "b", "to": "space:1" },
          { "from": "c", "to": "space:2" }, { "from": "space", "to": "io" }
        ]
      }
      """
    let error = try #require(Self.errors(text).first)
    #expect(Self.codes(text) == ["PR0404"])
    #expect(error.message.text.contains("inputs 0, 1 and 2"))
    // The formats that a 3D mixer supports are in the help, and the edit makes the patch valid.
    #expect(error.help.contains { $0.contains("int16") })
    let fix = try #require(error.fixes.first)
    let fixed = SourceText(name: "p.json", text: text).applying(fix.edits)
    #expect(Self.codes(String(decoding: fixed.bytes, as: UTF8.self)).isEmpty)
  }

  @Test func `a name that is not there is one mistake, however often it is referred to`() throws {
    let text = Self.mixed("\"mixer\": {", "\"mixr\": {")
    let error = try #require(Self.errors(text).first)
    #expect(Self.codes(text) == ["PR0203"])
    #expect(error.notes.count == 1)
    let fixed = SourceText(name: "p.json", text: text).applying(error.fixes.flatMap(\.edits))
    #expect(Self.codes(String(decoding: fixed.bytes, as: UTF8.self)).isEmpty)
  }

  // MARK: E5: help

  @Test func `help for a 3D mixer that is given floats leads to a patch without errors`() throws {
    let text = Self.mixed(
      "\"io\": {",
      "\"space\": { \"component\": \"3DMixer\", \"properties\": { \"maximumFramesPerSlice\": 4096 } }, \"io\": {"
    )
    .replacing(
      "{ \"from\": \"mixer\", \"to\": \"io\" }",
      with: "{ \"from\": \"mixer\", \"to\": \"space\" }, { \"from\": \"space\", \"to\": \"io\" }")
    let error = try #require(Self.errors(text).first)
    #expect(Self.codes(text) == ["PR0409"])
    #expect(error.help.first?.contains("FormatConverter") == true)
    let fix = try #require(error.fixes.first)
    let fixed = SourceText(name: "p.json", text: text).applying(fix.edits)
    #expect(Self.codes(String(decoding: fixed.bytes, as: UTF8.self)).isEmpty)
  }

  // MARK: E6: statuses

  private static func status(_ text: String) -> Int32? { errors(text).first?.status?.rawValue }

  @Test func `statuses are those of Core Audio`() {
    #expect(
      Self.status(
        Self.mixed(
          "\"MultichannelMixer\", \"properties\": {",
          "\"iPodEQ\", \"properties\": { \"factoryPresets\": 1,"))
        == -10865)
    #expect(
      Self.status(Self.mixer("\"outputs\": { \"0\": { \"properties\": { \"elementCount\": 2 } } }"))
        == -10865)
    #expect(
      Self.status("{ \"nodes\": { \"io\": { \"component\": { \"type\": \"auoux\" } } } }") == -10864
    )
    let ramp = "\"ramp\": { \"path\": \"/nodes/nobody/inputs/0/parameters/volume\", \"to\": 0 }"
    #expect(
      Self.status(
        Self.mixed("\"connections\"", "\"timeline\": [ { \"at\": 1, \(ramp) } ], \"connections\""))
        == -10860)
    #expect(Self.status(Self.mixed("44100", "-44100")) == -10868)
    #expect(Self.status(Self.mixed("44100", "1e-300")) == -10868)
  }

  // MARK: E7: one by one

  private static func described(_ part: String, _ other: String) -> String {
    mixed(
      "{ \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": 44100 }",
      """
      { "mSampleRate": 44100, "mFormatID": "lpcm",
        "mFormatFlags": ["kAudioFormatFlagIsFloat", "kAudioFormatFlagIsPacked"],
        "mBytesPerPacket": 8, "mFramesPerPacket": 1, "mBytesPerFrame": 8, "mChannelsPerFrame": 2,
        "mBitsPerChannel": 32, "mReserved": 0 }
      """.replacing(part, with: other))
  }

  @Test func `the fields of a stream format are each told at their place, once`() throws {
    #expect(Self.codes(Self.described("xyz", "xyz")).isEmpty)
    #expect(Self.codes(Self.described("\"mReserved\": 0", "\"mReserved\": 1")) == ["PR0401"])
    #expect(
      Self.codes(Self.described("\"mChannelsPerFrame\": 2", "\"mChannelsPerFrame\": -1"))
        == ["PR0109"])
    let bits = try #require(
      Self.errors(Self.described("\"mBitsPerChannel\": 32", "\"mBitsPerChannel\": 0")).first)
    #expect(bits.pointer == "/streamFormat/mBitsPerChannel")
  }

  @Test func `numbers are told the range that they have`() throws {
    for count in ["-1", "0", "1025", "5000"] {
      let error = try #require(Self.errors(Self.mixer("\"inputCount\": \(count)")).first)
      #expect(error.message.text.contains("1 to 1024"))
    }
    let session = "\"session\": { \"preferredIOBufferDuration\": "
    func duration(_ value: String) -> [Diagnostic] {
      Self.build(Self.mixed("\"title\"", "\(session)\(value) }, \"title\"")).diagnostics
    }
    #expect(duration("1e300").map(\.code) == ["PR0109"])
    #expect(duration("1e300").first?.message.text.contains("up to 10") == true)
    #expect(duration("11.6").first?.help.contains { $0.contains("0.0116") } == true)
    #expect(duration("5").map(\.code) == ["PR0315"])
    #expect(duration("5").first?.message.text.contains("0.005 s was meant?") == true)
    #expect(duration("0.0001").map(\.code) == ["PR0315"])
    #expect(duration("0.005").isEmpty)
  }

  @Test func `a unit is called by what it is`() throws {
    let converter = """
      {
        "callbacks": { "tone": { "kind": "tone" } },
        "nodes": {
          "c": {
            "component": "FormatConverter",
            "inputs": { "0": { \(Self.format(2)) } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "tone", "to": "c" }, { "from": "c", "to": "io" } ]
      }
      """
    let error = try #require(Self.errors(converter).first)
    #expect(error.code == "PR0404" && !error.message.text.contains("effect"))
    let two = Self.mixed("\"remoteIO\"", "\"GenericOutput\"")
      .replacing("\"io\": {", with: "\"o\": { \"component\": \"GenericOutput\" }, \"io\": {")
    let second = try #require(Self.errors(two).first)
    #expect(second.code == "PR0302" && !second.help.joined().contains("hears"))
  }

  @Test func `a connection that is there twice is to be removed, not mixed`() throws {
    let twice = Self.mixed(
      "{ \"from\": \"mixer\", \"to\": \"io\" }",
      "{ \"from\": \"mixer\", \"to\": \"io\" }, { \"from\": \"mixer\", \"to\": \"io:0\" }")
    let error = try #require(Self.errors(twice).first)
    #expect(Self.codes(twice) == ["PR0304"])
    #expect(error.help == ["remove one of the two"])
    let fixed = SourceText(name: "p.json", text: twice).applying(error.fixes.flatMap(\.edits))
    #expect(Self.codes(String(decoding: fixed.bytes, as: UTF8.self)).isEmpty)
  }

  @Test func `an expression reports all its mistakes`() {
    let text = Self.mixed(
      "\"kind\": \"tone\", \"frequency\": 440",
      "\"kind\": \"expression\", \"value\": \"tanh(tiem * 10 ** (drive/20) * 0.5\", \"constants\": { \"drive\": 1 }"
    )
    let messages = Self.errors(text).map(\.message.text)
    #expect(
      messages == [
        "this parenthesis is not closed", "there is no value 'tiem'", "'**' is no operator",
      ])
  }

  @Test func `the screen lock is a note where nothing plays on behind it`() {
    let small = Self.mixed(", \"properties\": { \"maximumFramesPerSlice\": 4096 }", "")
    #expect(Self.build(small).diagnostics.isEmpty)
    let noted = Self.build(small, notes: true).diagnostics
    #expect(noted.map(\.code) == ["PR0311"] && noted.first?.severity == .note)
    let behind = small.replacing(
      "\"title\"", with: "\"session\": { \"category\": \"playback\" }, \"title\"")
    #expect(Self.build(behind).diagnostics.map(\.severity) == [.warning])
  }

  // MARK: First contact

  /// Each with the line of help, and the result of `--fix`.
  @Test(arguments: [
    ("\"volume\": \"0.5\"", "write 0.5 without quotes", "0.5"),
    ("\"volume\": \"-12db\"", "write \"-12 dB\"", "\"-12 dB\""),
    ("\"volume\": \"-6 DB\"", "write \"-6 dB\"", "\"-6 dB\""),
    ("\"volume\": \"50%\"", "write 0.5", "0.5"),
  ])
  func `a number in quotes or with a unit is told what to write`(
    _ written: String, _ help: String, _ value: String
  ) throws {
    let text = Self.mixer("\"inputs\": { \"0\": { \"parameters\": { \(written) } } }")
    let error = try #require(Self.errors(text).first)
    #expect(error.help.contains { $0.contains(help) }, "\(error.help)")
    let fixed = PatchFixer.fix(
      SourceText(name: "p.json", text: text), directory: "", device: .assumed(HardwareAssumption()))
    #expect(!fixed.patch.hasErrors)
    let result = String(decoding: fixed.patch.ownSource.bytes, as: UTF8.self)
    #expect(result.contains("\"volume\": \(value)"))
  }

  @Test func `an angle in quotes is mended`() {
    let text = """
      {
        "callbacks": { "a": { "kind": "tone" } },
        "nodes": {
          "space": {
            "component": "3DMixer", "properties": { "maximumFramesPerSlice": 4096 },
            "inputs": {
              "0": {
                "streamFormat": { "sample": "int16", "channels": 1, "sampleRate": 44100 },
                "parameters": { "azimuth": "-90", "distance": 1 }
              }
            },
            "outputs": { "0": { "sampleRate": 44100 } }
          },
          "io": { "component": "remoteIO" }
        },
        "connections": [ { "from": "a", "to": "space:0" }, { "from": "space", "to": "io" } ]
      }
      """
    #expect(Self.errors(text).first?.help.first == "write -90 without quotes")
    let fixed = PatchFixer.fix(
      SourceText(name: "p.json", text: text), directory: "", device: .assumed(HardwareAssumption()))
    #expect(fixed.patch.diagnostics.isEmpty)
  }

  @Test func `decibels without their unit are told how they are written`() throws {
    let gain = Self.mixed(
      "\"kind\": \"tone\", \"frequency\": 440", "\"kind\": \"tone\", \"amplitude\": -6")
    #expect(Self.errors(gain).first?.help.contains { $0.contains("\"-6 dB\"") } == true)
    let volume = Self.mixer("\"inputs\": { \"0\": { \"parameters\": { \"volume\": -12 } } }")
    let warning = try #require(Self.build(volume).diagnostics.first)
    #expect(warning.severity == .warning)
    #expect(warning.help.contains { $0.contains("\"-12 dB\"") })
  }

  @Test func `durations and rates with units are told in seconds and hertz`() {
    let ramp = "\"path\": \"/nodes/mixer/inputs/0/parameters/volume\", \"to\": 0"
    let text = Self.mixed(
      "\"connections\"",
      "\"timeline\": [ { \"at\": 1, \"ramp\": { \(ramp), \"duration\": \"500 msec\" } } ], \"connections\""
    )
    #expect(Self.errors(text).first?.help.first == "write 0.5: times are in seconds")
    let rate = Self.mixed("\"sampleRate\": 44100", "\"sampleRate\": \"44.1 kHz\"")
    #expect(Self.errors(rate).first?.help.first?.hasPrefix("write 44100") == true)
  }

  @Test(arguments: [
    ("\"maximumFramesPerSlice\"", "\"maximumFrames\""), ("\"nodes\"", "\"node\""),
    ("\"connections\"", "\"conections\""), ("\"frequency\"", "\"freq\""),
  ])
  func `what a name begins with is enough to tell what was meant`(
    _ right: String, _ wrong: String
  ) {
    let text = Self.mixed(right, wrong)
    #expect(Self.errors(text).count == 1)
    let fixed = PatchFixer.fix(
      SourceText(name: "p.json", text: text), directory: "", device: .assumed(HardwareAssumption()))
    #expect(String(decoding: fixed.patch.ownSource.bytes, as: UTF8.self) == Self.mixed)
  }

  @Test func `a misspelt session is mended`() {
    let text = Self.mixed("\"title\"", "\"sesion\": { \"category\": \"playback\" }, \"title\"")
    let fixed = PatchFixer.fix(
      SourceText(name: "p.json", text: text), directory: "", device: .assumed(HardwareAssumption()))
    #expect(!fixed.patch.hasErrors)
  }

  @Test func `a sound file is told from a patch`() throws {
    let wave = Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8) + [0xFF, 0xFE, 0]
    let patch = PatchBuilder.build(PatchReader.read(bytes: wave, name: "song.wav"))
    #expect(patch.diagnostics.map(\.code) == ["PR0034"])
    #expect(patch.diagnostics.first?.help.first?.contains("\"path\": \"song.wav\"") == true)
  }
}
