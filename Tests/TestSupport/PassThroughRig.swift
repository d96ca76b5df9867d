import Foundation
import RenderCore
import RenderHost
import Synchronization

/// A server of its own with a microphone and a loudspeaker whose clocks may differ, a source of clicks on
/// the one side and a recorder on the other: measures what somebody between the two makes of it.
///
/// The microphone is a pipe that a thread here fills, as fast as its clock is said to be. A click goes into
/// it every half second. Where it is in what the sink plays is found to a small part of a frame, so that one
/// finds both how long the way was and at which pitch what lies between two clicks was heard.
public final class PassThroughRig {
  public struct Click: Sendable {
    /// When it was heard, in seconds since the first frame that the recorder got.
    public var time: Double
    /// From when it went into the pipe to when the sink was given it, in seconds.
    public var latency: Double
    /// How far what lies between this click and the one before is off its pitch, in cents.
    public var cents: Double
  }

  public enum Loudspeaker: Sendable {
    /// What every PulseAudio has. It is some 200 millionths faster than the machine's clock, since it counts
    /// its time in whole microseconds, and moves 5 ms ahead or back where the machine was busy.
    case nullSink
    /// A pipe that another thread empties, by the machine's clock.
    case pipe
  }

  public static let source = "mic"
  public static let sink = "out"
  public static let sampleRate = 48_000.0
  static var rate: Double { sampleRate }

  public let server: PrivatePulse
  /// How much faster the microphone's clock is than the machine's, in millionths.
  public let drift: Double
  private let feeder: Feeder
  private var drain: DrainedPipe?
  private var threads: [HostThread] = []

  /// - Parameter lump: Frames that the microphone delivers at a time.
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

  /// Frames that the loudspeaker lacked while it played; 0 for one that does not say.
  public var lackedFrames: Int { drain?.lacked.load(ordering: .relaxed) ?? 0 }

  /// Starts a program on the server.
  ///
  /// - Parameter files: What is written beside the server before, by name; in the arguments `@name` is where.
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

  /// What programs that were started have said on standard error.
  public var errors: String {
    (try? String(contentsOf: server.directory.appendingPathComponent("errors"), encoding: .utf8))
      ?? ""
  }

  /// Records what the sink plays for some seconds, and says where the clicks are in it.
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
    // How many frames there were, and when the line has the last of them.
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
      // The line begins with the last frame of the first piece.
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

  /// - Parameter time: When a frame was played, in seconds of the monotonic clock; asked in their order.
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
      // The middle of what is there, which no filter between moves.
      var (sum, moment) = (0.0, 0.0)
      for frame in index - 64..<index + 192 {
        sum += Double(samples[frame])
        moment += Double(samples[frame]) * Double(frame)
      }
      let place = moment / sum
      index += 4000
      guard let time = time(place) else { break }
      // The newest that had gone into the pipe by then.
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
