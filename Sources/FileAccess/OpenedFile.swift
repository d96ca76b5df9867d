import CShims
import Glibc

/// A regular file that is open for reading.
///
/// The file that was checked stays open: renaming or replacing it changes nothing.
public struct OpenedFile: ~Copyable, Sendable {
  /// The descriptor, at the beginning of the file.
  public let descriptor: Int32
  /// The identity of the file, independent of its name.
  public let identity: FileIdentity
  /// The size in bytes when it was opened.
  public let size: Int

  /// - Parameters:
  ///   - descriptor: It is closed when the file is destroyed, and when it is refused.
  ///   - fromPatch: Whether a patch names it.
  init(_ descriptor: Int32, fromPatch: Bool) throws(FileRefusal) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw FileRefusal(errno: number)
    }
    if let refusal = FileRefusal(mode: status.st_mode) {
      _ = close(descriptor)
      throw refusal
    }
    if fromPatch, KernelFileSystem.holds(descriptor) {
      _ = close(descriptor)
      throw .ofSystem
    }
    self.descriptor = descriptor
    identity = FileIdentity(status)
    size = Int(status.st_size)
  }

  deinit { _ = close(descriptor) }

  /// Hands the descriptor over to the caller, who closes it.
  public consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  /// Bytes of the file from an offset on; fewer where the file ends before.
  public func read(at place: Int, count: Int) throws(FileRefusal) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: max(0, count))
    var filled = 0
    while filled < block.count {
      let (start, rest) = (filled, block.count - filled)
      let count = unsafe block.withUnsafeMutableBytes { bytes in
        unsafe pread(descriptor, bytes.baseAddress! + start, rest, off_t(place + start))
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw FileRefusal(errno: errno)
      }
    }
    return Array(block.prefix(filled))
  }

  /// All bytes of the file.
  ///
  /// - Parameter limit: The most bytes that it may have.
  public func read(limit: Int) throws(FileRefusal) -> [UInt8] {
    guard size <= limit else { throw .tooLarge(limit: limit) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(max(0, size))
    var block = [UInt8](repeating: 0, count: min(65_536, max(4096, size + 1)))
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count == 0 { return bytes }
      if count > 0 {
        guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
        bytes += block[..<count]
      } else if errno != EINTR {
        throw FileRefusal(errno: errno)
      }
    }
  }
}

/// The virtual file systems of the kernel, whose files describe the process and the machine.
enum KernelFileSystem {
  /// Whether an open file is of one of them.
  static func holds(_ descriptor: Int32) -> Bool {
    let type = shims_file_system(descriptor)
    return type == 0 || types.contains(UInt32(truncatingIfNeeded: type))
  }

  /// The numbers of `linux/magic.h`.
  private static let types: Set<UInt32> = [
    0x9fa0,  // proc
    0x6265_6572,  // sysfs
    0x6462_6720,  // debugfs
    0x7472_6163,  // tracefs
    0x7363_6673,  // securityfs
    0x6265_6570,  // configfs
    0x0027_e0eb, 0x6367_7270,  // cgroup, cgroup2
    0xf97c_ff8c, 0x4341_5d53,  // selinux, smack
    0xcafe_4a11,  // bpf
    0xde5e_81e4,  // efivarfs
    0x6165_676c,  // pstore
    0x4249_4e4d,  // binfmt_misc
    0x0765_5821,  // resctrl
    0x6e73_6673,  // nsfs
    0x1980_0202,  // mqueue
    0x1cd1,  // devpts
  ]
}
