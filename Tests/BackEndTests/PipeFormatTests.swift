import AudioTypes
import RenderHost
import Testing

@testable import BackEnds

struct PipeFormatTests {
  @Test
  func `a format is a type, and behind it a rate and channels`() throws {
    #expect(try PipeFormat("wav") == PipeFormat(isWave: true, sampleType: .float32))
    #expect(
      try PipeFormat("wav:s24le") == PipeFormat(isWave: true, sampleType: .int24))
    #expect(
      try PipeFormat("s16le:48000")
        == PipeFormat(isWave: false, sampleType: .int16, sampleRate: 48_000))
    #expect(
      try PipeFormat("s32le:44100:1")
        == PipeFormat(isWave: false, sampleType: .int32, sampleRate: 44_100, channelCount: 1))
  }

  @Test(arguments: [
    "", "s16", "wav:", "s16le:", "s16le:0", "s16le:1e3", "s16le:48000:0", "s16le:48000:33",
    "s16le:48000:2:1", "s16le:-48000", "S16LE",
  ])
  func `what is no format is refused with what would be one`(text: String) {
    do throws(HardwareError) {
      _ = try PipeFormat(text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.code == .invalidRequest)
      #expect(error.help.contains("s16le:48000:2"))
    }
  }
}

struct StreamHeadTests {
  /// A chunk of a RIFF file.
  private func chunk(_ name: String, _ bytes: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + word(size ?? bytes.count, 4) + bytes
  }

  private func word(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func format(tag: Int, bits: Int, channels: Int = 2, rate: Int = 48_000) -> [UInt8] {
    let frame = bits / 8 * channels
    return word(tag, 2) + word(channels, 2) + word(rate, 4) + word(rate * frame, 4) + word(frame, 2)
      + word(bits, 2)
  }

  private func wave(_ chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("WAVE".utf8) + chunks
  }

  @Test
  func `it is read to where the samples begin, whatever stands in between`() {
    let head = wave(
      chunk("LIST", [1, 2, 3, 0]) + chunk("fmt ", format(tag: 1, bits: 16))
        + chunk("data", [], size: 400))
    #expect(
      StreamHead(head + [9, 9])
        == .wave(
          StreamLayout(sample: .int16, channelCount: 2, sampleRate: 48_000, byteCount: 400),
          byteCount: head.count))
    // A head that is cut off anywhere is incomplete.
    for count in 1..<head.count { #expect(StreamHead(Array(head[..<count])) == .incomplete) }
  }

  @Test(arguments: [0, 0x7FFF_0000, 0x7FFF_F000, 0x8000_0000, 0xFFFF_FFFF])
  func `a length that no writer to a pipe can know is none`(size: Int) {
    let head = wave(
      chunk("fmt ", format(tag: 3, bits: 32)) + chunk("data", [], size: size))
    guard case .wave(let layout, _) = StreamHead(head) else {
      Issue.record("no head")
      return
    }
    #expect(layout.byteCount == nil)
    #expect(layout.sample == .float32)
  }

  @Test
  func `an extensible format says in its identifier what it is`() {
    let identifier = word(1, 2) + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let bytes =
      format(tag: 0xFFFE, bits: 24, channels: 6) + word(22, 2) + word(24, 2) + word(0, 4)
      + identifier
    let head = wave(chunk("fmt ", bytes) + chunk("data", [], size: 0))
    guard case .wave(let layout, _) = StreamHead(head) else {
      Issue.record("no head")
      return
    }
    #expect(layout.sample == .int24)
    #expect(layout.channelCount == 6)
  }

  @Test
  func `what is no WAV file has no head, and one that cannot be read says why`() {
    #expect(StreamHead([1, 2, 3, 4]) == .none)
    #expect(StreamHead(Array("RIFFxxxxAVI xxxx".utf8)) == .none)
    #expect(
      StreamHead(wave(chunk("fmt ", format(tag: 2, bits: 4))))
        == .unreadable("its samples are of the format 2 with 4 bits"))
    #expect(
      StreamHead(wave(chunk("data", [], size: 4)))
        == .unreadable("its samples come before their format"))
  }
}
