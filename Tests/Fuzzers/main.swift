import CFuzzing
import Foundation

// Feeds arbitrary bytes to the readers of untrusted input:
//
//     Fuzzers NAME [OPTION…] [FOLDER…]
//
// libFuzzer generates the inputs from those in the folders, and the options are libFuzzer's. `.ci/fuzz`
// runs it.

guard Fuzzing.chosen != nil else {
  let names = Fuzzing.fuzzers.keys.sorted().joined(separator: "|")
  FileHandle.standardError.write(Data("usage: Fuzzers \(names) [OPTION…] [FOLDER…]\n".utf8))
  exit(2)
}
exit(Fuzzing.run())
