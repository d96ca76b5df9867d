/// The `fmt ` chunk of a WAV file.
struct WaveFormat: Equatable {
  /// The kind of the samples, 0xFFFE where the chunk is extensible.
  private let tag: Int64
  /// Whether the samples are floats.
  let isFloat: Bool
  let channelCount: Int
  /// In Hz.
  let sampleRate: Int
  let bytesPerFrame: Int
  /// The bits of a sample.
  let bits: Int

  /// What follows the tag in the GUID of an extension, as its bytes are in a file.
  static let subformatTail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

  /// Reads the chunk; `nil` where the file ends within it.
  ///
  /// - Parameters:
  ///   - body: The byte offset of its contents.
  ///   - size: The bytes of its contents.
  init?(_ reader: HeaderReader, at body: Int64, _ size: Int64, _ isBigEndian: Bool) {
    func number(_ offset: Int64, _ width: Int) -> Int64? {
      reader.number(at: body + offset, width, isBigEndian)
    }
    guard let tag = number(0, 2), let channelCount = number(2, 2), let sampleRate = number(4, 4),
      let bytesPerFrame = number(12, 2), let bits = number(14, 2)
    else { return nil }
    self.tag = tag
    self.channelCount = Int(channelCount)
    self.sampleRate = Int(sampleRate)
    self.bytesPerFrame = Int(bytesPerFrame)
    self.bits = Int(bits)
    isFloat =
      tag == 3
      || tag == 0xFFFE && size >= 40
        && reader.bytes(at: body + 24, 16) == [3, 0] + Self.subformatTail
  }

  var isExtensible: Bool { tag == 0xFFFE }

  /// Whether the samples can be linear: integers or floats, or an extension says what they are.
  var isLinear: Bool { tag == 1 || tag == 3 || isExtensible }
}
