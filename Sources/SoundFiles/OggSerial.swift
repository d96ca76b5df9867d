import Glibc

/// Sets the serial number of a finished Ogg file to 1.
///
/// libsndfile chooses a random one; with a fixed one the same samples give the same bytes in every
/// run. A file without the expected pages stays as it is.
enum OggSerial {
  /// Returns the `errno` of a failure; 0 for success.
  static func fix(_ descriptor: Int32) -> Int32 {
    var bytes = [UInt8](repeating: 0, count: OggPages.longest)
    var offset = 0
    while true {
      let count = unsafe pread(descriptor, &bytes, bytes.count, offset)
      guard count >= 0 else { return errno }
      guard let length = OggPages.length(bytes[..<count]) else { return 0 }
      var page = Array(bytes[..<length])
      for index in 0..<4 { page[14 + index] = index == 0 ? 1 : 0 }
      OggPages.seal(&page)
      guard unsafe pwrite(descriptor, page, 26, offset) == 26 else { return errno }
      offset += length
    }
  }
}
