import Glibc

/// The pages of an Ogg file (RFC 3533, section 6).
///
/// A page begins with a capture pattern, and contains a checksum of the whole page.
struct OggPages {
  /// The longest page: its header, 255 lengths, and 255 segments of 255 bytes.
  static let longest = 27 + 255 + 255 * 255
  /// The flag in byte 5 for the last page of a stream.
  static let endMark: UInt8 = 4

  /// The length of the page at the beginning of `bytes`; `nil` where there is no page, or only a
  /// part of one.
  static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 27, bytes.starts(with: "OggS".utf8) else { return nil }
    let start = bytes.startIndex
    let segments = Int(bytes[start + 26])
    guard bytes.count >= 27 + segments else { return nil }
    let length = bytes[start + 27..<start + 27 + segments].reduce(27 + segments) { $0 + Int($1) }
    return length <= bytes.count ? length : nil
  }

  /// The checksum of a page whose checksum field is 0.
  static func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
    page.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 24) ^ $1)] }
  }

  /// Whether the checksum of a page is right.
  static func isWhole(_ page: ArraySlice<UInt8>) -> Bool {
    var copy = Array(page)
    var told: UInt32 = 0
    for index in 0..<4 {
      told |= UInt32(copy[22 + index]) << UInt32(index * 8)
      copy[22 + index] = 0
    }
    return checksum(copy[...]) == told
  }

  /// Sets the checksum of a page.
  static func seal(_ page: inout [UInt8]) {
    for index in 0..<4 { page[22 + index] = 0 }
    let checksum = checksum(page[...])
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: checksum >> (index * 8)) }
  }

  /// Whether the last page of a file has the flag for the last page.
  static func hasEnd(_ descriptor: Int32) -> Bool {
    guard let last = last(of: descriptor) else { return false }
    return last.page[5] & endMark != 0
  }

  /// The last complete page of a file, and its offset.
  static func last(of descriptor: Int32) -> (offset: Int, page: [UInt8])? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    let length = Int(status.st_size)
    // Twice the longest page always contains a complete one, wherever the file is cut off.
    let start = max(0, length - 2 * longest)
    var tail = [UInt8](repeating: 0, count: length - start)
    let count = unsafe pread(descriptor, &tail, tail.count, start)
    guard count == tail.count else { return nil }
    var index = tail.count - 27
    while index >= 0 {
      if tail[index] == UInt8(ascii: "O"), let length = Self.length(tail[index...]),
        isWhole(tail[index..<index + length])
      {
        return (start + index, Array(tail[index..<index + length]))
      }
      index -= 1
    }
    return nil
  }

  /// The table of the polynomial 0x04C11DB7, most significant bit first.
  private static let table: [UInt32] =
    (0..<256).map { (byte: UInt32) in
      (0..<8).reduce(byte << 24) { value, _ in
        value << 1 ^ (value & 0x8000_0000 == 0 ? 0 : 0x04C1_1DB7)
      }
    }
}
