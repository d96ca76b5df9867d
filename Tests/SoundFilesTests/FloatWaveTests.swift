import AudioTypes
import Glibc
import TestSupport
import Testing

@testable import SoundFiles

/// WAV files of floats, which are read without libsndfile, beside libsndfile.
struct FloatWaveTests {
  private func bytes(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
    Array(name.utf8) + bytes(contents.count, 4) + contents
      + (contents.count % 2 == 0 ? [] : [0])
  }

  /// A file of random samples, a few of them no finite numbers.
  private struct File {
    var bytes: [UInt8]
    var channelCount: Int
    var frameCount: Int
    /// The byte offset of the format, in the contents of its chunk.
    var formatOffset: Int
  }

  /// A file with random chunks before its format and its samples: with a plain or an extensible format.
  private func make(_ generator: inout SplitMix64, behind: [UInt8] = []) -> File {
    let channelCount = [1, 2, 2, 3, 6, 17].randomElement(using: &generator) ?? 1
    let frameCount = Int.random(in: 1...3000, using: &generator)
    let rate = [8000, 44_100, 48_000, 192_000].randomElement(using: &generator) ?? 48_000
    let samples = (0..<channelCount * frameCount).flatMap { _ -> [UInt8] in
      let odd: [Float] = [
        .infinity, -.infinity, .leastNonzeroMagnitude, -0.0, .greatestFiniteMagnitude,
      ]
      let sample =
        Int.random(in: 0..<50, using: &generator) == 0
        ? odd.randomElement(using: &generator) ?? 0 : Float.random(in: -1...1, using: &generator)
      return bytes(Int(sample.bitPattern), 4)
    }
    let isExtensible = Bool.random(using: &generator)
    var format =
      bytes(isExtensible ? 0xFFFE : 3, 2) + bytes(channelCount, 2) + bytes(rate, 4)
      + bytes(4 * channelCount * rate, 4) + bytes(4 * channelCount, 2) + bytes(32, 2)
    if isExtensible {
      format +=
        bytes(22, 2) + bytes(32, 2) + bytes(0, 4) + bytes(3, 4) + bytes(0x10_0000, 4)
        + [0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    } else if Bool.random(using: &generator) {
      format += [0, 0]
    }
    func others(_ names: [String]) -> [UInt8] {
      names.filter { _ in Bool.random(using: &generator) }.flatMap { name in
        let size = Int.random(in: 4...41, using: &generator)
        return chunk(
          name, name == "fact" ? bytes(frameCount, 4) : [UInt8](repeating: 65, count: size))
      }
    }
    let before = others(["JUNK", "LIST"])
    let between = others(["fact", "LIST", "junk"])
    let body =
      Array("WAVE".utf8) + before + chunk("fmt ", format) + between + chunk("data", samples)
      + behind
    return File(
      bytes: Array("RIFF".utf8) + bytes(body.count, 4) + body, channelCount: channelCount,
      frameCount: frameCount, formatOffset: 12 + before.count + 8)
  }

  @Test(arguments: 1...60)
  func `each bit is as libsndfile reads it, in pieces of any length`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let scratch = try TemporaryFolder()
    let file = make(&generator)
    let (channelCount, frameCount) = (file.channelCount, file.frameCount)
    try scratch.write(file.bytes, to: "a.wav")
    let path = scratch.path("a.wav")
    let reader = try SoundFileReader(path: path)
    #expect(reader.channelCount == channelCount && reader.frameCount == frameCount)
    // Doubles are read by libsndfile.
    var doubles = [Double](repeating: 9, count: channelCount * frameCount)
    #expect(try SoundFileReader(path: path).read(into: &doubles) == frameCount)
    for _ in 0..<8 {
      let first = Int.random(in: 0...frameCount, using: &generator)
      try reader.seek(to: first)
      let room = Int.random(in: 0...frameCount + 3, using: &generator)
      var found = [Float](repeating: 9, count: channelCount * room)
      let count = try reader.read(into: &found)
      #expect(count == min(room, frameCount - first) && reader.position == first + count)
      let isSame = (0..<count * channelCount).allSatisfy {
        found[$0].bitPattern == Float(doubles[first * channelCount + $0]).bitPattern
      }
      #expect(isSame)
    }
    // Both kinds of reading go on where the other has ended.
    try reader.seek(to: frameCount / 2)
    var double = [Double](repeating: 9, count: channelCount)
    var float = [Float](repeating: 9, count: channelCount)
    #expect(try reader.read(into: &double) == 1)
    if frameCount - frameCount / 2 > 1 {
      #expect(try reader.read(into: &float) == 1)
      #expect(float[0] == Float(doubles[(frameCount / 2 + 1) * channelCount]))
    }
  }

