import AudioTypes
import Glibc
import TestSupport
import Testing

@testable import SoundFiles

struct SoundFileWriterTests {
  static let linear = ["wav", "rf64", "w64", "aiff", "caf", "au"]

  /// Writes samples and reads them back as doubles.
  private func roundTrip(
    _ samples: [Double], _ name: String, _ sample: SampleType, channels: Int = 1,
    type: FileSampleType? = nil, dither: Dither = .tpdf
  ) throws -> [Double] {
    let scratch = try TemporaryFolder()
    let path = scratch.path(name)
    let format = StreamFormat(sample, channels: channels, sampleRate: 48_000)
    let writer = try SoundFileWriter(
      path: path, format: format, sampleType: type, dither: dither)
    // In odd pieces, as a recording does.
    var first = 0
    while first < samples.count / channels {
      let count = min(1000, samples.count / channels - first)
      try writer.write(
        Array(samples[first * channels..<(first + count) * channels]), frameCount: count)
      first += count
    }
    try writer.close()
    let reader = try SoundFileReader(path: path)
    #expect(reader.frameCount == samples.count / channels)
    #expect(reader.channelCount == channels)
    #expect(reader.sampleRate == 48_000)
    var back = [Double](repeating: 7, count: samples.count)
    #expect(try reader.read(into: &back) == samples.count / channels)
    return back
  }

  @Test(arguments: linear + ["flac"])
  func `each of the 65536 values of int16 comes back`(ending: String) throws {
    let samples = (-32768...32767).map { Double($0) / 32768 }
    #expect(try roundTrip(samples, "a.\(ending)", .int16) == samples)
  }

  @Test(arguments: linear + ["flac"])
  func `values of int24 come back, three channels of them`(ending: String) throws {
    var generator = SplitMix64(seed: 3)
    var words = [-8_388_608, -8_388_607, -1, 0, 1, 8_388_607]
    words += (0..<2994).map { _ in Int.random(in: -8_388_608...8_388_607, using: &generator) }
    let samples = words.map { Double($0) / 8_388_608 }
    #expect(try roundTrip(samples, "a.\(ending)", .int24, channels: 3) == samples)
  }

  @Test(arguments: linear)
  func `words of int32 come back`(ending: String) throws {
    var generator = SplitMix64(seed: 4)
    let words =
      [Int32.min, .min + 1, -1, 0, 1, .max]
      + (0..<3000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    let samples = words.map { Double($0) / 2_147_483_648 }
    #expect(try roundTrip(samples, "a.\(ending)", .int32, channels: 2) == samples)
  }

  @Test(arguments: linear)
  func `words of 8_24 fixed point come back, far beyond full scale`(ending: String) throws {
    var generator = SplitMix64(seed: 5)
    let words =
      [Int32.min, .min + 1, -1, 0, 1, .max]
      + (0..<3000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    let samples = words.map { Double($0) / 16_777_216 }
    #expect(try roundTrip(samples, "a.\(ending)", .fixed824, channels: 2) == samples)
  }

  @Test(arguments: linear)
  func `floats come back bit for bit`(ending: String) throws {
    var generator = SplitMix64(seed: 6)
    var floats: [Float] = [0, -0.0, 1, -1, .greatestFiniteMagnitude, .infinity, 3.7]
    floats.append(.leastNonzeroMagnitude)
    while floats.count < 3000 {
      let value = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))
      if !value.isNaN { floats.append(value) }
    }
    let back = try roundTrip(floats.map(Double.init), "a.\(ending)", .float32)
    #expect(back.map { Float($0).bitPattern } == floats.map(\.bitPattern))
  }

  @Test(arguments: linear + ["flac"])
  func `what an integer file cannot hold is rounded to even and clipped`(ending: String) throws {
    let samples = [1, 1.5, .infinity, -1, -1.5, -.infinity, .nan, 0.5 / 32768, 1.5 / 32768]
    let expected: [Double] = [32767, 32767, 32767, -32768, -32768, -32768, 0, 0, 2]
    let back = try roundTrip(samples, "a.\(ending)", .float32, type: .int16, dither: .none)
    #expect(back.map { $0 * 32768 } == expected)
  }

