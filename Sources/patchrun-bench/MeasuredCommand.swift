import CShims
import Glibc

/// Runs any program on one processor and measures it.
enum MeasuredCommand {
  /// The path of a program, given by path or by name in `PATH`; `nil` if there is none.
  static func find(_ name: String) -> String? {
    if name.contains("/") { return unsafe access(name, X_OK) == 0 ? name : nil }
    let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(name)" }
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// Runs a command and returns its processor time in seconds, with that of the children that it
  /// waits for; `nil` if it failed. Its output is discarded.
  ///
  /// - Parameters:
  ///   - variables: Variables of the environment to set.
  ///   - limit: Seconds after which it is interrupted; `nil` for never.
  static func processorTime(
    _ command: [String], variables: [(String, String)] = [], until limit: Double? = nil
  ) -> Double? {
    guard let path = command.first.flatMap(find) else { return nil }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    for (name, value) in variables { unsafe setenv(name, value, 1) }
    defer { for (name, _) in variables { unsafe unsetenv(name) } }
    var pointers = unsafe ([path] + command.dropFirst()).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    // A child inherits the processor affinity.
    _ = shims_pin_to_last_processor()
    defer { shims_unpin() }
    var identifier: pid_t = 0
    guard unsafe posix_spawn(&identifier, path, &actions, nil, &pointers, environ) == 0 else {
      return nil
    }
    var status: Int32 = 0
    var usage = rusage()
    if let limit {
      let end = now() + limit
      while now() < end {
        guard unsafe wait4(identifier, &status, WNOHANG, &usage) == 0 else { break }
        usleep(10_000)
      }
      kill(identifier, SIGINT)
    }
    if status == 0, usage.ru_utime.tv_sec == 0, usage.ru_utime.tv_usec == 0 {
      unsafe wait4(identifier, &status, 0, &usage)
    }
    // An interrupted program may end with the status of the signal.
    guard status == 0 || (limit != nil && [2, 2 << 8, 130 << 8].contains(status)) else {
      return nil
    }
    let times = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
  }
}
