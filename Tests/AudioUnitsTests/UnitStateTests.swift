import AudioTypes
import AudioUnits
import RenderCore
import Synchronization
import Testing

/// Saved states, names, and the texts of parameters.
struct UnitStateTests {
  private let mixer = UnitInstance(MultichannelMixer.self)

  // MARK: ClassInfo

  @Test func `a state puts back parameters, properties and names, and every unit has one`() throws {
    try mixer.setParameter(0, .input, 3, to: 0.25)
    try mixer.setParameter(2, .input, 3, to: -0.5)
    try mixer.setParameter(0, .output, 0, to: 2)
    try mixer.setProperty(.matrixLevels, .input, 5, to: .floats([1, 0.5, 0.5, 1]))
    try mixer.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    try mixer.setProperty(.elementName, .input, 3, to: .string("Bass"))
    try mixer.setProperty(.contextName, to: .string("Hall"))
    try mixer.setProperty(.presentPreset, to: .preset(Preset(number: -3, name: "Verse")))
    let saved = try mixer.property(.classInfo)
    let other = UnitInstance(MultichannelMixer.self)
    try other.setProperty(.elementName, .input, 0, to: .string("Voice"))
    try other.setProperty(.matrixLevels, .input, 0, to: .floats([0, 1, 1, 0]))
    try other.setProperty(.classInfo, to: saved)
    #expect(try other.parameter(0, .input, 3) == 0.25)
    #expect(try other.parameter(2, .input, 3) == -0.5)
    #expect(try other.parameter(0, .output, 0) == 2)
    #expect(try other.property(.matrixLevels, .input, 5) == .floats([1, 0.5, 0.5, 1]))
    // Input 0 had a pan, not matrix levels.
    #expect(try other.property(.matrixLevels, .input, 0) == .floats([1, 0, 0, 1]))
    #expect(try other.property(.meteringMode, .output, 0) == .uint32(1))
    #expect(other.elementName(.input, 3) == "Bass")
    #expect(other.elementName(.input, 0) == "Voice")
    #expect(
      try other.property(.presentPreset) == .preset(Preset(number: -3, name: "Verse")))
    // The context name belongs to the host.
    expectRefused(.propertyNotInUse) { _ = try other.property(.contextName) }
    for unit in UnitCatalog.standard.units {
      let instance = UnitInstance(unit)
      let state = try instance.property(.classInfo)
      try instance.setProperty(.classInfoFromDocument, to: state)
      #expect(try instance.property(.classInfo) == state)
    }
  }

  @Test func `a state tells its listeners, and passes over elements that are not there`() throws {
    try mixer.setParameter(0, .input, 7, to: 0.5)
    let saved = try mixer.property(.classInfo)
    let small = UnitInstance(MultichannelMixer.self)
    try small.setProperty(.elementCount, .input, to: .uint32(2))
    let told = Mutex<[UInt32]>([])
    for id in [PropertyID.classInfo, .presentPreset] {
      _ = small.addListener(id) { id, _, _ in told.withLock { $0.append(id.rawValue) } }
    }
    let volumes = Mutex(0)
    _ = small.addParameterListener(0) { _, _, _, _ in volumes.withLock { $0 += 1 } }
    try small.setProperty(.classInfo, to: saved)
    #expect(told.withLock { $0 } == [36, 0])
    #expect(volumes.withLock { $0 } == 3)
  }

  @Test func `the state of another unit, or of another version, is refused`() throws {
    let equalizer = try UnitInstance(IPodEQ.self).property(.classInfo)
    expectRefused(.invalidPropertyValue) { try mixer.setProperty(.classInfo, to: equalizer) }
    var info = ClassInfo(
      component: MultichannelMixer.description.component,
      preset: Preset(number: -1, name: "Untitled"), version: 1)
    expectRefused(.invalidPropertyValue) { try mixer.setProperty(.classInfo, to: .classInfo(info)) }
    info.version = 0
    info.parameters = [.init(2, .input, 0, 5)]
    expectRefused(.invalidParameter) { try mixer.setProperty(.classInfo, to: .classInfo(info)) }
    expectRefused(.invalidPropertyValue) { try mixer.setProperty(.classInfo, to: .uint32(0)) }
    expectRefused(.invalidScope) { _ = try mixer.property(.classInfo, .input, 0) }
  }

  // MARK: Presets

  @Test func `a unit without presets takes a name of one's own and no number`() throws {
    #expect(
      try mixer.property(.presentPreset) == .preset(Preset(number: -1, name: "Untitled")))
    try mixer.setProperty(.presentPreset, to: .preset(Preset(number: .min, name: "Mine")))
    expectRefused(.invalidProperty) {
      try mixer.setProperty(.presentPreset, to: .preset(Preset(number: 0, name: "Mine")))
    }
    expectRefused(.invalidPropertyValue) {
      try mixer.setProperty(.presentPreset, to: .preset(Preset(number: -1, name: "")))
    }
    #expect(
      try mixer.property(.presentPreset) == .preset(Preset(number: .min, name: "Mine")))
  }

  // MARK: Stored properties

  @Test func `names are there once they are given, and may be taken away`() throws {
    expectRefused(.propertyNotInUse) { _ = try mixer.property(.contextName) }
    expectRefused(.propertyNotInUse) { _ = try mixer.property(.elementName, .output, 0) }
    try mixer.setProperty(.contextName, to: .string("Hall"))
    #expect(try mixer.property(.contextName) == .string("Hall"))
    try mixer.setProperty(.contextName, to: .string(""))
    expectRefused(.propertyNotInUse) { _ = try mixer.property(.contextName) }
  }

  @Test func `a host's callbacks are kept as they are`() throws {
    let callbacks = HostCallbacks(beatAndTempo: { (beat: 4.5, tempo: 120) })
    try mixer.setProperty(.hostCallbacks, to: .hostCallbacks(callbacks))
    guard case .object(let object) = try mixer.property(.hostCallbacks),
      let found = object.object as? HostCallbacks
    else {
      Issue.record("no callbacks")
      return
    }
    #expect(found === callbacks)
    #expect(found.beatAndTempo?()?.tempo == 120)
    try mixer.setProperty(.hostCallbacks, to: .hostCallbacks(nil))
    #expect(try mixer.property(.hostCallbacks) == .object(.none))
    expectRefused(.invalidPropertyValue) {
      try mixer.setProperty(.hostCallbacks, to: .object(PropertyObject(mixer)))
    }
    expectRefused(.invalidPropertyValue) {
      try mixer.setProperty(.presentationLatency, .output, 0, to: .float64(-1))
    }
    try mixer.setProperty(.presentationLatency, .output, 0, to: .float64(0.01))
  }

  // MARK: Texts

  @Test func `a parameter's values have names, or are numbers with their unit`() throws {
    #expect(try mixer.property(.parameterValueStrings, .input, 1) == .strings(["off", "on"]))
    expectRefused(.propertyNotInUse) { _ = try mixer.property(.parameterValueStrings, .input, 2) }
    expectRefused(.invalidParameter) { _ = try mixer.property(.parameterValueStrings, .output, 1) }
    func text(_ parameter: UInt32, _ value: Float?) throws -> String? {
      try mixer.property(
        .parameterStringFromValue, .input, 0, asking: ParameterText(parameter, value: value)
      ).text
    }
    #expect(try text(1, 0) == "off")
    #expect(try text(1, nil) == "on")
    #expect(try text(2, -0.25) == "-0.25")
    #expect(try text(1000, nil) == "-120 dB")
    func value(_ parameter: UInt32, _ text: String) throws -> Float? {
      try mixer.property(
        .parameterValueFromString, .input, 0, asking: ParameterText(parameter, text: text)
      ).value
    }
    #expect(try value(1, "On") == 1)
    #expect(try value(1000, "-6.5 dB") == -6.5)
    #expect(try value(1000, "-6.5") == -6.5)
    expectRefused(.invalidPropertyValue) { _ = try value(1, "perhaps") }
    expectRefused(.invalidPropertyValue) { _ = try value(2, "nan") }
    expectRefused(.invalidParameter) { _ = try value(77, "1") }
    expectRefused(.invalidElement) {
      _ = try mixer.property(
        .parameterStringFromValue, .input, 9, asking: ParameterText(1, value: 0))
    }
  }

  @Test func `a parameter has a name, cut where there is no room, and no clump`() throws {
    func name(_ length: Int?) throws -> String? {
      try mixer.property(
        .parameterIDName, .input, 0, asking: ParameterText(2001, length: length)
      ).text
    }
    #expect(try name(nil) == "Pre Peak Hold Level Right")
    #expect(try name(8) == "Pre Peak")
    expectRefused(.invalidPropertyValue) {
      _ = try mixer.property(.parameterClumpName, asking: ParameterText(0))
    }
    expectRefused(.propertyNotInUse) {
      _ = try mixer.property(.parameterClumpName, asking: ParameterText(1))
    }
    // The query needs an argument, and others must not have one.
    expectRefused(.propertyNotInUse) { _ = try mixer.property(.parameterIDName) }
    expectRefused(.invalidPropertyValue) {
      _ = try mixer.property(.latency, asking: ParameterText(0))
    }
  }

  @Test func `the size of a list is that of its present value`() throws {
    #expect(try mixer.propertyInfo(.matrixLevels, .input, 0).size == 16)
    let count = MultichannelMixer.description.parameters(in: .input).count
    #expect(try mixer.propertyInfo(.parameterList, .input, 0).size == 4 * count)
    #expect(try mixer.propertyInfo(.matrixDimensions).size == 8)
    #expect(try UnitInstance(RemoteIO.self).propertyInfo(.channelMap, .input, 1).size == 8)
    #expect(try mixer.propertyInfo(.supportedChannelCounts).size == 8)
    #expect(try mixer.propertyInfo(.matrixLevels, .input, 0).isWritable)
    #expect(try !mixer.propertyInfo(.matrixDimensions).isWritable)
    expectRefused(.invalidProperty) { _ = try mixer.propertyInfo(.tailTime) }
  }
}
