import ArgumentParser
import Diagnostics
import FileAccess
import Glibc

/// Standard output or standard error.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The width of the terminal; `nil` for no terminal.
  var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes a text for people. Control characters are escaped, even if the stream is no terminal.
  /// Returns the error number; 0 for none. A closed pipe is no error: its reader wants no more.
  @discardableResult
  func put(_ text: String) -> Int32 { put(Array(TerminalText.safe(text).utf8)) }

  /// Writes a result that may be for a program: unchanged, but escaped on a terminal.
  func put(result text: String) -> Int32 {
    put(Array((isTerminal ? TerminalText.safe(text, escape: .json) : text).utf8))
  }

  /// Writes the drawing of a `ScreenGrid`, whose cells contain only printable characters. Returns
  /// the error number, also for a closed pipe.
  @discardableResult
  func put(drawn text: String) -> Int32 { writeAll(Array(text.utf8), to: rawValue) }

  /// Writes bytes, or keeps them if the thread collects its output (`CollectedOutput`). Returns the
  /// error number; 0 for none.
  func put(_ bytes: [UInt8]) -> Int32 {
    guard !CollectedOutput.take(bytes, for: self) else { return 0 }
    let number = writeAll(bytes, to: rawValue)
    // The reader of a closed pipe wants no more.
    return number == EPIPE ? 0 : number
  }

  /// Appends a text to a file and creates it if necessary. Returns the error number; 0 for none.
  static func append(_ text: String, to path: String) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return put(text, to: file)
  }

  private static func put(_ text: String, to descriptor: Int32) -> Int32 {
    let number = writeAll(Array(text.utf8), to: descriptor)
    // The reader of a closed pipe wants no more.
    return number == EPIPE ? 0 : number
  }

  /// Opens `/dev/null` in place of closed standard streams, so that no other file gets their
  /// descriptors.
  static func openMissing() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      // `open` returns the lowest free descriptor, which is the missing one. Descriptor 1 is opened
      // for reading, so that writing a result fails; messages may be lost.
      _ = unsafe open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// When to use colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never

  /// Whether a stream is coloured. With `auto`: on a terminal, unless `NO_COLOR` (no-color.org) is
  /// set; also elsewhere with `FORCE_COLOR` (force-color.org) or `CLICOLOR_FORCE`
  /// (bixense.com/clicolors).
  func colors(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    func isSet(_ name: String) -> Bool { !["", "0"].contains(environment(name) ?? "") }
    return switch self {
    case .always: true
    case .never: false
    case .auto:
      (environment("NO_COLOR") ?? "").isEmpty
        && (isSet("FORCE_COLOR") || isSet("CLICOLOR_FORCE")
          || isTerminal && environment("TERM") != "dumb")
    }
  }

  func colors(_ stream: StandardStream) -> Bool {
    colors(isTerminal: stream.isTerminal, environment: environmentVariable)
  }
}

/// A variable of the environment; `nil` if it is not set.
func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)
}

/// The system's message of an error number, in lower case.
func systemMessage(_ number: Int32) -> String { FileRefusal.text(errno: number) }
