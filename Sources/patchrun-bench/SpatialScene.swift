import AudioTypes
import AudioUnits
import RenderCore

/// A 3D Mixer with prepared sources, so that only the mixer is measured.
struct SpatialScene {
  struct Source {
    var samples: [Float]
    var rate = 44_100.0
    var algorithm: UInt32 = 0
    var parameters: [UInt32: Float] = [:]
    var properties: [PropertyID: PropertyValue] = [:]
  }

  var sources: [Source]
  var rate = 44_100.0

  /// Plays its samples in a loop.
  private struct Loop: RenderKernel, ~Copyable {
    let samples: SampleStorage

    @_noLocks
    mutating func render(_ context: RenderContext) -> Status {
      let output = context.output(0)[0]
      var place = Int(context.timeStamp.sampleTime) % samples.count
      var done = 0
      while done < context.frameCount {
        let count = Swift.min(context.frameCount - done, samples.count - place)
        output.dropping(done).copy(from: samples.buffer(at: place, count: count))
        done += count
        place = 0
      }
      return .ok
    }
  }

  /// The plan that runs the mixer. Its last bus is the output. The properties of the mixer may be set
  /// while it runs.
  ///
  /// - Parameter unit: A new mixer.
  func plan(_ unit: UnitInstance) throws -> RenderPlan {
    let count = sources.count
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(UInt32(count)))
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(rate))
    for (element, source) in sources.enumerated() {
      try unit.setProperty(
        .streamFormat, .input, element,
        to: .streamFormat(StreamFormat(.int16, channels: 1, sampleRate: source.rate)))
      try unit.setProperty(
        .spatializationAlgorithm, .input, element, to: .uint32(source.algorithm))
      for (id, value) in source.properties {
        try unit.setProperty(id, .input, element, to: value)
      }
      for (parameter, value) in source.parameters {
        try unit.setParameter(parameter, .input, element, to: value)
      }
      unit.setUse(.callback, .input, element)
    }
    guard let kernel = unit.initialize(unit.configuration()).main else {
      preconditionFailure("a mixer has a kernel")
    }
    var pulled: [Int: PulledInput] = [:]
    for (element, source) in sources.enumerated() {
      let loop = Loop(samples: SampleStorage(source.samples))
      pulled[element] = PulledInput(
        RenderPlan(
          rows: [.init(kernel: .holding(loop), inputs: [], outputs: [0])], busChannelCounts: [1],
          maximumFramesPerSlice: 4096), bus: 0)
    }
    return RenderPlan(
      rows: [
        .init(kernel: kernel, inputs: Array(0..<count), outputs: [count], pulled: pulled)
      ], busChannelCounts: [Int](repeating: 1, count: count) + [2], maximumFramesPerSlice: 4096)
  }

  /// Renders both channels. `before` is called before each slice of 32 frames.
  func render(
    _ frameCount: Int, before: (UnitInstance, Int) throws -> Void = { _, _ in }
  ) throws -> [[Float]] {
    let unit = UnitInstance(Mixer3D.self)
    let plan = try plan(unit)
    var output: [[Float]] = [[], []]
    for position in stride(from: 0, to: frameCount, by: 32) {
      try before(unit, position)
      _ = plan.render(frameCount: 32, at: TimeStamp(sampleTime: Double(position)))
      let bus = plan.bus(sources.count, frameCount: 32)
      for channel in 0..<2 { output[channel] += bus[channel].indices.map { bus[channel][$0] } }
    }
    return output
  }
}
