import Foundation
import HeadData
import RenderCore
import TestSupport
import Testing

/// A temporary folder with a folder for prepared tables.
private final class Scratch: TemporaryFolder {
  var kept: String { path("kept") }

  func folder(byteLimit: Int = 1 << 20) throws -> PreparedFolder {
    try #require(PreparedFolder(path: kept, byteLimit: byteLimit))
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: kept)) ?? []).sorted()
  }

  func mode(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    ).intValue
  }
}

/// Bytes that depend on their position.
private func bytes(_ count: Int, seed: Int = 1) -> PreparedBytes {
  let bytes = PreparedBytes(count: count)
  for place in 0..<count {
    unsafe bytes.buffer[place] = UInt8(truncatingIfNeeded: place * seed + place >> 8)
  }
  return bytes
}

private func contents(_ bytes: PreparedBytes?) -> [UInt8]? {
  bytes.map { unsafe Array($0.buffer) }
}

@Suite struct PreparedFolderTests {
  private let key = PreparedKey("table", [1, 2, 3])

  @Test(arguments: [0, 1, 63, 64, 65, 5000])
  func `what was kept is found again, and only the user has access`(count: Int) throws {
    let scratch = try Scratch()
    let folder = try scratch.folder()
    #expect(folder.contents(key) == nil)
    #expect(!FileManager.default.fileExists(atPath: scratch.kept))
    folder.keep(bytes(count), as: key)
    #expect(contents(folder.contents(key)) == contents(bytes(count)))
    #expect(folder.contents(PreparedKey("table", [1, 2, 4])) == nil)
    #expect(folder.contents(PreparedKey("other", [1, 2, 3])) == nil)
    #expect(scratch.names.count == 1)
    #expect(try scratch.mode(scratch.kept) == 0o700)
    #expect(try scratch.mode(scratch.kept + "/" + scratch.names[0]) == 0o600)
    // New contents replace the first.
    folder.keep(bytes(count, seed: 3), as: key)
    #expect(contents(folder.contents(key)) == contents(bytes(count, seed: 3)))
    #expect(scratch.names.count == 1)
  }

  @Test func `what is damaged at any place, cut or longer counts as not there`() throws {
    let scratch = try Scratch()
    let folder = try scratch.folder()
    folder.keep(bytes(300), as: key)
    let file = URL(fileURLWithPath: scratch.kept + "/" + scratch.names[0])
    let whole = try Data(contentsOf: file)
    for place in whole.indices {
      var damaged = whole
      damaged[place] ^= 1 << UInt8(place % 8)
      try damaged.write(to: file)
      #expect(folder.contents(key) == nil, "at byte \(place)")
      try whole.prefix(place).write(to: file)
      #expect(folder.contents(key) == nil, "cut at \(place)")
    }
    try (whole + [0]).write(to: file)
    #expect(folder.contents(key) == nil)
    // Under the name of another key.
    try whole.write(to: file)
    let other = PreparedKey("table", [9])
    folder.keep(bytes(300, seed: 5), as: other)
    let name = try #require(scratch.names.first { $0 != file.lastPathComponent })
    try whole.write(to: URL(fileURLWithPath: scratch.kept + "/" + name))
    #expect(folder.contents(other) == nil)
    #expect(contents(folder.contents(key)) == contents(bytes(300)))
    folder.keep(bytes(300, seed: 5), as: other)
    #expect(contents(folder.contents(other)) == contents(bytes(300, seed: 5)))
  }

  @Test func `no link is followed, and nothing but a regular file is read`() throws {
    let scratch = try Scratch()
    let files = FileManager.default
    let elsewhere = scratch.path + "/elsewhere"
    try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: scratch.kept, withDestinationPath: elsewhere)
    let folder = try scratch.folder()
    folder.keep(bytes(10), as: key)
    #expect(folder.contents(key) == nil)
    #expect(try files.contentsOfDirectory(atPath: elsewhere).isEmpty)
    try files.removeItem(atPath: scratch.kept)

    folder.keep(bytes(10), as: key)
    let file = scratch.kept + "/" + scratch.names[0]
    try files.moveItem(atPath: file, toPath: elsewhere + "/moved")
    try files.createSymbolicLink(atPath: file, withDestinationPath: elsewhere + "/moved")
    #expect(folder.contents(key) == nil)
    // A new file replaces the link, and the file that it led to is unchanged.
    folder.keep(bytes(20), as: key)
    #expect(contents(folder.contents(key)) == contents(bytes(20)))
    #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere + "/moved")).count == 74)

