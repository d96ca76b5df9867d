import AudioTypes
import AudioUnits
import RenderCore
import TestSupport
import Testing

/// Switches of the equalizer: bypass, in-place rendering, user presets, and the tail.
struct EqualizerBypassTests {
  private let unit = UnitInstance(IPodEQ.self)

  private func kernel(_ channels: Int, rate: Double = 48_000) throws -> KernelBox {
    let format = StreamFormat(.float32, channels: channels, sampleRate: rate)
    try unit.setProperty(.streamFormat, .input, 0, to: .streamFormat(format))
    try unit.setProperty(.streamFormat, .output, 0, to: .streamFormat(format))
    return try #require(unit.initialize(unit.configuration()).main)
  }

  private func equalize(
    _ channels: [[Float]], slicing: Slicing = Slicing([512]), changes: [Int: Bool] = [:],
    preset: Int32 = 2
  ) throws -> [[Float]] {
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: preset, name: "")))
    if let first = changes[0] { try bypass(first) }
    let kernel = try kernel(channels.count)
    let count = channels[0].count
    let ends = slicing.cut(count).reduce(into: [0]) { $0.append($0.last! + $1) }
    let cuts = Set(ends + changes.keys).sorted()
    return render(
      kernel, inputs: [channels], outputChannelCounts: [channels.count], frameCount: count,
      slicing: Slicing(zip(cuts.dropFirst(), cuts).map { $0 - $1 })
    ) { frame in
      if frame > 0, let change = changes[frame] { try? bypass(change) }
    }[0]
  }

  private func bypass(_ isOn: Bool) throws {
    try unit.setProperty(.bypassEffect, to: .uint32(isOn ? 1 : 0))
  }

  // MARK: Bypass

  @Test(arguments: [1, 2])
  func `bypassed from the start, every bit passes`(channelCount: Int) throws {
    let channels = (0..<channelCount).map { noise(3000, seed: UInt64(20 + $0)) }
    expectSame(try equalize(channels, changes: [0: true]), channels)
    #expect(try unit.property(.bypassEffect) == .uint32(1))
  }

  @Test func `once it is bypassed every bit passes, and no longer when it is not`() throws {
    let channels = [noise(9000, seed: 22), noise(9000, seed: 23)]
    let result = try equalize(channels, changes: [1000: true, 6000: false])
    // 20 ms of warm-up and 20 ms of fade.
    expectSame(
      result.map { Array($0[2920..<6000]) }, channels.map { Array($0[2920..<6000]) })
    let equalized = try EqualizerBypassTests().equalize(channels)
    expectSame(result.map { Array($0[..<1000]) }, equalized.map { Array($0[..<1000]) })
    #expect(zip(result[0][8000...], channels[0][8000...]).contains { $0 != $1 })
  }

  @Test func `going to and from bypass makes no click`() throws {
    // A low tone that the preset raises by 5.5 dB. A switch without a fade would be a step of up to
    // 0.09; the second difference of the tone is 1.2e-6.
    let tone = sine(9600, frequency: 32, sampleRate: 48_000, amplitude: 0.1)
    let result = try equalize([tone], changes: [2400: true, 6000: false])[0]
    #expect(roughness(result) < 1e-5)
    var switched = Array(try EqualizerBypassTests().equalize([tone])[0][..<2400])
    switched += tone[2400...]
    #expect(roughness(switched) > 1e-3)
  }

  @Test(arguments: Slicing.every)
  func `bypass does not depend on how a render is cut`(slicing: Slicing) throws {
    let channels = [noise(6000, seed: 24)]
    let changes = [500: true, 700: false, 3100: true]
    expectSame(
      try equalize(channels, slicing: slicing, changes: changes),
      try EqualizerBypassTests().equalize(channels, slicing: Slicing([4096]), changes: changes))
  }

  @Test func `a bypass that ends begins anew: nothing rings on from before`() throws {
    // An impulse long before, then silence: after the bypass, the output is exactly zero.
    var impulse = [Float](repeating: 0, count: 8000)
    impulse[0] = 1
    let result = try equalize([impulse], changes: [100: true, 2300: false])[0]
    #expect(result[50] != 0)
    #expect(result[2300...].allSatisfy { $0 == 0 })
  }

  @Test func `a preset that is chosen while it is bypassed is heard afterwards`() throws {
    let channels = [noise(12_000, seed: 25)]
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: 2, name: "")))
    try bypass(true)
    let kernel = try kernel(1)
    let result = render(
      kernel, inputs: [channels], outputChannelCounts: [1], frameCount: 12_000,
      slicing: Slicing([1000])
    ) { frame in
      if frame == 2000 {
        try? unit.setProperty(.presentPreset, to: .preset(Preset(number: 3, name: "")))
      }
      if frame == 4000 { try? bypass(false) }
    }[0]
    expectSame([Array(result[0][..<4000])], [Array(channels[0][..<4000])])
    let wanted = EqualizerBypassTests()
    let lowered = try wanted.equalize([Array(channels[0][4000...])], preset: 3)[0]
    // The filters began at frame 4000. After 40 ms, the output is theirs alone.
    expectSame([Array(result[0][5920...])], [Array(lowered[1920...])])
  }

  // MARK: In place

  @Test func `in the memory of its input it sounds the same, and says the same of silence`() throws
  {
    let input = noise(2048, seed: 26) + [Float](repeating: 0, count: 60_000)
    func run(inPlace: Bool) throws -> ([Float], [Bool]) {
      let test = EqualizerBypassTests()
      try test.unit.setProperty(.presentPreset, to: .preset(Preset(number: 12, name: "")))
      let plan = RenderPlan(
        rows: [.init(kernel: try test.kernel(1), inputs: [0], outputs: [inPlace ? 0 : 1])],
        busChannelCounts: [1, 1], maximumFramesPerSlice: 512)
      var result: [Float] = []
      var silent: [Bool] = []
      for slice in 0..<120 {
        let bus = plan.bus(0, frameCount: 512)
        if slice < 4 { bus.markSounding() } else { bus.silence() }
        for frame in 0..<512 { bus[0][frame] = input[512 * slice + frame] }
        #expect(plan.render(frameCount: 512, at: TimeStamp(sampleTime: 0)) == .ok)
        let output = plan.bus(inPlace ? 0 : 1, frameCount: 512)
        result += output[0].indices.map { output[0][$0] }
        silent.append(output.isSilent)
      }
      return (result, silent)
    }
    let (apart, apartSilent) = try run(inPlace: false)
    let (together, togetherSilent) = try run(inPlace: true)
    expectSame([together], [apart])
    #expect(togetherSilent == apartSilent)
    #expect(!apartSilent[8] && apartSilent[119])
  }

  // MARK: Presets of one's own

  @Test func `a preset of one's own is a name for the sound that is there`() throws {
    let channels = [noise(2000, seed: 27)]
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: 2, name: "")))
    let mine = Preset(number: -5, name: "Car")
    try unit.setProperty(.presentPreset, to: .preset(mine))
    #expect(try unit.property(.presentPreset) == .preset(mine))
    let result = render(
      try kernel(1), inputs: [channels], outputChannelCounts: [1], frameCount: 2000)[0]
    expectSame(result, try EqualizerBypassTests().equalize(channels, preset: 2))
    expectRefused(.invalidPropertyValue) {
      try unit.setProperty(.presentPreset, to: .preset(Preset(number: -1, name: "")))
    }
    #expect(try unit.property(.presentPreset) == .preset(mine))
  }

  @Test func `a state carries a preset of one's own to another unit, sound and name`() throws {
    let channels = [noise(2000, seed: 28)]
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: 12, name: "")))
    try unit.setProperty(.presentPreset, to: .preset(Preset(number: -1, name: "Car")))
    try bypass(false)
    let state = try unit.property(.classInfo)
    let other = EqualizerBypassTests()
    try other.unit.setProperty(.classInfo, to: state)
    #expect(
      try other.unit.property(.presentPreset) == .preset(Preset(number: -1, name: "Car")))
    #expect(try other.unit.property(.classInfo) == state)
    let result = render(
      try other.kernel(1), inputs: [channels], outputChannelCounts: [1], frameCount: 2000)[0]
    expectSame(result, try EqualizerBypassTests().equalize(channels, preset: 12))
  }

  // MARK: The tail

  @Test(arguments: [44_100.0, 48_000, 8000])
  func `after its tail a preset has lost 120 dB, and a quarter of it is not enough`(rate: Double)
    throws
  {
    for preset in IPodEQ.presets {
      let test = EqualizerBypassTests()
      try test.unit.setProperty(.presentPreset, to: .preset(preset))
      let kernel = try test.kernel(1, rate: rate)
      guard case .float64(let tail) = try test.unit.property(.tailTime) else {
        Issue.record("no tail")
        return
      }
      guard preset.number != 0, preset.name != "Flat" else {
        #expect(tail == 0)
        continue
      }
      let frames = Int(tail * rate)
      #expect(tail > 0 && tail < 0.5)
      var impulse = [Float](repeating: 0, count: frames + 500)
      impulse[0] = 1
      let result = render(
        kernel, inputs: [[impulse]], outputChannelCounts: [1], frameCount: impulse.count)[0][0]
      #expect(result[frames...].allSatisfy { abs($0) < 1e-6 })
      #expect(result[(frames / 4)...].contains { abs($0) >= 1e-6 })
    }
  }
}
