import AudioTypes
import CSoxr
import Glibc
import RenderCore
import TestSupport

/// A converter under test, in floats: ours, or libsoxr called directly.
private enum Subject {
  case ours(PolyphaseResampler.Quality)
  case soxr(recipe: Int32, name: String)

  var name: String {
    switch self {
    case .ours(let quality): "patchrun \(quality.complexity) \(quality.renderQuality)"
    case .soxr(_, let name): "libsoxr \(name)"
    }
  }

  static let all: [Subject] = [
    .ours(.linear), .ours(.init(.normal, renderQuality: 0)), .ours(.normal),
    .ours(.init(.normal, renderQuality: 127)), .ours(.init(.mastering, renderQuality: 0)),
    .ours(.mastering), .ours(.init(.mastering, renderQuality: 127)),
    .soxr(recipe: SOXR_HQ, name: "HQ"), .soxr(recipe: SOXR_VHQ, name: "VHQ"),
  ]

  /// Converts a mono signal from its first frame on, without latency.
  func convert(_ input: [Float], from: Double, to: Double) -> [Float] {
    let total = Int((Double(input.count) * to / from).rounded())
    switch self {
    case .ours(let quality):
      var resampler = PolyphaseResampler(
        inputRate: from, outputRate: to, channelCount: 1, quality: quality,
        maximumInputFrames: 1 << 14, maximumOutputFrames: 512)
      let plan = RenderPlan(rows: [], busChannelCounts: [1, 1], maximumFramesPerSlice: 1 << 14)
      var output: [Float] = []
      var pushed = 0
      while output.count < total {
        let slice = min(512, total - output.count)
        let need = resampler.inputFramesNeeded(forOutput: slice)
        let bus = plan.bus(0, frameCount: need)
        bus.markSounding()
        for frame in 0..<need {
          bus[0][frame] = pushed + frame < input.count ? input[pushed + frame] : 0
        }
        resampler.push(bus, frameCount: need)
        pushed += need
        let sink = plan.bus(1, frameCount: slice)
        resampler.pull(into: sink, frameCount: slice)
        output += (0..<slice).map { sink[0][$0] }
      }
      return output
    case .soxr(let recipe, _):
      var io = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
      var quality = unsafe soxr_quality_spec(UInt(recipe), 0)
      var output = [Float](repeating: 0, count: total)
      var done = 0
      unsafe soxr_oneshot(
        from, to, 1, input, input.count, nil, &output, total, &done, &io, &quality, nil)
      return output
    }
  }
}

private func sine(_ frequency: Double, rate: Double, count: Int) -> [Float] {
  (0..<count).map { Float(sin(2 * Double.pi * frequency / rate * Double($0))) }
}

/// The middle half of a signal, which edges do not affect.
private func middle(_ signal: [Float]) -> ArraySlice<Float> {
  signal[signal.count / 4..<signal.count * 3 / 4]
}

private struct QualityFigures {
  var ripple = 0.0
  var spurious = -400.0
  var thdn = -400.0

  init(_ subject: Subject, from: Double, to: Double) {
    let count = Int(from / 2)
    let lower = min(from, to)
    // The pass band: the deviation of each tone's level, and everything else in the output
    // (images).
    for step in 0...80 {
      let frequency = max(20, min(20_000, lower * 0.45) * Double(step) / 80)
      let found = SineFit(
        middle(subject.convert(sine(frequency, rate: from, count: count), from: from, to: to)),
        frequency: frequency, rate: to)
      let level = decibels(found.amplitude)
      if abs(level) > abs(ripple) { ripple = level }
      spurious = max(spurious, decibels(found.rest / 0.5.squareRoot()))
    }
    // Above the pass band, up to half the input rate: everything in the output but the tone
    // (aliases).
    for step in 0...40 {
      let begin = min(20_000, lower * 0.45)
      let frequency = begin + (from / 2 - begin) * Double(step) / 40 * 0.9995
      let signal = middle(
        subject.convert(sine(frequency, rate: from, count: count), from: from, to: to))
      let rest =
        frequency < to / 2
        ? SineFit(signal, frequency: frequency, rate: to).rest
        : (signal.reduce(0) { $0 + Double($1) * Double($1) } / Double(signal.count)).squareRoot()
      spurious = max(spurious, decibels(rest / 0.5.squareRoot()))
    }
    let tone = SineFit(
      middle(subject.convert(sine(997, rate: from, count: count), from: from, to: to)),
      frequency: 997, rate: to)
    thdn = decibels(tone.rest / (tone.amplitude * 0.5.squareRoot()))
  }
}

