import AudioTypes
import Foundation
import RenderCore
import RenderTaps
import SoundFiles
import TestSupport
import Testing

struct RecordTests {
  private func scratch(_ name: String) -> String {
    "/tmp/patchrun-record-\(getpid())-\(UInt64.random(in: 0 ... .max))-\(name)"
  }

  /// Renders `words` (one array per channel) into the tap in slices, and reads the file.
  private func record(
    _ words: [[Float]], _ sample: SampleType, tap: RecordTap, slicing: Slicing = Slicing([512])
  ) throws -> [Double] {
    let format = StreamFormat(sample, channels: words.count, sampleRate: 48_000)
    #expect(tap.problems(for: format).isEmpty)
    let sink = try tap.makeSink(for: format, maximumFramesPerSlice: 4096)
    let service = try #require(sink.service)
    let slices = slicing.cut(words[0].count)
    var slice = 0
    _ = render(
      sink.kernel, inputs: [words], outputChannelCounts: [], frameCount: words[0].count,
      slicing: slicing,
      before: { _ in
        #expect(throws: Never.self) { try service.service(atLeast: slices[slice]) }
        slice += 1
      })
    try service.finish()
    #expect(service.lostFrames == 0)
    let reader = try SoundFileReader(path: tap.path)
    defer { _ = unsafe unlink(tap.path) }
    #expect(reader.frameCount == words[0].count)
    #expect(reader.channelCount == words.count)
    var samples = [Double](repeating: 0, count: reader.frameCount * reader.channelCount)
    #expect(try reader.read(into: &samples) == reader.frameCount)
    return samples
  }

  @Test func `a recording is to be written before half of its room is used`() throws {
    let path = scratch("room.wav")
    defer { _ = unsafe unlink(path) }
    let format = StreamFormat(.float32, channels: 1, sampleRate: 48_000)
    let sink = try RecordTap(path: path).makeSink(for: format, maximumFramesPerSlice: 4096)
    let service = try #require(sink.service)
    #expect(service.secondsToSpare(atLeast: 4096) > 0.1)
    // The buffer holds a little more than four seconds.
    let ones = [[Float](repeating: 1, count: 150_000)]
    _ = render(sink.kernel, inputs: [ones], outputChannelCounts: [], frameCount: 150_000)
    #expect(service.secondsToSpare(atLeast: 4096) <= 0)
    try service.service(atLeast: 4096)
    #expect(service.secondsToSpare(atLeast: 4096) > 0.1)
    try service.finish()
  }

  @Test(arguments: Slicing.every)
  func `a float bus is in the file bit for bit however the render was cut`(slicing: Slicing) throws
  {
    var generator = SplitMix64(seed: 1)
    let left = (0..<20_000).map { _ in Float.random(in: -3...3, using: &generator) }
    let right = (0..<20_000).map { _ in Float.random(in: -1e-9...1e-9, using: &generator) }
    let found = try record(
      [left, right], .float32, tap: RecordTap(path: scratch("a.wav")), slicing: slicing)
    let interleaved: [Double] = zip(left, right).flatMap { [Double($0), Double($1)] }
    #expect(found == interleaved)
  }

  @Test(arguments: ["a.wav", "a.flac", "a.aiff"])
  func `each value of an int16 bus is in the file`(name: String) throws {
    let samples = (-32768...32767).map { Float($0) / 32768 }
    let found = try record([samples], .int16, tap: RecordTap(path: scratch(name)))
    #expect(found == samples.map(Double.init))
  }

  @Test
  func `words of an int24 bus are in the file`() throws {
    var generator = SplitMix64(seed: 2)
    let samples: [Float] =
      [-1, 8_388_607.0 / 8_388_608, 0, 1 / 8_388_608]
      + (0..<5000).map { _ in
        Float(Int.random(in: -8_388_608...8_388_607, using: &generator)) / 8_388_608
      }
    let found = try record([samples], .int24, tap: RecordTap(path: scratch("a.flac")))
    #expect(found == samples.map(Double.init))
  }

