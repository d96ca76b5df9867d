import CShims
import Foundation

// Renders patches under RealtimeSanitizer, and changes them during playback:
//
//     LD_PRELOAD=rtsan.so RealTimeCheck [--long] PATCH…
//     LD_PRELOAD=rtsan.so RealTimeCheck --unsafe callback|unit|tap
//
// The second form renders an unsafe part, which the sanitizer has to catch.
//
// The sanitizer ends the process with status 43 at the first call within a pull that may block: an
// allocation, a lock or a system call. `.ci/realtime` builds the library and runs this program.

/// Prints an error and ends the process.
func fail(_ message: String, status: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("error: \(message)\n".utf8))
  exit(status)
}

var arguments = Array(CommandLine.arguments.dropFirst())
if shims_real_time_is_watched() == 0 {
  fail("nothing looks on: LD_PRELOAD names no RealtimeSanitizer", status: 3)
}
if arguments.first == "--unsafe" {
  let kind = arguments.last ?? ""
  guard ["callback", "unit", "tap"].contains(kind) else {
    fail("usage: RealTimeCheck --unsafe callback|unit|tap", status: 2)
  }
  runUnsafe(kind)
  fail("an unsafe \(kind) was not caught")
}
let isLong = arguments.first == "--long"
if isLong { arguments.removeFirst() }
guard !arguments.isEmpty else { fail("usage: RealTimeCheck [--long] PATCH…", status: 2) }
var check = RealTimeCheck(isLong: isLong)
for path in arguments { check.run(path) }
check.runOthers()
check.runProgramGraph()
check.finish()
