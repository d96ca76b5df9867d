import Foundation

/// Runs an installed program and returns its standard output; `nil` if it is not installed.
func output(of program: String, _ arguments: [String]) throws -> [UInt8]? {
  let path = "/usr/bin/\(program)"
  guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return [UInt8](data)
}
