import PatchGraph
import PatchSyntax
import TestSupport
import Testing

/// One mistake in a valid patch.
struct PatchMutation: Sendable, CustomTestStringConvertible {
  let name: String
  /// The codes of warnings that may come with the error. The reason is beside the mutation.
  let also: Set<String>
  /// Makes the mistake and returns the places where the error may be; `nil` if the patch has no
  /// suitable place.
  let make: @Sendable (inout JSONText, inout SplitMix64) -> [[String]]?

  init(
    _ name: String, also: Set<String> = [],
    _ make: @escaping @Sendable (inout JSONText, inout SplitMix64) -> [[String]]?
  ) {
    self.name = name
    self.also = also
    self.make = make
  }

  var testDescription: String { name }

  /// The document with the mistake, and its places.
  func applied(to document: JSONText, seed: UInt64) -> (document: JSONText, places: [[String]])? {
    var random = SplitMix64(seed: seed)
    var before = document
    // For mutations that add a connection.
    if before["connections"] == nil { before["connections"] = [] }
    var mutated = before
    guard let places = make(&mutated, &random), mutated != before else { return nil }
    // A bus that exists in copies and is written again would be another mistake.
    let isTwice = mutated.paths.contains {
      $0.count == 4 && $0[0] == "nodes" && $0[3] == "0"
        && mutated[Array($0.dropLast()) + ["{i}"]] != nil
    }
    guard !isTwice else { return nil }
    return (mutated, places)
  }

  /// All mutations.
  static let all =
    patchMutations + nameMutations + settingMutations + formatMutations + connectionMutations
    + callbackMutations + timeMutations

  // MARK: Words

  /// A word with one slip: a letter omitted or doubled, or two letters swapped.
  static func misspelt(_ word: String, _ random: inout SplitMix64) -> String {
    var letters = Array(word)
    guard letters.count > 3 else { return word + "qx" }
    // The first letter is rarely wrong.
    let place = Int.random(in: 1..<letters.count - 1, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: letters.remove(at: place)
    case 1: letters.insert(letters[place], at: place)
    default:
      guard letters[place] != letters[place + 1] else {
        letters.remove(at: place)
        break
      }
      letters.swapAt(place, place + 1)
    }
    return String(letters)
  }
}

extension Array {
  /// A random element; `nil` for an empty array.
  func any(_ random: inout SplitMix64) -> Element? { randomElement(using: &random) }
}

extension JSONText {
  /// The paths of members with one of these names in any object.
  func places(of keys: String...) -> [[String]] {
    paths.filter { path in
      guard let key = path.last, keys.contains(key) else { return false }
      // Except names of nodes that are also keys.
      return path.count > 2 || !["nodes", "callbacks", "taps", "streamFormats"].contains(path[0])
    }
  }

  /// Adds a connection to a patch, and returns its path.
  mutating func connect(_ source: JSONText, to destination: JSONText) -> [String] {
    self["connections", "99999"] = ["from": source, "to": destination]
    return ["connections", "\((self["connections"]?.count ?? 1) - 1)"]
  }

  /// The written buses of a scope: `nodes/NAME/inputs/0`.
  func buses(_ scope: String) -> [[String]] {
    (self["nodes"]?.members ?? []).flatMap { node in
      (node.value[scope]?.members ?? []).filter { $0.name != "comment" }
        .map { ["nodes", node.name, scope, $0.name] }
    }
  }

  /// The paths of all stream formats that are written out.
  var formats: [[String]] {
    paths.filter { path in
      self[path]?["sample"] != nil || self[path]?["mSampleRate"] != nil
    }
  }
}
