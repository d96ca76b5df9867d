import AudioTypes
import Foundation
import Pictures
import RenderCore
import RenderTaps
import TestSupport
import Testing

@testable import PictureTaps

struct PictureTests {
  private func path(_ ending: String) -> String {
    "/tmp/patchrun-picture-\(UUID().uuidString.prefix(8)).\(ending)"
  }

  private func stereo(_ rate: Double = 48_000, _ channels: Int = 2) -> StreamFormat {
    StreamFormat(.float32, channels: channels, sampleRate: rate)
  }

  /// Interleaves channels.
  private func woven(_ channels: [[Float]]) -> [Double] {
    channels[0].indices.flatMap { frame in channels.map { Double($0[frame]) } }
  }

  /// Draws channels with a tap in slices, and reads the file.
  private func draw(
    _ tap: PictureTap, _ channels: [[Float]], rate: Double = 48_000, sample: SampleType = .float32,
    slicing: Slicing = Slicing([4096])
  ) throws -> [UInt8] {
    let format = StreamFormat(sample, channels: channels.count, sampleRate: rate)
    #expect(tap.problems(for: format).isEmpty)
    let sink = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
    let service = try #require(sink.service)
    let slices = slicing.cut(channels[0].count)
    var slice = 0
    _ = render(
      sink.kernel, inputs: [channels], outputChannelCounts: [], frameCount: channels[0].count,
      slicing: slicing,
      before: { _ in
        #expect(throws: Never.self) { try service.service(atLeast: slices[slice]) }
        slice += 1
      })
    #expect(!FileManager.default.fileExists(atPath: tap.path))
    try service.finish()
    #expect(service.lostFrames == 0)
    defer { try? FileManager.default.removeItem(atPath: tap.path) }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: tap.path)))
  }

  // MARK: Columns

  @Test func `the extremes of a waveform are exact, and so is its power, however long it is`() {
    var generator = SplitMix64(seed: 11)
    var samples = (0..<100_000).map { _ in Float.random(in: -0.5...0.5, using: &generator) }
    samples[77_777] = 0.876
    samples[12_345] = -0.765
    let columns = WaveformColumns(PictureTap(.waveform, path: "a.svg"), stereo(48_000, 1))
    var done = 0
    while done < samples.count {
      let count = min(4096, samples.count - done)
      columns.add(samples[done..<(done + count)].map(Double.init), frameCount: count)
      done += count
    }
    let row = columns.rows[0]
    #expect(row.unitsPerColumn == 16)
    #expect(row.columns.count == (100_000 + 15) / 16)
    for (index, column) in row.columns.enumerated() {
      let own = samples[(index * 16)..<min(100_000, index * 16 + 16)].map(Double.init)
      #expect(column.low == own.min() && column.high == own.max())
      #expect((column.sum - own.reduce(0) { $0 + $1 * $1 }).magnitude < 1e-12)
      #expect(column.frameCount == own.count)
    }
    let (few, units) = row.reduced(to: 1000)
    #expect(few.count <= 1000 && units == 112)
    #expect(few.map(\.high).max() == Double(Float(0.876)))
    #expect(few.map(\.low).min() == Double(Float(-0.765)))
    #expect(few.reduce(0) { $0 + $1.frameCount } == 100_000)
  }

  private struct Count: PictureColumn {
    var sum: Int
    mutating func join(_ next: Count) { sum += next.sum }
  }

  @Test func `hours take no more columns than minutes`() {
    var row = ColumnRow<Count>(capacity: 16, unitsPerColumn: 3)
    var rest = 1_000_003
    while rest > 0 {
      let units = min(row.room, rest, 1 + rest % 1000)
      row.add(Count(sum: units), units: units)
      rest -= units
    }
    #expect(row.columns.count <= 16 && row.columns.count > 8)
    #expect(row.columns.reduce(0) { $0 + $1.sum } == 1_000_003)
    #expect(row.columns.dropLast().allSatisfy { $0.sum == row.unitsPerColumn })
  }

  @Test func `samples at full scale are counted and marked`() throws {
    var samples = sine(440, -6, seconds: 1)
    samples[24_000] = 1
    samples[24_001] = -1.5
    let columns = WaveformColumns(PictureTap(.waveform, path: "a.svg"), stereo(48_000, 1))
    columns.add(samples.map(Double.init), frameCount: samples.count)
    let figure = columns.figure()
    #expect(figure.caption[0].contains("2 samples at full scale or beyond"))
    #expect(figure.caption[0].contains("peak 3.5 dBFS"))
    #expect(figure.panels[0].axis.domain == -1.5...1.5)
    let flags = figure.panels[0].marks.compactMap { mark in
      if case .flags(let times, _, _) = mark { times } else { nil }
    }.joined()
    #expect(flags.count == 1 && (flags.first.map { ($0 - 0.5).magnitude < 0.002 } ?? false))
  }

  @Test(arguments: [false, true])
  func `the ridge of a chirp is where it must be`(isLinear: Bool) throws {
    let rate = 22_050.0
    let seconds = 4.0
    var tap = PictureTap(.spectrogram, path: "a.png")
    tap.size = 1000
    tap.frequencies = isLinear ? .linear : .logarithmic
    // A linear sweep from 200 Hz to 10 kHz.
    let samples = (0..<Int(seconds * rate)).map { frame -> Double in
      let time = Double(frame) / rate
      return 0.5 * sin(2 * .pi * (200 * time + 9800 / seconds * time * time / 2))
    }
    let columns = SpectrogramColumns(tap, stereo(rate, 1))
    columns.add(samples, frameCount: samples.count)
    let figure = columns.figure()
    guard case .raster(let raster)? = figure.panels[0].marks.first else {
      Issue.record("there is no picture")
      return
    }
    let axis = figure.panels[0].axis
    let brightness = Dictionary(
      ColorMap.colors.enumerated().map { index, color in
        (
          UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue), index
        )
      }, uniquingKeysWith: { first, _ in first })
    for x in stride(from: raster.width / 10, to: raster.width * 9 / 10, by: 37) {
      let time = (Double(x) + 0.5) / Double(raster.width) * seconds
      let wanted = 200 + 9800 / seconds * time
      let levels = (0..<raster.height).map { y in
        brightness[raster.pixels[y * raster.width + x]] ?? 0
      }
      let best = try #require(levels.max())
      // Several rows may be brightest: the expected one is among them or beside them.
      let rows = levels.indices.filter { levels[$0] == best }
      let frequencies = rows.map { axis.value(1 - (Double($0) + 0.5) / Double(raster.height)) }
      let slack = max(rate / 1000 * 1.5, wanted * 0.02, isLinear ? 40 : 0)
      #expect(
        frequencies.contains { ($0 - wanted).magnitude < slack },
        "\(time): \(frequencies), \(wanted)")
    }
  }

  @Test func `a sine is as bright as it is loud, however it is drawn`() {
    for (size, frequencies) in [(4096, PictureTap.Frequencies.linear), (960, .logarithmic)] {
      var tap = PictureTap(.spectrogram, path: "a.png")
      tap.size = size
      tap.frequencies = frequencies
      let columns = SpectrogramColumns(tap, stereo(48_000, 2))
      let samples = sine(3000, -20, seconds: 0.5)
      columns.add(woven([samples, samples]), frameCount: samples.count)
      let middle = columns.panels[0].columns[columns.panels[0].columns.count / 2]
      let level = 10 * log10(Double(middle.power.max() ?? 0))
      #expect(near(level, -20, within: 0.01))
    }
  }

  @Test func `levels are those of the meters`() throws {
    let columns = try LevelColumns(PictureTap(.levels, path: "a.svg"), stereo())
    let samples = sine(1000, -23, seconds: 5)
    columns.add(woven([samples, samples]), frameCount: samples.count)
    let column = columns.rows[1].columns[40]
    #expect(columns.rows[1].columns.count == 100)
    #expect(near(20 * log10(column.peak), -23, within: 0.01))
    #expect(near(20 * log10(column.rms), -26.01, within: 0.01))
    // EBU Tech 3341, test 1.
    let loudness = columns.loudness.columns
    #expect(loudness.count == 50)
    #expect(near(10 * log10(loudness[40].momentary), -23, within: 0.1))
    // There is no short-term loudness before the first 3 s are complete.
    #expect(loudness.map { $0.shortTerm == nil } == (0..<50).map { $0 < 29 })
    #expect(near(10 * log10(try #require(loudness[29].shortTerm)), -23, within: 0.1))
    var joined = loudness[28]
    joined.join(loudness[29])
    #expect(joined.shortTerm == loudness[29].shortTerm && joined.count == 2)
    #expect(columns.figure().caption[0].contains("integrated \u{2212}23.0 LUFS"))
    #expect(columns.figure().panels.count == 3)
    #expect(columns.figure().legend.contains { $0.text.hasPrefix("short-term") })
    let short = try LevelColumns(PictureTap(.levels, path: "a.svg"), stereo())
    short.add(woven([samples, samples]), frameCount: samples.count / 2)
    #expect(!short.figure().legend.contains { $0.text.hasPrefix("short-term") })
  }

  // MARK: Files

  @Test(arguments: PictureTap.Subject.allCases, ["svg", "png"])
  func `a picture is the same at every slicing`(subject: PictureTap.Subject, ending: String) throws
  {
    var generator = SplitMix64(seed: 3)
    let channels = (0..<2).map { _ in
      (0..<20_000).map { _ in Float.random(in: -1...1, using: &generator) }
    }
    var tap = PictureTap(subject, path: path(ending))
    tap.title = "noise"
    tap.width = 400
    let first = try draw(tap, channels)
    #expect(first.count > 1000)
    for slicing in Slicing.every.dropFirst() {
      // A run never uses a name twice, so each render is a new run.
      tap.takes = Takes()
      #expect(try draw(tap, channels, slicing: slicing) == first, "\(slicing.testDescription)")
    }
  }

  @Test(arguments: PictureTap.Subject.allCases)
  func `of nothing, of a frame, and of silence there are pictures`(
    subject: PictureTap.Subject
  ) throws {
    for count in [0, 1, 5, 48_000] {
      var tap = PictureTap(subject, path: path("svg"))
      tap.width = 400
      let text = String(
        decoding: try draw(tap, [[Float](repeating: 0, count: count)]), as: UTF8.self)
      #expect(text.hasSuffix("</svg>\n<!-- patchrun -->\n"))
      #expect(!text.contains("nan") && !text.contains("inf"))
      #expect(text.contains("not a single frame") == (count == 0))
    }
  }

  @Test(arguments: [(SampleType.int32, 30), (.fixed824, 23)])
  func `what is no number is silence, and words are numbers`(sample: SampleType, bit: Int) throws {
    var tap = PictureTap(.waveform, path: path("svg"))
    let bits = (0..<4800).map { frame -> Float in
      let word = Int32(frame % 2 == 0 ? 1 : -1) << Int32(bit)
      return Float(bitPattern: UInt32(bitPattern: word))
    }
    let text = String(decoding: try draw(tap, [bits], sample: sample), as: UTF8.self)
    #expect(text.contains("peak \u{2212}6.0 dBFS"))
    tap.path = path("svg")
    let bad = String(decoding: try draw(tap, [[.nan, .infinity, 0.5]]), as: UTF8.self)
    #expect(bad.contains("peak \u{2212}6.0 dBFS"))
  }

  // MARK: Errors

  private func problem(
    _ settings: [String: SettingValue], channels: Int = 2, rate: Double = 48_000
  ) throws -> CallbackProblem? {
    let all = settings.merging(["path": .text("a.svg")]) { given, _ in given }
    return try PictureTap.description.makeTap(all).problems(for: stereo(rate, channels)).first
  }

  @Test func `settings that say nothing of what is drawn are refused`() throws {
    let found = try problem(["of": .text("waveform"), "size": .number(1024)])
    #expect(found?.setting == "size")
    #expect(found?.message == "'size' says nothing of a waveform")
    #expect(found?.help == "leave it out: it is for a spectrogram")
    #expect(
      try problem(["of": .text("levels"), "amplitude": .text("linear")])?.setting == "amplitude")
    #expect(try problem(["of": .text("waveform"), "floor": .number(-40)])?.setting == "floor")
    #expect(
      try problem([
        "of": .text("waveform"), "floor": .number(-40), "amplitude": .text("decibels"),
      ]) == nil)
    #expect(
      try problem(["of": .text("spectrogram"), "floor": .number(-40), "ceiling": .number(-50)])?
        .setting == "floor")
  }

  @Test func `a path, a size, a channel and a height have to fit`() throws {
    #expect(try problem(["of": .text("levels"), "path": .text("a.gif")])?.setting == "path")
    #expect(try problem(["of": .text("spectrogram"), "size": .number(1001)])?.setting == "size")
    #expect(try problem(["of": .text("levels"), "channel": .number(2)])?.setting == "channel")
    #expect(try problem(["of": .text("levels"), "height": .number(200)])?.setting == "height")
    #expect(try problem(["of": .text("waveform")], channels: 17) != nil)
    #expect(try problem(["of": .text("waveform"), "channel": .number(16)], channels: 17) == nil)
    #expect(try problem(["of": .text("spectrogram")], channels: 17) == nil)
    // Loudness does not support this channel count and this rate. The levels are drawn without it.
    #expect(try problem(["of": .text("levels")], channels: 8) == nil)
    #expect(try problem(["of": .text("levels")], rate: 8) == nil)
  }

  @Test func `a folder that is not there is found before anything begins`() {
    let tap = PictureTap(.levels, path: "/nowhere/a.svg")
    #expect(tap.problems(for: stereo()).isEmpty)
    #expect(throws: CallbackProblem.self) {
      _ = try tap.makeSink(for: stereo(), maximumFramesPerSlice: 512)
    }
  }

  @Test func `a picture that cannot be written any more is an error at the end`() throws {
    let folder = path("d")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let sink = try PictureTap(.waveform, path: "\(folder)/a.svg").makeSink(
      for: stereo(), maximumFramesPerSlice: 512)
    try FileManager.default.removeItem(atPath: folder)
    #expect(throws: ServiceError.self) { try sink.service?.finish() }
  }

  @Test func `a live run goes on without it, and is told`() throws {
    let folder = path("e")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var tap = PictureTap(.waveform, path: "\(folder)/a.svg")
    tap.takes = Takes(.number, goesOnWhenThereIsRoom: true)
    let service = try #require(
      try tap.makeSink(for: stereo(), maximumFramesPerSlice: 512).service)
    try FileManager.default.removeItem(atPath: folder)
    try service.finish()
    let event = try #require(service.takeEvents().first)
    #expect(event.kind == .unwritten && event.isFailure && event.message.contains("a.svg"))
  }
}
