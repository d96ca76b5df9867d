import Foundation
import SoundFiles
import TestSupport
import Testing

/// The program that was built, in the folder of the tests.
enum CommandLineTool {
  static let path: String = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("patchrun").path
  }()

  /// The folder of the patches of the distribution.
  static let patches: String = {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("patches").path
  }()

  /// An environment without a sound server.
  static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PULSE_SINK", "PULSE_SOURCE"] {
      environment[name] = nil
    }
    environment["PULSE_SERVER"] = "unix:/nowhere/native"
    // The user's own cache is neither used nor changed.
    environment["PATCHRUN_CACHE"] = "off"
    return environment
  }()
}

/// Runs the program in a temporary folder.
final class Workplace: TemporaryFolder {
  var environment = CommandLineTool.environment
  private var runs = 0

  /// A folder whose programs play on a server.
  convenience init(on server: PrivatePulse) throws {
    try self.init()
    environment.merge(server.environment) { _, new in new }
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// A running program, and the files of its output.
  struct Running {
    let process: ChildProcess
    let output: String
    let errors: String

    var errorsSoFar: String { (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "" }

    /// Waits until standard error contains a text, for at most 10 s.
    func waitForErrors(_ text: String) -> Bool {
      for _ in 0..<2000 {
        if errorsSoFar.contains(text) { return true }
        guard process.isRunning else { return errorsSoFar.contains(text) }
        usleep(5000)
      }
      return false
    }

    /// Waits for the end. A program that does not end within two minutes is a failure, and killed.
    func wait() throws -> Outcome {
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
  func samples(_ name: String) throws -> [Float] {
    let reader = try SoundFileReader(path: path(name))
    var samples = [Float](repeating: 0, count: reader.frameCount * reader.channelCount)
    let count = try reader.read(into: &samples)
    return Array(samples.prefix(count * reader.channelCount))
  }

  /// Starts the program in the folder.
  func start(_ arguments: [String]) throws -> Running {
    try shell("exec \"$PATCHRUN\" \"$@\"", arguments)
  }

  /// Starts `ctl watch`. Returns when it has connected, so that later events are not missed.
  func watch(_ options: String...) throws -> Running {
    let watch = try start(["ctl", "watch"] + options)
    for _ in 0..<2000 {
      let seen = (try? String(contentsOfFile: watch.output, encoding: .utf8)) ?? ""
      guard !seen.contains("status"), watch.process.isRunning else { break }
      usleep(5000)
    }
    return watch
  }

  @discardableResult
  func run(_ arguments: String...) throws -> Outcome { try start(arguments).wait() }

  /// Starts a shell command in which `$PATCHRUN` is the program.
  func shell(_ line: String, _ arguments: [String] = []) throws -> Running {
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

/// Patches for tests.
enum TestPatch {
  /// Seeded noise to the loudspeaker, so that each part of it is different.
  static func noise(taps: String = "{}") -> String {
    """
    {
      "session": { "preferredSampleRate": 48000, "preferredIOBufferDuration": 0.02 },
      "callbacks": { "noise": { "kind": "noise", "seed": 7 } },
      "nodes": {
        "mixer": {
          "component": "MultichannelMixer",
          "properties": { "maximumFramesPerSlice": 4096 },
          "inputs": {
            "0": {
              "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
              "parameters": { "volume": 0.5 }
            }
          },
          "outputs": { "0": { "sampleRate": "session" } }
        },
        "io": { "component": "remoteIO" }
      },
      "connections": [
        { "from": "noise", "to": "mixer:0" },
        { "from": "mixer", "to": "io" }
      ],
      "taps": \(taps)
    }
    """
  }

  static let recording = #"{ "rec": { "kind": "record", "at": "mixer", "path": "rec.wav" } }"#

  /// A callback into a Generic Output.
  static func generic(_ callback: String) -> String {
    """
    {
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": 48000 },
      "callbacks": { "sound": \(callback) },
      "nodes": { "out": { "component": "GenericOutput",
                          "properties": { "maximumFramesPerSlice": 4096 } } },
      "connections": [ { "from": "sound", "to": "out" } ]
    }
    """
  }

  /// The microphone to the loudspeaker.
  static let passThrough = """
    {
      "session": { "preferredSampleRate": 48000 },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "nodes": {
        "io": {
          "component": "remoteIO",
          "inputs": { "1": { "properties": { "enableIO": true } } }
        }
      },
      "connections": [ { "from": "io:1", "to": "io:0" } ]
    }
    """
}
