/// The parts of a record that the table keeps.
struct RecordEntry {
  /// The digest of the line and of everything that it reads.
  var job: ShortDigest
  /// The digest of the key and the paths of the outputs.
  var outputKey: ShortDigest
  /// A hash of the sizes of its outputs.
  var sizes: UInt64
  /// The index of the list of further files that the job has read; 0 for none.
  var reads: UInt32
  var isDone: Bool
  /// Whether its outputs are known to be on the disk.
  var isOnDisk = true

  /// A hash of a list of sizes (FNV-1a over 64-bit words).
  static func fold(_ sizes: [Int]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for size in sizes { hash = (hash ^ UInt64(bitPattern: Int64(size))) &* 0x100_0000_01B3 }
    return hash
  }

  /// The count in a `synchronized` line: how many records of the file are on the disk with their
  /// outputs; `nil` for any other line.
  static func synchronized(_ line: ArraySlice<UInt8>) -> Int? {
    var rest = line
    guard rest.take("{\"synchronized\":["), let numbers = rest.takeNumbers() else { return nil }
    return numbers.first
  }

  /// Parses the parts that the table needs, and the text of the object `reads`.
  static func read(_ line: ArraySlice<UInt8>) -> (entry: RecordEntry, reads: ArraySlice<UInt8>)? {
    var rest = line
    guard rest.take("{\"job\":\""), let job = rest.takeDigest(), rest.take("\",\"placed\":\""),
      let outputKey = rest.takeDigest(), rest.take("\",\"status\":\"")
    else { return nil }
    let isDone = rest.first == UInt8(ascii: "d")
    guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    rest = rest[(quote + 1)...]
    guard rest.take(",\"sizes\":["), let sizes = rest.takeNumbers(), rest.take(",\"reads\":"),
      let reads = rest.takeObject(), rest.last == UInt8(ascii: "}")
    else { return nil }
    return (
      RecordEntry(
        job: job.short, outputKey: outputKey.short, sizes: fold(sizes), reads: 0, isDone: isDone),
      reads
    )
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func take(_ text: StaticString) -> Bool {
    let wanted = text.description.utf8
    guard starts(with: wanted) else { return false }
    removeFirst(wanted.count)
    return true
  }

  fileprivate mutating func takeDigest() -> Digest? {
    defer { removeFirst(Swift.min(64, count)) }
    return Digest(prefix(64))
  }

  /// Parses numbers up to the closing bracket.
  fileprivate mutating func takeNumbers() -> [Int]? {
    var numbers: [Int] = []
    var number: Int?
    while let byte = popFirst() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
        if overflow || product > Int.max - 9 { return nil }
        number = product + Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: ","), UInt8(ascii: "]"):
        if let found = number { numbers.append(found) }
        number = nil
        if byte == UInt8(ascii: "]") { return numbers }
      default: return nil
      }
    }
    return nil
  }

  /// Takes a whole object.
  fileprivate mutating func takeObject() -> ArraySlice<UInt8>? {
    guard first == UInt8(ascii: "{") else { return nil }
    let whole = self
    var depth = 0
    var isInText = false
    var isEscaped = false
    while let byte = popFirst() {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { return whole[..<startIndex] }
      default: break
      }
    }
    return nil
  }
}
