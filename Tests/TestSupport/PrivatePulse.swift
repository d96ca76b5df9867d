public import Foundation

/// A private sound server in its own directory, with null sinks. It ends with the object.
///
/// It is PulseAudio, or PipeWire if `PATCHRUN_TEST_SERVER` is `pipewire`. Both speak the PulseAudio
/// protocol.
public final class PrivatePulse {
  /// The sound servers.
  public enum Kind: String, Sendable, CaseIterable {
    case pulseAudio = "pulse"
    case pipeWire = "pipewire"

    /// The server that `PATCHRUN_TEST_SERVER` selects; PulseAudio by default. An unknown word ends
    /// the tests.
    public static let chosen: Kind = {
      guard let word = ProcessInfo.processInfo.environment["PATCHRUN_TEST_SERVER"] else {
        return .pulseAudio
      }
      guard let kind = Kind(rawValue: word) else {
        fatalError("PATCHRUN_TEST_SERVER is '\(word)'; it can be 'pulse' or 'pipewire'")
      }
      return kind
    }()

    /// Whether the programs of the server, the player and the recorder are installed.
    public var isInstalled: Bool {
      let programs =
        switch self {
        case .pulseAudio: ["pulseaudio"]
        case .pipeWire: ["pipewire", "pipewire-pulse", "wireplumber", "dbus-daemon"]
        }
      return (programs + ["pactl", "parec", "pacat"]).allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
      }
    }
  }

  /// A null sink; the source `<name>.monitor` captures its input.
  public struct Sink: Sendable {
    public var name: String
    public var sampleRate: Int
    public var format: String
    public var channels: Int
    /// The positions of its channels; `nil` for the server's. PipeWire gives more than two none, and connects
    /// their ports in any order.
    public var channelMap: String?
    /// Whether it works in blocks of 50 ms without rewinding. Otherwise, as null sinks do by
    /// default, it begins with a block of two seconds, for which every stream on it waits.
    /// PipeWire's null sinks are always quick.
    public var isQuick: Bool

    public init(
      _ name: String, sampleRate: Int = 48_000, format: String = "float32le", channels: Int = 2,
      channelMap: String? = nil, isQuick: Bool = true
    ) {
      self.channelMap = channelMap
      self.isQuick = isQuick
      self.name = name
      self.sampleRate = sampleRate
      self.format = format
      self.channels = channels
    }

    /// The arguments of `module-null-sink`.
    public var arguments: [String] {
      [
        "sink_name=\(name)", "format=\(format)", "rate=\(sampleRate)", "channels=\(channels)",
        "norewinds=\(isQuick ? 1 : 0)",
      ] + (channelMap.map { ["channel_map=\($0)"] } ?? [])
    }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
  }

  /// Whether the server can be started. Tests that need one are reported as skipped if not.
  public static let isInstalled = Kind.chosen.isInstalled

  public let kind: Kind
  public let directory: URL
  private var sessionManager: ChildProcess?
  /// In the order in which they were started.
  private var processes: [ChildProcess] = []

  /// The address for `PULSE_SERVER`.
  public var address: String { "unix:\(socket)" }

  private var socket: String {
    switch kind {
    case .pulseAudio: "\(directory.path)/native"
    case .pipeWire: "\(directory.path)/pulse/native"
    }
  }

  /// The environment with which a child process finds this server and no other.
  public var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    for name in ["PULSE_SINK", "PULSE_SOURCE"] { environment[name] = nil }
    environment["PULSE_SERVER"] = address
    environment["XDG_RUNTIME_DIR"] = directory.path
    environment["HOME"] = directory.path
    if kind == .pipeWire {
      environment["XDG_CONFIG_HOME"] = directory.path + "/config"
      environment["XDG_STATE_HOME"] = directory.path + "/state"
      environment["PIPEWIRE_RUNTIME_DIR"] = directory.path
      environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(directory.path)/bus"
    }
    return environment
  }

  /// Starts a server, with the first sink as the default. Returns when it accepts connections.
  public init(_ sinks: [Sink] = [Sink("out")], kind: Kind = .chosen) throws {
    self.kind = kind
    directory = URL(fileURLWithPath: "/tmp/patchrun-pulse-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try start(sinks)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Takes a sink away.
  public func unload(_ sink: String) throws {
    let modules = try control("list", "short", "modules").split(separator: "\n")
    guard let module = modules.first(where: { $0.contains("sink_name=\(sink) ") }) else {
      throw Failure(description: "there is no sink '\(sink)'")
    }
    try control("unload-module", String(module.prefix { $0.isNumber }))
  }

  /// Starts a killed server again at the same address, with these sinks.
  public func start(_ sinks: [Sink]) throws {
    switch kind {
    case .pulseAudio: try startPulseAudio(sinks)
    case .pipeWire: try startPipeWire(sinks)
    }
  }

  private func startPulseAudio(_ sinks: [Sink]) throws {
    var arguments = [
      "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-target=stderr",
      "--disallow-exit=no",
    ]
    for sink in sinks {
      arguments += ["-L", "module-null-sink " + sink.arguments.joined(separator: " ")]
    }
    arguments += ["-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)"]
    // The protocol module is loaded last: if its socket exists, the sinks do too.
    try launch("pulseaudio", arguments, until: socket)
    try waitForAnswer { true }
  }

  private func startPipeWire(_ sinks: [Sink]) throws {
    // Without the machine's devices, without state of an earlier run, and with the rate of each
    // sink; by default all would run at 48000 Hz.
    for (file, text) in [
      (
        "pipewire/pipewire.conf.d/rates.conf",
        """
        context.properties = {
          default.clock.allowed-rates = [ 16000 22050 32000 44100 48000 88200 96000 ]
        }
        """
      ),
      (
        "wireplumber/main.lua.d/80-none.lua",
        """
        alsa_monitor.enabled = false
        v4l2_monitor.enabled = false
        libcamera_monitor.enabled = false
        """
      ),
      ("wireplumber/bluetooth.lua.d/80-none.lua", "bluez_monitor.enabled = false"),
    ] {
      let place = directory.appendingPathComponent("config/\(file)")
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place)
    }
    // On a busy machine about one server in 200 starts but does not answer.
    do { try launchPipeWire(sinks) } catch {
      kill()
      try launchPipeWire(sinks)
    }
  }

  private func launchPipeWire(_ sinks: [Sink]) throws {
    let bus = directory.path + "/bus"
    try launch("dbus-daemon", ["--session", "--nofork", "--address=unix:path=\(bus)"], until: bus)
    try launch("pipewire", [], until: directory.path + "/pipewire-0")
    try startSessionManager()
    try launch("pipewire-pulse", [], until: socket)
    // The session manager makes a dummy sink when it is ready. Before that, no sink can become the
    // default.
    try waitForAnswer { try control("list", "short", "sinks").contains("auto_null") }
    for sink in sinks { try add(sink) }
    if let first = sinks.first {
      // The session manager may not know a sink that is already listed.
      try waitForAnswer {
        try control("set-default-sink", first.name)
        return try control("info").contains("Default Sink: \(first.name)\n")
      }
    }
  }

  /// Starts a program of the server and waits for its socket.
  private func launch(_ program: String, _ arguments: [String], until socket: String? = nil) throws
  {
    let log = directory.appendingPathComponent("log-\(program)").path
    if let socket { try? FileManager.default.removeItem(atPath: socket) }
    let process = try ChildProcess(
      "/usr/bin/\(program)", arguments, environment: environment, errors: log)
    processes.append(process)
    guard let socket else { return }
    for _ in 0..<1000 where !FileManager.default.fileExists(atPath: socket) {
      guard process.isRunning else { break }
      usleep(10_000)
    }
    guard FileManager.default.fileExists(atPath: socket) else {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      throw Failure(description: "the private server does not start: \(text)")
    }
  }

  /// Waits until the server answers as expected: the socket may exist before the server listens.
  private func waitForAnswer(_ isReady: () throws -> Bool) throws {
    // `pactl` can take half a minute.
    let end = Date().addingTimeInterval(20)
    while Date() < end {
      if (try? control("info")) != nil, (try? isReady()) == true { return }
      usleep(10_000)
    }
    throw Failure(description: "the private server answers nobody")
  }

  /// Adds a sink to the running server.
  public func add(_ sink: Sink) throws {
    // PipeWire sets unknown arguments as properties, so this one is left out.
    let arguments = sink.arguments.filter { kind == .pulseAudio || !$0.hasPrefix("norewinds") }
    try control(["load-module", "module-null-sink"] + arguments)
    try waitForAnswer { try control("list", "short", "sinks").contains("\t\(sink.name)\t") }
  }

  /// Removes a sink by its name.
  public func remove(_ sink: String) throws {
    let modules = try control("list", "short", "modules").split(separator: "\n")
    for module in modules where module.contains("sink_name=\(sink) ") {
      try control("unload-module", String(module.prefix { $0.isNumber }))
    }
  }

  /// Kills the server, as a crash would.
  public func kill() {
    for process in processes.reversed() {
      process.signal(SIGKILL)
      process.wait()
    }
    processes = []
  }

  /// Sends the server a signal: SIGSTOP suspends it, SIGCONT resumes it.
  public func signal(_ number: Int32) {
    // The bus continues: it may have other clients.
    for process in processes.reversed() where kind == .pulseAudio || process !== processes.first {
      process.signal(number)
    }
  }

  /// Ends PipeWire's session manager, as a crash would: streams are then connected to no device.
  public func endSessionManager() {
    guard let manager = sessionManager else { return }
    sessionManager = nil
    manager.signal(SIGKILL)
    manager.wait()
    processes.removeAll { $0 === manager }
  }

  /// Starts the session manager again.
  public func startSessionManager() throws {
    try launch("wireplumber", [])
    sessionManager = processes.last
  }

  /// Runs `pactl` with this server and returns its output.
  @discardableResult
  public func control(_ arguments: String...) throws -> String { try control(arguments) }

  @discardableResult
  private func control(_ arguments: [String]) throws -> String {
    let output = directory.appendingPathComponent("ctl-\(UUID().uuidString.prefix(8))").path
    let command = try ChildProcess(
      "/usr/bin/pactl", arguments, environment: environment, output: output)
    guard command.wait() == 0 else {
      throw Failure(description: "pactl \(arguments.joined(separator: " ")) failed")
    }
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  /// Records a source in floats with the recorder of the system. Returns when it is recording.
  public func record(
    _ source: String = "out.monitor", sampleRate: Int = 48_000, channels: Int = 2
  ) throws -> Recording {
    try Recording(self, source, sampleRate, channels)
  }

  /// Plays interleaved floats on a sink with the player of the system, and waits for the end.
  public func play(_ samples: [Float], on sink: String, sampleRate: Int, channels: Int) throws {
    let file = directory.appendingPathComponent("play-\(UUID().uuidString.prefix(8))")
    // A server may drop the beginning of a stream, so it begins with silence.
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

  /// A running recording.
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

    /// Records for `seconds` more, ends the recording and returns the interleaved samples.
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