  @Test(arguments: [SampleType.int32, .fixed824])
  func `words that need 32 bits are in the file`(sample: SampleType) throws {
    var generator = SplitMix64(seed: 3)
    let words =
      [Int32.min, .min + 1, -1, 0, 1, .max]
      + (0..<9000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    let found = try record(
      [words.map { Float(bitPattern: UInt32(bitPattern: $0)) }], sample,
      tap: RecordTap(path: scratch("a.wav")))
    #expect(found == words.map { SampleCoding.value($0, of: sample) })
  }

  @Test
  func `a float bus is rounded and clipped where an integer file is asked for`() throws {
    var tap = RecordTap(path: scratch("a.wav"), sampleType: .int16)
    tap.dither = .none
    let found = try record([[2, -2, 0.5, 0.4 / 32768]], .float32, tap: tap)
    #expect(found == [32767.0 / 32768, -1, 0.5, 0])
  }

  @Test
  func `a disk that stalls costs nothing for four seconds, then silence in the right place`() throws
  {
    let path = scratch("a.wav")
    let format = StreamFormat(.float32, channels: 1, sampleRate: 8000)
    let sink = try RecordTap(path: path).makeSink(for: format, maximumFramesPerSlice: 1000)
    let service = try #require(sink.service)
    let total = 60_000
    let samples = (1...total).map { Float($0) }
    var lostAtFirst = -1
    var ongoing: [ServiceEvent] = []
    _ = render(
      sink.kernel, inputs: [[samples]], outputChannelCounts: [], frameCount: total,
      slicing: Slicing([1000]),
      before: { position in
        if position == 32_000 { lostAtFirst = service.lostFrames }
        if let event = service.takeOngoingEvent() { ongoing.append(event) }
        // The disk recovers twice: in the middle and at the end.
        if position == 40_000 { #expect(throws: Never.self) { try service.service(atLeast: 1000) } }
      })
    let lost = service.lostFrames
    try service.finish()
    #expect(lostAtFirst == 0)
    #expect(lost > 0)
    // Each gap is reported with its position and length.
    let gaps = service.takeEvents().filter { $0.kind == .gap }
    #expect(gaps.map(\.cause) == ["the disk was too slow"])
    #expect(gaps.reduce(0) { $0 + $1.frameCount } == lost)
    // A gap is reported once while it lasts, to the first caller.
    #expect(ongoing.map(\.isOngoing) == [true])
    #expect(ongoing.first?.message.contains("frames are missing from 0:04.") == true)
    #expect((gaps.reduce(0) { $0 + $1.duration } * 8000).rounded() == Double(lost))
    let reader = try SoundFileReader(path: path)
    defer { _ = unsafe unlink(path) }
    #expect(reader.frameCount == total)
    var found = [Float](repeating: -1, count: total)
    #expect(try reader.read(into: &found) == total)
    #expect(found.filter { $0 == 0 }.count == lost)
    #expect(zip(found, samples).allSatisfy { $0 == 0 || $0 == $1 })
    #expect(found[39_999] == 0 && found[45_000] == samples[45_000])
    for gap in gaps {
      let first = Int((gap.time * 8000).rounded())
      let count = Int((gap.duration * 8000).rounded())
      #expect(found[first..<first + count].allSatisfy { $0 == 0 })
      #expect(found[first - 1] != 0)
    }
  }

  /// The cue points of a WAV file with their labels, by the RIFF format.
  private func cues(_ path: String) throws -> [(frame: Int, label: String)] {
    let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    func number(_ place: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    #expect(number(4) == bytes.count - 8)
    var frames: [Int: Int] = [:]
    var labels: [Int: String] = [:]
    var place = 12
    while place + 8 <= bytes.count {
      let name = String(decoding: bytes[place..<place + 4], as: UTF8.self)
      let size = number(place + 4)
      if name == "cue " {
        for index in 0..<number(place + 8) {
          let point = place + 12 + index * 24
          #expect(bytes[point + 8..<point + 12].elementsEqual("data".utf8))
          frames[number(point)] = number(point + 20)
        }
      } else if name == "LIST", bytes[place + 8..<place + 12].elementsEqual("adtl".utf8) {
        var label = place + 12
        while label < place + 8 + size {
          #expect(bytes[label..<label + 4].elementsEqual("labl".utf8))
          let length = number(label + 4)
          labels[number(label + 8)] = String(
            decoding: bytes[label + 12..<label + 8 + length - 1], as: UTF8.self)
          label += 8 + length + length % 2
        }
      }
      place += 8 + size + size % 2
    }
    #expect(place == bytes.count)
    return frames.sorted { $0.key < $1.key }.map { ($0.value, labels[$0.key] ?? "") }
  }

  @Test(arguments: [RecordingGaps.mark, .fill], ["a.wav", "a.flac"])
  func `time in which nothing was heard is marked, or silence fills it`(
    gaps: RecordingGaps, name: String
  ) throws {
    let path = scratch(name)
    defer { _ = unsafe unlink(path) }
    var tap = RecordTap(path: path)
    tap.gaps = gaps
    let format = StreamFormat(.int16, channels: 1, sampleRate: 8000)
    let sink = try tap.makeSink(for: format, maximumFramesPerSlice: 1000)
    let service = try #require(sink.service)
    let half = [Float](repeating: 0.5, count: 8000)
    func play() {
      _ = render(sink.kernel, inputs: [[half]], outputChannelCounts: [], frameCount: 8000)
    }
    play()
    // A quarter of a second has been recorded since the gap.
    service.noteGap(seconds: 0.125, ago: 0.25, cause: "one")
    play()
    service.noteGap(seconds: 0, cause: "two")
    service.noteGap(seconds: 2, cause: "three")
    try service.finish()
    let events = service.takeEvents()
    #expect(events.map(\.kind) == [.gap, .gap, .gap])
    #expect(events.map(\.duration) == [0.125, 0, 2])
    let reader = try SoundFileReader(path: path)
    let length = 16_000 + (gaps == .fill ? 17_000 : 0)
    #expect(reader.frameCount == length)
    var found = [Float](repeating: -1, count: length)
    #expect(try reader.read(into: &found) == length)
    let silent = found.indices.filter { found[$0] == 0 }
    #expect(silent == (gaps == .fill ? Array(6000..<7000) + Array(17_000..<33_000) : []))
    #expect(found.allSatisfy { $0 == 0 || $0 == 0.5 })
    let places = gaps == .fill ? [0.75, 2.125, 2.125] : [0.75, 2, 2]
    #expect(events.map(\.time) == places)
    #expect(
      events.allSatisfy {
        $0.cause.hasSuffix("silence stands in its place") == (gaps == .fill && $0.duration > 0)
      })
    guard name == "a.wav" else { return }
    let cues = try cues(path)
    #expect(cues.map(\.frame) == (gaps == .mark ? [6000, 16_000, 16_000] : []))
    #expect(
      cues.map(\.label)
        == (gaps == .mark
          ? ["0.125 s missing: one", "frames are missing: two", "2.000 s missing: three"] : []))
    // The chunk after the samples is not taken for samples.
    #expect(try SoundFileRecovery.recover(path).steps.isEmpty)
    #expect(try SoundFileReader(path: path).frameCount == length)
  }

  @Test
  func `frames that are lost at the very end are silence in the file`() throws {
    let path = scratch("a.wav")
    let format = StreamFormat(.int32, channels: 2, sampleRate: 8000)
    let sink = try RecordTap(path: path).makeSink(for: format, maximumFramesPerSlice: 1000)
    let service = try #require(sink.service)
    let word = Float(bitPattern: 7)
    let channel = [Float](repeating: word, count: 50_000)
    _ = render(
      sink.kernel, inputs: [[channel, channel]], outputChannelCounts: [], frameCount: 50_000)
    try service.finish()
    try service.finish()
    let reader = try SoundFileReader(path: path)
    defer { _ = unsafe unlink(path) }
    #expect(reader.frameCount == 50_000)
    #expect(service.lostFrames == 50_000 - 32_768)
    try reader.seek(to: 32_767)
    var found = [Int32](repeating: -1, count: 4)
    #expect(try reader.read(into: &found) == 2)
    #expect(found == [7, 7, 0, 0])
  }

  @Test
  func `a recording that is killed is readable as far as it was written`() throws {
    let path = scratch("a.wav")
    let format = StreamFormat(.float32, channels: 1, sampleRate: 8192)
    let sink = try RecordTap(path: path).makeSink(for: format, maximumFramesPerSlice: 4096)
    let service = try #require(sink.service)
    let samples = (0..<16_384).map { Float($0) }
    _ = render(sink.kernel, inputs: [[samples]], outputChannelCounts: [], frameCount: 16_384)
    try service.service(atLeast: 4096)
    // The file is not closed. It is read as it is, under its unfinished name.
    #expect(unsafe access(path, F_OK) != 0)
    let unfinished = path.replacing(".wav", with: ".unfinished.wav")
    let reader = try SoundFileReader(path: unfinished)
    defer { _ = unsafe unlink(unfinished) }
    var found = [Float](repeating: -1, count: 16_384)
    #expect(reader.frameCount == 16_384)
    #expect(try reader.read(into: &found) == 16_384)
    #expect(found == samples)
  }

  @Test
  func `a disk that is full at the start is reported`() throws {
    let path = scratch("a.wav")
    #expect(unsafe symlink("/dev/full", path) == 0)
    defer { _ = unsafe unlink(path) }
    // The header of a file that is not regular is written only once.
    let problem = #expect(throws: CallbackProblem.self) {
      try RecordTap(path: path).makeSink(
        for: StreamFormat(.float32, channels: 1, sampleRate: 48_000), maximumFramesPerSlice: 512)
    }
    #expect(problem?.kind == .unwritable && problem?.message.contains("disk is full") == true)
  }

