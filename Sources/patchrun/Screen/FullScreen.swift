import CShims
import Glibc
import TerminalScreen

/// The terminal of the process in raw mode on its alternate screen.
///
/// The terminal is restored when the program leaves the screen, is suspended, or dies of a fatal
/// signal. Only one instance, on the main thread.
@safe
final class FullScreen {
  /// Readable after a signal: see `takeSignal`.
  let signalDescriptor: Int32
  private var before = termios()
  private var isEntered = false
  private var writer: ScreenWriter
  /// Whether the terminal is gone, so that writes fail.
  private(set) var isGone = false

  /// The text that `leave` writes, in C memory for a signal handler. Lives as long as the process.
  nonisolated(unsafe) private static let leaveText: UnsafePointer<CChar>? = unsafe strdup(
    ScreenWriter.leave
  ).map { unsafe UnsafePointer($0) }

  /// Prepares the screen. Blocks signals in this thread and in those that it creates later: call it
  /// before there are others.
  init(hasColors: Bool, isUTF8: Bool) throws(CommandFailure) {
    writer = ScreenWriter(hasColors: hasColors, isUTF8: isUTF8)
    signalDescriptor = shims_signal_descriptor()
    guard signalDescriptor >= 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "signals cannot be received: \(systemMessage(errno))")
    }
    guard unsafe tcgetattr(0, &before) == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "the terminal cannot be set: \(systemMessage(errno))",
        help: ["--plain prints lines"])
    }
    enter()
  }

  deinit {
    leave()
    close(signalDescriptor)
  }

  /// Sets the terminal even if it is entered already: a shell may have changed it.
  func enter() {
    if let leaveText = unsafe Self.leaveText, !isEntered {
      unsafe shims_guard_terminal(0, leaveText)
    }
    var raw = before
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON | INLCR | IGNCR)
    raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    raw.c_cflag &= ~tcflag_t(PARENB)
    raw.c_cflag |= tcflag_t(CS8)
    _ = unsafe tcsetattr(0, TCSADRAIN, &raw)
    put(ScreenWriter.enter)
    writer.forget()
    isEntered = true
  }

  func leave() {
    guard isEntered else { return }
    isEntered = false
    put(ScreenWriter.leave)
    // Discards typed input that was not read, so that the shell does not get it.
    _ = unsafe tcsetattr(0, TCSAFLUSH, &before)
    shims_unguard_terminal()
  }

  /// Stops the process as Ctrl-Z does, and enters the screen again when it continues.
  func suspend() {
    leave()
    shims_stop_as_the_terminal_does()
    enter()
  }

  /// Makes the next `show` draw everything.
  func forget() { writer.forget() }

  func show(_ grid: ScreenGrid) { put(writer.update(to: grid)) }

  /// The size of the terminal; 80 columns and 24 rows if unknown.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    let isKnown = unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0
    return (
      isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80,
      isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
    )
  }

  /// The next pending signal; `nil` for none.
  func takeSignal() -> Int32? {
    let number = shims_take_signal(signalDescriptor)
    return number == 0 ? nil : number
  }

  /// The typed bytes; `nil` at the end of the input.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Glibc.read(0, &bytes, bytes.count)
    if count > 0 { return Array(bytes.prefix(count)) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }

  private func put(_ text: String) {
    guard !text.isEmpty else { return }
    if StandardStream.output.put(drawn: text) != 0 { isGone = true }
  }
}

/// The abilities of a terminal according to the environment.
enum TerminalAbilities {
  /// Whether it can address its cells.
  static func hasScreen(_ environment: (String) -> String?) -> Bool {
    let name = environment("TERM") ?? ""
    return !name.isEmpty && name != "dumb"
  }

  /// Whether it shows Unicode blocks and lines: the locale is UTF-8, and it is not the Linux
  /// console, whose fonts have few of them.
  static func isUTF8(_ environment: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return (name.contains("utf-8") || name.contains("utf8")) && environment("TERM") != "linux"
  }
}
