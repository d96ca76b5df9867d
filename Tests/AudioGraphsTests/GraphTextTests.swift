import AudioGraphs
import AudioTypes
import AudioUnits
import RenderCallbacks
import RenderHost
import Testing

struct GraphTextTests {
  private func graph() throws -> (AudioGraph, mixer: NodeID, io: NodeID) {
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true)
    let graph = AudioGraph(
      assuming: HardwareGrant(outputFormat: stereo, inputFormat: nil, ioBufferFrames: 1024))
    let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    try graph.setInputCallback(ToneCallback(frequency: 440), of: mixer, 1)
    try graph.connect(mixer, to: io)
    return (graph, mixer, io)
  }

  @Test
  func `a graph that is not open shows no formats and no states`() throws {
    let (graph, _, _) = try graph()
    #expect(
      graph.show() == """
        AudioUnitGraph:
          Member Nodes:
            node 1: 'aumx' 'mcmx' 'appl', instance mixer -
            node 2: 'auou' 'rioc' 'appl', instance io -
          Connections:
            node    1 bus    0 => node    2 bus    0
          Input Callbacks:
            {ToneCallback} => node    1 bus    1
          CurrentState:
            mLastUpdateError=0, eventsToProcess=F, isInitialized=F, isRunning=F
          Stream Formats:

        """)
  }

  @Test
  func `what a callback pulls stands before it`() throws {
    let (graph, mixer, io) = try graph()
    try graph.setInputCallback(
      Negation(), of: mixer, 0, from: .callback(Negation(), from: .output(io, 1)))
    #expect(
      graph.show().contains(
        "    node    2 bus    1 => {Negation} => {Negation} => node    1 bus    0\n"))
  }

  @Test
  func `names of units, of elements, and of the place where a unit is used are shown`() throws {
    let (graph, mixer, _) = try graph()
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let unit = try graph.unit(mixer)
    try unit.setProperty(.elementName, .global, 0, to: .string("Desk"))
    try unit.setProperty(.elementName, .input, 1, to: .string("Drums"))
    try unit.setProperty(.elementName, .input, 5, to: .string("Spare"))
    try unit.setProperty(.contextName, to: .string("Hall"))
    let text = graph.show()
    #expect(text.contains("instance mixer O  \"Desk\"  \"Hall\"\n"))
    #expect(text.contains("    mixer input 1 \"Drums\": 2 ch, 48000 Hz"))
    #expect(text.contains("    mixer input 5 \"Spare\": "))
    #expect(text.contains("    mixer output 0: "))
    // An empty name removes it.
    try unit.setProperty(.elementName, .input, 5, to: .string(""))
    try unit.setProperty(.contextName, to: .string(""))
    #expect(!graph.show().contains("input 5"))
    #expect(!graph.show().contains("Hall"))
    #expect(unit.elementName(.input, 5) == nil)
  }

  @Test
  func `a name breaks no line, and says nothing to a terminal`() throws {
    let (graph, mixer, _) = try graph()
    try graph.open()
    try graph.unit(mixer).setProperty(.elementName, .global, 0, to: .string("De\nsk"))
    let name = "a\u{1B}[2J \u{202E}é 🎸"
    try graph.addNode(IPodEQ.description.component, name: name)
    let text = graph.show(title: "one\ntwo")
    #expect(text.hasPrefix("AudioUnitGraph 'one\\u{A}two':\n"))
    #expect(text.contains("instance mixer O  \"De\\u{A}sk\"\n"))
    #expect(text.contains("instance a\\u{1B}[2J \\u{202E}é 🎸 O\n"))
  }

  @Test
  func `a graph shows what waits, and what the last update failed with`() throws {
    let (graph, mixer, _) = try graph()
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    try graph.initialize()
    #expect(graph.show(title: "T").hasPrefix("AudioUnitGraph 'T':\n"))
    #expect(graph.show().contains("instance mixer OI\n"))
    #expect(
      graph.show { _, input, _ in "tone \(input)" }
        .contains("{tone 1} => node    1 bus    1  [2 ch, 48000 Hz]\n"))
    #expect(
      graph.show().contains("mixer input 1: 2 ch, 48000 Hz, float32  (the graph's streamFormat)"))
    #expect(!graph.show().contains("mixer input 0"))
    try graph.disconnect(mixer, 5)
    #expect(graph.show().contains("mLastUpdateError=0, eventsToProcess=T"))
    #expect(throws: GraphUpdateError.self) { try graph.update() }
    #expect(graph.lastUpdateError == .invalidConnection)
    #expect(graph.show().contains("mLastUpdateError=-10861, "))
    graph.discardPendingEdits()
    try graph.update()
    #expect(graph.show().contains("mLastUpdateError=0, eventsToProcess=F"))
  }
}
