import AudioGraphs
import AudioTypes
import AudioUnits
import Foundation
import RenderCallbacks
import RenderCore
import RenderHost
import Synchronization
import Testing

// The examples of the documentation, word for word. They are compiled and run here.

/// One click in each period.
struct ClickCallback: RenderCallback {
  /// In seconds.
  var period: Double

  func duration(for format: StreamFormat) -> Int? { nil }

  func problems(for format: StreamFormat) -> [CallbackProblem] { [] }

  func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    let kernel = ClickKernel(period: max(1, Int(period * format.sampleRate)))
    return RenderSource(kernel: .holding(kernel), duration: nil)
  }
}

struct ClickKernel: RenderKernel {
  let period: Int
  var next = 0

  init(period: Int) { self.period = period }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    for frame in 0..<context.frameCount {
      let sample: Float = next == 0 ? 1 : 0
      for channel in 0..<output.channelCount { output[channel][frame] = sample }
      next = next + 1 == period ? 0 : next + 1
    }
    return .ok
  }
}

/// Multiplies its input by a gain.
enum Trim: AudioUnit {
  static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "trim", manufacturer: "demo"),
    name: "Trim", constant: "kDemoUnitSubType_Trim", summary: "Scales by one gain.",
    inputs: .init(count: 1), outputs: .init(count: 1),
    parameters: [
      ParameterInfo(
        id: 0, key: "gain", constant: "kDemoParam_Gain", scope: .global, unit: .linearGain,
        range: 0...8, defaultValue: 1, summary: "What a sample is multiplied by.")
    ],
    formatNotes: ["output: the same format as the input; both are to be set"])

  static func refusal(of format: StreamFormat, scope: Scope, element: Int) -> FormatRefusal? { nil }

  static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let (input, output) = (configuration.inputs[0], configuration.outputs[0])
    guard input.isUsed && input.format != output.format else { return [] }
    return [
      Violation(
        UnitRules.effectFormats, status: .formatNotSupported,
        "a Trim puts out the format that it takes in",
        at: .init(node: nil, .streamFormat(.output, 0)),
        help: ["give both sides the same stream format"])
    ]
  }

  static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    let length = max(1, Int(configuration.outputs[0].format.sampleRate / 100))
    return UnitKernels(
      main: .holding(
        TrimKernel(
          controls: controls.block.access, slot: controls.slot(0, .global, 0) ?? 0, length: length),
        with: controls.block))
  }
}

struct TrimKernel: RenderKernel {
  private let controls: ControlAccess
  private let slot: Int
  private var gain: LinearRamp

  init(controls: ControlAccess, slot: Int, length: Int) {
    self.controls = controls
    self.slot = slot
    gain = LinearRamp(controls[slot], length: length)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    gain.aim(at: controls[slot])
    let input = context.input(0)
    let output = context.output(0)
    for frame in 0..<context.frameCount {
      let gain = gain.next()
      for channel in 0..<output.channelCount {
        output[channel][frame] = input[channel][frame] * gain
      }
    }
    return .ok
  }
}

struct DocumentationTests {
  private static let catalogue = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/AudioGraphs/AudioGraphs.docc").standardized

