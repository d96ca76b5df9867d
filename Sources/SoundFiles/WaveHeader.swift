import FileAccess

/// The header of a WAV file: all bytes before its samples.
public struct WaveHeader: Sendable {
  var sampleType: FileSampleType
  var channelCount: Int
  var sampleRate: Int
  /// The bytes of samples.
  var dataBytes: UInt64
  /// The bytes of chunks behind the samples.
  var trailingBytes: UInt64 = 0
  /// Whether the header can be rewritten once the length is known. Otherwise sizes are 0xFFFFFFFF:
  /// "to the end".
  var isSeekable: Bool
  /// The RIFF size above which the file is RF64 (EBU Tech 3306).
  var limit: UInt64

  /// The header of a stream, whose length is not known.
  ///
  /// - Parameters:
  ///   - channelCount: At least 1.
  ///   - sampleRate: In Hz.
  public static func ofStream(
    _ sampleType: FileSampleType, channelCount: Int, sampleRate: Int
  ) -> [UInt8] {
    WaveHeader(
      sampleType: sampleType, channelCount: channelCount, sampleRate: sampleRate, dataBytes: 0,
      isSeekable: false, limit: .max
    ).bytes
  }

  /// The header of a seekable file: equally long for every length. Above 32 bits it is an RF64
  /// header.
  ///
  /// - Parameters:
  ///   - channelCount: At least 1.
  ///   - sampleRate: In Hz.
  ///   - dataBytes: The bytes of samples.
  public static func ofFile(
    _ sampleType: FileSampleType, channelCount: Int, sampleRate: Int, dataBytes: Int
  ) -> [UInt8] {
    WaveHeader(
      sampleType: sampleType, channelCount: channelCount, sampleRate: sampleRate,
      dataBytes: UInt64(dataBytes), isSeekable: true, limit: UInt64(UInt32.max)
    ).bytes
  }

  /// A LIST chunk that names the program (ISFT): it marks files of patchrun.
  static let mark: [UInt8] = {
    let name = Array(FileMark.software.utf8) + [0]
    let padded = name + (name.count % 2 == 1 ? [0] : [])
    func size(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) } }
    return Array("LIST".utf8) + size(12 + padded.count) + Array("INFOISFT".utf8) + size(name.count)
      + padded
  }()

  /// The bytes of the header; their number does not depend on `dataBytes`.
  var bytes: [UInt8] {
    var header: [UInt8] = []
    func text(_ text: StaticString) {
      header += text.description.utf8
    }
    func number(_ value: some FixedWidthInteger) {
      for byte in 0..<(value.bitWidth / 8) {
        header.append(UInt8(truncatingIfNeeded: value >> (byte * 8)))
      }
    }
    let width = sampleType.bits / 8
    let frameBytes = width * channelCount
    let isExtensible = channelCount > 2
    let fmtSize = isExtensible ? 40 : sampleType.isFloat ? 18 : 16
    let headerSize =
      12 + (isSeekable ? 36 + Self.mark.count : 0) + 8 + fmtSize + (sampleType.isFloat ? 12 : 0) + 8
    let padded = dataBytes + dataBytes % 2
    let riffSize = UInt64(headerSize) - 8 + padded + trailingBytes
    let isLarge = riffSize > limit
    let unknown = UInt32.max
    text(isLarge ? "RF64" : "RIFF")
    number(isLarge || !isSeekable ? unknown : UInt32(riffSize))
    text("WAVE")
    if isSeekable {
      text(isLarge ? "ds64" : "JUNK")
      number(UInt32(28))
      number(isLarge ? riffSize : 0)
      number(isLarge ? dataBytes : 0)
      number(isLarge ? dataBytes / UInt64(frameBytes) : 0)
      number(UInt32(0))
      header += Self.mark
    }
    text("fmt ")
    number(UInt32(fmtSize))
    let tag: UInt16 = sampleType.isFloat ? 3 : 1
    number(isExtensible ? UInt16(0xFFFE) : tag)
    number(UInt16(channelCount))
    number(UInt32(sampleRate))
    number(UInt32(truncatingIfNeeded: sampleRate * frameBytes))
    number(UInt16(truncatingIfNeeded: frameBytes))
    number(UInt16(sampleType.bits))
    if isExtensible {
      number(UInt16(22))
      number(UInt16(sampleType.bits))
      // No speaker positions: the channels of a bus have none.
      number(UInt32(0))
      number(tag)
      header += WaveFormat.subformatTail
    } else if sampleType.isFloat {
      number(UInt16(0))
    }
    if sampleType.isFloat {
      text("fact")
      number(UInt32(4))
      let frames = dataBytes / UInt64(frameBytes)
      number(isLarge || !isSeekable ? unknown : UInt32(frames))
    }
    text("data")
    number(isLarge || !isSeekable ? unknown : UInt32(dataBytes))
    precondition(header.count == headerSize, "the head of a WAV file keeps its size")
    return header
  }
}
