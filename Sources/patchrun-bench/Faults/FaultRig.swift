import Foundation
import SoundFiles
import TestSupport

/// A `patchrun` that plays and records on its own server, and a listener.
final class FaultRig {
  /// The initial conditions.
  struct Setup: Sendable {
    /// The sinks; the first is the default. Empty for a server without a sink.
    var sinks: [PrivatePulse.Sink] = [.init("out")]
    var isServerThere = true
    var arguments: [String] = []
    var hasInput = false
    /// Whether the recording is on a small disk that fills up soon.
    var hasSmallDisk = false
  }

  let server: PrivatePulse
  let listener: MonitorListener
  let folder: URL
  let setup: Setup
  private var run: ChildProcess?
  private var errorFile: String { folder.appending(path: "errors").path }
  /// The time of the start, later that of the first sound, on the clock of `now()`.
  var begin = 0.0

  /// An endless tone with a recording.
  private static func patch(hasInput: Bool) -> String {
    let input =
      hasInput ? ", \"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } }" : ""
    return """
      {
        "title": "a tone that should never end",
        "session": { "category": "\(hasInput ? "playAndRecord" : "playback")", "preferredSampleRate": 48000 },
        "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
        "callbacks": { "tone": { "kind": "tone", "frequency": 997, "amplitude": 0.25 } },
        "nodes": {
          "mixer": { "component": "MultichannelMixer", "inputCount": \(hasInput ? 2 : 1),
                     "properties": { "maximumFramesPerSlice": 4096 } },
          "io": { "component": "remoteIO"\(input) }
        },
        "connections": [
          { "from": "tone", "to": "mixer:0" },
          \(hasInput ? "{ \"from\": \"io:1\", \"to\": \"mixer:1\" }," : "")
          { "from": "mixer", "to": "io" }
        ],
        "taps": { "take": { "kind": "record", "at": "mixer", "path": "disk/take.wav" } }
      }
      """
  }

  init(_ setup: Setup, kind: PrivatePulse.Kind, hears sinks: [String]) throws {
    self.setup = setup
    folder = URL(fileURLWithPath: "/tmp/patchrun-faults-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "disk"), withIntermediateDirectories: true)
    try Data(Self.patch(hasInput: setup.hasInput).utf8)
      .write(to: folder.appending(path: "patch.json"))
    server = try PrivatePulse(setup.sinks, kind: kind)
    if !setup.isServerThere { server.kill() }
    listener = MonitorListener(server, sinks: sinks)
  }

  deinit {
    listener.end()
    run?.signal(SIGKILL)
    run?.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  // MARK: The run

  /// Starts the program. Without a server or sink it waits for one.
  func start() throws {
    guard let path = MeasuredProgram.path else {
      throw PrivatePulse.Failure(
        description: "build the program first: swift build -c release --product patchrun")
    }
    let arguments = ["run", "patch.json"] + setup.arguments
    let line =
      setup.hasSmallDisk
      // A disk of 8 MiB with a file that leaves 512 KiB. Removing the file makes room.
      ? "mount -t tmpfs -o size=8m tmpfs disk && head -c 7864320 /dev/zero >disk/filler && exec \"$@\""
      : "exec \"$@\""
    let unshare = ["/usr/bin/unshare", "--user", "--map-root-user", "--mount"]
    let command =
      (setup.hasSmallDisk ? unshare : []) + [
        "/bin/sh", "-c", "cd '\(folder.path)' && \(line)", "sh",
      ]
      + [path] + arguments
    begin = now()
    run = try ChildProcess(
      command[0], Array(command.dropFirst()), environment: server.environment,
      output: folder.appending(path: "output").path, errors: errorFile)
  }

  /// Makes room on the small disk.
  func makeRoom() throws {
    guard let run else { return }
    try FileManager.default.removeItem(atPath: "/proc/\(run.processIdentifier)/cwd/disk/filler")
  }

  var isRunning: Bool { run?.isRunning ?? false }

  /// The messages of the run after the grant, without their help lines.
  var messages: [String] {
    let text = (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("sink ") && !$0.hasPrefix(" ") && !$0.hasPrefix("control: ") }
  }

  /// Waits for a condition; returns whether it became true.
  func wait(_ seconds: Double, until condition: () -> Bool) -> Bool {
    let end = now() + seconds
    while now() < end {
      if condition() { return true }
      usleep(10_000)
    }
    return condition()
  }

  /// Waits for sound after a time.
  func waitForSound(after time: Double, _ seconds: Double) -> Bool {
    wait(seconds) { listener.firstSound(after: time) != nil }
  }

  /// The result of a run.
  struct End {
    var status: Int32
    /// Seconds from the first sound, or from the start without sound, to the end.
    var clock: Double
    /// The duration of each recording in seconds, by name; `nil` if it cannot be read.
    var takes: [(name: String, seconds: Double?)]
    var cues: Int
  }

  /// Ends the run and reads its recordings.
  func finish() -> End {
    guard let run else { return End(status: -1, clock: 0, takes: [], cues: 0) }
    let disk =
      setup.hasSmallDisk ? "/proc/\(run.processIdentifier)/cwd/disk" : folder.path + "/disk"
    // The run's private mount ends with the run: an open descriptor keeps it.
    let held = unsafe open(disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(held) }
    run.signal(SIGINT)
    let ended = wait(10) { !run.isRunning }
    let clock = now() - begin
    if !ended { run.signal(SIGKILL) }
    let status = run.wait()
    var end = End(status: ended ? status : -1, clock: clock, takes: [], cues: 0)
    let place = "/proc/self/fd/\(held)"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: place))?.sorted() ?? []
    where name.hasSuffix(".wav") {
      let path = "\(place)/\(name)"
      let reader = try? SoundFileReader(path: path)
      end.takes.append((name, reader.map { Double($0.frameCount) / $0.sampleRate }))
      end.cues += Self.cues(in: path)
    }
    return end
  }

  /// The number of cue points in a WAV file.
  private static func cues(in path: String) -> Int {
    guard let data = FileManager.default.contents(atPath: path),
      let chunk = data.range(of: Data("cue ".utf8), options: .backwards),
      data.endIndex - chunk.upperBound >= 8
    else { return 0 }
    return (4..<8).reduce(0) { $0 | Int(data[chunk.upperBound + $1]) << (8 * ($1 - 4)) }
  }
}
