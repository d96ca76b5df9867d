import CShims
import Glibc
import RenderHost
import Synchronization

/// An end of a pipe, or of a socket, a file or a device such as `/dev/null` in its place.
@safe
final class PipeEnd: Sendable {
  let descriptor: Int32
  /// The name for messages: `standard output`, or the path in quotes.
  let name: String
  let direction: AudioDevice.Direction
  /// Whether it is standard input or standard output.
  let isStandard: Bool
  /// Whether the other end sets the pace: true for a pipe or a socket, false for a file.
  let waits: Bool
  /// Whether the descriptor is non-blocking. Standard streams are not changed, because other
  /// processes share them.
  private let isNonBlocking: Bool

  /// The most bytes that can be written to a ready pipe without blocking (POSIX: PIPE_BUF).
  private static let atomicByteCount = 4096

  /// Opens a path, or `-` for a standard stream.
  ///
  /// Waits for a reader of a FIFO that is opened for writing. A FIFO for reading is opened at once,
  /// and its first bytes are waited for later.
  ///
  /// - Parameter isAwaited: See `AudioBackEnd`.
  init(
    _ path: String, _ direction: AudioDevice.Direction, isAwaited: (String) -> Bool
  ) throws(HardwareError) {
    self.direction = direction
    isStandard = path == "-"
    if isStandard {
      descriptor = direction == .sink ? STDOUT_FILENO : STDIN_FILENO
      name = direction == .sink ? "standard output" : "standard input"
      isNonBlocking = false
      try Self.checkStandard(descriptor, name, direction)
    } else {
      name = "'\(path)'"
      isNonBlocking = true
      descriptor = try Self.open(path, direction, isAwaited: isAwaited)
    }
    var status = stat()
    _ = unsafe fstat(descriptor, &status)
    waits = [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  deinit { if !isStandard { close(descriptor) } }

  private static func checkStandard(
    _ descriptor: Int32, _ name: String, _ direction: AudioDevice.Direction
  ) throws(HardwareError) {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != (direction == .sink ? O_RDONLY : O_WRONLY) else {
      throw HardwareError(.noDevice, "\(name) is closed")
    }
    guard isatty(descriptor) == 0 else {
      throw HardwareError(
        .invalidRequest,
        direction == .sink
          ? "samples are nothing for a terminal" : "a terminal is no microphone",
        help: direction == .sink
          ? "send them on: '--to - | aplay', or name a pipe: '--to PATH'"
          : "give it samples: 'arecord -f cd -t wav | patchrun run ... --from -'")
    }
  }

  private static func open(
    _ path: String, _ direction: AudioDevice.Direction, isAwaited: (String) -> Bool
  ) throws(HardwareError) -> Int32 {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .cannotOpen(path, errno) }
      throw HardwareError(
        .noSuchDevice, "there is no pipe '\(path)'", help: "'mkfifo \(path)' makes one")
    }
    if direction == .sink, status.st_mode & S_IFMT == S_IFREG {
      throw HardwareError(
        .invalidRequest, "'\(path)' is a file, and --to is for pipes",
        help: "'patchrun render FILE -o \(path)' renders to a file; 'mkfifo' makes a pipe")
    }
    let mode = (direction == .sink ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC
    while true {
      let descriptor = unsafe Glibc.open(path, mode)
      if descriptor >= 0 { return descriptor }
      // A FIFO without a reader gives ENXIO.
      guard errno == ENXIO || errno == EINTR else { throw .cannotOpen(path, errno) }
      guard isAwaited("somebody to read '\(path)'") else { throw .notAwaited(path) }
      usleep(50_000)
    }
  }

  /// The capacity of the pipe in bytes; `nil` for anything else.
  var capacity: Int? {
    let size = fcntl(descriptor, Self.getPipeSize)
    return size > 0 ? Int(size) : nil
  }

  /// Sets the capacity of the pipe to at most so many bytes, so that few frames wait in it.
  func limitCapacity(to bytes: Int) {
    _ = fcntl(descriptor, Self.setPipeSize, Int32(clamping: bytes))
  }

  // F_SETPIPE_SZ and F_GETPIPE_SZ of <fcntl.h>, which only _GNU_SOURCE makes visible.
  private static let setPipeSize: Int32 = 1031
  private static let getPipeSize: Int32 = 1032

  /// The bytes that wait in the pipe; 0 for anything else.
  var waitingBytes: Int {
    var count: Int32 = 0
    guard unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
    return Int(count)
  }

  // MARK: Reading and writing

  enum Transfer: Equatable {
    case bytes(Int)
    /// Nothing could be transferred without waiting.
    case wouldWait
    /// The other end is closed.
    case closed
    /// The `errno` of a failure.
    case failed(Int32)
  }

  /// Writes as much as it can without waiting.
  func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    guard isReady(Int16(POLLOUT)) else { return .wouldWait }
    let length = isNonBlocking ? bytes.count : min(bytes.count, Self.atomicByteCount)
    let count = unsafe Glibc.write(descriptor, bytes.baseAddress, length)
    guard count < 0 else { return .bytes(count) }
    if errno == EPIPE || errno == ECONNRESET { return .closed }
    return errno == EINTR || errno == EAGAIN ? .wouldWait : .failed(errno)
  }

