import FileAccess
import Foundation
import Testing

struct MappedStretchTests {
  /// Of a file of somebody else the system does not tell which pages it has in memory.
  @Test(arguments: [geteuid(), 4321])
  func `bytes are loaded at once as far as the file has them`(owner: uid_t) throws {
    // Only the superuser gives files away.
    guard owner == geteuid() || geteuid() == 0 else { return }
    let page = Int(getpagesize())
    let path = NSTemporaryDirectory() + "stretch-\(UUID().uuidString)"
    defer { _ = unsafe unlink(path) }
    let bytes = (0..<3 * page).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let descriptor = unsafe open(path, O_RDWR)
    defer { _ = close(descriptor) }
    #expect(fchown(descriptor, owner, getegid()) == 0)
    // From within a page to within another.
    let stretch = try #require(MappedStretch(descriptor, 100..<3 * page))
    #expect(stretch.loadAtOnce(100..<100))
    #expect(stretch.loadAtOnce(100..<3 * page))
    #expect(stretch.loadAtOnce(page + 1..<2 * page + 1))
    for byte in [100, page, 3 * page - 1] {
      #expect(unsafe stretch.memory(of: byte).load(as: UInt8.self) == bytes[byte])
    }
    #expect(ftruncate(descriptor, off_t(page + 1)) == 0)
    #expect(stretch.loadAtOnce(100..<2 * page), "the last byte is on the second page")
    #expect(!stretch.loadAtOnce(100..<3 * page))
    // Page by page, what is missing becomes zeros.
    stretch.load(100..<3 * page)
    #expect(stretch.isIncomplete)
    #expect(unsafe stretch.memory(of: 3 * page - 1).load(as: UInt8.self) == 0)
  }

  @Test func `bytes that are on the disk only are loaded at once, too`() throws {
    // Longer than what the system reads ahead.
    let count = 3 << 20
    let path = NSTemporaryDirectory() + "stretch-\(UUID().uuidString)"
    defer { _ = unsafe unlink(path) }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let descriptor = unsafe open(path, O_RDONLY)
    defer { _ = close(descriptor) }
    #expect(fsync(descriptor) == 0)
    #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
    let stretch = try #require(MappedStretch(descriptor, 0..<count))
    #expect(stretch.loadAtOnce(5000..<count - 5000))
    #expect(!stretch.isIncomplete)
    #expect(unsafe memcmp(stretch.memory(of: 0), bytes, count) == 0)
  }
}
