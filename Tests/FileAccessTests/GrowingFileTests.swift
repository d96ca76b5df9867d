import CShims
import Glibc
import Testing

@testable import FileAccess

/// A file without a name in `/tmp`.
private func makeFile() -> Int32 {
  var name = Array("/tmp/patchrun-room-XXXXXX\0".utf8CString)
  let descriptor = unsafe mkstemp(&name)
  unsafe unlink(name)
  return descriptor
}

/// The length of a file, and the bytes that it takes on the disk.
private func size(_ descriptor: Int32) -> (length: Int, onDisk: Int) {
  var status = stat()
  unsafe fstat(descriptor, &status)
  return (Int(status.st_size), Int(status.st_blocks) * 512)
}

@Suite struct GrowingFileTests {
  @Test
  func `on ext4 a growing file has room ahead, is no longer for it, and gives it back`() {
    let descriptor = makeFile()
    defer { close(descriptor) }
    var file = GrowingFile(descriptor: descriptor)
    var written = 0
    let bytes = [UInt8](repeating: 1, count: 100_000)
    for _ in 0..<250 {
      file.reserve(written..<written + bytes.count)
      #expect(size(descriptor).length == written)
      written += unsafe write(descriptor, bytes, bytes.count)
      file.wrote(upTo: written)
    }
    #expect(written == 25_000_000)
    #expect(size(descriptor).length == written)
    guard shims_file_system(descriptor) == 0xEF53 else { return }
    #expect(size(descriptor).onDisk >= 24 << 20)
    ftruncate(descriptor, written)
    #expect(size(descriptor).length == written)
    #expect(size(descriptor).onDisk < written + 8192)
  }

  @Test
  func `where no room can be reserved, it is asked for once and no write fails for it`() {
    // For reading only.
    let descriptor = unsafe open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    var file = GrowingFile(descriptor: descriptor)
    file.reserve(0..<1000)
    file.reserve(1000..<2000)
    #expect(size(descriptor).length == 0)
  }
}
