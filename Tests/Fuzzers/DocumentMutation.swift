import Diagnostics
import PatchSyntax

/// Random numbers from a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

/// Mutates JSON documents. Randomly changed bytes are rarely JSON, and would not get beyond the
/// reader.
enum DocumentMutation {
  private static let values = [
    "0", "-1", "1", "2", "0.5", "-0.0", "1e300", "1e-300", "64", "1024", "4096", "44100", "48000",
    "4294967296", "true", "false", "null", "\"\"", "{}", "[]", "\"session\"", "\"io\"",
  ]

  /// - Returns: `nil` if the bytes are not a document with contents.
  static func changed(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
    let reading = JSONReader.read(SourceText(name: "input", bytes: bytes), dialect: .json)
    guard let tree = reading.tree, !reading.hasErrors else { return nil }
    var values: [Range<Int>] = []
    /// Elements and members, each with its name.
    var entries: [Range<Int>] = []
    func collect(_ value: JSONValue) {
      values.append(value.localRange)
      for element in value.elements {
        entries.append(element.localRange)
        collect(element)
      }
      for (key, member) in value.members {
        entries.append(key.localRange.lowerBound..<member.localRange.upperBound)
        collect(member)
      }
    }
    collect(tree.root)
    guard let one = values.randomElement(using: &random),
      let other = values.randomElement(using: &random),
      let entry = entries.randomElement(using: &random)
    else { return nil }
    /// The document with a part replaced.
    func replacing(_ place: Range<Int>, by bytesOfPart: [UInt8]) -> [UInt8] {
      Array(bytes[..<place.lowerBound]) + bytesOfPart + Array(bytes[place.upperBound...])
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return replacing(one, by: Array(bytes[other]))
    case 1:
      let value = Self.values.randomElement(using: &random) ?? "0"
      return replacing(one, by: Array(value.utf8))
    case 2:
      // Duplicates it. A duplicated member has its name twice, and a later mutation changes one of
      // them.
      return replacing(entry, by: Array(bytes[entry]) + [UInt8(ascii: ",")] + Array(bytes[entry]))
    case 3:
      guard let second = entries.randomElement(using: &random) else { return nil }
      return replacing(entry, by: Array(bytes[second]))
    default:
      var end = entry.upperBound
      while end < bytes.count, isBlank(bytes[end]) { end += 1 }
      if end < bytes.count, bytes[end] == UInt8(ascii: ",") {
        return replacing(entry.lowerBound..<(end + 1), by: [])
      }
      var begin = entry.lowerBound
      while begin > 0, isBlank(bytes[begin - 1]) { begin -= 1 }
      if begin > 0, bytes[begin - 1] == UInt8(ascii: ",") { begin -= 1 }
      return replacing(begin..<entry.upperBound, by: [])
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
