import AudioTypes
import AudioUnits
import Glibc
import RenderCore
import TestSupport
import Testing

/// Plays samples, then silence.
private struct Player: RenderKernel, ~Copyable {
  let samples: SampleStorage
  let length: Int

  init(_ channels: [[Float]]) {
    length = channels[0].count
    samples = SampleStorage(channels.flatMap(\.self) + [0])
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let start = Int(context.timeStamp.sampleTime)
    guard start < length else {
      output.silence()
      return .ok
    }
    for channel in 0..<output.channelCount {
      for frame in 0..<context.frameCount {
        let place = start + frame
        output[channel][frame] = place < length ? samples[channel * length + place] : 0
      }
    }
    return .ok
  }
}

/// A 3D Mixer with its sources.
struct SpatialScene {
  struct Source {
    var channels: [[Float]]
    var rate = 44_100.0
    var algorithm: UInt32 = 0
    var parameters: [UInt32: Float] = [:]
    var properties: [PropertyID: PropertyValue] = [:]

    init(
      _ channels: [Float]..., rate: Double = 44_100, algorithm: UInt32 = 0,
      parameters: [UInt32: Float] = [:], properties: [PropertyID: PropertyValue] = [:]
    ) {
      self.channels = channels
      self.rate = rate
      self.algorithm = algorithm
      self.parameters = parameters
      self.properties = properties
    }
  }

  /// A change of a parameter at a frame of the output.
  struct Change {
    var frame: Int
    var element: Int
    var parameter: UInt32
    var value: Float
  }

  /// A change of a global property at a frame of the output.
  struct GlobalChange {
    var frame: Int
    var property: PropertyID
    var value: PropertyValue
  }

  var sources: [Source]
  var rate = 44_100.0
  var changes: [Change] = []
  var globalChanges: [GlobalChange] = []
  var outputGain: Float = 0
  var globals: [PropertyID: PropertyValue] = [:]
  var reverbGain: Float = 0
  /// The largest number of frames that an input gives in a pull.
  var pullLimit = 512

  init(_ sources: Source..., rate: Double = 44_100) {
    self.sources = sources
    self.rate = rate
  }

  func instance() throws -> UnitInstance {
    let unit = UnitInstance(Mixer3D.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(UInt32(sources.count)))
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(rate))
    for (element, source) in sources.enumerated() {
      try unit.setProperty(
        .streamFormat, .input, element,
        to: .streamFormat(
          StreamFormat(.int16, channels: source.channels.count, sampleRate: source.rate)))
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
    for (id, value) in globals { try unit.setProperty(id, .global, 0, to: value) }
    try unit.setParameter(Mixer3D.Parameter.gain, .output, 0, to: outputGain)
    try unit.setParameter(Mixer3D.Parameter.globalReverbGain, .global, 0, to: reverbGain)
    return unit
  }

  /// Renders left and right for `frameCount` frames. Slices are cut by `slicing` and at every
  /// change, as in a plan. With several passes it restarts from frame 0, and returns the last pass.
  ///
  /// - Parameter watch: Gets the first frame of each slice, and whether the slice is marked silent.
  func render(
    _ frameCount: Int, slicing: Slicing = Slicing([1024]), passes: Int = 1,
    watch: (_ start: Int, _ isSilent: Bool) -> Void = { _, _ in }
  ) throws -> [[Float]] {
    let unit = try instance()
    let configuration = unit.configuration()
    #expect(Mixer3D.violations(in: configuration).filter { $0.severity == .error }.isEmpty)
    let demands = Mixer3D.pulledInputs(in: configuration)
    #expect(demands.count == sources.count)
    let kernel = try #require(unit.initialize(configuration).main)
    let inputs = sources.map { source in
      PulledInput(
        RenderPlan(
          rows: [.init(kernel: .holding(Player(source.channels)), inputs: [], outputs: [0])],
          busChannelCounts: [source.channels.count], maximumFramesPerSlice: pullLimit), bus: 0)
    }
    let count = sources.count
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: kernel, inputs: Array(0..<count), outputs: [count],
          pulled: Dictionary(uniqueKeysWithValues: inputs.enumerated().map { ($0, $1) }))
      ], busChannelCounts: sources.map(\.channels.count) + [2], maximumFramesPerSlice: 4096)
    let ends = slicing.cut(frameCount).reduce(into: [0]) { $0.append($0.last! + $1) }
    let moments = (changes.map(\.frame) + globalChanges.map(\.frame)).filter { $0 < frameCount }
    let cuts = Set(ends + moments).sorted()
    var output: [[Float]] = [[], []]
    for (start, end) in (0..<passes).flatMap({ _ in zip(cuts, cuts.dropFirst()) }) {
      if start == 0 { output = [[], []] }
      for change in changes where change.frame == start {
        try unit.setParameter(change.parameter, .input, change.element, to: change.value)
      }
      for change in globalChanges where change.frame == start {
        try unit.setProperty(change.property, .global, 0, to: change.value)
      }
      var status = Status.ok
      let heapCalls = allocations {
        status = plan.render(frameCount: end - start, at: TimeStamp(sampleTime: Double(start)))
      }
      #expect(status == .ok)
      #expect(heapCalls == 0, "the render thread made heap calls")
      let bus = plan.bus(count, frameCount: end - start)
      watch(start, bus.isSilent)
      for channel in 0..<2 { output[channel] += bus[channel].indices.map { bus[channel][$0] } }
    }
    return output
  }
}

/// The power of a signal in decibels.
func powerLevel(_ signal: some Sequence<Float>) -> Double {
  var sum = 0.0
  var count = 0
  for sample in signal {
    sum += Double(sample) * Double(sample)
    count += 1
  }
  return decibels(power: sum / Double(max(1, count)))
}

func decibels(power: Double) -> Double { 10 * log10(max(power, 1e-30)) }

/// The delay of `second` after `first` in frames, with fractions: the maximum of their correlation.
func lag(_ first: [Float], _ second: [Float], within reach: Int = 60) -> Double {
  func correlation(_ shift: Int) -> Double {
    var sum = 0.0
    for frame in first.indices where second.indices.contains(frame + shift) {
      sum += Double(first[frame]) * Double(second[frame + shift])
    }
    return sum
  }
  let values = (-reach...reach).map(correlation)
  let best = values.indices.dropFirst().dropLast().max { values[$0] < values[$1] } ?? 0
  // A parabola through the peak.
  let (a, b, c) = (values[best - 1], values[best], values[best + 1])
  return Double(best - reach) + (a - c) / (2 * (a - 2 * b + c))
}
