import Foundation

/// Builds shared C libraries with the command of the manual.
public enum NativeLibrary {
  public struct Failure: Error {
    public var message: String
  }

  /// Compiles C in a new folder, into a library or whatever `flags` select. Returns the path of the
  /// result.
  public static func build(
    _ source: String, name: String = "library.so", flags: [String] = ["-shared", "-fPIC"]
  ) throws -> String {
    let folder = Self.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "source.c")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let library = folder.appending(path: name).path
    try compile(file.path, to: library, flags: flags)
    return library
  }

  /// Compiles a file of the package, with warnings as errors.
  public static func build(file: String, to library: String) throws {
    try compile(
      House.root.appending(path: file).path, to: library,
      flags: ["-O2", "-shared", "-fPIC", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"])
  }

  /// What a process builds. Some of it stays loaded until the process ends, which removes it.
  private static let folder: URL = {
    atexit { try? FileManager.default.removeItem(at: NativeLibrary.folder) }
    return FileManager.default.temporaryDirectory
      .appending(path: "patchrun-native-\(ProcessInfo.processInfo.processIdentifier)")
  }()

  private static func compile(_ file: String, to library: String, flags: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [Self.compiler] + flags
      + ["-I", House.root.appending(path: "Sources/CPatchrun/include").path, "-o", library, file]
      + ["-lm"]
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let errors = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(message: String(decoding: errors, as: UTF8.self))
    }
  }

  /// The system's C compiler, or otherwise the clang of Swift.
  private static let compiler: String = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/cc") }
      ? "cc" : "clang"
  }()
}
