import Glibc

/// Memory for tables that are computed once, aligned to 64 bytes. One control thread fills it
/// before others read it.
@safe
public final class PreparedBytes: @unchecked Sendable {
  // `@unchecked Sendable`: filled before it is shared, then never changed.

  /// The number of bytes.
  public let count: Int
  private let memory: UnsafeMutableRawPointer

  private static let largePage = 1 << 21

  /// Allocates uninitialized memory.
  public init(count: Int) {
    precondition(count >= 0, "a number of bytes is not negative")
    self.count = count
    let isLarge = count >= Self.largePage
    unsafe memory = .allocate(
      byteCount: Swift.max(count, 64), alignment: isLarge ? Self.largePage : 64)
    // Faulting in small pages one by one takes longer than reading the table.
    if isLarge { _ = unsafe madvise(memory, count, MADV_HUGEPAGE) }
  }

  deinit { unsafe memory.deallocate() }

  /// All bytes; valid as long as this object.
  public var buffer: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
  }

  /// Writes numbers, 8 bytes each.
  ///
  /// - Parameter offset: The byte of the first number: a multiple of 8.
  public func put(_ numbers: [Double], at offset: Int) {
    precondition(
      offset >= 0 && offset % 8 == 0 && offset + 8 * numbers.count <= count,
      "the numbers have room")
    for (index, number) in numbers.enumerated() {
      unsafe (memory + offset).storeBytes(of: number, toByteOffset: 8 * index, as: Double.self)
    }
  }

  /// Reads numbers; `nil` where the memory is too short, or `offset` is not a multiple of 8.
  public func numbers(_ number: Int, at offset: Int) -> [Double]? {
    guard offset >= 0, offset % 8 == 0, number >= 0, number <= (count - offset) / 8 else {
      return nil
    }
    return (0..<number).map {
      unsafe (memory + offset).load(fromByteOffset: 8 * $0, as: Double.self)
    }
  }

  /// The smallest multiple of 64 that is at least `count`.
  public static func roundedUp(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}
