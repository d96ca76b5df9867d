import AudioTypes
import Glibc
import SoundFiles
import TestSupport
import Testing

struct SoundFileReaderTests {
  private func error(opening path: String) -> SoundFileError? {
    do throws(SoundFileError) {
      _ = try SoundFileReader(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `a file that cannot be opened says why`() throws {
    let scratch = try TemporaryFolder()
    let missing = error(opening: scratch.path("none.wav"))
    #expect(missing?.kind == .notFound && missing?.status == .fileNotFound)
    #expect(missing?.message == "there is no file '\(scratch.path("none.wav"))'")
    try scratch.write([], to: "empty.wav")
    #expect(error(opening: scratch.path("empty.wav"))?.message.contains("is empty") == true)
    try scratch.write(Array("This is a text, and not a sound.".utf8), to: "text.wav")
    let text = error(opening: scratch.path("text.wav"))
    #expect(text?.kind == .notAudio && text?.status == .unsupportedFileType)
    #expect(text?.message.contains("is not a sound file") == true)
    try scratch.write(Array("RIFF\u{10}\0\0\0WAVEfmt \u{4}\0\0\0\0\0\0\0".utf8), to: "cut.wav")
    let cut = error(opening: scratch.path("cut.wav"))
    #expect(cut?.kind == .notAudio && cut?.status == .invalidFileData)
    #expect(error(opening: scratch.path("."))?.message.contains("is a folder") == true)
    #expect(unsafe mkfifo(scratch.path("fifo.wav"), 0o600) == 0)
    #expect(error(opening: scratch.path("fifo.wav"))?.kind == .notAudio)
    for found in [missing, text, cut] {
      #expect(found?.message.contains("Error") == false && found?.message.hasSuffix(".") == false)
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file without permission says so`() throws {
    let scratch = try TemporaryFolder()
    try scratch.write([1], to: "a.wav")
    #expect(unsafe chmod(scratch.path("a.wav"), 0) == 0)
    #expect(error(opening: scratch.path("a.wav"))?.status == .filePermission)
  }

  @Test(arguments: ["wav", "aiff", "caf", "flac", "ogg", "mp3", "opus"])
  func `a file that sox or ffmpeg has written is read`(ending: String) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.\(ending)")
    guard
      try output(
        of: "ffmpeg",
        ["-v", "quiet", "-f", "lavfi", "-i", "sine=440:sample_rate=48000:duration=1", "-ac", "2"]
          + (ending == "mp3" ? [] : ["-strict", "-2"]) + [path]) != nil
    else { return }
    guard unsafe access(path, R_OK) == 0 else { return }
    let reader = try SoundFileReader(path: path)
    #expect(reader.channelCount == 2)
    #expect(reader.sampleRate == 48_000)
    #expect(abs(reader.frameCount - 48_000) < 3000)
    #expect(!reader.container.isEmpty && !reader.encoding.isEmpty)
    var samples = [Float](repeating: 0, count: 2 * reader.frameCount)
    #expect(try reader.read(into: &samples) == reader.frameCount)
    let peak = samples.map(abs).max() ?? 0
    // ffmpeg's sine has a peak of 1/8, and its conversion from mono to stereo preserves power.
    #expect(peak > 0.08 && peak < 0.1)
  }

  @Test
  func `integers, floats and doubles of one file agree, and it can be wound`() throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path("a.wav")
    let writer = try SoundFileWriter(
      path: path, format: StreamFormat(.int32, channels: 2, sampleRate: 8000))
    let words: [Int32] = (0..<2000).map { Int32(truncatingIfNeeded: $0 &* 2_654_435_761) }
    try writer.write(words.map { Double($0) / 2_147_483_648 }, frameCount: 1000)
    try writer.close()
    let reader = try SoundFileReader(path: path)
    #expect(reader.sampleType == .int32 && !reader.fitsFloat && reader.duration == 0.125)
    var found = [Int32](repeating: 0, count: 2000)
    #expect(try reader.read(into: &found) == 1000)
    #expect(found == words)
    #expect(try reader.read(into: &found) == 0)
    try reader.seek(to: 500)
    var doubles = [Double](repeating: 0, count: 200)
    #expect(try reader.read(into: &doubles) == 100)
    #expect(doubles == words[1000..<1200].map { Double($0) / 2_147_483_648 })
    #expect(reader.position == 600)
    try reader.seek(to: 0)
    var floats = [Float](repeating: 0, count: 2)
    #expect(try reader.read(into: &floats) == 1)
    #expect(floats == words[..<2].map { Float(Double($0) / 2_147_483_648) })
  }

  @Test
  func `the names of what can be read are known`() {
    #expect(SoundFileFormat.readableNames.contains { $0.contains("WAV") })
    #expect(SoundFileFormat.readableNames.contains { $0.contains("FLAC") })
  }

  @Test
  func `channels go where the rules say`() {
    func sources(_ file: Int, _ bus: Int) -> [ChannelMapping.Source] {
      ChannelMapping(fileChannels: file, busChannels: bus).sources
    }
    #expect(sources(2, 2) == [.channel(0), .channel(1)])
    #expect(sources(1, 3) == [.channel(0), .channel(0), .channel(0)])
    #expect(sources(2, 1) == [.mean])
    #expect(sources(2, 4) == [.channel(0), .channel(1), .silence, .silence])
    #expect(sources(6, 2) == [.channel(0), .channel(1)])
    #expect(sources(6, 1) == [.channel(0)])
  }
}