  @Test
  func `a disk that becomes full ends the recording, which is told once, and nothing else`() throws
  {
    let path = scratch("a.flac")
    #expect(unsafe symlink("/dev/full", path) == 0)
    defer { _ = unsafe unlink(path) }
    let sink = try RecordTap(path: path).makeSink(
      for: StreamFormat(.int16, channels: 1, sampleRate: 48_000), maximumFramesPerSlice: 4096)
    let service = try #require(sink.service)
    let samples = [Float](repeating: 0.5, count: 100_000)
    var events: [ServiceEvent] = []
    _ = render(
      sink.kernel, inputs: [[samples]], outputChannelCounts: [], frameCount: 100_000,
      before: { _ in
        #expect(throws: Never.self) { try service.service(atLeast: 1024) }
        events += service.takeEvents()
      })
    #expect(service.lostFrames == 0)
    #expect(throws: Never.self) { try service.finish() }
    events += service.takeEvents()
    #expect(events.map(\.kind) == [.ended])
    #expect(events.first?.message.contains(path) == true && events.first?.isFailure == true)
  }

  @Test
  func `what is wrong is said before anything is created`() throws {
    let format = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    let unknown = RecordTap(path: "/tmp/a.xyz").problems(for: format)
    #expect(unknown.map(\.kind) == [.unwritable] && unknown.first?.setting == "path")
    let flac = RecordTap(path: "/tmp/a.flac", sampleType: .float32).problems(for: format)
    #expect(flac.map(\.kind) == [.formatNotSupported] && flac.first?.setting == "format")
    #expect(RecordTap(path: "").problems(for: format).map(\.setting) == ["path"])
    #expect(RecordTap(path: "/none/a.wav").problems(for: format).first?.status == .fileNotFound)
    let fine = scratch("b.wav")
    #expect(RecordTap(path: fine).problems(for: format).isEmpty)
    #expect(unsafe access(fine, F_OK) != 0)
  }

  @Test
  func `a tap is made from the settings of a patch`() throws {
    let description = try #require(TapCatalog.standard.description(of: "record"))
    let tap = try description.makeTap([
      "path": .text("/tmp/x.ogg"), "quality": .number(0.5),
    ])
    let record = try #require(tap as? RecordTap)
    #expect(record.path == "/tmp/x.ogg" && record.quality == 0.5 && record.sampleType == nil)
    let problems = description.problems(with: [
      "format": .text("int8"), "quality": .number(2), "speed": .number(1),
    ])
    #expect(problems.map(\.setting) == ["path", "format", "quality", "speed"])
    #expect(
      problems[1].message
        == """
        'format' is "int16", "int24", "int32", "float32" or "float64", not "int8"
        """)
  }
}
