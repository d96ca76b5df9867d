import Glibc

StandardStream.openMissing()
// A reader that goes away is told by the write that fails.
signal(SIGPIPE, SIG_IGN)
Patchrun.start(Array(CommandLine.arguments.dropFirst()))
