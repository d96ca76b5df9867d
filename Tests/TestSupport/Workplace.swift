import Foundation
import SoundFiles
import Testing

/// Runs the program in a temporary folder.
public final class Workplace: TemporaryFolder {
  public var environment = CommandLineTool.environment
  private var runs = 0

  /// A folder whose programs play on a server.
  public convenience init(on server: PrivatePulse) throws {
    try self.init()
    environment.merge(server.environment) { _, new in new }
  }

  public struct Outcome {
    public var status: Int32
    public var output: String
    public var errors: String
  }

  /// A running program, and the files of its output.
  public struct Running {
    public let process: ChildProcess
    public let output: String
    public let errors: String

    public var errorsSoFar: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

    /// Waits until standard error contains a text, for at most 10 s.
    public func waitForErrors(_ text: String) -> Bool {
      for _ in 0..<2000 {
        if errorsSoFar.contains(text) { return true }
        guard process.isRunning else { return errorsSoFar.contains(text) }
        usleep(5000)
      }
      return false
    }

    /// Waits for the end. A program that does not end within two minutes is a failure, and killed.
    public func wait() throws -> Outcome {
      for _ in 0..<24_000 where process.isRunning { usleep(5000) }
      if process.isRunning {
        Issue.record("the program has not ended within two minutes: \(errorsSoFar)")
        process.signal(SIGKILL)
      }
      let status = process.wait()
      return Outcome(
        status: status, output: try String(contentsOfFile: output, encoding: .utf8),
        errors: errorsSoFar)
    }
  }

  /// All samples of a sound file, interleaved.
  public func samples(_ name: String) throws -> [Float] {
    let reader = try SoundFileReader(path: path(name))
    var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
    let count = try reader.read(into: &samples)
    return Array(samples.prefix(count * reader.channelCount))
  }

  /// Starts the program in the folder.
  public func start(_ arguments: [String]) throws -> Running {
    try shell("exec \"$PATCHRUN\" \"$@\"", arguments)
  }

  /// Starts `ctl watch`. Returns when it has connected, so that later events are not missed.
  public func watch(_ options: String...) throws -> Running {
    let watch = try start(["ctl", "watch"] + options)
    for _ in 0..<2000 {
      let seen = (try? String(contentsOfFile: watch.output, encoding: .utf8)) ?? ""
      guard !seen.contains("status"), watch.process.isRunning else { break }
      usleep(5000)
    }
    return watch
  }

  @discardableResult
  public func run(_ arguments: String...) throws -> Outcome { try start(arguments).wait() }

  /// Starts a shell command in which `$PATCHRUN` is the program.
  public func shell(_ line: String, _ arguments: [String] = []) throws -> Running {
    runs += 1
    let output = path(".output-\(runs)")
    let errors = path(".errors-\(runs)")
    var environment = environment
    environment["PATCHRUN"] = CommandLineTool.path
    let process = try ChildProcess(
      "/bin/sh", ["-c", "cd '\(url.path)' && \(line)", "sh"] + arguments,
      environment: environment, output: output, errors: errors)
    return Running(process: process, output: output, errors: errors)
  }
}
