import AudioTypes
import AudioUnits
import TestSupport
import Testing

/// Facts from Core Audio's headers and guides about each unit.
struct UnitFactsTests {
  @Test func `units have the buses they have at birth`() {
    let wanted: [(any AudioUnit.Type, Int, Int)] = [
      (FormatConverter.self, 1, 1), (MultichannelMixer.self, 8, 1), (IPodEQ.self, 1, 1),
      (GenericOutput.self, 1, 1),
      (RemoteIO.self, 2, 2), (Splitter.self, 1, 2), (MultiSplitter.self, 1, 2), (Merger.self, 2, 1),
      (Varispeed.self, 1, 1),
    ]
    for (unit, inputs, outputs) in wanted {
      let instance = UnitInstance(unit)
      #expect(instance.elementCount(.input) == inputs)
      #expect(instance.elementCount(.output) == outputs)
      #expect(instance.elementCount(.global) == 1)
    }
  }

  @Test func `a fresh element is stereo at 44100 Hz, a 3D Mixer's input mono in 16 bits`() throws {
    for unit in UnitCatalog.standard.units {
      let instance = UnitInstance(unit)
      for scope in [Scope.input, .output] {
        // A converter's output has no rate, as another test checks.
        if unit == FormatConverter.self && scope == .output { continue }
        for element in 0..<instance.elementCount(scope) {
          let isSource = unit == Mixer3D.self && scope == .input
          #expect(
            try instance.property(.streamFormat, scope, element)
              == .streamFormat(
                isSource
                  ? .canonical(channels: 1, sampleRate: 44_100)
                  : .platformCanonical(channels: 2, sampleRate: 44_100)))
        }
      }
    }
  }

  @Test func `a converter's fresh output is 16-bit stereo without a rate`() throws {
    #expect(
      try UnitInstance(FormatConverter.self).property(.streamFormat, .output)
        == .streamFormat(.canonical(channels: 2, sampleRate: 0)))
  }

  @Test func `slices are 1024 frames until they are set, and 4096 on I-O units`() throws {
    for unit in UnitCatalog.standard.units {
      let isIO = unit == RemoteIO.self || unit == VoiceProcessingIO.self
      #expect(
        try UnitInstance(unit).property(.maximumFramesPerSlice) == .uint32(isIO ? 4096 : 1024))
      #expect(unit.description.sizesItsOwnSlices == isIO)
    }
  }

  @Test func `no unit but a limiter has a latency at birth, and only converters, effects a tail`()
    throws
  {
    for unit in UnitCatalog.standard.units where unit != IPodEQ.self && unit != Distortion.self {
      let instance = UnitInstance(unit)
      if unit != PeakLimiter.self {
        #expect(try instance.property(.latency) == .float64(0))
      }
      guard unit != FormatConverter.self, unit != Varispeed.self,
        !(unit is any EffectUnit.Type)
      else { continue }
      #expect(throws: Violation.self) { try instance.property(.tailTime) }
    }
    #expect(try UnitInstance(IPodEQ.self).property(.latency) == .float64(0))
    #expect(try UnitInstance(IPodEQ.self).property(.tailTime) == .float64(0))
  }

  @Test func `the mixer's inputs have seven parameters of the header, its output five`() throws {
    let instance = UnitInstance(MultichannelMixer.self)
    #expect(try instance.property(.parameterList, .global) == .ids([]))
    func listed(_ scope: Scope, _ element: Int) throws -> [UInt32] {
      guard case .ids(let ids) = try instance.property(.parameterList, scope, element) else {
        return []
      }
      return ids.filter { instance.parameterInfo($0, scope)?.isOfHeaders != false }
    }
    #expect(try listed(.input, 7) == [0, 1, 2, 1000, 1001, 2000, 2001, 3000, 3001, 4000, 4001])
    #expect(try listed(.output, 0) == [0, 1000, 1001, 2000, 2001, 3000, 3001, 4000, 4001])
  }

  @Test func `the mixer's parameters are described as in the header`() throws {
    let instance = UnitInstance(MultichannelMixer.self)
    for scope in [Scope.input, .output] {
      let volume = try #require(instance.parameterInfo(0, scope))
      #expect(volume.constant == "kMultiChannelMixerParam_Volume")
      #expect(volume.unit == .linearGain)
      #expect(volume.range == 0...1)
      #expect(volume.defaultValue == 1)
      #expect(!volume.isRangeEnforced)
      #expect(volume.canRamp)
    }
    let enable = try #require(instance.parameterInfo(named: "enable", .input))
    #expect(enable.id == 1)
    #expect(enable.unit == .boolean)
    #expect(enable.defaultValue == 1)
    #expect(!enable.canRamp)
    let pan = try #require(instance.parameterInfo(named: "kMultiChannelMixerParam_Pan", .input))
    #expect(pan.id == 2)
    #expect(pan.unit == .pan)
    #expect(pan.range == -1...1)
    #expect(pan.defaultValue == 0)
    #expect(instance.parameterInfo(1, .output) == nil)
    let meters = try #require(instance.parameterInfo(3001, .output))
    #expect(meters.isReadOnly)
    #expect(meters.unit == .decibels)
    #expect(meters.key == "postAveragePowerRight")
  }

  @Test func `the other units have no parameters`() throws {
    for unit in UnitCatalog.standard.units
    where unit != MultichannelMixer.self && unit != Mixer3D.self
      && unit != MatrixMixer.self && unit != Varispeed.self
      && !(unit is any EffectUnit.Type)
    {
      #expect(unit.description.parameters == [])
    }
  }

  @Test func `the equalizer has 23 presets, Disabled first and in use`() throws {
    let instance = UnitInstance(IPodEQ.self)
    guard case .presets(let presets) = try instance.property(.factoryPresets) else {
      Issue.record("no presets")
      return
    }
    #expect(presets.map(\.number) == Array(0..<23))
    #expect(presets[0].name == "Disabled")
    #expect(presets[8].name == "Flat")
    #expect(presets[16].name == "R & B")
    #expect(presets[22].name == "Vocal Booster")
    #expect(presets.dropFirst().map(\.name) == presets.dropFirst().map(\.name).sorted())
    #expect(
      try instance.property(.presentPreset) == .preset(Preset(number: 0, name: "Disabled")))
  }

  @Test func `element 0 of Remote IO is on, element 1 off`() throws {
    let instance = UnitInstance(RemoteIO.self)
    #expect(try instance.property(.enableIO, .input, 1) == .uint32(0))
    #expect(try instance.property(.enableIO, .output, 0) == .uint32(1))
    #expect(try instance.property(.hasIO, .input, 1) == .uint32(0))
    #expect(try instance.property(.hasIO, .output, 0) == .uint32(1))
    #expect(try instance.property(.isRunning) == .uint32(0))
    #expect(try instance.property(.startTimestampsAtZero) == .uint32(1))
    try instance.setProperty(.enableIO, .input, 1, to: .uint32(1))
    #expect(try instance.property(.hasIO, .input, 1) == .uint32(1))
  }

  @Test func `the units' properties have the header's numbers and names`() {
    let wanted: [(any AudioUnit.Type, UInt32, String)] = [
      (MultichannelMixer.self, 2, "kAudioUnitProperty_SampleRate"),
      (MultichannelMixer.self, 3, "kAudioUnitProperty_ParameterList"),
      (MultichannelMixer.self, 4, "kAudioUnitProperty_ParameterInfo"),
      (MultichannelMixer.self, 8, "kAudioUnitProperty_StreamFormat"),
      (MultichannelMixer.self, 11, "kAudioUnitProperty_ElementCount"),
      (MultichannelMixer.self, 12, "kAudioUnitProperty_Latency"),
      (MultichannelMixer.self, 14, "kAudioUnitProperty_MaximumFramesPerSlice"),
      (MultichannelMixer.self, 22, "kAudioUnitProperty_LastRenderError"),
      (MultichannelMixer.self, 30, "kAudioUnitProperty_ElementName"),
      (MultichannelMixer.self, 3007, "kAudioUnitProperty_MeteringMode"),
      (IPodEQ.self, 24, "kAudioUnitProperty_FactoryPresets"),
      (IPodEQ.self, 36, "kAudioUnitProperty_PresentPreset"),
      (GenericOutput.self, 37, "kAudioUnitProperty_OfflineRender"),
      (RemoteIO.self, 2001, "kAudioOutputUnitProperty_IsRunning"),
      (RemoteIO.self, 2003, "kAudioOutputUnitProperty_EnableIO"),
      (RemoteIO.self, 2006, "kAudioOutputUnitProperty_HasIO"),
      (RemoteIO.self, 2007, "kAudioOutputUnitProperty_StartTimestampsAtZero"),
    ]
    for (unit, id, constant) in wanted {
      let info = UnitInstance(unit).info(PropertyID(rawValue: id))
      #expect(info?.constant == constant)
      #expect(UnitInstance(unit).info(named: constant)?.id.rawValue == id)
    }
  }

  @Test(arguments: UnitCatalog.standard.units.map { $0.description })
  func `a description is complete and each name in it is there once`(_ unit: UnitDescription) {
    #expect(!unit.summary.isEmpty)
    #expect(!unit.formatNotes.isEmpty)
    let properties = GenericProperties.properties(of: unit)
    #expect(properties.map(\.id.rawValue) == properties.map(\.id.rawValue).sorted())
    #expect(Set(properties.map(\.id)).count == properties.count)
    #expect(Set(properties.map(\.key)).count == properties.count)
    for info in properties { #expect(!info.summary.isEmpty && !info.scopes.isEmpty) }
    for scope in Scope.allCases {
      let parameters = unit.parameters(in: scope)
      #expect(Set(parameters.map(\.id)).count == parameters.count)
      #expect(Set(parameters.map(\.key)).count == parameters.count)
      for info in parameters { #expect(info.range.contains(info.defaultValue)) }
    }
  }

  @Test func `rules have one code each`() {
    let codes = UnitRules.all.map(\.code)
    #expect(Set(codes).count == codes.count)
  }
}
