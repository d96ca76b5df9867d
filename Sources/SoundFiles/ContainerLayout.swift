import Glibc

/// The lengths in the header of a file of linear samples.
///
/// WAV, RF64, AIFF, Wave64, CAF and AU consist of a header, chunks and plain samples: the lengths
/// can be compared with the file, and corrected.
struct ContainerLayout: Equatable {
  /// A length in the header.
  struct Field: Equatable {
    enum Meaning: Equatable {
      /// Bytes of samples, plus a constant.
      case samples(plus: Int64)
      /// Bytes of the file from its first one, plus a constant.
      case file(plus: Int64)
      case frames
    }

    var offset: Int64
    /// In bytes: 4 or 8.
    var width: Int
    var meaning: Meaning
  }

  var isBigEndian: Bool
  /// The byte offset of the first sample.
  var dataOffset: Int64
  /// The bytes of samples by the header; `nil` where it gives no length.
  var promisedBytes: Int64?
  /// The bytes of a frame, with all channels; 0 where samples are not linear.
  var bytesPerFrame: Int
  /// The fields to correct for another length of the samples.
  var fields: [Field]
  /// Whether chunks are padded to an even number of bytes.
  var isPadded = false
  /// The length of the file in bytes, without chunks of cue points behind the samples.
  var fileLength: Int64
  /// The format in the header of a WAV file; `nil` for another type, also for RF64 and RIFX.
  var wave: WaveFormat?

  /// The bytes of whole frames, from the first sample to the end of the file.
  var presentBytes: Int64 {
    let rest = max(0, fileLength - dataOffset)
    return bytesPerFrame > 0 ? rest - rest % Int64(bytesPerFrame) : rest
  }

  /// The bytes of samples in the header that the file lacks; 0 where it is complete.
  var missingBytes: Int64 {
    guard let promisedBytes else { return 0 }
    return max(0, promisedBytes - max(0, fileLength - dataOffset))
  }

  /// Whether the header promises too much, no samples at all, or has no length.
  var isUnfinished: Bool {
    guard let promisedBytes else { return true }
    return missingBytes > 0 || (promisedBytes == 0 && presentBytes > 0)
  }

  /// Whether the file has samples that the header does not count.
  var holdsMore: Bool {
    guard let promisedBytes else { return true }
    return presentBytes > promisedBytes
  }
}

extension ContainerLayout {
  /// Reads the header of an open file; `nil` for another type, or for a file cut off before its
  /// samples.
  init?(_ descriptor: Int32) {
    guard let reader = HeaderReader(descriptor) else { return nil }
    guard let magic = reader.text(at: 0, 4) else { return nil }
    let found: ContainerLayout?
    switch magic {
    case "RIFF", "RF64", "RIFX": found = Self.wave(reader, magic)
    case "FORM": found = Self.aiff(reader)
    case "caff": found = Self.caf(reader)
    case ".snd": found = Self.au(reader)
    case "riff": found = Self.wave64(reader)
    default: found = nil
    }
    guard let found else { return nil }
    self = found
  }

  private static let unknown: Int64 = 0xFFFF_FFFF

  /// RIFF and RF64 (EBU Tech 3306), and RIFX, which is big-endian.
  private static func wave(_ reader: HeaderReader, _ magic: String) -> ContainerLayout? {
    let isBig = magic == "RIFX"
    guard reader.text(at: 8, 4) == "WAVE" else { return nil }
    let isLarge = magic == "RF64"
    var fields: [Field] = [.init(offset: 4, width: 4, meaning: .file(plus: -8))]
    var (bytesPerFrame, largeData): (Int, Int64?) = (0, nil)
    var format: WaveFormat?
    var offset: Int64 = 12
    for _ in 0..<HeaderReader.mostChunks {
      guard let name = reader.text(at: offset, 4),
        let size = reader.number(at: offset + 4, 4, isBig)
      else { return nil }
      let body = offset + 8
      switch name {
      case "ds64" where isLarge:
        largeData = reader.number(at: body + 8, 8, false)
        fields = [
          .init(offset: body, width: 8, meaning: .file(plus: -8)),
          .init(offset: body + 8, width: 8, meaning: .samples(plus: 0)),
          .init(offset: body + 16, width: 8, meaning: .frames),
        ]
      case "fmt ":
        format = WaveFormat(reader, at: body, size, isBig)
        if let format, format.isLinear { bytesPerFrame = format.bytesPerFrame }
      case "fact" where !isLarge:
        fields.append(.init(offset: body, width: 4, meaning: .frames))
      case "data":
        if !isLarge {
          fields.append(.init(offset: offset + 4, width: 4, meaning: .samples(plus: 0)))
        }
        let promised = isLarge && size == unknown ? largeData : size == unknown ? nil : size
        // Cue points behind the samples are not samples.
        let end = body + (promised ?? 0) + (promised ?? 0) % 2
        let hasMarks = promised != nil && reader.text(at: end, 4) == WaveMarks.name
        return ContainerLayout(
          isBigEndian: isBig, dataOffset: body, promisedBytes: promised,
          bytesPerFrame: bytesPerFrame, fields: fields, isPadded: true,
          fileLength: hasMarks ? end : reader.length, wave: magic == "RIFF" ? format : nil)
      default: break
      }
      offset = body + size + size % 2
    }
    return nil
  }

