import AudioTypes
import AudioUnits
import RenderCore

/// Noise that is ready beforehand, so that the mixer alone is measured.
private struct Loop: RenderKernel, ~Copyable {
  private let samples: SampleStorage

  init() { samples = SampleStorage((0..<8192).map { _ in Float.random(in: -0.25...0.25) }) }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    output[0].copy(from: samples.buffer(at: 0, count: context.frameCount))
    return .ok
  }
}

/// A 3D Mixer whose inputs all use one algorithm.
private struct Subject {
  var name: String
  var algorithm: UInt32
  var inputRate = 48_000.0
  var parameters: [UInt32: Float] = [:]
  var flags: UInt32 = 4
  var isMoving = false

  /// Nanoseconds of processor for a frame of each source: the median of some rounds.
  func time(sources: Int) throws -> Double {
    let unit = UnitInstance(Mixer3D.self)
    try unit.setProperty(.elementCount, .input, 0, to: .uint32(UInt32(sources)))
    try unit.setProperty(.sampleRate, .output, 0, to: .float64(48_000))
    for element in 0..<sources {
      try unit.setProperty(
        .streamFormat, .input, element,
        to: .streamFormat(StreamFormat(.int16, channels: 1, sampleRate: inputRate)))
      try unit.setProperty(.spatializationAlgorithm, .input, element, to: .uint32(algorithm))
      try unit.setProperty(.renderingFlags3DMixer, .input, element, to: .uint32(flags))
      try unit.setParameter(Mixer3D.Parameter.distance, .input, element, to: 2)
      try unit.setParameter(
        Mixer3D.Parameter.azimuth, .input, element,
        to: Float(element * 360 / sources - 180))
      for (parameter, value) in parameters {
        try unit.setParameter(parameter, .input, element, to: value)
      }
      unit.setUse(.callback, .input, element)
    }
    guard let kernel = unit.initialize(unit.configuration()).main else { return 0 }
    let plan = RenderPlan(
      rows: [
        .init(
          kernel: kernel, inputs: Array(0..<sources), outputs: [sources],
          pulled: Dictionary(
            uniqueKeysWithValues: (0..<sources).map { element in
              (
                element,
                PulledInput(
                  RenderPlan(
                    rows: [.init(kernel: .holding(Loop()), inputs: [], outputs: [0])],
                    busChannelCounts: [1], maximumFramesPerSlice: 4096), bus: 0)
              )
            }))
      ], busChannelCounts: [Int](repeating: 1, count: sources) + [2],
      maximumFramesPerSlice: 4096)
    var position = 0
    var times: [Double] = []
    for round in 0..<9 {
      let start = processorTime()
      let first = position
      while position - first < 48_000 {
        if isMoving {
          for element in 0..<sources {
            let turn = Float((position / 100 + element * 90) % 360 - 180)
            try unit.setParameter(Mixer3D.Parameter.azimuth, .input, element, to: turn)
          }
        }
        _ = plan.render(frameCount: 512, at: TimeStamp(sampleTime: Double(position)))
        position += 512
      }
      if round > 0 {
        times.append((processorTime() - start) / Double((position - first) * sources) * 1e9)
      }
    }
    return median(times)
  }
}

/// What a source of the 3D Mixer costs with each algorithm.
func measureSpatial() {
  let sources = 16
  let wet: [UInt32: Float] = [Mixer3D.Parameter.reverbBlend: 30]
  let subjects = [
    Subject(name: "equal-power panning", algorithm: 0),
    Subject(name: "equal-power panning, 44.1 kHz", algorithm: 0, inputRate: 44_100),
    Subject(name: "vector-based panning, moving", algorithm: 4, isMoving: true),
    Subject(name: "spherical head", algorithm: 1),
    Subject(name: "spherical head, moving", algorithm: 1, isMoving: true),
    Subject(name: "HRTF", algorithm: 2),
    Subject(name: "HRTF, moving", algorithm: 2, isMoving: true),
    Subject(name: "HRTF, 44.1 kHz, moving", algorithm: 2, inputRate: 44_100, isMoving: true),
    Subject(name: "equal-power panning, 30% reverb", algorithm: 0, parameters: wet),
  ]
  print("vectors in use: \(VectorMath.name)")
  print("\(sources) sources to 48 kHz; ns of processor for a frame of each source")
  for subject in subjects {
    do {
      let time = try subject.time(sources: sources)
      print(subject.name + column(time, width: 44 - subject.name.count))
    } catch {
      print("\(subject.name): \(error)")
    }
  }
}
