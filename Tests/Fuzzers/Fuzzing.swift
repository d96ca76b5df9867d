import CFuzzing
import Foundation

/// A consumer of untrusted bytes.
protocol Fuzzer: AnyObject, Sendable {
  /// Processes one input. Ends the process if a required property does not hold.
  func take(_ bytes: [UInt8])

  /// The part of an input that is a JSON document and may be mutated as one; `nil` for none.
  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>?
}

extension Fuzzer {
  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? { nil }
}

/// Selects and runs a fuzzer.
enum Fuzzing {
  static let fuzzers: [String: @Sendable () -> any Fuzzer] = [
    "json": { JSONFuzzer() },
    "changes": { ChangeFuzzer() },
    "plan": { PlanFuzzer() },
    "http": { HTTPFuzzer() },
    "osc": { OSCFuzzer() },
    "editor": { EditorFuzzer() },
    "expression": { ExpressionFuzzer() },
  ]

  /// The fuzzer that the first argument names.
  static let chosen: (any Fuzzer)? =
    CommandLine.arguments.count > 1 ? fuzzers[CommandLine.arguments[1]]?() : nil

  /// Runs libFuzzer. Returns the exit status.
  static func run() -> Int32 {
    // Without the fuzzer's name, which libFuzzer would take for a folder.
    let arguments = [CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)
    var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    return unsafe pointers.withUnsafeMutableBufferPointer { pointers in
      var count = Int32(pointers.count - 1)
      var start = pointers.baseAddress
      return unsafe fuzzing_run(
        &count, &start,
        { bytes, count in
          Fuzzing.chosen?.take(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
          return 0
        },
        { bytes, count, room, seed in
          guard let bytes = unsafe bytes,
            let made = Fuzzing.mutation(
              of: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)), seed),
            made.count <= room
          else { return 0 }
          for index in made.indices { unsafe bytes[index] = made[index] }
          return made.count
        })
    }
  }

  /// A mutation of the document in an input; `nil` if there is none, and in half of the cases, so
  /// that input that is not JSON is tried too.
  static func mutation(of bytes: [UInt8], _ seed: UInt32) -> [UInt8]? {
    var random = SeededGenerator(state: UInt64(seed))
    guard Bool.random(using: &random), let chosen, let place = chosen.document(in: bytes, &random),
      let changed = DocumentMutation.changed(Array(bytes[place]), &random)
    else { return nil }
    return bytes[..<place.lowerBound] + changed + bytes[place.upperBound...]
  }
}

/// Ends the process unless the condition holds, so that libFuzzer reports the input.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}
