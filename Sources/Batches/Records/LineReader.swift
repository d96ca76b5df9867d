/// Reads a file line by line in bounded memory. Not thread-safe.
struct LineReader {
  private let file: RawFile
  private var block: [UInt8]
  private var pending: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of bytes of the lines that were returned, plus the initial offset.
  private(set) var offset: Int

  /// - Parameter offset: The offset of the first line.
  init(_ file: RawFile, from offset: Int = 0) {
    self.file = file
    self.offset = offset
    block = [UInt8](repeating: 0, count: 1 << 16)
    if offset > 0 { file.seek(to: offset) }
  }

  /// The next line without its line feed; `nil` at the end of the file.
  ///
  /// - Parameter wholeOnly: Whether to ignore a last line without a line feed, because it may still
  ///   be written.
  mutating func next(wholeOnly: Bool = false) throws(RawFile.Failure) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      if let end = pending[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        offset += end + 1 - start
        let last = end > start && pending[end - 1] == 0x0D ? end - 1 : end
        return pending[start..<last]
      }
      searched = pending.count - start
      if isAtEnd {
        guard !wholeOnly, start < pending.count else { return nil }
        defer { start = pending.count }
        offset += pending.count - start
        return pending[start...]
      }
      pending.removeFirst(start)
      start = 0
      let count = try file.read(into: &block)
      if count == 0 { isAtEnd = true } else { pending += block[..<count] }
    }
  }
}
