import PatchGraph
import PatchSyntax
import TestSupport
import Testing

/// One mistake, made in a patch that was right.
struct PatchMutation: Sendable, CustomTestStringConvertible {
  let name: String
  /// The codes of warnings that may come with the one error, each for the reason given where the
  /// mutation is listed.
  let also: Set<String>
  /// Makes the mistake somewhere, and says where: the places that the error may be at. `nil` where
  /// the patch has nothing to make it in.
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

  /// The document with the mistake in it, and where the mistake is.
  func applied(to document: JSONText, seed: UInt64) -> (document: JSONText, places: [[String]])? {
    var random = SplitMix64(seed: seed)
    var before = document
    // For mistakes that are put in there.
    if before["connections"] == nil { before["connections"] = [] }
    var mutated = before
    guard let places = make(&mutated, &random), mutated != before else { return nil }
    // A bus that is among copies, written a second time, is another mistake.
    let isTwice = mutated.paths.contains {
      $0.count == 4 && $0[0] == "nodes" && $0[3] == "0"
        && mutated[Array($0.dropLast()) + ["{i}"]] != nil
    }
    guard !isTwice else { return nil }
    return (mutated, places)
  }

  /// All of them.
  static let all =
    patchMutations + nameMutations + settingMutations + formatMutations + connectionMutations
    + callbackMutations + timeMutations

  // MARK: Words

  /// A word with one slip: a letter left out, doubled, or two of them swapped.
  static func misspelt(_ word: String, _ random: inout SplitMix64) -> String {
    var letters = Array(word)
    guard letters.count > 3 else { return word + "qx" }
    // The first letter is seldom wrong.
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
  /// Any of them; `nil` where there is none.
  func any(_ random: inout SplitMix64) -> Element? { randomElement(using: &random) }
}

extension JSONText {
  /// The places of the members of any object that have one of these names.
  func places(of keys: String...) -> [[String]] {
    paths.filter { path in
      guard let key = path.last, keys.contains(key) else { return false }
      // A name of a node that happens to read like a key is none.
      return path.count > 2 || !["nodes", "callbacks", "taps", "streamFormats"].contains(path[0])
    }
  }

  /// The buses of a scope that are written: `nodes/NAME/inputs/0`.
  func buses(_ scope: String) -> [[String]] {
    (self["nodes"]?.members ?? []).flatMap { node in
      (node.value[scope]?.members ?? []).filter { $0.name != "comment" }
        .map { ["nodes", node.name, scope, $0.name] }
    }
  }

  /// Every stream format that is written out.
  var formats: [[String]] {
    paths.filter { path in
      self[path]?["sample"] != nil || self[path]?["mSampleRate"] != nil
    }
  }
}
