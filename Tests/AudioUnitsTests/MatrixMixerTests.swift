import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Compares the matrix mixer with the product of its factors.
struct MatrixMixerTests {
  /// A mixer whose inputs and outputs have the given numbers of channels.
  private func mixer(_ inputs: [Int], _ outputs: [Int], rate: Double = 48_000) throws
    -> UnitInstance
  {
    let unit = UnitInstance(MatrixMixer.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(UInt32(inputs.count)))
    try unit.setProperty(.elementCount, .output, 0, to: .uint32(UInt32(outputs.count)))
    for (scope, counts) in [(Scope.input, inputs), (.output, outputs)] {
      for (element, count) in counts.enumerated() {
        try unit.setProperty(
          .streamFormat, scope, element,
          to: .streamFormat(StreamFormat(.float32, channels: count, sampleRate: rate)))
      }
    }
    return unit
  }

  private func kernel(_ unit: UnitInstance) throws -> KernelBox {
    try #require(unit.initialize(unit.configuration()).main)
  }

  private let crosspoints: [[Float]] = [
    [0.3, -0.7, 0.1], [1.5, 0, 0.25], [-0.2, 0.9, 0.45], [0.05, 0.6, -1.1], [0.8, 0.33, 0.77],
  ]
  private let inputVolumes: [Float] = [0.9, 1.1, 0.35, 0.7, 1.3]
  private let outputVolumes: [Float] = [0.8, 1.25, 0.6]
  private let master: Float = 0.45

  /// Results of NumPy 2.4 as bits of floats, for the first six frames of the noise above: W =
  /// diag(in) X diag(out) master in f64, then the sum over the channels in order, rounded once.
  private let numpy: [[UInt32]] = [
    [0xBE85_7FCA, 0xBEC4_3AF1, 0x3EA8_C55D, 0xBE74_027B, 0xBDA4_0639, 0xBEBF_BF3E],
    [0x3D66_19DC, 0xBE4C_3CA0, 0x3DCA_2510, 0x3E31_473E, 0xBED2_1C30, 0x3DAB_3DEE],
    [0xBA74_7579, 0xBE69_8274, 0x3E07_98BF, 0xBDCB_AC41, 0xBCA3_285A, 0xBE62_3194],
  ]

  private func inputs(_ count: Int) -> [[[Float]]] {
    // Stereo, mono, stereo: channels 0 and 1, 2, 3 and 4.
    [[0, 1], [2], [3, 4]].map { $0.map { channel in (0..<count).map { hashed(channel, $0) } } }
  }

  @Test func `with its volumes the matrix is NumPy's, to the bit, over buses of any width`() throws
  {
    let unit = try mixer([2, 1, 2], [1, 2])
    let rows =
      zip(crosspoints, inputVolumes).map { $0 + [$1] } + [outputVolumes + [master]]
    try unit.setProperty(.matrixLevels, to: .matrix(rows))
    let result = render(
      try kernel(unit), inputs: inputs(6), outputChannelCounts: [1, 2], frameCount: 6)
    #expect(result.flatMap(\.self).map { $0.map(\.bitPattern) } == numpy)
    #expect(try unit.property(.matrixDimensions) == .ids([5, 3]))
    #expect(try unit.property(.matrixLevels) == .matrix(rows))
  }

  @Test func `the documented elements reach the same numbers`() throws {
    for isInitialized in [false, true] {
      let unit = try mixer([2, 1, 2], [1, 2])
      let early = isInitialized ? try kernel(unit) : nil
      for (input, levels) in crosspoints.enumerated() {
        for (output, level) in levels.enumerated() {
          try unit.setParameter(0, .global, input << 16 | output, to: level)
          #expect(try unit.parameter(0, .global, input << 16 | output) == level)
        }
        try unit.setParameter(0, .input, input, to: inputVolumes[input])
      }
      for (output, volume) in outputVolumes.enumerated() {
        try unit.setParameter(0, .output, output, to: volume)
      }
      try unit.setParameter(0, .global, 0xFFFF_FFFF, to: master)
      // The first slice uses the values at once.
      let result = render(
        try early ?? kernel(unit), inputs: inputs(6), outputChannelCounts: [1, 2], frameCount: 6)
      #expect(result.flatMap(\.self).map { $0.map(\.bitPattern) } == numpy)
    }
  }

