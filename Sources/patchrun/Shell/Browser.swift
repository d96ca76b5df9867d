import Glibc

/// The user's browser.
enum Browser {
  /// Opens an address. Waits up to half a second, to see whether the opener fails. Returns the
  /// reason; `nil` for success as far as is known.
  static func open(_ address: String) -> String? {
    // By a shell that ends at once, so that the browser becomes a child of another process.
    let script =
      "command -v xdg-open >/dev/null || exit 127; "
      + "xdg-open \"$1\" </dev/null >/dev/null 2>&1 & opener=$!; "
      + "for tenth in 1 2 3 4 5; do "
      + "kill -0 $opener 2>/dev/null || { wait $opener; exit $?; }; sleep 0.1; done"
    let words = ["/bin/sh", "-c", script, "sh", address]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in words.indices { unsafe free(arguments[index]) } }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The browser must not inherit the blocked signals. Its own process group keeps Ctrl-C from it.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var process: pid_t = 0
    let number = unsafe posix_spawn(&process, words[0], nil, &attributes, &arguments, environ)
    guard number == 0 else { return "no browser can be opened: \(systemMessage(number))" }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let code = status >> 8 & 0xFF
    if status == 0 { return nil }
    return code == 127
      ? "no browser can be opened: there is no 'xdg-open'"
      : "no browser can be opened: 'xdg-open' ended with \(code)"
  }
}
