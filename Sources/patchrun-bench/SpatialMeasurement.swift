import AudioTypes
import AudioUnits
import Glibc
import HeadData
import RenderCore

private typealias Parameter = Mixer3D.Parameter

// MARK: - Accuracy

private let constant = [Float](repeating: 0.5, count: 64)

/// Both gains, measured with a constant signal.
private func gains(_ source: SpatialScene.Source) throws -> (left: Double, right: Double) {
  let output = try SpatialScene(sources: [source]).render(512)
  return (Double(output[0][511]) * 2, Double(output[1][511]) * 2)
}

/// The largest error of the four attenuation curves in decibels.
private func attenuationError() throws -> Double {
  var largest = 0.0
  for curve in 0..<4 {
    for (r, m, a) in [(1.0, 100_000.0, 100.0), (2, 50, 36)] {
      for step in 0...60 {
        let distance = 0.5 * pow(10, Double(step) / 60 * 4.3)
        let d = min(max(distance, r), m)
        let exact =
          switch curve {
          case 2: r / (r + r * (pow(10, a / 20) - 1) / (m - r) * (d - r))
          case 3: 1 - (1 - pow(10, -a / 20)) * (d - r) / (m - r)
          default: pow(d / r, -a / (20 * log10(m / r)))
          }
        let found = try gains(
          .init(
            samples: constant, algorithm: 5,
            parameters: [Parameter.distance: Float(distance)],
            properties: [
              .attenuationCurve3DMixer: .uint32(UInt32(curve)),
              .distanceParameters3DMixer: .floats([Float(r), Float(m), Float(a)]),
            ]))
        largest = max(largest, abs(decibels(found.left) - decibels(exact)))
      }
    }
  }
  return largest
}

/// The largest error of the gains of the three pannings.
private func panningError() throws -> Double {
  var largest = 0.0
  for azimuth in stride(from: -180.0, through: 180, by: 7.5) {
    for elevation in [-45.0, 0, 20] {
      let side = sin(azimuth * .pi / 180) * cos(elevation * .pi / 180)
      let angle = asin(side)
      func found(_ algorithm: UInt32) throws -> (left: Double, right: Double) {
        try gains(
          .init(
            samples: constant, algorithm: algorithm,
            parameters: [
              Parameter.azimuth: Float(azimuth), Parameter.elevation: Float(elevation),
              Parameter.distance: 1,
            ]))
      }
      let equal = try found(0)
      largest = max(largest, abs(equal.left - cos((angle / .pi * 2 + 1) * .pi / 4)))
      largest = max(largest, abs(equal.right - sin((angle / .pi * 2 + 1) * .pi / 4)))
      let field = try found(3)
      largest = max(largest, abs(field.left - (1 - side) / 2), abs(field.right - (1 + side) / 2))
      let vector = try found(4)
      // The tangent law at constant power.
      let ratio = max(-1, min(1, tan(angle) / tan(.pi / 6)))
      let norm = (2 * (1 + ratio * ratio)).squareRoot()
      largest = max(largest, abs(vector.left - (1 - ratio) / norm))
      largest = max(largest, abs(vector.right - (1 + ratio) / norm))
    }
  }
  return largest
}

/// The largest error of the responses at every tenth measured direction.
private func headError() throws -> Double {
  let set = try HeadDataSet()
  var largest = 0.0
  for index in stride(from: 0, to: set.directions.count, by: 10) {
    var impulse = [Float](repeating: 0, count: 1024)
    impulse[0] = 1
    let output = try SpatialScene(
      sources: [
        .init(
          samples: impulse, algorithm: 2,
          parameters: [
            Parameter.azimuth: Float(set.directions[index].azimuth),
            Parameter.elevation: Float(set.directions[index].elevation), Parameter.distance: 1,
          ])
      ]
    ).render(512)
    for (found, exact) in [(output[0], set.left[index]), (output[1], set.right[index])] {
      for (a, b) in zip(found, exact) { largest = max(largest, Double(abs(a - b))) }
    }
  }
  return largest
}

/// The largest error of a sine at another playback rate.
private func playbackRateError() throws -> Double {
  var largest = 0.0
  for rate in [11_025.0, 22_050, 32_000, 44_100, 48_000, 96_000] {
    for speed in [0.5, 0.77, 1, 1.25, 2] {
      let step = rate * speed / 44_100
      // Up to 0.4 of the lower rate, where the filter has no loss.
      for frequency in [0.02, 0.4 / max(1, step)] {
        let samples = (0..<40_000).map { Float(0.5 * sin(2 * .pi * frequency * Double($0))) }
        let output = try SpatialScene(
          sources: [
            .init(
              samples: samples, rate: rate, algorithm: 5,
              parameters: [Parameter.playbackRate: Float(speed)])
          ]
        ).render(4096)
        let exactStep = rate * Double(Float(speed)) / 44_100
        for frame in 1000..<4096 {
          let exact = 0.5 * sin(2 * .pi * frequency * exactStep * Double(frame))
          largest = max(largest, abs(Double(output[0][frame]) - exact))
        }
      }
    }
  }
  return largest / 0.5
}

