import Foundation
import TestSupport

/// A long live run with constant changes, and a load on every core for part of it. Prints the
/// figures of each part:
///
///     swift run -c release patchrun-bench soak --minutes 30 --frames 128 --changes 20
struct SoakMeasurement: OptionMeasurement {
  static let usage =
    "soak [--minutes N] [--frames N] [--changes PER-SECOND] [--server pulse|pipewire]     a long run under load"

  private var minutes = 30.0
  private var frames = 128
  private var changes = 20.0
  private var kind = PrivatePulse.Kind.pulseAudio

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch word {
      case "--minutes":
        guard let number = Double(value), number > 0 else { return nil }
        minutes = number
      case "--frames":
        guard let number = Int(value), number > 0 else { return nil }
        frames = number
      case "--changes":
        guard let number = Double(value), number > 0 else { return nil }
        changes = number
      case "--server":
        guard let kind = PrivatePulse.Kind(rawValue: value) else { return nil }
        self.kind = kind
      default: return nil
      }
    }
  }

  /// A part of the run.
  private struct Part {
    var name: String
    var seconds: Double
    var hasHogs: Bool
    var applied = 0
    var refused = 0
    /// The longest response time of a change in seconds.
    var slowest = 0.0
    /// The resident memory of the process in MB, at the beginning and at the end.
    var memory = (0.0, 0.0)
    /// The increase of each counter in the metrics.
    var counted: [String: Double] = [:]
    var peakLoad = 0.0
  }

  private var patch: String {
    """
    {
      "title": "soak",
      "session": { "category": "playback", "preferredSampleRate": 48000,
                   "preferredIOBufferDuration": \(Double(frames) / 48_000) },
      "streamFormat": { "sample": "float32", "channels": 2, "sampleRate": "session" },
      "callbacks": { "tone": { "kind": "tone", "frequency": 440, "amplitude": 0.2 },
                     "noise": { "kind": "noise", "amplitude": 0.1 } },
      "nodes": {
        "eq": { "component": "iPodEQ",
                "properties": { "maximumFramesPerSlice": 4096, "presentPreset": "Rock" } },
        "mixer": { "component": "MultichannelMixer", "inputCount": 2,
                   "properties": { "maximumFramesPerSlice": 4096 },
                   "inputs": { "0": { "parameters": { "volume": 0.5 } },
                               "1": { "parameters": { "volume": 0.5 } } } },
        "io": { "component": "remoteIO" }
      },
      "connections": [ { "from": "tone", "to": "eq" }, { "from": "eq", "to": "mixer:0" },
                       { "from": "noise", "to": "mixer:1" }, { "from": "mixer", "to": "io" } ],
      "taps": { "level": { "kind": "meter", "at": "mixer" } }
    }
    """
  }

  /// The next change: volumes, and every tenth time a preset.
  private func change(_ number: Int) -> (path: String, value: String) {
    let volume = fixed(0.2 + 0.6 * Double(number % 37) / 37, 4)
    return switch number % 10 {
    case 9:
      (
        "/patch?pointer=/nodes/eq/properties/presentPreset",
        number % 20 == 9 ? "\"Flat\"" : "\"Rock\""
      )
    case 4: ("/patch?pointer=/nodes/mixer/inputs/1/parameters/volume", volume)
    default: ("/patch?pointer=/nodes/mixer/inputs/0/parameters/volume", volume)
    }
  }

  /// Returns whether no underrun was ours, no change was refused, and memory did not grow.
  func run() -> Bool {
    do { return try soak() } catch {
      printUnbuffered("error: \(error)")
      return false
    }
  }

  private func soak() throws -> Bool {
    guard let path = MeasuredProgram.path else {
      printUnbuffered("build the program first: swift build -c release --product patchrun")
      return false
    }
    let server = try PrivatePulse(kind: kind)
    let file = server.directory.appending(path: "soak.json").path
    try Data(patch.utf8).write(to: URL(fileURLWithPath: file))
    let errors = server.directory.appending(path: "soak.errors").path
    let run = try ChildProcess(
      path, ["run", file], environment: server.environment, errors: errors)
    defer { run.signal(SIGKILL) }
    let socket = ControlCall(path: server.directory.appending(path: "patchrun/soak.sock").path)
    let end = now() + 10
    while socket.ask("GET", "/status") == nil {
      guard now() < end, run.isRunning else {
        printUnbuffered(try String(contentsOfFile: errors, encoding: .utf8))
        return false
      }
      usleep(20_000)
    }
    printUnbuffered((try String(contentsOfFile: errors, encoding: .utf8)).prefix { $0 != "\n" })
    let whole = minutes * 60
    var parts = [
      Part(name: "warming up", seconds: whole * 0.1, hasHogs: false),
      Part(name: "quiet", seconds: whole * 0.3, hasHogs: false),
      Part(name: "a hog on every core", seconds: whole * 0.3, hasHogs: true),
      Part(name: "quiet again", seconds: whole * 0.3, hasHogs: false),
    ]
    printUnbuffered(
      "| Part | Changes | Refused | Slowest answer, ms | Peak load | Memory, MB | Counted |")
    printUnbuffered("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    var number = 0
    for index in parts.indices {
      play(&parts[index], socket, run.processIdentifier, &number)
      let part = parts[index]
      let counted = part.counted.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        .map { "\($0.key) \(fixed($0.value, 0))" }
      let cells = [
        "\(part.name), \(fixed(part.seconds / 60, 1)) min", "\(part.applied)", "\(part.refused)",
        fixed(part.slowest * 1000, 1), fixed(part.peakLoad, 2),
        "\(fixed(part.memory.0, 1)) to \(fixed(part.memory.1, 1))",
        counted.isEmpty ? "nothing" : counted.joined(separator: ", "),
      ]
      printUnbuffered("| \(cells.joined(separator: " | ")) |")
      guard run.isRunning else {
        printUnbuffered("the run has ended: \(try String(contentsOfFile: errors, encoding: .utf8))")
        return false
      }
    }
    run.signal(SIGINT)
    let status = run.wait()
    let growth = parts[3].memory.1 - parts[0].memory.1
    printUnbuffered("exit \(status); memory \(fixed(growth, 1)) MB more than after warming up")
    return status == 0 && parts.allSatisfy { $0.refused == 0 } && growth < 2
      && parts.allSatisfy { $0.counted.allSatisfy { !Self.isOurs($0.key) || $0.value == 0 } }
  }

  /// Whether a counter is about faults of this program, not of the machine or server.
  private static func isOurs(_ name: String) -> Bool {
    let ours = ["patchrun_failed_slices_total", "patchrun_lost_frames_total"]
    let causes = ["render", "file"].map { "patchrun_underruns_total{cause=\"\($0)\"}" }
    return (ours + causes).contains { name.hasPrefix($0) }
  }

  private func play(
    _ part: inout Part, _ socket: ControlCall, _ process: Int32, _ number: inout Int
  ) {
    var hogs: [ChildProcess] = []
    if part.hasHogs {
      hogs = (0..<ProcessInfo.processInfo.processorCount).compactMap { _ in
        try? ChildProcess("/bin/sh", ["-c", "while :; do :; done"], environment: [:])
      }
    }
    defer { for hog in hogs { hog.signal(SIGKILL) } }
    let before = counters(socket)
    part.memory.0 = memory(of: process)
    let begin = now()
    var due = begin
    while now() < begin + part.seconds {
      let (path, value) = change(number)
      let asked = now()
      let answer = socket.ask("PUT", path, body: value)
      part.slowest = max(part.slowest, now() - asked)
      if answer?.hasPrefix("HTTP/1.1 200") == true {
        part.applied += 1
      } else {
        part.refused += 1
      }
      number += 1
      due += 1 / changes
      let rest = due - now()
      if rest > 0 { usleep(UInt32(rest * 1e6)) }
    }
    part.memory.1 = memory(of: process)
    let after = counters(socket)
    part.counted = after.filter { $0.key.contains("_total") && !$0.key.contains("patchrun_c") }
      .mapValues { $0 }
    for (name, value) in before { part.counted[name]? -= value }
    part.counted["patchrun_rendered_seconds_total"] = nil
    part.peakLoad = after.filter { $0.key.hasPrefix("patchrun_peak_load_ratio") }.values.max() ?? 0
  }

  /// The values of the metrics by name and labels.
  private func counters(_ socket: ControlCall) -> [String: Double] {
    var values: [String: Double] = [:]
    for line in (socket.ask("GET", "/metrics") ?? "").split(whereSeparator: \.isNewline)
    where line.hasPrefix("patchrun_") {
      guard let space = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: space)...])
      else { continue }
      values[String(line[..<space])] = value
    }
    return values
  }

  /// The resident memory of a process in MB.
  private func memory(of process: Int32) -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kilobytes = Double(line.filter(\.isNumber))
    else { return 0 }
    return kilobytes / 1024
  }
}

/// Sends requests to a control socket, each on its own connection.
struct ControlCall {
  let path: String

  /// The whole response with its head; `nil` if there is none.
  func ask(_ method: String, _ target: String, body: String = "") -> String? {
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < 108 else { return nil }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(path.utf8))
    }
    let status = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { return nil }
    let request =
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    var bytes = Array(request.utf8)
    while !bytes.isEmpty {
      let sent = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard sent > 0 else { return nil }
      bytes.removeFirst(sent)
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer += buffer.prefix(count)
    }
    return answer.isEmpty ? nil : String(decoding: answer, as: UTF8.self)
  }
}
