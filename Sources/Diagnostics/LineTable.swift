import Synchronization

/// Finds the lines of a text when a place in it is first asked for: most texts are read without a
/// mistake to show.
final class LineTable: Sendable {
  private let found = Mutex<Lines?>(nil)

  /// The lines of a text, whose bytes are the same at each call.
  func lines(of bytes: [UInt8]) -> Lines {
    found.withLock { found in
      let lines = found ?? Lines(bytes)
      found = lines
      return lines
    }
  }
}

/// Where lines and scalars of a text begin.
struct Lines: Sendable {
  /// The offset of the first byte of each line.
  private(set) var starts = [0]
  /// How many scalars begin before each block of `blockLength` bytes, so that a column on a line of
  /// many megabytes is found without walking the line.
  private var scalarsBeforeBlock: [Int] = []

  private static let blockLength = 4096

  init(_ bytes: [UInt8]) {
    scalarsBeforeBlock.reserveCapacity(bytes.count / Self.blockLength + 1)
    var scalars = 0
    var blockStart = 0
    repeat {
      scalarsBeforeBlock.append(scalars)
      let blockEnd = min(blockStart + Self.blockLength, bytes.count)
      for offset in blockStart..<blockEnd {
        let byte = bytes[offset]
        if byte & 0xC0 != 0x80 { scalars += 1 }
        if byte <= 0x0D {
          if byte == 0x0A {
            starts.append(offset + 1)
          } else if byte == 0x0D, offset + 1 == bytes.count || bytes[offset + 1] != 0x0A {
            starts.append(offset + 1)
          }
        }
      }
      blockStart = blockEnd
    } while blockStart < bytes.count
  }

  /// How many scalars begin before an offset.
  func scalarCount(before offset: Int, in bytes: [UInt8]) -> Int {
    let block = min(offset / Self.blockLength, scalarsBeforeBlock.count - 1)
    var count = scalarsBeforeBlock[block]
    for index in (block * Self.blockLength)..<offset where bytes[index] & 0xC0 != 0x80 {
      count += 1
    }
    return count
  }
}
