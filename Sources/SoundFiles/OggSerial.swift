import Glibc

/// Gives a finished Ogg file the serial number 1.
///
/// libsndfile draws the number of the stream at random; with a fixed one the same samples give the
/// same bytes on every run. A page is told by its capture pattern and carries a checksum of all of
/// it (RFC 3533, section 6), which is made anew. A file that is not as expected is left as it is.
enum OggSerial {
  static func fix(_ path: String) {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    let table = checksumTable
    // The largest page: a head, 255 lengths, and 255 segments of 255 bytes.
    var page = [UInt8](repeating: 0, count: 27 + 255 + 255 * 255)
    var offset = 0
    while case let count = unsafe pread(descriptor, &page, page.count, offset), count >= 27 {
      guard page.starts(with: "OggS".utf8), count >= 27 + Int(page[26]) else { return }
      let length = 27 + Int(page[26]) + page[27..<27 + Int(page[26])].reduce(0) { $0 + Int($1) }
      guard length <= count else { return }
      for index in 0..<4 {
        page[14 + index] = index == 0 ? 1 : 0
        page[22 + index] = 0
      }
      var checksum: UInt32 = 0
      for byte in page[..<length] {
        checksum = checksum << 8 ^ table[Int(UInt8(checksum >> 24) ^ byte)]
      }
      for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: checksum >> (index * 8)) }
      guard unsafe pwrite(descriptor, page, 26, offset) == 26 else { return }
      offset += length
    }
  }

  /// Of the polynomial 0x04C11DB7, most significant bit first.
  private static var checksumTable: [UInt32] {
    (0..<256).map { (byte: UInt32) in
      (0..<8).reduce(byte << 24) { value, _ in
        value << 1 ^ (value & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
      }
    }
  }
}
