import CFuzzing
import Foundation

// Gives bytes that nobody has thought of to what reads strangers' bytes:
//
//     Fuzzers NAME [OPTION…] [FOLDER…]
//
// Built with `-sanitize=fuzzer`, libFuzzer makes them, from what is in the folders; the options are its
// own. `.ci/fuzz` builds and runs this. Built without, each file of the folders is taken once.

guard Fuzzing.chosen != nil else {
  let names = Fuzzing.fuzzers.keys.sorted().joined(separator: "|")
  FileHandle.standardError.write(Data("usage: Fuzzers \(names) [OPTION…] [FOLDER…]\n".utf8))
  exit(2)
}
exit(Fuzzing.run())
