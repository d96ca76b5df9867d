import Glibc

/// The mark of pictures that patchrun has written: each ends with the same bytes.
public enum PictureMark {
  /// A comment behind the SVG element.
  public static let svg = Array("<!-- \(FileMark.software) -->\n".utf8)

  /// A chunk with the keyword `Software` (PNG specification, 11.3.3.2), and the chunk that ends the
  /// file.
  public static let png =
    chunk("tEXt", Array("Software\0\(FileMark.software)".utf8)) + chunk("IEND", [])

  /// The chunk that ends a PNG file.
  public static let pngEnd = chunk("IEND", [])

  /// Whether a file has the mark.
  ///
  /// - Parameter descriptor: For reading; it stays open.
  public static func isSet(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return false }
    return [svg, png].contains { mark in
      let offset = Int(status.st_size) - mark.count
      guard offset > 0 else { return false }
      var tail = [UInt8](repeating: 0, count: mark.count)
      return unsafe pread(descriptor, &tail, tail.count, offset) == tail.count && tail == mark
    }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - $0 * 8)) }
    }
    let body = Array(name.utf8) + data
    return word(UInt32(data.count)) + body + word(checksum(body))
  }

  /// The CRC-32 of ISO 3309.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320)
      }
    }
  }
}
