import CShims
import Glibc
import RenderHost
import Synchronization

/// An end of a pipe, or of what stands in its place: a socket, a file, a device such as `/dev/null`.
@safe
final class PipeEnd: Sendable {
  let descriptor: Int32
  /// What it is called where a person reads it: `standard output`, or the path in quotes.
  let name: String
  let direction: AudioDevice.Direction
  /// Whether it is a stream that the process was started with.
  let isStandard: Bool
  /// Whether the other end sets a pace: a pipe or a socket, and not a file.
  let waits: Bool
  /// Whether a read or a write that has to wait says so. What others have, too, is left as it is.
  private let isNonBlocking: Bool

  /// What a write to a pipe that is ready may have in bytes, so that it never waits (POSIX: PIPE_BUF).
  private static let sureBytes = 4096

  /// Opens what a user has named: a path, or `-` for a stream that the process was started with.
  ///
  /// A FIFO that nobody reads is waited for; one that nobody writes to is opened at once, and its
  /// first bytes are waited for.
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
      // A FIFO without a reader.
      guard errno == ENXIO || errno == EINTR else { throw .cannotOpen(path, errno) }
      guard isAwaited("somebody to read '\(path)'") else { throw .notAwaited(path) }
      usleep(50_000)
    }
  }

  /// How many bytes the pipe holds; `nil` for what is none.
  var capacity: Int? {
    let size = fcntl(descriptor, Self.getPipeSize)
    return size > 0 ? Int(size) : nil
  }

  /// Asks for a pipe that holds no more than so many bytes, so that little waits in it.
  func limitCapacity(to bytes: Int) {
    _ = fcntl(descriptor, Self.setPipeSize, Int32(clamping: bytes))
  }

  // F_SETPIPE_SZ and F_GETPIPE_SZ of <fcntl.h>, which only _GNU_SOURCE shows.
  private static let setPipeSize: Int32 = 1031
  private static let getPipeSize: Int32 = 1032

  /// Bytes that wait in the pipe; 0 for what is none.
  var waitingBytes: Int {
    var count: Int32 = 0
    guard unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
    return Int(count)
  }

  // MARK: Reading and writing

  enum Transfer: Equatable {
    case bytes(Int)
    /// Nothing could be moved without waiting.
    case wouldWait
    /// The other end has been closed.
    case closed
    /// An error number of the system.
    case failed(Int32)
  }

  /// Writes what can be written without waiting.
  func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    guard isReady(Int16(POLLOUT)) else { return .wouldWait }
    let length = isNonBlocking ? bytes.count : min(bytes.count, Self.sureBytes)
    let count = unsafe Glibc.write(descriptor, bytes.baseAddress, length)
    guard count < 0 else { return .bytes(count) }
    if errno == EPIPE || errno == ECONNRESET { return .closed }
    return errno == EINTR || errno == EAGAIN ? .wouldWait : .failed(errno)
  }

  /// Reads what is there.
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

/// Wakes the thread of the pipes.
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

  func ring() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(descriptor, &one, 8)
  }

  /// Waits until it rings, or an end is ready, for about so many seconds at the most. Returns whether the
  /// reader of `watched` has gone.
  @discardableResult
  func sleep(
    _ seconds: Double, orUntil end: PipeEnd? = nil, watching watched: PipeEnd? = nil
  ) -> Bool {
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let end {
      let events = end.direction == .sink ? POLLOUT : POLLIN
      waiting.append(pollfd(fd: end.descriptor, events: Int16(events), revents: 0))
    }
    // Of no events there are always errors, and one is a reader that has gone.
    if let watched { waiting.append(pollfd(fd: watched.descriptor, events: 0, revents: 0)) }
    // A wait is as long as it is in whole milliseconds; what is shorter is slept through.
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
