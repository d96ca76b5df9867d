import Foundation
import RenderCore
import RenderHost
import Synchronization

/// A private sound server with a microphone and a loudspeaker whose clocks may differ, a source of
/// clicks and a recorder. It measures the latency and the pitch of a program between the two.
///
/// The microphone is a pipe that a thread fills at the rate of the simulated clock, with a click
/// every half second. The position of a click in the sink's output is measured to a small fraction
/// of a frame. It gives the latency, and the distance of two clicks gives the pitch.
public final class PassThroughRig {
  public struct Click: Sendable {
    /// When it was played, in seconds since the first recorded frame.
    public var time: Double
    /// The time from its entry into the pipe until the sink got it, in seconds.
    public var latency: Double
    /// The deviation of the pitch between the previous click and this one, in cents.
    public var cents: Double
  }

  public enum Loudspeaker: Sendable {
    /// Every PulseAudio has one. Its clock is about 200 ppm faster than the machine's, since it
    /// counts in whole microseconds, and it jumps by 5 ms when the machine is busy.
    case nullSink
    /// A pipe that another thread empties at the machine's clock.
    case pipe
  }

  public static let source = "mic"
  public static let sink = "out"
  public static let sampleRate = 48_000.0
  static var rate: Double { sampleRate }

  public let server: PrivatePulse
  /// How much faster the microphone's clock is than the machine's, in parts per million.
  public let drift: Double
  private let feeder: Feeder
  private var drain: DrainedPipe?
  private var threads: [HostThread] = []

  /// - Parameter lump: The number of frames of a delivery of the microphone.
  public init(
    drift: Double = 0, lump: Int = 240, loudspeaker: Loudspeaker = .nullSink
  ) throws {
    server = try PrivatePulse(loudspeaker == .nullSink ? [.init(Self.sink)] : [])
    self.drift = drift
    if loudspeaker == .pipe {
      let path = server.directory.path + "/loudspeaker"
      try server.control(
        "load-module", "module-pipe-sink", "sink_name=\(Self.sink)", "file=\(path)",
        "format=float32le", "rate=48000", "channels=2")
      drain = try DrainedPipe(path: path, rate: Self.rate)
    }
    let path = server.directory.path + "/microphone"
    try server.control(
      "load-module", "module-pipe-source", "source_name=\(Self.source)", "file=\(path)",
      "format=float32le", "rate=48000", "channels=2")
    feeder = try Feeder(path: path, rate: Self.rate * (1 + drift * 1e-6), lump: lump)
    let feeder = feeder
    threads.append(try HostThread("microphone") { feeder.run() })
    if let drain { threads.append(try HostThread("loudspeaker") { drain.run() }) }
  }

  deinit {
    feeder.isStopping.store(true, ordering: .relaxed)
    drain?.isStopping.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
  }

  /// The frames that the loudspeaker lacked while it played; 0 for a null sink, which does not
  /// count them.
  public var lackedFrames: Int { drain?.lacked.load(ordering: .relaxed) ?? 0 }

  /// Starts a program on the server.
  ///
  /// - Parameter files: Files to write to the server's folder first, by name. `@name` in an
  ///   argument stands for the path.
  public func start(
    _ path: String, _ arguments: [String], files: [String: String] = [:]
  ) throws -> ChildProcess {
    for (name, text) in files {
      let file = server.directory.appendingPathComponent(name)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return try ChildProcess(
      path,
      arguments.map { $0.hasPrefix("@") ? server.directory.path + "/" + $0.dropFirst() : $0 },
      environment: server.environment, errors: server.directory.path + "/errors")
  }

  /// The standard error of the programs that were started.
  public var errors: String {
    (try? String(contentsOf: server.directory.appendingPathComponent("errors"), encoding: .utf8))
      ?? ""
  }

  /// Records the sink's output and returns the clicks in it.
  public func record(seconds: Double) throws -> [Click] {
    if let drain {
      let first = drain.count
      usleep(UInt32(seconds * 1e6))
      let samples = drain.samples(from: first)
      return clicks(in: samples) { drain.begin + (Double(first) + $0) / Self.rate }
    }
    return try recordMonitor(seconds: seconds)
  }

  private func recordMonitor(seconds: Double) throws -> [Click] {
    let path = server.directory.path + "/recording-\(UUID().uuidString.prefix(8))"
    guard unsafe mkfifo(path, 0o600) == 0 else {
      throw PrivatePulse.Failure(description: "cannot make a pipe")
    }
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(descriptor) }
    let recorder = try ChildProcess(
      "/usr/bin/parec",
      [
        "--device=\(Self.sink).monitor", "--format=float32le", "--rate=48000", "--channels=1",
        "--latency-msec=100", "--raw",
      ], environment: server.environment, output: path)
    defer {
      recorder.signal(SIGTERM)
      recorder.wait()
    }
    var line = DeviceTimeline(sampleRate: Self.rate)
    var samples: [Float] = []
    // Numbers of frames, with the time of the last of them by the line.
    var marks: [(frames: Int, time: Double)] = []
    var buffer = [Float](repeating: 0, count: 65_536)
    let begin = monotonicNanoseconds()
    while Double(monotonicNanoseconds() - begin) < seconds * 1e9 {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress!, $0.count)
      }
      guard count > 0 else {
        usleep(200)
        continue
      }
      let frames = count / 4
      let first = samples.isEmpty
      samples += buffer[..<frames]
      // The line begins at the last frame of the first read.
      line.advance(by: frames, at: Double(monotonicNanoseconds()) * 1e-9)
      if first { continue }
      marks.append((samples.count, line.newestTime))
    }
    var mark = 0
    return clicks(in: samples) { place in
      while mark < marks.count, Double(marks[mark].frames) < place { mark += 1 }
      guard mark < marks.count else { return nil }
      return marks[mark].time - (Double(marks[mark].frames) - place) / Self.rate
    }
  }

  /// - Parameter time: Returns when a frame was played, in seconds of the monotonic clock; called
  ///   in ascending order.
  private func clicks(in samples: [Float], time: (_ frame: Double) -> Double?) -> [Click] {
    var found: [Click] = []
    var before: (frame: Double, click: Int)?
    var index = 64
    let begin = time(0) ?? 0
    let sourceRate = Self.rate * (1 + drift * 1e-6)
    while index < samples.count - 192 {
      guard samples[index] > 0.2 else {
        index += 1
        continue
      }
      // The centre of mass of the click, which no filter on the way moves.
      var (sum, moment) = (0.0, 0.0)
      for frame in index - 64..<index + 192 {
        sum += Double(samples[frame])
        moment += Double(samples[frame]) * Double(frame)
      }
      let place = moment / sum
      index += 4000
      guard let time = time(place) else { break }
      // The newest click that had entered the pipe by then.
      let number = Int(((time - feeder.begin) * sourceRate - Feeder.middle) / Feeder.interval)
      let given =
        feeder.begin + (Double(number) * Feeder.interval + Feeder.middle) / sourceRate
      var cents = 0.0
      if let before, number > before.click {
        let heard = (place - before.frame) / Self.rate
        let meant = Double(number - before.click) * Feeder.interval / sourceRate
        cents = 1200 * log2(meant / heard)
      }
      found.append(
        Click(time: time - begin, latency: time - given, cents: cents))
      before = (place, number)
    }
    return found
  }
}
