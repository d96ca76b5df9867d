import AudioTypes
import Foundation
import RenderCallbacks
import RenderCore
import SoundFiles
import TestSupport
import Testing

/// Plays a file callback as an offline host does, with a service call before each slice. The output
/// must be the same as with a device, where the file is read further ahead.
private func play(
  _ callback: FileCallback, _ format: StreamFormat, frames: Int,
  slicing: Slicing = Slicing([512])
) throws -> [[Float]] {
  let found = try play(callback, format, frames: frames, slicing: slicing) { service, count in
    try service.service(inStepFor: count)
  }
  let ahead = try play(callback, format, frames: frames, slicing: slicing) { service, count in
    try service.service(atLeast: count)
  }
  #expect(found.map { $0.map(\.bitPattern) } == ahead.map { $0.map(\.bitPattern) })
  return found
}

private func play(
  _ callback: FileCallback, _ format: StreamFormat, frames: Int, slicing: Slicing,
  by call: (any RenderService, Int) throws -> Void
) throws -> [[Float]] {
  let source = try callback.makeSource(for: format, maximumFramesPerSlice: 4096)
  #expect(source.writesBusWords)
  #expect(source.duration == callback.duration(for: format))
  // A short loop is in memory, and has none.
  let service = source.service
  let slices = slicing.cut(frames)
  var slice = 0
  let found = render(
    source.kernel, outputChannelCounts: [format.channelCount], frameCount: frames,
    slicing: slicing,
    before: { _ in
      if let service { #expect(throws: Never.self) { try call(service, slices[slice]) } }
      slice += 1
    })
  #expect(service?.lostFrames ?? 0 == 0)
  try service?.finish()
  return found[0]
}

struct FileTests {
  private func bus(_ sample: SampleType, channels: Int = 1, rate: Double = 48_000) -> StreamFormat {
    StreamFormat(sample, channels: channels, sampleRate: rate)
  }

  private func words(_ samples: [Float]) -> [Int32] {
    samples.map { Int32(bitPattern: $0.bitPattern) }
  }

  @Test(arguments: ["wav", "flac", "aiff", "caf"], [SampleType.float32, .int16, .int24])
  func `each value of an int16 file reaches a bus of floats`(
    ending: String, sample: SampleType
  ) throws {
    let samples = (-32768...32767).map { Double($0) / 32768 }
    let file = try TestFile(.int16, samples, ending: ending)
    let found = try play(FileCallback(path: file.path), bus(sample), frames: 65_536)[0]
    #expect(found.map(Double.init) == samples)
  }

  @Test
  func `a 24-bit file reaches each bus that holds it`() throws {
    var generator = SplitMix64(seed: 1)
    let values =
      [-8_388_608, -1, 0, 1, 8_388_607]
      + (0..<5000).map { _ in Int.random(in: -8_388_608...8_388_607, using: &generator) }
    let samples = values.map { Double($0) / 8_388_608 }
    let file = try TestFile(.int24, samples)
    let callback = FileCallback(path: file.path)
    for sample in [SampleType.float32, .int24] {
      #expect(
        try play(callback, bus(sample), frames: samples.count)[0].map(Double.init) == samples)
    }
    for sample in [SampleType.int32, .fixed824] {
      #expect(
        words(try play(callback, bus(sample), frames: samples.count)[0])
          == samples.map { SampleCoding.word($0, as: sample) })
    }
  }

  @Test
  func `each bit of a 32-bit file reaches an int32 bus`() throws {
    var generator = SplitMix64(seed: 2)
    let values =
      [Int32.min, -1, 0, 1, .max]
      + (0..<5000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    let file = try TestFile(.int32, values.map { Double($0) / 0x1p31 })
    #expect(
      words(try play(FileCallback(path: file.path), bus(.int32), frames: values.count)[0])
        == values)
  }

  @Test
  func `each bit of an 8_24 recording reaches an 8_24 bus`() throws {
    var generator = SplitMix64(seed: 3)
    let values =
      [Int32.min, -1, 0, 1, .max]
      + (0..<5000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    let file = try TestFile(.fixed824, values.map { Double($0) / 0x1p24 })
    #expect(
      words(try play(FileCallback(path: file.path), bus(.fixed824), frames: values.count)[0])
        == values)
  }

  @Test
  func `floats beyond full scale are clipped by integers and kept by the others`() throws {
    let samples = [1.5, -1.5, 1, -1, 0.25, 0.5 / 32768, 1.5 / 32768]
    let file = try TestFile(.float32, samples)
    let callback = FileCallback(path: file.path)
    #expect(try play(callback, bus(.float32), frames: 7)[0].map(Double.init) == samples)
    #expect(
      try play(callback, bus(.int16), frames: 7)[0].map { Double($0) * 32768 }
        == [32767, -32768, 32767, -32768, 8192, 0, 2])
    #expect(
      words(try play(callback, bus(.fixed824), frames: 7)[0])
        == samples.map { Int32($0 * 0x1p24) })
  }

  @Test(arguments: Slicing.every)
  func `the words do not depend on slicing, with another rate and layout too`(
    slicing: Slicing
  ) throws {
    var generator = SplitMix64(seed: 4)
    let samples = (0..<14_000).map { _ in Double.random(in: -1...1, using: &generator) }
    let file = try TestFile(.float32, samples, channels: 2, sampleRate: 44_100)
    for loop in [false, true] {
      let callback = FileCallback(path: file.path, loop: loop, gain: 0.5)
      for format in [bus(.float32, channels: 2), bus(.int16), bus(.int32, rate: 44_100)] {
        #expect(
          try play(callback, format, frames: 20_000, slicing: slicing).map(words)
            == play(callback, format, frames: 20_000).map(words))
      }
    }
  }

  @Test
  func `a loop has no seam`() throws {
    let samples = (0..<777).map { Double($0) / 1024 }
    let file = try TestFile(.float32, samples)
    let found = try play(
      FileCallback(path: file.path, loop: true), bus(.float32), frames: 20_000)[0]
    #expect(found.indices.allSatisfy { found[$0] == Float(samples[$0 % 777]) })
  }

  @Test
  func `a loop has no seam at another rate either`() throws {
    // Ten periods of a sine: looped, it continues without a seam.
    func wave(_ seconds: Double) -> Double { 0.5 * sin(2000 * Double.pi * seconds) }
    let samples = (0..<441).map { wave(Double($0) / 44_100) }
    let file = try TestFile(.float32, samples, sampleRate: 44_100, as: .float64)
    let found = try play(
      FileCallback(path: file.path, loop: true), bus(.float32), frames: 30_000)[0]
    let worst = (1000..<30_000).map { abs(Double(found[$0]) - wave(Double($0) / 48_000)) }.max()
    // The errors of the converter (28 bits) and of rounding to floats.
    #expect(20 * log10(worst ?? 1) < -130)
  }

  @Test
  func `a part is played, with a gain, once or again and again`() throws {
    let samples = (0..<4800).map { Double($0) / 8192 }
    let file = try TestFile(.float32, samples)
    var callback = FileCallback(path: file.path, start: 0.01, end: 0.02, gain: 0.5)
    #expect(callback.duration(for: bus(.float32)) == 480)
    let once = try play(callback, bus(.float32), frames: 1000)[0]
    #expect(once[..<480].elementsEqual(samples[480..<960].map { Float($0 / 2) }))
    #expect(once[480...].allSatisfy { $0 == 0 })
    callback.loop = true
    #expect(callback.duration(for: bus(.float32)) == nil)
    let again = try play(callback, bus(.float32), frames: 10_000)[0]
    #expect(again.indices.allSatisfy { again[$0] == Float(samples[480 + $0 % 480] / 2) })
  }

  @Test(arguments: [Slicing([512]), Slicing([1]), Slicing([300, 7]), Slicing([4096])])
  func `a file begins at its frame, in silence before`(slicing: Slicing) throws {
    let samples = (1...3000).map { Double($0) / 4096 }
    let file = try TestFile(.float32, samples)
    // 1,499.52 frames, rounded to 1,500.
    var callback = FileCallback(path: file.path, at: 0.03124, gain: 0.5)
    #expect(callback.duration(for: bus(.float32)) == 4500)
    let once = try play(callback, bus(.float32), frames: 6000, slicing: slicing)[0]
    let expected =
      [Float](repeating: 0, count: 1500) + samples.map { Float($0 / 2) }
      + [Float](repeating: 0, count: 1500)
    #expect(once == expected)
    // It waits once, not at each repetition.
    callback.loop = true
    let again = try play(callback, bus(.float32), frames: 9000, slicing: slicing)[0]
    #expect(
      again.indices.allSatisfy { frame in
        again[frame] == (frame < 1500 ? 0 : Float(samples[(frame - 1500) % 3000] / 2))
      })
  }

  @Test func `a file of another rate begins at its frame, and is what it is without a wait`() throws
  {
    var generator = SplitMix64(seed: 41)
    let samples = (0..<9000).map { _ in Double.random(in: -0.5...0.5, using: &generator) }
    let file = try TestFile(.float32, samples, sampleRate: 44_100)
    let plain = try play(FileCallback(path: file.path), bus(.int16), frames: 12_000)[0]
    let late = try play(FileCallback(path: file.path, at: 0.05), bus(.int16), frames: 14_400)[0]
    #expect(words(late) == [Int32](repeating: 0, count: 2400) + words(plain))
  }

  @Test
  func `the length at another rate is rounded to the nearest frame, and all of it is there`() throws
  {
    let samples = (0..<44_101).map { sin(Double($0) * 0.05) }
    let file = try TestFile(.float32, samples, sampleRate: 44_100)
    let callback = FileCallback(path: file.path)
    #expect(callback.duration(for: bus(.float32)) == 48_001)
    let found = try play(callback, bus(.float32), frames: 50_000)[0]
    let worst = (2000..<46_000).map { frame in
      let seconds = Double(frame) / 48_000
      return abs(Double(found[frame]) - sin(seconds * 44_100 * 0.05))
    }.max()
    #expect(20 * log10(worst ?? 1) < -130)
    #expect(found[48_001...].allSatisfy { $0 == 0 })
    #expect(found[47_990..<48_001].contains { abs($0) > 0.01 })
  }

  @Test
  func `channels go where the rules say`() throws {
    let stereo = try TestFile(.float32, [0.5, 0.25, -1, 0.5], channels: 2)
    #expect(
      try play(FileCallback(path: stereo.path), bus(.float32), frames: 2) == [[0.375, -0.25]])
    #expect(
      try play(FileCallback(path: stereo.path), bus(.float32, channels: 3), frames: 2)
        == [[0.5, -1], [0.25, 0.5], [0, 0]])
    let mono = try TestFile(.float32, [0.5, 0.25])
    #expect(
      try play(FileCallback(path: mono.path), bus(.float32, channels: 2), frames: 2)
        == [[0.5, 0.25], [0.5, 0.25]])
  }

  @Test
  func `a ring that runs dry is counted, and what follows is where it belongs`() throws {
    let samples = (1...120_000).map(Double.init)
    let file = try TestFile(.float32, samples)
    let source = try FileCallback(path: file.path).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 1000)
    let service = try #require(source.service)
    let found = render(
      source.kernel, outputChannelCounts: [1], frameCount: 120_000, slicing: Slicing([1000]),
      before: { position in
        // The ring is not filled for 20,000 frames more than it holds.
        if position == 0 || position >= 85_000 {
          #expect(throws: Never.self) { try service.service(atLeast: 1000) }
        }
      })[0][0]
    #expect(service.lostFrames > 10_000 && service.lostFrames < 40_000)
    #expect(found.filter { $0 == 0 }.count == service.lostFrames)
    #expect(found.indices.allSatisfy { found[$0] == 0 || found[$0] == Float(samples[$0]) })
    #expect(found[119_999] == 120_000)
  }

  @Test(arguments: [1.0, 4])
  func `a host that comes when it is asked to is never late, however fast frames are taken`(
    pace: Double
  ) throws {
    let samples = (1...480_000).map(Double.init)
    let file = try TestFile(.float32, samples)
    let source = try FileCallback(path: file.path).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 512)
    let service = try #require(source.service)
    var due = 0
    var calls = 0
    let found = render(
      source.kernel, outputChannelCounts: [1], frameCount: 480_000, slicing: Slicing([512]),
      before: { position in
        guard position >= due else { return }
        calls += 1
        #expect(throws: Never.self) { try service.service(atLeast: 4096) }
        let seconds = min(max(service.secondsToSpare(atLeast: 4096), 0.01), 0.1)
        due = position + Int(seconds * pace * 48_000)
      })[0][0]
    #expect(service.lostFrames == 0)
    #expect(found == samples.map(Float.init))
    // 10 s: a few more than ten calls per second, with frames taken at the pace of the file.
    #expect(calls < 150)
  }

  @Test
  func `a host is asked to come soon where frames came late, and where a file may begin again`()
    throws
  {
    let file = try TestFile(.float32, [Double](repeating: 1, count: 1000))
    let source = try FileCallback(path: file.path).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 512)
    let service = try #require(source.service)
    try service.service(atLeast: 500)
    // The ring was empty.
    #expect(service.secondsToSpare(atLeast: 500) == 0)
    try service.service(atLeast: 500)
    #expect(service.secondsToSpare(atLeast: 500) > 0)
    _ = render(source.kernel, outputChannelCounts: [1], frameCount: 1000, slicing: Slicing([500]))
    try service.service(atLeast: 500)
    #expect(service.secondsToSpare(atLeast: 500) == 0)
  }

  @Test
  func `after the end the bus is marked silent`() throws {
    let file = try TestFile(.float32, [1, 1, 1])
    let source = try FileCallback(path: file.path).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 4)
    let plan = RenderPlan(
      rows: [.init(kernel: source.kernel, inputs: [], outputs: [0])], busChannelCounts: [1],
      maximumFramesPerSlice: 4)
    try source.service?.service(atLeast: 4)
    #expect(plan.render(frameCount: 4, at: TimeStamp(sampleTime: 0)) == .ok)
    #expect(!plan.bus(0, frameCount: 4).isSilent)
    #expect(plan.render(frameCount: 4, at: TimeStamp(sampleTime: 4)) == .ok)
    #expect(plan.bus(0, frameCount: 4).isSilent)
  }

  @Test
  func `a file that cannot be played says why`() throws {
    let format = bus(.float32)
    let missing = FileCallback(path: "/tmp/no-such-file.wav").problems(for: format)
    #expect(missing.map(\.kind) == [.fileNotFound] && missing.first?.status == .fileNotFound)
    #expect(missing.first?.setting == "path")
    #expect(FileCallback(path: "/etc/passwd").problems(for: format).map(\.kind) == [.notAudio])
    let empty = try TestFile(.float32, [])
    #expect(
      FileCallback(path: empty.path, loop: true).problems(for: format).first?.message
        .contains("holds no frames") == true)
    let file = try TestFile(.float32, [Double](repeating: 0, count: 48_000))
    func problems(_ start: Double, _ end: Double?, gain: Double = 1) -> [String?] {
      FileCallback(path: file.path, start: start, end: end, gain: gain).problems(for: format)
        .map(\.setting)
    }
    #expect(problems(0, 1) == [] && problems(0.5, nil) == [])
    #expect(problems(1, nil) == ["start"])
    #expect(problems(0, 1.1) == ["end"])
    #expect(problems(0.5, 0.4) == ["end"])
    #expect(problems(0.5, 0.500001) == ["end"])
    #expect(problems(-1, nil, gain: .infinity) == ["start", "gain"])
    #expect(throws: CallbackProblem.self) {
      try FileCallback(path: file.path, start: 1).makeSource(for: format, maximumFramesPerSlice: 4)
    }
    #expect(
      FileCallback(path: file.path).problems(for: format.with(sampleRate: 0)).map(\.kind)
        == [.formatNotSupported])
  }

  /// With a gain the service reads the file, and keeps it from its second pass on.
  @Test(arguments: [1, 0.5])
  func `a short loop is one with itself, and goes on when its file is gone`(gain: Double) throws {
    let samples = (0..<6000).map { Double($0 % 997) / 1024 }
    for part in [(0.0, nil), (0.01, 0.05)] {
      let file = try TestFile(.float32, samples, channels: 2)
      let callback = FileCallback(
        path: file.path, loop: true, start: part.0, end: part.1, gain: gain)
      let source = try callback.makeSource(
        for: bus(.float32, channels: 2), maximumFramesPerSlice: 512)
      #expect((source.service == nil) == (gain == 1))
      let found = render(
        source.kernel, outputChannelCounts: [2], frameCount: 20_000, slicing: Slicing([512]),
        before: { position in
          if position == 0 && gain == 1 || position >= 10_000 && position < 10_512 {
            #expect(unsafe truncate(file.path, 100) == 0)
          }
          #expect(throws: Never.self) { try source.service?.service(inStepFor: 512) }
        })[0]
      let first = Int(callback.start * 48_000)
      let length = callback.end.map { Int($0 * 48_000) - first } ?? 3000
      for channel in 0..<2 {
        #expect(
          found[channel].indices.allSatisfy {
            Double(found[channel][$0]) == gain * samples[2 * (first + $0 % length) + channel]
          })
      }
      #expect(source.service?.takeEvents().isEmpty != false)
    }
  }

  @Test func `a short loop with an infinity is reported, and goes on when its file is gone`() throws
  {
    var samples = (0..<3000).map { Double($0) / 4096 }
    samples[10] = .infinity
    let file = try TestFile(.float32, samples)
    let source = try FileCallback(path: file.path, loop: true).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 512)
    let service = try #require(source.service)
    let found = render(
      source.kernel, outputChannelCounts: [1], frameCount: 20_000, slicing: Slicing([512]),
      before: { position in
        if position >= 10_000 && position < 10_512 {
          #expect(unsafe truncate(file.path, 100) == 0)
        }
        #expect(throws: Never.self) { try service.service(inStepFor: 512) }
      })[0][0]
    #expect(found.indices.allSatisfy { $0 % 3000 == 10 || Double(found[$0]) == samples[$0 % 3000] })
    #expect(service.takeEvents().map(\.kind) == [.notFinite])
  }

  @Test func `a short loop that begins later is silent before, however it is cut`() throws {
    let file = try TestFile(.float32, (0..<700).map { Double($0 + 1) / 1024 })
    let callback = FileCallback(path: file.path, loop: true, at: 0.01)
    for slicing in [Slicing([4096]), Slicing([7, 512, 1, 333])] {
      let found = try play(callback, bus(.float32, channels: 2), frames: 6000, slicing: slicing)
      for channel in 0..<2 {
        #expect(found[channel][..<480].allSatisfy { $0 == 0 })
        #expect(
          (480..<6000).allSatisfy {
            found[channel][$0] == Float(Double(($0 - 480) % 700 + 1) / 1024)
          })
      }
    }
  }

  @Test
  func `a file that is shorter than it says is silent where it has nothing`() throws {
    let samples = (1...10_000).map { Double($0) / 32768 }
    let file = try TestFile(.int16, samples, ending: "au")
    let source = try FileCallback(path: file.path).makeSource(
      for: bus(.float32), maximumFramesPerSlice: 4096)
    // The file is truncated to half between opening and playing.
    let handle = try #require(FileHandle(forWritingAtPath: file.path))
    try handle.truncate(atOffset: 10_000)
    try handle.close()
    let service = try #require(source.service)
    let found = render(
      source.kernel, outputChannelCounts: [1], frameCount: 10_000,
      before: { _ in #expect(throws: Never.self) { try service.service(atLeast: 1024) } })[0][0]
    let end = try #require(found.firstIndex(of: 0))
    #expect(end > 4900 && end < 5000)
    #expect(found[..<end].elementsEqual(samples[..<end].map(Float.init)))
    #expect(found[end...].allSatisfy { $0 == 0 })
  }
}
