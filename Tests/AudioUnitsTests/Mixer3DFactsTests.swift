import AudioTypes
import AudioUnits
import Testing

/// Facts from Core Audio's headers and guides about the embedded 3D mixer, and its refusals.
struct Mixer3DFactsTests {
  @Test func `parameters are described as in the header`() throws {
    let wanted: [(UInt32, String, ParameterUnit, ClosedRange<Float>, Float)] = [
      (0, "Azimuth", .degrees, -180...180, 0), (1, "Elevation", .degrees, -90...90, 0),
      (2, "Distance", .meters, 0...10_000, 0), (3, "Gain", .decibels, -120...20, 0),
      (4, "PlaybackRate", .rate, 0.5...2, 1), (5, "Enable", .boolean, 0...1, 1),
      (6, "MinGain", .linearGain, 0...1, 0), (7, "MaxGain", .linearGain, 0...1, 1),
      (8, "ReverbBlend", .percent, 0...100, 0),
      (10, "OcclusionAttenuation", .decibels, -100...0, 0),
      (11, "ObstructionAttenuation", .decibels, -100...0, 0),
    ]
    let unit = UnitInstance(Mixer3D.self)
    for (id, name, kind, range, initial) in wanted {
      let info = try #require(unit.parameterInfo(id, .input))
      #expect(info.constant == "k3DMixerParam_" + name)
      #expect(info.unit == kind)
      #expect(info.range == range)
      #expect(info.defaultValue == initial)
      #expect(info.isRangeEnforced)
      #expect(try unit.parameter(id, .input, 7) == initial)
    }
    #expect(try unit.property(.parameterList, .input, 0) == .ids(wanted.map(\.0)))
    #expect(try unit.property(.parameterList, .global) == .ids([9]))
    #expect(try unit.property(.parameterList, .output) == .ids([3]))
    let room = try #require(unit.parameterInfo(9, .global))
    #expect(room.constant == "k3DMixerParam_GlobalReverbGain")
    #expect(room.unit == .decibels && room.range == -40...40 && room.defaultValue == 0)
    #expect(unit.parameterInfo(5, .input)?.canRamp == false)
    #expect(unit.parameterInfo(3, .input)?.canRamp == true)
  }

  @Test func `properties have the header's numbers and scopes`() throws {
    let wanted: [(UInt32, String, Scope)] = [
      (1005, "UsesInternalReverb", .global), (3000, "SpatializationAlgorithm", .input),
      (3001, "SpeakerConfiguration", .global), (3002, "DopplerShift", .input),
      (3003, "3DMixerRenderingFlags", .input), (3004, "3DMixerDistanceAtten", .input),
      (3010, "3DMixerDistanceParams", .input), (3012, "ReverbPreset", .global),
      (3013, "3DMixerAttenuationCurve", .input),
    ]
    let unit = UnitInstance(Mixer3D.self)
    for (id, name, scope) in wanted {
      let info = try #require(unit.info(PropertyID(rawValue: id)))
      #expect(info.constant == "kAudioUnitProperty_" + name)
      #expect(info.scopes == [scope])
    }
    guard case .choice(let algorithms)? = unit.info(.spatializationAlgorithm)?.kind,
      case .choice(let rooms)? = unit.info(.reverbPreset)?.kind,
      case .choice(let curves)? = unit.info(.attenuationCurve3DMixer)?.kind
    else {
      Issue.record("choices")
      return
    }
    #expect(
      algorithms.map(\.name) == [
        "equalPowerPanning", "sphericalHead", "HRTF", "soundField", "vectorBasedPanning",
        "stereoPassThrough",
      ])
    #expect(
      rooms.map(\.name) == [
        "SmallRoom", "MediumRoom", "LargeRoom", "MediumHall", "LargeHall", "Plate",
        "MediumChamber", "LargeChamber", "Cathedral", "LargeRoom2", "MediumHall2", "MediumHall3",
        "LargeHall2",
      ])
    #expect(curves.map(\.name) == ["power", "exponential", "inverse", "linear"])
    for choices in [algorithms, rooms, curves] {
      #expect(choices.map(\.value) == Array(0..<UInt32(choices.count)))
    }
  }

  @Test func `properties that the render side reads are as described from the beginning`() throws {
    let unit = UnitInstance(Mixer3D.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(12))
    for element in [0, 7, 11] {
      #expect(try unit.property(.renderingFlags3DMixer, .input, element) == .uint32(4))
      #expect(try unit.property(.attenuationCurve3DMixer, .input, element) == .uint32(2))
    }
    #expect(try unit.property(.usesInternalReverb, .global) == .uint32(1))
  }

  @Test func `an input takes 16-bit integers, mono or stereo, at any rate`() {
    func refusal(_ sample: SampleType, _ channels: Int) -> FormatRefusal? {
      Mixer3D.refusal(
        of: StreamFormat(sample, channels: channels, sampleRate: 11_025), scope: .input, element: 0)
    }
    #expect(refusal(.int16, 1) == nil)
    #expect(refusal(.int16, 2) == nil)
    #expect(refusal(.int16, 3) != nil)
    for sample in [SampleType.float32, .int24, .int32, .fixed824] {
      let refusal = refusal(sample, 1)
      #expect(refusal?.help.contains { $0.contains("FormatConverter") } == true)
    }
    #expect(
      Mixer3D.refusal(
        of: StreamFormat(.float32, channels: 1, sampleRate: 44_100), scope: .output, element: 0)
        != nil)
  }

  /// The codes of the errors for one input in use.
  private func codes(
    channels: Int = 1, parameters: [UInt32: Float] = [:],
    properties: [PropertyID: PropertyValue] = [:]
  ) throws -> [Rule.Code] {
    var scene = SpatialScene(.init([0], parameters: parameters, properties: properties))
    if channels == 2 { scene.sources[0].channels = [[0], [0]] }
    let unit = try scene.instance()
    for (id, value) in properties { try unit.setProperty(id, .input, 0, to: value) }
    return Mixer3D.violations(in: unit.configuration()).map(\.rule.code)
  }

  @Test func `what is wrong is said`() throws {
    #expect(try codes() == [])
    #expect(try codes(channels: 2) == ["PR0431"])
    #expect(
      try codes(channels: 2, properties: [.spatializationAlgorithm: .uint32(5)]) == [])
    #expect(try codes(parameters: [0: 90]) == ["PR0433"])
    #expect(try codes(parameters: [0: 90, 2: 1]) == [])
    for wrong in [[1, 100], [-1, 100, 3], [2, 1, 3], [1, 2, -3]] as [[Float]] {
      #expect(try codes(properties: [.distanceParameters3DMixer: .floats(wrong)]) == ["PR0504"])
    }
    #expect(try codes(properties: [.distanceParameters3DMixer: .floats([5, 5, 0])]) == [])
  }

  @Test func `a fresh output is told to be given its rate`() throws {
    let unit = UnitInstance(Mixer3D.self)
    #expect(Mixer3D.violations(in: unit.configuration()).map(\.rule.code) == ["PR0406"])
  }
}
