import Glibc

/// A pseudoterminal with a program in it, and the contents of its screen.
public final class PseudoTerminal {
  public let process: ChildProcess
  public private(set) var screen: TerminalEmulator
  /// Everything that the program has written.
  public private(set) var written: [UInt8] = []
  private let master: Int32
  /// Kept open so that the terminal remains after the program has ended.
  private let slave: Int32

  /// Starts the program at `path`, without searching PATH, in a new session with this controlling
  /// terminal.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String], columns: Int, rows: Int
  ) throws {
    screen = TerminalEmulator(columns: columns, rows: rows)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe openpty(&ends.master, &ends.slave, nil, nil, nil) == 0,
      unsafe ttyname_r(ends.slave, &name, name.count) == 0
    else { throw ChildProcess.Failure(description: "there is no pseudo-terminal: error \(errno)") }
    (master, slave) = (ends.master, ends.slave)
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    Self.resize(master, columns, rows)
    process = try ChildProcess(
      path, arguments, environment: environment,
      terminal: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
  }

  deinit {
    if process.isRunning {
      process.signal(SIGKILL)
      process.wait()
    }
    close(master)
    close(slave)
  }

  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(master, bytes, bytes.count)
  }

  /// Changes the size, as dragging a window does. The program gets SIGWINCH.
  public func resize(columns: Int, rows: Int) {
    take()
    screen.resize(columns: columns, rows: rows)
    Self.resize(master, columns, rows)
  }

  private static func resize(_ descriptor: Int32, _ columns: Int, _ rows: Int) {
    var size = winsize()
    size.ws_col = UInt16(columns)
    size.ws_row = UInt16(rows)
    _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  /// The settings of the terminal: flags and control characters.
  public var settings: [UInt32] {
    var settings = termios()
    guard unsafe tcgetattr(slave, &settings) == 0 else { return [] }
    let characters = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe $0.map(UInt32.init) }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + characters
  }

  /// Reads the output so far. Returns whether there was any.
  @discardableResult
  public func take() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var isAny = false
    while true {
      let count = unsafe read(master, &bytes, bytes.count)
      guard count > 0 else { return isAny }
      isAny = true
      written += bytes.prefix(count)
      screen.write(bytes.prefix(count))
    }
  }

  /// Waits for a condition for at most 20 s, and returns whether it holds.
  public func wait(_ condition: () throws -> Bool) rethrows -> Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let end = now.tv_sec + 20
    while now.tv_sec < end {
      take()
      if try condition() { return true }
      usleep(10_000)
      unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    }
    return false
  }

  /// Waits until the screen contains a text.
  public func waitFor(_ text: String) -> Bool { wait { screen.text.contains(text) } }

  /// Waits for the end of the program. Returns its exit status, or 128 plus the number of the
  /// signal.
  public func waitForEnd() -> Int32 {
    _ = wait { !process.isRunning }
    guard !process.isRunning else { return -1 }
    take()
    return process.wait()
  }
}
