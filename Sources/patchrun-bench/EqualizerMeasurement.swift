import AudioTypes
import AudioUnits
import RenderCore
import TestSupport

/// A plan that filters noise with an equalizer.
private final class EqualizerBench {
  /// Plays prepared noise on every channel.
  private struct Noise: RenderKernel, ~Copyable {
    let samples: SampleStorage

    @_noLocks
    mutating func render(_ context: RenderContext) -> Status {
      let output = context.output(0)
      for channel in 0..<output.channelCount {
        output[channel].copy(from: samples.buffer(at: 0, count: context.frameCount))
      }
      return .ok
    }
  }

  private let plan: RenderPlan
  private var position = 0

  /// - Parameters:
  ///   - kind: The equalizer; `nil` for the noise alone.
  ///   - set: Sets its properties and parameters.
  init(
    _ kind: (any AudioUnit.Type)?, channels: Int,
    set: (UnitInstance) throws -> Void = { _ in }
  ) throws {
    var generator = SplitMix64(seed: 1)
    let noise = (0..<4096).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
    var rows = [
      RenderPlan.Row(
        kernel: .holding(Noise(samples: SampleStorage(noise))), inputs: [], outputs: [0])
    ]
    if let kind {
      let unit = UnitInstance(kind)
      let format = StreamFormat(.float32, channels: channels, sampleRate: 48_000)
      for scope in [Scope.input, .output] {
        try unit.setProperty(.streamFormat, scope, 0, to: .streamFormat(format))
      }
      try set(unit)
      guard let kernel = unit.initialize(unit.configuration()).main else {
        preconditionFailure("an equalizer has a kernel")
      }
      rows.append(.init(kernel: kernel, inputs: [0], outputs: [1]))
    }
    plan = RenderPlan(
      rows: rows, busChannelCounts: [channels, channels], maximumFramesPerSlice: 4096)
  }

  /// The processor seconds for a second of sound.
  func second(slice: Int) -> Double {
    let start = processorTime()
    let end = position + 48_000
    while position < end {
      _ = plan.render(frameCount: slice, at: TimeStamp(sampleTime: Double(position)))
      position += slice
    }
    return processorTime() - start
  }
}

/// Measures the cost of a frame in an iPod EQ and an NBandEQ of ten bands, in interleaved rounds,
/// and in one-filter units and an NBandEQ of 64 bands.
func measureEqualizers() {
  func bands(_ count: Int) -> (UnitInstance) throws -> Void {
    { unit in
      try unit.setProperty(.numberOfBands, to: .uint32(UInt32(count)))
      for band in 0..<UInt32(count) {
        let isHigh = band % 2 == 0
        // Octaves from 32 Hz on, repeatedly, alternately raised and lowered.
        try unit.setParameter(NBandEQ.Parameter.bypassBand + band, .global, 0, to: 0)
        try unit.setParameter(
          NBandEQ.Parameter.frequency + band, .global, 0, to: Float(32 << (band % 10)))
        try unit.setParameter(NBandEQ.Parameter.gain + band, .global, 0, to: isHigh ? 4 : -4)
        try unit.setParameter(NBandEQ.Parameter.bandwidth + band, .global, 0, to: 1.25)
      }
    }
  }
  let kinds: [(String, any AudioUnit.Type, (UnitInstance) throws -> Void)] = [
    (
      "iPodEQ", IPodEQ.self, { try $0.setProperty(.presentPreset, to: .preset(IPodEQ.presets[20])) }
    ),
    ("NBandEQ, 10", NBandEQ.self, bands(10)),
    ("NBandEQ, 64", NBandEQ.self, bands(64)),
    ("LowPassFilter", LowPassFilter.self, { _ in }),
  ]
  print("nanoseconds a frame, and times what the iPod EQ takes; kernel class \(VectorMath.name)")
  do {
    for channels in [1, 2, 8] {
      for slice in [64, 256, 1024] {
        // An iPod EQ has at most two channels.
        let shown = channels > 2 ? Array(kinds.dropFirst()) : kinds
        let source = try EqualizerBench(nil, channels: channels)
        let benches = try shown.map { try EqualizerBench($0.1, channels: channels, set: $0.2) }
        var times = [[Double]](repeating: [], count: shown.count)
        for round in 0..<25 {
          let noise = source.second(slice: slice)
          for index in benches.indices {
            let time = (benches[index].second(slice: slice) - noise) / 48_000 * 1e9
            if round > 0 { times[index].append(time) }
          }
        }
        print("\(channels) channels, slices of \(slice):")
        let first = median(times[0])
        for (kind, times) in zip(shown, times) {
          let cost = median(times)
          print("  " + kind.0 + column(cost, 2, width: 24 - kind.0.count) + column(cost / first, 2))
        }
      }
    }
  } catch {
    print("cannot measure: \(error)")
  }
}
