import CShims
import FileAccess
import Glibc

/// A command of this program in a child process, so that a crash or a limit affects only that
/// process.
struct OwnCommand {
  private let process: pid_t
  /// The read ends of its standard output and standard error; -1 after `wait`.
  private(set) var output: Int32
  private(set) var messages: Int32

  /// Changes the current folder. Returns the error number; 0 for none.
  static func enter(_ folder: String) -> Int32 {
    unsafe chdir(SystemPath(folder).c) == 0 ? 0 : errno
  }

  /// Starts the command in the current folder with an empty standard input; `nil` if it cannot be
  /// started.
  init?(_ arguments: [String]) {
    var outputPipe: [Int32] = [-1, -1]
    var errorPipe: [Int32] = [-1, -1]
    // The child inherits only the ends that are put in place of its streams.
    guard unsafe shims_pipe(&outputPipe) == 0 else { return nil }
    guard unsafe shims_pipe(&errorPipe) == 0 else {
      for descriptor in outputPipe { close(descriptor) }
      return nil
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, outputPipe[1], 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errorPipe[1], 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // In its own process group: Ctrl-C ends the server, which then ends the command.
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var pointers = unsafe (["patchrun"] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var identifier: pid_t = 0
    let number = unsafe posix_spawn(
      &identifier, "/proc/self/exe", &actions, &attributes, &pointers, environ)
    close(outputPipe[1])
    close(errorPipe[1])
    guard number == 0 else {
      close(outputPipe[0])
      close(errorPipe[0])
      return nil
    }
    process = identifier
    output = outputPipe[0]
    messages = errorPipe[0]
  }

  /// Kills the command and all its children.
  func kill() { _ = Glibc.kill(-process, SIGKILL) }

  /// Waits for the end. Returns the exit status, or 128 plus the number of a signal.
  mutating func wait() -> Int32 {
    close(output)
    close(messages)
    (output, messages) = (-1, -1)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  // MARK: Pipes

  /// Waits until one of the descriptors is readable; -1 is ignored. Returns which are.
  static func readable(_ descriptors: [Int32], within seconds: Double) -> [Bool] {
    var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let milliseconds = seconds < 0 ? 0 : Int32(min(seconds, 3600) * 1000) + 1
    _ = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
    return watched.map { $0.revents != 0 }
  }

  /// Reads the available bytes. Returns an empty array at the end, and `nil` if there are none yet.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe Glibc.read(descriptor, &block, block.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : [] }
    return Array(block[..<count])
  }
}