  private static func aiff(_ reader: HeaderReader) -> ContainerLayout? {
    guard let form = reader.text(at: 8, 4), form == "AIFF" || form == "AIFC" else { return nil }
    var fields: [Field] = [.init(offset: 4, width: 4, meaning: .file(plus: -8))]
    var (bytesPerFrame, offset): (Int, Int64) = (0, 12)
    for _ in 0..<HeaderReader.mostChunks {
      guard let name = reader.text(at: offset, 4),
        let size = reader.number(at: offset + 4, 4, true)
      else { return nil }
      let body = offset + 8
      if name == "COMM" {
        let channels = Int(reader.number(at: body, 2, true) ?? 0)
        let bits = Int(reader.number(at: body + 6, 2, true) ?? 0)
        let coding = form == "AIFC" ? reader.text(at: body + 18, 4) ?? "" : "NONE"
        if ["NONE", "sowt", "twos", "fl32", "FL32", "fl64", "FL64", "in24", "in32"]
          .contains(coding)
        {
          bytesPerFrame = channels * ((bits + 7) / 8)
        }
        fields.append(.init(offset: body + 2, width: 4, meaning: .frames))
      } else if name == "SSND" {
        fields.append(.init(offset: offset + 4, width: 4, meaning: .samples(plus: 8)))
        let promised = size == unknown ? nil : max(0, size - 8)
        return ContainerLayout(
          isBigEndian: true, dataOffset: body + 8, promisedBytes: promised,
          bytesPerFrame: bytesPerFrame, fields: fields, isPadded: true,
          fileLength: reader.length)
      }
      offset = body + size + size % 2
    }
    return nil
  }

  private static func caf(_ reader: HeaderReader) -> ContainerLayout? {
    var (bytesPerFrame, offset): (Int, Int64) = (0, 8)
    for _ in 0..<HeaderReader.mostChunks {
      guard let name = reader.text(at: offset, 4),
        let size = reader.number(at: offset + 4, 8, true)
      else { return nil }
      let body = offset + 12
      if name == "desc" {
        if reader.text(at: body + 8, 4) == "lpcm" {
          bytesPerFrame = Int(reader.number(at: body + 16, 4, true) ?? 0)
        }
      } else if name == "data" {
        // The first four bytes count edits; a size of -1 means "to the end".
        return ContainerLayout(
          isBigEndian: true, dataOffset: body + 4,
          promisedBytes: size < 0 ? nil : max(0, size - 4), bytesPerFrame: bytesPerFrame,
          fields: [.init(offset: offset + 4, width: 8, meaning: .samples(plus: 4))],
          fileLength: reader.length)
      }
      guard size >= 0 else { return nil }
      offset = body + size
    }
    return nil
  }

  private static func au(_ reader: HeaderReader) -> ContainerLayout? {
    guard let start = reader.number(at: 4, 4, true), let size = reader.number(at: 8, 4, true),
      let coding = reader.number(at: 12, 4, true), let channels = reader.number(at: 20, 4, true),
      start >= 24
    else { return nil }
    // 8 to 32 bits, and 32-bit and 64-bit floats.
    let widths: [Int64: Int] = [2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8]
    return ContainerLayout(
      isBigEndian: true, dataOffset: start, promisedBytes: size == unknown ? nil : size,
      bytesPerFrame: (widths[coding] ?? 0) * Int(channels),
      fields: [.init(offset: 8, width: 4, meaning: .samples(plus: 0))], fileLength: reader.length)
  }

  /// Sony's Wave64: names of 16 bytes, and 8-byte sizes that include their own header.
  private static func wave64(_ reader: HeaderReader) -> ContainerLayout? {
    guard reader.text(at: 24, 4) == "wave" else { return nil }
    var fields: [Field] = [.init(offset: 16, width: 8, meaning: .file(plus: 0))]
    var (bytesPerFrame, offset): (Int, Int64) = (0, 40)
    for _ in 0..<HeaderReader.mostChunks {
      guard let name = reader.text(at: offset, 4),
        let size = reader.number(at: offset + 16, 8, false), size >= 24
      else { return nil }
      let body = offset + 24
      switch name {
      case "fmt ":
        let tag = reader.number(at: body, 2, false) ?? 0
        if [1, 3, 0xFFFE].contains(tag) {
          bytesPerFrame = Int(reader.number(at: body + 12, 2, false) ?? 0)
        }
      case "fact": fields.append(.init(offset: body, width: 8, meaning: .frames))
      case "data":
        fields.append(.init(offset: offset + 16, width: 8, meaning: .samples(plus: 24)))
        return ContainerLayout(
          isBigEndian: false, dataOffset: body, promisedBytes: size - 24,
          bytesPerFrame: bytesPerFrame, fields: fields, fileLength: reader.length)
      default: break
      }
      offset += (size + 7) / 8 * 8
    }
    return nil
  }
}

/// Reads numbers and names in a file's header.
struct HeaderReader {
  /// No file has more chunks before its samples; the search stops there.
  static let mostChunks = 1000

  let descriptor: Int32
  let length: Int64

  /// Fails where the length of the file is not known.
  init?(_ descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.descriptor = descriptor
    length = Int64(status.st_size)
  }

  func bytes(at offset: Int64, _ count: Int) -> [UInt8]? {
    guard offset >= 0, offset <= length - Int64(count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe pread(descriptor, &bytes, count, Int(offset)) == count else { return nil }
    return bytes
  }

  func text(at offset: Int64, _ count: Int) -> String? {
    bytes(at: offset, count).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A number of 8 bytes is signed.
  func number(at offset: Int64, _ width: Int, _ isBigEndian: Bool) -> Int64? {
    guard let found = bytes(at: offset, width) else { return nil }
    let ordered = isBigEndian ? found : found.reversed()
    return Int64(bitPattern: ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
