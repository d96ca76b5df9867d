import Glibc

/// Gives a finished Ogg file the serial number 1.
///
/// libsndfile draws the number of the stream at random; with a fixed one the same samples give the
/// same bytes on every run. A file that is not as expected is left as it is.
enum OggSerial {
  /// Returns the system's number of what has failed; 0 for nothing.
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
