import Glibc

/// Memory for tables that are made once: it begins on a multiple of 64 bytes. Control thread, until
/// it is filled.
@safe
public final class PreparedBytes: @unchecked Sendable {
  // `@unchecked Sendable`: who makes it fills it, and nobody changes it after that.

  /// How many bytes there are.
  public let count: Int
  private let memory: UnsafeMutableRawPointer

  private static let largePage = 1 << 21

  /// Memory that holds nothing yet.
  public init(count: Int) {
    precondition(count >= 0, "a number of bytes is not negative")
    self.count = count
    let isLarge = count >= Self.largePage
    unsafe memory = .allocate(
      byteCount: Swift.max(count, 64), alignment: isLarge ? Self.largePage : 64)
    // Small pages that are touched one by one take longer than what is read into them.
    if isLarge { _ = unsafe madvise(memory, count, MADV_HUGEPAGE) }
  }

  deinit { unsafe memory.deallocate() }

  /// Valid as long as this is.
  public var buffer: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
  }

  /// Writes numbers, 8 bytes each.
  ///
  /// - Parameter offset: Of the first, in bytes: a multiple of 8.
  public func put(_ numbers: [Double], at offset: Int) {
    precondition(
      offset >= 0 && offset % 8 == 0 && offset + 8 * numbers.count <= count,
      "the numbers have room")
    for (index, number) in numbers.enumerated() {
      unsafe (memory + offset).storeBytes(of: number, toByteOffset: 8 * index, as: Double.self)
    }
  }

  /// Numbers that have been written; `nil` where the memory ends before.
  public func numbers(_ number: Int, at offset: Int) -> [Double]? {
    guard offset >= 0, offset % 8 == 0, number >= 0, number <= (count - offset) / 8 else {
      return nil
    }
    return (0..<number).map {
      unsafe (memory + offset).load(fromByteOffset: 8 * $0, as: Double.self)
    }
  }

  /// The smallest multiple of 64 that is not less.
  public static func roundedUp(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}