  @Test
  func `a float stream becomes 24 bits in FLAC`() throws {
    let back = try roundTrip(
      [0.5, 1.0 / 8_388_608, 0.4 / 8_388_608], "a.flac", .float32, dither: .none)
    #expect(back == [0.5, 1.0 / 8_388_608, 0])
  }

  @Test(arguments: ["ogg", "opus", "mp3"])
  func `a sine survives compression with loss`(ending: String) throws {
    guard SoundFileFormat.writable(forPath: "a.\(ending)") != nil else { return }
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    let count = 48_000
    let sine = (0..<count).map { 0.5 * sin(Double($0) * 2 * .pi * 440 / 48_000) }
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.float32, channels: 1, sampleRate: 48_000), quality: 0.9)
    try writer.write(sine, frameCount: count)
    try writer.close()
    let reader = try SoundFileReader(path: path)
    #expect(reader.sampleRate == 48_000)
    #expect(reader.frameCount >= count && reader.frameCount < count + 4000)
    #expect(reader.sampleType == nil && reader.fitsFloat)
    var back = [Float](repeating: 0, count: reader.frameCount)
    #expect(try reader.read(into: &back) == reader.frameCount)
    let power = back[10_000..<40_000].reduce(0) { $0 + Double($1 * $1) } / 30_000
    // 0.125 is the power of the sine; no coder removes as much as a decibel.
    #expect(abs(10 * log10(power / 0.125)) < 1)
  }

  @Test(arguments: linear + ["flac"])
  func `sox reads the same samples`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    let words = (0..<2000).map { Int16(truncatingIfNeeded: $0 &* 40_503) }
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.int16, channels: 2, sampleRate: 44_100))
    try writer.write(words.map { Float($0) / 32768 }, frameCount: 1000)
    try writer.close()
    // sox does not recognize RF64 by its extension; ffmpeg reads both.
    let found =
      ending == "rf64"
      ? try output(of: "ffmpeg", ["-v", "quiet", "-i", path, "-f", "s16le", "-"])
      : try output(of: "sox", [path, "-t", "raw", "-e", "signed", "-b", "16", "-L", "-"])
    guard let found else { return }
    #expect(
      found
        == words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
  }

  @Test(arguments: FileSampleType.allCases, [1, 2, 6])
  func `ffmpeg reads each kind of WAV`(type: FileSampleType, channels: Int) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.wav")
    let samples = (0..<channels * 101).map { Float($0 * 251 % 32768) / 32768 }
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.float32, channels: channels, sampleRate: 44_100),
      sampleType: type)
    try writer.write(samples, frameCount: 101)
    try writer.close()
    guard let found = try output(of: "ffmpeg", ["-v", "quiet", "-i", path, "-f", "f32le", "-"])
    else { return }
    let expected = samples.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
    #expect(found == expected)
  }

  @Test(arguments: linear)
  func `a file is readable but for its last second before it is closed`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.int24, channels: 1, sampleRate: 8000))
    let samples = (0..<40_801).map { Double($0) / 8192 }.map { $0 - $0.rounded(.down) }
    for first in stride(from: 0, to: 40_801, by: 1000) {
      let piece = Array(samples[first..<min(first + 1000, 40_801)])
      try writer.write(piece, frameCount: piece.count)
    }
    // The state of a file after the process was killed.
    #expect(!scratch.exists("a.\(ending)"))
    try scratch.write(scratch.bytes("a.unfinished.\(ending)"), to: "killed.\(ending)")
    let reader = try SoundFileReader(path: scratch.path("killed.\(ending)"))
    var back = [Double](repeating: 0, count: 41_000)
    // For Wave64, libsndfile counts the samples that exist.
    let count = ending == "w64" ? 40_801 : 40_000
    #expect(reader.frameCount == count)
    #expect(try reader.read(into: &back) == count)
    #expect(Array(back[..<count]) == Array(samples[..<count]))
    try writer.close()
    #expect(try SoundFileReader(path: path).frameCount == 40_801)
  }

  @Test(arguments: linear)
  func `what a header does not count yet is recovered`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let writer = try SoundFileWriter(
      path: scratch.path("a.\(ending)"),
      format: StreamFormat(.int16, channels: 2, sampleRate: 400_000))
    let samples = (0..<1_800_000).map { Float($0 % 32_768) / 32_768 }
    for first in stride(from: 0, to: 900_000, by: 4000) {
      try writer.write(Array(samples[2 * first..<2 * (first + 4000)]), frameCount: 4000)
    }
    let name = "killed.unfinished.\(ending)"
    try scratch.write(scratch.bytes("a.unfinished.\(ending)"), to: name)
    #expect(
      try SoundFileReader(path: scratch.path(name)).frameCount
        == (ending == "w64" ? 900_000 : 800_000))
    let outcome = try SoundFileRecovery.recover(scratch.path(name))
    // A piece of 128 KiB may still be in a buffer.
    #expect(outcome.frameCount > 860_000 && outcome.frameCount <= 900_000)
    let reader = try SoundFileReader(path: outcome.path)
    var back = [Float](repeating: 0, count: 2 * reader.frameCount)
    #expect(try reader.read(into: &back) == reader.frameCount)
    #expect(back[...] == samples[..<back.count])
    writer.abandon()
  }

  @Test(arguments: ["flac", "ogg"])
  func `a compressed file that was not closed is readable up to its last block`(
    ending: String
  ) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.int16, channels: 1, sampleRate: 48_000))
    var generator = SplitMix64(seed: 9)
    let samples = (0..<96_000).map { _ in
      Double(Int16.random(in: -9000...9000, using: &generator)) / 32768
    }
    try writer.write(samples, frameCount: 96_000)
    try scratch.write(scratch.bytes("a.unfinished.\(ending)"), to: "killed.\(ending)")
    let reader = try SoundFileReader(path: scratch.path("killed.\(ending)"))
    #expect(reader.frameCount > 80_000 && reader.frameCount <= 96_000)
    var back = [Double](repeating: 0, count: 96_000)
    #expect(try reader.read(into: &back) == reader.frameCount)
    if ending == "flac" {
      #expect(back[..<reader.frameCount] == samples[..<reader.frameCount])
    }
  }

  @Test
  func `a WAV file that outgrows 32 bits becomes RF64`() throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.wav")
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.int16, channels: 1, sampleRate: 1000), sampleType: nil,
      quality: nil, waveLimit: 3000)
    let samples = (0..<2000).map { Float($0) / 32768 }
    try writer.write(samples, frameCount: 1000)
    #expect(try scratch.bytes("a.unfinished.wav").starts(with: "RIFF".utf8))
    try writer.write(Array(samples[1000...]), frameCount: 1000)
    #expect(try scratch.bytes("a.unfinished.wav").starts(with: "RF64".utf8))
    try writer.close()
    let reader = try SoundFileReader(path: path)
    var back = [Float](repeating: 0, count: 2000)
    #expect(reader.frameCount == 2000)
    #expect(try reader.read(into: &back) == 2000)
    #expect(back == samples)
  }

  @Test
  func `WAV on a pipe has the sizes that mean as long as it lasts`() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let wave = try WaveOutput(
      descriptor: ends[1], isSeekable: false, sampleType: .int16, channelCount: 2,
      sampleRate: 48_000, limit: UInt64(UInt32.max))
    var coder: IntegerCoder? = IntegerCoder(
      bits: 16, channelCount: 2, sampleRate: 48_000, dither: .none)
    try wave.write([Float](repeating: 0.5, count: 2000), count: 2000, coder: &coder)
    try wave.close()
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(ends[0], &bytes, bytes.count)
    close(ends[0])
    #expect(count == 44 + 4000)
    let scratch = try TemporaryFolder()
    try scratch.write(Array(bytes[..<count]), to: "a.wav")
    let reader = try SoundFileReader(path: scratch.path("a.wav"))
    #expect(reader.frameCount == 1000)
    let path = scratch.path("a.wav")
    if let raw = try output(of: "sox", [path, "-t", "raw", "-"]) { #expect(raw.count == 4000) }
  }

  @Test(arguments: linear + ["flac", "ogg", "opus", "mp3"])
  func `two runs give the same bytes`(ending: String) throws {
    guard SoundFileFormat.writable(forPath: "a.\(ending)") != nil else { return }
    let scratch = try TemporaryFolder()
    for name in ["a", "b"] {
      let writer = try SoundFileWriter(
        path: scratch.path("\(name).\(ending)"),
        format: StreamFormat(.float32, channels: 2, sampleRate: 48_000))
      let samples = (0..<20_000).map { Float(sin(Double($0) * 0.02)) }
      try writer.write(samples, frameCount: 10_000)
      try writer.close()
    }
    #expect(try scratch.bytes("a.\(ending)") == scratch.bytes("b.\(ending)"))
    // A reader drops an Ogg page with a wrong checksum.
    let path = scratch.path("a.\(ending)")
    let reader = try SoundFileReader(path: path)
    #expect(reader.frameCount >= 10_000 && reader.frameCount < 14_000)
    if let found = try output(of: "ffmpeg", ["-v", "quiet", "-i", path, "-f", "s16le", "-"]) {
      #expect(found.count >= 39_000)
    }
  }

  @Test
  func `what cannot be written is said before a file is touched`() throws {
    let scratch = try TemporaryFolder()
    let stereo = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    func problem(
      _ name: String, _ format: StreamFormat? = nil, _ type: FileSampleType? = nil,
      quality: Double? = nil
    ) -> SoundFileError? {
      SoundFileWriter.problem(
        path: scratch.path(name), format: format ?? stereo, sampleType: type, quality: quality)
    }
    #expect(problem("a.wav") == nil && problem("A.WAV") == nil && problem("a.flac") == nil)
    let unknown = problem("a.xyz")
    #expect(unknown?.kind == .unknownFormat && unknown?.status.rawValue == 1_954_115_647)
    #expect(unknown?.message == "files with the extension '.xyz' cannot be written")
    #expect(unknown?.help.contains("wav, rf64, w64, aif, caf, au, flac") == true)
    #expect(problem("a")?.message.contains("has no extension") == true)
    #expect(problem("a.flac", nil, .float32)?.message == "FLAC files have no float32 samples")
    #expect(problem("a.ogg", nil, .int16)?.kind == .formatNotSupported)
    #expect(problem("a.wav", nil, nil, quality: 0.5)?.kind == .formatNotSupported)
    #expect(problem("a.ogg", nil, nil, quality: 1.5)?.kind == .formatNotSupported)
    #expect(problem("a.flac", stereo.with(channels: 9))?.kind == .formatNotSupported)
    #expect(problem("a.opus", stereo.with(sampleRate: 44_100))?.kind == .formatNotSupported)
    #expect(problem("a.wav", stereo.with(sampleRate: 44_100.5))?.kind == .formatNotSupported)
    #expect(problem("none/a.wav")?.status == .fileNotFound)
    #expect(
      SoundFileWriter.problem(path: "/", format: stereo)?.message.contains("no extension") == true)
    #expect(unsafe mkdir(scratch.path("b.wav"), 0o755) == 0)
    #expect(problem("b.wav")?.message.contains("is a folder") == true)
    #expect(throws: SoundFileError.self) {
      try SoundFileWriter(path: scratch.path("b.wav"), format: stereo)
    }
    #expect(throws: SoundFileError.self) {
      try SoundFileWriter(path: scratch.path("none/a.flac"), format: stereo)
    }
  }

  @Test(arguments: ["wav", "aiff"])
  func `a full disk is reported`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    #expect(unsafe symlink("/dev/full", path) == 0)
    let error = #expect(throws: SoundFileError.self) {
      let writer = try SoundFileWriter(
        path: path, format: StreamFormat(.int16, channels: 1, sampleRate: 48_000))
      try writer.write([Float](repeating: 0, count: 100_000), frameCount: 100_000)
      try writer.close()
    }
    #expect(error?.message.contains("a.\(ending)") == true)
  }
}
