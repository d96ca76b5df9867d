import Glibc

/// A small `tmpfs` file system that can be filled up. Mounting it needs root.
@safe
public final class SmallDisk {
  public let path: String
  private var ballast: String { path + "/ballast" }

  /// Whether the process may mount; if not, tests that need it are skipped.
  public static let canMount: Bool = (try? SmallDisk(bytes: 65_536)) != nil

  public struct CannotMount: Error {}

  /// - Parameter bytes: A multiple of 4096.
  public init(bytes: Int) throws {
    var template = Array("/tmp/patchrun-disk-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw CannotMount() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard unsafe mount("patchrun", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
      _ = unsafe rmdir(path)
      throw CannotMount()
    }
  }

  deinit {
    _ = unsafe umount2(path, Int32(MNT_DETACH))
    _ = unsafe rmdir(path)
  }

  /// The bytes that are still free.
  public var freeBytes: Int {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return 0 }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  /// Fills the file system with an additional file until `bytes` bytes are free.
  public func fill(leaving bytes: Int) {
    clear()
    let file = unsafe open(ballast, O_WRONLY | O_CREAT, 0o600)
    guard file >= 0 else { return }
    _ = posix_fallocate(file, 0, max(4096, freeBytes - bytes))
    _ = close(file)
  }

  /// Removes the additional file.
  public func clear() { _ = unsafe unlink(ballast) }

  /// The names of the other files.
  public var names: [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix("."), name != "ballast" { names.append(name) }
    }
    return names.sorted()
  }
}
