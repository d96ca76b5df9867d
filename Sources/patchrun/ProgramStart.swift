import FileAccess
import Glibc

extension Program {
  /// Runs the command that the arguments name, and ends the process.
  public static func start() -> Never {
    StandardStream.openMissing()
    // Ignored, so that writing to a closed pipe returns an error.
    signal(SIGPIPE, SIG_IGN)
    // Ignored, so that exceeding the file-size limit (`ulimit -f`) returns an error.
    signal(SIGXFSZ, SIG_IGN)
    // Swift reads the arguments from /proc. Without it the program would seem to have none.
    guard CommandLine.argc > 0 else {
      StandardStream.error.put("error: /proc is not mounted: the arguments cannot be read\n")
      exit(ExitStatus.unavailable)
    }
    Patchrun.start(Array(CommandLine.argumentTexts.dropFirst()))
  }
}
