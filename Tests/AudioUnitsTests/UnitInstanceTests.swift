public import AudioTypes
import AudioUnits
import Synchronization
import Testing

struct UnitInstanceTests {
  private let mixer = UnitInstance(MultichannelMixer.self)
  private let equalizer = UnitInstance(IPodEQ.self)
  private let io = UnitInstance(RemoteIO.self)
  private let float = StreamFormat(.float32, channels: 2, sampleRate: 48_000)

  @discardableResult
  private func refused(
    _ status: Status, _ rule: Rule? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) -> Violation? {
    do {
      try body()
      Issue.record("nothing was refused", sourceLocation: sourceLocation)
    } catch let violation as Violation {
      #expect(violation.status == status, sourceLocation: sourceLocation)
      if let rule { #expect(violation.rule == rule, sourceLocation: sourceLocation) }
      #expect(violation.severity == .error, sourceLocation: sourceLocation)
      return violation
    } catch {
      Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
    return nil
  }

  /// Initializes a unit with its initial formats.
  private func initialized(_ unit: UnitInstance) -> UnitInstance {
    _ = unit.initialize(unit.configuration())
    return unit
  }

  // MARK: The order of the checks

  @Test func `an unknown property is refused first`() {
    refused(-10879, UnitRules.propertyKnown) {
      try mixer.setProperty(.bypassEffect, .input, 99, to: .string("x"))
    }
    refused(-10879) { _ = try mixer.property(.tailTime) }
    refused(-10879) { _ = try mixer.isWritable(.factoryPresets, .global, 0) }
  }

  @Test func `then the value's kind, then the scope, then the element`() {
    refused(-10851) { try equalizer.setProperty(.presentPreset, .input, 9, to: .uint32(1)) }
    refused(-10866, UnitRules.propertyScope) {
      try equalizer.setProperty(
        .presentPreset, .input, 9, to: .preset(Preset(number: 99, name: "")))
    }
    refused(-10851) { try mixer.setProperty(.streamFormat, .input, 99, to: .uint32(1)) }
    refused(-10877, UnitRules.element) {
      try mixer.setProperty(.streamFormat, .input, 8, to: .streamFormat(float))
    }
    refused(-10877) {
      try mixer.setProperty(.streamFormat, .input, -1, to: .streamFormat(float))
    }
    refused(-10877) { _ = try mixer.property(.streamFormat, .output, 1) }
    refused(-10851) { try mixer.setProperty(.sampleRate, .output, 1, to: .uint32(44_100)) }
    refused(-10877) { try mixer.setProperty(.sampleRate, .output, 1, to: .float64(44_100)) }
  }

  @Test func `a stream format is sane, then accepted, then equal, then writable`() throws {
    // An input without a feed takes another format at any time.
    mixer.setUse(.callback, .input, 0)
    let unit = initialized(mixer)
    try unit.setProperty(.streamFormat, .input, 1, to: .streamFormat(float))
    refused(-10868, UnitRules.formatConsistent) {
      try unit.setProperty(
        .streamFormat, .input, 0, to: .streamFormat(float.with(sampleRate: -1)))
    }
    refused(-10868, UnitRules.formatSupported) {
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float.with(channels: 3)))
    }
    // Setting the present format has no effect in any state.
    try unit.setProperty(
      .streamFormat, .input, 0,
      to: .streamFormat(.platformCanonical(channels: 2, sampleRate: 44_100)))
    refused(-10865, UnitRules.formatWritable) {
      try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(float))
    }
    try unit.setProperty(.sampleRate, .input, 0, to: .float64(44_100))
    refused(-10865) { try unit.setProperty(.sampleRate, .input, 0, to: .float64(48_000)) }
    refused(-10868) { try unit.setProperty(.sampleRate, .input, 0, to: .float64(4e6)) }
  }

  @Test func `an equal format tells nobody`() throws {
    let calls = Calls()
    _ = mixer.addListener(.streamFormat) { calls.note("\($0.rawValue) \($1) \($2)") }
    try mixer.setProperty(.streamFormat, .input, 2, to: .streamFormat(float))
    try mixer.setProperty(.streamFormat, .input, 2, to: .streamFormat(float))
    #expect(calls.all == ["8 input 2"])
    #expect(mixer.hasGivenFormat(.input, 2))
    // But the initial format counts as given once it has been set.
    #expect(!mixer.hasGivenFormat(.input, 3))
    try mixer.setProperty(
      .streamFormat, .input, 3,
      to: .streamFormat(.platformCanonical(channels: 2, sampleRate: 44_100)))
    #expect(mixer.hasGivenFormat(.input, 3))
    #expect(calls.all == ["8 input 2"])
  }

  @Test func `an input that a connection feeds keeps its connection's format`() throws {
    mixer.setUse(.connection, .input, 1)
    refused(-10865) {
      try mixer.setProperty(.streamFormat, .input, 1, to: .streamFormat(float))
    }
    #expect(try !mixer.isWritable(.streamFormat, .input, 1))
    mixer.setUse(.callback, .input, 1)
    #expect(try mixer.isWritable(.streamFormat, .input, 1))
    try mixer.setProperty(.streamFormat, .input, 1, to: .streamFormat(float))
  }

  @Test func `the hardware sides of an I/O unit cannot be set`() throws {
    refused(-10865) { try io.setProperty(.streamFormat, .input, 1, to: .streamFormat(float)) }
    refused(-10865) { try io.setProperty(.streamFormat, .output, 0, to: .streamFormat(float)) }
    refused(-10865) { try io.setProperty(.streamFormat, .global, 0, to: .streamFormat(float)) }
    refused(-10865) { try io.setProperty(.sampleRate, .output, 0, to: .float64(48_000)) }
    try io.setProperty(.streamFormat, .input, 0, to: .streamFormat(float))
    try io.setProperty(.streamFormat, .output, 1, to: .streamFormat(float))
  }

  @Test func `the global scope's stream format is that of output 0`() throws {
    try equalizer.setProperty(.streamFormat, .global, 0, to: .streamFormat(float))
    #expect(try equalizer.property(.streamFormat, .output, 0) == .streamFormat(float))
    #expect(try equalizer.property(.streamFormat) == .streamFormat(float))
    refused(-10866) { try equalizer.setProperty(.sampleRate, .global, 0, to: .float64(48_000)) }
  }

  @Test func `the mixer's output takes a rate and no other number of channels`() throws {
    refused(-10868) {
      try mixer.setProperty(.streamFormat, .output, 0, to: .streamFormat(float.with(channels: 1)))
    }
    try mixer.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    #expect(try mixer.property(.streamFormat, .output) == .streamFormat(float))
    #expect(!mixer.hasGivenFormat(.output, 0))
    #expect(mixer.configuration().outputs[0].origin == .rateGiven)
    try mixer.setProperty(
      .streamFormat, .output, 0, to: .streamFormat(.canonical(channels: 2, sampleRate: 48_000)))
    #expect(mixer.hasGivenFormat(.output, 0))
  }

  @Test func `formats that no bus carries are refused`() {
    var format = float
    format.formatID = "aac "
    refused(-10868) {
      try equalizer.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    }
    format = float
    format.bitsPerChannel = 64
    format.bytesPerFrame = 8
    format.bytesPerPacket = 8
    refused(-10868, UnitRules.formatSupported) {
      try equalizer.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    }
    refused(-10868) {
      try equalizer.setProperty(
        .streamFormat, .input, 0, to: .streamFormat(float.with(channels: 3)))
    }
  }

  // MARK: Counts, slices, switches

  @Test func `the number of inputs is checked in the order kind, fixed, initialized, range`() throws
  {
    refused(-10851) { try equalizer.setProperty(.elementCount, .input, 0, to: .float64(2)) }
    refused(-10865) { try equalizer.setProperty(.elementCount, .input, 0, to: .uint32(2)) }
    refused(-10865) { try mixer.setProperty(.elementCount, .output, 0, to: .uint32(2)) }
    refused(-10865) { try mixer.setProperty(.elementCount, .global, 0, to: .uint32(2)) }
    refused(-10851) { try mixer.setProperty(.elementCount, .input, 0, to: .uint32(0)) }
    refused(-10851) { try mixer.setProperty(.elementCount, .input, 0, to: .uint32(1025)) }
    let unit = initialized(mixer)
    refused(-10865) { try unit.setProperty(.elementCount, .output, 0, to: .uint32(2)) }
    refused(-10849) { try unit.setProperty(.elementCount, .input, 0, to: .uint32(2)) }
    refused(-10849) { try unit.setProperty(.elementCount, .input, 0, to: .uint32(0)) }
    unit.forgetConfiguration()
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(2))
    #expect(try unit.property(.elementCount, .input) == .uint32(2))
  }

  @Test func `another number of inputs keeps what the others have`() throws {
    try mixer.setParameter(MultichannelMixer.Parameter.volume, .input, 1, to: 0.25)
    try mixer.setParameter(MultichannelMixer.Parameter.pan, .input, 7, to: 0.5)
    try mixer.setParameter(MultichannelMixer.Parameter.volume, .output, 0, to: 0.75)
    try mixer.setProperty(.meteringMode, .input, 1, to: .uint32(1))
    try mixer.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    try mixer.setProperty(.streamFormat, .input, 1, to: .streamFormat(float))
    try mixer.setProperty(.elementName, .input, 1, to: .string("beats"))
    try mixer.setProperty(.elementCount, .input, 0, to: .uint32(2))
    try mixer.setProperty(.elementCount, .input, 0, to: .uint32(40))
    #expect(try mixer.parameter(0, .input, 1) == 0.25)
    #expect(try mixer.parameter(0, .output, 0) == 0.75)
    #expect(try mixer.property(.meteringMode, .input, 1) == .uint32(1))
    #expect(try mixer.property(.meteringMode, .output, 0) == .uint32(1))
    #expect(try mixer.property(.streamFormat, .input, 1) == .streamFormat(float))
    #expect(try mixer.property(.elementName, .input, 1) == .string("beats"))
    // Elements that were removed and added again have initial values.
    #expect(try mixer.parameter(MultichannelMixer.Parameter.pan, .input, 7) == 0)
    #expect(try mixer.parameter(0, .input, 39) == 1)
    refused(-10877) { _ = try mixer.parameter(0, .input, 40) }
  }

  @Test func `a mark on a bus that is not there yet is kept`() throws {
    mixer.setUse(.connection, .input, 9)
    try mixer.setProperty(.elementCount, .input, 0, to: .uint32(10))
    #expect(mixer.configuration().inputs[9].use == .connection)
    refused(-10865) {
      try mixer.setProperty(.streamFormat, .input, 9, to: .streamFormat(float))
    }
    mixer.clearUses()
    #expect(mixer.configuration().inputs[9].use == .none)
  }

  @Test func `the largest slice is set before the unit is initialized`() throws {
    refused(-10851) { try equalizer.setProperty(.maximumFramesPerSlice, to: .float64(1)) }
    refused(-10851) { try equalizer.setProperty(.maximumFramesPerSlice, to: .uint32(0)) }
    refused(-10866) { try equalizer.setProperty(.maximumFramesPerSlice, .input, 0, to: .uint32(1)) }
    refused(-10877) {
      try equalizer.setProperty(.maximumFramesPerSlice, .global, 1, to: .uint32(1))
    }
    try equalizer.setProperty(.maximumFramesPerSlice, to: .uint32(4096))
    let unit = initialized(equalizer)
    refused(-10851) { try unit.setProperty(.maximumFramesPerSlice, to: .float64(1)) }
    refused(-10849) { try unit.setProperty(.maximumFramesPerSlice, to: .uint32(1)) }
    #expect(try unit.property(.maximumFramesPerSlice) == .uint32(4096))
  }

  @Test func `EnableIO is on one element of each scope, until initialize`() throws {
    refused(-10866) { try io.setProperty(.enableIO, .global, 0, to: .uint32(1)) }
    refused(-10877) { try io.setProperty(.enableIO, .input, 0, to: .uint32(1)) }
    refused(-10877) { try io.setProperty(.enableIO, .output, 1, to: .uint32(1)) }
    refused(-10851) { try io.setProperty(.enableIO, .input, 1, to: .uint32(2)) }
    refused(-10879) { try mixer.setProperty(.enableIO, .input, 1, to: .uint32(1)) }
    refused(-10865) { try io.setProperty(.hasIO, .input, 1, to: .uint32(1)) }
    refused(-10865) { try io.setProperty(.isRunning, to: .uint32(1)) }
    let unit = initialized(io)
    refused(-10849) { try unit.setProperty(.enableIO, .input, 1, to: .uint32(1)) }
  }

  @Test func `a name is not in use until it is set`() throws {
    for (scope, element) in [(Scope.global, 0), (.input, 3), (.output, 0)] {
      refused(-10850) { _ = try mixer.property(.elementName, scope, element) }
      try mixer.setProperty(.elementName, scope, element, to: .string("n\(element)"))
      #expect(try mixer.property(.elementName, scope, element) == .string("n\(element)"))
      #expect(mixer.elementName(scope, element) == "n\(element)")
    }
    #expect(mixer.elementName(.input, 4) == nil)
    _ = initialized(mixer)
    try mixer.setProperty(.elementName, .input, 0, to: .string("later"))
  }

  // MARK: Presets

  @Test func `a factory preset is known by its number`() throws {
    try equalizer.setProperty(.presentPreset, to: .preset(Preset(number: 8, name: "")))
    #expect(try equalizer.property(.presentPreset) == .preset(Preset(number: 8, name: "Flat")))
    #expect(IPodEQ.preset(named: "Bass Booster") == Preset(number: 2, name: "Bass Booster"))
    #expect(IPodEQ.preset(named: "Base") == nil)
    let found = refused(-10851) {
      try equalizer.setProperty(.presentPreset, to: .preset(Preset(number: 23, name: "Flat")))
    }
    #expect(found?.help.first?.contains("Bass Booster") == true)
    // It may be set while the unit is initialized.
    _ = initialized(equalizer)
    try equalizer.setProperty(.presentPreset, to: .preset(Preset(number: 0, name: "")))
    refused(-10865) { try equalizer.setProperty(.factoryPresets, to: .presets([])) }
  }

  // MARK: Parameters

  @Test func `a parameter is checked for its element, its number, and its value`() throws {
    refused(-10877) { try mixer.setParameter(77, .input, 8, to: 1) }
    refused(-10877) { _ = try mixer.parameter(0, .input, 9999) }
    refused(-10878) { try mixer.setParameter(77, .input, 0, to: 1) }
    refused(-10878) { _ = try mixer.parameter(0, .global, 0) }
    refused(-10878) { try mixer.setParameter(MultichannelMixer.Parameter.pan, .output, 0, to: 0) }
    refused(-10878, UnitRules.parameterRange) {
      try mixer.setParameter(MultichannelMixer.Parameter.pan, .input, 0, to: 1.001)
    }
    refused(-10878, UnitRules.parameterRange) { try mixer.setParameter(0, .input, 0, to: .nan) }
    refused(-10878) { try mixer.setParameter(0, .input, 0, to: .infinity) }
    refused(-10878, UnitRules.parameterReadOnly) {
      try mixer.setParameter(1000, .input, 0, to: -3)
    }
    #expect(try mixer.parameter(1000, .input, 0) == -120)
  }

  @Test func `a volume may be any finite number, and says when it is unusual`() throws {
    try mixer.setParameter(0, .input, 0, to: -2.5)
    #expect(try mixer.parameter(0, .input, 0) == -2.5)
    try mixer.setParameter(0, .input, 0, to: 40)
    #expect(mixer.warning(0, .input, 0, 40)?.severity == .warning)
    #expect(mixer.warning(0, .input, 0, -1)?.message.contains("negative") == true)
    #expect(mixer.warning(0, .input, 0, 1) == nil)
    #expect(mixer.warning(MultichannelMixer.Parameter.pan, .input, 0, 2) == nil)
  }

  @Test func `a parameter may be set while the unit is initialized`() throws {
    let unit = initialized(mixer)
    try unit.setParameter(0, .input, 0, to: 0.5)
    #expect(try unit.parameter(0, .input, 0) == 0.5)
  }

  @Test func `a parameter's description is asked for in the place of the element`() throws {
    guard case .parameterInfo(let info) = try mixer.property(.parameterInfo, .input, 2) else {
      Issue.record("no description")
      return
    }
    #expect(info.key == "pan")
    refused(-10878) { _ = try mixer.property(.parameterInfo, .input, 99) }
    refused(-10878) { _ = try mixer.property(.parameterInfo, .output, 2) }
  }

  // MARK: Listeners

  @Test func `a listener is called once for each change, and not for a refusal`() throws {
    let calls = Calls()
    let token = mixer.addListener(.meteringMode) { calls.note("\($0.rawValue) \($1) \($2)") }
    _ = mixer.addListener(.elementCount) { calls.note("\($0.rawValue) \($1) \($2)") }
    try mixer.setProperty(.meteringMode, .input, 3, to: .uint32(1))
    refused(-10851) { try mixer.setProperty(.meteringMode, .input, 3, to: .uint32(5)) }
    try mixer.setProperty(.elementCount, .input, 0, to: .uint32(4))
    #expect(calls.all == ["3007 input 3", "11 input 0"])
    mixer.removeListener(token)
    try mixer.setProperty(.meteringMode, .input, 3, to: .uint32(0))
    #expect(calls.all.count == 2)
  }

  @Test func `the same listener twice is called twice`() throws {
    let calls = Calls()
    for _ in 0..<2 { _ = mixer.addListener(.meteringMode) { _, _, _ in calls.note("x") } }
    try mixer.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    #expect(calls.all.count == 2)
  }

  @Test func `a listener may read the value and take itself away`() throws {
    let unit = mixer
    let calls = Calls()
    let token = Mutex<UnitInstance.ListenerToken?>(nil)
    let first = unit.addListener(.meteringMode) { id, scope, element in
      calls.note("\((try? unit.property(id, scope, element)) == .uint32(1))")
      if let token = token.withLock({ $0 }) { unit.removeListener(token) }
    }
    token.withLock { $0 = first }
    try unit.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    try unit.setProperty(.meteringMode, .output, 0, to: .uint32(0))
    #expect(calls.all == ["true"])
  }

  @Test func `a listener that another takes away is not called any more`() throws {
    let unit = mixer
    let calls = Calls()
    let token = Mutex<UnitInstance.ListenerToken?>(nil)
    _ = unit.addListener(.meteringMode) { _, _, _ in
      if let token = token.withLock({ $0 }) { unit.removeListener(token) }
    }
    let second = unit.addListener(.meteringMode) { _, _, _ in calls.note("second") }
    token.withLock { $0 = second }
    try unit.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    #expect(calls.all == [])
  }

  @Test func `parameter listeners hear of one parameter or of all`() throws {
    let calls = Calls()
    _ = mixer.addParameterListener(2) { calls.note("pan \($0) \($1) \($2) \($3)") }
    let any = mixer.addParameterListener(nil) { calls.note("any \($0) \($1) \($2) \($3)") }
    try mixer.setParameter(0, .output, 0, to: 0.5)
    try mixer.setParameter(2, .input, 1, to: -0.5)
    refused(-10878) { try mixer.setParameter(2, .input, 1, to: 5) }
    #expect(calls.all == ["any 0 output 0 0.5", "pan 2 input 1 -0.5", "any 2 input 1 -0.5"])
    mixer.removeListener(any)
    try mixer.setParameter(0, .output, 0, to: 1)
    #expect(calls.all.count == 3)
  }

  @Test func `the last render error is told and cleared by reading`() throws {
    let calls = Calls()
    _ = io.addListener(.lastRenderError) { _, _, _ in calls.note("error") }
    #expect(try io.property(.lastRenderError) == .status(.ok))
    io.noteRenderError(.noConnection)
    io.noteRenderError(.noConnection)
    #expect(calls.all == ["error"])
    #expect(try io.property(.lastRenderError) == .status(.noConnection))
    #expect(try io.property(.lastRenderError) == .status(.ok))
    refused(-10865) { try io.setProperty(.lastRenderError, to: .status(.ok)) }
  }

  @Test func `an output unit that starts and stops says so`() throws {
    let calls = Calls()
    _ = io.addListener(.isRunning) { _, _, _ in calls.note("running") }
    io.noteRunning(true)
    #expect(try io.property(.isRunning) == .uint32(1))
    io.noteRunning(false)
    #expect(try io.property(.isRunning) == .uint32(0))
    #expect(calls.all.count == 2)
    mixer.noteRunning(true)
  }

  // MARK: Information

  @Test func `a property says whether it can be set now`() throws {
    #expect(try mixer.isWritable(.elementCount, .input, 0))
    #expect(try !mixer.isWritable(.elementCount, .output, 0))
    #expect(try mixer.isWritable(.meteringMode, .input, 0))
    #expect(try !mixer.isWritable(.latency, .global, 0))
    #expect(try !io.isWritable(.streamFormat, .output, 0))
    #expect(try io.isWritable(.streamFormat, .input, 0))
    refused(-10866) { _ = try mixer.isWritable(.latency, .input, 0) }
    refused(-10877) { _ = try mixer.isWritable(.meteringMode, .input, 8) }
    mixer.setUse(.callback, .input, 0)
    _ = initialized(mixer)
    #expect(try !mixer.isWritable(.elementCount, .input, 0))
    #expect(try !mixer.isWritable(.streamFormat, .input, 0))
    #expect(try mixer.isWritable(.streamFormat, .input, 1))
    #expect(try mixer.isWritable(.meteringMode, .input, 0))
  }

  @Test func `what initialize has settled is forgotten by uninitialize, what was given is not`()
    throws
  {
    try mixer.setProperty(.streamFormat, .input, 0, to: .streamFormat(float))
    var configuration = mixer.configuration()
    configuration.inputs[1].format = float
    configuration.inputs[1].origin = .propagated(from: NodeID(rawValue: 1), output: 0)
    _ = mixer.initialize(configuration)
    #expect(mixer.isInitialized)
    #expect(try mixer.property(.streamFormat, .input, 1) == .streamFormat(float))
    mixer.forgetConfiguration()
    #expect(!mixer.isInitialized)
    #expect(try mixer.property(.streamFormat, .input, 0) == .streamFormat(float))
    #expect(
      try mixer.property(.streamFormat, .input, 1)
        == .streamFormat(.platformCanonical(channels: 2, sampleRate: 44_100)))
  }
}

extension Status: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int32) { self.init(rawValue: value) }
}

/// The calls of a listener, in order.
final class Calls: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func note(_ text: String) { texts.withLock { $0.append(text) } }
}
