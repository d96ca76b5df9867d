import CShims
import Glibc

/// Runs and measures the `patchrun` that was built beside this program.
final class MeasuredProgram {
  /// The resources of a run.
  struct Cost {
    var status: Int32
    /// Wall time and processor time in seconds.
    var wall: Double
    var processor: Double
    /// Peak memory in MB.
    var memory: Double
  }

  /// The path of `patchrun` beside this program; `nil` if it has not been built.
  static let path: String? = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    let own = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/patchrun"
    return unsafe access(path, X_OK) == 0 ? path : nil
  }()

  private let start = now()
  private var identifier: Int32 = 0
  /// Our ends of its standard input and output; -1 if they are not connected.
  private(set) var input: Int32 = -1
  private(set) var output: Int32 = -1

  /// Starts `patchrun` or another program. With `hasPipes` its input and output are connected;
  /// otherwise its output is discarded.
  init?(_ arguments: [String], program: String? = nil, hasPipes: Bool = false) {
    guard let path = program ?? Self.path else { return nil }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var inputPipe: [Int32] = [-1, -1]
    var outputPipe: [Int32] = [-1, -1]
    if hasPipes {
      // The child inherits only the ends that are put in place of its streams.
      guard unsafe shims_pipe(&inputPipe) == 0, unsafe shims_pipe(&outputPipe) == 0 else {
        return nil
      }
      unsafe posix_spawn_file_actions_adddup2(&actions, inputPipe[0], 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, outputPipe[1], 1)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var pointers = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    guard unsafe posix_spawn(&identifier, path, &actions, nil, &pointers, environ) == 0 else {
      return nil
    }
    if hasPipes {
      close(inputPipe[0])
      close(outputPipe[1])
      (input, output) = (inputPipe[1], outputPipe[0])
    }
  }

  /// Kills the process.
  func kill() { _ = Glibc.kill(identifier, SIGKILL) }

  /// Waits for the end.
  func wait() -> Cost {
    if input >= 0 { close(input) }
    if output >= 0 { close(output) }
    var status: Int32 = 0
    var usage = rusage()
    unsafe wait4(identifier, &status, 0, &usage)
    return Cost(
      status: status >> 8, wall: now() - start,
      processor: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime),
      memory: Double(usage.ru_maxrss) / 1024)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
  }
}

/// Seconds on the monotonic clock.
func now() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