/// Nanoseconds for a stereo frame of output: the median of interleaved rounds for each subject.
private func speeds(_ subjects: [Subject], from: Double, to: Double) -> [Double] {
  let slice = 512
  let slices = 400
  var times = subjects.map { _ in [Double]() }
  let noise = (0..<(1 << 16)).map { _ in Float.random(in: -0.5...0.5) }
  let plan = RenderPlan(rows: [], busChannelCounts: [2, 2], maximumFramesPerSlice: 1 << 14)
  let source = plan.bus(0, frameCount: 1 << 14)
  source.markSounding()
  for channel in 0..<2 {
    for frame in 0..<1 << 14 { source[channel][frame] = noise[frame + 37 * channel] }
  }
  for _ in 0..<15 {
    for (index, subject) in subjects.enumerated() {
      switch subject {
      case .ours(let quality):
        var resampler = PolyphaseResampler(
          inputRate: from, outputRate: to, channelCount: 2, quality: quality,
          maximumInputFrames: 1 << 14, maximumOutputFrames: slice)
        let sink = plan.bus(1, frameCount: slice)
        let start = processorTime()
        for _ in 0..<slices {
          let need = resampler.inputFramesNeeded(forOutput: slice)
          resampler.push(source, frameCount: need)
          resampler.pull(into: sink, frameCount: slice)
        }
        times[index].append(processorTime() - start)
      case .soxr(let recipe, _):
        var io = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = unsafe soxr_quality_spec(UInt(recipe), 0)
        let made = unsafe soxr_create(from, to, 2, nil, &io, &quality, nil)
        guard let soxr = unsafe made else { continue }
        var output = [Float](repeating: 0, count: slice * 4)
        var given = 0
        let start = processorTime()
        while given < slices * slice {
          var (taken, more) = (0, 0)
          let count = Int(Double(slice) * from / to)
          _ = unsafe soxr_process(soxr, noise, count, &taken, &output, slice * 2, &more)
          given += more
        }
        times[index].append(processorTime() - start)
        unsafe soxr_delete(soxr)
      }
    }
  }
  return times.map { median($0) / Double(slice * slices) * 1e9 }
}

private func name(_ rate: Double) -> String {
  rate == rate.rounded() ? "\(Int(rate))" : "\(rate)"
}

/// Converts each value of a sample type to another type and back, and counts the changed values.
private func roundTrips() {
  print("values that a round trip changes:")
  let plan = RenderPlan(rows: [], busChannelCounts: [1, 1, 1], maximumFramesPerSlice: 1 << 16)
  let (given, between, back) = (
    plan.bus(0, frameCount: 1 << 16)[0], plan.bus(1, frameCount: 1 << 16)[0],
    plan.bus(2, frameCount: 1 << 16)[0]
  )
  for (sample, numbers, others) in [
    (SampleType.int16, -0x8000..<0x8000, [SampleType.float32, .int24, .int32, .fixed824]),
    (.int24, -0x80_0000..<0x80_0000, [.float32, .int32, .fixed824]),
    // Only values within full scale: 32-bit integers hold no more.
    (.fixed824, -0x100_0000..<0x100_0000, [.float32, .int32]),
  ] {
    for other in others {
      var changed = 0
      for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1 << 16) {
        for frame in 0..<1 << 16 {
          if sample == .fixed824 {
            given[word: frame] = Int32(first + frame)
          } else {
            given[frame] = Float(SampleCoding.value(Int32(first + frame), of: sample))
          }
        }
        SampleCoding.convert(given, of: sample, into: between, as: other)
        SampleCoding.convert(between, of: other, into: back, as: sample)
        for frame in 0..<1 << 16 where given[word: frame] != back[word: frame] { changed += 1 }
      }
      print("  \(sample.rawValue) by \(other.rawValue): \(changed) of \(numbers.count)")
    }
  }
}

func measureConverter() {
  roundTrips()
  print("vectors in use: \(VectorMath.name)")
  for (from, to) in [
    (44_100.0, 48_000.0), (48_000, 44_100), (22_050, 44_100), (96_000, 48_000), (44_100, 44_101),
    (44_100.5, 48_000),
  ] {
    let subjects = Subject.all
    let speed = speeds(subjects, from: from, to: to)
    print("\n\(name(from)) -> \(name(to)) Hz; dB; ns of processor for a stereo frame of output")
    print(
      "                            ripple  images,   THD+N of\n"
        + "                        to 20 kHz   aliases     997 Hz       ns  of HQ of VHQ")
    let (high, highest) = (speed[subjects.count - 2], speed[subjects.count - 1])
    for (index, subject) in subjects.enumerated() {
      let figures = QualityFigures(subject, from: from, to: to)
      print(
        subject.name + column("", width: 22 - subject.name.count)
          + column(figures.ripple, 5, width: 10) + column(figures.spurious, width: 10)
          + column(figures.thdn, width: 11) + column(speed[index])
          + column(speed[index] / high, 2, width: 7) + column(speed[index] / highest, 2, width: 7))
    }
  }
}
