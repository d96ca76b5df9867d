/// The frames of an MP3 file (ISO/IEC 11172-3, Layer III), and the tag in its first frame, as Xing
/// and LAME write it.
struct MPEGFrames {
  /// The number of frames behind the tag, by the tag; `nil` without a tag, or without the number in
  /// it.
  private(set) var told: Int?
  /// The number of complete frames behind the tag.
  private(set) var count = 0
  /// The byte offset behind the last complete frame.
  private(set) var end = 0
  /// The bytes to write so that the tag agrees with the file.
  var corrections: [(offset: Int, bytes: [UInt8])] {
    var corrections = [(place + 8, Self.bytes(count))]
    if let sizePlace { corrections.append((sizePlace, Self.bytes(end - first))) }
    // The padding at the end is no longer there.
    if let padding {
      corrections.append((padding.offset, [padding.byte & 0xF0, 0]))
    }
    return corrections
  }

  private let reader: HeaderReader
  /// The byte offsets of the first frame and of its tag.
  private var first = 0
  private var place = 0
  /// The offset of the number of bytes in the tag.
  private var sizePlace: Int?
  /// The offset of the padding at the end in the tag: the lower half of a byte, and the next byte.
  private var padding: (offset: Int, byte: UInt8)?

  /// - Parameter descriptor: Stays open. Fails where the file does not begin with a frame of Layer
  ///   III.
  init?(_ descriptor: Int32) {
    guard let reader = HeaderReader(descriptor) else { return nil }
    self.reader = reader
    var offset = 0
    if let head = bytes(at: 0, 10), head[0..<3].elementsEqual("ID3".utf8) {
      offset = 10 + head[6...9].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
    guard let head = bytes(at: offset, 4), let header = Header(head) else { return nil }
    first = offset
    readTag(header)
    var next = told == nil ? offset : offset + header.length
    end = next
    while let head = bytes(at: next, 4), let header = Header(head),
      bytes(at: next + header.length - 1, 1) != nil
    {
      count += 1
      next += header.length
      end = next
    }
  }

  private mutating func readTag(_ header: Header) {
    place = first + 4 + header.sideInformation
    guard let tag = bytes(at: place, 12),
      tag[0..<4].elementsEqual("Xing".utf8) || tag[0..<4].elementsEqual("Info".utf8),
      tag[7] & 1 != 0
    else { return }
    told = tag[8...11].reduce(0) { $0 << 8 | Int($1) }
    var offset = place + 12
    if tag[7] & 2 != 0 {
      sizePlace = offset
      offset += 4
    }
    if tag[7] & 4 != 0 { offset += 100 }
    if tag[7] & 8 != 0 { offset += 4 }
    // The encoder's name and settings, then two numbers of 12 bits, of which the second is the
    // padding.
    guard let own = bytes(at: offset, 24), own[0..<4].elementsEqual("LAME".utf8) else { return }
    padding = (offset + 22, own[22])
  }

  private func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
    reader.bytes(at: Int64(offset), count)
  }

  private static func bytes(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }

  /// The header of a frame: its first four bytes.
  private struct Header {
    /// The length of the frame in bytes, with these four.
    var length: Int
    /// The bytes between the header and the samples.
    var sideInformation: Int

    /// Kilobits per second of Layer III: version 1, and versions 2 and 2.5.
    private static let rates = [
      [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
      [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Fails for anything but a header of Layer III.
    init?(_ bytes: [UInt8]) {
      let (version, layer) = (bytes[1] >> 3 & 3, bytes[1] >> 1 & 3)
      let (rate, frequency) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
      guard bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, version != 1, layer == 1, frequency < 3,
        (1...14).contains(rate)
      else { return nil }
      let isFirst = version == 3
      let hertz = [44_100, 48_000, 32_000][frequency] / (isFirst ? 1 : version == 2 ? 2 : 4)
      let kilobits = Self.rates[isFirst ? 0 : 1][rate]
      length = (isFirst ? 144_000 : 72_000) * kilobits / hertz + Int(bytes[2] >> 1 & 1)
      let isMono = bytes[3] >> 6 == 3
      sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    }
  }
}
