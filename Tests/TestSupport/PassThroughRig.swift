import Foundation
import RenderCore
import RenderHost
import Synchronization

/// A server of its own with a microphone and a loudspeaker whose clocks may differ, a source of clicks on
/// the one side and a recorder on the other: measures what somebody between the two makes of it.
///
/// The microphone is a pipe that a thread here fills, as fast as its clock is said to be; the loudspeaker
/// a null sink by the machine's clock. A click goes into the pipe every half second. Where it is in what
/// the sink plays is found to a small part of a frame, so that one finds both how long the way was and at
/// which pitch what lies between two clicks was heard.
public final class PassThroughRig {
  public struct Click: Sendable {
    /// When it was heard, in seconds since the first frame that the recorder got.
    public var time: Double
    /// From when it went into the pipe to when the sink was given it, in seconds.
    public var latency: Double
    /// How far what lies between this click and the one before is off its pitch, in cents.
    public var cents: Double
  }

  public static let source = "mic"
  public static let sink = "out"
  public static let sampleRate = 48_000.0
  static var rate: Double { sampleRate }

  public let server: PrivatePulse
  /// How much faster the microphone's clock is than the machine's, in millionths.
  public let drift: Double
  private let feeder: Feeder
  private var thread: HostThread?

  /// - Parameter lump: Frames that the microphone delivers at a time.
  public init(drift: Double = 0, lump: Int = 240) throws {
    server = try PrivatePulse([.init(Self.sink)])
    self.drift = drift
    let path = server.directory.path + "/microphone"
    try server.control(
      "load-module", "module-pipe-source", "source_name=\(Self.source)", "file=\(path)",
      "format=float32le", "rate=48000", "channels=2")
    feeder = try Feeder(path: path, rate: Self.rate * (1 + drift * 1e-6), lump: lump)
    let feeder = feeder
    thread = try HostThread("microphone") { feeder.run() }
  }

  deinit {
    feeder.isStopping.store(true, ordering: .relaxed)
    thread?.join()
  }

  /// Starts a program on the server.
  ///
  /// - Parameter files: What is written beside the server before, by name; in the arguments `@name` is where.
  public func start(
    _ path: String, _ arguments: [String], files: [String: String] = [:]
  ) throws -> ChildProcess {
    for (name, text) in files {
      try text.write(to: server.directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    return try ChildProcess(
      path,
      arguments.map { $0.hasPrefix("@") ? server.directory.path + "/" + $0.dropFirst() : $0 },
      environment: server.environment, errors: server.directory.path + "/errors")
  }

  /// What programs that were started have said on standard error.
  public var errors: String {
    (try? String(contentsOf: server.directory.appendingPathComponent("errors"), encoding: .utf8)) ?? ""
  }

  /// Records what the sink plays for some seconds, and says where the clicks are in it.
  public func record(seconds: Double) throws -> [Click] {
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
    return clicks(in: samples, marks)
  }

  private func clicks(
    in samples: [Float], _ marks: [(frames: Int, time: Double)]
  ) -> [Click] {
    var found: [Click] = []
    var before: (frame: Double, click: Int)?
    var (index, mark) = (64, 0)
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
      while mark < marks.count, Double(marks[mark].frames) < place { mark += 1 }
      guard mark < marks.count else { break }
      let time =
        marks[mark].time - (Double(marks[mark].frames) - place) / Self.rate
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
        Click(time: time - (marks.first?.time ?? 0), latency: time - given, cents: cents))
      before = (place, number)
    }
    return found
  }

  /// The thread that fills the pipe.
  private final class Feeder: @unchecked Sendable {
    // `@unchecked Sendable`: what is not atomic is set before the thread is there, or belongs to it.
    let isStopping = Atomic<Bool>(false)
    /// When frame 0 is heard, in seconds of the monotonic clock.
    let begin: Double
    private let descriptor: Int32
    private let rate: Double
    private let lump: Int

    /// In frames of the microphone: from click to click, and from a click's beginning to its middle.
    static let interval = 24_000.0
    static let width = 96
    static let middle = Double(width - 1) / 2

    init(path: String, rate: Double, lump: Int) throws {
      descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw PrivatePulse.Failure(description: "cannot open the microphone's pipe")
      }
      self.rate = rate
      self.lump = lump
      begin = Double(monotonicNanoseconds()) * 1e-9
    }

    deinit { close(descriptor) }

    func run() {
      _ = HostThread.requestRealTime(priority: 4)
      let click = (0..<Self.width).map { frame in
        Float(0.25 * (1 - cos(2 * Double.pi * (Double(frame) + 0.5) / Double(Self.width))))
      }
      var samples = [Float](repeating: 0, count: 2 * lump)
      var frame = 0
      while !isStopping.load(ordering: .relaxed) {
        for index in 0..<lump {
          let place = (frame + index) % Int(Self.interval)
          let value = place < Self.width ? click[place] : 0
          samples[2 * index] = value
          samples[2 * index + 1] = value
        }
        frame += lump
        // A lump is there when its last frame has been heard.
        let due = begin + Double(frame) / rate
        var time = timespec(tv_sec: Int(due), tv_nsec: Int((due - due.rounded(.down)) * 1e9))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
        // What finds no room is lost, as with any microphone that nobody hears.
        unsafe samples.withUnsafeBytes { bytes in
          _ = unsafe write(descriptor, bytes.baseAddress!, bytes.count)
        }
      }
    }
  }
}
