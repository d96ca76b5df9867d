public import Foundation

/// A PulseAudio server of a test's own, in a directory of its own, with null sinks. It ends with the
/// object.
public final class PrivatePulse {
  /// A sink that plays nothing; `<name>.monitor` is the source that hears it.
  public struct Sink: Sendable {
    public var name: String
    public var sampleRate: Int
    public var format: String
    public var channels: Int
    /// Whether it works in blocks of 50 ms and never goes back. Otherwise it begins with a block of
    /// two seconds, as null sinks do, and everything that is played on it waits for that.
    public var isQuick: Bool

    public init(
      _ name: String, sampleRate: Int = 48_000, format: String = "float32le", channels: Int = 2,
      isQuick: Bool = true
    ) {
      self.isQuick = isQuick
      self.name = name
      self.sampleRate = sampleRate
      self.format = format
      self.channels = channels
    }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// Whether there is a server to start. Tests that need one are skipped, visibly, where not.
  public static let isInstalled =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/pulseaudio")
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/parec")

  public let directory: URL
  private let process: ChildProcess

  /// The address for `PULSE_SERVER`.
  public var address: String { "unix:\(directory.path)/native" }

  /// What a child process needs to find this server and no other.
  public var environment: [String: String] { Self.environment(directory) }

  private static func environment(_ directory: URL) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in ["PULSE_SINK", "PULSE_SOURCE"] { environment[name] = nil }
    environment["PULSE_SERVER"] = "unix:\(directory.path)/native"
    environment["XDG_RUNTIME_DIR"] = directory.path
    environment["HOME"] = directory.path
    return environment
  }

  /// Starts a server whose first sink is the default. Returns once it can be connected to.
  public init(_ sinks: [Sink] = [Sink("out")]) throws {
    directory = URL(fileURLWithPath: "/tmp/patchrun-pulse-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var arguments = [
      "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=stderr",
      "--disallow-exit=no",
    ]
    for sink in sinks {
      arguments += [
        "-L",
        "module-null-sink sink_name=\(sink.name) format=\(sink.format) rate=\(sink.sampleRate) "
          + "channels=\(sink.channels) norewinds=\(sink.isQuick ? 1 : 0)",
      ]
    }
    arguments += [
      "-L", "module-native-protocol-unix auth-anonymous=1 socket=\(directory.path)/native",
    ]
    let log = directory.appendingPathComponent("log").path
    process = try ChildProcess(
      "/usr/bin/pulseaudio", arguments, environment: Self.environment(directory), errors: log)
    // The protocol is loaded last: where its socket is, the sinks are too.
    for _ in 0..<1000 where !FileManager.default.fileExists(atPath: directory.path + "/native") {
      guard process.isRunning else { break }
      usleep(10_000)
    }
    guard FileManager.default.fileExists(atPath: directory.path + "/native") else {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw Failure(description: "the private server does not start: \(text)")
    }
    // A socket is there before anybody listens to it.
    for _ in 0..<200 {
      if (try? control("info")) != nil { return }
      usleep(10_000)
    }
    throw Failure(description: "the private server answers nobody")
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Ends the server, as a crash would.
  public func kill() {
    process.signal(SIGKILL)
    process.wait()
  }

  /// Sends the server a signal: SIGSTOP makes it hang, SIGCONT goes on.
  public func signal(_ number: Int32) { process.signal(number) }

  /// Runs `pactl` on the server and returns what it says.
  @discardableResult
  public func control(_ arguments: String...) throws -> String {
    let output = directory.appendingPathComponent("ctl-\(UUID().uuidString.prefix(8))").path
    let command = try ChildProcess(
      "/usr/bin/pactl", arguments, environment: environment, output: output)
    guard command.wait() == 0 else {
      throw Failure(description: "pactl \(arguments.joined(separator: " ")) failed")
    }
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  /// Records a source in floats, with a recorder that is not ours. Returns once it records.
  public func record(
    _ source: String = "out.monitor", sampleRate: Int = 48_000, channels: Int = 2
  ) throws -> Recording {
    try Recording(self, source, sampleRate, channels)
  }

  /// Plays interleaved floats on a sink, with a player that is not ours, and waits for the end.
  public func play(_ samples: [Float], on sink: String, sampleRate: Int, channels: Int) throws {
    let file = directory.appendingPathComponent("play-\(UUID().uuidString.prefix(8))")
    // A server may drop the beginning of what it is given: here that is silence.
    let samples = [Float](repeating: 0, count: sampleRate / 5 * channels) + samples
    try unsafe samples.withUnsafeBytes { try unsafe Data($0).write(to: file) }
    let player = try ChildProcess(
      "/usr/bin/pacat",
      [
        "--playback", "--device=\(sink)", "--format=float32le", "--rate=\(sampleRate)",
        "--channels=\(channels)", "--raw", file.path,
      ], environment: environment)
    guard player.wait() == 0 else { throw Failure(description: "pacat cannot play") }
  }

  /// A recording that is going on.
  public final class Recording {
    private let process: ChildProcess
    private let file: URL

    fileprivate init(
      _ server: PrivatePulse, _ source: String, _ sampleRate: Int, _ channels: Int
    ) throws {
      file = server.directory.appendingPathComponent("rec-\(UUID().uuidString.prefix(8))")
      process = try ChildProcess(
        "/usr/bin/parec",
        [
          "--device=\(source)", "--format=float32le", "--rate=\(sampleRate)",
          "--channels=\(channels)", "--latency-msec=20", "--raw",
        ], environment: server.environment, output: file.path)
      for _ in 0..<1000 where byteCount == 0 { usleep(10_000) }
      guard byteCount > 0 else { throw Failure(description: "'\(source)' cannot be recorded") }
    }

    private var byteCount: Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      return (attributes?[.size] as? Int) ?? 0
    }

    /// Ends the recording once the source has been heard for `seconds` more, and returns the
    /// interleaved samples.
    public func stop(after seconds: Double = 0.3) throws -> [Float] {
      usleep(UInt32(seconds * 1e6))
      process.signal(SIGTERM)
      process.wait()
      let data = try Data(contentsOf: file)
      return (0..<data.count / 4).map { index in
        var bits: UInt32 = 0
        for byte in 0..<4 {
          bits |= UInt32(data[data.startIndex + index * 4 + byte]) << (8 * byte)
        }
        return Float(bitPattern: bits)
      }
    }
  }
}
