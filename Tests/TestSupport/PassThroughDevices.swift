import Glibc
import RenderCore
import RenderHost
import Synchronization

extension PassThroughRig {
  /// The thread that fills the microphone's pipe.
  final class Feeder: @unchecked Sendable {
    // `@unchecked Sendable`: members that are not atomic are set before the thread starts or used
    // by it only.
    let isStopping = Atomic<Bool>(false)
    /// When frame 0 was captured, in seconds of the monotonic clock.
    let begin: Double
    private let descriptor: Int32
    private let rate: Double
    private let lump: Int

    /// In frames of the microphone: the interval between clicks, and from the start of a click to
    /// its middle.
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
        // A delivery is due when its last frame has been captured.
        let due = begin + Double(frame) / rate
        var time = timespec(tv_sec: Int(due), tv_nsec: Int((due - due.rounded(.down)) * 1e9))
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
        // Frames that do not fit into the pipe are lost, as with a microphone that no program
        // reads.
        unsafe samples.withUnsafeBytes { bytes in
          _ = unsafe write(descriptor, bytes.baseAddress!, bytes.count)
        }
      }
    }
  }

  /// The thread that empties the loudspeaker's pipe and keeps the frames.
  final class DrainedPipe: @unchecked Sendable {
    // `@unchecked Sendable`: members that are neither atomic nor locked are set before the thread
    // starts.
    let isStopping = Atomic<Bool>(false)
    let lacked = Atomic<Int>(0)
    /// When frame 0 was played, in seconds of the monotonic clock.
    let begin: Double
    private let descriptor: Int32
    private let rate: Double
    private let played = Mutex<[Float]>([])

    /// The number of frames that are read at a time.
    private static let lump = 48

    init(path: String, rate: Double) throws {
      descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK)
      guard descriptor >= 0 else {
        throw PrivatePulse.Failure(description: "cannot open the loudspeaker's pipe")
      }
      // Room for 43 ms, which the server may be late; frames that wait in it are heard that much
      // later. 1031 is F_SETPIPE_SZ, which the Glibc module does not have.
      _ = fcntl(descriptor, 1031, 16384)
      self.rate = rate
      begin = Double(monotonicNanoseconds()) * 1e-9
      played.withLock { $0.reserveCapacity(Int(rate) * 200) }
    }

    deinit { close(descriptor) }

    /// The number of frames played so far.
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
