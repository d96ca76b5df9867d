import ArgumentParser
import Diagnostics
import Glibc

/// A stream that the process was started with.
enum StandardStream: Int32 {
  case output = 1
  case error = 2

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The columns of the terminal; `nil` where there is none.
  var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of a text for a person: what must not reach a terminal is shown, wherever the stream
  /// leads to. Returns the system's error number, 0 for none. A reader that has gone is no error: it has
  /// had enough.
  @discardableResult
  func put(_ text: String) -> Int32 { put(Array(TerminalText.safe(text).utf8)) }

  /// Writes all of a result, which may be for a program: as it is, but to a terminal as `put` does.
  func put(result text: String) -> Int32 {
    put(Array((isTerminal ? TerminalText.safe(text, escape: .json) : text).utf8))
  }

  /// Writes what has been drawn for a terminal: a `ScreenGrid`, whose cells hold nothing else than what
  /// can be shown. Returns the system's error number, that of a reader that has gone too.
  @discardableResult
  func put(drawn text: String) -> Int32 { Self.write(Array(text.utf8), to: rawValue) }

  /// Writes bytes, or keeps them back where the thread collects (`CollectedOutput`). Returns the system's
  /// error number, 0 for none.
  func put(_ bytes: [UInt8]) -> Int32 {
    guard !CollectedOutput.take(bytes, for: self) else { return 0 }
    let number = Self.write(bytes, to: rawValue)
    // Whoever read it has enough.
    return number == EPIPE ? 0 : number
  }

  /// Adds a text to a file, which need not be there. Returns the system's error number, 0 for none.
  static func append(_ text: String, to path: String) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return put(text, to: file)
  }

  private static func put(_ text: String, to descriptor: Int32) -> Int32 {
    let number = write(Array(text.utf8), to: descriptor)
    // Whoever read it has enough.
    return number == EPIPE ? 0 : number
  }

  /// Writes all of some bytes. Returns the system's error number, 0 for none.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// Puts what stands for a stream that was closed in its place, so that no file that is opened
  /// later is taken for it.
  static func openMissing() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free descriptor is the one that is missing.
      // Results that nobody can have are told by the write that fails; messages may go nowhere.
      _ = unsafe open("/dev/null", descriptor == 2 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// When to use colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never

  /// Whether a stream is coloured: asked for, or a terminal that can and a user who has not said no
  /// (`NO_COLOR`, no-color.org), or a user who wants colours anywhere (`FORCE_COLOR`, force-color.org, and
  /// `CLICOLOR_FORCE`, bixense.com/clicolors).
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

/// A variable of the environment; `nil` for one that is not set.
func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)
}

/// The system's words for an error number, in lower case.
func systemMessage(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = unsafe strerror_r(number, &buffer, buffer.count)
  let text = String(
    decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.prefix(1).lowercased() + text.dropFirst()
}
