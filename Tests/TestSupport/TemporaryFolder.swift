public import Foundation

/// A temporary folder for one test, removed with the object.
open class TemporaryFolder {
  public let url: URL

  public var path: String { url.path }

  /// A folder with texts in files. A name may have folders ahead of it.
  public init(_ files: [String: String] = [:]) throws {
    url = URL(filePath: "/tmp/patchrun-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func path(_ name: String) -> String { url.appending(path: name).path }

  public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The names of what is in it, sorted.
  public func fileNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  public func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url.appending(path: name)))
  }

  public func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  public func write(_ bytes: [UInt8], to name: String) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}
