import CShims
import Glibc
import TerminalScreen

/// The terminal of the process as one screen without echo, and as it was again.
///
/// It is put back when the program leaves, when it is suspended, and when it dies of a fatal signal.
/// There is one at a time, of the main thread.
@safe
final class FullScreen {
  /// Becomes readable when a signal has come: `takeSignal` has it.
  let signalDescriptor: Int32
  private var before = termios()
  private var isEntered = false
  private var writer: ScreenWriter
  /// Whether the terminal is gone: what is written comes nowhere.
  private(set) var isGone = false

  /// What `leave` writes, for a handler that may not make strings. Lives as long as the process.
  nonisolated(unsafe) private static let farewell: UnsafePointer<CChar>? = unsafe strdup(
    ScreenWriter.leave
  ).map { unsafe UnsafePointer($0) }

  /// Goes over to the screen. Signals are blocked from now on, in this thread and in all that it
  /// makes: there should be none yet.
  init(hasColors: Bool, isUTF8: Bool) throws(CommandFailure) {
    writer = ScreenWriter(hasColors: hasColors, isUTF8: isUTF8)
    signalDescriptor = shims_signal_descriptor()
    guard signalDescriptor >= 0 else {
      throw CommandFailure(
        ExitStatus.worldRefused, "signals cannot be received: \(systemMessage(errno))")
    }
    guard unsafe tcgetattr(0, &before) == 0 else {
      throw CommandFailure(
        ExitStatus.worldRefused, "the terminal cannot be set: \(systemMessage(errno))",
        help: ["--plain prints lines"])
    }
    enter()
  }

  deinit {
    leave()
    close(signalDescriptor)
  }

  /// Also where it is entered already: somebody else may have set the terminal meanwhile.
  func enter() {
    if let farewell = unsafe Self.farewell, !isEntered { unsafe shims_guard_terminal(0, farewell) }
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
    // What was typed and not read is not for the shell.
    _ = unsafe tcsetattr(0, TCSAFLUSH, &before)
    shims_unguard_terminal()
  }

  /// Stops as Ctrl-Z does, and comes back when it goes on.
  func suspend() {
    leave()
    shims_stop_as_the_terminal_does()
    enter()
  }

  /// Sends it whole the next time.
  func forget() { writer.forget() }

  func show(_ grid: ScreenGrid) { put(writer.update(to: grid)) }

  /// Columns and rows; what cannot be known is 80 by 24.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    let isKnown = unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0
    return (
      isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80,
      isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
    )
  }

  /// A signal that has come; `nil` for none.
  func takeSignal() -> Int32? {
    let number = shims_take_signal(signalDescriptor)
    return number == 0 ? nil : number
  }

  /// What has been typed. `nil` where nothing can be any more.
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

/// What a terminal can, by the variables that say so.
enum TerminalAbilities {
  /// Whether it has a screen to draw on.
  static func hasScreen(_ environment: (String) -> String?) -> Bool {
    let name = environment("TERM") ?? ""
    return !name.isEmpty && name != "dumb"
  }

  /// Whether it shows blocks and lines of Unicode: the locale's encoding is UTF-8. The Linux console
  /// reads that, and has few of them in its fonts.
  static func isUTF8(_ environment: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return (name.contains("utf-8") || name.contains("utf8")) && environment("TERM") != "linux"
  }
}
