import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCallbacks
import RenderHost
import Testing

/// The pitfalls of Core Audio that a validator can find: an example of each and its diagnostic. For
/// the others, the reason why none can.
@Suite struct PitfallTests {
  struct Pitfall: Sendable, CustomTestStringConvertible {
    enum Case: Sendable {
      /// A patch, its code, and the status.
      case patch(String, Rule.Code, Int32?, hardware: String = "")
      /// Calls that throw a violation with this code and status.
      case calls(Rule.Code, Int32, @Sendable () throws -> Void)
      /// A pitfall that neither patches nor programs can have, and why.
      case none(String)
    }

    var number: Int
    var what: String
    var found: Case

    init(_ number: Int, _ what: String, _ found: Case) {
      self.number = number
      self.what = what
      self.found = found
    }

    var testDescription: String { "\(number): \(what)" }
  }

  // MARK: Patches

  private static let stereo =
    "\"streamFormat\": { \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": 44100 },"
  private static let tone = "\"callbacks\": { \"tone\": { \"kind\": \"tone\" } },"
  private static let large = "\"properties\": { \"maximumFramesPerSlice\": 4096 }"

  /// A tone through a unit `x` to the loudspeaker.
  private static func through(
    _ unit: String, _ settings: String = "", members: String = stereo, head: String = "",
    more: String = ""
  ) -> String {
    """
    {
      \(members) \(tone)
      "nodes": {
        "x": { "component": "\(unit)"\(settings.isEmpty ? "" : ", " + settings) },
        "io": { "component": "remoteIO"\(head.isEmpty ? "" : ", " + head) }
      },
      "connections": [
        { "from": "tone", "to": "x" }, { "from": "x", "to": "io" }\(more.isEmpty ? "" : ", " + more)
      ]
    }
    """
  }

  /// A tone to the loudspeaker.
  private static func played(_ head: String = "", members: String = stereo) -> String {
    """
    {
      \(members) \(tone)
      "nodes": { "io": { "component": "remoteIO"\(head.isEmpty ? "" : ", " + head) } },
      "connections": [ { "from": "tone", "to": "io" } ]
    }
    """
  }

  /// The microphone to the loudspeaker.
  private static func heard(
    _ isOn: Bool, unit: String = "remoteIO", members: String = stereo
  ) -> String {
    """
    {
      \(members)
      "nodes": {
        "io": {
          "component": "\(unit)", "inputs": { "1": { "properties": { "enableIO": \(isOn) } } }
        }
      },
      "connections": [ { "from": "io:1", "to": "io" } ]
    }
    """
  }

  private static func format(
    _ sample: String, _ channels: Int, _ rate: Int = 44_100
  ) -> String {
    "\"streamFormat\": { \"sample\": \"\(sample)\", \"channels\": \(channels), \"sampleRate\": \(rate) }"
  }

  private static func full(_ fields: String) -> String {
    "\"streamFormat\": { \"mSampleRate\": 44100, \"mFormatID\": \"lpcm\", \(fields) },"
  }

  // MARK: Programs

  private static func openGraph() throws -> (graph: AudioGraph, io: NodeID) {
    let device = StreamFormat(.float32, channels: 2, sampleRate: 44_100, interleaved: true)
    let graph = AudioGraph(
      assuming: HardwareGrant(outputFormat: device, inputFormat: device, ioBufferFrames: 1024))
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 44_100)
    return (graph, io)
  }

  /// A tone through a mixer, initialized.
  private static func initializedGraph() throws -> (graph: AudioGraph, mixer: NodeID, io: NodeID) {
    let (graph, io) = try openGraph()
    let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
    try graph.setInputCallback(ToneCallback(), of: mixer)
    try graph.connect(mixer, to: io)
    try graph.initialize()
    return (graph, mixer, io)
  }

  // MARK: Section 9

  static let pitfalls: [Pitfall] = [
    Pitfall(1, "the screen locks", .patch(through("iPodEQ"), "PR0311", nil)),
    Pitfall(
      1, "a slice of 4096 frames",
      .patch(
        through(
          "mcmx", members: "\"session\": { \"preferredIOBufferDuration\": 0.093 }, " + stereo),
        "PR0310", -10874)),
    Pitfall(
      2, "bus 1 of a converter",
      .patch(
        through("FormatConverter").replacing("\"to\": \"x\"", with: "\"to\": \"x:1\""), "PR0503",
        -10877)),
    Pitfall(
      3, "an effect that takes floats only",
      .none("none of the seven does: the iPod EQ takes every sample type; see 19 and 22")),
    Pitfall(
      4, "an I/O unit for each direction",
      .patch(
        played().replacing(
          "\"nodes\": {", with: "\"nodes\": { \"in\": { \"component\": \"remoteIO\" },"),
        "PR0302", -10862)),
    Pitfall(
      5, "start without initialize",
      .calls("PR0309", -10863) {
        let (graph, io) = try openGraph()
        try graph.setInputCallback(ToneCallback(), of: io)
        do { try graph.start() } catch GraphStartError.refused(let violation) { throw violation }
      }),
    Pitfall(
      6, "initialize before the nodes are configured",
      .calls("PR0409", -10865) {
        let (graph, mixer, _) = try initializedGraph()
        let converter = try graph.addNode(FormatConverter.description.component, name: "late")
        try graph.unit(converter).setProperty(
          .streamFormat, .output, 0,
          to: .streamFormat(StreamFormat(.int16, channels: 1, sampleRate: 44_100)))
        try graph.setInputCallback(ToneCallback(), of: converter)
        // An input without a feed would take the format; one that plays does not.
        try graph.connect(converter, to: mixer, 0)
        do { try graph.update() } catch let error as GraphUpdateError { throw error.violation }
      }),
    Pitfall(
      7, "a buffer list of the wrong shape",
      .none("callbacks are handed the buffers of their bus, and make none themselves")),
    Pitfall(
      8, "the flags of 8.24 with 2-byte frames",
      .patch(
        played(
          members: full(
            """
            "mFormatFlags": 3116, "mBytesPerPacket": 2, "mFramesPerPacket": 1, "mBytesPerFrame": 2,
            "mChannelsPerFrame": 2, "mBitsPerChannel": 16
            """)), "PR0401", -10868)),
    Pitfall(
      9, "a format whose fields nobody filled in",
      .patch(played(members: full("\"mChannelsPerFrame\": 2")), "PR0401", -10868)),
    Pitfall(10, "the microphone is left off", .patch(heard(false), "PR0601", -10876)),
    Pitfall(
      11, "a category without input",
      .patch(
        heard(true, members: "\"session\": { \"category\": \"playback\" }, " + stereo), "PR0607",
        560_161_140)),
    Pitfall(
      11, "no hardware to hear with",
      .patch(heard(true), "PR0603", -10851, hardware: "inputChannels=0")),
    Pitfall(
      12, "a format that was read at 0 Hz",
      .calls("PR0404", -10868) {
        let (graph, io) = try openGraph()
        try graph.unit(io).setProperty(
          .streamFormat, .input, 0,
          to: .streamFormat(StreamFormat(.float32, channels: 2, sampleRate: 0)))
        try graph.setInputCallback(ToneCallback(), of: io)
        try graph.initialize()
      }),
    Pitfall(
      13, "the side of the hardware is given a format",
      .patch(
        played("\"outputs\": { \"0\": { \(format("int16", 2)) } }"), "PR0403", -10865)),
    Pitfall(
      14, "the output of a mixer is given a format",
      .patch(
        through("mcmx", "\(large), \"outputs\": { \"0\": { \(format("float32", 1)) } }"), "PR0402",
        -10868)),
    Pitfall(
      15, "the inputs of a mixer run at different rates",
      .patch(
        through("mcmx", "\(large), \"inputs\": { \"0\": { \(format("float32", 2, 22_050)) } }"),
        "PR0405", -10868)),
    Pitfall(
      16, "pan into a mono output", .none("the output is always stereo: see 14")),
    Pitfall(
      17, "azimuth at distance 0",
      .patch(
        through(
          "3DMixer",
          """
          \(large),
          "inputs": { "0": { \(format("int16", 1)), "parameters": { "azimuth": 90 } } }
          """), "PR0433", nil)),
    Pitfall(
      18, "a stereo stream into a 3D mixer",
      .patch(
        through("3DMixer", "\(large), \"inputs\": { \"0\": { \(format("int16", 2)) } }"), "PR0431",
        -10868)),
    Pitfall(
      19, "8.24 fixed point into a 3D mixer",
      .patch(
        through("3DMixer", "\(large), \"inputs\": { \"0\": { \(format("fixed8.24", 1)) } }"),
        "PR0402", -10868)),
    Pitfall(20, "the preset 'Disabled'", .patch(through("iPodEQ", large), "PR0411", nil)),
    Pitfall(
      21, "an equalizer at 96 kHz",
      .patch(
        through(
          "iPodEQ", large,
          members: stereo.replacing("44100", with: "96000")
            + "\"session\": { \"preferredSampleRate\": 96000 },"), "PR0408", nil)),
    Pitfall(
      22, "one side of an equalizer alone is set",
      .patch(
        through("iPodEQ", "\(large), \"outputs\": { \"0\": { \(format("int16", 2)) } }"), "PR0407",
        -10868)),
    Pitfall(
      23, "one source for two inputs",
      .patch(
        through("iPodEQ", large, more: "{ \"from\": \"x\", \"to\": \"m\" }").replacing(
          "\"nodes\": {", with: "\"nodes\": { \"m\": { \"component\": \"mcmx\" },"), "PR0305",
        -10861)),
    Pitfall(
      24, "edits that nobody carries out",
      .none("a patch's updates are carried out; a program sees them in pendingEditCount")),
    Pitfall(
      25, "update is refused for a moment",
      .none("edits and rendering share no lock that could be taken")),
    Pitfall(
      26, "uninitialize after close",
      .calls("PR0309", -2_147_450_879) {
        let (graph, _, _) = try initializedGraph()
        graph.close()
        try graph.uninitialize()
      }),
    Pitfall(
      27, "meters that are off",
      .none("nothing in a patch reads a meter; a program reads the floor, -120 dB")),
    Pitfall(
      28, "the meter of the right channel",
      .none("it has a name of its own: preAveragePowerRight")),
    Pitfall(
      29, "a parameter of the global scope",
      .patch(
        through("mcmx", "\(large), \"parameters\": { \"volume\": 0.5 }"), "PR0551", -10878)),
    Pitfall(
      30, "the number of buses is changed after initialize",
      .calls("PR0506", -10849) {
        let (graph, mixer, _) = try initializedGraph()
        try graph.unit(mixer).setProperty(.elementCount, .input, 0, to: .uint32(4))
      }),
    Pitfall(
      30, "the largest slice is changed after initialize",
      .calls("PR0506", -10849) {
        let (graph, mixer, _) = try initializedGraph()
        try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
      }),
    Pitfall(
      31, "an input callback without data", .none("it is handed what element 1 puts out")),
    Pitfall(
      32, "a callback that allocates or locks",
      .none("those that a patch can name do neither, which the compiler and a probe check")),
    Pitfall(
      33, "the number of frames in a slice changes",
      .none("what is heard is the same at every slicing, which tests hold")),
    Pitfall(
      34, "a connected input is given a format",
      .patch(
        through("iPodEQ", large, head: "\"inputs\": { \"0\": { \(format("int16", 2)) } }"),
        "PR0403", -10865)),
    Pitfall(
      35, "silence that is flagged and not written",
      .none("callbacks write their zeros, which tests hold")),
    Pitfall(
      36, "a converter without an output format",
      .patch(
        through(
          "FormatConverter", "\(large), \"inputs\": { \"0\": { \(format("int16", 2)) } }",
          members: ""), "PR0404", -10868)),
    Pitfall(
      37, "the desktop's numbers of parameters",
      .patch(
        through(
          "3DMixer",
          "\(large), \"inputs\": { \"0\": { \(format("int16", 1)), \"parameters\": { \"5\": 1 } } }"
        ),
        "PR0551", -10878)),
    Pitfall(
      38, "a node that is connected to nothing",
      .patch(
        played().replacing(
          "\"nodes\": {", with: "\"nodes\": { \"lone\": { \"component\": \"mcmx\" },"),
        "PR0308", nil)),
    Pitfall(
      39, "a mono stream is heard on the left alone",
      .patch(
        through("FormatConverter", "\(large), \"inputs\": { \"0\": { \(format("float32", 1)) } }"),
        "PR0423", nil)),
    Pitfall(
      40, "Voice-Processing I/O with a stereo format",
      .none("the unit hears in mono, and what it hears goes to both channels")),
    Pitfall(
      41, "volumes multiply each other",
      .patch(
        through(
          "mcmx",
          """
          \(large), "inputs": { "0": { "parameters": { "volume": 0.5 } } },
          "outputs": { "0": { "parameters": { "volume": 0.5 } } }
          """), "PR0557", nil)),
    Pitfall(
      42, "the preferred rate is not granted",
      .patch(played(), "PR0608", nil, hardware: "rate=48000")),
  ]

  @Test(arguments: pitfalls)
  func `what falls into a pitfall is told so, with Core Audio's status`(pitfall: Pitfall) throws {
    switch pitfall.found {
    case .patch(let text, let code, let status, let hardware):
      let assumption =
        hardware.isEmpty ? HardwareAssumption() : try HardwareAssumption.parse(hardware)
      let patch = PatchBuilder.build(text, name: "pitfall.json", hardware: assumption, notes: true)
      let shown = TextRenderer(source: patch.source).render(patch.diagnostics)
      let found = patch.diagnostics.first { $0.code == code }
      #expect(found != nil, "\(shown)")
      #expect(found?.status?.rawValue == status, "\(shown)")
      #expect((found?.severity == .error) == (status != nil))
      // There is no other error.
      #expect(patch.diagnostics.allSatisfy { $0.severity != .error || $0.code == code }, "\(shown)")
      #expect(PatchProperties.disagreement(patch) == nil)
    case .calls(let code, let status, let calls):
      let violation = #expect(throws: Violation.self) { try calls() }
      #expect(violation?.rule.code == code)
      #expect(violation?.status.rawValue == status)
    case .none(let reason): #expect(!reason.isEmpty)
    }
  }

  @Test func `the table has all 42 pitfalls`() {
    #expect(Set(Self.pitfalls.map(\.number)) == Set(1...42))
  }

  @Test func `a stereo format on Voice-Processing I/O's microphone side is taken`() {
    let patch = PatchBuilder.build(Self.heard(true, unit: "voiceProcessingIO"), name: "stereo.json")
    #expect(patch.diagnostics == [])
  }

  // MARK: Sections 4.3 and 4.4

  /// A change of one field in a valid format: 16-bit integers, stereo, non-interleaved.
  static let fields: [(what: String, field: String, value: String)] = [
    ("4.3.1: a packet is a frame", "mFramesPerPacket", "2"),
    ("4.3.1: a packet is as large as a frame", "mBytesPerPacket", "4"),
    ("4.3.2: a frame of one channel's words", "mBytesPerFrame", "4"),
    ("4.3.3: a word holds its bits", "mBitsPerChannel", "24"),
    ("4.3.4: a float is not signed", "mFormatFlags", "45"),
    ("4.3.4: a float has 32 bits", "mFormatFlags", "41"),
    ("4.3.5: no more fraction bits than bits", "mFormatFlags", "3116"),
    ("4.3.6: at least one channel", "mChannelsPerFrame", "0"),
    ("4.3.7: 16 bits are signed", "mFormatFlags", "40"),
    ("4.3.8: what a bus carries can be mixed", "mFormatFlags", "108"),
    ("4.4: the rate is below 3 MHz", "mSampleRate", "3000000"),
    ("4.4: packets are below 1 MB", "mBytesPerPacket", "1000000"),
    ("4.4: packets are below a million frames", "mFramesPerPacket", "1000000"),
    ("4.4: frames are below 1 MB", "mBytesPerFrame", "1000000"),
    ("4.4: at most 1024 channels", "mChannelsPerFrame", "1025"),
    ("4.4: at most 1024 bits", "mBitsPerChannel", "1025"),
    ("4.4: the format is linear PCM", "mFormatID", "0"),
  ]

  @Test(arguments: fields.indices)
  func `a format whose fields disagree is refused at the field`(index: Int) {
    let (what, field, value) = Self.fields[index]
    var fields = [
      "mSampleRate": "44100", "mFormatID": "\"lpcm\"", "mFormatFlags": "44", "mBytesPerPacket": "2",
      "mFramesPerPacket": "1", "mBytesPerFrame": "2", "mChannelsPerFrame": "2",
      "mBitsPerChannel": "16",
    ]
    func build() -> BuiltPatch {
      let written = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
      return PatchBuilder.build(
        Self.played(
          members: "\"streamFormat\": { \(written.joined(separator: ", ")) },"), name: "format.json"
      )
    }
    #expect(build().diagnostics == [])
    fields[field] = value
    let patch = build()
    let errors = patch.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == ["PR0401"], "\(what): \(patch.diagnostics.map(\.message))")
    #expect(errors.first?.status?.rawValue == -10868, "\(what)")
    #expect(PatchProperties.disagreement(patch) == nil)
  }

  // MARK: Section 5.6

  /// The violations without a pitfall.
  static let violations: [Pitfall] = [
    Pitfall(
      1, "no output unit",
      .patch("{ \"nodes\": { \"m\": { \"component\": \"mcmx\" } } }", "PR0302", -10862)),
    Pitfall(
      2, "a graph that is not open",
      .calls("PR0309", -10867) {
        let (graph, _, _) = try initializedGraph()
        graph.close()
        try graph.initialize()
      }),
    Pitfall(
      3, "one input is fed twice",
      .patch(
        through("mcmx", large, more: "{ \"from\": \"tone\", \"to\": \"x:0\" }"), "PR0304", -10861)),
    Pitfall(
      4, "a node feeds itself",
      .patch(
        through("mcmx", large, more: "{ \"from\": \"m\", \"to\": \"m:1\" }").replacing(
          "\"nodes\": {", with: "\"nodes\": { \"m\": { \"component\": \"mcmx\" },"), "PR0303",
        -10861)),
    Pitfall(
      5, "connections in a circle",
      .patch(
        """
        {
          \(stereo) \(tone)
          "nodes": {
            "a": { "component": "ipeq" }, "b": { "component": "ipeq" },
            "io": { "component": "remoteIO" }
          },
          "connections": [
            { "from": "a", "to": "b" }, { "from": "b", "to": "a" }, { "from": "tone", "to": "io" }
          ]
        }
        """, "PR0306", -10861)),
    Pitfall(
      6, "a destination refuses what it is fed",
      .patch(
        """
        {
          \(stereo) \(tone)
          "nodes": {
            "a": { "component": "conv", \(large), "outputs": { "0": { \(format("float32", 5)) } } },
            "eq": { "component": "ipeq", \(large) }, "io": { "component": "remoteIO" }
          },
          "connections": [
            { "from": "tone", "to": "a" }, { "from": "a", "to": "eq" }, { "from": "eq", "to": "io" }
          ]
        }
        """, "PR0409", -10868)),
    Pitfall(
      7, "a conversion of rates that nobody asked for",
      .patch(
        played("\"inputs\": { \"0\": { \(format("float32", 2, 22_050)) } }"), "PR0608", nil)),
    Pitfall(
      8, "EnableIO after initialize",
      .calls("PR0506", -10849) {
        let (graph, _, io) = try initializedGraph()
        try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
      }),
    Pitfall(
      9, "nothing feeds a unit that is pulled",
      .patch(
        through("iPodEQ", large).replacing("{ \"from\": \"tone\", \"to\": \"x\" },", with: "")
          .replacing(tone, with: ""), "PR0307", -10876)),
    Pitfall(
      10, "a node that is not there",
      .calls("PR0301", -10860) {
        let (graph, io) = try openGraph()
        try graph.connect(NodeID(rawValue: 99), to: io)
      }),
    Pitfall(
      11, "a loudspeaker that is off is fed",
      .patch(
        played("\"outputs\": { \"0\": { \"properties\": { \"enableIO\": false } } }"), "PR0602",
        -10876)),
    Pitfall(
      12, "no hardware to play on", .patch(played(), "PR0604", -10851, hardware: "channels=0")),
    Pitfall(
      13, "nothing feeds the input that is disconnected",
      .calls("PR0312", -10861) {
        let (graph, io) = try openGraph()
        try graph.disconnect(io, 0)
      }),
  ]

  @Test(arguments: violations)
  func `a violation has the status that Core Audio gives, or that we chose`(violation: Pitfall)
    throws
  {
    try `what falls into a pitfall is told so, with Core Audio's status`(pitfall: violation)
  }
}
