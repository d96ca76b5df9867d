import FileAccess
import Glibc

StandardStream.openMissing()
// A reader that goes away is told by the write that fails.
signal(SIGPIPE, SIG_IGN)
// So is a file that is larger than it may be (ulimit -f).
signal(SIGXFSZ, SIG_IGN)
// Swift reads them there; with none at all the program would seem to have been called without.
guard !CommandLine.arguments.isEmpty else {
  StandardStream.error.put("error: /proc is not mounted: the arguments cannot be read\n")
  exit(ExitStatus.worldRefused)
}
Patchrun.start(Array(CommandLine.argumentTexts.dropFirst()))
