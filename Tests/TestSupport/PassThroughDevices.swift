import Glibc
import RenderCore
import RenderHost
import Synchronization

extension PassThroughRig {
  /// The thread that fills the microphone's pipe.
  final class Feeder: @unchecked Sendable {
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

  /// The thread that empties the loudspeaker's pipe, and keeps what it was given.
  final class DrainedPipe: @unchecked Sendable {
    // `@unchecked Sendable`: what is not atomic or locked is set before the thread is there, or belongs to it.
    let isStopping = Atomic<Bool>(false)
    let lacked = Atomic<Int>(0)
    /// When frame 0 was played, in seconds of the monotonic clock.
    let begin: Double
    private let descriptor: Int32
    private let rate: Double
    private let played = Mutex<[Float]>([])

    /// Frames that are taken at a time.
    private static let lump = 48

    init(path: String, rate: Double) throws {
      descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw PrivatePulse.Failure(description: "cannot open the loudspeaker's pipe")
      }
      // 43 ms, by which a server may be late; what waits in it is heard that much later.
      // F_SETPIPE_SZ, which Glibc's module does not have.
      _ = fcntl(descriptor, 1031, 16384)
      self.rate = rate
      begin = Double(monotonicNanoseconds()) * 1e-9
      played.withLock { $0.reserveCapacity(Int(rate) * 200) }
    }

    deinit { close(descriptor) }

    /// Frames played by now.
    var count: Int { played.withLock { $0.count } }

    func samples(from first: Int) -> [Float] { played.withLock { Array($0[first...]) } }

    func run() {
      _ = HostThread.requestRealTime(priority: 4)
      var samples = [Float](repeating: 0, count: 2 * Self.lump)
      var frame = 0
      var hasBegun = false
      while !isStopping.load(ordering: .relaxed) {
        frame += Self.lump
        let due = begin + Double(frame) / rate
        var time = timespec(tv_sec: Int(due), tv_nsec: Int((due - due.rounded(.down)) * 1e9))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
        let count = unsafe samples.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress!, $0.count)
        }
        let frames = max(0, count) / 8
        hasBegun = hasBegun || frames > 0
        if hasBegun, frames < Self.lump {
          lacked.wrappingAdd(Self.lump - frames, ordering: .relaxed)
        }
        // A loudspeaker that lacks frames plays silence.
        played.withLock { played in
          for index in 0..<Self.lump { played.append(index < frames ? samples[2 * index] : 0) }
        }
      }
    }
  }
}