  @Test func `a single level that is set takes its place in the rows`() throws {
    let unit = try mixer([2], [2])
    try unit.setProperty(.matrixLevels, to: .matrix([[1, 0], [0, 1]]))
    try unit.setParameter(0, .global, 1 << 16, to: 0.25)
    #expect(
      try unit.property(.matrixLevels) == .matrix([[1, 0, 1], [0.25, 1, 1], [1, 1, 1]]))
    #expect(throws: Violation.self) { try unit.setParameter(0, .global, 64 << 16, to: 1) }
    #expect(throws: Violation.self) { try unit.setParameter(0, .input, 64, to: 1) }
    #expect(throws: Violation.self) { try unit.setParameter(0, .global, 0, to: .nan) }
  }

  @Test func `crosspoints begin closed, volumes open`() throws {
    let unit = try mixer([2], [2])
    #expect(
      try unit.property(.matrixLevels) == .matrix([[0, 0, 1], [0, 0, 1], [1, 1, 1]]))
    let result = render(
      try kernel(unit), inputs: [[noise(500, seed: 1), noise(500, seed: 2)]],
      outputChannelCounts: [2], frameCount: 500)
    #expect(result[0].allSatisfy { $0.allSatisfy { $0 == 0 } })
  }

  @Test(arguments: Slicing.every)
  func `a level that changes goes there in a straight line of 10 ms, however it is cut`(
    slicing: Slicing
  ) throws {
    let unit = try mixer([64], [64])
    let rows = (0..<64).map { row in (0..<64).map { Float(row == $0 ? 1 : 0) } }
    try unit.setProperty(.matrixLevels, to: .matrix(rows))
    let count = 2000
    let ones = [[Float]](repeating: [Float](repeating: 1, count: count), count: 64)
    let cuts = slicing.cut(1000) + slicing.cut(1000)
    let result = render(
      try kernel(unit), inputs: [ones], outputChannelCounts: [64], frameCount: count,
      slicing: Slicing(cuts)
    ) { frame in
      guard frame == 1000 else { return }
      try? unit.setParameter(0, .global, 3 << 16 | 5, to: -0.5)
    }[0]
    for channel in 0..<64 where channel != 5 { #expect(result[channel] == ones[0]) }
    for frame in 0..<count {
      let place = min(480, max(0, frame - 999))
      let expected = Float(1 + 0.0 + (-0.5) * (Double(place) / 480))
      #expect(result[5][frame] == expected)
    }
  }

  @Test func `a bus that is off adds nothing, or says nothing`() throws {
    let unit = try mixer([1, 1], [1, 1])
    try unit.setProperty(.matrixLevels, to: .matrix([[1, 1], [1, 1]]))
    try unit.setParameter(1, .input, 0, to: 0)
    try unit.setParameter(1, .output, 1, to: 0)
    let result = render(
      try kernel(unit), inputs: [[[1, 1, 1]], [[0.5, 0.5, 0.5]]], outputChannelCounts: [1, 1],
      frameCount: 3)
    #expect(result == [[[0.5, 0.5, 0.5]], [[0, 0, 0]]])
  }

  @Test func `rows that do not fit, rates that differ and too many channels are refused`() throws {
    let unit = try mixer([2], [2, 2])
    unit.setUse(.callback, .input, 0)
    try unit.setProperty(.matrixLevels, to: .matrix([[1, 0], [0, 1]]))
    #expect(
      MatrixMixer.violations(in: unit.configuration()).map(\.rule) == [UnitRules.propertyFits])
    try unit.setProperty(.matrixLevels, to: .matrix([[1, 0, 0, 0], [0, 1, 0, 0]]))
    #expect(MatrixMixer.violations(in: unit.configuration()).isEmpty)
    try unit.setProperty(.sampleRate, .input, 0, to: .float64(44_100))
    #expect(
      MatrixMixer.violations(in: unit.configuration()).map(\.rule) == [UnitRules.mixerRates])
    for wrong: [[Float]] in [[], [[]], [[1, 2], [3]], [[.nan]]] {
      #expect(throws: Violation.self) { try unit.setProperty(.matrixLevels, to: .matrix(wrong)) }
    }
    let wide = try mixer([40, 40], [2])
    for input in 0..<2 { wide.setUse(.callback, .input, input) }
    #expect(
      MatrixMixer.violations(in: wide.configuration()).map(\.rule) == [UnitRules.formatSupported])
  }

  // MARK: Meters

  @Test(arguments: Slicing.every)
  func `meters are the multichannel mixer's, channel by channel, however it is cut`(
    slicing: Slicing
  ) throws {
    let count = 30_000
    let sound = [noise(count, seed: 4), noise(count, seed: 5)]
    let voice = noise(count, seed: 6)
    let unit = try mixer([1, 2], [2, 1])
    try unit.setProperty(
      .matrixLevels,
      to: .matrix([[0, 0, 0, 1], [1, 0, 0, 0.5], [0, 1, 0, 0.25], [0.5, 0.125, 1, 0.5]]))
    let peer = UnitInstance(MultichannelMixer.self)
    for scope in [Scope.input, .output] {
      try peer.setProperty(.sampleRate, scope, 0, to: .float64(48_000))
      try peer.setProperty(.meteringMode, scope, 0, to: .uint32(1))
    }
    try unit.setProperty(.meteringMode, .input, 1, to: .uint32(1))
    try unit.setProperty(.meteringMode, .output, 0, to: .uint32(1))
    try peer.setParameter(0, .input, 0, to: 0.5)
    try peer.setParameter(0, .output, 0, to: 0.25)
    _ = render(
      try kernel(unit), inputs: [[voice], sound], outputChannelCounts: [2, 1], frameCount: count,
      slicing: slicing)
    let empty = [[[Float]]](
      repeating: [[Float]](repeating: [Float](repeating: 0, count: count), count: 2), count: 7)
    _ = render(
      try kernel(peer), inputs: [sound] + empty, outputChannelCounts: [2], frameCount: count,
      slicing: slicing)
    for kind: UInt32 in [1000, 2000, 3000, 4000] {
      // The left side has the volumes of the other mixer: 0.5 before, and 0.5 times the master's
      // 0.5 after.
      let levels = [
        (try unit.parameter(kind, .input, 1), try peer.parameter(kind, .input, 0)),
        (try unit.parameter(kind, .output, 0), try peer.parameter(kind, .output, 0)),
      ]
      for (level, other) in levels { #expect(level == other && level > -100) }
      let linear = try unit.parameter(kind + 4000, .input, 1)
      #expect(abs(20 * log10(Double(linear)) - Double(levels[0].0)) < 1e-4)
      // The right side has half of the other mixer's volume.
      let fader: Float = kind >= 3000 ? 6.0206 : 0
      let right = try unit.parameter(kind, .input, 2)
      #expect(try abs(right + fader - peer.parameter(kind + 1, .input, 0)) < 1e-3)
      // A channel without metering.
      #expect(try unit.parameter(kind, .input, 0) == -120)
      #expect(try unit.parameter(kind + 4000, .input, 0) == 0)
      #expect(try unit.parameter(kind, .output, 2) == -120)
    }
    #expect(unit.channelElements(.input, 1) == 1..<3)
    #expect(unit.channelElements(.output, 0) == 0..<2)
  }

  @Test func `meters go on and off while it plays, and are read only`() throws {
    let unit = try mixer([1], [1])
    try unit.setProperty(.matrixLevels, to: .matrix([[1, 1], [1, 1]]))
    var read: [Float] = []
    let ones = [Float](repeating: 1, count: 4096)
    _ = render(
      try kernel(unit), inputs: [[ones]], outputChannelCounts: [1], frameCount: 4096,
      slicing: Slicing([512])
    ) { frame in
      try? unit.setProperty(.meteringMode, .output, 0, to: .uint32(frame < 2048 ? 1 : 0))
      read.append((try? unit.parameter(4000, .output, 0)) ?? 1)
    }
    #expect(read == [-120, 0, 0, 0, 0, -120, -120, -120])
    for scope in [Scope.input, .output] {
      expectRefused(.invalidParameter) { try unit.setParameter(1000, scope, 0, to: 0) }
    }
    expectRefused(.invalidElement) { _ = try unit.parameter(1000, .input, 64) }
    expectRefused(.invalidElement) { _ = try unit.parameter(1000, .global, 64 << 16) }
  }

  @Test func `crosspoints and the master read what the channels and the levels make of them`()
    throws
  {
    let unit = try mixer([1, 2], [2, 1])
    let rows: [[Float]] = [
      [0, 0, 0, 1], [1, 0.25, 0, 0.5], [0, -2, 0, 0.25], [0.5, 0.125, 1, 0.4],
    ]
    try unit.setProperty(.matrixLevels, to: .matrix(rows))
    let master = MatrixMixer.masterElement
    let sound = [noise(4096, seed: 4), noise(4096, seed: 5)]
    let kernel = try kernel(unit)
    func play() {
      _ = render(
        kernel, inputs: [[sound[0]], sound], outputChannelCounts: [2, 1], frameCount: 4096)
    }
    // Without metering they are silent.
    play()
    #expect(try unit.parameter(3000, .global, 1 << 16) == -120)
    #expect(try unit.parameter(8000, .global, master) == 0)
    try unit.setProperty(.meteringMode, to: .uint32(1))
    play()
    func linear(_ kind: UInt32, _ scope: Scope, _ element: Int) throws -> Float {
      let value = try unit.parameter(kind + 4000, scope, element)
      let decibels = try unit.parameter(kind, scope, element)
      #expect(abs(decibels - max(-120, 20 * log10(value))) < 1e-4)
      return value
    }
    for kind: UInt32 in [1000, 2000] {
      for input in 0..<3 {
        let coming = try linear(kind + 2000, .input, input)
        #expect(coming > 0)
        for output in 0..<3 {
          let element = input << 16 | output
          #expect(try linear(kind, .global, element) == coming)
          #expect(try linear(kind + 2000, .global, element) == coming * abs(rows[input][output]))
        }
      }
      let outputs = try (0..<3).map { try linear(kind + 2000, .output, $0) }
      #expect(try linear(kind + 2000, .global, master) == outputs.max())
      let before = try (0..<3).map { try linear(kind, .output, $0) * rows[3][$0] }
      #expect(try linear(kind, .global, master) == before.max())
      // The master reduces the level of what passes through it.
      #expect(abs(outputs.max()! - 0.4 * before.max()!) < 1e-6)
    }
    // An output that is disabled contributes nothing.
    try unit.setParameter(1, .output, 0, to: 0)
    #expect(try linear(1000, .global, master) == 0)
    expectRefused(.invalidParameter) { try unit.setParameter(1000, .global, 0, to: 0) }
  }

  @Test func `it says how loud it has been, and what was no number`() throws {
    let unit = try mixer([1], [1, 1])
    try unit.setProperty(.matrixLevels, to: .matrix([[1, -3]]))
    let kernel = try kernel(unit)
    _ = render(
      kernel, inputs: [[[0.25, 0.5, 0.125]]], outputChannelCounts: [1, 1], frameCount: 3)
    let loud = MeterClipping(peakValueSinceLastCall: 1.5, sawInfinity: false, sawNotANumber: false)
    #expect(try unit.property(.meterClipping) == .clipping(loud))
    _ = render(
      kernel, inputs: [[[.infinity, .nan, 0.125]]], outputChannelCounts: [1, 1], frameCount: 3)
    let bad = MeterClipping(peakValueSinceLastCall: 0.375, sawInfinity: true, sawNotANumber: true)
    #expect(try unit.property(.meterClipping) == .clipping(bad))
  }

  // MARK: State

  @Test(arguments: [false, true])
  func `a state keeps every level, however it has been set`(isByRows: Bool) throws {
    let unit = try mixer([2], [2])
    if isByRows {
      try unit.setProperty(
        .matrixLevels, to: .matrix([[1, 0, 1], [0.25, 1, 0.5], [1, 0.75, 2]]))
    } else {
      try unit.setParameter(0, .global, 0, to: 1)
      try unit.setParameter(0, .global, 1 << 16, to: 0.25)
      try unit.setParameter(0, .global, 1 << 16 | 1, to: 1)
      try unit.setParameter(0, .input, 1, to: 0.5)
      try unit.setParameter(0, .output, 1, to: 0.75)
      try unit.setParameter(0, .global, 0xFFFF_FFFF, to: 2)
    }
    let state = try unit.property(.classInfo)
    // Into units with other levels, set in either way.
    for hasRows in [false, true] {
      let other = try mixer([2], [2])
      if hasRows {
        try other.setProperty(.matrixLevels, to: .matrix([[0.5, 0.5], [0.5, 0.5]]))
      } else {
        try other.setParameter(0, .global, 1, to: 0.5)
        try other.setParameter(0, .input, 0, to: 0.5)
      }
      try other.setProperty(.classInfo, to: state)
      _ = try kernel(other)
      #expect(
        try other.property(.matrixLevels)
          == .matrix([[1, 0, 1], [0.25, 1, 0.5], [1, 0.75, 2]]))
    }
  }

  @Test func `a level ramps as any parameter that does`() throws {
    let unit = try mixer([2], [2])
    let control = try unit.rampControl(0, .global, 1 << 16 | 0, to: 0.5)
    try unit.setParameter(0, .global, 1 << 16 | 0, to: 0.25)
    #expect(control.block[control.index] == 0.25)
    expectRefused(.invalidParameter) { _ = try unit.rampControl(0, .global, 0, to: .infinity) }
  }
}