  /// Reads the bytes that are there.
  func read(into buffer: inout [UInt8]) -> Transfer {
    guard isReady(Int16(POLLIN)) else { return .wouldWait }
    let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
    guard count <= 0 else { return .bytes(count) }
    if count == 0 { return .closed }
    return errno == EINTR || errno == EAGAIN ? .wouldWait : .failed(errno)
  }

  private func isReady(_ events: Int16) -> Bool {
    var waiting = pollfd(fd: descriptor, events: events, revents: 0)
    return unsafe poll(&waiting, 1, 0) > 0
  }
}

/// Wakes the thread that pulls.
@safe
final class PipeAlarm: Sendable {
  private let descriptor: Int32

  init() throws(HardwareError) {
    descriptor = shims_event_descriptor()
    guard descriptor >= 0 else {
      throw HardwareError(
        .systemError, "cannot make an event descriptor", help: "look at 'ulimit -n'")
    }
  }

  deinit { close(descriptor) }

  func wake() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(descriptor, &one, 8)
  }

  /// Waits until the alarm rings or an end is ready, for about so many seconds at most. Returns
  /// whether the reader of `watched` has gone.
  @discardableResult
  func sleep(
    _ seconds: Double, orUntil end: PipeEnd? = nil, watching watched: PipeEnd? = nil
  ) -> Bool {
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let end {
      let events = end.direction == .sink ? POLLOUT : POLLIN
      waiting.append(pollfd(fd: end.descriptor, events: Int16(events), revents: 0))
    }
    // `poll` always reports errors, among them that the reader has gone.
    if let watched { waiting.append(pollfd(fd: watched.descriptor, events: 0, revents: 0)) }
    // `poll` takes whole milliseconds; shorter waits are slept.
    let microseconds = max(0, min(seconds, 60)) * 1e6
    if microseconds < 1000 { usleep(UInt32(microseconds)) }
    guard unsafe poll(&waiting, nfds_t(waiting.count), Int32(microseconds / 1000)) > 0 else {
      return false
    }
    if waiting[0].revents != 0 {
      var count: UInt64 = 0
      _ = unsafe Glibc.read(descriptor, &count, 8)
    }
    return watched != nil && waiting[waiting.count - 1].revents & Int16(POLLERR) != 0
  }
}

extension HardwareError {
  static func cannotOpen(_ path: String, _ number: Int32) -> HardwareError {
    HardwareError(.systemError, "'\(path)' cannot be opened: \(systemMessage(number))")
  }

  static func notAwaited(_ path: String) -> HardwareError {
    HardwareError(.cancelled, "nobody came to the other end of '\(path)'")
  }
}