    try files.removeItem(atPath: file)
    let fifo = unsafe mkfifo(file, 0o600)
    try #require(fifo == 0)
    #expect(folder.contents(key) == nil)
    try files.removeItem(atPath: file)
    try files.createDirectory(atPath: file, withIntermediateDirectories: true)
    #expect(folder.contents(key) == nil)
    folder.keep(bytes(20), as: key)
    #expect(folder.contents(key) == nil)
    #expect(scratch.names.count == 1)
  }

  @Test func `a folder that others can write to, and one that cannot be made, keep nothing`() throws
  {
    let scratch = try Scratch()
    let folder = try scratch.folder()
    folder.keep(bytes(10), as: key)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o722], ofItemAtPath: scratch.kept)
    #expect(folder.contents(key) == nil)
    folder.keep(bytes(10, seed: 2), as: PreparedKey("table", []))
    #expect(scratch.names.count == 1)
    for path in ["/proc/patchrun/kept", "/proc/kept", "/dev/null/kept"] {
      let nowhere = try #require(PreparedFolder(path: path))
      nowhere.keep(bytes(10), as: key)
      #expect(nowhere.contents(key) == nil)
    }
    for path in ["", "kept", "/", "/tmp/..", "/tmp/."] {
      #expect(PreparedFolder(path: path) == nil, "'\(path)'")
    }
  }

  @Test func `what has not been used for longest goes, and files of others stay`() throws {
    let scratch = try Scratch()
    let folder = try scratch.folder(byteLimit: 3000)
    let keys = (0..<5).map { PreparedKey("table", [$0]) }
    var previous: [String] = []
    for (index, key) in keys.enumerated() {
      folder.keep(bytes(900), as: key)
      for name in scratch.names where !previous.contains(name) {
        // Each is an hour younger than the last.
        let time = Date(timeIntervalSinceNow: Double(index - 100) * 3600)
        try FileManager.default.setAttributes(
          [.modificationDate: time], ofItemAtPath: scratch.kept + "/" + name)
      }
      previous = scratch.names
      // Using a file makes it recent again.
      if index == 2 { #expect(folder.contents(keys[0]) != nil) }
      if index == 0 {
        for name in ["notes", ".new-1-2"] {
          let path = scratch.kept + "/" + name
          try Data(count: 5000).write(to: URL(fileURLWithPath: path))
          try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: path)
        }
        previous = scratch.names
      }
    }
    #expect(keys.map { folder.contents($0) != nil } == [true, false, false, true, true])
    #expect(scratch.names.count == 4 && scratch.names.contains("notes"))
    // A table that exceeds the limit alone is not kept.
    folder.keep(bytes(3000), as: PreparedKey("table", [9]))
    #expect(scratch.names.count == 4)
  }

  @Test func `threads that keep and read at the same time find all of it or nothing`() async throws
  {
    let scratch = try Scratch()
    let folder = try scratch.folder()
    let key = key
    let found = await withTaskGroup(of: (Int, Int).self) { group in
      for _ in 0..<4 {
        group.addTask {
          var (whole, other) = (0, 0)
          for _ in 0..<50 {
            folder.keep(bytes(20_000), as: key)
            guard let found = folder.contents(key) else { continue }
            if contents(found) == contents(bytes(20_000)) { whole += 1 } else { other += 1 }
          }
          return (whole, other)
        }
      }
      return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(found == (200, 0))
    #expect(scratch.names.count == 1)
  }

  @Test func `a digest tells contents apart`() throws {
    var digests: Set<Digest> = []
    var count = 0
    for length in [0, 1, 8, 63, 64, 65, 128, 1000] {
      digests.insert(Digest(of: PreparedBytes.zeros(length)))
      count += 1
      for place in 0..<length {
        for bit in [0, 7] as [UInt8] {
          let bytes = PreparedBytes.zeros(length)
          unsafe bytes.buffer[place] = 1 << bit
          digests.insert(Digest(of: bytes))
          count += 1
        }
      }
    }
    // The order of blocks, words and halves matters.
    for step in [4, 8, 16, 64] {
      let bytes = PreparedBytes.zeros(128)
      unsafe bytes.buffer[0] = 1
      unsafe bytes.buffer[step] = 2
      let swapped = PreparedBytes.zeros(128)
      unsafe swapped.buffer[0] = 2
      unsafe swapped.buffer[step] = 1
      digests.insert(Digest(of: bytes))
      digests.insert(Digest(of: swapped))
      count += 2
    }
    #expect(digests.count == count)
  }
}

extension PreparedBytes {
  fileprivate static func zeros(_ count: Int) -> PreparedBytes {
    let bytes = PreparedBytes(count: count)
    unsafe bytes.buffer.initializeMemory(as: UInt8.self, repeating: 0)
    return bytes
  }
}