  @Test(arguments: 1...40)
  func `the description of a file is libsndfile's`(seed: UInt64) throws {
    let scratch = try TemporaryFolder()
    let found = try [[], chunk("junk", [1, 2, 3, 4])].map { behind in
      var generator = SplitMix64(seed: seed)
      try scratch.write(make(&generator, behind: behind).bytes, to: "a.wav")
      let descriptor = unsafe open(scratch.path("a.wav"), O_RDONLY)
      defer { close(descriptor) }
      // What lies behind the samples is for libsndfile.
      #expect((FloatWave(descriptor) != nil) == behind.isEmpty)
      let reader = try SoundFileReader(path: scratch.path("a.wav"))
      return
        "\(reader.container) \(reader.encoding) \(reader.sampleRate) \(reader.frameCount) \(reader.channelCount) \(reader.fitsFloat)"
    }
    #expect(found[0] == found[1])
  }

  @Test(arguments: 1...40)
  func `a file that is cut off, or has another header, is left to libsndfile`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let scratch = try TemporaryFolder()
    let file = make(&generator)
    var changed = file.bytes
    let format = file.formatOffset
    switch seed % 5 {
    case 0: changed.removeLast(Int.random(in: 1...changed.count, using: &generator))
    // Integers, by a plain format and by an extensible one.
    case 1: changed[format] = 1
    case 2 where changed[format] == 0xFE: changed[format + 24] = 1
    case 2, 3: changed[format + 14] = 64
    default: changed[0] = UInt8(ascii: "F")
    }
    try scratch.write(changed, to: "a.wav")
    let descriptor = unsafe open(scratch.path("a.wav"), O_RDONLY)
    defer { close(descriptor) }
    #expect(FloatWave(descriptor) == nil)
  }

  @Test
  func `a disk that fails is told, and the file goes on when it works again`() throws {
    var generator = SplitMix64(seed: 5)
    let scratch = try TemporaryFolder()
    let file = make(&generator)
    let (channelCount, frameCount) = (file.channelCount, file.frameCount)
    try scratch.write(file.bytes, to: "a.wav")
    var isFailing = false
    let reader = try SoundFileReader(
      descriptor: unsafe open(scratch.path("a.wav"), O_RDONLY | O_CLOEXEC), path: "a.wav",
      fault: { _, _ in isFailing ? EIO : 0 })
    var samples = [Float](repeating: 9, count: channelCount * frameCount)
    isFailing = true
    let error = #expect(throws: SoundFileError.self) { _ = try reader.read(into: &samples) }
    #expect(error?.message == "the disk gives an input/output error" && error?.isOfDisk == true)
    #expect(reader.position == 0)
    isFailing = false
    #expect(try reader.read(into: &samples) == frameCount)
    // It becomes shorter while it is open.
    try reader.seek(to: 0)
    #expect(unsafe truncate(scratch.path("a.wav"), file.bytes.count - 4 * channelCount) == 0)
    let short = #expect(throws: SoundFileError.self) { _ = try reader.read(into: &samples) }
    #expect(short?.message.contains("the file ends there") == true && short?.isOfDisk == false)
    #expect(reader.position == frameCount - 1)
  }

  @Test(arguments: [1, 2, 6])
  func `a file of ours needs no decoder`(channelCount: Int) throws {
    let scratch = try TemporaryFolder()
    let writer = try SoundFileWriter(
      path: scratch.path("a.wav"),
      format: StreamFormat(.float32, channels: channelCount, sampleRate: 48_000))
    try writer.write([Double](repeating: 0.5, count: 100 * channelCount), frameCount: 100)
    try writer.close()
    let descriptor = unsafe open(scratch.path("a.wav"), O_RDONLY)
    defer { close(descriptor) }
    let found = try #require(FloatWave(descriptor))
    #expect(found.frameCount == 100 && found.channelCount == channelCount)
  }
}