/// The largest error of the Doppler shift, as a ratio of frequencies.
private func dopplerError() throws -> Double {
  var largest = 0.0
  let rate = 44_100.0
  // Forty periods in 1764 frames.
  let samples = (0..<1764).map { Float(0.5 * sin(2 * .pi * 1000 / rate * Double($0))) }
  for velocity in [-150.0, -60, -10, 10, 60, 150] {
    let output = try SpatialScene(
      sources: [
        .init(
          samples: samples, algorithm: 5,
          properties: [.renderingFlags3DMixer: .uint32(2)])
      ]
    ).render(60_000) { unit, frame in
      try unit.setParameter(
        Parameter.distance, .input, 0, to: Float(400 + velocity * Double(frame) / rate))
    }[0]
    let expected = 1000 * 343.3 / (343.3 + velocity)
    // The phases of two stretches 16384 frames apart.
    func phase(_ first: Int) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for frame in 0..<16_384 {
        let window = 0.5 - 0.5 * cos(2 * .pi * Double(frame) / 16_384)
        let angle = 2 * .pi * expected / rate * Double(first + frame)
        real += Double(output[first + frame]) * cos(angle) * window
        imaginary -= Double(output[first + frame]) * sin(angle) * window
      }
      return atan2(imaginary, real)
    }
    let turn = remainder(phase(40_000) - phase(23_616), 2 * .pi)
    largest = max(largest, abs(turn / (2 * .pi) * rate / 16_384 / expected))
  }
  return largest
}

// MARK: - Cost

/// A 3D Mixer whose inputs all use one algorithm.
private struct Subject {
  var name: String
  var algorithm: UInt32
  var inputRate = 48_000.0
  var parameters: [UInt32: Float] = [:]
  var isMoving = false
  /// In each group of this many sources, all but the first are off.
  var offPeriod = 1

  /// Processor nanoseconds for each source and frame: the median of several rounds.
  func time(sources: Int) throws -> Double {
    let noise = (0..<8192).map { _ in Float.random(in: -0.25...0.25) }
    let scene = SpatialScene(
      sources: (0..<sources).map { element in
        .init(
          samples: noise, rate: inputRate, algorithm: algorithm,
          parameters: [
            Parameter.distance: 2, Parameter.azimuth: Float(element * 360 / sources - 180),
            Parameter.enable: element % offPeriod == 0 ? 1 : 0,
          ].merging(parameters) { $1 })
      }, rate: 48_000)
    let unit = UnitInstance(Mixer3D.self)
    let plan = try scene.plan(unit)
    var position = 0
    var times: [Double] = []
    for round in 0..<9 {
      let start = processorTime()
      let first = position
      while position - first < 48_000 {
        if isMoving {
          for element in 0..<sources {
            let turn = Float((position / 100 + element * 90) % 360 - 180)
            try unit.setParameter(Parameter.azimuth, .input, element, to: turn)
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

/// Measures the accuracy of the 3D Mixer and the cost of a source with each algorithm.
func measureSpatial() {
  do {
    print(
      "distance attenuation, four curves: off by \(fixed(try attenuationError(), 6)) dB at most")
    print("pannings: gains off by \(fixed(try panningError(), 8)) at most")
    print("HRTF at measured directions: \(fixed(decibels(try headError()), 1)) dBFS")
    print("a sine at another pace: \(fixed(decibels(try playbackRateError()), 1)) dB")
    print("Doppler shift: off by \(fixed(try dopplerError() * 100, 6))%")
    let sources = 16
    let subjects = [
      Subject(name: "equal-power panning", algorithm: 0),
      Subject(name: "equal-power panning, 44.1 kHz", algorithm: 0, inputRate: 44_100),
      Subject(name: "vector-based panning, moving", algorithm: 4, isMoving: true),
      Subject(name: "spherical head", algorithm: 1),
      Subject(name: "spherical head, moving", algorithm: 1, isMoving: true),
      Subject(name: "HRTF", algorithm: 2),
      Subject(name: "HRTF, every second source off", algorithm: 2, offPeriod: 2),
      Subject(name: "HRTF, moving", algorithm: 2, isMoving: true),
      Subject(
        name: "HRTF, moving, every second off", algorithm: 2, isMoving: true, offPeriod: 2),
      Subject(name: "HRTF, 44.1 kHz, moving", algorithm: 2, inputRate: 44_100, isMoving: true),
      Subject(
        name: "equal-power panning, 30% reverb", algorithm: 0,
        parameters: [Parameter.reverbBlend: 30]),
    ]
    print("\n\(sources) sources to 48 kHz; ns of processor for a frame of each source")
    for subject in subjects {
      print(
        subject.name + column(try subject.time(sources: sources), width: 44 - subject.name.count))
    }
  } catch {
    print("\(error)")
  }
}
