import Glibc

/// A child process of a test.
///
/// Not Foundation's `Process`, which waits for its children in order: it does not notice that a
/// recorder has ended while an older server runs.
public final class ChildProcess {
  public let processIdentifier: Int32
  private var status: Int32?

  /// Starts the program at `path`, without searching PATH. Its input is empty. Its output goes to
  /// the file `output`, its errors to the file `errors`. With the path of a `terminal` it leads a
  /// new session with that controlling terminal, and all three streams are the terminal.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String],
    output: String = "/dev/null", errors: String = "/dev/null", terminal: String? = nil
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    if let terminal {
      for descriptor: Int32 in 0...2 {
        unsafe posix_spawn_file_actions_addopen(&actions, descriptor, terminal, O_RDWR, 0)
      }
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
      unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
    }
    // The threads of a test may block signals, and children inherit the mask.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    let session: Int32 = terminal == nil ? 0 : 0x80  // POSIX_SPAWN_SETSID
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | session))
    var argumentPointers = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    let environment = Self.sanitizerOptions.merging(environment) { _, given in given }
    var environmentPointers =
      unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for index in unsafe argumentPointers.indices { unsafe free(argumentPointers[index]) }
      for index in unsafe environmentPointers.indices { unsafe free(environmentPointers[index]) }
    }
    var identifier: Int32 = 0
    let result = unsafe posix_spawn(
      &identifier, path, &actions, &attributes, &argumentPointers, &environmentPointers)
    guard result == 0 else { throw Failure(description: "cannot start '\(path)': error \(result)") }
    processIdentifier = identifier
  }

  /// The sanitizer options that `.ci/sanitize` has set. Children need them too.
  private static let sanitizerOptions: [String: String] = Dictionary(
    uniqueKeysWithValues: ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { name in
      unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
    })

  deinit {
    if isRunning {
      kill(processIdentifier, SIGKILL)
      wait()
    }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  public var isRunning: Bool {
    guard status == nil else { return false }
    var status: Int32 = 0
    guard unsafe waitpid(processIdentifier, &status, WNOHANG) != 0 else { return true }
    self.status = status
    return false
  }

  public func signal(_ number: Int32) {
    if isRunning { kill(processIdentifier, number) }
  }

  /// Waits for the end. Returns the exit status, or 128 plus the number of the signal.
  @discardableResult
  public func wait() -> Int32 {
    while isRunning { usleep(1000) }
    let status = status ?? 0
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : (status & 0x7F) + 128
  }
}