  /// The lines without indentation.
  private static func plain(_ text: some StringProtocol) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }

  @Test
  func `every example of the documentation is one that is run here`() throws {
    let tests = Self.plain(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.catalogue.path) {
      let article = try String(contentsOf: Self.catalogue.appending(path: name), encoding: .utf8)
      for block in article.components(separatedBy: "```swift\n").dropFirst() {
        let example = Self.plain(block.components(separatedBy: "```")[0])
        #expect(tests.contains(example), "\(name): \(example)")
        count += 1
      }
    }
    #expect(count >= 12)
    #expect(!tests.contains(Self.plain("try graph.\("open")ed()")))
  }

  @Test
  func `two sounds are mixed into memory`() throws {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let graph = AudioGraph(
      assuming: HardwareGrant(
        outputFormat: StreamFormat(
          .float32, channels: 2, sampleRate: 48_000, interleaved: true),
        inputFormat: nil, ioBufferFrames: 512))
    let mixer = try graph.addNode(MultichannelMixer.description.component, name: "mixer")
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    try graph.connect(mixer, to: io)
    try graph.setInputCallback(ToneCallback(frequency: 440), of: mixer, 0)
    try graph.setInputCallback(NoiseCallback(color: .pink), of: mixer, 1)
    try graph.open()
    graph.defaultStreamFormat = format
    let unit = try graph.unit(mixer)
    try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try unit.setParameter(MultichannelMixer.Parameter.volume, .input, 1, to: 0.2)
    try graph.initialize()
    var bytes: [UInt8] = []
    if let session = graph.session {
      let device = OfflineDevice(graph.grant)
      let outcome = device.run(
        session, frameCount: 48_000, services: graph.services, sink: { bytes += $0 })
      precondition(outcome.errors.isEmpty)
    }
    let samples = words(bytes, as: Float.self)
    #expect(samples.count == 96_000)
    #expect(samples.contains { abs($0) > 0.1 })
  }

  /// A tone through a mixer to a device that runs in real time.
  private static func paced() throws -> (graph: AudioGraph, mixer: NodeID) {
    let graph = AudioGraph(hardware: PacedHost(grant()))
    graph.defaultStreamFormat = float()
    let mixer = try graph.addNode(MultichannelMixer.description.component)
    let io = try graph.addNode(RemoteIO.description.component)
    try graph.connect(mixer, to: io)
    try graph.setInputCallback(ToneCallback(frequency: 440), of: mixer, 0)
    return (graph, mixer)
  }

  @Test
  func `a graph goes through its states`() throws {
    let (graph, _) = try Self.paced()
    try graph.open()
    try graph.initialize()
    try graph.start()
    graph.stop()
    try graph.uninitialize()
    graph.close()
    #expect(!graph.isOpen && !graph.isInitialized && !graph.isRunning)
  }

  @Test
  func `what is wrong is said, and initialize agrees`() throws {
    let (graph, _) = try Self.paced()
    graph.defaultStreamFormat = nil
    try graph.open()
    let violations = graph.violations()
    for violation in violations where violation.severity == .error {
      print(violation.rule.code, violation.status, violation.message)
    }
    #expect(violations.contains { $0.severity == .error })
    #expect(throws: Violation.self) { try graph.initialize() }
  }

  @Test
  func `an equalizer is put before a mixer that plays`() throws {
    let format = float()
    let graph = try openGraph()
    let io = try graph.addNode(RemoteIO.description.component)
    let mixer = try graph.addNode(MultichannelMixer.description.component)
    try graph.unit(mixer).setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try graph.connect(mixer, to: io)
    try graph.setInputCallback(ToneCallback(frequency: 100), of: mixer, 1)
    try graph.addRamp(
      ParameterRamp(
        MultichannelMixer.Parameter.volume, .input, 0, of: mixer, to: 0, at: 0.5, duration: 0.25))
    try graph.initialize()
    let before = words(try pulled(graph, 4096), as: Float.self)
    let token = try graph.detachFeed(of: mixer, 1)
    let equalizer = try graph.addNode(IPodEQ.description.component, name: "eq")
    let unit = try graph.unit(equalizer)
    try unit.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
    if let preset = IPodEQ.preset(named: "Bass Booster") {
      try unit.setProperty(.presentPreset, to: .preset(preset))
    }
    try graph.connect(equalizer, to: mixer, 1)
    try graph.attachFeed(token, to: equalizer)
    try graph.update()
    let after = words(try pulled(graph, 48_000), as: Float.self)
    // The preset amplifies 100 Hz.
    #expect((after.suffix(4000).max() ?? 0) > 1.2 * (before.max() ?? 1))
  }

  @Test
  func `a closure is heard`() throws {
    let graph = try openGraph()
    let io = try graph.addNode(RemoteIO.description.component)
    let mixer = try graph.addNode(MultichannelMixer.description.component)
    try graph.connect(mixer, to: io)
    let step = 2 * Double.pi * 440 / 48_000
    let tone = ClosureCallback { _, timeStamp, _, frameCount, buffers in
      for channel in 0..<buffers.channelCount {
        let buffer = buffers[channel]
        for frame in 0..<frameCount {
          buffer[frame] = Float(0.25 * sin(step * (timeStamp.sampleTime + Double(frame))))
        }
      }
      return .ok
    }
    try graph.setInputCallback(tone, of: mixer, 0)
    try graph.setInputCallback(ClickCallback(period: 0.01), of: mixer, 1)
    let slices = Atomic<Int>(0)
    let token = graph.addRenderNotification { flags, _, _ in
      guard flags.rawValue & RenderActionFlags.preRender.rawValue != 0 else { return }
      slices.wrappingAdd(1, ordering: .relaxed)
    }
    try graph.initialize()
    let samples = words(try pulled(graph, 960), as: Float.self)
    #expect(slices.load(ordering: .relaxed) > 0)
    graph.removeRenderNotification(token)
    for frame in 0..<960 {
      let click: Double = frame % 480 == 0 ? 1 : 0
      #expect(abs(Double(samples[2 * frame]) - click - 0.25 * sin(step * Double(frame))) < 1e-6)
    }
  }

  @Test
  func `a unit of one's own is in the graph`() throws {
    let grant = grant()
    let catalog = UnitCatalog(UnitCatalog.standard.units + [Trim.self])
    let graph = AudioGraph(assuming: grant, catalog: catalog)
    let trim = try graph.addNode(Trim.description.component)
    let io = try graph.addNode(RemoteIO.description.component)
    try graph.connect(trim, to: io)
    try graph.setInputCallback(counting { _, _ in 0.25 }, of: trim)
    try graph.open()
    let unit = try graph.unit(trim)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float()))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float(1)))
    #expect(throws: Violation.self) { try graph.initialize() }
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(float()))
    try unit.setParameter(0, .global, 0, to: 2)
    try graph.initialize()
    #expect(words(try pulled(graph, 512), as: Float.self).allSatisfy { $0 == 0.5 })
    #expect(throws: Violation.self) { try unit.setParameter(0, .global, 0, to: 9) }
  }

  @Test
  func `units render by themselves`() throws {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let device = PacedHost(
      HardwareGrant(
        outputFormat: StreamFormat(.float32, channels: 2, sampleRate: 48_000, interleaved: true),
        inputFormat: nil, ioBufferFrames: 512))
    let source = UnitInstance(IPodEQ.self)
    for scope in [Scope.input, .output] {
      try source.setProperty(.streamFormat, scope, 0, to: .streamFormat(format))
    }
    try source.setProperty(
      .setRenderCallback, .input, 0, to: .renderCallback(ToneCallback(frequency: 440)))
    let mixer = UnitInstance(MultichannelMixer.self)
    try mixer.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    try mixer.setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: source, to: 0)))
    try source.initialize()
    try mixer.initialize()
    let first = try mixer.render(512)
    let memory = SampleMemory(format, capacity: 512)
    var flags: RenderActionFlags = []
    let status = mixer.render(
      &flags, TimeStamp(sampleTime: 512), into: memory.buffers(512))
    precondition(status == .ok && first.count == memory.format.channelCount)
    #expect(first[0].contains { abs($0) > 0.1 })
    #expect(memory.floats(ofChannel: 0, frameCount: 512).contains { abs($0) > 0.1 })
    let io = UnitInstance(RemoteIO.self)
    try io.useDevice(device)
    try io.setProperty(
      .makeConnection, .input, 0, to: .connection(UnitConnection(from: mixer, to: 0)))
    try io.initialize()
    try io.start()
    try io.stop()
  }

  @Test
  func `a closure works on what the microphone hears`() throws {
    let graph = try openGraph(grant(input: 2))
    let io = try graph.addNode(RemoteIO.description.component)
    try graph.unit(io).setProperty(.enableIO, .input, 1, to: .uint32(1))
    let step = 2 * Double.pi * 440 / 48_000
    let ring = ClosureCallback.processing { _, timeStamp, _, frameCount, input, buffers in
      for channel in 0..<buffers.channelCount {
        for frame in 0..<frameCount {
          let carrier = Float(sin(step * (timeStamp.sampleTime + Double(frame))))
          buffers[channel][frame] = input[channel][frame] * carrier
        }
      }
      return .ok
    }
    try graph.setInputCallback(ring, of: io, from: .output(io, 1))
    try graph.initialize()
    let microphone: Microphone = { _, interleaved in
      for index in interleaved.indices { interleaved[index] = 1 }
    }
    let found = words(try pulled(graph, 480, microphone: microphone), as: Float.self)
    #expect(found[200] == Float(sin(step * 100)))
  }
}
