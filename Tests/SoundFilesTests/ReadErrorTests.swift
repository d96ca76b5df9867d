import AudioTypes
import Glibc
import TestSupport
import Testing

@testable import SoundFiles

/// Files that cannot be read to the end.
struct ReadErrorTests {
  /// Writes a second of noise at 48 kHz. Returns the path and the samples.
  private func make(_ name: String, in scratch: TemporaryFolder) throws -> (path: String, [Float]) {
    var generator = SplitMix64(seed: 11)
    let samples = (0..<48_000).map { _ in
      Float(Int16.random(in: -20_000...20_000, using: &generator)) / 32_768
    }
    let writer = try SoundFileWriter(
      path: scratch.path(name), format: StreamFormat(.int16, channels: 1, sampleRate: 48_000))
    try writer.write(samples, frameCount: samples.count)
    try writer.close()
    return (scratch.path(name), samples)
  }

  @Test(arguments: ["wav", "flac"])
  func `a disk that fails is told with its cause, and the file goes on when it does`(
    ending: String
  ) throws {
    let scratch = try TemporaryFolder()
    let (path, samples) = try make("a.\(ending)", in: scratch)
    let length = Int64(try scratch.bytes("a.\(ending)").count)
    var isFailing = true
    let reader = try SoundFileReader(
      descriptor: unsafe open(path, O_RDONLY | O_CLOEXEC), path: path,
      fault: { offset, _ in isFailing && offset > length / 2 ? EIO : 0 })
    var found = [Float](repeating: 9, count: 48_000)
    let error = #expect(throws: SoundFileError.self) { _ = try reader.read(into: &found) }
    #expect(error?.message == "the disk gives an input/output error" && error?.isOfDisk == true)
    let read = reader.position
    #expect(read > 10_000 && read < 48_000)
    #expect(found[..<read] == samples[..<read])
    // It fails again at the same place.
    var rest = [Float](repeating: 9, count: 48_000 - read)
    #expect(throws: SoundFileError.self) { _ = try reader.read(into: &rest) }
    try reader.seek(to: read)
    isFailing = false
    #expect(try reader.read(into: &rest) == rest.count)
    #expect(rest[...] == samples[read...])
  }

  @Test(arguments: ["wav", "w64", "aiff", "au", "flac", "ogg"])
  func `a file that is cut off says so when it is opened`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let (path, samples) = try make("a.\(ending)", in: scratch)
    #expect(try SoundFileReader(path: path).shortfall() == nil)
    let bytes = try scratch.bytes("a.\(ending)")
    try scratch.write(Array(bytes[..<(bytes.count / 2)]), to: "cut.\(ending)")
    let reader = try SoundFileReader(path: scratch.path("cut.\(ending)"))
    let shortfall = try #require(reader.shortfall())
    #expect(shortfall.contains("cut.\(ending)") && shortfall.contains("cut off"))
    // The check does not move the reader.
    var found = [Float](repeating: 9, count: 8000)
    guard ending != "ogg" else { return }
    #expect(try reader.read(into: &found) == 8000)
    #expect(found[...] == samples[..<8000])
  }

  @Test
  func `a FLAC file that is cut in the middle is not taken for a shorter one`() throws {
    let scratch = try TemporaryFolder()
    let (_, samples) = try make("a.flac", in: scratch)
    let bytes = try scratch.bytes("a.flac")
    try scratch.write(Array(bytes[..<(bytes.count / 2)]), to: "cut.flac")
    let reader = try SoundFileReader(path: scratch.path("cut.flac"))
    #expect(reader.frameCount == 48_000)
    var found = [Float](repeating: 9, count: 48_000)
    #expect(throws: SoundFileError.self) { _ = try reader.read(into: &found) }
    #expect(reader.position > 10_000 && reader.position < 30_000)
    #expect(found[..<reader.position] == samples[..<reader.position])
  }

  @Test
  func `a WAV file that shrinks while it is read is told of`() throws {
    let scratch = try TemporaryFolder()
    let (path, _) = try make("a.wav", in: scratch)
    let reader = try SoundFileReader(path: path)
    var found = [Float](repeating: 9, count: 10_000)
    #expect(try reader.read(into: &found) == 10_000)
    #expect(unsafe truncate(path, 30_000) == 0)
    var rest = [Float](repeating: 9, count: 38_000)
    let error = #expect(throws: SoundFileError.self) { _ = try reader.read(into: &rest) }
    #expect(error?.isOfDisk == false && error?.message.contains("ends there") == true)
  }

  @Test
  func `a FLAC file with a damaged block goes on behind it`() throws {
    let scratch = try TemporaryFolder()
    let (_, samples) = try make("a.flac", in: scratch)
    var bytes = try scratch.bytes("a.flac")
    for index in bytes.count / 2..<bytes.count / 2 + 64 { bytes[index] ^= 0xFF }
    try scratch.write(bytes, to: "bad.flac")
    let reader = try SoundFileReader(path: scratch.path("bad.flac"))
    var block = [Float](repeating: 9, count: 1000)
    var failures = 0
    var found = [Float](repeating: 0, count: 48_000)
    for first in stride(from: 0, to: 48_000, by: 1000) {
      try? reader.seek(to: first)
      do throws(SoundFileError) {
        _ = try reader.read(into: &block)
        found.replaceSubrange(first..<first + 1000, with: block)
      } catch { failures += 1 }
    }
    #expect(failures > 0 && failures < 20)
    #expect(found[..<10_000] == samples[..<10_000])
    #expect(found[40_000...] == samples[40_000...])
  }
}
