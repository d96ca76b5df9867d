import CShims

/// A stretch of a file in memory, without a copy.
///
/// The system reads a page when it is touched first. Where the disk fails then, or somebody has cut
/// the file off, the page reads as zeros, and the stretch is incomplete.
@safe
public final class MappedStretch: @unchecked Sendable {
  // `@unchecked Sendable`: nothing changes after `init`.
  private let stretch: shims_stretch
  /// The bytes of the file that are in it.
  public let range: Range<Int>

  /// `nil` where the system cannot map the file, and where too many stretches are mapped already: the
  /// bytes are then to be read.
  ///
  /// - Parameters:
  ///   - descriptor: A file that is open for reading; the stretch does not need it afterwards.
  ///   - range: Bytes of the file, all of which it must have.
  public init?(_ descriptor: Int32, _ range: Range<Int>) {
    guard range.lowerBound >= 0, !range.isEmpty else { return nil }
    var stretch = unsafe shims_stretch()
    guard unsafe shims_map(descriptor, Int64(range.lowerBound), range.count, &stretch) != 0 else {
      return nil
    }
    unsafe self.stretch = stretch
    self.range = range
  }

  deinit { unsafe withUnsafePointer(to: stretch) { unsafe shims_unmap($0) } }

  /// Brings bytes of the file into memory, which must be in the stretch. Where the disk fails, the
  /// stretch is incomplete.
  public func load(_ bytes: Range<Int>) {
    precondition(bytes.isEmpty || range.contains(bytes.upperBound - 1), "bytes of the stretch")
    guard !bytes.isEmpty else { return }
    unsafe shims_touch(memory(of: bytes.lowerBound), bytes.count)
  }

  /// Brings bytes of the file into memory, many pages at a time, which must be in the stretch. Returns
  /// `false` where that was not possible for all of them; the stretch may be incomplete then.
  public func loadAtOnce(_ bytes: Range<Int>) -> Bool {
    precondition(bytes.isEmpty || range.contains(bytes.upperBound - 1), "bytes of the stretch")
    guard !bytes.isEmpty else { return true }
    return unsafe shims_load(memory(of: bytes.lowerBound), bytes.count) != 0
  }

  /// Whether bytes were missing when they were read.
  public var isIncomplete: Bool {
    unsafe withUnsafePointer(to: stretch) { unsafe shims_is_incomplete($0) != 0 }
  }

  /// The memory of a byte of the file, valid as long as this object.
  public func memory(of byte: Int) -> UnsafeRawPointer {
    precondition(range.contains(byte), "a byte of the stretch")
    return unsafe stretch.bytes + (byte - range.lowerBound)
  }
}
